"""The field for the text of a note, at its place in the picture."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtWidgets import QLineEdit

from aggviewer.canvas import DiscCanvas
from aggviewer.document.marks.model import MAX_TEXT

_WIDTH = 220  # pixels
_RIGHT, _ABOVE = 12, 8  # pixels from the place of the note


class NoteField(QLineEdit):
    """Keeps the keyboard focus until Enter. Its creator closes it.

    Parameters
    ----------
    canvas : the picture.
    x, y : the place of the note, in its pixels.
    typed(text) : called on Enter with the text, which may be empty.
    """

    def __init__(self, canvas: DiscCanvas, x: float, y: float, typed: Callable[[str], object]) -> None:
        super().__init__(canvas)
        self.setMaxLength(MAX_TEXT)
        self.setPlaceholderText("Text; Enter")
        self.setAccessibleName("Text of the note")
        self.resize(_WIDTH, self.sizeHint().height())
        left, top = round(x) + _RIGHT, round(y) - self.height() - _ABOVE
        left, top = min(left, canvas.width() - self.width()), min(top, canvas.height() - self.height())
        self.move(max(0, left), max(0, top))
        self.returnPressed.connect(lambda: typed(" ".join(self.text().split())))
        self.show()
        self.setFocus()
