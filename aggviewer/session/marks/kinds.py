"""The kinds of marks that there are, and the numbers that each of them gives of a state.

A kind is one `Kind` in the registry: tools, menu, list and drawing follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import degrees, hypot, isnan
from typing import Any, Literal
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.marks.model import Anchor, Mark
from aggviewer.session.notices import log
from engine import plugins
from engine.errors import InputError
from engine.registry import Registry
from engine.selection.measures import (
    LineProfile,
    angle_between,
    in_rectangle,
    profile,
    radius_of_gyration,
    step_between,
)

Floats = NDArray[np.float64]

Shape = Literal["line", "angle", "rectangle", "band", "discs", "text", "arrow"]
"""How a mark is drawn, see `aggviewer.canvas.layers.measures`."""

Outline = Callable[["Mark", list[Floats], "State"], Sequence[Floats]]
"""Gives the lines of a mark whose ends are at these places, each (n, 2) from point to point; its words stand at the
first point of the first one."""

USUAL_WIDTH = 4.0
"""Width of the band of a profile, in mean diameters."""

BINS_PER_DIAMETER = 2.0
"""Bins of a profile for each mean diameter of its line."""

_MOST_BINS = 400

VISIBLE = "of the visible discs"
"""The note of a number for which discs that are hidden do not count."""


@dataclass(frozen=True, eq=False)
class State:
    """The discs that are measured.

    Attributes
    ----------
    positions, radii : (N, 2) and (N,), at the time of the frame; NaN for discs that are hidden.
    box : (2,); periodic : whether its edges are.
    diameter : the mean one.
    hides : whether discs are hidden; what is counted is what is seen then, and is said to be.
    """

    positions: Floats
    radii: Floats
    box: Floats
    periodic: bool
    diameter: float
    hides: bool = False

    def place(self, anchor: Anchor) -> Floats | None:
        """Where an anchor is, (2,); None on a disc that is not there, or hidden."""
        if anchor.disc is None:
            return np.array([anchor.x, anchor.y])
        if anchor.disc >= len(self.positions) or not np.isfinite(self.positions[anchor.disc]).all():
            return None
        found: Floats = self.positions[anchor.disc].copy()
        return found

    def places(self, mark: Mark) -> list[Floats] | None:
        """Where all its anchors are; None where one of them is nowhere."""
        found = [self.place(anchor) for anchor in mark.anchors]
        return None if any(place is None for place in found) else [place for place in found if place is not None]

    @property
    def note(self) -> str:
        """What is to be known about what is counted."""
        return VISIBLE if self.hides else ""

    def step(self, one: Floats, other: Floats) -> Floats:
        """From one place to the other, in a periodic box to its nearest image."""
        return step_between(one, other, self.box, periodic=self.periodic)

    def crosses_edge(self, one: Floats, other: Floats) -> bool:
        """Whether the nearest image lies across an edge."""
        return bool(np.abs(self.step(one, other) - (other - one)).max() > 1e-9 * self.box.max())


@dataclass(frozen=True)
class Reading:
    """A number of a mark.

    Attributes
    ----------
    name, unit : such as ``Distance`` and ``length``; symbol : such as ``d``.
    value : the number; NaN where there is none.
    note : what is to be known about it, "" for nothing.
    """

    name: str
    symbol: str
    value: float
    unit: str = ""
    note: str = ""


Readings = Sequence[Reading]


@dataclass(frozen=True)
class Kind:
    """A kind of marks.

    Parameters
    ----------
    name : its key in session files; it never changes.
    label, tip, icon, keys : of its tool.
    hints : what to do for each of its ends, in order: as many as it has anchors.
    shape : how it is drawn: one of the known shapes, or a function that gives its lines.
    readings : the numbers of a mark whose ends are at these places.
    in_picture : these numbers in a few words, for the picture.
    on_discs : an end that is put on a disc follows it.
    of_selection : it measures the discs that are selected, and has no ends.
    asks : it has words of its own, which are asked for when its ends are set.
    """

    name: str
    label: str
    tip: str
    icon: str
    hints: tuple[str, ...]
    shape: Shape | Outline
    readings: Callable[[Mark, list[Floats], State], Readings] = field(default=lambda mark, places, state: ())
    in_picture: Callable[[Readings], str] = field(default=lambda readings: "")
    on_discs: bool = True
    of_selection: bool = False
    asks: bool = False
    keys: tuple[str, ...] = ()


def _fits(kind: Kind, others: Sequence[Kind]) -> None:
    if kind.name in [known.name for known in others]:
        raise InputError(f"there is a kind of marks {kind.name} already")


def _fits_of_plug_in(kind: Any, others: Sequence[Kind]) -> None:
    if not isinstance(kind, Kind):
        raise InputError(f"what it adds as a kind of marks is of the type {type(kind).__name__}, not a Kind")
    _fits(kind, (*KINDS.parts, *others))


KINDS: Registry[Kind] = Registry(_fits)
"""The kinds of the program itself."""

_failed: WeakSet[Kind] = WeakSet()  # kinds of plug-ins whose numbers fail, which is said once

plugins.check("mark", _fits_of_plug_in)


def register(kind: Kind) -> Kind:
    """Make a kind known, and return it. InputError for a name that is taken."""
    return KINDS.add(kind)


def kinds() -> tuple[Kind, ...]:
    """All of them, in the order of the tools; those of plug-ins come last."""
    return (*KINDS.parts, *plugins.made("mark"))


def kind_of(mark: Mark) -> Kind | None:
    """Its kind; None where that is not known, or the mark has another number of ends than it needs."""
    kind = next((known for known in kinds() if known.name == mark.kind), None)
    return kind if kind is not None and len(mark.anchors) == len(kind.hints) else None


def readings_of(mark: Mark, state: State) -> Readings:
    """The numbers of a mark; none where one of its ends is nowhere, or it cannot be measured."""
    kind, places = kind_of(mark), state.places(mark)
    if kind is None or places is None:
        return ()
    try:
        return kind.readings(mark, places, state)
    except InputError:
        return ()
    except Exception:  # of a plug-in: whatever it raises
        if kind not in _failed:
            _failed.add(kind)
            log.exception("marks of the kind %s cannot be measured", kind.name)
        return ()


def digits(value: float) -> str:
    """A number with four digits, of the same length as long as it is of the same size."""
    if isnan(value):
        return "–"
    if value == 0.0:
        return "0"
    if not 1e-3 <= abs(value) < 1e6:
        return f"{value:.3e}"
    decimals = max(0, 3 - int(np.floor(np.log10(abs(value)))))
    return f"{value:.{decimals}f}"


def length_words(length: float, diameter: float) -> str:
    """``3.412 ≈ 6.82 diameters``."""
    return digits(length) + (f" ≈ {length / diameter:.3g} diameters" if diameter > 0.0 and not isnan(length) else "")


# The kinds of the program. Each gives its numbers first, and below them what of these stands in the picture.

_NEAREST = "to the nearest image, across the edge"


def _lengths(name: str, symbol: str, length: float, state: State, note: str = "") -> list[Reading]:
    """A length in the scenario's unit and in mean diameters."""
    each = length / state.diameter if state.diameter > 0.0 else float("nan")
    return [Reading(name, symbol, length, "length", note), Reading(name, symbol, each, "diameters")]


