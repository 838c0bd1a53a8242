"""The plot of the contacts of discs that jam: how many hold each of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QWidget

from aggviewer.panels.jamming_records import DiscContacts
from aggviewer.panels.plot_card import Drawn, PlotCard
from aggviewer.panels.plot_view import PlotView
from aggviewer.panels.runs import Look
from aggviewer.panels.style import Theme

_LAST_BAR = 8  # the bar of this many contacts stands for more as well
_PLACES = np.arange(_LAST_BAR + 1)
_WIDTH, _PAIRED_WIDTH = 0.72, 0.36  # of a bar
_PALE = 70  # alpha of the fill of a second variant, whose outline is full


class HeldItems(NamedTuple):
    """What one run consists of."""

    bars: pg.BarGraphItem


class JamContactsPlot(PlotCard):
    """Share of the discs with 0, 1, … contacts that carry a force, mean number and rattlers."""

    title = "Contacts per disc"
    definition = (
        "<p>Share of the discs with 0, 1, … contacts that carry a force, those with walls too (the last bar: 8 or "
        "more).</p>"
        "<p><b>z</b>: contacts per disc that is held; 4 for an isostatic packing of many discs.</p>"
        "<p><b>Rattlers</b>: discs with two contacts or fewer, contacts with rattlers left out. No force holds "
        "them.</p>"
    )
    empty_text = "How many contacts hold a disc, and how many discs none does: rattlers."

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        view = PlotView(x_log=False, y_log=False, corner=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        view.set_labels("contacts with a force", "share of discs")
        super().__init__(number, view, parent)
        names = [str(k) for k in _PLACES[:-1]] + [f"≥ {_LAST_BAR}"]
        view.getPlotItem().getAxis("bottom").setTicks([list(zip(_PLACES.tolist(), names, strict=True))])
        view.getPlotItem().getAxis("left").setTicks(
            [[(v, f"{100 * v:.0f} %") for v in (0, 0.25, 0.5, 0.75, 1)], []],
        )

    def _new_items(self) -> HeldItems:
        items = HeldItems(pg.BarGraphItem(x=_PLACES, height=np.zeros(len(_PLACES)), width=_WIDTH))
        items.bars.hide()
        self.view.addItem(items.bars)
        return items

    def _style(self, items: HeldItems, look: Look, theme: Theme) -> None:
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

    def _draw(self, items: HeldItems, data: DiscContacts) -> Drawn:
        counts = np.zeros(len(_PLACES))
        counts[: min(len(data.discs), _LAST_BAR)] = data.discs[:_LAST_BAR]
        counts[_LAST_BAR] = np.sum(data.discs[_LAST_BAR:])
        total = max(1.0, float(counts.sum()))
        shares = counts / total
        items.bars.setOpts(height=shares)
        items.bars.show()

        def describe(index: int) -> str:
            name = f"{index} or more" if index == _LAST_BAR else str(index)
            return f"{name}: {100 * shares[index]:.1f} %, {counts[index]:.0f} discs"

        values = {} if data.mean is None else {"z": f"{data.mean:.3f}"}
        values["rattlers"] = f"{100.0 * data.rattlers / total:.1f} %"
        top = 0.53 if shares.max() <= 0.5 else 1.06
        bounds = (-0.6, _LAST_BAR + 0.6, 0.0, top)
        return Drawn(np.asarray(items.bars.opts["x"], np.float64), shares, describe, bounds, values)

    def _erase(self, items: HeldItems) -> None:
        items.bars.hide()
