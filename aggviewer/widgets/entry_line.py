"""A line of text that is read when Enter is pressed, and may be refused."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QLineEdit, QWidget


class EntryLine(QLineEdit):
    """A line whose entry somebody judges, when ``returnPressed`` or ``editingFinished`` comes, and may refuse.

    Attributes
    ----------
    refused : whether what was entered last is not taken. Set by whoever judges it. Enter then leaves the focus in the
        line, with the text selected.

    Signals: ``entered()`` for Enter where the entry is taken, after those two.
    """

    entered = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.refused = False

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Where what is entered is refused, Enter does nothing else."""
        super().keyPressEvent(event)
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not self.refused:
                self.entered.emit()
            if self.refused:  # by who has heard of Enter
                self.selectAll()
                event.accept()
