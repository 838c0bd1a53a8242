"""The runs that the plots compare, and how they are distinguished. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

from aggviewer.style.theme import Colors

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
    """

    name: str
    hue: str
    shade: int = 0
    dimensions: int = 2


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
