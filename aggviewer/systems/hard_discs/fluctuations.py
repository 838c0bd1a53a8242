"""The plot of the density fluctuations."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below, value_text
from aggviewer.plots.card import Drawn, PlotCard
from aggviewer.plots.runs import Look
from aggviewer.plots.table import Column
from aggviewer.plots.view import PlotView
from aggviewer.style.panel_theme import Theme
from aggviewer.systems.hard_discs.series import Fluctuations

_BROKEN = (5.0, 3.0)
_MARGIN = 0.05  # decades that the range keeps free beside the data


class FluctuationItems(NamedTuple):
    """What one run consists of."""

    curve: pg.PlotDataItem


class FluctuationsPlot(PlotCard):
    """Variance over mean of the numbers of discs in cells of a side l."""

    title = "Density fluctuations"
    definition = (
        "<p>Variance over mean of the number of discs in square cells of side l, which divide the box; l in mean "
        "diameters σ.</p><p>An ideal gas has 1 (dotted). Discs keep each other out and stay below it; where they "
        "gather "
        "in clusters it grows with l far above 1.</p>"
    )
    empty_text = "How unevenly discs fill cells of side l. Clusters show as a rise above 1."
    columns: ClassVar = {"curve": (Column("l/σ"), Column("variance/mean"))}

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        view = PlotView(x_log=True, y_log=True, corner=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        view.set_labels("l / σ", "variance / mean")
        super().__init__(number, view, parent)
        self.ideal = pg.InfiniteLine(0.0, 0)
        self.ideal.hide()
        view.addItem(self.ideal)

    def _new_items(self) -> FluctuationItems:
        items = FluctuationItems(pg.PlotDataItem(connect="finite", symbol="o", symbolSize=5))
        self.view.addItem(items.curve)
        return items

    def _style(self, items: FluctuationItems, look: Look, theme: Theme) -> None:
        items.curve.setPen(self._line(look, _BROKEN if look.broken else ()))
        filled = look.first
        items.curve.setSymbolSize(5 if filled else 9)
        items.curve.setSymbolBrush(pg.mkBrush(look.colour if filled else None))
        items.curve.setSymbolPen(pg.mkPen(None) if filled else self._pen(look.colour, 1.5))
        dotted = self._pen(theme.muted, 1.0)
        dotted.setStyle(Qt.PenStyle.DotLine)
        self.ideal.setPen(dotted)

    def _draw(self, items: FluctuationItems, data: Fluctuations) -> Drawn:
        x, y = np.log10(data.side), log_or_gap(data.ratio)
        items.curve.setData(x, y)
        finite = y[np.isfinite(y)]
        low = min(-1.0, nice_below(float(10.0 ** finite.min()))) if len(finite) else -1.0
        high = max(1.0, nice_above(float(10.0 ** finite.max())) + 0.1) if len(finite) else 1.0
        return Drawn(
            x,
            y,
            lambda index: f"l = {data.side[index]:.3g} σ: {data.ratio[index]:.3g}",
            (float(x[0]) - _MARGIN, float(x[-1]) + _MARGIN, low, high),
            {f"at l = {data.side[-1]:.0f} σ": value_text(float(data.ratio[-1])) if data.ratio[-1] > 0.0 else "0"},
        )

    def _erase(self, items: FluctuationItems) -> None:
        items.curve.setData([], [])

    def _compose(self) -> None:
        super()._compose()
        self.ideal.setVisible(any(drawn is not None for drawn in self._drawn))
