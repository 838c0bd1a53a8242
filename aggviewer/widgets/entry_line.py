"""A line of text that is read when Enter is pressed, and may be refused."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QLineEdit, QWidget


class EntryLine(QLineEdit):
    """A line edit whose owner checks the entry on ``returnPressed`` or ``editingFinished``, and may refuse it.

    Attributes
    ----------
    refused : whether the last entry was refused; set by the owner. Enter then leaves the focus in the line, with the
        text selected.

    Signals: ``entered()`` after those two, when Enter was pressed and the entry was accepted.
    """

    entered = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.refused = False

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """If the entry is refused, Enter does nothing else."""
        super().keyPressEvent(event)
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not self.refused:
                self.entered.emit()
            if self.refused:  # set by a slot of returnPressed
                self.selectAll()
                event.accept()
