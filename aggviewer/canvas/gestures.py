"""The left mouse button in the picture: tools, the gestures they start, and selection regions.

Without a tool, a drag moves the picture and a click is reported to the window. With a `Tool`, the button belongs to the
tool; all canvases of a window share it (`Canvases.tool`). Draggable things in the picture, such as the ends of a
measurement, are found by `DiscCanvas.grips`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from aggviewer.canvas import warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import DiscsInView, to_pixels
from aggviewer.canvas.qt_images import pixels_of
from aggviewer.canvas.scene import Scene

Shape = Literal["box", "lasso"]

_NEAR = 2.0  # least distance in pixels between two corners of a lasso


class Gesture(ABC):
    """From a press of the left button to its release. Positions are in widget pixels.

    Attributes
    ----------
    cursor : shown where a press would start the gesture.
    held : the cursor while the button is pressed; None for no change.
    """

    cursor = Qt.CursorShape.SizeAllCursor
    held: Qt.CursorShape | None = None

    @abstractmethod
    def move(self, at: QPointF) -> None:
        """The mouse moved here."""

    @abstractmethod
    def release(self, how: Qt.KeyboardModifier) -> None:
        """The button was released, after a drag."""

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
        """The camera, in widget pixels."""
        ...

    def disc_at(self, x: float, y: float) -> int | None:
        """The disc at a widget pixel."""
        ...

    def tell_region(self, outline: QPolygonF, how: Qt.KeyboardModifier) -> None:
        """A region was drawn."""
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
        """The outline of the region."""
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
