"""What a person draws into the picture to select discs: a box or a lasso."""

from __future__ import annotations

from typing import Literal

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


class Region:
    """A region that is being drawn, in widget pixels.

    Parameters
    ----------
    shape : a box between the first and the last point, or a lasso through all.
    start : where the mouse button was pressed.
    """

    def __init__(self, shape: Shape, start: QPointF) -> None:
        self.shape = shape
        self._points = [start]

    def add(self, point: QPointF) -> None:
        """The mouse has come here."""
        if self.shape == "box":
            self._points[1:] = [point]
        elif (point - self._points[-1]).manhattanLength() >= _NEAR:
            self._points.append(point)

    @property
    def outline(self) -> QPolygonF:
        """Its edge."""
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
    seen = (at[:, 0] >= 0.0) & (at[:, 0] < width) & (at[:, 1] >= 0.0) & (at[:, 1] < height - camera.below)
    found = np.flatnonzero(seen)  # hidden discs are NaN, and nowhere
    column, row = at[found].astype(np.int64).T
    inside = np.zeros(scene.count, bool)
    inside[found] = filled[row, column]
    return inside
