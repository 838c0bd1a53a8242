"""The painter of images for windows, pictures and films: kernels paint everything inside the box, Qt paints text and
legends. Until the kernels are ready, a window shows only text and maps of the layers.

Until the kernels are ready, a window shows nothing of the layers but their text and maps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QFontMetricsF, QImage, QPainter

from aggviewer.canvas import qt_drawing, warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_pixels import InPixels, outline_look
from aggviewer.canvas.in_view import box_pixels, picture_within, pixels_within
from aggviewer.canvas.layers.primitives import (
    Bars,
    Circles,
    Color,
    DrawnDiscs,
    Flat,
    Image,
    Lines,
    Outlines,
    Polygons,
    Primitive,
    Stroke,
    Text,
)
from aggviewer.canvas.qt_drawing import pixels_of
from aggviewer.canvas.scene import Scene
from engine.arrays import Floats
from engine.plotting import light

_BAND_PIXELS = 4_000_000  # painted at once in a large picture


Edges = tuple[int, int, int, int]
"""First column, first row, end column and end row, in device pixels of the picture."""


class Band:
    """A part of a picture, into which kernels paint.

    Attributes
    ----------
    image : (H, W, 4) uint8, RGBA with premultiplied alpha.
    left, top : its first column and row in the picture.
    edges : of what may be painted.
    """

    def __init__(self, image: NDArray[np.uint8], left: int, top: int) -> None:
        self.image = image
        self.left, self.top = left, top
        self.edges: Edges = left, top, left + image.shape[1], top + len(image)

    @property
    def clip(self) -> NDArray[np.int64]:
        """The rectangle `edges` of the image, as kernels take it: (4,), first column and row, end column and row."""
        height, width = self.image.shape[:2]
        left, top, right, bottom = np.array(self.edges) - [self.left, self.top] * 2
        return np.array([max(left, 0), max(top, 0), min(right, width), min(bottom, height)])

    @cached_property
    def cover(self) -> NDArray[np.float32]:
        """A buffer of zeros for kernels, (H, W)."""
        return np.zeros(self.image.shape[:2], np.float32)


Paint = Callable[[Band], None]
"""Paints something with a kernel."""


class PixelWork(NamedTuple):
    """One call of a kernel: what it paints, and the largest rectangle that it may change."""

    paint: Paint
    edges: Edges


class _ByQt(NamedTuple):
    """What Qt paints in a layer; ends : see `InPixels.ends_at_edges`."""

    flat: Text | Image
    ends: tuple[bool, ...]


class PixelPainter:
    """Paints primitives with a QPainter whose unit is the widget pixel of the camera.

    Parameters
    ----------
    share : of their radii with which spheres are drawn (`Scene.drawn_share`).
    picture : the pixels of the image on which the painter is, (H, W, 4), if the camera sees just that: kernels then
        paint right into it. Else they paint into images of their own.
    words : whether the text of layers is painted.
    """

    def __init__(
        self,
        painter: QPainter,
        scene: Scene,
        camera: Camera,
        share: float = 1.0,
        picture: NDArray[np.uint8] | None = None,
        *,
        words: bool = True,
    ) -> None:
        self._painter, self._words = painter, words
        self._scene = scene
        self._camera = camera
        self._picture = picture
        self._ratio = painter.deviceTransform().m11()
        self._fine = camera.magnified(self._ratio)
        self._whole = self._fine.resized(ceil(self._fine.width - 1e-6), ceil(self._fine.height - 1e-6))
        self._share = share

    @cached_property
    def _seen(self) -> InPixels:
        return InPixels(self._scene, self._camera, self._share, QFontMetricsF(self._painter.font()))

    def screen(self, primitives: Iterable[Flat]) -> None:
        """Paint primitives whose positions are in pixels of the camera."""
        qt_drawing.paint(self._painter, primitives)

    def layer(self, primitives: Iterable[Primitive], *, cut: bool, opacity: float = 1.0) -> None:
        """Paint primitives in the units of the box.

        cut : whether what crosses a periodic edge of the box is cut there.
        """
        painter = self._painter
        painter.save()
        try:
            painter.setOpacity(painter.opacity() * opacity)
            works: list[PixelWork] = []  # of kernels, done together
            for work in self._works(primitives, cut):
                if isinstance(work, _ByQt):
                    self._by_kernels(works)
                    works = []
                    self._by_qt(work)
                else:
                    works.append(work)
            self._by_kernels(works)
        finally:  # primitives of a plug-in may have invalid shapes
            painter.restore()

    def _works(self, primitives: Iterable[Primitive], cut: bool) -> Iterator[PixelWork | _ByQt]:
        """What kernels and Qt have to paint for these primitives, in this order."""
        whole = 0, 0, int(self._whole.width), int(self._whole.height)
        for primitive in primitives:
            ends = self._seen.ends_at_edges(primitive, cut=cut)
            for work in self._works_of(primitive):
                if isinstance(work, Text) and not self._words:
                    continue
                if isinstance(work, Text | Image):
                    yield _ByQt(work, ends)
                else:
                    paint, around = work
                    yield PixelWork(paint, _common(pixels_within(self._scene, self._whole, ends), around or whole))

    def _works_of(self, primitive: Primitive) -> Iterator[tuple[Paint, Edges | None] | Text | Image]:
        """What is to be done for a primitive; of kernels also where, None for anywhere."""
        if isinstance(primitive, Outlines) and self._camera.pose is None:
            yield partial(self._marks, primitive), None
        elif isinstance(primitive, Bars) and self._camera.pose is not None:
            if warmup.ready():
                yield self._cylinders(primitive), None
        else:
            for flat in self._seen.seen(primitive):
                match flat:
                    case Lines():
                        for stroke in flat.strokes:
                            around = self._around(flat.segments, stroke.width)
                            yield partial(self._lines, flat.segments, stroke), around
                    case Bars():
                        around = self._around(flat.segments, 2.0 * float(flat.half.max(initial=0.0)))
                        for color, chosen in ((flat.color, ~flat.marked), (flat.marked_color, flat.marked)):
                            paint = partial(self._opaque_lines, flat.segments[chosen], flat.half[chosen], color)
                            yield paint, around
                    case Polygons():
                        yield partial(self._polygons, flat), self._around(flat.points, flat.width)
                    case DrawnDiscs():
                        reach = float((2.0 * flat.radii + flat.widths).max(initial=0.0))
                        yield partial(self._discs, flat), self._around(flat.points, reach)
                    case Circles():
                        yield from self._circles(flat)
                    case _:
                        yield flat

    def _around(self, points: Floats, width: float) -> Edges:
        """The edges of what is painted along points (..., 2) in widget pixels, `width` wide."""
        most = np.array([self._whole.width, self._whole.height])
        device = self._ratio * points.reshape(-1, 2)
        device = device[np.isfinite(device).all(axis=1)]
        if not len(device):
            return 0, 0, 0, 0
        reach = self._ratio * width / 2.0 + 1.0
        # separately: reducing an axis of length two is slow in numpy
        low, high = ([pick(device[:, axis]) for axis in (0, 1)] for pick in (np.min, np.max))
        left, top = np.clip(np.floor(np.array(low) - reach), 0, most).astype(int).tolist()
        right, bottom = np.clip(np.ceil(np.array(high) + reach), 0, most).astype(int).tolist()
        return left, top, right, bottom

    def _by_qt(self, work: _ByQt) -> None:
        painter = self._painter
        painter.save()
        if True in work.ends:
            left, top, right, bottom = picture_within(self._scene, self._camera, work.ends)
            box = QRectF(QPointF(left, top), QPointF(right, bottom))
            painter.setClipRect(box, Qt.ClipOperation.IntersectClip)
        qt_drawing.paint(painter, [work.flat])
        painter.restore()

    # by kernels

    def _by_kernels(self, works: list[PixelWork]) -> None:
        works = [work for work in works if work.edges[0] < work.edges[2] and work.edges[1] < work.edges[3]]
        if works and warmup.ready():
            edges = np.array([work.edges for work in works])
            for band in self._bands(*edges[:, :2].min(axis=0).tolist(), *edges[:, 2:].max(axis=0).tolist()):
                for work in works:
                    band.edges = work.edges
                    work.paint(band)

    def _bands(self, left: int, top: int, right: int, bottom: int) -> Iterator[Band]:
        """Bands of a part of the picture, from top to bottom, which are painted after their turn."""
        rows = max(1, _BAND_PIXELS // (right - left))
        picture = self._picture if self._painter.opacity() == 1.0 else None
        for first in range(top, bottom, rows):
            last = min(first + rows, bottom)
            if picture is not None:
                yield Band(picture[first:last], 0, first)
                continue
            image = QImage(right - left, last - first, QImage.Format.Format_RGBA8888_Premultiplied)
            image.fill(0)
            yield Band(pixels_of(image), left, first)
            image.setDevicePixelRatio(self._ratio)
            self._painter.drawImage(QPointF(left / self._ratio, first / self._ratio), image)

    def _lines(self, segments: Floats, stroke: Stroke, band: Band) -> None:
        """Lines (K, 2, 2); crossings have the same opacity."""
        color, width = stroke.color, stroke.width
        if color.alpha >= 1.0:
            self._opaque_lines(segments, np.full(len(segments), 0.5 * width), color, band)
            return
        from aggviewer.canvas import line_kernels  # brings numba

        lines, half = self._device(segments, band), 0.5 * width * self._ratio
        line_kernels.paint_pale_lines(
            lines.reshape(-1, 4), half, _rgb(color), color.alpha, band.clip, band.cover, band.image
        )

    def _opaque_lines(self, segments: Floats, half: Floats, color: Color, band: Band) -> None:
        from aggviewer.canvas import line_kernels  # brings numba

        lines = self._device(segments, band).reshape(-1, 4)
        line_kernels.paint_lines(lines, half * self._ratio, _rgb(color), band.clip, band.image)

    def _polygons(self, polygons: Polygons, band: Band) -> None:
        from aggviewer.canvas import line_kernels  # brings numba

        fills = np.array([(*color.rgb, color.alpha) for color in polygons.fills], np.float64)
        edges = np.array([color.rgb for color in polygons.edges], np.float64)
        corners, half = self._device(polygons.points, band), 0.5 * polygons.width * self._ratio
        which = polygons.which
        line_kernels.paint_polygons(corners, polygons.start, fills[which], edges[which], half, band.clip, band.image)

    def _discs(self, discs: DrawnDiscs, band: Band) -> None:
        from aggviewer.canvas import line_kernels  # brings numba

        points, widths = self._device(discs.points, band), discs.widths * self._ratio
        radii, faces, rims = discs.radii * self._ratio + widths / 2, discs.faces.astype(float), discs.rims.astype(float)
        line_kernels.paint_discs(points, radii, widths, faces, rims, band.clip, band.image)

    def _circles(self, circles: Circles) -> Iterator[tuple[Paint, Edges]]:
        """Each stroke of all circles of a look, then what fills them."""
        for number, look in enumerate(circles.looks):
            own = slice(None) if circles.which is None else circles.which == number
            points, radii = circles.points[own], circles.radii[own]
            if not len(points):
                continue
            for stroke in look.strokes:
                around = self._around(points, 2.0 * float(radii.max()) + stroke.width)
                yield partial(self._rings, points, radii + stroke.width / 2, stroke.width, stroke.color), around
            if look.fill is not None:
                filled, across = look.filled * radii, 2.0 * look.filled * float(radii.max())
                yield partial(self._rings, points, filled, across, look.fill), self._around(points, across)

    def _rings(self, points: Floats, radii: Floats, width: float, color: Color, band: Band) -> None:
        """Paint rings with outer radii (K,) in pixels of the widget."""
        from aggviewer.canvas import line_kernels  # brings numba

        look = np.array([width * self._ratio, color.alpha])
        points, radii = self._device(points, band), radii * self._ratio
        line_kernels.paint_rings(points, radii, look, _rgb(color), band.clip, band.image)

    def _device(self, points: Floats, band: Band) -> Floats:
        """Points (..., 2) in pixels of the image band that is being painted."""
        return np.ascontiguousarray(points * self._ratio - (float(band.left), float(band.top)))

    def _marks(self, outlines: Outlines, band: Band) -> None:
        """Rings around discs in the plane: straight from the scene, since all discs may be marked."""
        from aggviewer.canvas import line_kernels  # brings numba

        scene, camera, fine, ratio = self._scene, self._camera, self._fine, self._ratio
        left, top, right, bottom = clip = box_pixels(scene, camera)
        where = np.array([camera.x, camera.y, camera.scale, camera.width / 2, camera.height / 2])
        count = line_kernels.count_marks(scene.positions, scene.radii, outlines.discs, where, np.array(clip))
        look = outline_look(count, (right - left) * (bottom - top))
        where = np.array([fine.x, fine.y, fine.scale, fine.width / 2 - band.left, fine.height / 2 - band.top])
        for color, more in ((outlines.halo, look.halo), (outlines.color, 0.0)):
            if more or color is outlines.color:
                sizes = ratio * np.array([look.least + more, look.away + more, look.width + 2.0 * more])
                line_kernels.paint_marks(
                    scene.positions,
                    scene.radii,
                    outlines.discs,
                    scene.box,
                    scene.periodic.code,
                    scene.periodic.offset,
                    where,
                    np.append(sizes, look.alpha * color.alpha),
                    _rgb(color),
                    band.clip,
                    band.image,
                )

    def _cylinders(self, bars: Bars) -> Paint:
        """Bars in space, the front ones last; spheres hide them."""
        from aggviewer.canvas.sphere_kernels import paint_bars  # brings numba

        camera, pose, ratio, depths = self._camera, self._camera.pose, self._ratio, self._seen.depths
        assert pose is not None
        bars = self._seen.within_slab(bars)
        flat, which = self._seen.bars(bars)
        _, depth, magnified = pose.seen(bars.segments[which], (camera.x, camera.y))
        surface = depths.front(1.0 / ratio)[0]
        back, front, _, _ = pose.depths(self._scene.box, (camera.x, camera.y))
        ink = np.where(flat.marked[:, np.newaxis], _rgb(bars.marked_color), _rgb(bars.color))
        if bars.haze is not None:
            near = np.clip((depth.mean(axis=1) - back) / (front - back), 0.0, 1.0)
            far = bars.haze[1] * (1.0 - near)[:, np.newaxis]
            ink = (1.0 - far) * ink + far * _rgb(bars.haze[0])
        order = np.argsort(depth.mean(axis=1))
        half = flat.half[:, np.newaxis] * magnified * ratio
        segments, depth, half, ink = flat.segments[order], depth[order], half[order], ink[order]
        look, scale = np.array([light.AMBIENT, light.DIFFUSE, *light.LIGHT]), camera.scale * ratio

        def cylinders(band: Band) -> None:
            rows = surface[band.top : band.top + len(band.image)]
            lines = self._device(segments, band).reshape(-1, 4)
            paint_bars(lines, depth, half, ink, scale, look, rows, band.image)

        return cylinders


def _common(one: Edges, other: Edges) -> Edges:
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def _rgb(color: Color) -> Floats:
    return np.array(color.rgb, np.float64)
