"""The primitives that layers, legends and discs consist of.

Widths and radii are in pixels. Positions are in world units where a layer gives them; in a legend, and after
`aggviewer.canvas.in_pixels`, they are in pixels from the upper left corner. Each target has one painter, which draws
primitives in pixels: `aggviewer.canvas.pixels` draws into images with kernels, `aggviewer.canvas.qt_drawing` draws with
Qt what exists on the screen only, and `aggviewer.export.page` draws on pages of matplotlib. No Qt, no OpenGL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats


@dataclass(frozen=True)
class Color:
    """red, green, blue : 0…255; alpha : 0…1."""

    red: int
    green: int
    blue: int
    alpha: float = 1.0

    @staticmethod
    def of(text: str, alpha: float = 1.0) -> Color:
        """The colour of ``#rrggbb``."""
        return Color(int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16), alpha)

    @property
    def rgb(self) -> tuple[int, int, int]:
        """Red, green and blue."""
        return self.red, self.green, self.blue


@dataclass(frozen=True)
class Stroke:
    """A line of one colour, `width` pixels wide."""

    color: Color
    width: float


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines with the same look.

    Attributes
    ----------
    segments : (K, 2, d), start and end of each; the end lies outside a periodic box if the line crosses its edge.
    strokes : all lines are drawn with the first stroke, then all with the next; a halo comes first.
    in_front : in space, whether they are drawn over the spheres that would hide them.
    flat : whether they end flat; else round.
    """

    segments: Floats
    strokes: tuple[Stroke, ...]
    in_front: bool = False
    flat: bool = False


@dataclass(frozen=True, eq=False)
class Arrows:
    """Lines from foot to tip, with a head of `head` pixels; arrows shorter than `shortest` pixels are not drawn.
    in_front : as for `Lines`."""

    segments: Floats
    strokes: tuple[Stroke, ...]
    head: float = 9.0
    shortest: float = 6.0
    in_front: bool = False


@dataclass(frozen=True)
class Look:
    """The look of circles: each stroke in turn, then a disc in `fill` of `filled` times the radius."""

    strokes: tuple[Stroke, ...] = ()
    fill: Color | None = None
    filled: float = 1.0


@dataclass(frozen=True, eq=False)
class Circles:
    """Circles, drawn by look, in the order of the looks.

    Attributes
    ----------
    points, radii : (K, d), world units, and (K,), pixels.
    reach : most pixels that any of them covers around its centre.
    looks : their looks.
    which : (K,), the index of each circle's look; None if all have the first one.
    in_front : as for `Lines`.
    """

    points: Floats
    radii: Floats
    reach: float
    looks: tuple[Look, ...]
    which: NDArray[np.int64] | None = None
    in_front: bool = False


@dataclass(frozen=True, eq=False)
class DrawnDiscs:
    """Filled circles with a rim, each with its own colours; always in pixels.

    Attributes
    ----------
    points, radii : (K, 2) and (K,), to the middle of the rim.
    faces, rims : (K, 3) uint8, red, green and blue.
    widths : (K,), of the rims; 0 for none.
    """

    points: Floats
    radii: Floats
    faces: NDArray[np.uint8]
    rims: NDArray[np.uint8]
    widths: Floats


@dataclass(frozen=True, eq=False)
class Lenses:
    """Intersections of two circles: segments (K, 2, 2) from centre to centre, radii (K, 2), reach as for `Circles`."""

    segments: Floats
    radii: Floats
    reach: float
    fill: Color


@dataclass(frozen=True, eq=False)
class Labels:
    """Text beside circles (points, radii, reach as for `Circles`), at a free corner of each, with a halo.

    plate : whether the text is on a plate in the colour of the halo, kept inside the picture and not repeated at the
        opposite edge of a periodic box.
    """

    points: Floats
    radii: Floats
    reach: float
    texts: Sequence[str]
    color: Color
    halo: Color
    plate: bool = False


@dataclass(frozen=True, eq=False)
class Bars:
    """Many opaque lines with individual widths, clipped at the edges of the box; in space cylinders that spheres hide.

    Attributes
    ----------
    segments, half : (K, 2, d), and half the width of each, (K,).
    marked : (K,), whether a line is drawn in `marked_color`, in the plane above the others.
    haze : in space, the colour into which what is far away fades, and the share of it at the back; None for none.
    """

    segments: Floats
    half: Floats
    color: Color
    marked: NDArray[np.bool_]
    marked_color: Color
    haze: tuple[Color, float] | None = None


@dataclass(frozen=True, eq=False)
class Rings:
    """Many hollow discs, points (K, d) and radii (K,), clipped at the edges of the box: a rim of `width` pixels around
    the colour `ground`."""

    points: Floats
    radii: Floats
    width: float
    color: Color
    ground: Color


@dataclass(frozen=True, eq=False)
class Outlines:
    """Rings around discs of the scene that stay visible if the discs are small, and are small if there are very many.

    Attributes
    ----------
    discs : (K,) int64, their numbers.
    color, halo : of the rings, and of the hairlines beside them.
    """

    discs: NDArray[np.int64]
    color: Color
    halo: Color


@dataclass(frozen=True, eq=False)
class Polygons:
    """Closed shapes.

    Attributes
    ----------
    points, start : (P, 2), all corners, and (K + 1,), the first corner of each shape and P. Corners lie outside a
        periodic box if a shape crosses its edge.
    which : (K,), the index of each look.
    fills, edges : the fill and edge colours of each look.
    width : pixels, of the edge.
    dashes : lengths of the dashes and gaps of edges in a legend or around the box, over their width; () for a line.
    """

    points: Floats
    start: NDArray[np.int64]
    which: NDArray[np.int64]
    fills: Sequence[Color]
    edges: Sequence[Color]
    width: float
    dashes: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Heat:
    """A colour map over the whole box, interpolated between the centres of cells.

    Attributes
    ----------
    entries : (rows, columns), the index in the table for each cell, the first row at the bottom.
    table : (256, 4), red, green, blue and alpha, 0…255.
    """

    entries: NDArray[np.uint8]
    table: NDArray[np.uint8]


@dataclass(frozen=True)
class Text:
    """A line of text, which begins at (x, y) on its base line; always in pixels. halo : a colour around its letters."""

    x: float
    y: float
    text: str
    color: Color
    halo: Color | None = None


@dataclass(frozen=True, eq=False)
class Image:
    """An image stretched over a rectangle; always in pixels.

    Attributes
    ----------
    left, top, width, height : the rectangle.
    pixels : (H, W, 4) uint8, red, green, blue and straight alpha.
    smooth : whether it is interpolated between the centres of its pixels.
    """

    left: float
    top: float
    width: float
    height: float
    pixels: NDArray[np.uint8]
    smooth: bool


Primitive = Lines | Arrows | Circles | Lenses | Labels | Bars | Rings | Outlines | Polygons | Heat
"""What a layer gives, in world units."""

Flat = Lines | Circles | DrawnDiscs | Bars | Polygons | Text | Image
"""What a painter draws, in pixels."""
