"""What a teacher points and draws with in front of a class: a ring around the mouse, and a pen on a sheet of glass."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt
from PyQt6.QtGui import QColor, QCursor, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen, QRegion
from PyQt6.QtWidgets import QMainWindow, QWidget

INK = "#a3002f"
"""Of ring and strokes: a contrast of 8 : 1 with white."""

HALO = "#ffffff"
"""Around the ink, so that it also stands out from a dark picture."""

_RING = 1.15  # radius of the ring in heights of the type
_RING_LINE = 0.17  # width of its line, the same
_PEN_LINE = 0.2  # width of a stroke, the same
_HALO = 0.09  # width of the halo on either side, the same
_LEAST_STEP = 2.0  # pixels between two points of a stroke


class PointerRing(QWidget):
    """A ring around the mouse that is seen from the last row. Clicks go through it to what lies below.

    Parameters
    ----------
    window : in which it moves.
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
        """Show it around the mouse, or take it away."""
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
        """Follow the size of the type."""
        side = 2 * round((_RING + _RING_LINE + _HALO) * type_pixels + 1.0)
        middle = self.geometry().center()
        self.resize(side, side)
        self._line, self._halo = _RING_LINE * type_pixels, _HALO * type_pixels
        self._go_to(middle)

    _line, _halo = 5.0, 2.5

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow the mouse, and hide no message or view that came to the front later."""
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseMove:
            self._go_to(self._window.mapFromGlobal(event.globalPosition().toPoint()))
            self.raise_()
        return False

    def _go_to(self, place: QPoint) -> None:
        self.move(place - self.rect().center())

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """A ring with a halo on either side."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        edge = self._line / 2.0 + self._halo + 1.0
        ring = QRectF(self.rect()).adjusted(edge, edge, -edge, -edge)
        for color, width in ((HALO, self._line + 2.0 * self._halo), (INK, self._line)):
            painter.setPen(QPen(QColor(color), width))
            painter.drawEllipse(ring)


class DrawingSheet(QWidget):
    """A sheet of glass over picture and plots. With the pen on a drag draws; without it the mouse goes through.

    Parameters
    ----------
    window : over which it lies.
    grounds() : the parts of the window that can be drawn on.
    changed() : called after a stroke has come or gone.

    Attributes
    ----------
    strokes : the points of each, as shares of the window's width and height, so that they stay where they were drawn
        in a window of another size.
    """

    def __init__(
        self, window: QMainWindow, grounds: Callable[[], list[QWidget]], changed: Callable[[], object]
    ) -> None:
        super().__init__(window)
        self._window, self._grounds, self._changed = window, grounds, changed
        self.strokes: list[list[QPointF]] = []
        self._watched: list[QWidget] = []
        self._pen = self._drawing = False
        self._line, self._halo = 6.0, 2.5
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setAccessibleName("Drawing over picture and plots")
        self.setCursor(Qt.CursorShape.CrossCursor)
        self._let_through()
        self.hide()

    @property
    def pen(self) -> bool:
        """Whether a drag draws."""
        return self._pen

    @pen.setter
    def pen(self, on: bool) -> None:
        self._pen, self._drawing = on, False
        self._let_through()
        self._show()

    def undo(self) -> None:
        """Take the last stroke away."""
        if self.strokes:
            self.strokes.pop()
            self._drawing = False
            self._show()

    def clear(self) -> None:
        """Take all strokes away."""
        if self.strokes:
            self.strokes.clear()
            self._drawing = False
            self._show()

    def fit(self, type_pixels: float) -> None:
        """Cover the window as it is laid out now, with lines that suit the size of its type."""
        self._line, self._halo = _PEN_LINE * type_pixels, _HALO * type_pixels
        self._lie_over_grounds()

    def _lie_over_grounds(self) -> None:
        self.setGeometry(self._window.rect())
        region = QRegion()
        for ground in self._grounds():
            if ground not in self._watched:
                self._watched.append(ground)
                ground.installEventFilter(self)
            if ground.isVisible():
                region += QRect(ground.mapTo(self._window, QPoint(0, 0)), ground.size())
        self.setMask(region)
        self.update()

    def _let_through(self) -> None:
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, not self._pen)

    def _show(self) -> None:
        """It is there while there is something to draw or to be seen."""
        wanted = self._pen or bool(self.strokes)
        if wanted and self.isHidden():
            self._lie_over_grounds()
            self.show()
            self.raise_()
        self.setVisible(wanted)
        self.update()
        self._changed()

    # Qt

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Begin a stroke; a click alone is a dot."""
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            self._drawing = True
            self.strokes.append([self._share(event.position())])
            self._show()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Draw."""
        if event is not None and self._drawing:
            stroke = self.strokes[-1]
            if (self._place(stroke[-1]) - event.position()).manhattanLength() >= _LEAST_STEP:
                stroke.append(self._share(event.position()))
                self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """End the stroke."""
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            self._drawing = False

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow the parts of the window that can be drawn on."""
        if event is not None and self.isVisible() and event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._lie_over_grounds()
        return False

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """All strokes, each with its halo."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        cap, join = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
        for stroke in self.strokes:
            path = QPainterPath(self._place(stroke[0]))
            path.lineTo(self._place(stroke[0]) + QPointF(0.1, 0.0))  # a stroke of one point is a dot
            for point in stroke[1:]:
                path.lineTo(self._place(point))
            for color, width in ((HALO, self._line + 2.0 * self._halo), (INK, self._line)):
                painter.strokePath(path, QPen(QColor(color), width, Qt.PenStyle.SolidLine, cap, join))

    def _share(self, place: QPointF) -> QPointF:
        return QPointF(place.x() / max(1, self.width()), place.y() / max(1, self.height()))

    def _place(self, share: QPointF) -> QPointF:
        return QPointF(share.x() * self.width(), share.y() * self.height())
