"""What the left mouse button does in the picture: tools, the gestures that they begin, and the region of a selection.

Without a tool a drag moves the picture and a click is told to the window. A tool takes the button instead; one is a
`Tool`, and all canvases of a window have the same one (`Canvases.tool`). What lies in the picture and can be dragged,
such as the end of a measurement, is found by `DiscCanvas.grips`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import to_pixels
from aggviewer.canvas.qt_images import pixels_of
from aggviewer.canvas.scene import Scene

Shape = Literal["box", "lasso"]

_NEAR = 2.0  # pixels between two corners of a lasso, at least


class Gesture(ABC):
    """From a press of the left button to its release. Places are widget pixels.

    Attributes
    ----------
    cursor : over what a press would begin it with.
    held : while the button is pressed; None leaves the cursor as it is.
    """

    cursor = Qt.CursorShape.SizeAllCursor
    held: Qt.CursorShape | None = None

    @abstractmethod
    def move(self, at: QPointF) -> None:
        """The mouse has come here."""

    @abstractmethod
    def release(self, how: Qt.KeyboardModifier) -> None:
        """The button was released, after a drag."""

    @abstractmethod
    def click(self, how: Qt.KeyboardModifier) -> bool:
        """The button was released where it was pressed. Returns whether that was all; else it is a click on a disc."""

    def paint(self, painter: QPainter, dark: bool) -> None:
        """Draw what is being done over the picture."""
        return


class Ground(Protocol):
    """The picture that a tool is used in; see `DiscCanvas`."""

    scene: Scene

    @property
    def camera(self) -> Camera:
        """In widget pixels."""
        ...

    def disc_at(self, x: float, y: float) -> int | None:
        """The disc at a widget pixel."""
        ...

    def tell_region(self, outline: QPolygonF, how: Qt.KeyboardModifier) -> None:
        """A region was drawn."""
        ...


class Tool(ABC):
    """What the left button does instead of moving the picture."""

    cursor = Qt.CursorShape.CrossCursor

    @abstractmethod
    def begin(self, canvas: Ground, at: QPointF, how: Qt.KeyboardModifier) -> Gesture:
        """The button was pressed."""

    def hover(self, canvas: Ground, at: QPointF, how: Qt.KeyboardModifier) -> None:
        """The mouse has come here without a button."""
        return


class RegionTool(Tool):
    """Draws a box or a lasso, which `DiscCanvas.region_drawn` tells of."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    def begin(self, canvas: Ground, at: QPointF, how: Qt.KeyboardModifier) -> Region:
        """Begin a region where the button was pressed."""
        return Region(self.shape, at, canvas.tell_region)


class Region(Gesture):
    """A region that is being drawn, in widget pixels.

    Parameters
    ----------
    shape : a box between the first and the last point, or a lasso through all.
    start : where the mouse button was pressed.
    drawn(outline, modifiers) : called when it is complete.
    """

    def __init__(self, shape: Shape, start: QPointF, drawn: Callable[[QPolygonF, Qt.KeyboardModifier], object]) -> None:
        self.shape = shape
        self._points = [start]
        self._drawn = drawn

    def release(self, how: Qt.KeyboardModifier) -> None:
        """Tell the region that was drawn."""
        self._drawn(self.outline, how)

    def click(self, how: Qt.KeyboardModifier) -> bool:
        """Not handled: a region without size is no region, and the click is one on a disc."""
        return False

    def move(self, point: QPointF) -> None:
        """Draw the region up to here."""
        if self.shape == "box":
            self._points[1:] = [point]
        elif (point - self._points[-1]).manhattanLength() >= _NEAR:
            self._points.append(point)

    @property
    def outline(self) -> QPolygonF:
        """The edge of the region."""
        if self.shape == "box":
            return QPolygonF(QRectF(self._points[0], self._points[-1]).normalized())
        return QPolygonF(self._points)

    def paint(self, painter: QPainter, dark: bool) -> None:
        """Draw it over the picture."""
        ink = QColor("#ffffff" if dark else "#101317")
        face = QColor(ink)
        face.setAlphaF(0.10)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(face)
        painter.setPen(QPen(ink, 1.25, Qt.PenStyle.DashLine))
        painter.drawPolygon(self.outline)


def discs_within(outline: QPolygonF, scene: Scene, camera: Camera) -> NDArray[np.bool_]:
    """The discs whose centres lie inside of an outline in widget pixels, (N,) bool.

    The outline is filled in an image, in which the pixel of each centre is looked up: the time does not depend on how
    many corners a lasso has.
    """
    width, height = max(1, int(camera.width)), max(1, int(camera.height))
    image = QImage(width, height, QImage.Format.Format_RGBA8888_Premultiplied)
    image.fill(0)
    with QPainter(image) as painter:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(255, 255, 255))
        painter.drawPolygon(outline, Qt.FillRule.WindingFill)
    filled = pixels_of(image)[:, :, 3] > 0
    at = to_pixels(scene.positions, camera)
    seen = (at[:, 0] >= 0.0) & (at[:, 0] < width) & (at[:, 1] >= 0.0) & (at[:, 1] < height)
    found = np.flatnonzero(seen)  # hidden discs are NaN, and nowhere
    column, row = at[found].astype(np.int64).T
    inside = np.zeros(scene.count, bool)
    inside[found] = filled[row, column]
    return inside
