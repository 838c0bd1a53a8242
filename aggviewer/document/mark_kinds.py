"""The kinds of marks: the points each of them needs, what it measures, its text and its drawing. No Qt.

A kind is one entry in `KINDS`. Its tool, its menu entry, its row in the list and its drawing follow from that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import degrees, hypot, isnan

import numpy as np

from engine.arrays import Floats
from engine.boundary import Periodic
from engine.selection.measures import angle_between, in_rectangle, step_between
from engine.words import count, typeset

MarkPoints = Sequence[Floats]
"""Where the ends of a mark are, (d,) each."""

_ARC = 24.0  # pixels from the corner of an angle to its arc
_ACROSS = "to the nearest image, across the edge"
_VISIBLE = "of the visible discs"


@dataclass(frozen=True, eq=False)
class VisibleDiscs:
    """The visible discs, for measurements.

    Attributes
    ----------
    positions, radii : (N, d) and (N,), at the time of the frame; NaN for discs that are hidden.
    box : (d,), its sides; periodic : along which axes it is periodic, or one truth value for all.
    diameter : the mean one.
    some_hidden : whether some discs are hidden; they are not counted.
    """

    positions: Floats
    radii: Floats
    box: Floats
    periodic: Periodic
    diameter: float
    some_hidden: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "periodic", Periodic.of(self.periodic, len(self.box)))

    def step(self, start: Floats, end: Floats) -> Floats:
        """The step (d,) from one point to another, to its nearest image across periodic edges."""
        return step_between(start, end, self.box, periodic=self.periodic)

    def crosses_edge(self, start: Floats, end: Floats) -> bool:
        """Whether the nearest image of `end` lies across a periodic edge; both are points (d,)."""
        return bool(np.abs(self.step(start, end) - (end - start)).max() > 1e-9 * self.box.max())


@dataclass(frozen=True)
class Quantity:
    """A measured number.

    Attributes
    ----------
    name, symbol, unit : such as ``Distance``, ``d`` and ``length``; the unit of a pure number is empty.
    value : NaN if undefined.
    note : a remark about it; may be empty.
    """

    name: str
    symbol: str
    value: float
    unit: str = ""
    note: str = ""


@dataclass(frozen=True, eq=False)
class Outline:
    """The drawing of a mark: polylines, (n, d) each, and the place of its text, None for no text."""

    lines: Sequence[Floats]
    words_at: Floats | None


def _no_quantities(points: MarkPoints, discs: VisibleDiscs) -> Sequence[Quantity]:
    return ()


def _no_summary(quantities: Sequence[Quantity]) -> str:
    return ""


@dataclass(frozen=True)
class MarkKind:
    """A kind of mark.

    Parameters
    ----------
    name : its name in session files; it never changes.
    label, tip, icon, keys : of its tool.
    hints : the instruction for each of its points, in order; it has as many points as hints.
    outline : gives the drawing of a mark with its ends at these points; the last argument is the length of a pixel.
    measure : computes the numbers of a mark.
    summary : puts these numbers into a few words, for the picture.
    on_discs : whether an end that is placed on a disc follows it.
    in_space : whether there are such marks of spheres, with all ends on spheres.
    asks_text : whether the user is asked for its text when its ends are set.
    """

    name: str
    label: str
    tip: str
    icon: str
    hints: tuple[str, ...]
    outline: Callable[[MarkPoints, VisibleDiscs, float], Outline]
    measure: Callable[[MarkPoints, VisibleDiscs], Sequence[Quantity]] = _no_quantities
    summary: Callable[[Sequence[Quantity]], str] = _no_summary
    on_discs: bool = True
    in_space: bool = True
    asks_text: bool = False
    keys: tuple[str, ...] = ()


def digits(value: float) -> str:
    """A number with four digits, of equal length for values of similar size; a dash for NaN."""
    if isnan(value):
        return "–"
    if value == 0.0:
        return "0"
    if not 1e-3 <= abs(value) < 1e6:
        return typeset(value, ".3e")
    decimals = max(0, 3 - int(np.floor(np.log10(abs(value)))))
    return typeset(value, f".{decimals}f")


def in_words(quantities: Sequence[Quantity]) -> str:
    """All numbers of a mark with units, for lists."""
    text, symbol_before = "", ""
    for each in quantities:
        number = count(each.value) if each.symbol == "N" else digits(each.value)
        unit = each.unit if each.unit in ("", "°") else f" {each.unit}"
        note = f" ({each.note})" if each.note else ""
        if each.symbol == symbol_before:  # the same quantity in another unit
            text += f" = {number}{unit}{note}"
        else:
            symbol = each.symbol if "_" not in each.symbol else each.name.lower()
            text += f"{',  ' if text else ''}{symbol} = {number}{unit}{note}"
        symbol_before = each.symbol
    return text


# Distance


def _distance(points: MarkPoints, discs: VisibleDiscs) -> Sequence[Quantity]:
    step = discs.step(*points)
    length = hypot(*step)
    return [
        Quantity("Distance", "d", length, "length", _ACROSS if discs.crosses_edge(*points) else ""),
        Quantity("Distance", "d", length / discs.diameter if discs.diameter > 0.0 else float("nan"), "diameters"),
        *(
            Quantity(f"Along {axis}", f"Δ{axis}", part, "length")
            for axis, part in zip("xyz", step.tolist(), strict=False)
        ),
    ]


def _distance_summary(quantities: Sequence[Quantity]) -> str:
    length, diameters, *_ = quantities
    across = ", across the edge" if length.note else ""
    return f"d = {digits(length.value)} ({typeset(diameters.value, '.3g')} diameters){across}"


def _distance_outline(points: MarkPoints, discs: VisibleDiscs, pixel: float) -> Outline:
    start, step = points[0], discs.step(*points)
    return Outline([np.array([start, start + step])], start + 0.5 * step)


# Angle


def _angle(points: MarkPoints, discs: VisibleDiscs) -> Sequence[Quantity]:
    one, corner, other = points
    across = discs.crosses_edge(corner, one) or discs.crosses_edge(corner, other)
    angle = degrees(angle_between(one, corner, other, discs.box, periodic=discs.periodic))
    return [Quantity("Angle", "∠", angle, "°", _ACROSS if across else "")]


def _angle_summary(quantities: Sequence[Quantity]) -> str:
    [angle] = quantities
    return "" if isnan(angle.value) else f"{angle.value:.1f}°" + (", across the edge" if angle.note else "")


def _angle_outline(points: MarkPoints, discs: VisibleDiscs, pixel: float) -> Outline:
    """The outline of an angle: both sides, and an arc between them with the text in the middle."""
    corner = points[1]
    steps = [discs.step(corner, end) for end in (points[0], points[2])]
    sides = [np.array([corner, corner + step]) for step in steps]
    radius = min(_ARC * pixel, *(0.5 * hypot(*step) for step in steps))
    if radius <= 0.0:
        return Outline(sides, None)
    along = steps[0] / hypot(*steps[0])
    across = steps[1] - (steps[1] @ along) * along
    if hypot(*across) <= 1e-9 * hypot(*steps[1]):  # both sides on one line: any direction across it
        across = np.eye(len(along))[np.abs(along).argmin()]
        across -= (across @ along) * along
    across /= hypot(*across)
    angles = np.linspace(0.0, np.arctan2(steps[1] @ across, steps[1] @ along), 25)[:, np.newaxis]
    arc = corner + radius * (np.cos(angles) * along + np.sin(angles) * across)
    return Outline([*sides, arc], arc[len(arc) // 2])


# Rectangle


def _rectangle(points: MarkPoints, discs: VisibleDiscs) -> Sequence[Quantity]:
    found = in_rectangle(discs.positions, discs.radii, discs.box, *points, periodic=discs.periodic)
    return [
        Quantity("Discs with their centres inside", "N", found.count, note=_VISIBLE if discs.some_hidden else ""),
        Quantity("Number density", "n", found.number_density, "1 / length²"),
        Quantity("Volume fraction", "V_f", found.volume_fraction),
        Quantity("Area", "A", found.area, "length²"),
    ]


def _rectangle_summary(quantities: Sequence[Quantity]) -> str:
    inside, density, fraction, _ = quantities
    if isnan(density.value):
        return ""
    discs = f"{count(inside.value)} {'visible ' if inside.note else ''}{'disc' if inside.value == 1 else 'discs'}"
    return f"{discs}, n = {digits(density.value)}, volume fraction {digits(fraction.value)}"


def _rectangle_outline(points: MarkPoints, discs: VisibleDiscs, pixel: float) -> Outline:
    (x, y), (u, v) = points
    edge = np.array([(x, y), (u, y), (u, v), (x, v), (x, y)])
    return Outline([edge], np.array([min(x, u), max(y, v)]))


# Note


def _note_outline(points: MarkPoints, discs: VisibleDiscs, pixel: float) -> Outline:
    return Outline([], points[0])


KINDS = {
    kind.name: kind
    for kind in (
        MarkKind(
            "distance",
            "Distance",
            "The distance between two places or {discs}, to the nearest image across periodic edges",
            "mdi6.ruler",
            ("Click where the distance begins", "Click where it ends"),
            _distance_outline,
            _distance,
            _distance_summary,
            keys=("M",),
        ),
        MarkKind(
            "angle",
            "Angle",
            "The angle at one place or {disc} between two others",
            "mdi6.angle-acute",
            ("Click the end of the first side", "Click the corner", "Click the end of the second side"),
            _angle_outline,
            _angle,
            _angle_summary,
        ),
        MarkKind(
            "rectangle",
            "Density in a rectangle",
            "Number density and volume fraction; of a disc on the edge only the part inside counts",
            "mdi6.select",
            ("Click a corner of the rectangle", "Click the opposite corner"),
            _rectangle_outline,
            _rectangle,
            _rectangle_summary,
            on_discs=False,
            in_space=False,
        ),
        MarkKind(
            "text",
            "Note",
            "Text at a place, or on a {disc} that it follows",
            "mdi6.format-text",
            ("Click where the note should be",),
            _note_outline,
            asks_text=True,
        ),
    )
}
"""All kinds by name, in the order of their tools."""
