"""The plot of the mean square displacement."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below, value_text
from aggviewer.plots.card import Drawn, PlotCard
from aggviewer.plots.runs import Look
from aggviewer.plots.table import TIME, Column
from aggviewer.plots.view import PlotView
from aggviewer.style.panel_theme import Theme
from aggviewer.systems.hard_discs.series import Spreading

_BROKEN = (9.0, 2.0)
_BALLISTIC = (4.0, 3.0)


class SpreadingItems(NamedTuple):
    """What one run consists of."""

    ballistic: pg.PlotDataItem
    curve: pg.PlotDataItem


class SpreadingPlot(PlotCard):
    """How far discs have come from where they started."""

    title = "Displacement ⟨Δr²⟩"
    definition = (
        "<p><b>⟨Δr²⟩</b>: mean of |X(t) - X(0)|² over the discs, across the edges of a periodic box; in mean diameters "
        "σ. Discs fly straight at first, ⟨v²⟩ t² (dashed), and diffuse after some collisions, 4 D t.</p>"
        "<p><b>D</b>: a quarter of the slope over the later half of the time.</p>"
    )
    empty_text = "How far discs have come from where they started: straight at first, then as a random walk."
    columns: ClassVar = {"curve": (TIME, Column("⟨Δr²⟩/σ²")), "ballistic": (TIME, Column("⟨v²⟩t²/σ²"))}

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        view = PlotView(x_log=True, y_log=True, corner=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        view.set_labels("time t", "⟨Δr²⟩ / σ²")
        super().__init__(number, view, parent)

    def _new_items(self) -> SpreadingItems:
        items = SpreadingItems(pg.PlotDataItem(), pg.PlotDataItem(connect="finite"))
        for item in items:
            self.view.addItem(item)
        return items

    def _style(self, items: SpreadingItems, look: Look, theme: Theme) -> None:
        items.curve.setPen(self._line(look, _BROKEN if look.broken else ()))
        straight = self._pen(theme.text if look.alone else look.colour, 1.0)
        straight.setDashPattern(list(_BALLISTIC))
        items.ballistic.setPen(straight)

    def _draw(self, items: SpreadingItems, data: Spreading) -> Drawn:
        x, y = np.log10(data.time), log_or_gap(data.squared)
        items.curve.setData(x, y)
        right = nice_above(float(data.time[-1]))
        left = min(nice_below(float(data.time[0])), right - 1.0)
        high = nice_above(float(data.squared.max())) + 0.1
        low = min(nice_below(float(data.squared.min())), high - 1.0)
        if data.ballistic > 0.0:
            ends = np.array([left, right])
            items.ballistic.setData(ends, np.log10(data.ballistic) + 2.0 * ends)
        else:
            items.ballistic.setData([], [])
        values = {"⟨Δr²⟩/σ²": value_text(float(data.squared[-1]))}
        if data.diffusion is not None:
            values["D/σ²"] = value_text(data.diffusion)
        return Drawn(
            x,
            y,
            lambda index: f"t = {data.time[index]:.4g}: ⟨Δr²⟩ = {value_text(float(data.squared[index]))} σ²",
            (left, right, low, high),
            values,
        )

    def _erase(self, items: SpreadingItems) -> None:
        for item in items:
            item.setData([], [])
