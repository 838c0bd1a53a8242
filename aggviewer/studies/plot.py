"""The plot of a study: the mean over the first parameter with error bars, a line for each value of the second, and the
single runs as faint points. If only the seed varies: the runs over their seeds, and their mean as a horizontal line."""

from __future__ import annotations

from math import floor, isfinite, log10
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtCore import pyqtSignal
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QLabel, QVBoxLayout, QWidget

from aggviewer.plots.axes import log_or_gap
from aggviewer.plots.view import Axes, PlotView
from aggviewer.studies.results import Floats, Results
from aggviewer.studies.table import mean_and_error
from aggviewer.style.formulas import with_subscripts
from aggviewer.style.theme import Colors
from engine.study import labels
from engine.study.grid import GridPoint

_MOST_SINGLE = 5_000  # runs that are drawn as points, the last ones
_FAINT = 90  # alpha of a single run
_MARKS = ("o", "s", "d", "t1", "star", "t")
_MARGIN = 0.06  # of a range, free at its ends
_EMPTY = "The mean of each point with its error, and every run, as they come in."


def line_colors(colors: Colors) -> tuple[str, ...]:
    """Of the lines, told apart by colour-blind eyes; the first two are those of the methods."""
    dark = QColor(colors.base).lightness() < 128
    more = ("#2fc39a", "#e6a3cb", "#e6d75a", "#b9c2cc") if dark else ("#009e73", "#b5558f", "#7a7a00", "#444444")
    return (colors.event_driven, colors.time_stepping, *more)


