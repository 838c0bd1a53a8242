"""The plot of a lesson's small study: means with standard errors against the varied parameter."""

from __future__ import annotations

import numpy as np

from aggviewer.extensions.lessons.answers import number_text
from aggviewer.extensions.lessons.model import Ensemble
from aggviewer.extensions.lessons.player import EnsembleResult
from aggviewer.plots.drawing import PLAIN, Axes, PlotDrawing, PlotSeries, drawing, level
from aggviewer.plots.drawing_view import DrawingView, places_of, round_range
from aggviewer.style.formulas import symbol_html
from engine.scenario import describe
from engine.study.symbols import as_html

_HEIGHT = 184  # pixels
_SYMBOL = 9.0  # pixels


def varied_label(ensemble: Ensemble) -> str:
    """The label of the x axis: name, symbol and unit of the varied key, or the number of the run."""
    if not ensemble.vary:
        return "run"
    field = describe(ensemble.vary)
    unit = f" ({field.unit})" if field.unit else ""
    return f"{field.label} {symbol_html(field.symbol) if field.symbol else ''}".strip() + unit


def draw_ensemble(ensemble: Ensemble, study: EnsembleResult) -> PlotDrawing:
    """Draw the means with their errors, and the level to compare with, if any."""
    x, _ = places_of(ensemble.values or range(1, len(study.points) + 1))
    y = np.array([point.value for point in study.points])
    error = np.nan_to_num(np.array([point.error for point in study.points]))
    levels = [] if study.level is None else [level("level", study.level, dash="dashed", label=ensemble.level_name)]

    def words(index: int) -> str:
        return f"{number_text(x[index])}: {study.points[index].text(3)}"

    means = PlotSeries("means", x, y, role=PLAIN, error=error, marker="o", size=_SYMBOL, words=words)
    up = np.concatenate([y - error, y + error, *(one.y for one in levels)])
    return drawing([*levels, means], (*round_range(x, ensemble.log), *round_range(up, False)))


class EnsemblePlot(DrawingView):
    """Shows a study. ensemble : its specification."""

    def __init__(self, ensemble: Ensemble) -> None:
        _, words = places_of(ensemble.values)
        label = as_html(ensemble.label)
        super().__init__(Axes(varied_label(ensemble), label, x_log=ensemble.log, x_ticks=words))
        self._ensemble = ensemble
        self.setFixedHeight(_HEIGHT)
        self.setAccessibleName(f"{ensemble.label} over {ensemble.vary or 'the runs'}")

    def show_study(self, study: EnsembleResult) -> None:
        """Show the results."""
        self.show_drawing(draw_ensemble(self._ensemble, study))
