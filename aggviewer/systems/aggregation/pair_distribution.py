"""The plot of P(r)."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below
from aggviewer.plots.card import Drawn, PlotCard
from aggviewer.plots.runs import Look
from aggviewer.plots.table import Column
from aggviewer.plots.view import PlotView
from aggviewer.style.panel_theme import Theme
from aggviewer.systems.aggregation.series import PairCounts

_MARGIN = 0.1  # decades that the range keeps free above the data
_BROKEN = (5.0, 3.0)  # dashes of a second variant


class PairItems(NamedTuple):
    """What one run consists of."""

    curve: pg.PlotDataItem


class PairDistributionPlot(PlotCard):
    """P(r) for 2R < r < 20R (4.14)."""

    title = "Pair distribution P(r)"
    definition = (
        "<p><b>P(r)</b> (4.14): discs within the distance r of a disc, itself included, averaged over all discs; "
        "for 2R &lt; r &lt; 20R.</p><p>In a fractal cluster it grows as r<sup>D</sup>: a straight line here.</p>"
    )
    empty_text = "How many discs lie within the distance r of a disc, on average."
    columns: ClassVar = {"curve": (Column("r/R"), Column("P(r)"))}

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        view = PlotView(x_log=True, y_log=True, corner=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        view.set_labels("r / R", "P(r)")
        super().__init__(number, view, parent)

    def _new_items(self) -> PairItems:
        items = PairItems(pg.PlotDataItem(connect="finite"))
        self.view.addItem(items.curve)
        return items

    def _style(self, items: PairItems, look: Look, theme: Theme) -> None:
        items.curve.setPen(self._line(look, _BROKEN if look.broken else ()))

    def _draw(self, items: PairItems, data: PairCounts) -> Drawn:
        x, y = log_or_gap(data.r), log_or_gap(data.p)
        items.curve.setData(x, y)
        bounds = None
        if np.isfinite(y).any():
            low = nice_below(float(10 ** np.nanmin(y)))
            high = max(low + 1.0, nice_above(float(10 ** np.nanmax(y)))) + _MARGIN
            bounds = (float(np.nanmin(x)), float(np.nanmax(x)) + _MARGIN / 2, low, high)
        values = {f"P({data.r[-1]:.0f}R)": f"{data.p[-1]:.1f}"} if len(data.p) else {}
        return Drawn(x, y, lambda index: f"r = {data.r[index]:.2f} R, P = {data.p[index]:.2f}", bounds, values)

    def _erase(self, items: PairItems) -> None:
        items.curve.setData([], [])
