"""Paints the primitives of layers onto any QPainter: as pixels in window, pictures and films, as vectors in SVG and
PDF.

What crosses a periodic edge of the box is cut there and continues at the opposite edge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from math import acos, atan2, ceil, degrees, hypot

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PyQt6.QtGui import QColor, QFont, QImage, QPaintEngine, QPainter, QPainterPath, QPen, QPolygonF

from aggviewer.canvas import light, warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.depths import Depths
from aggviewer.canvas.in_view import MOST, box_pixels, in_view, to_pixels, touches
from aggviewer.canvas.layers.outlines import (
    FEW_OUTLINES,
    MANY_RIMS,
    PARTS,
    OutlineLook,
    draw_rings,
    outline_look,
)
from aggviewer.canvas.layers.primitives import (
    Arrows,
    Bars,
    Circles,
    Color,
    Heat,
    Labels,
    Lenses,
    Lines,
    Outlines,
    Polygons,
    Primitive,
    Rings,
    Stroke,
)
from aggviewer.canvas.qt_images import pixels_of
from aggviewer.canvas.scene import Scene
from engine.plotting.projection import WHOLE, Pose

Floats = NDArray[np.float64]

_MOST_BARS = 60_000  # most bars and rings
_BAND_PIXELS = 4_000_000  # painted at once in a large picture
_MANY_LINES = 400  # number of lines from which kernels are faster than Qt
_MANY_POLYGONS = 100  # the same for polygons
_STEPS = 16  # of the width, where bars are vectors
_LABEL_GAP = 2.5  # pixels between a circle and its label
_LABEL_HALO = 3.0
_PLATE = 3.0  # pixels of a plate around its words


def qcolor(color: Color) -> QColor:
    """A colour as one of Qt's."""
    found = QColor(color.red, color.green, color.blue)
    found.setAlphaF(color.alpha)
    return found


def round_pen(color: QColor, width: float) -> QPen:
    """A pen with round ends and corners."""
    return QPen(color, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)


