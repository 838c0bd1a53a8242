"""A field at the top of the window for selecting discs by number or by condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtWidgets import QLabel, QVBoxLayout, QWidget

from aggviewer.widgets.entry_line import EntryLine
from aggviewer.widgets.popup import Popup
from engine.errors import InputError
from engine.selection import example

_WIDTH = 480
_NUMBERS = "or numbers: 3, 17, 20-30"


class ChoosingLine(Popup):
    """A popup with a field. Enter calls `choose` with the text; the sentence of an InputError is shown.

    names() : names allowed in a condition, for the line below the field.
    """

    def __init__(self, parent: QWidget, choose: Callable[[str], None], names: Callable[[], Sequence[str]]) -> None:
        super().__init__("commandPalette", "Select discs", parent)
        self._choose = choose
        self._names = names
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 8)
        layout.setSpacing(4)
        self.field = EntryLine()
        self.field.setAccessibleName("Discs to select")
        self.field.returnPressed.connect(self._use)
        self.field.textEdited.connect(lambda _text: self._say(""))
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.words.setContentsMargins(12, 0, 12, 0)
        layout.addWidget(self.field)
        layout.addWidget(self.words)

    def open(self) -> None:
        """Show it at the top of the window, with the last text."""
        parent = self.parentWidget()
        if parent is None:
            return
        self.field.setPlaceholderText(f"{example(self._names())}, {_NUMBERS}")
        self.open_below_bar(min(_WIDTH, parent.width() - 32))
        self._say("")
        self.field.setFocus()
        self.field.selectAll()

    def _use(self) -> None:
        try:
            self._choose(self.field.text())
        except InputError as error:
            self._say(f"{error}.")
            return
        self.close()

    def _say(self, words: str) -> None:
        self.field.refused = bool(words)
        self.words.setText(words or f"Names: {', '.join(self._names())}")
        layout = self.layout()
        if layout is not None:  # `adjustSize` would leave room for the lines of a narrower popup
            self.resize(self.width(), layout.totalHeightForWidth(self.width()))
