"""The text over the drawing area of a plot: live numbers, or what it will show."""

from __future__ import annotations

import re

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QLabel, QWidget

_SMALL = re.compile(r"\s*<small>.*?</small>")


class CornerText(QLabel):
    """Rich text that takes no mouse. In a narrow plot it leaves out what is in `<small>`, then breaks its lines."""

    def __init__(self, parent: QWidget, alignment: Qt.AlignmentFlag) -> None:
        super().__init__(parent)
        self._whole = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAlignment(alignment | Qt.AlignmentFlag.AlignVCenter)

    def write(self, text: str) -> bool:
        """Another text; False where it is the one that is there. `fit` shows it."""
        changed = text != self._whole
        self._whole = text
        return changed

    def fit(self, room: int) -> None:
        """Take the size that the text needs, at most `room` pixels wide."""
        self.setWordWrap(False)
        for text in (self._whole, _SMALL.sub("", self._whole)):
            if text != self.text():
                self.setText(text)
            self.adjustSize()
            if self.width() <= room:
                return
        self.setWordWrap(True)
        self.resize(room, self.heightForWidth(room))
