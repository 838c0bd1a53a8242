"""The painter of pages: primitives as artists of matplotlib, so that lines stay lines and text stays text in vector
files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from matplotlib.text import Text as Words
from matplotlib.transforms import Bbox, TransformedBbox
from numpy.typing import NDArray
from PyQt6.QtGui import QFontInfo, QFontMetricsF

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_pixels import InPixels
from aggviewer.canvas.in_view import picture_within
from aggviewer.canvas.layers.primitives import (
    Bars,
    Circles,
    Color,
    DrawnDiscs,
    Flat,
    Image,
    Labels,
    Lines,
    Polygons,
    Primitive,
    Rings,
    Stroke,
    Text,
)
from aggviewer.canvas.overlays import Overlays
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.sheet import LEAST_LINE, Sheet
from aggviewer.export.solids import draw_solids
from engine.arrays import Floats
from engine.plotting.circles import DiscCollection

_STEPS = 16  # of the width of bars
_HALO = 3.0  # pixels
_NONE = (0.0, 0.0, 0.0, 0.0)
_BEND = 0.5523  # of the radius, length of the handles of a curve that is a quarter of a circle
_QUARTER = np.array([(1.0, 0.0), (1.0, _BEND), (_BEND, 1.0)])
_ROUND = np.concatenate([_QUARTER @ [[c, s], [-s, c]] for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1))] + [[(1.0, 0.0)]])
_ROUND_CODES = np.array([Path.MOVETO, *[Path.CURVE4] * 12], Path.code_type)


class PagePainter:
    """Draws onto a sheet what is seen over the discs.

    Parameters
    ----------
    camera : in pixels of a window, as overlays take it.
    ratio : pixels of the layout for each of these.
    name : of the group in an SVG.
    words_only : whether of layers only text is drawn, over an image that has the rest.
    """

    def __init__(
        self,
        sheet: Sheet,
        scene: Scene,
        camera: Camera,
        overlays: Overlays,
        ratio: float,
        name: str,
        *,
        words_only: bool = False,
    ) -> None:
        self._words_only = words_only
        self._axes = sheet.drawing_area(name)
        self._axes.set_xlim(0.0, sheet.width / ratio)
        self._axes.set_ylim(sheet.height / ratio, 0.0)
        self._unit = sheet.unit * ratio  # points
        self._scene, self._camera, self._font = scene, camera, overlays.font
        self._seen = InPixels(scene, camera, overlays.share(scene), QFontMetricsF(overlays.font))
        self._opacity = 1.0
        self._clip: TransformedBbox | None = None

    def screen(self, primitives: Iterable[Flat]) -> None:
        """Draw primitives in pixels of the camera."""
        for primitive in primitives:
            self._draw(primitive)

    def layer(self, primitives: Iterable[Primitive], *, cut: bool, opacity: float) -> None:
        """Draw primitives in the units of the box, in space without what is between spheres (`solids`). cut : whether
        they end at the periodic edges of the box."""
        self._opacity = opacity
        for primitive in primitives:
            if (self._camera.pose is not None and isinstance(primitive, Bars | Rings)) or (
                self._words_only and not isinstance(primitive, Labels)
            ):
                continue
            self._clip = self._clip_of(self._seen.ends_at_edges(primitive, cut=cut))
            seen = self._seen.seen(primitive)
            self.screen(one for one in seen if not self._words_only or isinstance(one, Text))
        self._opacity, self._clip = 1.0, None

    def solids(self, marks: Iterable[tuple[Bars | Rings, float]], share: float, view: ViewModel, name: str) -> None:
        """Draw what a box in space holds (`draw_solids`). name : of the group in an SVG."""
        draw_solids(self._axes, self._scene, self._camera, view, marks, share, name)

    def _clip_of(self, ends: tuple[bool, ...]) -> TransformedBbox | None:
        left, top, right, bottom = picture_within(self._scene, self._camera, ends)
        return TransformedBbox(Bbox([(left, bottom), (right, top)]), self._axes.transData) if True in ends else None

    def _draw(self, primitive: Flat) -> None:
        match primitive:
            case Lines():
                for stroke in primitive.strokes:
                    self._lines(primitive.segments, stroke, "butt" if primitive.flat else "round")
            case Bars():
                for segments, stroke in _widths(primitive):
                    self._lines(segments, stroke, "round")
            case Circles():
                self._circles(primitive)
            case DrawnDiscs():
                self._discs(primitive)
            case Polygons():
                self._polygons(primitive)
            case Text():
                self._text(primitive)
            case Image():
                self._image(primitive)

    def _lines(self, segments: Floats, stroke: Stroke, cap: str) -> None:
        """Segments (K, 2, 2) as one path; where one begins at the end of the one before, the line goes on."""
        if not len(segments):
            return
        keep = np.ones((len(segments), 2), np.bool_)
        keep[1:, 0] = (segments[1:, 0] != segments[:-1, 1]).any(axis=1)
        codes = np.tile(np.array([Path.MOVETO, Path.LINETO], Path.code_type), (len(segments), 1))
        path = Path(segments[keep], codes[keep])
        edge, width = self._color(stroke.color), self._width(stroke.width)
        self._shapes([path], facecolors="none", edgecolors=[edge], linewidths=[width], capstyle=cap, joinstyle="round")

    def _circles(self, circles: Circles) -> None:
        for number, look in enumerate(circles.looks):
            own = slice(None) if circles.which is None else circles.which == number
            points, radii = circles.points[own], circles.radii[own]
            if not len(points):
                continue
            for stroke in look.strokes:
                edge, width = self._color(stroke.color), self._width(stroke.width)
                self._shapes(_rounds(points, radii), facecolors="none", edgecolors=[edge], linewidths=[width])
            if look.fill is not None:
                face = self._color(look.fill)
                self._shapes(_rounds(points, look.filled * radii), facecolors=[face], edgecolors="none")

    def _discs(self, discs: DrawnDiscs) -> None:
        faces, rims = (_opaque(colors, self._opacity) for colors in (discs.faces, discs.rims))
        widths = discs.widths * self._unit
        made = DiscCollection(self._axes, discs.points, discs.radii, faces, rims, widths)
        self._finish(made)

    def _polygons(self, polygons: Polygons) -> None:
        if not len(polygons.which):
            return
        start, points = polygons.start, polygons.points
        paths = [
            Path(np.append(points[a:b], points[a : a + 1], axis=0), closed=True) for a, b in pairwise(start.tolist())
        ]
        faces, edges = ([self._color(color) for color in colors] for colors in (polygons.fills, polygons.edges))
        which, width = polygons.which.tolist(), self._width(polygons.width) if polygons.width else 0.0
        self._shapes(
            paths,
            facecolors=[faces[k] for k in which],
            edgecolors=[edges[k] if width else _NONE for k in which],
            linewidths=[width],
            linestyles=[(0.0, polygons.dashes)] if polygons.dashes else "-",
            joinstyle="miter" if polygons.dashes else "round",
        )

    def _shapes(self, paths: list[Path], **look: Any) -> None:
        made = PathCollection(paths, transform=self._axes.transData, **look)
        self._axes.add_collection(made, autolim=False)
        self._finish(made)

    def _text(self, text: Text) -> None:
        info = QFontInfo(self._font)
        made = Words(
            text.x,
            text.y,
            text.text,
            color=self._color(text.color),
            fontsize=info.pixelSize() * self._unit,
            verticalalignment="baseline",
            parse_math=False,
        )
        if text.halo is not None:
            made.set_path_effects([withStroke(linewidth=_HALO * self._unit, foreground=self._color(text.halo))])
        made.set_clip_on(True)
        self._axes.add_artist(made)
        self._finish(made)

    def _image(self, image: Image) -> None:
        if len(image.pixels) == 1:
            self._scale(image)
            return
        made = self._axes.imshow(
            image.pixels,
            extent=(image.left, image.left + image.width, image.top + image.height, image.top),
            aspect="auto",
            interpolation="bilinear" if image.smooth else "nearest",
            alpha=self._opacity,
        )
        self._finish(made)

    def _scale(self, image: Image) -> None:
        """A row of colours as surfaces, each over the one before and up to the right end: readers of PDF show seams
        between surfaces side by side."""
        row = image.pixels[0]
        starts = np.flatnonzero(np.append(True, (row[1:] != row[:-1]).any(axis=1)))
        right, bottom = image.left + image.width, image.top + image.height
        lefts = image.left + image.width * starts / len(row)
        rects = [[(x, image.top), (right, image.top), (right, bottom), (x, bottom), (x, image.top)] for x in lefts]
        self._shapes([Path(rect) for rect in rects], facecolors=row[starts] / 255.0, edgecolors="none")

    def _color(self, color: Color) -> tuple[float, float, float, float]:
        return color.red / 255.0, color.green / 255.0, color.blue / 255.0, color.alpha * self._opacity

    def _width(self, pixels: float) -> float:
        """The width of a line in points; at least one that printers draw."""
        return max(pixels * self._unit, LEAST_LINE)

    def _finish(self, artist: Any) -> None:
        """Put an artist above all earlier ones, clipped."""
        artist.set_zorder(len(self._axes.get_children()))
        if self._clip is not None:
            artist.set_clip_box(self._clip)


def _widths(bars: Bars) -> Iterator[tuple[Floats, Stroke]]:
    """Bars as lines, grouped by colour and by width, which is rounded to steps."""
    widest = float(bars.half.max(initial=0.0))
    step = np.ceil(bars.half / max(widest, 1e-300) * _STEPS).astype(int)
    for color, chosen in ((bars.color, ~bars.marked), (bars.marked_color, bars.marked)):
        for which in np.unique(step[chosen]):
            width = 2.0 * widest * (which - 0.5) / _STEPS
            yield bars.segments[chosen & (step == which)], Stroke(color, width)


def _rounds(points: Floats, radii: Floats) -> list[Path]:
    """Circles as paths of four Bézier curves each."""
    return [Path(point + radius * _ROUND, _ROUND_CODES) for point, radius in zip(points, radii, strict=True)]


def _opaque(colors: NDArray[np.uint8], opacity: float) -> Floats:
    """Colours (K, 3), 0…255, as (K, 4), 0…1."""
    return np.column_stack([colors / 255.0, np.full(len(colors), opacity)])