def _length_in_picture(readings: Readings) -> str:
    if not readings:
        return ""
    length, diameters = readings[0], readings[1]
    across = ", across the edge" if length.note else ""
    return f"{length.symbol} = {digits(length.value)} ≈ {diameters.value:.3g} diameters{across}"


def _distance(mark: Mark, places: list[Floats], state: State) -> Readings:
    step = state.step(places[0], places[1])
    note = _NEAREST if state.crosses_edge(places[0], places[1]) else ""
    return [
        *_lengths("Distance", "d", hypot(*step), state, note),
        Reading("Along x", "Δx", float(step[0]), "length"),
        Reading("Along y", "Δy", float(step[1]), "length"),
    ]


def _angle(mark: Mark, places: list[Floats], state: State) -> Readings:
    one, vertex, other = places
    across = state.crosses_edge(vertex, one) or state.crosses_edge(vertex, other)
    angle = degrees(angle_between(one, vertex, other, state.box, periodic=state.periodic))
    return [Reading("Angle", "∠", angle, "°", _NEAREST if across else "")]


def _angle_in_picture(readings: Readings) -> str:
    if not readings or isnan(readings[0].value):
        return ""
    return f"{readings[0].value:.1f}°" + (", across the edge" if readings[0].note else "")


def _rectangle(mark: Mark, places: list[Floats], state: State) -> Readings:
    found = in_rectangle(state.positions, state.radii, state.box, places[0], places[1], periodic=state.periodic)
    return [
        Reading("Discs with their centres inside", "N", found.count, note=state.note),
        Reading("Number density", "n", found.number_density, "1 / length²"),
        Reading("Volume fraction", "V_f", found.volume_fraction),
        Reading("Area", "A", found.area, "length²"),
    ]


def _discs(count: Reading) -> str:
    """``12 discs``, or ``12 visible discs`` where others are hidden."""
    return f"{count.value:.0f} {'visible ' if count.note else ''}{'disc' if count.value == 1 else 'discs'}"


