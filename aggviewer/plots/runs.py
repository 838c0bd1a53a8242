"""What the plots compare: the runs, how these are distinguished, and references, which are curves of earlier runs.

A few references stay in the plots, as plain numbers with a name and a colour. No widgets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import NamedTuple

import numpy as np

from aggviewer.document.window import LONGEST_NAME, MOST_REFERENCES, KeptReference, PlotsModel
from aggviewer.style.theme import Colors
from engine.arrays import Floats
from engine.errors import InputError

_SHORT = 3  # most characters of a name that is shown beside each number in a plot


@dataclass(frozen=True)
class RunStyle:
    """A run in the plots.

    Parameters
    ----------
    name : preferably short: "ED", "f = 0.25".
    hue : of its colour: that of the method ``"event-driven"``, which all runs of other systems have, too, or of
        ``"time-stepping"``.
    shade : of the hue: 0, or 1 for the second of two runs with the same hue.
    dimensions : of its box.
    traits : what some plots need of a run, in words of its system (`Plot.has_place`), such as "turns".
    """

    name: str
    hue: str
    shade: int = 0
    dimensions: int = 2
    traits: frozenset[str] = frozenset()


def with_distinct_names(runs: Sequence[RunStyle]) -> list[RunStyle]:
    """These runs, numbered if two have the same name, since columns of tables are named after them."""
    names = [run.name for run in runs]
    return [
        replace(run, name=f"{run.name} {names[: place + 1].count(run.name)}") if names.count(run.name) > 1 else run
        for place, run in enumerate(runs)
    ]


@dataclass(frozen=True)
class RunLook:
    """How a run is drawn. Of two runs, the first is wide or filled and the second, on top of it, thin or a ring, so
    that both are visible where they coincide. `broken` lines mark the second shade."""

    colour: str
    alone: bool
    first: bool
    broken: bool

    @property
    def swatch(self) -> str:
        """The mark of the run in a rich text."""
        return f'<span style="color:{self.colour}">{"●" if self.first else "○"}</span>'


def looks(runs: Sequence[RunStyle], theme: Colors) -> list[RunLook]:
    """How each of the runs is drawn."""
    return [
        RunLook(_colour(run, theme), alone=len(runs) == 1, first=place == 0, broken=run.shade > 0 and len(runs) > 1)
        for place, run in enumerate(runs)
    ]


def short_names(runs: Sequence[RunStyle]) -> list[str]:
    """The names beside numbers: empty for a single run, and if they are too long for a plot."""
    if len(runs) == 1 or any(len(run.name) > _SHORT for run in runs):
        return [""] * len(runs)
    return [escape(run.name) for run in runs]


def matching_runs(before: Sequence[RunStyle], now: Sequence[RunStyle]) -> list[int | None]:
    """For each of the runs `now`, its index in `before`, None if it is new.

    A run that is not found by its style is the one at the same index if the number of runs is unchanged: it continues
    with another method.
    """
    sources: list[int | None] = []
    for place, run in enumerate(now):
        if run in before:
            sources.append(list(before).index(run))
        elif len(before) == len(now) and before[place] not in now:
            sources.append(place)
        else:
            sources.append(None)
    return sources


def method_colour(method: str, shade: int, theme: Colors) -> str:
    """The colour of a method, in another shade for a second run of the same method."""
    if method == "time-stepping":
        return theme.time_stepping_shade if shade else theme.time_stepping
    return theme.event_driven_shade if shade else theme.event_driven


def _colour(run: RunStyle, theme: Colors) -> str:
    return method_colour(run.hue, run.shade, theme)


_POINTS = 240  # of a curve, at most
_EDGES = 1000  # of a histogram, at most
_DIGITS = 7


FULL = f"You can keep {MOST_REFERENCES} references; remove one first (× beside its name)"
"""Why curves of one more run cannot be kept."""


class Points(NamedTuple):
    """A curve, as quantities.

    Parameters
    ----------
    x, y : (K,); x (K + 1,) for the edges of a histogram.
    error : (K,), standard errors of y, if the curve is a mean of several.
    """

    x: Floats
    y: Floats
    error: Floats | None = None


Curves = Mapping[str, Points]
"""The data of series, by key."""


@dataclass
class Reference:
    """The curves kept from one run.

    Parameters
    ----------
    name : of the run.
    slot : 0 … 4, its colour and dashes.
    curves : by plot, `Plot.kept_as`.
    """

    name: str
    slot: int
    curves: dict[str, Curves] = field(default_factory=dict)


def thinned(x: Floats, y: Floats, error: Floats | None = None) -> Points | None:
    """At most 240 points of a curve, including first and last, with seven digits; None for an empty curve and for a
    histogram of more than 1000 bars.

    x : (K,), or (K + 1,) for the edges of a histogram; y, error : (K,).
    """
    if len(x) == len(y) + 1:
        if len(x) > _EDGES or not len(y):
            return None
    elif not len(y):
        return None
    elif len(y) > _POINTS:
        kept = np.unique(np.linspace(0, len(y) - 1, _POINTS).astype(np.intp))
        x, y, error = x[kept], y[kept], None if error is None else error[kept]
    return Points(_rounded(x), _rounded(y), None if error is None else _rounded(error))


def _rounded(values: Floats) -> Floats:
    return np.array([float(f"{value:.{_DIGITS}g}") for value in values.tolist()])


class References:
    """The references of a system, in the order in which they were kept.

    to_plain : the initial ones.
    """

    def __init__(self, kept: Iterable[KeptReference] = ()) -> None:
        self._kept = [
            Reference(one.name, one.slot, {plot: _read(curves) for plot, curves in one.curves.items()}) for one in kept
        ]

    def __iter__(self) -> Iterator[Reference]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, plot: str) -> list[tuple[Reference, Curves]]:
        """The references that have curves for this plot."""
        return [(one, one.curves[plot]) for one in self._kept if plot in one.curves]

    def has_room(self, name: str) -> bool:
        """Whether curves of this name can be kept."""
        return len(self._kept) < MOST_REFERENCES or any(one.name == name[:LONGEST_NAME] for one in self._kept)

    def keep(self, name: str, plot: str, curves: Curves) -> Reference | None:
        """Keep curves of a run for this plot, together with those of the same name for other plots.

        Returns
        -------
        The reference; None if there is nothing to keep, or if there are too many references.
        """
        small = {field: points for field, one in curves.items() if (points := thinned(*one)) is not None}
        if not small:
            return None
        name = name[:LONGEST_NAME]
        found = next((one for one in self._kept if one.name == name), None)
        if found is None:
            free = sorted(set(range(MOST_REFERENCES)) - {one.slot for one in self._kept})
            if not free:
                return None
            found = Reference(name, free[0])
            self._kept.append(found)
        found.curves[plot] = small
        return found

    def remove(self, name: str) -> None:
        """Remove the reference of this name."""
        self._kept = [one for one in self._kept if one.name != name]

    @property
    def to_plain(self) -> tuple[KeptReference, ...]:
        """All of them as plain numbers, for the document."""
        return tuple(
            KeptReference(
                name=one.name,
                slot=one.slot,
                curves={
                    plot: {
                        name: tuple(_plain(part) for part in points if part is not None)
                        for name, points in curves.items()
                    }
                    for plot, curves in one.curves.items()
                },
            )
            for one in self._kept
        )


def references_of(model: PlotsModel, system: str) -> References:
    """A modifiable copy of the references of a system in the document."""
    return References(model.references.get(system, ()))


def keep_curves(model: PlotsModel, system: str, name: str, curves: Mapping[str, Curves]) -> None:
    """Keep curves as a reference of a system in the document.

    Parameters
    ----------
    name : of the reference.
    curves : by plot (`Plot.kept_as`).

    Raises
    ------
    InputError
        There are too many references.
    """
    references = references_of(model, system)
    if not references.has_room(name):
        raise InputError(FULL, "plots")
    for plot, one in curves.items():
        references.keep(name, plot, one)
    model.keep_references(system, references.to_plain)


def _plain(values: Floats) -> tuple[float | None, ...]:
    return tuple(value if np.isfinite(value) else None for value in values.tolist())


def _read(curves: Mapping[str, tuple[tuple[float | None, ...], ...]]) -> Curves:
    """The curves of one plot, without inconsistent ones."""
    found: dict[str, Points] = {}
    for name, parts in curves.items():
        x, y, *errors = (np.array([np.nan if value is None else value for value in values]) for values in parts)
        error = errors[0] if errors else None
        if len(x) - len(y) in (0, 1) and (error is None or len(error) == len(y)):
            found[name] = Points(x, y, error)
    return found
