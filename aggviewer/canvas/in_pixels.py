"""Converts the primitives of layers from world units to pixels of a camera, which painters draw; and says how rings
around discs look.

A primitive that crosses a periodic edge of the box appears again at the opposite edge; painters clip both copies at the
edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import acos, atan2, ceil, pi, sqrt

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QFontMetricsF

from aggviewer.canvas import warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import MOST, Depths, box_pixels, in_view, periods_away, to_pixels, touches
from aggviewer.canvas.layers.primitives import (
    Arrows,
    Bars,
    Circles,
    Color,
    DrawnDiscs,
    Flat,
    Heat,
    Image,
    Labels,
    Lenses,
    Lines,
    Look,
    Outlines,
    Polygons,
    Primitive,
    Rings,
    Stroke,
    Text,
)
from aggviewer.canvas.scene import Scene
from engine.arrays import Floats
from engine.plotting.projection import WHOLE

MOST_BARS = 60_000
"""Most bars and rings."""

_OFF = 0.05  # pixels that a polygon may be off an arc
_LABEL_GAP = 2.5  # pixels between a circle and its label
_PLATE = 3.0  # pixels of a plate around its words


class InPixels:
    """Turns primitives of a scene into those in pixels of a camera.

    Parameters
    ----------
    share : of their radii with which spheres are drawn (`Scene.drawn_share`).
    metrics : of the font of labels.
    """

    def __init__(self, scene: Scene, camera: Camera, share: float, metrics: QFontMetricsF) -> None:
        self.scene = scene
        self.camera = camera
        self.depths = Depths(scene, camera, share, compiled=warmup.ready())
        self._metrics = metrics

    def seen(self, primitive: Primitive) -> Iterator[Flat]:
        """The primitives that represent the visible part of a primitive, in drawing order."""
        match primitive:
            case Lines():
                segments = self._segments(primitive.segments, in_front=primitive.in_front)[0]
                yield replace(primitive, segments=segments)
            case Arrows():
                yield self._arrows(primitive)
            case Circles():
                yield self._circles(primitive)
            case Lenses():
                yield self._lenses(primitive)
            case Labels():
                yield from self._labels(primitive)
            case Bars():
                yield self.bars(self.within_slab(primitive))[0]
            case Rings():
                yield self._rings(primitive)
            case Outlines():
                yield from self._outlines(primitive)
            case Polygons():
                yield self._polygons(primitive)
            case Heat():
                yield self._heat(primitive)

    def ends_at_edges(self, primitive: Primitive, *, cut: bool) -> tuple[bool, ...]:
        """Whether a primitive of a layer is clipped at the edges of the box along x, and along y. cut : whether the
        layer is, at periodic edges."""
        if self.camera.pose is None and isinstance(primitive, Bars | Rings | Heat):
            return True, True
        return self.scene.wraps if cut and not isinstance(primitive, Labels) else (False, False)

    @property
    def _hides(self) -> bool:
        """Whether spheres hide what is behind them; not before the kernels are ready."""
        return self.camera.pose is not None and warmup.ready()

    def _points(self, points: Floats, margin: float, most: int = MOST) -> tuple[Floats, NDArray[np.int64]]:
        found, which = in_view(np.stack([points, points], axis=1), self.scene, self.camera, margin, most)
        return found[:, 0], which

    # lines and arrows

    def _segments(self, segments: Floats, margin: float = 0.0, *, in_front: bool = False) -> tuple[Floats, Floats]:
        """The pixels (K, 2, 2) of segments, and in space only of their parts that no sphere hides, unless they lie in
        front; and the pixels of those whose ends are seen."""
        pixels, index = in_view(segments, self.scene, self.camera, margin)
        if in_front or not self._hides:
            return pixels, pixels
        inside = segments[index]
        parts, _ = self.depths.visible(inside)
        return to_pixels(parts, self.camera), pixels[~self.depths.hidden(inside[:, 1])]

    def _arrows(self, arrows: Arrows) -> Lines:
        parts, pixels = self._segments(arrows.segments, arrows.head, in_front=arrows.in_front)
        shaft = pixels[:, 1] - pixels[:, 0]
        length = np.hypot(shaft[:, 0], shaft[:, 1])
        pixels, shaft, length = (part[length >= arrows.shortest] for part in (pixels, shaft, length))
        along = shaft * (np.minimum(arrows.head, 0.45 * length) / length)[:, None]
        across = np.stack([-along[:, 1], along[:, 0]], axis=1)
        tip = pixels[:, 1]
        barbs = [np.stack([tip, tip - along + 0.6 * side * across], axis=1) for side in (-1.0, 1.0)]
        return Lines(np.concatenate([parts if self._hides and not arrows.in_front else pixels, *barbs]), arrows.strokes)

    def within_slab(self, bars: Bars) -> Bars:
        """The parts of bars inside the slab that the view shows, in world units."""
        pose = self.camera.pose
        if pose is None or pose.slab == WHOLE:
            return bars
        segments, own = self.depths.within_slab(bars.segments)
        return replace(bars, segments=segments, half=bars.half[own], marked=bars.marked[own])

    def bars(self, bars: Bars) -> tuple[Bars, NDArray[np.int64]]:
        """The visible bars with segments (K, 2, 2) in pixels, and the index of each in the given ones, (K,)."""
        margin = float(bars.half.max(initial=0.0)) + 1.0
        segments, which = in_view(bars.segments, self.scene, self.camera, margin, MOST_BARS)
        return replace(bars, segments=segments, half=bars.half[which], marked=bars.marked[which]), which

    # shapes and maps

    def _polygons(self, polygons: Polygons) -> Polygons:
        """The visible polygons and, across periodic edges, their copies at the opposite edges."""
        seen, shift = self._polygons_in_view(polygons)
        length = np.diff(polygons.start)[seen]
        start = np.concatenate([[0], np.cumsum(length)])
        corner = np.arange(start[-1]) - np.repeat(start[:-1] - polygons.start[seen], length)
        points = to_pixels(polygons.points[corner] + np.repeat(shift, length, axis=0), self.camera)
        return replace(polygons, points=points, start=start, which=polygons.which[seen])

    def _polygons_in_view(self, polygons: Polygons) -> tuple[NDArray[np.int64], Floats]:
        """The numbers (K,) of the visible polygons, including periodic copies, and the offset of each copy (K, 2)."""
        box, begins = self.scene.box, polygons.start[:-1]
        if not len(begins):
            return np.zeros(0, np.int64), np.zeros((0, 2))
        low = np.minimum.reduceat(polygons.points, begins, axis=0)
        high = np.maximum.reduceat(polygons.points, begins, axis=0)
        numbers = [np.arange(len(begins))]
        shifts = [np.zeros((len(begins), 2))]
        if (around := self.scene.wraps).any:
            first, last = (-periods_away(ends, box, around).astype(int) for ends in (high, low))
            away = np.flatnonzero(first.any(axis=1) | last.any(axis=1))  # few, since most lie inside the box
            inside = np.ones(len(begins), np.bool_)
            inside[away] = ((first[away] <= 0) & (last[away] >= 0)).all(axis=1)
            numbers, shifts = [numbers[0][inside]], [shifts[0][inside]]
            for up in range(int(first[away, 1].min(initial=0)), int(last[away, 1].max(initial=0)) + 1):
                row = away[(first[away, 1] <= up) & (last[away, 1] >= up)]
                shift = np.array([up * self.scene.periodic.offset, up * box[1]])
                left, right = (-periods_away(ends[row] + shift, box, around)[:, 0] for ends in (high, low))
                for across in range(int(left.min(initial=0)), int(right.max(initial=0)) + 1):
                    if (across, up) != (0, 0):
                        copies = row[(left <= across) & (right >= across)]
                        numbers.append(copies)
                        shifts.append(np.tile(shift + across * box * (1.0, 0.0), (len(copies), 1)))
        number, shift = np.concatenate(numbers), np.concatenate(shifts)
        corners = np.stack([low[number] + shift, high[number] + shift], axis=1)
        seen = np.flatnonzero(touches(to_pixels(corners, self.camera), self.camera, polygons.width))[:MOST]
        return number[seen], shift[seen]

    def _heat(self, heat: Heat) -> Image:
        """An image stretched over the box; only the visible part is made. It has a margin around the box, taken from
        the opposite edge where that is periodic, so that it is smooth there."""
        entries = heat.entries
        for margin, around in zip((((0, 0), (1, 1)), ((1, 1), (0, 0))), self.scene.periodic, strict=True):
            entries = np.pad(entries, margin, mode="wrap" if around else "edge")
        if ahead := round(self.scene.periodic.offset / self.scene.box[0] * (entries.shape[1] - 2)):
            for row, shift in ((0, -ahead), (-1, ahead)):  # copies of the upper and of the lower edge
                entries[row, 1:-1] = np.roll(entries[row, 1:-1], shift)
        rows, columns = entries.shape
        cell = self.scene.box / (columns - 2, rows - 2)
        left, bottom, width, height = self.camera.rect
        # cells of the margin have number 0; one more on each side for interpolation
        ends = np.array([[left, bottom], [left + width, bottom + height]])
        first, last = np.floor(ends / cell).astype(int)
        first_column, first_row = np.clip(first - 1, 0, (columns - 2, rows - 2)).tolist()
        end_column, end_row = np.clip(last + 4, 2, (columns, rows)).tolist()
        seen = np.ascontiguousarray(heat.table[entries[first_row:end_row, first_column:end_column][::-1]])
        x, y = self.camera.to_pixel(float((first_column - 1) * cell[0]), float((end_row - 1) * cell[1]))
        across, down = (seen.shape[1::-1] * cell * self.camera.scale).tolist()
        return Image(x, y, across, down, seen, smooth=True)

    # circles

    def _circles(self, circles: Circles) -> Circles:
        spots, index = self._points(circles.points, circles.reach)
        if self._hides and not circles.in_front:  # a contact is on a surface
            seen = ~self.depths.hidden(circles.points[index], self.scene.mean_radius)
            spots, index = spots[seen], index[seen]
        which = None if circles.which is None else circles.which[index]
        return replace(circles, points=spots, radii=circles.radii[index], which=which)

    def _rings(self, rings: Rings) -> DrawnDiscs:
        spots, radii = self._rings_in_view(rings)
        faces, rims = (np.tile(np.array(color.rgb, np.uint8), (len(radii), 1)) for color in (rings.ground, rings.color))
        widths = np.full(len(radii), rings.width)
        return DrawnDiscs(spots, radii - rings.width / 2, faces, rims, widths)

    def _rings_in_view(self, rings: Rings) -> tuple[Floats, Floats]:
        """The middles (K, 2) and radii (K,) of visible rings in pixels; in space from back to front."""
        camera, margin = self.camera, float(rings.radii.max(initial=0.0)) + 1.0
        if camera.pose is None:
            spots, which = self._points(rings.points, margin, MOST_BARS)
            return spots, rings.radii[which]
        size = rings.radii / camera.scale
        found = camera.pose.spheres(rings.points, size, self.scene.box, (camera.x, camera.y))
        places, radii = found.outlines
        spots, radii, which = camera.pixels(places), radii * camera.scale, found.which
        seen = touches(np.stack([spots, spots], axis=1), camera, float(radii.max(initial=0.0)) + 1.0)
        if self._hides:  # the surface of its own sphere is less than this in front of its centre
            seen &= ~self.depths.hidden(rings.points[which], 1.5 * size[which], outside=size[which])
        return spots[seen][-MOST_BARS:], radii[seen][-MOST_BARS:]

    def _lenses(self, lenses: Lenses) -> Polygons:
        pixels, index = in_view(lenses.segments, self.scene, self.camera, lenses.reach)
        found = [lens(first, r, second, s) for (first, second), (r, s) in zip(pixels, lenses.radii[index], strict=True)]
        return shapes([corners for corners in found if len(corners)], lenses.fill)

    def _outlines(self, outlines: Outlines) -> Iterator[Flat]:
        """Rings around discs; around spheres they are drawn where no other one hides their outline."""
        scene, discs = self.scene, outlines.discs
        left, top, right, bottom = box_pixels(scene, self.camera)
        area = (right - left) * (bottom - top)
        if self.camera.pose is None:
            look = outline_look(len(discs), area)
            radii = look.around(scene.radii[discs] * self.camera.scale)
            reach = float(radii.max(initial=0.0)) + look.width + look.halo
            spots, which = self._points(scene.positions[discs], reach, MOST_BARS)
            yield Circles(spots, radii[which], reach, (Look(_strokes(outlines, look)),))
            return
        spots, radii, seen = self.depths.rims(discs, PARTS if len(discs) <= MANY_RIMS else 1)
        look = outline_look(int(np.count_nonzero(seen.any(axis=1))), area)
        most = slice(-MOST_BARS, None)  # those in front
        spots, radii, seen = spots[most], look.around(radii[most]), seen[most]
        whole = np.logical_and.reduce(seen, axis=1)
        strokes = _strokes(outlines, look)
        yield Circles(spots[whole], radii[whole], 0.0, (Look(strokes),))
        ring, part = np.nonzero(seen & ~whole[:, np.newaxis])
        step = 2.0 * pi / seen.shape[1]
        angles = step * (part[:, np.newaxis] + (0.0, 1.0))
        inset = np.minimum((look.width / 2 + look.halo) / radii[ring], 0.9 * step)  # for the round ends of an arc
        angles[:, 0] += inset * ~seen[ring, part - 1]
        angles[:, 1] -= inset * ~seen[ring, (part + 1) % seen.shape[1]]
        around = np.stack([np.cos(angles), -np.sin(angles)], axis=-1)
        yield Lines(spots[ring, np.newaxis] + radii[ring, np.newaxis, np.newaxis] * around, strokes)

    # text

    def _labels(self, labels: Labels) -> Iterator[Flat]:
        spots, index = self._points(labels.points, labels.reach)
        if labels.plate:  # originals without copies
            index, first = np.unique(index, return_index=True)
            spots = spots[first]
        taken: list[QRectF] = []
        for (x, y), number in zip(spots.tolist(), index.tolist(), strict=True):
            text = labels.texts[number]
            size = self._metrics.tightBoundingRect(text)
            rect = label_beside(x, y, float(labels.radii[number]), size, taken)
            if labels.plate:
                plate = rect.adjusted(-_PLATE, -_PLATE, _PLATE, _PLATE)
                dx = min(max(0.0, -plate.left()), max(self.camera.width - plate.right(), -plate.left()))
                dy = min(max(0.0, -plate.top()), max(self.camera.height - plate.bottom(), -plate.top()))
                rect.translate(dx, dy)
                yield shapes([rounded(plate.translated(dx, dy), _PLATE)], labels.halo)
            taken.append(rect)
            yield Text(rect.left() - size.left(), rect.top() - size.top(), text, labels.color, labels.halo)


def shapes(corners: Sequence[Floats], fill: Color, edge: Stroke | None = None) -> Polygons:
    """Closed shapes of one look, each with its corners (K, 2)."""
    start = np.cumsum([0, *map(len, corners)])
    which = np.zeros(len(corners), np.int64)
    edge = edge or Stroke(replace(fill, alpha=0.0), 0.0)
    return Polygons(np.concatenate([np.zeros((0, 2)), *corners]), start, which, (fill,), (edge.color,), edge.width)


def rounded(rect: QRectF, radius: float) -> Floats:
    """The corners (K, 2) of a rectangle whose own corners are round."""
    arc = _round_corner(radius)
    corners = np.array([(x, y) for y in (rect.bottom(), rect.top()) for x in (rect.right(), rect.left())])
    to_left, to_top, both = arc[::-1] * (-1, 1), arc[::-1] * (1, -1), -arc
    return np.concatenate([corners[0] + arc, corners[1] + to_left, corners[3] + both, corners[2] + to_top])


@cache
def _round_corner(radius: float) -> Floats:
    """The points (K, 2) of the rounded lower right corner, relative to where that corner would be without rounding."""
    return _arc(np.full(2, -radius), radius, 0.0, pi / 2)


def lens(first: Floats, r: float, second: Floats, s: float) -> Floats:
    """The corners (K, 2) of the intersection of two circles: none if they are apart, the smaller circle if it lies
    inside the other."""
    dx, dy = (second - first).tolist()
    distance = float(np.hypot(dx, dy))
    if distance >= r + s:
        return np.zeros((0, 2))
    if distance <= abs(r - s):
        middle, radius = (first, r) if r < s else (second, s)
        return _arc(middle, radius, 0.0, 2.0 * pi)
    towards = atan2(dy, dx)
    a = acos(min(max((distance**2 + r * r - s * s) / (2.0 * distance * r), -1.0), 1.0))
    b = acos(min(max((distance**2 + s * s - r * r) / (2.0 * distance * s), -1.0), 1.0))
    return np.concatenate(
        [_arc(first, r, towards - a, towards + a), _arc(second, s, towards + pi - b, towards + pi + b)]
    )


def _arc(middle: Floats, radius: float, begin: float, end: float) -> Floats:
    step = sqrt(8.0 * _OFF / max(radius, 1.0))
    angles = np.linspace(begin, end, max(2, ceil((end - begin) / step) + 1))
    return middle + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def label_beside(x: float, y: float, radius: float, size: QRectF, taken: Sequence[QRectF]) -> QRectF:
    """The place of a label at one of the four corners of a circle: the first that does not overlap `taken`, the
    existing labels; the first corner if there is no space. size : of the label, relative to the begin of its base
    line."""
    away, gap = 0.75 * radius + _LABEL_GAP, _LABEL_GAP
    for up in (True, False):
        for right in (True, False):
            at = x + away + gap if right else x - away - gap - size.right()
            rect = size.translated(at, y - away if up else y + away - size.top())
            room = rect.adjusted(-2 * gap, -gap, 2 * gap, gap)
            if not any(room.intersects(other) for other in taken):
                return rect
    return size.translated(x + away + gap, y - away)


def _strokes(outlines: Outlines, look: OutlineLook) -> tuple[Stroke, ...]:
    """The two lines that a ring consists of: a wide one as its halo, and a narrow one over it."""
    halo, ink = (replace(color, alpha=color.alpha * look.alpha) for color in (outlines.halo, outlines.color))
    return Stroke(halo, look.width + 2 * look.halo), Stroke(ink, look.width)


PARTS = 72
"""Of a ring around a sphere, each of which is seen or hidden."""

MANY_RIMS = 2000
"""Number of spheres of which each is seen or hidden as a whole."""

_FREE = 5.0  # least distance in ring radii between evenly spread rings


@dataclass(frozen=True)
class OutlineLook:
    """The look of rings in pixels, depending on their number: least radius, distance from the disc, width of ring and
    halo, and opacity."""

    most: float
    least: float
    away: float
    width: float
    halo: float
    alpha: float

    def around(self, radii: Floats) -> Floats:
        """The radii of rings around circles with these radii, both (n,) and in pixels."""
        return np.maximum(radii + self.away, self.least) - self.width / 2


_OUTLINE_LOOKS = (
    OutlineLook(5, 7.0, 2.5, 2.0, 1.5, 1.0),
    OutlineLook(600, 4.0, 0.5, 1.5, 1.0, 1.0),
    OutlineLook(6000, 2.5, 0.5, 1.5, 0.5, 0.9),
    OutlineLook(np.inf, 1.0, 0.0, 1.5, 0.0, 0.6),
)


def outline_look(count: int, area: float) -> OutlineLook:
    """The look for this many discs in this many pixels: the largest that leaves most of them free, as discs of clusters
    are close together."""
    room = sqrt(area / max(count, 1)) / _FREE
    return next((look for look in _OUTLINE_LOOKS if count <= look.most and room >= look.least), _OUTLINE_LOOKS[-1])
