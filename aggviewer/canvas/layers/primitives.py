"""What a layer of the picture is made of. Places are world units, widths and radii pixels. No Qt, no OpenGL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Color:
    """red, green, blue : 0…255; alpha : 0…1."""

    red: int
    green: int
    blue: int
    alpha: float = 1.0

    @staticmethod
    def of(text: str, alpha: float = 1.0) -> Color:
        """Of ``#rrggbb``."""
        return Color(int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16), alpha)


@dataclass(frozen=True)
class Stroke:
    """A line of one colour, `width` pixels wide."""

    color: Color
    width: float


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines that all look alike.

    Attributes
    ----------
    segments : (K, 2, 2), start and end of each; the end lies outside a periodic box where the line crosses its edge.
    strokes : all lines are drawn with the first one, then all with the next: a halo comes first.
    """

    segments: Floats
    strokes: tuple[Stroke, ...]


@dataclass(frozen=True, eq=False)
class Arrows:
    """Lines from foot to tip, with a head of so many pixels; arrows shorter than `shortest` pixels are none."""

    segments: Floats
    strokes: tuple[Stroke, ...]
    head: float = 9.0
    shortest: float = 6.0


@dataclass(frozen=True)
class Look:
    """How circles are drawn: with each stroke in turn, then a disc in `fill` of `filled` times the radius."""

    strokes: tuple[Stroke, ...] = ()
    fill: Color | None = None
    filled: float = 1.0


@dataclass(frozen=True, eq=False)
class Circles:
    """Circles; those of one look are drawn together, in the order of the looks.

    Attributes
    ----------
    points, radii : (K, 2), world units, and (K,), pixels.
    reach : pixels that any of them covers at most around its centre.
    looks : the ways in which they are drawn.
    which : (K,), the number of each circle's look; None if all have the first one.
    """

    points: Floats
    radii: Floats
    reach: float
    looks: tuple[Look, ...]
    which: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class Lenses:
    """What two circles share: segments (K, 2, 2) from middle to middle, radii (K, 2), reach as of `Circles`."""

    segments: Floats
    radii: Floats
    reach: float
    fill: Color


@dataclass(frozen=True, eq=False)
class Labels:
    """Words beside circles (points, radii, reach as of `Circles`), in a free corner of each, with a halo.

    plate : they stand on a plate in the colour of the halo, inside of the picture, and once: not again at the opposite
        edge of a periodic box.
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
    """Many opaque lines, each of its own width, cut at the edges of the box.

    Attributes
    ----------
    segments, half : (K, 2, 2), and half the width of each, (K,).
    marked : (K,), those that are drawn above the others in `marked_color`.
    """

    segments: Floats
    half: Floats
    color: Color
    marked: NDArray[np.bool_]
    marked_color: Color


@dataclass(frozen=True, eq=False)
class Rings:
    """Many hollow discs, points (K, 2) and radii (K,), cut at the edges of the box: a rim of `width` pixels around the
    colour `ground`."""

    points: Floats
    radii: Floats
    width: float
    color: Color
    ground: Color


@dataclass(frozen=True, eq=False)
class Outlines:
    """Rings around discs of the scene, which stay seen when the discs are small, and small where they are very many.

    Attributes
    ----------
    discs : (K,) int64, their numbers.
    color, halo : of the rings, and of the hair lines beside them.
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
        periodic box where a shape crosses its edge.
    which : (K,), the look of each.
    fills, edges : the colours of each look inside and along the edge.
    width : pixels, of the edge.
    """

    points: Floats
    start: NDArray[np.int64]
    which: NDArray[np.int64]
    fills: Sequence[Color]
    edges: Sequence[Color]
    width: float


@dataclass(frozen=True, eq=False)
class Heat:
    """Colours over the whole box, smooth between the middles of the cells that divide it.

    Attributes
    ----------
    entries : (rows, columns), the colour of each cell, its place in the table, the first row at the bottom.
    table : (256, 4), red, green, blue and alpha, 0…255.
    """

    entries: NDArray[np.uint8]
    table: NDArray[np.uint8]


Primitive = Lines | Arrows | Circles | Lenses | Labels | Bars | Rings | Outlines | Polygons | Heat
