"""The curves of a study that a plot can show, and their means over the runs with standard errors. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from aggviewer.plots.references import Floats, Points
from engine.study.tables import mean_curve

_DIGITS = 9  # digits to which the x of two runs must agree


@dataclass(frozen=True)
class StartDiscs:
    """The initial discs of a run. count : N; radius : their mean radius."""

    count: int
    radius: float


Shown = Callable[[Floats, Floats, StartDiscs], tuple[Floats, Floats]]


def _as_it_is(x: Floats, y: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
    return x, y


@dataclass(frozen=True)
class StudyCurve:
    """A curve of a study that a plot can show.

    Parameters
    ----------
    name : as in ``[measure] curves`` of a study.
    shown : converts x and y of a run to those of the plot, given its initial discs.
    counted : whether it is a histogram: an x without an entry in a run counts as 0.
    """

    name: str
    shown: Shown = _as_it_is
    counted: bool = False

    def unit(self, discs: StartDiscs) -> float:
        """The plot's x for x = 1 in a run, if the two are proportional."""
        return float(self.shown(np.ones(1), np.ones(1), discs)[0][0])

    def mean(self, runs: Sequence[tuple[Floats, Floats]]) -> Points | None:
        """The mean of several runs as `shown`, with its standard error; None if there is none.

        Runs whose x differ from those of the first are interpolated in the common range.
        """
        there = [_rising(x, y) for x, y in runs if len(y) and np.isfinite(y).any()]
        if not there:
            return None
        if self.counted:
            there = _with_all_x(there)
        found = mean_curve(there)
        x, y, error = found["x"], found["y"], found["error"]
        if not (np.diff(x) > 0.0).all():  # the runs have no range in common
            return None
        return Points(x, y, error if np.isfinite(error).any() else None)


def _rising(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    order = np.argsort(x, kind="stable")
    return x[order], y[order]


def _with_all_x(runs: Sequence[tuple[Floats, Floats]]) -> list[tuple[Floats, Floats]]:
    """The runs with values at every x of any of them, 0 where a run has none."""
    entries = [dict(zip((float(f"{at:.{_DIGITS}g}") for at in x), y.tolist(), strict=True)) for x, y in runs]
    places = sorted({at for one in entries for at in one})
    return [(np.array(places), np.array([one.get(at, 0.0) for at in places])) for one in entries]


def over_first(x: Floats, y: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
    """y over its first value, or over its largest one if it begins at 0."""
    scale = float(y[0]) or float(np.nanmax(y))
    return x, y / scale if scale > 0.0 else y


def over_count(x: Floats, y: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
    """y over the number of discs."""
    return x, y / discs.count


def x_over_radius(x: Floats, y: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
    """x over the mean radius."""
    return x / discs.radius, y
