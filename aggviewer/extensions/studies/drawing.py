"""The contents of the plot of a study: the mean against the first parameter with error bars, a line for each value of
the second, and single runs as faint points. If only the seed varies: the runs against their seeds, and their mean as a
line in a band of one standard error. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from aggviewer.extensions.studies.results import Results, StudyRuns
from aggviewer.plots.drawing import Axes, Floats, PlotDrawing, PlotSeries, Role, drawing
from aggviewer.plots.drawing_view import places_of, round_range
from engine.study import labels
from engine.study.symbols import as_html

_MOST_SINGLE = 5_000  # the most runs that are drawn as points: the last ones
_SINGLE, _MEAN = 6.0, 8.0  # pixels


@dataclass(frozen=True)
class StudyDrawing:
    """The drawing of one quantity.

    Parameters
    ----------
    axes : of the plot.
    drawing : its contents; empty until the first run has finished.
    runs : the grid point and seed of each point of a series, by the key of the series.
    """

    axes: Axes
    drawing: PlotDrawing = field(default_factory=PlotDrawing)
    runs: dict[str, list[tuple[int, int]]] = field(default_factory=dict)


def draw_study(results: Results, name: str, *, singles: bool, log: bool) -> StudyDrawing:
    """Draw a quantity of a study.

    Parameters
    ----------
    results : so far.
    name : of the quantity, "" for none.
    singles : whether single runs are shown too.
    log : whether its axis is logarithmic.
    """
    axes = axes_of(results, name, log=log)
    every = results.singles(name)
    if not len(every.value):
        return StudyDrawing(axes)
    last = every[-_MOST_SINGLE:] if singles else every[:0]
    if results.grid.axes:
        found, of_series = _over_parameter(results, name, last, axes)
    else:
        found, of_series = _over_seeds(results, name, every, last, axes)
    of_runs = {key: list(zip(one.point.tolist(), one.seed.tolist(), strict=True)) for key, one in of_series.items()}
    return StudyDrawing(axes, found, of_runs)


def axes_of(results: Results, name: str, *, log: bool) -> Axes:
    """The axes: the first parameter and the quantity. Values that are words have a tick each."""
    vary = next(iter(results.grid.axes), None)
    return Axes(
        "seed" if vary is None else as_html(labels.label(vary.name, results.grid)),
        as_html(labels.capitalised(labels.label(name, results.grid))) if name else "",
        vary is not None and vary.range is not None and vary.range.log,
        log,
        x_ticks=None if vary is None else places_of(values_of(results, 0))[1],
    )


def values_of(results: Results, axis: int) -> list[Any]:
    """The values of a parameter, each once, in the order of the grid."""
    grid = results.grid
    return list(dict.fromkeys(grid.value_on(grid.axes[axis], point) for point in grid.points))


def _over_parameter(
    results: Results, name: str, runs: StudyRuns, axes: Axes
) -> tuple[PlotDrawing, dict[str, StudyRuns]]:
    """Draw means against the first parameter, above the single runs, which are returned by the key of their series."""
    places = np.array(results.grid.places)
    x = places_of(values_of(results, 0))[0][places[:, 0]]  # of each point of the grid
    line = places[:, 1] if len(results.grid.axes) > 1 else np.zeros(len(x), np.intp)
    count, mean, error = results.means(name)
    singles, means, of_series = [], [], {}
    for one in range(line.max() + 1):
        role, mine = Role("group", slot=one), runs[line[runs.point] == one]
        if len(mine.value):
            of_series[f"runs {one}"] = mine
            singles.append(_single_runs(results, f"runs {one}", x[mine.point], mine, role, faint=True))
        at = np.flatnonzero((line == one) & (count > 0))
        at = at[np.argsort(x[at], kind="stable")]
        means.append(PlotSeries(f"means {one}", x[at], mean[at], "line", role, error[at], marker="o", size=_MEAN))
    spread = np.nan_to_num(error)
    up = np.concatenate([mean, mean - spread, mean + spread, runs.value])
    bounds = (*round_range(x, axes.x_log), *round_range(up, axes.y_log))
    return drawing([*singles, *means], bounds), of_series


def _over_seeds(
    results: Results, name: str, every: StudyRuns, runs: StudyRuns, axes: Axes
) -> tuple[PlotDrawing, dict[str, StudyRuns]]:
    """Draw the runs against their seeds, and the mean of all; the runs are returned by the key of their series."""
    _, means, errors = results.means(name)
    error, seeds, role = float(np.nan_to_num(errors[0])), results.study.seeds, Role("group")
    ends, level = np.array([seeds.first - 0.5, seeds.first + seeds.count - 0.5]), np.full(2, float(means[0]))
    series = [
        PlotSeries("error of the mean", ends, level, "band", role, np.full(2, error)),
        PlotSeries("mean", ends, level, role=role),
        _single_runs(results, "runs", runs.seed.astype(np.float64), runs, role, faint=False),
    ]
    up = np.concatenate([every.value, level - error, level + error])
    return drawing(series, (float(ends[0]), float(ends[1]), *round_range(up, axes.y_log))), {"runs": runs}


def _single_runs(results: Results, key: str, x: Floats, runs: StudyRuns, role: Role, *, faint: bool) -> PlotSeries:
    """Runs as clickable points. x (n,) : of each."""

    def words(k: int) -> str:
        place = as_html(labels.place(results.grid.points[runs.point[k]], results.grid))
        return f"{place}, seed {runs.seed[k]}: {runs.value[k]:.4g}"

    size = _SINGLE if faint else _MEAN
    return PlotSeries(key, x, runs.value, "points", role, marker="o", size=size, faint=faint, words=words, clicked=True)
