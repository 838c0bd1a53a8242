"""The plot of P(r)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below
from aggviewer.plots.curve import CurveItems, CurvePlot
from aggviewer.plots.plot import Drawn
from aggviewer.plots.table import Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis

_MARGIN = 0.1  # decades that the range keeps free above the data


@dataclass(frozen=True)
class PairCounts:
    """r (K,): distance over R; p (K,): P(r)."""

    r: NDArray[np.float64]
    p: NDArray[np.float64]


class PairDistributionPlot(CurvePlot):
    """P(r) for 2R < r < 20R (4.14)."""

    title = "Pair distribution P(r)"
    name = "P(r)"
    definition = (
        "<p><b>P(r)</b> (4.14): discs within the distance r of a disc, itself included, averaged over all discs; "
        "for 2R &lt; r &lt; 20R.</p><p>In a fractal cluster it grows as r<sup>D</sup>: a straight line here.</p>"
    )
    empty_text = "How many discs lie within the distance r of a disc, on average."
    axes = Axes("r / R", "P(r)", x_log=True, y_log=True, corner="top left")
    columns: ClassVar = {"curve": (Column("r/R"), Column("P(r)"))}

    @classmethod
    def prepare(cls, analysis: Analysis) -> PairCounts | None:
        found = analysis.indicators.pair_distribution
        if found is None:
            return None
        radius = float(np.mean(analysis.system.radii))
        return PairCounts(np.asarray(found["r"], np.float64) / radius, np.asarray(found["p"], np.float64))

    def _draw(self, items: CurveItems, data: PairCounts) -> Drawn:
        x, y = log_or_gap(data.r), log_or_gap(data.p)
        items.curve.setData(x, y)
        bounds = None
        if np.isfinite(y).any():
            low = nice_below(float(10 ** np.nanmin(y)))
            high = max(low + 1.0, nice_above(float(10 ** np.nanmax(y)))) + _MARGIN
            bounds = (float(np.nanmin(x)), float(np.nanmax(x)) + _MARGIN / 2, low, high)
        values = {f"P({data.r[-1]:.0f}R)": f"{data.p[-1]:.1f}"} if len(data.p) else {}
        return Drawn(x, y, lambda index: f"r = {data.r[index]:.2f} R, P = {data.p[index]:.2f}", bounds, values)
