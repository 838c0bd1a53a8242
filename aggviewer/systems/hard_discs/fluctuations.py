"""The plot of the density fluctuations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below, value_text
from aggviewer.plots.curve import CurveItems, CurvePlot
from aggviewer.plots.plot import Drawn
from aggviewer.plots.runs import Look
from aggviewer.plots.table import Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis
from aggviewer.style.theme import Colors

_MARGIN = 0.05  # decades that the range keeps free beside the data


@dataclass(frozen=True)
class Fluctuations:
    """side (K,): of the cells over σ; ratio (K,): variance over mean of the number of discs in them."""

    side: NDArray[np.float64]
    ratio: NDArray[np.float64]


class FluctuationsPlot(CurvePlot):
    """Variance over mean of the numbers of discs in cells of a side l."""

    title = "Density fluctuations"
    definition = (
        "<p>Variance over mean of the number of discs in square cells of side l, which divide the box; l in mean "
        "diameters σ.</p><p>An ideal gas has 1 (dotted). Discs keep each other out and stay below it; where they "
        "gather in clusters it grows with l far above 1.</p>"
    )
    empty_text = "How unevenly discs fill cells of side l. Clusters show as a rise above 1."
    axes = Axes("l / σ", "variance / mean", x_log=True, y_log=True, corner="top left")
    columns: ClassVar = {"curve": (Column("l/σ"), Column("variance/mean"))}

    @classmethod
    def prepare(cls, analysis: Analysis) -> Fluctuations | None:
        found = analysis.indicators.fluctuations
        diameter = 2.0 * float(np.mean(analysis.system.radii))
        return None if found is None else Fluctuations(found.side / diameter, found.ratio)

    def _set_up(self) -> None:
        self.ideal = self._dotted_line(0.0)

    def _style(self, items: CurveItems, look: Look, theme: Colors) -> None:
        super()._style(items, look, theme)
        items.curve.setSymbol("o")
        self._points(items.curve, look, 5, 9)

    def _draw(self, items: CurveItems, data: Fluctuations) -> Drawn:
        x, y = np.log10(data.side), log_or_gap(data.ratio)
        items.curve.setData(x, y)
        finite = y[np.isfinite(y)]
        low = min(-1.0, nice_below(float(10.0 ** finite.min()))) if len(finite) else -1.0
        high = max(1.0, nice_above(float(10.0 ** finite.max())) + 0.1) if len(finite) else 1.0
        return Drawn(
            x,
            y,
            lambda index: f"l = {data.side[index]:.3g} σ: {data.ratio[index]:.3g}",
            (float(x[0]) - _MARGIN, float(x[-1]) + _MARGIN, low, high),
            {f"at l = {data.side[-1]:.0f} σ": value_text(float(data.ratio[-1])) if data.ratio[-1] > 0.0 else "0"},
        )
