"""Histograms."""

from __future__ import annotations

from typing import NamedTuple

import pyqtgraph as pg
from PyQt6.QtGui import QColor

from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import Look
from aggviewer.style.theme import Colors

_FILL = 90  # alpha under the steps of a single run


class StepItems(NamedTuple):
    """What one run consists of."""

    steps: pg.PlotDataItem


class StepsPlot(Plot):
    """Base: the steps of a single run are filled down to `floor`, in plot coordinates; those of two are lines."""

    floor = 0.0

    def _new_items(self) -> StepItems:
        return StepItems(pg.PlotDataItem(stepMode="center"))

    def _style(self, items: StepItems, look: Look, theme: Colors) -> None:
        fill = QColor(look.colour)
        fill.setAlpha(_FILL)
        items.steps.setPen(pg.mkPen(None) if look.alone else self._line(look))
        items.steps.setFillLevel(self.floor if look.alone else None)
        items.steps.setBrush(pg.mkBrush(fill) if look.alone else None)
