"""Plots of a system without its own: each column of its history against time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from html import escape
from typing import Any

import numpy as np

from aggviewer.plots.axes import thin_history
from aggviewer.plots.drawing import Axes, Floats, PlotDrawing, PlotQuantity, PlotSeries, drawing
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import Plot, StudyCurve
from aggviewer.session.data import Analysis
from engine.study.symbols import as_html
from engine.system import System

_MARGIN = 0.05  # share of the range left free above and below the data


class HistoryPlot(Plot):
    """Base class: one column of the history against time."""

    column = ""
    symbol = ""
    """The symbol of the column, for the number in the corner."""
    indicators = frozenset()
    counts = True

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The column up to now."""
        if analysis.history is None or not len(analysis.history.time):
            return None
        kept = thin_history(analysis.history.time)
        time = analysis.history.time[kept]
        values: Floats = np.asarray(vars(analysis.history)[self.column], np.float64)[kept]
        known = values[np.isfinite(values)]
        if not len(known):
            return None
        low, high = float(known.min()), float(known.max())
        room = _MARGIN * (high - low) or max(abs(high), 1.0)
        right = max(float(time[-1]), float(time[0]) + 1e-9)
        curve = PlotSeries(
            "curve", time, values, words=lambda index: f"{time[index]:.4g}: {self.symbol} = {values[index]:.5g}"
        )
        return drawing([curve], (float(time[0]), right, low - room, high + room), {self.symbol: f"{known[-1]:.5g}"})


@cache
def history_plots(system: System) -> tuple[Plot, ...]:
    """A plot for each column that is defined in this system."""
    columns = system.history.columns()
    across = columns.pop("time")
    if not system.joins:
        columns.pop("clusters", None)
    if not system.moves:
        columns.pop("kinetic_energy", None)
    clock = system.clock
    found: list[Plot] = []
    for name, column in columns.items():
        symbol = column.symbol or column.label
        values: dict[str, object] = {
            "column": name,
            "symbol": as_html(symbol),
            "title": column.label,
            "definition": f"<p><b>{escape(column.label)}</b> over {escape(clock.name)}.</p>",
            "empty_text": f"{escape(column.label)} over {escape(clock.name)}.",
            "axes": Axes(escape(f"{clock.name} {clock.symbol}"), as_html(symbol), corner="top right"),
            "study_curves": {"curve": StudyCurve(f"history.{name}")},
            "columns": {
                "curve": (
                    PlotQuantity(clock.symbol, across.unit or "1"),
                    PlotQuantity(symbol, column.unit or "1"),
                )
            },
        }
        found.append(type(f"{name.title().replace('_', '')}Plot", (HistoryPlot,), values)())
    return tuple(found)
