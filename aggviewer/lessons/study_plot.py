"""What the small study of a lesson has measured: means with their standard errors over what was varied."""

from __future__ import annotations

import numpy as np
from PyQt6.QtWidgets import QVBoxLayout, QWidget

from aggviewer.lessons.answers import number_text
from aggviewer.lessons.model import Ensemble
from aggviewer.lessons.player import EnsembleResult
from aggviewer.plots.drawing import PLAIN, Axes, PlotDrawing, PlotSeries, Ticks, drawing, level
from aggviewer.plots.series_style import ShownSeries, style_of
from aggviewer.plots.view import PlotView
from aggviewer.style.formulas import symbol_html, with_subscripts
from aggviewer.style.theme import Colors
from engine.scenario import describe

_HEIGHT = 184  # pixels
_MARGIN = 0.08  # of a range, free at its ends
_SYMBOL = 9.0  # pixels


def varied_label(ensemble: Ensemble) -> str:
    """What stands at the x axis: name, symbol and unit of the key that is varied, or the number of the run."""
    if not ensemble.vary:
        return "run"
    field = describe(ensemble.vary)
    unit = f" ({field.unit})" if field.unit else ""
    return f"{field.label} {symbol_html(field.symbol) if field.symbol else ''}".strip() + unit


def axes_of(ensemble: Ensemble) -> Axes:
    """What was varied and what was measured; words have a tick each."""
    words = [] if _is_numeric(ensemble) else [(float(k), str(value)) for k, value in enumerate(ensemble.values)]
    return Axes(
        varied_label(ensemble),
        with_subscripts(ensemble.label),
        x_log=ensemble.log,
        x_ticks=Ticks(words) if words else None,
    )


def draw_ensemble(ensemble: Ensemble, study: EnsembleResult) -> PlotDrawing:
    """The means with their errors, and the level that they are compared with where there is one."""
    values = ensemble.values or tuple(range(1, len(study.points) + 1))
    x = np.array(values if _is_numeric(ensemble) else range(len(values)), np.float64)
    y = np.array([point.value for point in study.points])
    error = np.nan_to_num(np.array([point.error for point in study.points]))
    low, high = float((y - error).min()), float((y + error).max())
    lines = []
    if study.level is not None:
        low, high = min(low, study.level), max(high, study.level)
        lines.append(level("level", study.level, dash="dashed", label=ensemble.level_name))
    shown = np.log10(x) if ensemble.log else x
    wide, tall = float(np.ptp(shown)) or 1.0, (high - low) or 1.0
    left, right = float(shown.min()) - _MARGIN * wide, float(shown.max()) + _MARGIN * wide
    if ensemble.log:
        left, right = 10.0**left, 10.0**right

    def words(index: int) -> str:
        return f"{number_text(x[index])}: {study.points[index].text(3)}"

    means = PlotSeries("means", x, y, role=PLAIN, error=error, marker="o", size=_SYMBOL, words=words)
    return drawing([*lines, means], (left, right, low - 2.0 * _MARGIN * tall, high + 2.0 * _MARGIN * tall))


def _is_numeric(ensemble: Ensemble) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in ensemble.values)


class EnsemblePlot(QWidget):
    """Shows a study. ensemble : what was asked for."""

    def __init__(self, ensemble: Ensemble) -> None:
        super().__init__()
        self._ensemble = ensemble
        self._drawing: PlotDrawing | None = None
        self._colors: Colors | None = None
        self.view = PlotView(axes_of(ensemble))
        self.view.setFixedHeight(_HEIGHT)
        self.view.setAccessibleName(f"{ensemble.label} over {ensemble.vary or 'the runs'}")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view)

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        self._colors = colors
        self.view.set_theme(colors)
        self._show()

    def show_study(self, study: EnsembleResult) -> None:
        """Show what was measured."""
        self._drawing = draw_ensemble(self._ensemble, study)
        self._show()

    def _show(self) -> None:
        if self._drawing is None or self._colors is None:
            return
        bounds = self._drawing.panes[0].bounds
        if bounds is not None:
            self.view.set_bounds(bounds)
        self.view.show_series(
            [ShownSeries(one.key, one, style_of(one, self._colors), z) for z, one in enumerate(self._drawing.series)]
        )