class StudyPlot(QWidget):
    """``run_chosen(point, seed)``: a click on a run."""

    run_chosen = pyqtSignal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.legend = QLabel()
        self.legend.setWordWrap(True)
        self.view: PlotView | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addWidget(self.legend)
        self._results: Results | None = None
        self._colors: Colors | None = None
        self._axes: Axes | None = None
        self._items: list[Any] = []
        self._shown: tuple[list[int], list[int], list[float]] = ([], [], [])
        self._name = ""

    def show_results(self, results: Results, name: str, *, singles: bool, log: bool, colors: Colors) -> None:
        """Draw one quantity.

        Parameters
        ----------
        name : of the quantity.
        singles : every run too.
        log : its axis is logarithmic.
        """
        self._results, self._name = results, name
        self._make_view(log, colors)
        view = self.view
        assert view is not None
        for item in self._items:
            view.removeItem(item)
        self._items = []
        points, seeds, values = results.singles(name)
        view.set_empty("" if values else _EMPTY)
        self._write_legend(colors)
        if not values:
            view.set_points(np.empty(0), np.empty(0))
            return
        if not results.grid.axes:
            self._draw_seeds(singles=singles)
            return
        x = self._x_of_points()
        palette = line_colors(colors)
        count, mean, error = results.means(name)
        up = log_or_gap if log else np.asarray
        spans: list[Floats] = [up(mean), up(mean - np.nan_to_num(error)), up(mean + np.nan_to_num(error))]
        last = slice(-_MOST_SINGLE, None) if singles else slice(0)
        self._shown = (points[last], seeds[last], values[last])
        at = np.array(self._shown[0], np.intp)
        single_y = up(np.array(self._shown[2], np.float64))
        lines = self._line_of_points()
        if singles:
            spans.append(single_y)
            of_line = np.array(lines)[at]
            for line in range(max(lines) + 1):
                mine = (of_line == line) & np.isfinite(single_y)
                faint = _faint(palette[line % len(palette)])
                spots = pg.ScatterPlotItem(x[at][mine], single_y[mine], size=6, pen=None, brush=faint)
                spots.setZValue(1)
                self._add(spots)
        for line in range(max(lines) + 1):
            on_line = (np.array(lines) == line) & (count > 0) & np.isfinite(up(mean))
            self._draw_line(np.flatnonzero(on_line), line, x, mean, error, up)
        view.set_points(x[at], single_y, np.ones(len(at), np.bool_))
        view.set_bounds((*_range(x), *_range(np.concatenate(spans))))

    def _draw_seeds(self, *, singles: bool) -> None:
        """Draw every run over its seed, their mean, and a band of one standard error above and below it."""
        results, colors, view, axes = self._results, self._colors, self.view, self._axes
        if results is None or colors is None or view is None or axes is None:
            return
        up = log_or_gap if axes.y_log else np.asarray
        self._shown = results.singles(self._name)
        _, means, errors = results.means(self._name)
        mean, error = float(means[0]), float(np.nan_to_num(errors[0]))
        x, y = np.array(self._shown[1], np.float64), up(np.array(self._shown[2], np.float64))
        first = results.study.seeds.first
        ends = np.array([first - 0.5, first + results.study.seeds.count - 0.5])
        color = line_colors(colors)[0]
        line = pg.PlotDataItem(ends, up(np.full(2, mean)), pen=pg.mkPen(color, width=2))
        line.setZValue(5)
        self._add(line)
        low, high = (up(np.full(2, mean + side * error)) for side in (-1.0, 1.0))
        if error > 0.0 and np.isfinite([low, high]).all():
            band = pg.FillBetweenItem(pg.PlotCurveItem(ends, high), pg.PlotCurveItem(ends, low), brush=_faint(color))
            self._add(band)
        if singles:
            spots = pg.ScatterPlotItem(x, y, size=8, pen=None, brush=color)
            spots.setZValue(6)
            self._add(spots)
        view.set_points(x, y, np.full(len(x), singles))
        view.set_bounds((float(ends[0]), float(ends[1]), *_range(np.concatenate([y, low, high]))))

    def _draw_line(self, at: NDArray[np.intp], line: int, x: Floats, mean: Floats, error: Floats, up: Any) -> None:
        """The means of one value of the second parameter. at : the points of the grid on it."""
        if self._colors is None or not len(at):
            return
        palette = line_colors(self._colors)
        color = palette[line % len(palette)]
        mark = _MARKS[(line // len(palette) + line) % len(_MARKS)]
        at = at[np.argsort(x[at], kind="stable")]
        look = {"symbol": mark, "symbolSize": 8, "symbolBrush": color, "symbolPen": None}
        curve = pg.PlotDataItem(x[at], up(mean[at]), pen=pg.mkPen(color, width=2), **look)
        curve.setZValue(5)
        self._add(curve)
        known = at[np.isfinite(error[at])]
        low, high = up(mean[known] - error[known]), up(mean[known] + error[known])
        good = np.isfinite(low) & np.isfinite(high)
        known, low, high = known[good], low[good], high[good]
        if len(known):
            middle = up(mean[known])
            bars = pg.ErrorBarItem(
                x=x[known], y=middle, top=high - middle, bottom=middle - low, pen=pg.mkPen(color, width=1.5)
            )
            bars.setZValue(4)
            self._add(bars)

    def _add(self, item: Any) -> None:
        assert self.view is not None
        self.view.addItem(item)
        self._items.append(item)

    # axes

    def _make_view(self, log: bool, colors: Colors) -> None:
        """Another drawing area where the axes or the theme are others."""
        results = self._results
        assert results is not None
        vary = next(iter(results.grid.axes), None)
        x_log = vary is not None and vary.range is not None and vary.range.log
        text = with_subscripts(_capital(labels.label(self._name, results.grid))) if self._name else ""
        across = "seed" if vary is None else with_subscripts(labels.label(vary.name, results.grid))
        axes = Axes(across, text, x_log, log, corner="top left")
        if axes == self._axes and colors == self._colors:
            return
        if self.view is not None:
            self._column.removeWidget(self.view)
            self.view.hide()
            self.view.deleteLater()
        self._axes, self._colors, self._items = axes, colors, []
        self.view = PlotView(axes)
        self.view.set_theme(colors)
        self.view.describe = self._describe
        self.view.point_clicked.connect(self._on_click)
        self._column.addWidget(self.view, 1)
        values = self._values(0) if vary is not None else []
        if not _numeric(values):
            ticks = [(float(k), labels.value(value)) for k, value in enumerate(values)]
            self.view.getPlotItem().getAxis("bottom").setTicks([ticks])

    def _values(self, axis: int) -> list[Any]:
        """The values of a parameter, each once, in the order of the grid."""
        assert self._results is not None
        key = self._results.grid.axes[axis].key
        return list(dict.fromkeys(point.values[key] for point in self._results.grid.points))

    def _x_of_points(self) -> Floats:
        """Where each point of the grid is on the x axis, in plot coordinates."""
        assert self._results is not None
        assert self._axes is not None
        grid, values = self._results.grid, self._values(0)
        key = grid.axes[0].key
        if not _numeric(values):
            return np.array([float(values.index(point.values[key])) for point in grid.points])
        found = np.array([float(point.values[key]) for point in grid.points])
        return log_or_gap(found) if self._axes.x_log else found

    def _line_of_points(self) -> list[int]:
        """On which line each point of the grid is."""
        assert self._results is not None
        grid = self._results.grid
        if len(grid.axes) < 2:
            return [0] * len(grid.points)
        key, values = grid.axes[1].key, self._values(1)
        return [values.index(point.values[key]) for point in grid.points]

    def _write_legend(self, colors: Colors) -> None:
        assert self._results is not None
        grid = self._results.grid
        self.legend.setVisible(len(grid.axes) != 1)
        if not grid.axes:
            self.legend.setText(mean_in_words(self._results, self._name))
        if len(grid.axes) > 1:
            palette, title = line_colors(colors), with_subscripts(labels.axis_title(grid.axes[1]))
            parts = [
                f'<span style="color:{palette[k % len(palette)]}">●</span>&nbsp;{with_subscripts(labels.value(value))}'
                for k, value in enumerate(self._values(1))
            ]
            self.legend.setText(f"{title}: " + " &nbsp; ".join(parts))

    # the mouse

    def _describe(self, index: int) -> str:
        if self._results is None or index >= len(self._shown[0]):
            return ""
        points, seeds, values = self._shown
        point, seed, value = points[index], seeds[index], values[index]
        return f"{with_subscripts(place_of(self._results, self._results.grid.points[point]))}, seed {seed}: {value:.4g}"

    def _on_click(self, index: int) -> None:
        if index < len(self._shown[0]):
            self.run_chosen.emit(self._shown[0][index], self._shown[1][index])


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


def _numeric(values: list[Any]) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _faint(color: str) -> QColor:
    found = QColor(color)
    found.setAlpha(_FAINT)
    return found


def _range(values: Floats) -> tuple[float, float]:
    """A range around all numbers, with ends that are round, so that it stays as it is while runs come in."""
    found = values[np.isfinite(values)]
    if not len(found):
        return 0.0, 1.0
    low, high = float(found.min()), float(found.max())
    span = high - low
    if not (span > 0.0 and isfinite(span)):
        span = abs(low) or 1.0
    step = 10.0 ** floor(log10(span)) / 4.0
    return (
        floor((low - _MARGIN * span) / step) * step,
        -floor(-(high + _MARGIN * span) / step) * step,
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