def _rectangle_in_picture(readings: Readings) -> str:
    if not readings or isnan(readings[1].value):
        return ""
    count, density, fraction = readings[:3]
    return f"{_discs(count)}, n = {digits(density.value)}, volume fraction {digits(fraction.value)}"


def band_width(mark: Mark, state: State) -> float:
    """Width of the band of a profile."""
    return mark.width or USUAL_WIDTH * state.diameter


def profile_of(mark: Mark, state: State) -> LineProfile | None:
    """The profile along the line of a mark; None where there is none."""
    places = state.places(mark)
    if places is None or len(places) != 2:
        return None
    length = hypot(*(places[1] - places[0]))
    bins = int(np.clip(round(BINS_PER_DIAMETER * length / max(state.diameter, 1e-300)), 1, _MOST_BINS))
    width = band_width(mark, state)
    try:
        return profile(
            state.positions, state.radii, state.box, places[0], places[1], width, periodic=state.periodic, bins=bins
        )
    except InputError:
        return None


def _profile(mark: Mark, places: list[Floats], state: State) -> Readings:
    length = hypot(*(places[1] - places[0]))
    width = band_width(mark, state)
    found = profile(
        state.positions, state.radii, state.box, places[0], places[1], width, periodic=state.periodic, bins=1
    )
    return [
        *_lengths("Length", "s", length, state),
        Reading("Width of the band", "w", width, "length"),
        Reading("Mean volume fraction", "V_f", float(found.volume_fraction[0]), note=state.note),
        Reading("Mean number density", "n", float(found.number_density[0]), "1 / length²"),
    ]


def _profile_in_picture(readings: Readings) -> str:
    if not readings:
        return ""
    fraction = readings[3]
    return f"mean volume fraction {digits(fraction.value)}{' ' if fraction.note else ''}{fraction.note}"


def _gyration(mark: Mark, places: list[Floats], state: State) -> Readings:
    named = mark.numbers[mark.numbers < len(state.positions)]
    discs = named[np.isfinite(state.positions[named, 0])]
    found = radius_of_gyration(state.positions[discs], state.radii[discs], state.box, periodic=state.periodic)
    note = "joined to its own image: it has no end" if isnan(found) and len(discs) else ""
    count = Reading("Discs", "N", len(discs), note=VISIBLE if len(discs) < len(named) else "")
    return [*_lengths("Radius of gyration", "R_g", found, state, note), count]


def _gyration_in_picture(readings: Readings) -> str:
    if not readings or isnan(readings[0].value):
        return "radius of gyration: none" if readings else ""
    length, diameters, number = readings
    words = f"radius of gyration {digits(length.value)} ≈ {diameters.value:.3g} diameters"
    return f"{words}, {_discs(number)}"


DISTANCE, ANGLE, RECTANGLE, PROFILE, GYRATION, TEXT, ARROW = (
    register(kind)
    for kind in (
        Kind(
            "distance",
            "Distance",
            "Between two places or discs, across a periodic edge to the nearest image",
            "mdi6.ruler",
            ("Click where the distance begins", "Click where it ends"),
            "line",
            _distance,
            _length_in_picture,
            keys=("M",),
        ),
        Kind(
            "angle",
            "Angle",
            "Between the ways from one place or disc to two others",
            "mdi6.angle-acute",
            ("Click the end of the first side", "Click the corner", "Click the end of the second side"),
            "angle",
            _angle,
            _angle_in_picture,
        ),
        Kind(
            "rectangle",
            "Density in a rectangle",
            "Number density and volume fraction; a disc that is cut counts with the part inside",
            "mdi6.select",
            ("Click a corner of the rectangle", "Click the opposite corner"),
            "rectangle",
            _rectangle,
            _rectangle_in_picture,
            on_discs=False,
        ),
        Kind(
            "profile",
            "Profile along a line",
            "Density and volume fraction along a line, in a band around it, as a plot and as CSV",
            "mdi6.chart-bell-curve",
            ("Click where the line begins", "Click where it ends"),
            "band",
            _profile,
            _profile_in_picture,
            on_discs=False,
        ),
        Kind(
            "gyration",
            "Radius of gyration",
            "Of the discs that are selected, across periodic edges",
            "mdi6.circle-multiple-outline",
            (),
            "discs",
            _gyration,
            _gyration_in_picture,
            of_selection=True,
        ),
        Kind(
            "text",
            "Text",
            "Words at a place or on a disc, which they follow",
            "mdi6.format-text",
            ("Click where the text stands",),
            "text",
            asks=True,
        ),
        Kind(
            "arrow",
            "Arrow",
            "From one place or disc to another one, with or without words",
            "mdi6.arrow-top-right",
            ("Click where the arrow begins", "Click what it points at"),
            "arrow",
            asks=True,
        ),
    )
)
