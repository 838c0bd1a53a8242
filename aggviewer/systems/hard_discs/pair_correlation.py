"""The plot of g(r)."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from aggviewer.plots.axes import nice_above
from aggviewer.plots.card import Drawn, PlotCard
from aggviewer.plots.runs import Look
from aggviewer.plots.table import Column
from aggviewer.plots.view import PlotView
from aggviewer.style.panel_theme import Theme
from aggviewer.systems.hard_discs.series import Correlation

_BROKEN = (5.0, 3.0)
_USUAL_TOP = 2.0
_RIGHT = 6.0


class CorrelationItems(NamedTuple):
    """What one run consists of."""

    curve: pg.PlotDataItem
    contact: pg.PlotDataItem


class PairCorrelationPlot(PlotCard):
    """How much more often than in an ideal gas two discs are a distance r apart."""

    title = "Pair correlation g(r)"
    definition = (
        "<p><b>g(r)</b>: pairs of discs at the distance r, over those of an ideal gas; r in mean diameters σ. 1 "
        "means no "
        "order, peaks mean shells of neighbours. Between walls, over the pairs that the part of the box which centres "
        "can reach leaves room for.</p>"
        "<p><b>g(σ⁺)</b>, the point: its value at contact, extrapolated from the nearest gaps; "
        "Z = 1 + 2 V<sub>f</sub> g(σ⁺).</p>"
    )
    empty_text = "How often discs are a distance r apart, over an ideal gas: shells of neighbours."
    columns: ClassVar = {
        "curve": (Column("r/σ"), Column("g(r)")),
        "contact": (Column("r/σ"), Column("g at contact")),
    }

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        view = PlotView(x_log=False, y_log=False, corner=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
        view.set_labels("r / σ", "g(r)")
        super().__init__(number, view, parent)
        self.one = pg.InfiniteLine(1.0, 0)
        self.one.hide()
        view.addItem(self.one)

    def _new_items(self) -> CorrelationItems:
        items = CorrelationItems(pg.PlotDataItem(), pg.PlotDataItem(pen=None, symbol="o"))
        for item in items:
            self.view.addItem(item)
        return items

    def _style(self, items: CorrelationItems, look: Look, theme: Theme) -> None:
        items.curve.setPen(self._line(look, _BROKEN if look.broken else ()))
        items.contact.setSymbolSize(7 if look.first else 11)
        items.contact.setSymbolBrush(pg.mkBrush(look.colour if look.first else None))
        items.contact.setSymbolPen(self._pen(look.colour, 1.5))
        dotted = self._pen(theme.muted, 1.0)
        dotted.setStyle(Qt.PenStyle.DotLine)
        self.one.setPen(dotted)

    def _draw(self, items: CorrelationItems, data: Correlation) -> Drawn:
        items.curve.setData(data.r, data.g)
        top = float(data.g.max())
        values = {}
        if data.contact is None:
            items.contact.setData([], [])
        else:
            items.contact.setData([1.0], [data.contact])
            values["g(σ⁺)"] = f"{data.contact:.2f}" if data.contact < 100 else f"{data.contact:.3g}"
            if data.contact < 3.0 * top:  # very dense: a point far above all peaks
                top = max(top, data.contact)
        return Drawn(
            data.r,
            data.g,
            lambda index: f"r = {data.r[index]:.2f} σ, g = {data.g[index]:.2f}",
            (0.0, max(_RIGHT, float(data.r[-1])), 0.0, max(_USUAL_TOP, 10.0 ** nice_above(1.02 * top))),
            values,
        )

    def _erase(self, items: CorrelationItems) -> None:
        for item in items:
            item.setData([], [])

    def _compose(self) -> None:
        super()._compose()
        self.one.setVisible(any(drawn is not None for drawn in self._drawn))
