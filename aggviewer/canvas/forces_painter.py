"""Paints the force network: lines as wide as the forces, rattlers as rings, and their legend."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QLineF, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QImage, QPaintEngine, QPainter, QPen

from aggviewer.canvas import colors, force_kernels, warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.forces import Forces, half_widths
from aggviewer.canvas.marks_view import in_view
from aggviewer.canvas.qt_images import pixels_of
from aggviewer.canvas.raster import box_pixels
from aggviewer.canvas.scene import Scene
from aggviewer.session.view import ViewModel

Floats = NDArray[np.float64]

SAMPLES = (0.5, 1.0, 2.0, 4.0)
"""Forces over the mean force in the legend."""

_LINE_ON_DARK, _LINE_ON_LIGHT = "#ffb765", "#9a3412"
_EXTRA_ON_DARK, _EXTRA_ON_LIGHT = "#6cc7ff", "#1257c4"
_RATTLER_ON_DARK, _RATTLER_ON_LIGHT = "#8b95a3", "#7b8592"
_LEAST_DISC = 4.0  # pixels across a mean disc: below it lines and rings cannot be told apart
_RING = 0.14  # of a disc's radius, width of the ring of a rattler
_RING_PIXELS = (1.0, 2.5)
_MOST = 60_000  # lines, and rings, at once
_BAND_PIXELS = 4_000_000  # painted at once in a large picture
_STEPS = 16  # of the width, where lines are vectors


class ForcesPainter:
    """Paints onto any QPainter whose unit is the widget pixel of the camera: pixels by kernels, vectors by Qt."""

    def __init__(self, view: ViewModel) -> None:
        self._view = view

    @property
    def line_color(self) -> QColor:
        """Of the contacts, on the background of the view."""
        return QColor(_LINE_ON_DARK if self._view.dark else _LINE_ON_LIGHT)

    @property
    def extra_color(self) -> QColor:
        """Of the contacts with a self-stress of their own."""
        return QColor(_EXTRA_ON_DARK if self._view.dark else _EXTRA_ON_LIGHT)

    @property
    def rattler_color(self) -> QColor:
        """Of the rings."""
        return QColor(_RATTLER_ON_DARK if self._view.dark else _RATTLER_ON_LIGHT)

    @staticmethod
    def drawn(scene: Scene, camera: Camera) -> bool:
        """Whether discs are large enough for it at this zoom."""
        return 2.0 * scene.mean_radius * camera.scale >= _LEAST_DISC

    def paint(self, painter: QPainter, forces: Forces, scene: Scene, camera: Camera) -> None:
        """All that is in view, cut at walls; what crosses a periodic edge is cut there and goes on at the opposite."""
        if not self.drawn(scene, camera):
            return
        half = half_widths(forces.strength, scene.mean_radius)
        widest = float(half.max(initial=0.0)) * camera.scale
        lines, which = in_view(forces.segments, scene, camera, widest + 1.0, _MOST)
        lines, half = lines.reshape(-1, 4), half[which] * camera.scale
        extra = np.isin(which, forces.extra)
        at = scene.positions[forces.rattlers]
        radii = scene.radii[forces.rattlers]
        reach = float(radii.max(initial=0.0)) * camera.scale + 1.0
        spots, which = in_view(np.stack([at, at], axis=1), scene, camera, reach, _MOST)
        points, radii = spots[:, 0], radii[which] * camera.scale
        engine = painter.paintEngine()
        if engine is not None and engine.type() == QPaintEngine.Type.Raster and warmup.ready():
            self._as_pixels(painter, scene, camera, lines, half, extra, points, radii)
        else:
            self._as_vectors(painter, scene, camera, lines, half, extra, points, radii)

    # as pixels

    def _as_pixels(
        self,
        painter: QPainter,
        scene: Scene,
        camera: Camera,
        lines: Floats,
        half: Floats,
        extra: NDArray[np.bool_],
        points: Floats,
        radii: Floats,
    ) -> None:
        ratio = painter.deviceTransform().m11()
        fine = camera.magnified(ratio)
        width, height = ceil(fine.width), ceil(fine.height)
        left, top, right, bottom = box_pixels(scene, fine.resized(width, height))
        ring, ground = _rgb(self.rattler_color), _rgb(self._inside_rattlers(scene))
        inks = [_rgb(color) for color in (self.line_color, self.extra_color)]
        lines, half, points, radii = (np.ascontiguousarray(part * ratio) for part in (lines, half, points, radii))
        parts = [(ink, lines[chosen], half[chosen]) for ink, chosen in zip(inks, (~extra, extra), strict=True)]
        rim = self._ring(scene, camera) * ratio
        rows = max(1, min(height, _BAND_PIXELS // max(width, 1)))
        for first in range(0, height, rows):
            band = QImage(width, min(rows, height - first), QImage.Format.Format_RGBA8888_Premultiplied)
            band.fill(0)
            clip = np.array([left, max(top - first, 0), right, min(bottom - first, band.height())])
            image = pixels_of(band)
            shift = np.array([0.0, float(first)])
            force_kernels.paint_rings(points - shift, radii, rim, ground, ring, clip, image)
            for ink, own, widths in parts:
                force_kernels.paint_lines(own - np.tile(shift, 2), widths, ink, clip, image)
            band.setDevicePixelRatio(ratio)
            painter.drawImage(QPointF(0.0, first / ratio), band)

    # as vectors

    def _as_vectors(
        self,
        painter: QPainter,
        scene: Scene,
        camera: Camera,
        lines: Floats,
        half: Floats,
        extra: NDArray[np.bool_],
        points: Floats,
        radii: Floats,
    ) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, bottom = camera.to_pixel(0.0, 0.0)
        right, top = camera.to_pixel(float(scene.box[0]), float(scene.box[1]))
        painter.setClipRect(QRectF(QPointF(left, top), QPointF(right, bottom)), Qt.ClipOperation.IntersectClip)
        rim = self._ring(scene, camera)
        painter.setPen(QPen(self.rattler_color, rim))
        painter.setBrush(self._inside_rattlers(scene))
        for (x, y), radius in zip(points.tolist(), (radii - rim / 2).tolist(), strict=True):
            painter.drawEllipse(QPointF(x, y), radius, radius)
        widest = float(half.max(initial=0.0))
        step = np.ceil(half / max(widest, 1e-300) * _STEPS).astype(int)
        for color, chosen in ((self.line_color, ~extra), (self.extra_color, extra)):
            for which in np.unique(step[chosen]):
                width = 2.0 * widest * (which - 0.5) / _STEPS
                painter.setPen(QPen(color, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
                painter.drawLines(*(QLineF(*four) for four in lines[chosen & (step == which)].tolist()))
        painter.restore()

    def _inside_rattlers(self, scene: Scene) -> QColor:
        """Rattlers are hollow, unless the colours tell of classes of discs and all rattlers are of the same one."""
        if scene.coloring.classes and scene.forces is not None:
            classes = np.unique(scene.scalar[scene.forces.rattlers])
            if len(classes) == 1:
                red, green, blue, _alpha = colors.color_of(float(classes[0]), scene, self._view)
                return QColor(red, green, blue)
        return QColor(*self._view.background_rgb)

    @staticmethod
    def _ring(scene: Scene, camera: Camera) -> float:
        """Width of the ring of a rattler in pixels."""
        return min(max(_RING * scene.mean_radius * camera.scale, _RING_PIXELS[0]), _RING_PIXELS[1])

    # legend

    def paint_line_sample(self, painter: QPainter, strength: float, scene: Scene, camera: Camera, rect: QRectF) -> None:
        """A line as wide as one of such a force over the mean; all of them less where the widest would leave `rect`."""
        widths = 2.0 * camera.scale * half_widths(np.array([strength, SAMPLES[-1]]), scene.mean_radius)
        width = float(widths[0] * min(1.0, rect.height() / max(widths[1], 1e-300)))
        color = self.line_color
        color.setAlphaF(min(width, 1.0))
        painter.setPen(QPen(color, max(width, 1.0), Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(QLineF(rect.left(), rect.center().y(), rect.right(), rect.center().y()))

    def paint_extra_sample(self, painter: QPainter, rect: QRectF) -> None:
        """A line of a contact with a self-stress of its own, across `rect`."""
        painter.setPen(QPen(self.extra_color, 2.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLine(QLineF(rect.left(), rect.center().y(), rect.right(), rect.center().y()))

    def paint_rattler_sample(self, painter: QPainter, scene: Scene, rect: QRectF) -> None:
        """A rattler in the middle of `rect`."""
        painter.setPen(QPen(self.rattler_color, 1.5))
        painter.setBrush(self._inside_rattlers(scene))
        radius = rect.height() / 2 - 0.75
        painter.drawEllipse(rect.center(), radius, radius)


def _rgb(color: QColor) -> Floats:
    return np.array([color.red(), color.green(), color.blue()], np.float64)
