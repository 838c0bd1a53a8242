"""The plot of a study: the mean against the first parameter with error bars, a line for each value of the second, and
single runs as faint points; and the curves for the plots of its system. If only the seed varies: the runs against their
seeds, and their mean as a line in a band of one standard error."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QLabel, QVBoxLayout, QWidget

from aggviewer.document.window import LONGEST_NAME
from aggviewer.extensions.studies.plan import mean_in_words
from aggviewer.extensions.studies.results import Results, StudyRuns
from aggviewer.plots.drawing import Axes, PlotDrawing, PlotSeries, Role, drawing
from aggviewer.plots.plot import Plot, StartDiscs
from aggviewer.plots.runs import Curves
from aggviewer.plots.series_items import group_colours
from aggviewer.plots.view import DrawingView, places_of, round_range
from aggviewer.style.theme import Colors
from engine.arrays import Floats
from engine.study import labels
from engine.study.grid import Grid
from engine.study.labels import as_html
from engine.study.quantities import CurveQuantity
from engine.study.store import reading
from engine.words import typeset

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
    """Single runs as clickable points of a plot. x (n,) : of each run."""

    def words(k: int) -> str:
        place = as_html(labels.place(results.grid.points[runs.point[k]], results.grid))
        return f"{place}, seed {runs.seed[k]}: {typeset(runs.value[k], '.4g')}"

    size = _SINGLE if faint else _MEAN
    return PlotSeries(key, x, runs.value, "points", role, marker="o", size=size, faint=faint, words=words, clicked=True)


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
        for name, one in plot.study_curves.items():
            found = curves.get(one.name)
            if found is not None and len(found.y):
                runs.setdefault((plot.kept_as, name), []).append(one.shown(found.x, found.y, discs))


def _means(runs: _Runs, plot: Plot) -> Curves:
    """The mean of each curve of a plot over the runs of a study."""
    found = ((name, one.mean(runs.get((plot.kept_as, name), ()))) for name, one in plot.study_curves.items())
    return {name: mean for name, mean in found if mean is not None}


def name_of(grid: Grid, point: int, count: int) -> str:
    """The name of a reference: title, point of the grid and number of runs. Only a long title is shortened."""
    place = labels.place(grid.points[point], grid)
    of = f" (n = {typeset(count, '.0f')})"
    end = f": {place}{of}" if place else of
    title, room = grid.study.title, LONGEST_NAME - len(end)
    return (title if len(title) <= room else title[: max(0, room - 1)] + "…") + end


_EMPTY = "The mean of each point with its error, and every run, as results arrive."


class StudyPlot(QWidget):
    """Signal ``run_chosen(point, seed)``: a run was clicked."""

    run_chosen = pyqtSignal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.legend = QLabel()
        self.legend.setWordWrap(True)
        self.view: DrawingView | None = None
        self.drawing: StudyDrawing | None = None
        """What is drawn now."""
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addWidget(self.legend)
        self._colors: Colors | None = None

    def show_results(self, results: Results, name: str, *, singles: bool, log: bool, colors: Colors) -> None:
        """Draw one quantity, see `draw_study`."""
        self.drawing = shown = draw_study(results, name, singles=singles, log=log)
        view = self._view_with_axes(shown, colors)
        view.set_empty("" if shown.drawing.has_data else _EMPTY)
        view.show_drawing(shown.drawing)
        self._write_legend(results, name, colors)

    def _view_with_axes(self, shown: StudyDrawing, colors: Colors) -> DrawingView:
        """A new drawing area if the axes have changed."""
        view = self.view
        if view is None or view.axes != shown.axes:
            if view is not None:
                self._column.removeWidget(view)
                view.hide()
                view.deleteLater()
            self.view = view = DrawingView(shown.axes)
            view.picked.connect(self._on_click)
            self._column.addWidget(view, 1)
            self._colors = None
        if colors != self._colors:
            self._colors = colors
            view.set_theme(colors)
        return view

    def _write_legend(self, results: Results, name: str, colors: Colors) -> None:
        grid = results.grid
        self.legend.setVisible(len(grid.axes) != 1)
        if not grid.axes:
            self.legend.setText(mean_in_words(results, name))
        if len(grid.axes) > 1:
            palette, title = group_colours(colors), as_html(labels.axis_title(grid.axes[1]))
            parts = [
                f'<span style="color:{palette[k % len(palette)]}">●</span>&nbsp;{as_html(labels.value(value))}'
                for k, value in enumerate(values_of(results, 1))
            ]
            self.legend.setText(f"{title}: " + " &nbsp; ".join(parts))

    def _on_click(self, series: Hashable, index: int) -> None:
        if self.drawing is not None:
            self.run_chosen.emit(*self.drawing.runs[str(series)][index])
