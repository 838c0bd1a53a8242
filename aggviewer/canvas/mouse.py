"""The mouse on the canvas: moving and turning the picture, clicks, the disc under the pointer, and tools with their
gestures.

Without a tool, a drag moves the picture and a click is reported to the window. With a `Tool`, the left button belongs
to the tool; all canvases of a window share it (`Canvases.tool`). Draggable things in the picture, such as the ends of a
measurement, are found by `DiscCanvas.grips`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QColor, QContextMenuEvent, QImage, QMouseEvent, QPainter, QPen, QPolygonF, QWheelEvent
from PyQt6.QtWidgets import QWidget

from aggviewer.canvas import warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import DiscsInView, to_pixels
from aggviewer.canvas.qt_drawing import pixels_of
from aggviewer.canvas.scene import Scene

Shape = Literal["box", "lasso"]

_NEAR = 2.0  # least distance in pixels between two corners of a lasso


class Gesture(ABC):
    """From a press of the left button to its release. Positions are in widget pixels.

    Attributes
    ----------
    cursor : shown where a press would start the gesture.
    held : the cursor while the button is pressed; None for no change.
    tip : what the gesture does, as a tool tip; "" for none.
    """

    cursor = Qt.CursorShape.SizeAllCursor
    held: Qt.CursorShape | None = None
    tip = ""

    @abstractmethod
    def move(self, at: QPointF) -> None:
        """The mouse has moved to this position with the button down."""

    @abstractmethod
    def release(self, how: Qt.KeyboardModifier) -> None:
        """The button was released at this position after a drag."""

    @abstractmethod
    def click(self, how: Qt.KeyboardModifier) -> bool:
        """The button was released where it was pressed. Returns whether it was handled; otherwise it is a click on a
        disc."""

    def paint(self, painter: QPainter, dark: bool) -> None:
        """Draw the gesture over the picture."""
        return


class Ground(Protocol):
    """The picture in which a tool is used; see `DiscCanvas`."""

    scene: Scene

    @property
    def camera(self) -> Camera:
        """The present view, in pixels of the widget."""
        ...

    def disc_at(self, x: float, y: float) -> int | None:
        """The number of the disc at a pixel of the widget; None if there is none."""
        ...

    def tell_region(self, outline: QPolygonF, how: Qt.KeyboardModifier) -> None:
        """Report that the user has drawn a region."""
        ...


class Tool(ABC):
    """An action of the left button other than moving the picture."""

    cursor = Qt.CursorShape.CrossCursor

    @abstractmethod
    def begin(self, canvas: Ground, at: QPointF, how: Qt.KeyboardModifier) -> Gesture | None:
        """The button was pressed. None for a press that moves the picture."""

    def hover(self, canvas: Ground, at: QPointF, how: Qt.KeyboardModifier) -> None:
        """The mouse moved here without a pressed button."""
        return


class RegionTool(Tool):
    """Draws a box or a lasso; `DiscCanvas.region_drawn` reports it."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    def begin(self, canvas: Ground, at: QPointF, how: Qt.KeyboardModifier) -> Region:
        """Start a region where the button was pressed."""
        return Region(self.shape, at, canvas.tell_region)


class Region(Gesture):
    """A region being drawn, in widget pixels.

    Parameters
    ----------
    shape : a box between the first and the last point, or a lasso through all points.
    start : where the mouse button was pressed.
    drawn(outline, modifiers) : called when it is complete.
    """

    def __init__(self, shape: Shape, start: QPointF, drawn: Callable[[QPolygonF, Qt.KeyboardModifier], object]) -> None:
        self.shape = shape
        self._points = [start]
        self._drawn = drawn

    def release(self, how: Qt.KeyboardModifier) -> None:
        """Report the region."""
        self._drawn(self.outline, how)

    def click(self, how: Qt.KeyboardModifier) -> bool:
        """Not handled: there is no region, and the click is one on a disc."""
        return False

    def move(self, point: QPointF) -> None:
        """Extend the region to this position."""
        if self.shape == "box":
            self._points[1:] = [point]
        elif (point - self._points[-1]).manhattanLength() >= _NEAR:
            self._points.append(point)

    @property
    def outline(self) -> QPolygonF:
        """The outline of the region that has been drawn so far."""
        if self.shape == "box":
            return QPolygonF(QRectF(self._points[0], self._points[-1]).normalized())
        return QPolygonF(self._points)

    def paint(self, painter: QPainter, dark: bool) -> None:
        """Draw the outline over the picture."""
        ink = QColor("#ffffff" if dark else "#101317")
        face = QColor(ink)
        face.setAlphaF(0.10)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(face)
        painter.setPen(QPen(ink, 1.25, Qt.PenStyle.DashLine))
        painter.drawPolygon(self.outline)


