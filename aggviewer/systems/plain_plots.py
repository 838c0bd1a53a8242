"""Plots of a system that brings none of its own: each column of its history over time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from html import escape

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.curve import CurveItems, CurvePlot
from aggviewer.plots.plot import Drawn, Plot
from aggviewer.plots.table import Column
from aggviewer.plots.thinning import thin_history
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis
from engine.system import System

_MARGIN = 0.05  # of the range, free above and below the data


@dataclass(frozen=True)
class Course:
    """time, values (K,)."""

    time: NDArray[np.float64]
    values: NDArray[np.float64]


class HistoryPlot(CurvePlot):
    """Base: one column of the history over time."""

    column = ""
    symbol = ""
    """Of the column, for the number in the corner."""

    @classmethod
    def prepare(cls, analysis: Analysis) -> Course | None:
        """See `Plot.prepare`."""
        if analysis.history is None or not len(analysis.history.time):
            return None
        kept = thin_history(analysis.history.time)
        values: NDArray[np.float64] = np.asarray(vars(analysis.history)[cls.column], np.float64)
        return Course(analysis.history.time[kept], values[kept])

    def _draw(self, items: CurveItems, data: Course) -> Drawn | None:
        seen = np.isfinite(data.values)
        if not seen.any():
            return None
        items.curve.setData(data.time, data.values)
        low, high = float(data.values[seen].min()), float(data.values[seen].max())
        room = _MARGIN * (high - low) or max(abs(high), 1.0)
        right = max(float(data.time[-1]), float(data.time[0]) + 1e-9)
        return Drawn(
            data.time,
            data.values,
            lambda index: f"{data.time[index]:.4g}: {self.symbol} = {data.values[index]:.5g}",
            (float(data.time[0]), right, low - room, high + room),
            {self.symbol: f"{data.values[seen][-1]:.5g}"},
        )


@cache
def history_plots(system: System) -> tuple[type[Plot], ...]:
    """A plot for each column that means something in this system."""
    columns = system.history.columns()
    across = columns.pop("time")
    if not system.joins:
        columns.pop("clusters", None)
    if not system.moves:
        columns.pop("kinetic_energy", None)
    clock = system.clock
    found: list[type[Plot]] = []
    for name, column in columns.items():
        symbol = column.symbol or column.label
        values: dict[str, object] = {
            "column": name,
            "symbol": escape(symbol),
            "title": column.label,
            "definition": f"<p><b>{escape(column.label)}</b> over {escape(clock.name)}.</p>",
            "empty_text": f"{escape(column.label)} over {escape(clock.name)}.",
            "axes": Axes(escape(f"{clock.name} {clock.symbol}"), escape(symbol), corner="top right"),
            "columns": {"curve": (Column(clock.symbol, across.unit or "1"), Column(symbol, column.unit or "1"))},
        }
        found.append(type(f"{name.title().replace('_', '')}Plot", (HistoryPlot,), values))
    return tuple(found)
