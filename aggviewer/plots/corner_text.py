"""The text over the drawing area of a plot: live numbers, or what the plot will show."""

from __future__ import annotations

import re

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QLabel, QWidget

_GAP = " &nbsp;&nbsp; "  # between parts in a line; of wider spaces Qt leaves one
_SMALL = re.compile(r"\s*<small>.*?</small>")


class CornerText(QLabel):
    """Rich text that ignores the mouse. In a narrow plot it omits what is in `<small>`, then wraps."""

    def __init__(self, parent: QWidget, alignment: Qt.AlignmentFlag) -> None:
        super().__init__(parent)
        self._whole = self._below = ""
        self._sharing = 0, 0  # parts, and the available width
        self._begins: frozenset[int] = frozenset()  # parts at the start of a line
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAlignment(alignment | Qt.AlignmentFlag.AlignVCenter)

    def write(self, text: str, below: str = "") -> bool:
        """Set the text, whose parts are separated by ``<br>``, and a line below it; False if nothing changes. `fit`
        shows them."""
        changed = (text, below) != (self._whole, self._below)
        self._whole, self._below = text, below
        return changed

    def fit(self, room: int) -> None:
        """Resize to the text, at most `room` pixels wide, with as many parts per line as fit."""
        self.setWordWrap(False)
        for parts in (self._whole.split("<br>"), _SMALL.sub("", self._whole).split("<br>")):
            if self._sharing != (len(parts), room):
                self._sharing, self._begins = (len(parts), room), frozenset()
            for first in range(1, len(parts)):  # lines once full stay separate: numbers change length
                if not self._fits(self._line(parts, first), room):
                    self._begins |= {first}
            if self._fits(self._joined(parts), room):
                return
        self.setWordWrap(True)
        self.resize(room, self.heightForWidth(room))

    def _line(self, parts: list[str], last: int) -> str:
        """The line of a part, up to that part."""
        first = max((begin for begin in self._begins if begin <= last), default=0)
        return _GAP.join(parts[first : last + 1])

    def _joined(self, parts: list[str]) -> str:
        text = parts[0] + "".join(
            ("<br>" if number in self._begins else _GAP) + part for number, part in enumerate(parts[1:], 1)
        )
        return "<br>".join(part for part in (text, self._below) if part)

    def _fits(self, text: str, room: int) -> bool:
        if text != self.text():
            self.setText(text)
        self.adjustSize()
        return self.width() <= room