def discs_within(outline: QPolygonF, scene: Scene, camera: Camera, share: float = 1.0) -> NDArray[np.bool_]:
    """The discs whose centres lie inside an outline in widget pixels, (N,) bool.

    In space these are the middles of what the slab leaves of spheres, also of those behind others. The outline is
    filled in an image, in which the pixel of each centre is looked up: the time does not depend on the number of
    corners. share : of their radii with which spheres are drawn (`Scene.drawn_share`).
    """
    width, height = max(1, int(camera.width)), max(1, int(camera.height))
    image = QImage(width, height, QImage.Format.Format_RGBA8888_Premultiplied)
    image.fill(0)
    with QPainter(image) as painter:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(255, 255, 255))
        painter.drawPolygon(outline, Qt.FillRule.WindingFill)
    filled = pixels_of(image)[:, :, 3] > 0
    at, number = to_pixels(scene.positions, camera), np.arange(scene.count, dtype=np.int32)
    if camera.pose is not None:
        found = DiscsInView()
        count = found.find(scene, camera, compiled=warmup.ready(), share=share)
        at, number = found.outlines(camera, count)[0], found.number[:count]
    seen = (at[:, 0] >= 0.0) & (at[:, 0] < width) & (at[:, 1] >= 0.0) & (at[:, 1] < height)
    column, row = at[seen].astype(np.int64).T  # hidden discs have NaN positions and are never inside
    inside = np.zeros(scene.count, bool)
    inside[number[seen]] = filled[row, column]
    return inside


_WHEEL_STEP = 1.15  # zoom factor of one notch
_CLICK_PIXELS = 4.0  # most pixels that the mouse may move between press and release of a click
_HOVER_MS = 100
_BOX = RegionTool("box")