class PrimitivePainter:
    """Paints onto a QPainter whose unit is the widget pixel of the camera."""

    def __init__(self, painter: QPainter, scene: Scene, camera: Camera, share: float = 1.0) -> None:
        """share : of their radii with which spheres are drawn (`Scene.drawn_share`)."""
        self._painter = painter
        self._scene = scene
        self._camera = camera
        self._share = share
        self._depths = Depths(scene, camera, share, compiled=warmup.ready())
        self._sheet: _Sheet | None = None  # lines that have not been painted yet

    def paint(self, primitives: Iterable[Primitive], *, cut: bool) -> None:
        """Paint everything in view, in this order. cut : clip lines and marks at the edges of a periodic box, but not
        text."""
        painter = self._painter
        ways: dict[type, Callable[..., None]] = {
            Lines: self._lines,
            Arrows: self._arrows,
            Circles: self._circles,
            Lenses: self._lenses,
            Labels: self._labels,
            Bars: self._bars,
            Rings: self._rings,
            Polygons: self._polygons,
            Heat: self._heat,
            Outlines: self._outlines,
        }
        for together in _runs(primitives):
            painter.save()
            try:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                if self._as_pixels(together):
                    self._by_kernels(together)
                else:
                    cut_here = cut and self._scene.wraps and not isinstance(together[0], Labels)
                    if cut_here or isinstance(together[0], Bars | Rings):
                        self._clip()
                    for primitive in together:
                        if not isinstance(primitive, Lines | Arrows | Polygons):
                            self._lay_down()
                        ways[type(primitive)](primitive)
                    self._lay_down()
            finally:  # primitives of a plug-in may have invalid shapes
                self._sheet = None
                painter.restore()

    @contextmanager
    def faded(self, opacity: float) -> Iterator[None]:
        """Within the context, paint with this opacity, 0…1."""
        before = self._painter.opacity()
        self._painter.setOpacity(before * opacity)
        try:
            yield
        finally:
            self._painter.setOpacity(before)

    def _clip(self) -> None:
        """Clip at the edges of the box; in space lines end there by themselves."""
        if self._camera.pose is not None:
            return
        left, bottom = self._camera.to_pixel(0.0, 0.0)
        right, top = self._camera.to_pixel(float(self._scene.box[0]), float(self._scene.box[1]))
        rect = QRectF(QPointF(left, top), QPointF(right, bottom))
        self._painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)

    @property
    def _hides(self) -> bool:
        """Whether spheres hide what is behind them; not before the kernels are ready."""
        return self._camera.pose is not None and warmup.ready()

    def _points_in_view(self, points: Floats, margin: float, most: int = MOST) -> tuple[Floats, NDArray[np.int64]]:
        found, which = in_view(np.stack([points, points], axis=1), self._scene, self._camera, margin, most)
        return found[:, 0], which

    # lines and arrows

    def _lines(self, lines: Lines) -> None:
        self._stroke(self._segments_in_view(lines.segments, in_front=lines.in_front)[0], lines.strokes)

    def _segments_in_view(
        self, segments: Floats, margin: float = 0.0, *, in_front: bool = False
    ) -> tuple[Floats, Floats]:
        """The pixels (K, 2, 2) of segments, and in space only of their parts that no sphere hides, unless they lie in
        front; and the pixels of those whose ends are seen."""
        pixels, index = in_view(segments, self._scene, self._camera, margin)
        if in_front or not self._hides:
            return pixels, pixels
        inside = segments[index]
        parts, _ = self._depths.visible(inside)
        return to_pixels(parts, self._camera), pixels[~self._depths.hidden(inside[:, 1])]

    def _arrows(self, arrows: Arrows) -> None:
        parts, pixels = self._segments_in_view(arrows.segments, arrows.head)
        shaft = pixels[:, 1] - pixels[:, 0]
        length = np.hypot(shaft[:, 0], shaft[:, 1])
        pixels, shaft, length = (part[length >= arrows.shortest] for part in (pixels, shaft, length))
        along = shaft * (np.minimum(arrows.head, 0.45 * length) / length)[:, None]
        across = np.stack([-along[:, 1], along[:, 0]], axis=1)
        tip = pixels[:, 1]
        barbs = [np.stack([tip, tip - along + 0.6 * side * across], axis=1) for side in (-1.0, 1.0)]
        self._stroke(np.concatenate([parts if self._hides else pixels, *barbs]), arrows.strokes)

    def _stroke(self, pixels: Floats, strokes: Sequence[Stroke]) -> None:
        """Paint lines (K, 2, 2) in pixels. Very many are painted by kernels if possible: Qt takes about ten
        microseconds for each, during which all other threads wait."""
        if len(pixels) > _MANY_LINES and self._paints_pixels():
            self._sheet = self._sheet or _Sheet(self._camera, self._painter.deviceTransform().m11())
            for stroke in strokes:
                self._sheet.paint(pixels, stroke)
            return
        self._lay_down()
        lines = [QLineF(*four) for four in pixels.reshape(-1, 4).tolist()]
        for stroke in strokes if lines else ():
            self._painter.setPen(round_pen(qcolor(stroke.color), stroke.width))
            self._painter.drawLines(*lines)

    def _lay_down(self) -> None:
        """Paint the lines collected in the sheet."""
        sheet, self._sheet = self._sheet, None
        if sheet is not None:
            self._painter.drawImage(QPointF(0.0, 0.0), sheet.image)

    # shapes and maps

    def _polygons(self, polygons: Polygons) -> None:
        """Draw the visible polygons and, in a periodic box, their copies at the opposite edges."""
        seen, shift = self._polygons_in_view(polygons)
        length = np.diff(polygons.start)[seen]
        start = np.concatenate([[0], np.cumsum(length)])
        corner = np.arange(start[-1]) - np.repeat(start[:-1] - polygons.start[seen], length)
        points = to_pixels(polygons.points[corner] + np.repeat(shift, length, axis=0), self._camera)
        which = polygons.which[seen]
        opaque = all(color.alpha >= 1.0 for color in polygons.edges)
        if len(seen) > _MANY_POLYGONS and opaque and self._paints_pixels():
            self._sheet = self._sheet or _Sheet(self._camera, self._painter.deviceTransform().m11())
            self._sheet.paint_polygons(points, start, which, polygons)
            return
        self._lay_down()
        for k, look in enumerate(which.tolist()):
            self._painter.setPen(round_pen(qcolor(polygons.edges[look]), polygons.width))
            self._painter.setBrush(qcolor(polygons.fills[look]))
            self._painter.drawPolygon(QPolygonF(_qpoints(points[start[k] : start[k + 1]])))

    def _polygons_in_view(self, polygons: Polygons) -> tuple[NDArray[np.int64], Floats]:
        """The numbers (K,) of the visible polygons, including periodic copies, and the offset of each copy (K, 2)."""
        box, begins = self._scene.box, polygons.start[:-1]
        if not len(begins):
            return np.zeros(0, np.int64), np.zeros((0, 2))
        low = np.minimum.reduceat(polygons.points, begins, axis=0)
        high = np.maximum.reduceat(polygons.points, begins, axis=0)
        numbers = [np.arange(len(begins))]
        shifts = [np.zeros((len(begins), 2))]
        if self._scene.periodic:
            first, last = -np.floor(high / box).astype(int), -np.floor(low / box).astype(int)
            away = np.flatnonzero(first.any(axis=1) | last.any(axis=1))  # few, since most lie inside the box
            least, most = first[away].min(axis=0, initial=0).tolist(), last[away].max(axis=0, initial=0).tolist()
            inside = np.ones(len(begins), np.bool_)
            inside[away] = ((first[away] <= 0) & (last[away] >= 0)).all(axis=1)
            numbers, shifts = [numbers[0][inside]], [shifts[0][inside]]
            for across in range(least[0], most[0] + 1):
                for up in range(least[1], most[1] + 1):
                    if (across, up) != (0, 0):
                        copies = away[((first[away] <= (across, up)) & (last[away] >= (across, up))).all(axis=1)]
                        numbers.append(copies)
                        shifts.append(np.tile(np.array([across, up]) * box, (len(copies), 1)))
        number, shift = np.concatenate(numbers), np.concatenate(shifts)
        corners = np.stack([low[number] + shift, high[number] + shift], axis=1)
        seen = np.flatnonzero(touches(to_pixels(corners, self._camera), self._camera, polygons.width))[:MOST]
        return number[seen], shift[seen]

    def _heat(self, heat: Heat) -> None:
        """Draw an image stretched over the box; only the visible part is made. It has a margin around the box, taken
        from the opposite edge if the box is periodic, so that it is smooth there."""
        self._clip()
        mode = "wrap" if self._scene.periodic else "edge"
        entries = np.pad(heat.entries, 1, mode=mode)  # type: ignore[call-overload]
        rows, columns = entries.shape
        cell = self._scene.box / (columns - 2, rows - 2)
        left, bottom, width, height = self._camera.rect
        # cells of the margin have number 0; one more on each side for interpolation
        ends = np.array([[left, bottom], [left + width, bottom + height]])
        first, last = np.floor(ends / cell).astype(int)
        first_column, first_row = np.clip(first - 1, 0, (columns - 2, rows - 2)).tolist()
        end_column, end_row = np.clip(last + 4, 2, (columns, rows)).tolist()
        seen = np.ascontiguousarray(heat.table[entries[first_row:end_row, first_column:end_column][::-1]])
        image = QImage(seen.tobytes(), seen.shape[1], seen.shape[0], 4 * seen.shape[1], QImage.Format.Format_RGBA8888)
        x, y = self._camera.to_pixel(float((first_column - 1) * cell[0]), float((end_row - 1) * cell[1]))
        size = QSizeF(seen.shape[1] * float(cell[0]), seen.shape[0] * float(cell[1])) * self._camera.scale
        painter = self._painter
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(QPointF(x, y), size), image)

    # circles

    def _circles(self, circles: Circles) -> None:
        spots, index = self._points_in_view(circles.points, circles.reach)
        if self._hides and not circles.in_front:  # a contact is on a surface
            seen = ~self._depths.hidden(circles.points[index], self._scene.mean_radius)
            spots, index = spots[seen], index[seen]
        radii = circles.radii[index]
        which = np.zeros(len(index), np.int64) if circles.which is None else circles.which[index]
        painter = self._painter
        for number in np.unique(which):
            look, here = circles.looks[number], np.flatnonzero(which == number)
            found = list(zip(_qpoints(spots[here]), radii[here].tolist(), strict=True))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for stroke in look.strokes:
                painter.setPen(QPen(qcolor(stroke.color), stroke.width))
                for middle, radius in found:
                    painter.drawEllipse(middle, radius, radius)
            if look.fill is not None:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(qcolor(look.fill))
                for middle, radius in found:
                    painter.drawEllipse(middle, look.filled * radius, look.filled * radius)

    def _lenses(self, lenses: Lenses) -> None:
        pixels, index = in_view(lenses.segments, self._scene, self._camera, lenses.reach)
        path = QPainterPath()
        path.setFillRule(Qt.FillRule.WindingFill)
        for (first, second), (r, s) in zip(pixels.tolist(), lenses.radii[index].tolist(), strict=True):
            add_lens(path, first, r, second, s)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(qcolor(lenses.fill))
        self._painter.drawPath(path)

    def _labels(self, labels: Labels) -> None:
        painter = self._painter
        spots, index = self._points_in_view(labels.points, labels.reach)
        if labels.plate:  # originals without copies
            index, first = np.unique(index, return_index=True)
            spots = spots[first]
        taken: list[QRectF] = []
        for middle, number in zip(_qpoints(spots), index.tolist(), strict=True):
            path = label_beside(middle, float(labels.radii[number]), painter.font(), labels.texts[number], taken)
            if labels.plate:
                rect = path.boundingRect().adjusted(-_PLATE, -_PLATE, _PLATE, _PLATE)
                right, bottom = self._camera.width, self._camera.height
                x = min(max(0.0, -rect.left()), max(right - rect.right(), -rect.left()))
                y = min(max(0.0, -rect.top()), max(bottom - rect.bottom(), -rect.top()))
                path.translate(x, y)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(qcolor(labels.halo))
                painter.drawRoundedRect(rect.translated(x, y), _PLATE, _PLATE)
            taken.append(path.boundingRect())
            painter.strokePath(path, QPen(qcolor(labels.halo), _LABEL_HALO))
            painter.fillPath(path, qcolor(labels.color))

    # rings of selected discs: few by Qt, many as pixels by a kernel

    def _outlines(self, outlines: Outlines) -> None:
        camera, scene = self._camera, self._scene
        left, top, right, bottom = clip = box_pixels(scene, camera)
        engine = self._painter.paintEngine()
        raster = engine is not None and engine.type() == QPaintEngine.Type.Raster
        if camera.pose is not None:
            self._outlines_of_spheres(outlines, (right - left) * (bottom - top))
            return
        if not (raster and warmup.ready()):
            self._few_outlines(outlines, outline_look(len(outlines.discs), (right - left) * (bottom - top)))
            return
        from aggviewer.canvas.kernels import mark_kernels  # brings numba

        where = np.array([camera.x, camera.y, camera.scale, camera.width / 2, camera.height / 2])
        count = mark_kernels.count_marks(scene.positions, scene.radii, outlines.discs, where, np.array(clip))
        look = outline_look(count, (right - left) * (bottom - top))
        if count <= FEW_OUTLINES:
            self._few_outlines(outlines, look)
        else:
            self._many_outlines(outlines, look)

    def _few_outlines(self, outlines: Outlines, look: OutlineLook) -> None:
        scene, discs = self._scene, outlines.discs
        radii = look.around(scene.radii[discs] * self._camera.scale)
        reach = float(radii.max(initial=0.0)) + look.width + look.halo
        spots, which = self._points_in_view(scene.positions[discs], reach, _MOST_BARS)
        draw_rings(self._painter, *_inks(outlines), look, spots, radii[which], np.ones((len(which), 1), np.bool_))

    def _outlines_of_spheres(self, outlines: Outlines, area: float) -> None:
        """Rings around what is seen of spheres: not where another one hides their outline."""
        spots, radii, seen = self._depths.rims(outlines.discs, PARTS if len(outlines.discs) <= MANY_RIMS else 1)
        look = outline_look(int(np.count_nonzero(seen.any(axis=1))), area)
        most = slice(-_MOST_BARS, None)  # those in front
        draw_rings(self._painter, *_inks(outlines), look, spots[most], look.around(radii[most]), seen[most])

    def _many_outlines(self, outlines: Outlines, look: OutlineLook) -> None:
        from aggviewer.canvas.kernels import mark_kernels

        scene, ratio = self._scene, self._painter.deviceTransform().m11()
        fine = self._camera.magnified(ratio)
        width, height = ceil(fine.width), ceil(fine.height)
        pixels = np.array([look.least * ratio, look.away * ratio, look.width * ratio, look.halo * ratio, look.alpha])
        rows = max(1, _BAND_PIXELS // max(width, 1))
        for first in range(0, height, rows):
            band = QImage(width, min(rows, height - first), QImage.Format.Format_RGBA8888_Premultiplied)
            band.fill(0)
            mark_kernels.paint_marks(
                scene.positions,
                scene.radii,
                outlines.discs,
                scene.box,
                scene.periodic,
                np.array([fine.x, fine.y, fine.scale, fine.width / 2, fine.height / 2 - first]),
                pixels,
                _rgb(outlines.color),
                _rgb(outlines.halo),
                np.array([0, 0, width, band.height()]),
                pixels_of(band),
            )
            band.setDevicePixelRatio(ratio)
            self._painter.drawImage(QPointF(0.0, first / ratio), band)

    # many lines and rings: pixels by kernels, vectors by Qt

    def _as_pixels(self, together: Sequence[Primitive]) -> bool:
        return isinstance(together[0], Bars | Rings) and self._on_pixels()

    def _on_pixels(self) -> bool:
        """Whether the painter paints pixels and kernels can be used."""
        engine = self._painter.paintEngine()
        return engine is not None and engine.type() == QPaintEngine.Type.Raster and warmup.ready()

    def _paints_pixels(self) -> bool:
        """The same, if the picture is small enough for an additional image."""
        ratio = self._painter.deviceTransform().m11()
        return self._on_pixels() and self._camera.width * self._camera.height * ratio**2 <= _BAND_PIXELS

    def _bars_in_view(self, bars: Bars) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Visible lines (K, 4), half their widths (K,) and whether they are marked (K,)."""
        bars = self._within_slab(bars)
        margin = float(bars.half.max(initial=0.0)) + 1.0
        lines, which = in_view(bars.segments, self._scene, self._camera, margin, _MOST_BARS)
        return lines.reshape(-1, 4), bars.half[which], bars.marked[which]

    def _within_slab(self, bars: Bars) -> Bars:
        pose = self._camera.pose
        if pose is None or pose.slab == WHOLE:
            return bars
        segments, own = self._depths.within_slab(bars.segments)
        return replace(bars, segments=segments, half=bars.half[own], marked=bars.marked[own])

    def _rings_in_view(self, rings: Rings) -> tuple[Floats, Floats]:
        """The middles (K, 2) and radii (K,) of visible rings in pixels; in space from back to front."""
        camera, margin = self._camera, float(rings.radii.max(initial=0.0)) + 1.0
        if camera.pose is None:
            spots, which = self._points_in_view(rings.points, margin, _MOST_BARS)
            return spots, rings.radii[which]
        size = rings.radii / camera.scale
        found = camera.pose.spheres(rings.points, size, self._scene.box, (camera.x, camera.y))
        places, radii = found.outlines
        spots, radii, which = camera.pixels(places), radii * camera.scale, found.which
        seen = touches(np.stack([spots, spots], axis=1), camera, float(radii.max(initial=0.0)) + 1.0)
        if self._hides:  # the surface of its own sphere is less than this in front of its centre
            seen &= ~self._depths.hidden(rings.points[which], 1.5 * size[which], outside=size[which])
        return spots[seen][-_MOST_BARS:], radii[seen][-_MOST_BARS:]

    def _by_kernels(self, together: Sequence[Primitive]) -> None:
        painter, camera = self._painter, self._camera
        ratio = painter.deviceTransform().m11()
        fine = camera.magnified(ratio)
        width, height = ceil(fine.width), ceil(fine.height)
        left, top, right, bottom = box_pixels(self._scene, fine.resized(width, height))
        ways = [self._way(primitive, ratio) for primitive in together]
        rows = max(1, min(height, _BAND_PIXELS // max(width, 1)))
        for first in range(0, height, rows):
            band = QImage(width, min(rows, height - first), QImage.Format.Format_RGBA8888_Premultiplied)
            band.fill(0)
            clip = np.array([left, max(top - first, 0), right, min(bottom - first, band.height())])
            image = pixels_of(band)
            for way in ways:
                way(np.array([0.0, float(first)]), clip, image)
            band.setDevicePixelRatio(ratio)
            painter.drawImage(QPointF(0.0, first / ratio), band)

    def _way(
        self, primitive: Primitive, ratio: float
    ) -> Callable[[Floats, NDArray[np.int64], NDArray[np.uint8]], None]:
        """Paints a primitive, scaled by `ratio`, into a band of the picture."""
        from aggviewer.canvas.kernels import line_kernels  # brings numba

        if isinstance(primitive, Rings):
            spots, radii = (np.ascontiguousarray(part * ratio) for part in self._rings_in_view(primitive))
            rim, ring, ground = primitive.width * ratio, _rgb(primitive.color), _rgb(primitive.ground)

            def rings(shift: Floats, clip: NDArray[np.int64], image: NDArray[np.uint8]) -> None:
                line_kernels.paint_rings(spots - shift, radii, rim, ground, ring, clip, image)

            return rings
        assert isinstance(primitive, Bars)
        if self._camera.pose is not None:
            return self._cylinders(primitive, self._camera.pose, ratio)
        lines, half, marked = self._bars_in_view(primitive)
        lines, half = np.ascontiguousarray(lines * ratio), np.ascontiguousarray(half * ratio)
        parts = [
            (_rgb(color), lines[chosen], half[chosen])
            for color, chosen in ((primitive.color, ~marked), (primitive.marked_color, marked))
        ]

        def bars(shift: Floats, clip: NDArray[np.int64], image: NDArray[np.uint8]) -> None:
            for ink, own, widths in parts:
                line_kernels.paint_lines(own - np.tile(shift, 2), widths, ink, clip, image)

        return bars

    def _cylinders(
        self, bars: Bars, pose: Pose, ratio: float
    ) -> Callable[[Floats, NDArray[np.int64], NDArray[np.uint8]], None]:
        """Paints bars in space, the front ones last."""
        from aggviewer.canvas.kernels.sphere_kernels import paint_bars  # brings numba

        camera, bars = self._camera, self._within_slab(bars)
        lines, which = in_view(bars.segments, self._scene, camera, float(bars.half.max(initial=0.0)) + 1.0, _MOST_BARS)
        _, depth, magnified = pose.seen(bars.segments[which], (camera.x, camera.y))
        surface = self._depths.front(1.0 / ratio)[0]
        back, front, _, _ = pose.depths(self._scene.box, (camera.x, camera.y))
        ink = np.where(bars.marked[which, np.newaxis], _rgb(bars.marked_color), _rgb(bars.color))
        if bars.haze is not None:
            near = np.clip((depth.mean(axis=1) - back) / (front - back), 0.0, 1.0)
            far = bars.haze[1] * (1.0 - near)[:, np.newaxis]
            ink = (1.0 - far) * ink + far * _rgb(bars.haze[0])
        order = np.argsort(depth.mean(axis=1))
        half = bars.half[which, np.newaxis] * magnified * ratio
        lines, depth, half, ink = lines.reshape(-1, 4)[order] * ratio, depth[order], half[order], ink[order]
        look, scale = np.array([light.AMBIENT, light.DIFFUSE, *light.LIGHT]), camera.scale * ratio

        def cylinders(shift: Floats, clip: NDArray[np.int64], image: NDArray[np.uint8]) -> None:
            rows = surface[int(shift[1]) : int(shift[1]) + len(image)]
            paint_bars(lines - np.tile(shift, 2), depth, half, ink, scale, look, rows, image)

        return cylinders

    def _bars(self, bars: Bars) -> None:
        lines, half, marked = self._bars_in_view(bars)
        widest = float(half.max(initial=0.0))
        step = np.ceil(half / max(widest, 1e-300) * _STEPS).astype(int)
        for color, chosen in ((bars.color, ~marked), (bars.marked_color, marked)):
            for which in np.unique(step[chosen]):
                width = 2.0 * widest * (which - 0.5) / _STEPS
                self._painter.setPen(QPen(qcolor(color), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
                self._painter.drawLines(*(QLineF(*four) for four in lines[chosen & (step == which)].tolist()))

    def _rings(self, rings: Rings) -> None:
        spots, radii = self._rings_in_view(rings)
        self._painter.setPen(QPen(qcolor(rings.color), rings.width))
        self._painter.setBrush(qcolor(rings.ground))
        for middle, radius in zip(_qpoints(spots), (radii - rings.width / 2).tolist(), strict=True):
            self._painter.drawEllipse(middle, radius, radius)


class _Sheet:
    """An image of the size of the picture on which kernels paint lines, so that Qt draws it only once.

    ratio : device pixels per pixel of the camera.
    """

    def __init__(self, camera: Camera, ratio: float) -> None:
        width, height = ceil(camera.width * ratio), ceil(camera.height * ratio)
        self.image = QImage(width, height, QImage.Format.Format_RGBA8888_Premultiplied)
        self.image.fill(0)
        self._pixels = pixels_of(self.image)
        self.image.setDevicePixelRatio(ratio)
        self._ratio = ratio
        self._clip = np.array([0, 0, width, height])
        self._cover: NDArray[np.float32] | None = None

    def paint(self, pixels: Floats, stroke: Stroke) -> None:
        """Paint lines (K, 2, 2); crossings have the same opacity."""
        from aggviewer.canvas.kernels import line_kernels  # brings numba

        lines, half = np.ascontiguousarray(pixels.reshape(-1, 4) * self._ratio), 0.5 * stroke.width * self._ratio
        ink, alpha = _rgb(stroke.color), float(stroke.color.alpha)
        if alpha >= 1.0:
            line_kernels.paint_lines(lines, np.full(len(lines), half), ink, self._clip, self._pixels)
            return
        if self._cover is None:
            self._cover = np.zeros(self._pixels.shape[:2], np.float32)
        line_kernels.paint_pale_lines(lines, half, ink, alpha, self._clip, self._cover, self._pixels)

    def paint_polygons(
        self, points: Floats, start: NDArray[np.int64], which: NDArray[np.int64], polygons: Polygons
    ) -> None:
        """Paint polygons with corners (P, 2), each from its `start` (K + 1,) on and with the look `which` (K,) of
        `polygons`; their edges are opaque."""
        from aggviewer.canvas.kernels import line_kernels  # brings numba

        fills = np.array([(color.red, color.green, color.blue, color.alpha) for color in polygons.fills], np.float64)
        edges = np.array([(color.red, color.green, color.blue) for color in polygons.edges], np.float64)
        corners, half = np.ascontiguousarray(points * self._ratio), 0.5 * polygons.width * self._ratio
        line_kernels.paint_polygons(corners, start, fills[which], edges[which], half, self._clip, self._pixels)


def _runs(primitives: Iterable[Primitive]) -> list[list[Primitive]]:
    """The primitives in order, grouped into runs of large ones, of labels, and of others."""

    def sort(primitive: Primitive) -> tuple[bool, bool]:
        return isinstance(primitive, Bars | Rings), isinstance(primitive, Labels)

    return [list(run) for _, run in groupby(primitives, sort)]


def label_beside(middle: QPointF, radius: float, font: QFont, label: str, taken: list[QRectF]) -> QPainterPath:
    """The place of a label at one of the four corners of a circle: the first that does not overlap `taken`, the
    existing labels; the first corner if there is no space."""
    text = QPainterPath()
    text.addText(QPointF(0.0, 0.0), font, label)
    size = text.boundingRect()
    away, gap = 0.75 * radius + _LABEL_GAP, _LABEL_GAP
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
    """Add the intersection of two circles: nothing if they are apart, the smaller circle if it lies inside the
    other."""
    dx, dy = second[0] - first[0], second[1] - first[1]
    distance = hypot(dx, dy)
    if distance >= r + s:
        return
    if distance <= abs(r - s):
        middle, radius = (first, r) if r < s else (second, s)
        path.addEllipse(QPointF(*middle), radius, radius)
        return
    towards = -degrees(atan2(dy, dx))  # Qt's angles are counterclockwise, with y down
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


def _inks(outlines: Outlines) -> tuple[QColor, QColor]:
    return qcolor(outlines.halo), qcolor(outlines.color)


def _rgb(color: Color) -> Floats:
    return np.array([color.red, color.green, color.blue], np.float64)


def _qpoints(pixels: Floats) -> list[QPointF]:
    return [QPointF(x, y) for x, y in pixels.tolist()]
