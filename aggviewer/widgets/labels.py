"""Labels whose text may change often: they keep their size, so that no layout has to be computed again."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QSize, Qt
from PyQt6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PyQt6.QtWidgets import QLabel, QSizePolicy, QWidget

from aggviewer.style.theme import tabular

AROUND = 4  # pixels beside the text of a label
_ROUNDED = 2  # pixels that a text may be wider than Qt says


class ElidedLabel(QLabel):
    """A label that elides its text to fit; the tool tip shows the whole text.

    It paints the text itself, because `QLabel.setText` makes Qt compute the layouts of the whole window again.

    Parameters
    ----------
    most : greatest width in pixels that it asks for, for a text that seldom changes; 0 to take only the space left.
    """

    def __init__(self, parent: QWidget | None = None, *, most: int = 0) -> None:
        super().__init__(parent)
        self._whole = ""
        self._most = most
        across = QSizePolicy.Policy.Maximum if most else QSizePolicy.Policy.Ignored
        self.setSizePolicy(across, QSizePolicy.Policy.Preferred)

    def set_whole_text(self, text: str) -> None:
        """Set the text, which is elided to fit."""
        if text != self._whole:
            self._whole = text
            self.setToolTip(text)
            self.setAccessibleName(text)
            self.update()
            if self._most:
                self.updateGeometry()

    def text(self) -> str:
        """The part of the text that is shown."""
        room = max(0, self.width() - AROUND)
        return QFontMetrics(self.font()).elidedText(self._whole, Qt.TextElideMode.ElideRight, room)

    def sizeHint(self) -> QSize:
        """The width of the text, if it asks for any, and the height of a line."""
        metrics = QFontMetrics(self.font())
        return QSize(min(self._most, metrics.horizontalAdvance(self._whole) + AROUND + _ROUNDED), metrics.height())

    def minimumSizeHint(self) -> QSize:
        """No width is too small."""
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the text in the colour of the style."""
        style = self.style()
        if style is not None:
            style.drawItemText(
                QPainter(self), self.rect(), self.alignment().value, self.palette(), self.isEnabled(), self.text(),
                self.foregroundRole(),
            )  # fmt: skip


class SteadyLabel(QLabel):
    """A label of fixed size, as large as the widest text that it will have.

    Any other label makes Qt compute all layouts up to the window's again when its text changes, and paint the window a
    second time.
    """

    def __init__(self, widest: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._widest = widest
        self.setFont(tabular())
        self._fit()

    def make_room_for(self, widest: str) -> None:
        """Set the widest text."""
        self._widest = widest
        self._fit()

    def changeEvent(self, event: QEvent | None) -> None:
        """Fit the size to a change of the font."""
        super().changeEvent(event)
        if event is not None and event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        metrics = QFontMetrics(self.font())
        self.setFixedSize(metrics.horizontalAdvance(self._widest), metrics.height())
