"""Plots of one curve."""

from __future__ import annotations

from typing import NamedTuple

import pyqtgraph as pg

from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import Look
from aggviewer.style.theme import Colors


class CurveItems(NamedTuple):
    """What one run consists of."""

    curve: pg.PlotDataItem


class CurvePlot(Plot):
    """Base: a run is one curve, with gaps where it has no value."""

    def _new_items(self) -> CurveItems:
        return CurveItems(pg.PlotDataItem(connect="finite"))

    def _style(self, items: CurveItems, look: Look, theme: Colors) -> None:
        items.curve.setPen(self._line(look))