class MouseWidget(QWidget):
    """Mouse handling for a movable picture, which a subclass provides.

    Attributes
    ----------
    gesture : the current gesture of the left button, None if it moves the picture or is not pressed.
    grips : functions that return the gesture that a press at a widget pixel starts, None if there is nothing to drag.

    Notes
    -----
    Signals: ``hovered(int)`` with the disc under the pointer, -1 for none; ``clicked(disc, modifiers)`` when the left
    button was pressed and released in one place, the disc is -1 for none; ``region_drawn(outline, modifiers)`` with a
    polygon in widget pixels; ``menu_asked(disc, place)`` for a menu at a place on the screen; ``about_to_move(how,
    number)`` before the mouse moves the view, where how is "zoom", "pan", "fit" or "look", and number is the time of a
    wheel event in milliseconds, or the number of a drag; ``scale_asked(place)`` for a click on the colour scale, with
    its upper right corner on the screen.
    """

    hovered = pyqtSignal(int)
    about_to_move = pyqtSignal(str, int)
    scale_asked = pyqtSignal(QPointF)
    clicked = pyqtSignal(int, object)
    region_drawn = pyqtSignal(object, object)
    menu_asked = pyqtSignal(int, object)

    scene: Scene
    """The discs; made by the subclass."""

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._dragged: QPointF | None = None
        self._turns = False  # the drag turns the picture
        self._pressed: QPointF | None = None  # the left button is pressed, and the mouse has not moved since
        self._drags = 0
        self._tool: Tool | None = None
        self.gesture: Gesture | None = None
        self.grips: list[Callable[[QPointF], Gesture | None]] = []
        self._pointer: QPointF | None = None
        self._hover = -1
        self._over_scale = False
        self.hover_timer = QTimer(self)
        self.hover_timer.setSingleShot(True)
        self.hover_timer.setInterval(_HOVER_MS)
        self.hover_timer.timeout.connect(self._update_hover)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    # Provided by the picture

    @property
    def camera(self) -> Camera:
        """The present view, in pixels of the widget."""
        raise NotImplementedError

    def disc_at(self, x: float, y: float) -> int | None:
        """The disc at a widget pixel; None if there is none."""
        raise NotImplementedError

    def pan(self, dx: float, dy: float) -> None:
        """Move the picture by (dx, dy) pixels."""
        raise NotImplementedError

    def turn_by_drag(self, start: tuple[float, float], end: tuple[float, float], *, free: bool = False) -> None:
        """Turn a box in space by a drag from pixel to pixel. free : gravity need not stay vertical in the picture."""
        raise NotImplementedError

    def centre_on(self, point: NDArray[np.float64]) -> None:
        """Centre the view on a point (d,)."""
        raise NotImplementedError

    def zoom(self, factor: float, about: tuple[float, float] | None = None) -> None:
        """Zoom about a pixel of the widget."""
        raise NotImplementedError

    def fit(self) -> None:
        """Show the whole box."""
        raise NotImplementedError

    def on_scale(self, place: QPointF) -> bool:
        """Whether a widget pixel is on the colour scale."""
        raise NotImplementedError

    def scale_corner(self) -> QPointF:
        """The upper right corner of the colour scale in the legend, in pixels of the widget."""
        raise NotImplementedError

    def paint_gesture(self) -> None:
        """Paint the current gesture."""
        raise NotImplementedError

    # Tools

    @property
    def tool(self) -> Tool | None:
        """The tool of the left button; None if a drag moves the picture."""
        return self._tool

    @tool.setter
    def tool(self, tool: Tool | None) -> None:
        self._tool = tool
        self._show_cursor()

    def _show_cursor(self) -> None:
        tip = ""
        if self._over_scale:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
            tip = "Click to change the scale"
        elif self._pointer is not None and (grip := self._grip_at(self._pointer)) is not None:
            self.setCursor(grip.cursor)
            tip = grip.tip
        elif self._tool is None:
            self.unsetCursor()
        else:
            self.setCursor(self._tool.cursor)
        if tip != self.toolTip():
            self.setToolTip(tip)

    def _grip_at(self, at: QPointF) -> Gesture | None:
        return next((found for grip in self.grips if (found := grip(at)) is not None), None)

    def _gesture_at(self, at: QPointF, how: Qt.KeyboardModifier) -> Gesture | None:
        """The gesture that a press of the left button starts; None if it moves the picture."""
        if self._tool is not None:
            return self._grip_at(at) or self._tool.begin(self, at, how)
        if how & Qt.KeyboardModifier.AltModifier:
            return _BOX.begin(self, at, how)
        return self._grip_at(at)

    def _update_hover(self) -> None:
        if self._pointer is None or self._dragged is not None:
            return
        found = self.disc_at(self._pointer.x(), self._pointer.y())
        self._set_hover(-1 if found is None else found)

    def _set_hover(self, index: int) -> None:
        if index != self._hover:
            self._hover = index
            self.hovered.emit(index)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Start dragging the picture or a gesture: of the tool, of a grip, or with Alt a box; or report a click on the
        colour scale."""
        if event is None or event.button() not in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            return
        left = event.button() == Qt.MouseButton.LeftButton
        if left and self.on_scale(event.position()):
            self.scale_asked.emit(QPointF(self.mapToGlobal(self.scale_corner().toPoint())))
            return
        self._pressed = event.position() if left else None
        self.gesture = self._gesture_at(event.position(), event.modifiers()) if left else None
        if self.gesture is None:
            self._dragged = event.position()
            shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._turns = self.camera.pose is not None and left and not shift
            self._drags += 1
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif self.gesture.held is not None:
            self.setCursor(self.gesture.held)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Drag the picture, continue a gesture, or find the disc under the pointer."""
        if event is None:
            return
        self._pointer = event.position()
        if self._pressed is not None and (event.position() - self._pressed).manhattanLength() < _CLICK_PIXELS:
            return
        self._pressed = None
        if self.gesture is not None:
            self.gesture.move(event.position())
            self.paint_gesture()
        elif self._dragged is not None:
            before, now = self._dragged, event.position()
            self._dragged = now
            if self._turns:
                free = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
                self.turn_by_drag((before.x(), before.y()), (now.x(), now.y()), free=free)
            else:
                self.about_to_move.emit("pan", self._drags)
                self.pan(now.x() - before.x(), now.y() - before.y())
        else:
            self._over_scale = self.on_scale(event.position())
            if self._tool is not None and not self._over_scale:
                self._tool.hover(self, event.position(), event.modifiers())
            self._show_cursor()
            if not self.hover_timer.isActive():
                self.hover_timer.start()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """End the drag or the gesture; without movement it was a click."""
        gesture, self.gesture, dragged, self._dragged = self.gesture, None, self._dragged, None
        pressed, self._pressed = self._pressed, None
        if dragged is not None or gesture is not None:
            self._show_cursor()
        if gesture is not None:
            self.paint_gesture()
        if event is None:
            return
        if pressed is not None:
            if gesture is not None and gesture.click(event.modifiers()):
                return
            found = self.disc_at(pressed.x(), pressed.y())
            self.clicked.emit(-1 if found is None else found, event.modifiers())
        elif gesture is not None:
            gesture.release(event.modifiers())

    def drop_gesture(self) -> None:
        """Cancel a gesture; the mouse is ignored until the button is released."""
        self.gesture = self._pressed = None
        self._show_cursor()
        self.paint_gesture()

    def tell_region(self, outline: QPolygonF, how: Qt.KeyboardModifier) -> None:
        """Report a region that the user has drawn."""
        self.region_drawn.emit(outline, how)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        """Request the menu of the disc under the pointer."""
        if event is not None:
            found = self.disc_at(event.pos().x(), event.pos().y())
            self.menu_asked.emit(-1 if found is None else found, event.globalPos())
            event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Fit the whole box, or centre the sphere under the pointer; with a tool it counts as another press."""
        if event is not None and self._tool is not None:
            self.mousePressEvent(event)
        elif event is not None and event.button() == Qt.MouseButton.LeftButton:
            place = event.position()
            found = None if self.camera.pose is None else self.disc_at(place.x(), place.y())
            self.about_to_move.emit("fit" if found is None else "look", 0)
            self.fit() if found is None else self.centre_on(self.scene.positions[found])

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zoom about the pointer."""
        if event is None:
            return
        notches = event.angleDelta().y() / 120.0
        if notches:
            self.about_to_move.emit("zoom", event.timestamp())
            self.zoom(_WHEEL_STEP**notches, (event.position().x(), event.position().y()))
        event.accept()

    def leaveEvent(self, event: object) -> None:
        """Report that no disc is under the pointer."""
        self._pointer = None
        self._set_hover(-1)
