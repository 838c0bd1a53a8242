"""The plot of clusters and energy over time."""

from __future__ import annotations

from math import floor
from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from aggviewer.panels.axes import log_or_gap, nice_above, nice_below, value_text
from aggviewer.panels.plot_card import Drawn, PlotCard
from aggviewer.panels.plot_table import TIME, Column
from aggviewer.panels.plot_view import PlotView
from aggviewer.panels.records import Coarsening
from aggviewer.panels.runs import Look, looks
from aggviewer.panels.style import Theme
from aggviewer.panels.thinning import thin_history

_DASHED = (3.0, 2.0)  # E(t)
_BROKEN, _BROKEN_DASHED = (9.0, 2.0), (2.0, 3.0)  # M(t) and E(t) of a second variant
_LINES = {"M": "━━", "E/E₀": "╍╍"}


class CoarseningItems(NamedTuple):
    """What one run consists of."""

    energy: pg.PlotDataItem
    clusters: pg.PlotDataItem


class CoarseningPlot(PlotCard):
    """Clusters M(t) and kinetic energy E(t), each over its start, on one pair of log axes."""

    title = "Clusters and energy"
    definition = (
        "<p><b>M(t)</b>: clusters left at the time t, over the number of discs N (solid). It never grows.</p>"
        "<p><b>E(t)</b>: kinetic energy ½ Σ m V², over that at the start, or of the first frame of a recording "
        "(dashed). A merge keeps mass and momentum "
        "(2.9) and loses energy.</p>"
    )
    empty_text = "Clusters left and kinetic energy over time. Run to see them fall."
    columns: ClassVar = {"clusters": (TIME, Column("M/N")), "energy": (TIME, Column("E/E₀"))}

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        corner = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft
        view = PlotView(x_log=True, y_log=True, corner=corner)
        view.set_labels("time t", "M/N, E/E₀")
        super().__init__(number, view, parent)

    def _new_items(self) -> CoarseningItems:
        items = CoarseningItems(pg.PlotDataItem(connect="finite"), pg.PlotDataItem(connect="finite"))
        for item in items:
            self.view.addItem(item)
        return items

    def _style(self, items: CoarseningItems, look: Look, theme: Theme) -> None:
        items.clusters.setPen(self._line(look, _BROKEN if look.broken else ()))
        items.energy.setPen(self._line(look, _BROKEN_DASHED if look.broken else _DASHED))

    def _draw(self, items: CoarseningItems, data: Coarsening) -> Drawn | None:
        kept = thin_history(data.time)
        time = np.append(np.asarray(data.time)[kept], max(data.now, float(data.time[-1])))
        moved = time > 0
        if not moved.any():
            return None
        time = time[moved]
        m = np.asarray(data.clusters, np.float64)[np.append(kept, kept[-1])][moved]
        start = float(data.kinetic_energy[0])
        e = np.zeros(len(time))
        if start > 0:
            e = np.asarray(data.kinetic_energy, np.float64)[np.append(kept, kept[-1])][moved] / start
        x, ym, ye = np.log10(time), log_or_gap(m / data.count), log_or_gap(e)
        items.clusters.setData(x, ym)
        items.energy.setData(x, ye)

        def energy(index: int, digits: int = 3) -> str:
            return value_text(float(e[index]), digits) if e[index] > 0 else "0"

        right = nice_above(float(time[-1]))
        left = min(nice_below(float(time[0])), right - 1.0)
        lowest = float(np.nanmin(np.concatenate([ym, ye])))
        return Drawn(
            x,
            ym,
            lambda index: f"t = {time[index]:.4g}: M = {m[index]:.0f}, E/E₀ = {energy(index)}",
            (left, right, float(min(-1, floor(lowest + 1e-9))), 0.12),
            {"M": f"{int(m[-1])}", "E/E₀": energy(-1, 3 if len(self.runs) == 1 else 2)},
        )

    def _erase(self, items: CoarseningItems) -> None:
        for item in items:
            item.setData([], [])

    def _symbol(self, symbol: str) -> str:
        one = looks(self.runs, self.theme)[0]
        colour = one.colour if one.alone else self.theme.text
        return f'<span style="color:{colour}">{_LINES[symbol]}</span> {symbol}'
