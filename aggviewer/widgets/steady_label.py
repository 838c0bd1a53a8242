"""Labels for numbers that change while something runs."""

from __future__ import annotations

from PyQt6.QtCore import QEvent
from PyQt6.QtGui import QFontMetrics
from PyQt6.QtWidgets import QLabel, QWidget

from aggviewer.style.theme import tabular


class SteadyLabel(QLabel):
    """As large as the widest text that it will have. Any other label has the layouts around it made anew, up to those
    of the window, which then is painted a second time, whenever its text changes."""

    def __init__(self, widest: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._widest = widest
        self.setFont(tabular())
        self._fit()

    def make_room_for(self, widest: str) -> None:
        """Another widest text."""
        self._widest = widest
        self._fit()

    def changeEvent(self, event: QEvent | None) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event is not None and event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        metrics = QFontMetrics(self.font())
        self.setFixedSize(metrics.horizontalAdvance(self._widest), metrics.height())
