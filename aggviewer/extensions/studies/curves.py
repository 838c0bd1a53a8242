"""The curves of a study for the plots of its system: means over the seeds at points of the grid. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from aggviewer.document.plots import LONGEST_NAME
from aggviewer.plots.plot import Plot
from aggviewer.plots.references import Curves, Floats
from aggviewer.plots.study_curves import StartDiscs
from engine.study import labels
from engine.study.grid import Grid
from engine.study.quantities import CurveQuantity
from engine.study.store import reading

MOST_RUNS = 1_000
"""The most runs of a point that enter a mean: the first ones."""

_Runs = dict[tuple[str, str], list[tuple[Floats, Floats]]]
"""The curves of several runs, by plot (`Plot.kept_as`) and by the name of the curve there."""


def curves_for(plots: Sequence[Plot]) -> tuple[str, ...]:
    """The names of the curves of a study that these plots can show, each once."""
    return tuple(dict.fromkeys(one.name for plot in plots for one in plot.study_curves.values()))


class PointCurves(NamedTuple):
    """The mean curves of a point of the grid. name : of the point; curves : by plot, `Plot.kept_as`."""

    name: str
    curves: dict[str, Curves]


def mean_curves(
    folder: Path,
    grid: Grid,
    plots: Sequence[Plot],
    points: Collection[int],
    cancelled: Callable[[], bool] = lambda: False,
) -> list[PointCurves]:
    """The mean curves of some points of the grid; a point without any curve is left out.

    Any thread. It takes a millisecond per run. If `cancelled`, it returns what it has so far.

    Parameters
    ----------
    folder : with the results of the study, to which another process may be adding.
    plots : of its system.
    points : numbers of points of the grid.

    Raises
    ------
    InputError
        The results cannot be read.
    """
    runs: dict[int, _Runs] = {point: {} for point in points}
    count = dict.fromkeys(points, 0)
    with reading(folder) as store:
        for point, seed, curves in store.curves(points):
            if cancelled():
                break
            if count[point] < MOST_RUNS:
                count[point] += 1
                _add(runs[point], grid, point, seed, curves, plots)
    found = []
    for point in points:
        of_plots = {plot.kept_as: _means(runs[point], plot) for plot in plots}
        kept = {name: means for name, means in of_plots.items() if means}
        if kept:
            found.append(PointCurves(name_of(grid, point, count[point]), kept))
    return found


def _add(
    runs: _Runs, grid: Grid, point: int, seed: int, curves: dict[str, CurveQuantity], plots: Sequence[Plot]
) -> None:
    """Add the curves of a run in the form that plots show."""
    from engine.initial import initial_radii  # brings numba

    radii = initial_radii(grid.scenario.with_values(grid.points[point].values | {"seed": seed}))
    discs = StartDiscs(len(radii), float(radii.mean()))
    for plot in plots:
        for field, one in plot.study_curves.items():
            found = curves.get(one.name)
            if found is not None and len(found.y):
                runs.setdefault((plot.kept_as, field), []).append(one.shown(found.x, found.y, discs))


def _means(runs: _Runs, plot: Plot) -> Curves:
    """The mean of each curve that a plot shows."""
    found = ((field, one.mean(runs.get((plot.kept_as, field), ()))) for field, one in plot.study_curves.items())
    return {field: mean for field, mean in found if mean is not None}


def name_of(grid: Grid, point: int, count: int) -> str:
    """The name of a reference: title, point of the grid and number of runs. Only a long title is shortened."""
    place = labels.place(grid.points[point], grid)
    of = f" (n = {count})"
    end = f": {place}{of}" if place else of
    title, room = grid.study.title, LONGEST_NAME - len(end)
    return (title if len(title) <= room else title[: max(0, room - 1)] + "…") + end
