"""What the teacher puts over the screen: a ring around the mouse that can be seen from the last row, or black."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, QPoint, QRectF, Qt
from PyQt6.QtGui import QColor, QCursor, QMouseEvent, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QApplication, QMainWindow, QWidget

INK = "#a3002f"
"""Colour of the ring, with a contrast of 8 : 1 to white."""

HALO = "#ffffff"
"""Halo around the ring, so that it also stands out on a dark picture."""

_RING = 1.15  # radius of the ring in heights of the type
_RING_LINE = 0.17  # width of its line, the same
_HALO = 0.09  # width of the halo on either side, the same


class PointerRing(QWidget):
    """A ring around the mouse pointer, visible from the last row. Clicks pass through it.

    Parameters
    ----------
    window : the window in which it moves.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setAccessibleName("Pointer")
        self.hide()

    @property
    def on(self) -> bool:
        """Whether it is shown."""
        return not self.isHidden()

    def switch(self, on: bool) -> None:
        """Show or hide it."""
        native = self._window.windowHandle()
        if on == self.on or native is None:
            return
        if on:
            native.installEventFilter(self)  # it gets the moves over all widgets, which get only those they want
            self._go_to(self._window.mapFromGlobal(QCursor.pos()))
            self.show()
            self.raise_()
        else:
            native.removeEventFilter(self)
            self.hide()

    def fit(self, type_pixels: float) -> None:
        """Follow the font size."""
        side = 2 * round((_RING + _RING_LINE + _HALO) * type_pixels + 1.0)
        middle = self.geometry().center()
        self.resize(side, side)
        self._line, self._halo = _RING_LINE * type_pixels, _HALO * type_pixels
        self._go_to(middle)

    _line, _halo = 5.0, 2.5

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow the mouse, staying below messages and views raised later."""
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove:
            self._go_to(self._window.mapFromGlobal(event.globalPosition().toPoint()))
            self.raise_()
        return False

    def _go_to(self, place: QPoint) -> None:
        self.move(place - self.rect().center())

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint a ring with a halo on both sides."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = self._line / 2.0 + self._halo + 1.0
        ring = QRectF(self.rect()).adjusted(edge, edge, -edge, -edge)
        for color, width in ((HALO, self._line + 2.0 * self._halo), (INK, self._line)):
            painter.setPen(QPen(QColor(color), width))
            painter.drawEllipse(ring)


class Blank(QWidget):
    """Covers a window in black; any key or click brings the window back, and does nothing else."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setStyleSheet("background: #000000;")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setCursor(Qt.CursorShape.BlankCursor)
        self.setAccessibleName("Blank screen. Press any key to return")
        self.hide()

    def cover(self) -> None:
        """Make the window black."""
        application = QApplication.instance()
        if application is not None and self.isHidden():
            self.setGeometry(self._window.rect())
            self.raise_()
            self.show()
            application.installEventFilter(self)

    def uncover(self) -> None:
        """Show the window again."""
        application = QApplication.instance()
        if application is not None and not self.isHidden():
            application.removeEventFilter(self)
            self.hide()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Take all keys and clicks for itself; follow the size of the window."""
        if event is None:
            return False
        if watched is self._window and event.type() == QEvent.Type.Resize:
            self.setGeometry(self._window.rect())
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # no shortcut is run: it comes as a key
            return True
        if event.type() in (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress):
            if isinstance(watched, QWidget):
                self.uncover()
            return isinstance(watched, QWidget)
        return False
