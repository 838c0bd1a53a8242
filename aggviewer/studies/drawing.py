"""What the plot of a study shows: the mean over the first parameter with its errors, a line for each value of the
second, and the single runs as faint points. If only the seed varies: the runs over their seeds, and their mean as a
line in a band of one standard error. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import floor, isfinite, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.axes import log_or_gap
from aggviewer.plots.drawing import Axes, Floats, PlotDrawing, PlotSeries, Role, Ticks, drawing
from aggviewer.studies.results import Results
from aggviewer.studies.table import mean_and_error
from aggviewer.style.formulas import with_subscripts
from engine.study import labels
from engine.study.grid import GridPoint

_MOST_SINGLE = 5_000  # runs that are drawn as points, the last ones
_MARGIN = 0.06  # of a range, free at its ends
_SINGLE, _MEAN = 6.0, 8.0  # pixels


@dataclass(frozen=True)
class StudyDrawing:
    """What is drawn of one quantity.

    Parameters
    ----------
    axes : of the plot.
    drawing : what is in it; empty while no run is through.
    runs : by key of a series, point of the grid and seed of each of its points.
    """

    axes: Axes
    drawing: PlotDrawing = field(default_factory=PlotDrawing)
    runs: dict[str, list[tuple[int, int]]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Runs:
    """Single runs: x, y (K,); point of the grid, seed and number of the line of each, (K,)."""

    x: Floats
    y: Floats
    point: NDArray[np.intp]
    seed: NDArray[np.intp]
    line: NDArray[np.intp]


def draw_study(results: Results, name: str, *, singles: bool, log: bool) -> StudyDrawing:
    """Draw a quantity of a study.

    Parameters
    ----------
    results : as far as they are in.
    name : of the quantity, "" for none.
    singles : every run too.
    log : its axis is logarithmic.
    """
    axes = axes_of(results, name, log=log)
    points, seeds, values = results.singles(name)
    if not values:
        return StudyDrawing(axes)
    rows = np.arange(len(values))[-_MOST_SINGLE:] if singles else np.empty(0, np.intp)
    point, seed = np.array(points, np.intp)[rows], np.array(seeds, np.intp)[rows]
    x, lines = (_x_of_points(results), np.array(_line_of_points(results))) if results.grid.axes else (None, None)
    runs = _Runs(
        seed.astype(np.float64) if x is None else x[point],
        np.array(values, np.float64)[rows],
        point,
        seed,
        np.zeros(len(rows), np.intp) if lines is None else lines[point],
    )
    if x is None or lines is None:
        found = _over_seeds(results, name, runs, np.array(values, np.float64), log=log)
    else:
        found = _over_parameter(results, name, runs, x, lines, axes)
    of_runs = {key: [(int(point[k]), int(seed[k])) for k in mine] for key, mine in _by_line(runs)}
    return StudyDrawing(axes, found, of_runs)


def axes_of(results: Results, name: str, *, log: bool) -> Axes:
    """The first parameter and the quantity; words have a tick each."""
    vary = next(iter(results.grid.axes), None)
    values = [] if vary is None else values_of(results, 0)
    words = [] if is_numeric(values) else [(float(k), labels.value(value)) for k, value in enumerate(values)]
    return Axes(
        "seed" if vary is None else with_subscripts(labels.label(vary.name, results.grid)),
        with_subscripts(_capital(labels.label(name, results.grid))) if name else "",
        vary is not None and vary.range is not None and vary.range.log,
        log,
        x_ticks=Ticks(words) if words else None,
    )


def _over_parameter(
    results: Results, name: str, runs: _Runs, x: Floats, lines: NDArray[np.intp], axes: Axes
) -> PlotDrawing:
    """Means over the first parameter, over the single runs. x, lines (P,): of each point of the grid."""
    count, mean, error = results.means(name)
    spread = np.nan_to_num(error)
    series = _single_runs(results, runs, _SINGLE, faint=True)
    for line in range(int(lines.max()) + 1):
        at = np.flatnonzero((lines == line) & (count > 0))
        at = at[np.argsort(x[at], kind="stable")]
        role = Role("group", slot=line)
        series.append(PlotSeries(f"means {line}", x[at], mean[at], "line", role, error[at], marker="o", size=_MEAN))
    up = np.concatenate([mean, mean - spread, mean + spread, runs.y])
    return drawing(series, (*_ends(x, axes.x_log), *_ends(up, axes.y_log)))


def _over_seeds(results: Results, name: str, runs: _Runs, values: Floats, *, log: bool) -> PlotDrawing:
    """Runs over their seeds, and their mean. values : of all runs."""
    _, means, errors = results.means(name)
    error, seeds = float(np.nan_to_num(errors[0])), results.study.seeds
    ends, level = np.array([seeds.first - 0.5, seeds.first + seeds.count - 0.5]), np.full(2, float(means[0]))
    group = Role("group")
    series = [
        PlotSeries("error of the mean", ends, level, "band", group, np.full(2, error)),
        PlotSeries("mean", ends, level, role=group),
        *_single_runs(results, runs, _MEAN, faint=False),
    ]
    up = np.concatenate([values, level - error, level + error])
    return drawing(series, (float(ends[0]), float(ends[1]), *_ends(up, log)))


def _by_line(runs: _Runs) -> list[tuple[str, NDArray[np.intp]]]:
    """The key of a series, and which of the runs are in it."""
    return [(f"runs {line}", np.flatnonzero(runs.line == line)) for line in np.unique(runs.line).tolist()]


def _single_runs(results: Results, runs: _Runs, size: float, *, faint: bool) -> list[PlotSeries]:
    """Points that answer a click, those of a line together."""
    return [
        PlotSeries(
            key,
            runs.x[mine],
            runs.y[mine],
            "points",
            Role("group", slot=int(runs.line[mine[0]])),
            marker="o",
            size=size,
            faint=faint,
            words=_words(results, runs, mine),
            clicked=True,
        )
        for key, mine in _by_line(runs)
    ]


def _words(results: Results, runs: _Runs, mine: NDArray[np.intp]) -> Callable[[int], str]:
    def words(index: int) -> str:
        k = mine[index]
        place = with_subscripts(place_of(results, results.grid.points[runs.point[k]]))
        return f"{place}, seed {runs.seed[k]}: {runs.y[k]:.4g}"

    return words


def values_of(results: Results, axis: int) -> list[Any]:
    """The values of a parameter, each once, in the order of the grid."""
    key = results.grid.axes[axis].key
    return list(dict.fromkeys(point.values[key] for point in results.grid.points))


def _x_of_points(results: Results) -> Floats:
    """Where each point of the grid is on the x axis."""
    grid, values = results.grid, values_of(results, 0)
    found = [point.values[grid.axes[0].key] for point in grid.points]
    return np.array([float(value) if is_numeric(values) else float(values.index(value)) for value in found])


def _line_of_points(results: Results) -> list[int]:
    """On which line each point of the grid is."""
    grid = results.grid
    if len(grid.axes) < 2:
        return [0] * len(grid.points)
    values = values_of(results, 1)
    return [values.index(point.values[grid.axes[1].key]) for point in grid.points]


def mean_in_words(results: Results, name: str) -> str:
    """The mean at the only point with its standard error and unit, rich text; "" if there is no run yet."""
    count, mean, error = (float(values[0]) for values in results.means(name))
    if not count:
        return ""
    symbol, unit = with_subscripts(labels.plain_label(name, results.grid)), labels.unit(name, results.grid)
    mean_text, error_text = (text.replace("-", "−") for text in mean_and_error(mean, error))
    numbers = f"<b>{mean_text} ± {error_text}</b>" if error > 0.0 else f"<b>{mean_text}</b>"
    runs = f"{count:.0f} runs" if count > 1 else "one run"
    of = f"standard error of {runs}" if error > 0.0 else runs
    return f"{_capital(symbol)} = {numbers} {with_subscripts(unit)}".rstrip() + f" ({of})"


def place_of(results: Results, point: GridPoint) -> str:
    """Where a point of the grid is: ``V_f = 0.2, N = 400``."""
    return labels.place(point, results.grid)


def is_numeric(values: list[Any]) -> bool:
    """Whether these are numbers, which have a place on an axis of their own."""
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _ends(values: Floats, log: bool) -> tuple[float, float]:
    """A range around all numbers, with ends that are round, so that it stays as it is while runs come in."""
    shown = log_or_gap(values) if log else values
    found = shown[np.isfinite(shown)]
    low, high = (float(found.min()), float(found.max())) if len(found) else (0.0, 1.0)
    if len(found):
        span = high - low
        if not (span > 0.0 and isfinite(span)):
            span = abs(low) or 1.0
        step = 10.0 ** floor(log10(span)) / 4.0
        low = floor((low - _MARGIN * span) / step) * step
        high = -floor(-(high + _MARGIN * span) / step) * step
    return (10.0**low, 10.0**high) if log else (low, high)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
