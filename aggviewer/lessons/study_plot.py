"""What the small study of a lesson has measured: means with their standard errors over what was varied."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QVBoxLayout, QWidget

from aggviewer.lessons.answers import number_text
from aggviewer.lessons.model import Ensemble
from aggviewer.lessons.player import EnsembleResult
from aggviewer.plots.axes import log_or_gap
from aggviewer.plots.error_bars import Errors, draw_errors
from aggviewer.plots.view import Axes, PlotView
from aggviewer.style.formulas import symbol_html, with_subscripts
from aggviewer.style.theme import Colors
from engine.scenario import describe

_HEIGHT = 184  # pixels
_MARGIN = 0.08  # of a range, free at its ends
_SYMBOL = 9  # pixels


def varied_label(ensemble: Ensemble) -> str:
    """What stands at the x axis: name, symbol and unit of the key that is varied, or the number of the run."""
    if not ensemble.vary:
        return "run"
    field = describe(ensemble.vary)
    unit = f" ({field.unit})" if field.unit else ""
    return f"{field.label} {symbol_html(field.symbol) if field.symbol else ''}".strip() + unit


class EnsemblePlot(QWidget):
    """Draws a study. ensemble : what was asked for."""

    def __init__(self, ensemble: Ensemble) -> None:
        super().__init__()
        self._ensemble = ensemble
        axes = Axes(varied_label(ensemble), with_subscripts(ensemble.label), x_log=ensemble.log)
        self.view = PlotView(axes)
        self.view.setFixedHeight(_HEIGHT)
        self.view.setAccessibleName(f"{ensemble.label} over {ensemble.vary or 'the runs'}")
        self._points = pg.PlotDataItem(symbol="o", symbolSize=_SYMBOL)
        self._bars = pg.ErrorBarItem()
        self._level = pg.InfiniteLine(angle=0)
        self._name = pg.TextItem(anchor=(1.0, 1.0))
        for item in (self._level, self._bars, self._points, self._name):
            self.view.addItem(item)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view)

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        pen = pg.mkPen(colors.text, width=1.5)  # blue and orange are the methods
        self._points.setPen(pen)
        self._points.setSymbolPen(None)
        self._points.setSymbolBrush(QColor(colors.text))
        self._bars.setOpts(pen=pen)
        self._level.setPen(pg.mkPen(colors.muted, width=1.5, dash=(4.0, 3.0)))
        self._name.setColor(colors.muted)
        self.view.set_theme(colors)

    def show_study(self, study: EnsembleResult) -> None:
        """Draw what was measured."""
        ensemble = self._ensemble
        values = ensemble.values or tuple(range(1, len(study.points) + 1))
        numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        plain = np.array(values if numeric else range(len(values)), np.float64)
        x = log_or_gap(plain) if ensemble.log else plain
        y = np.array([point.value for point in study.points])
        error = np.nan_to_num(np.array([point.error for point in study.points]))
        self._points.setData(x, y)
        draw_errors(self._bars, Errors(x, y, error), log=False)
        if not numeric:
            ticks = [(float(k), str(value)) for k, value in enumerate(values)]
            self.view.getPlotItem().getAxis("bottom").setTicks([ticks])
        low, high = float((y - error).min()), float((y + error).max())
        if study.level is not None:
            low, high = min(low, study.level), max(high, study.level)
        wide, tall = float(np.ptp(x)) or 1.0, (high - low) or 1.0
        right = float(x.max()) + _MARGIN * wide
        self.view.set_bounds(
            (float(x.min()) - _MARGIN * wide, right, low - 2.0 * _MARGIN * tall, high + 2.0 * _MARGIN * tall)
        )
        self._level.setVisible(study.level is not None)
        self._name.setVisible(study.level is not None)
        if study.level is not None:
            self._level.setValue(study.level)
            self._name.setText(ensemble.level_name)
            self._name.setPos(right, study.level)
        self.view.set_points(x, y)
        self.view.describe = lambda index: f"{number_text(plain[index])}: {study.points[index].text(3)}"
