"""The plot of the contacts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QWidget

from aggviewer.panels.plot_card import Drawn, PlotCard
from aggviewer.panels.plot_view import PlotView
from aggviewer.panels.records import Contacts
from aggviewer.panels.runs import Look
from aggviewer.panels.style import Theme

_LAST_BAR = 6  # the bar of this many neighbours stands for more as well
_PLACES = np.arange(_LAST_BAR + 1)
_WIDTH, _PAIRED_WIDTH = 0.72, 0.36  # of a bar
_PALE = 70  # alpha of the fill of a second variant, whose outline is full


class BarItems(NamedTuple):
    """What one run consists of."""

    bars: pg.BarGraphItem


class ContactsPlot(PlotCard):
    """Share of the discs with 0, 1, … 6 and more neighbours, with N_c (4.13)."""

    title = "Contacts"
    definition = (
        "<p>Share of the discs with 0, 1, … neighbours within 2.1 R (the last bar: 6 or more).</p>"
        "<p><b>N<sub>c</sub></b> (4.13), the relative contacts: pairs with |X<sub>i</sub> - X<sub>j</sub>| ≤ 2.1 R "
        "over 6 N, where a disc counts as its own neighbour; 1/6 for loose discs, near 0.5 for an aggregate.</p>"
    )
    empty_text = "Share of the discs with 0, 1, 2, … neighbours in contact."

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        view = PlotView(x_log=False, y_log=False, corner=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
        view.set_labels("neighbours within 2.1 R", "share of discs")
        super().__init__(number, view, parent)
        names = [str(k) for k in _PLACES[:-1]] + [f"≥ {_LAST_BAR}"]
        view.getPlotItem().getAxis("bottom").setTicks([list(zip(_PLACES.tolist(), names, strict=True))])
        view.getPlotItem().getAxis("left").setTicks(
            [[(v, f"{100 * v:.0f} %") for v in (0, 0.5, 1)], [(v, "") for v in (0.25, 0.75)]]
        )
        view.set_bounds((-0.6, _LAST_BAR + 0.6, 0.0, 1.06))

    def _new_items(self) -> BarItems:
        items = BarItems(pg.BarGraphItem(x=_PLACES, height=np.zeros(len(_PLACES)), width=_WIDTH))
        items.bars.hide()
        self.view.addItem(items.bars)
        return items

    def _style(self, items: BarItems, look: Look, theme: Theme) -> None:
        side = 0.0 if look.alone else -0.5 if look.first else 0.5  # of a pair of bars
        fill = QColor(look.colour)
        if look.broken:
            fill.setAlpha(_PALE)
        items.bars.setOpts(
            x=_PLACES + side * _PAIRED_WIDTH,
            width=_WIDTH if look.alone else _PAIRED_WIDTH,
            brush=pg.mkBrush(fill),
            pen=self._pen(look.colour, 1) if look.broken else pg.mkPen(None),
        )

    def _draw(self, items: BarItems, data: Contacts) -> Drawn:
        counts = np.zeros(len(_PLACES))
        counts[: min(len(data.histogram), _LAST_BAR)] = data.histogram[:_LAST_BAR]
        counts[_LAST_BAR] = np.sum(data.histogram[_LAST_BAR:])
        shares = counts / max(1.0, counts.sum())
        items.bars.setOpts(height=shares)
        items.bars.show()

        def describe(index: int) -> str:
            name = f"{index} or more" if index == _LAST_BAR else str(index)
            return f"{name}: {100 * shares[index]:.1f} %"

        values = {} if data.relative is None else {"N<sub>c</sub>": f"{data.relative:.3f}"}
        return Drawn(np.asarray(items.bars.opts["x"], np.float64), shares, describe, values=values)

    def _erase(self, items: BarItems) -> None:
        items.bars.hide()
