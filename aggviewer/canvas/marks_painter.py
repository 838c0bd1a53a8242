"""Paints marks with QPainter, in the window and in snapshots alike."""

from __future__ import annotations

from math import acos, atan2, degrees, hypot

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QLineF, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.in_view import in_view, pair_segments
from aggviewer.canvas.layers.steps import Arrows, Flashes, Lines, MarkRole, Marks, Overlaps
from aggviewer.canvas.scene import Scene
from aggviewer.session.view import ViewModel

Floats = NDArray[np.float64]

_ON_DARK: dict[MarkRole, str] = {
    "overlap": "#ff3b30",
    "link": "#e4e7ec",
    "new_link": "#ff9a5c",
    "velocity": "#ffffff",
    "velocity_before": "#a9b1bc",
}
_ON_LIGHT: dict[MarkRole, str] = {
    "overlap": "#d60f0f",
    "link": "#22272e",
    "new_link": "#d55e00",
    "velocity": "#101317",
    "velocity_before": "#5b6470",
}
_WIDTHS: dict[MarkRole, float] = {  # pixels on discs of 24 pixels and more, less on smaller ones
    "overlap": 2.0,
    "link": 1.25,
    "new_link": 3.0,
    "velocity": 2.25,
    "velocity_before": 1.75,
}
_LINK_ALPHA = 0.55
_LEAST_DISC: dict[MarkRole, float] = {  # pixels across a disc; below it the many old links would cover the discs
    "overlap": 0.0,
    "link": 6.0,
    "new_link": 2.0,
    "velocity": 6.0,
    "velocity_before": 6.0,
}
_LEAST_DISC_HALO = 20.0  # below it the halos of old links would cover the discs
_LEAST_RING = 5.0  # pixels, radius of the red rings: from afar they show where to look
_FLASH_ON_DARK, _FLASH_ON_LIGHT = "#ffffff", "#101317"
_FLASH = (0.3, 0.8)  # of the smaller disc's radius: the ring of a flash at the moment itself, and when it is gone
_FLASH_PIXELS = 3.0  # at least
_FLASH_STEPS = 8  # of its strength
_NAMED_ON_DARK, _NAMED_ON_LIGHT = "#ffb000", "#a34700"
_NAMED = 2.5  # pixels, width of the rings around discs that something is said of
_LEAST_NAMED = 6.0  # pixels, their least radius: from afar they show where to look
_MOST_NUMBERED = 12  # discs whose numbers stand beside them
_HEAD = 9.0  # pixels, length of an arrow's head
_SHORTEST = 6.0  # pixels; below it an arrow is a blot


