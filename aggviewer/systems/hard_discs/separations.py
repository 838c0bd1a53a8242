"""The plot of the separations at impact, in the last digits."""

from __future__ import annotations

from math import log10
from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QWidget

from aggviewer.plots.axes import nice_above
from aggviewer.plots.card import Drawn, PlotCard
from aggviewer.plots.runs import Look
from aggviewer.plots.table import Column
from aggviewer.plots.view import PlotView
from aggviewer.style.panel_theme import Theme
from aggviewer.systems.hard_discs.series import Separations

_BROKEN = (5.0, 3.0)
_FILL = 90  # alpha under the steps of a single run
_FLOOR = log10(0.5)  # of the axis: where nothing was counted
_LEAST = 4.0  # units of the last place to either side that are always in view


class SeparationItems(NamedTuple):
    """What one run consists of."""

    steps: pg.PlotDataItem


class SeparationsPlot(PlotCard):
    """Histogram of how far apart the discs of a pair are when they collide, in units of the last place."""

    title = "Impact separations"
    definition = (
        "<p>Distance of two discs at their impact less the sum σ of their radii, in units of the last place (ulp) of "
        "σ; "
        "collisions on a log axis. Rounding leaves it a few units beside 0, and as often as not the discs overlap "
        "(left of 0).</p><p>The stable rule f ≤ 0 and f′ < 0 needs no tolerance for that (Bannerman et al. 2014, "
        "figure 3).</p>"
    )
    empty_text = "How far discs are apart when they collide, in units of the last digit."
    columns: ClassVar = {"steps": (Column("(|r_ij| - σ)/ulp"), Column("collisions"))}

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        view = PlotView(x_log=False, y_log=True, corner=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        view.set_labels("(|r<sub>ij</sub>| - σ) / ulp", "collisions")
        super().__init__(number, view, parent)
        self.zero = pg.InfiniteLine(0.0, 90)
        self.zero.hide()
        view.addItem(self.zero)

    def _new_items(self) -> SeparationItems:
        items = SeparationItems(pg.PlotDataItem(stepMode="center"))
        items.steps.hide()
        self.view.addItem(items.steps)
        return items

    def _style(self, items: SeparationItems, look: Look, theme: Theme) -> None:
        fill = QColor(look.colour)
        fill.setAlpha(_FILL)
        line = pg.mkPen(None) if look.alone else self._line(look, _BROKEN if look.broken else ())
        items.steps.setPen(line)
        items.steps.setFillLevel(_FLOOR if look.alone else None)
        items.steps.setBrush(pg.mkBrush(fill) if look.alone else None)
        dotted = self._pen(theme.muted, 1.0)
        dotted.setStyle(Qt.PenStyle.DotLine)
        self.zero.setPen(dotted)

    def _draw(self, items: SeparationItems, data: Separations) -> Drawn:
        inner = np.isfinite(data.edges[:-1]) & np.isfinite(data.edges[1:])  # the outermost bins may be open
        first, last = int(inner.argmax()), len(inner) - int(inner[::-1].argmax())
        edges, counts = data.edges[first : last + 1], data.counts[first:last]
        heights = np.log10(np.maximum(counts, 10.0**_FLOOR))
        items.steps.setData(edges, heights)
        items.steps.show()
        met = np.flatnonzero(counts)
        reach = _LEAST
        if len(met):
            reach = max(reach, -float(edges[met[0]]), float(edges[met[-1] + 1]))
        middle = 0.5 * (edges[1:] + edges[:-1])
        total = int(data.counts.sum())
        overlapping = int(data.counts[data.edges[1:] <= 0.0].sum())
        return Drawn(
            middle,
            heights,
            lambda index: f"{_ulps(edges[index], edges[index + 1])} ulp: {counts[index]} collisions",
            (-reach, reach, _FLOOR, nice_above(float(max(counts.max(), 1))) + 0.8),
            {"overlapping": f"{100.0 * overlapping / total:.1f} %"},
        )

    def _quantities(self, item: pg.PlotDataItem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        edges, counts = super()._quantities(item)
        return edges, np.rint(counts)  # where nothing was counted the axis ends at a half

    def _erase(self, items: SeparationItems) -> None:
        items.steps.hide()

    def _compose(self) -> None:
        super()._compose()
        self.zero.setVisible(any(drawn is not None for drawn in self._drawn))


def _ulps(low: float, high: float) -> str:
    """One number where the interval lies around a whole one."""
    middle = 0.5 * (low + high)
    text = f"{middle:g}" if high - low <= 1.0 and middle == round(middle) else f"{low:g} … {high:g}"
    return text.replace("-", "−")
