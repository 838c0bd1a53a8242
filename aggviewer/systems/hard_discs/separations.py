"""The plot of the separations at impact, in the last digits."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from typing import ClassVar

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from aggviewer.plots.axes import nice_above
from aggviewer.plots.plot import Drawn
from aggviewer.plots.steps import StepItems, StepsPlot
from aggviewer.plots.table import Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis

_FLOOR = log10(0.5)  # of the axis: where nothing was counted
_LEAST = 4.0  # units of the last place to either side that are always in view


@dataclass(frozen=True)
class Separations:
    """edges (K + 1,): of |r_ij| - σ_ij at the impact, in units of the last place of σ_ij; counts (K,)."""

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]


class SeparationsPlot(StepsPlot):
    """Histogram of how far apart the discs of a pair are when they collide, in units of the last place."""

    title = "Impact separations"
    definition = (
        "<p>Distance of two discs at their impact less the sum σ of their radii, in units of the last place (ulp) of "
        "σ; collisions on a log axis. Rounding leaves it a few units beside 0, and as often as not the discs overlap "
        "(left of 0).</p><p>The stable rule f ≤ 0 and f′ < 0 needs no tolerance for that (Bannerman et al. 2014, "
        "figure 3).</p>"
    )
    empty_text = "How far discs are apart when they collide, in units of the last digit."
    axes = Axes("(|r<sub>ij</sub>| - σ) / ulp", "collisions", y_log=True, corner="top left")
    floor = _FLOOR
    folded_at_first = True
    columns: ClassVar = {"steps": (Column("(|r_ij| - σ)/ulp"), Column("collisions"))}

    @classmethod
    def prepare(cls, analysis: Analysis) -> Separations | None:
        found = analysis.data.impacts
        return None if found is None or not found[1].any() else Separations(*found)

    def _set_up(self) -> None:
        self._dotted_line(0.0, 90)

    def _draw(self, items: StepItems, data: Separations) -> Drawn:
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


def _ulps(low: float, high: float) -> str:
    """One number where the interval lies around a whole one."""
    middle = 0.5 * (low + high)
    text = f"{middle:g}" if high - low <= 1.0 and middle == round(middle) else f"{low:g} … {high:g}"
    return text.replace("-", "−")