class MarksPainter:
    """Paints onto any QPainter whose unit is the widget pixel of the camera."""

    def __init__(self, view: ViewModel) -> None:
        self._view = view

    def color(self, role: MarkRole, alpha: float = 1.0) -> QColor:
        """The colour of a role on the background of the view."""
        color = QColor((_ON_DARK if self._view.dark else _ON_LIGHT)[role])
        color.setAlphaF(color.alphaF() * alpha)
        return color

    def _halo(self, alpha: float) -> QColor:
        color = QColor(*self._view.background_rgb)
        color.setAlphaF(0.8 * alpha)
        return color

    @staticmethod
    def roles(marks: Marks, scene: Scene, camera: Camera) -> list[MarkRole]:
        """The roles that are drawn at this zoom, in the order of the legend."""
        diameter = 2.0 * scene.mean_radius * camera.scale
        return [role for role in marks.roles if diameter >= _LEAST_DISC[role]]

    def paint(self, painter: QPainter, marks: Marks, scene: Scene, camera: Camera) -> None:
        """All that is in view. Marks that cross a periodic edge are cut there and go on at the opposite one."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if scene.periodic:
            left, bottom = camera.to_pixel(0.0, 0.0)
            right, top = camera.to_pixel(float(scene.box[0]), float(scene.box[1]))
            painter.setClipRect(QRectF(QPointF(left, top), QPointF(right, bottom)), Qt.ClipOperation.IntersectClip)
        diameter = 2.0 * scene.mean_radius * camera.scale
        for lines in marks.lines:
            if diameter >= _LEAST_DISC[lines.role]:
                self._lines(painter, lines, scene, camera, diameter)
        if marks.overlaps is not None and len(marks.overlaps.pairs):
            self._overlaps(painter, marks.overlaps, scene, camera)
        for arrows in marks.arrows:
            if diameter >= _LEAST_DISC[arrows.role]:
                self._arrows(painter, arrows, scene, camera, diameter)
        painter.restore()

    def paint_flashes(self, painter: QPainter, flashes: Flashes, scene: Scene, camera: Camera) -> None:
        """A spot where two discs have met, and a ring around it that widens, both fading."""
        largest = max(float(flashes.radii.max(initial=0.0)) * camera.scale * _FLASH[1], 2.0 * _FLASH_PIXELS)
        at = np.stack([flashes.points, flashes.points], axis=1)
        spots, index = in_view(at, scene, camera, largest)
        ink = QColor(_FLASH_ON_DARK if self._view.dark else _FLASH_ON_LIGHT)
        halo = self._halo(1.0)
        step = np.ceil(flashes.strength[index] * _FLASH_STEPS).astype(int)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for strength in np.unique(step):
            left = strength / _FLASH_STEPS
            grown = _FLASH[0] + (_FLASH[1] - _FLASH[0]) * (1.0 - left)
            here = np.flatnonzero(step == strength)
            radii = np.maximum(flashes.radii[index[here]] * camera.scale * grown, _FLASH_PIXELS * (1.0 + (1.0 - left)))
            circles = list(zip(_points(spots[here, 0]), radii.tolist(), strict=True))
            ink.setAlphaF(float(left))
            halo.setAlphaF(0.6 * float(left))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for pen in (QPen(halo, 3.5), QPen(ink, 1.75)):
                painter.setPen(pen)
                for middle, radius in circles:
                    painter.drawEllipse(middle, radius, radius)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink)
            for middle, radius in circles:
                painter.drawEllipse(middle, 0.45 * radius, 0.45 * radius)
        painter.restore()

    def paint_named(self, painter: QPainter, discs: NDArray[np.int32], scene: Scene, camera: Camera) -> None:
        """Rings around the discs (k,) that something is said of, with their numbers while they are few."""
        at = scene.positions[discs]
        radii = np.maximum(scene.radii[discs] * camera.scale, _LEAST_NAMED)
        spots, index = in_view(np.stack([at, at], axis=1), scene, camera, float(radii.max(initial=0.0)) + 2 * _NAMED)
        circles = list(zip(_points(spots[:, 0]), radii[index].tolist(), discs[index].tolist(), strict=True))
        ink = QColor(_NAMED_ON_DARK if self._view.dark else _NAMED_ON_LIGHT)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in (QPen(self._halo(1.0), _NAMED + 2.0), QPen(ink, _NAMED)):
            painter.setPen(pen)
            for middle, radius, _ in circles:
                painter.drawEllipse(middle, radius + _NAMED, radius + _NAMED)
        taken: list[QRectF] = []
        for middle, radius, disc in circles if len(discs) <= _MOST_NUMBERED else []:
            path = number_beside(middle, radius, painter.font(), disc, taken)
            taken.append(path.boundingRect())
            painter.strokePath(path, QPen(self._halo(1.0), 3.0))
            painter.fillPath(path, ink)
        painter.restore()

    def paint_sample(self, painter: QPainter, role: MarkRole, rect: QRectF) -> None:
        """A small one for the legend, in `rect`."""
        middle = rect.center()
        if role == "overlap":
            path = QPainterPath()
            radius = rect.height() / 2
            left, right = (QPointF(middle.x() + side * 0.6 * radius, middle.y()) for side in (-1.0, 1.0))
            add_lens(path, [left.x(), left.y()], radius, [right.x(), right.y()], radius)
            painter.setPen(QPen(self.color(role), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for at in (left, right):
                painter.drawEllipse(at, radius - 0.75, radius - 0.75)
            painter.fillPath(path, self.color(role))
            return
        painter.setPen(_pen(self.color(role, _LINK_ALPHA if role == "link" else 1.0), _WIDTHS[role]))
        lines = [QLineF(rect.left() + 1, middle.y(), rect.right() - 1, middle.y())]
        if role in ("velocity", "velocity_before"):
            tip = QPointF(rect.right() - 1, middle.y())
            lines += [QLineF(tip, QPointF(tip.x() - 5, tip.y() + side)) for side in (-4.0, 4.0)]
        painter.drawLines(*lines)

    def _stroke(self, painter: QPainter, lines: list[QLineF], role: MarkRole, alpha: float, diameter: float) -> None:
        """Lines in the colour of a role, with a halo of the background so that they stand out from any disc."""
        if not lines:
            return
        width = max(0.75, min(_WIDTHS[role], diameter / 8.0))
        if role != "link" or diameter >= _LEAST_DISC_HALO:
            painter.setPen(_pen(self._halo(alpha), width + 2.0))
            painter.drawLines(*lines)
        painter.setPen(_pen(self.color(role, alpha), width))
        painter.drawLines(*lines)

    # lines and arrows

    def _lines(self, painter: QPainter, lines: Lines, scene: Scene, camera: Camera, diameter: float) -> None:
        pixels, _ = in_view(lines.segments, scene, camera)
        alpha = lines.alpha * (_LINK_ALPHA if lines.role == "link" else 1.0)
        self._stroke(painter, _qlines(pixels), lines.role, alpha, diameter)

    def _arrows(self, painter: QPainter, arrows: Arrows, scene: Scene, camera: Camera, diameter: float) -> None:
        pixels, _ = in_view(arrows.segments, scene, camera, _HEAD)
        shaft = pixels[:, 1] - pixels[:, 0]
        length = np.hypot(shaft[:, 0], shaft[:, 1])
        pixels, shaft, length = (part[length >= _SHORTEST] for part in (pixels, shaft, length))
        along = shaft * (np.minimum(_HEAD, 0.45 * length) / length)[:, None]
        across = np.stack([-along[:, 1], along[:, 0]], axis=1)
        tip = pixels[:, 1]
        barbs = [np.stack([tip, tip - along + 0.6 * side * across], axis=1) for side in (-1.0, 1.0)]
        self._stroke(painter, _qlines(np.concatenate([pixels, *barbs])), arrows.role, arrows.alpha, diameter)

    # overlaps

    def _overlaps(self, painter: QPainter, overlaps: Overlaps, scene: Scene, camera: Camera) -> None:
        discs = np.unique(overlaps.pairs)
        radii = scene.radii[discs] * camera.scale
        reach = max(float(radii.max()), _LEAST_RING) + _WIDTHS["overlap"]
        at = scene.positions[discs]
        spots, index = in_view(np.stack([at, at], axis=1), scene, camera, reach)
        circles = list(zip(_points(spots[:, 0]), np.maximum(radii[index], _LEAST_RING).tolist(), strict=True))
        red = self.color("overlap", overlaps.alpha)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        width = _WIDTHS["overlap"]
        pens = [QPen(self._halo(overlaps.alpha), width + 2.0), QPen(red, width)]
        for pen in pens if radii.max() > _LEAST_RING else pens[1:]:  # rings from afar are many, and hide what is below
            painter.setPen(pen)
            for middle, radius in circles:
                painter.drawEllipse(middle, radius - 0.5 * width, radius - 0.5 * width)
        self._lenses(painter, overlaps, scene, camera, reach)

    def _lenses(self, painter: QPainter, overlaps: Overlaps, scene: Scene, camera: Camera, reach: float) -> None:
        """The area that the discs of a pair share."""
        segments = pair_segments(overlaps.pairs, scene.positions, scene.box, scene.periodic)
        pixels, index = in_view(segments, scene, camera, reach)
        radii = scene.radii[overlaps.pairs[index]] * camera.scale
        path = QPainterPath()
        path.setFillRule(Qt.FillRule.WindingFill)
        for (first, second), (r, s) in zip(pixels.tolist(), radii.tolist(), strict=True):
            add_lens(path, first, r, second, s)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.color("overlap", overlaps.alpha))
        painter.drawPath(path)


def number_beside(middle: QPointF, radius: float, font: QFont, number: int, taken: list[QRectF]) -> QPainterPath:
    """The number of a disc in one of the four directions of its corners: the first where it lies over none of `taken`,
    the numbers that are there already; the first of all where there is no room."""
    text = QPainterPath()
    text.addText(QPointF(0.0, 0.0), font, str(number))
    size = text.boundingRect()
    away, gap = 0.75 * radius + _NAMED, _NAMED
    for up in (True, False):
        for right in (True, False):
            x = middle.x() + away + gap if right else middle.x() - away - gap - size.right()
            y = middle.y() - away if up else middle.y() + away - size.top()
            path = text.translated(x, y)
            room = path.boundingRect().adjusted(-2 * gap, -gap, 2 * gap, gap)
            if not any(room.intersects(other) for other in taken):
                return path
    return text.translated(middle.x() + away + gap, middle.y() - away)


def add_lens(path: QPainterPath, first: list[float], r: float, second: list[float], s: float) -> None:
    """Add what two circles share: nothing where they are apart, the smaller one where it lies in the other."""
    dx, dy = second[0] - first[0], second[1] - first[1]
    distance = hypot(dx, dy)
    if distance >= r + s:
        return
    if distance <= abs(r - s):
        middle, radius = (first, r) if r < s else (second, s)
        path.addEllipse(QPointF(*middle), radius, radius)
        return
    towards = -degrees(atan2(dy, dx))  # Qt counts angles against the clock, y down
    a = degrees(acos(_cosine((distance**2 + r * r - s * s) / (2.0 * distance * r))))
    b = degrees(acos(_cosine((distance**2 + s * s - r * r) / (2.0 * distance * s))))
    of_first = QRectF(first[0] - r, first[1] - r, 2.0 * r, 2.0 * r)
    of_second = QRectF(second[0] - s, second[1] - s, 2.0 * s, 2.0 * s)
    path.arcMoveTo(of_first, towards - a)
    path.arcTo(of_first, towards - a, 2.0 * a)
    path.arcTo(of_second, towards + 180.0 - b, 2.0 * b)
    path.closeSubpath()


def _cosine(value: float) -> float:
    return min(max(value, -1.0), 1.0)


def _pen(color: QColor, width: float) -> QPen:
    return QPen(color, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)


def _qlines(pixels: Floats) -> list[QLineF]:
    return [QLineF(*four) for four in pixels.reshape(-1, 4).tolist()]


def _points(pixels: Floats) -> list[QPointF]:
    return [QPointF(x, y) for x, y in pixels.tolist()]
