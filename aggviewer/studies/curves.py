"""The curves of a study as the plots of its system show them: means over the seeds of points of the grid. No Qt."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aggviewer.document.plots import LONGEST_NAME
from aggviewer.plots.plot import Plot
from aggviewer.plots.references import Curves, Floats
from aggviewer.plots.study_curves import StartDiscs
from aggviewer.studies.results import Results
from engine.study import labels

MOST_RUNS = 1_000
"""Of a point, that a mean is made of: the first ones."""


def curves_for(plots: Sequence[Plot]) -> tuple[str, ...]:
    """Names of the curves of a study that these plots can show, each once."""
    return tuple(dict.fromkeys(one.name for plot in plots for one in plot.study_curves.values()))


@dataclass(frozen=True)
class PointCurves:
    """What is kept of a point of the grid. name : says which; curves : by plot, `Plot.kept_as`."""

    name: str
    curves: dict[str, Curves]


class MeanCurves:
    """Makes the mean curves of some points, a little at a time, so that a window can go on meanwhile.

    Parameters
    ----------
    results : of the study.
    plots : of its system.
    points : numbers of points of the grid, in whose order they are made.
    """

    def __init__(self, results: Results, plots: Sequence[Plot], points: Sequence[int]) -> None:
        self._results, self._plots = results, plots
        self.found: list[PointCurves] = []
        """The curves made so far; a point without any curve is left out."""
        self._work = self._all(points)

    def work(self, budget: float) -> bool:
        """Go on for about so many seconds; whether all are made."""
        end = time.perf_counter() + budget
        while next(self._work, self) is None:
            if time.perf_counter() > end:
                return False
        return True

    def _all(self, points: Sequence[int]) -> Iterator[None]:
        for point in points:
            runs: dict[tuple[str, str], list[tuple[Floats, Floats]]] = {}
            seeds = self._results.done_at(point)[:MOST_RUNS]
            count = 0
            for seed in seeds:
                count += self._add(runs, point, seed)
                yield
            curves: dict[str, Curves] = {}
            for plot in self._plots:
                means = {
                    field: mean
                    for field, one in plot.study_curves.items()
                    if (mean := one.mean(runs.get((plot.kept_as, field), ()))) is not None
                }
                if means:
                    curves[plot.kept_as] = means
                yield
            if curves:
                self.found.append(PointCurves(name_of(self._results, point, count), curves))

    def _add(self, runs: dict[tuple[str, str], list[tuple[Floats, Floats]]], point: int, seed: int) -> bool:
        """Add the curves of a run, as plots show them; whether it has any."""
        from engine.study.starts import initial_radii  # brings numba

        there = self._results.curves(point, seed)
        if not there:
            return False
        grid = self._results.grid
        radii = initial_radii(grid.scenario.with_values(grid.points[point].values | {"seed": seed}))
        discs = StartDiscs(len(radii), float(radii.mean()))
        for plot in self._plots:
            for field, one in plot.study_curves.items():
                found = there.get(one.name)
                if found is not None and len(found.y):
                    runs.setdefault((plot.kept_as, field), []).append(one.shown(found.x, found.y, discs))
        return True


def name_of(results: Results, point: int, count: int) -> str:
    """What a reference is called: title, place in the grid and number of runs. A long title is cut, the rest is not."""
    place = labels.place(results.grid.points[point], results.grid)
    of = f" (n = {count})"
    end = f": {place}{of}" if place else of
    title, room = results.study.title, LONGEST_NAME - len(end)
    return (title if len(title) <= room else title[: max(0, room - 1)] + "…") + end
