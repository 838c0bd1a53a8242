"""Labels that do not have the layouts around them made anew: shortened texts, and numbers that change."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QSize, Qt
from PyQt6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PyQt6.QtWidgets import QLabel, QSizePolicy, QWidget

from aggviewer.style.theme import tabular


class ElidedLabel(QLabel):
    """A label that shortens its text instead of asking for room; the whole text is its tool tip. It paints the text by
    itself: a label that is given another text has the layouts of the whole window made anew."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_whole_text(self, text: str) -> None:
        """The text, shown as far as there is room."""
        if text != self._whole:
            self._whole = text
            self.setToolTip(text)
            self.setAccessibleName(text)
            self.update()

    def text(self) -> str:
        """As much of it as is shown."""
        return QFontMetrics(self.font()).elidedText(self._whole, Qt.TextElideMode.ElideRight, max(0, self.width() - 4))

    def sizeHint(self) -> QSize:
        """As high as a line."""
        return QSize(0, QFontMetrics(self.font()).height())

    def minimumSizeHint(self) -> QSize:
        """No width is too small."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """The text in the colour of the style."""
        style = self.style()
        if style is not None:
            style.drawItemText(
                QPainter(self), self.rect(), self.alignment().value, self.palette(), self.isEnabled(), self.text(),
                self.foregroundRole(),
            )  # fmt: skip


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
