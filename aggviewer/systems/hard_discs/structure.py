"""Plots of the structure of a gas: pair correlation and density fluctuations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below, value_text
from aggviewer.plots.drawn import Drawn
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import Look
from aggviewer.plots.scaled import ScaledCurve
from aggviewer.plots.shapes import CurveData, CurveItems, CurvePlot
from aggviewer.plots.slopes import PowerFit, Slope
from aggviewer.plots.study_curves import Discs, StudyCurve
from aggviewer.plots.table import Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis
from aggviewer.style.theme import Colors

_USUAL_TOP = 2.0
_RIGHT = 6.0
_MARGIN = 0.05  # decades that the range keeps free beside the data
_PER_DIAMETER = 20  # intervals of `engine.analysis.pair_correlation`

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Correlation:
    """The pair correlation over the mean diameter σ.

    Parameters
    ----------
    r, g : (K,), distance over σ, and g there.
    contact : g(σ⁺), None where it is not known.
    """

    r: NDArray[np.float64]
    g: NDArray[np.float64]
    contact: float | None


class CorrelationItems(NamedTuple):
    """What one run consists of."""

    curve: pg.PlotDataItem
    contact: pg.PlotDataItem


def over_diameter(r: Floats, g: Floats, discs: Discs) -> tuple[Floats, Floats]:
    """r over the mean diameter that the discs have at the end: `pair_correlation` has 20 intervals to each."""
    return r / (_PER_DIAMETER * 2.0 * r[0]), g


class PairCorrelationPlot(Plot):
    """How much more often than in an ideal gas two discs are a distance r apart."""

    title = "Pair correlation g(r)"
    name = "g(r)"
    definition = (
        r"<p>$g(r)$: pairs of discs at the distance $r$, over those of an ideal gas; $r$ in mean diameters $\sigma$. "
        "1 means no order, peaks mean shells of neighbours. Between walls, over the pairs that the part of the box "
        r"which centres can reach leaves room for.</p><p>$g(\sigma^+)$, the point: its value at contact, extrapolated "
        r"from the nearest gaps; $Z = 1 + 2 V_f\, g(\sigma^+)$.</p>"
    )
    empty_text = "How often discs are a distance r apart, over an ideal gas: shells of neighbours."
    axes = Axes("r / σ", "g(r)", corner="top right")
    columns: ClassVar = {
        "curve": (Column("r/σ"), Column("g(r)")),
        "contact": (Column("r/σ"), Column("g at contact")),
    }
    study_curves: ClassVar = {"curve": StudyCurve("pair_correlation", over_diameter)}
    indicators = frozenset({"pair_correlation", "contact_value"})

    @classmethod
    def prepare(cls, analysis: Analysis) -> Correlation | None:
        """See `Plot.prepare`."""
        found = analysis.indicators.pair_correlation
        if found is None:
            return None
        return Correlation(found.r / found.diameter, found.g, analysis.indicators.contact_value)

    def _set_up(self) -> None:
        self.one = self._dotted_line(1.0)

    def _new_items(self) -> CorrelationItems:
        return CorrelationItems(ScaledCurve(), ScaledCurve(pen=None, symbol="o"))

    def _style(self, items: CorrelationItems, look: Look, theme: Colors) -> None:
        items.curve.setPen(self._line(look))
        items.contact.setSymbolSize(7 if look.first else 11)
        items.contact.setSymbolBrush(pg.mkBrush(look.colour if look.first else None))
        items.contact.setSymbolPen(self._pen(look.colour, 1.5))

    def _draw(self, items: CorrelationItems, data: Correlation) -> Drawn:
        items.curve.setData(data.r, data.g)
        top = float(data.g.max())
        values = {}
        if data.contact is None:
            items.contact.setData([], [])
        else:
            items.contact.setData([1.0], [data.contact])
            values["g(σ⁺)"] = f"{data.contact:.2f}" if data.contact < 100 else f"{data.contact:.3g}"
            if data.contact < 3.0 * top:  # very dense: a point far above all peaks
                top = max(top, data.contact)
        return Drawn(
            data.r,
            data.g,
            lambda index: f"r = {data.r[index]:.2f} σ, g = {data.g[index]:.2f}",
            (0.0, max(_RIGHT, float(data.r[-1])), 0.0, max(_USUAL_TOP, 10.0 ** nice_above(1.02 * top))),
            values,
        )


def sides_over_diameter(side: Floats, ratio: Floats, discs: Discs) -> tuple[Floats, Floats]:
    """Sides of cells over the mean diameter at the start, as the plot has them."""
    return side / (2.0 * discs.radius), ratio


class FluctuationsPlot(CurvePlot):
    """Variance over mean of the numbers of discs in cells of a side l."""

    title = "Density fluctuations"
    definition = (
        "<p>Variance over mean of the number of discs in square cells of side $l$, which divide the box; $l$ in mean "
        r"diameters $\sigma$.</p><p>An ideal gas has 1 (dotted). Discs keep each other out and stay below it; where "
        "they gather in clusters it grows with $l$ far above 1.</p>"
    )
    empty_text = "How unevenly discs fill cells of side l. Clusters show as a rise above 1."
    axes = Axes("l / σ", "variance / mean", x_log=True, y_log=True, corner="top left")
    power_fit = PowerFit((Slope("curve", "slope", "slope of variance/mean"),), always=False)
    columns: ClassVar = {"curve": (Column("l/σ"), Column("variance/mean"))}
    study_curves: ClassVar = {"curve": StudyCurve("fluctuations", sides_over_diameter)}
    indicators = frozenset({"fluctuations"})

    @classmethod
    def prepare(cls, analysis: Analysis) -> CurveData | None:
        """The sides of the cells over σ, and variance over mean of the number of discs in them; see `Plot.prepare`."""
        found = analysis.indicators.fluctuations
        diameter = 2.0 * analysis.mean_radius
        return None if found is None else CurveData(found.side / diameter, found.ratio)

    def _set_up(self) -> None:
        self.ideal = self._dotted_line(0.0)

    def _style(self, items: CurveItems, look: Look, theme: Colors) -> None:
        super()._style(items, look, theme)
        items.curve.setSymbol("o")
        self._points(items.curve, look, 5, 9)

    def _draw(self, items: CurveItems, data: CurveData) -> Drawn:
        side, ratio = data
        x, y = np.log10(side), log_or_gap(ratio)
        items.curve.setData(x, y)
        finite = y[np.isfinite(y)]
        low = min(-1.0, nice_below(float(10.0 ** finite.min()))) if len(finite) else -1.0
        high = max(1.0, nice_above(float(10.0 ** finite.max())) + 0.1) if len(finite) else 1.0
        return Drawn(
            x,
            y,
            lambda index: f"l = {side[index]:.3g} σ: {ratio[index]:.3g}",
            (float(x[0]) - _MARGIN, float(x[-1]) + _MARGIN, low, high),
            {f"at l = {side[-1]:.0f} σ": value_text(float(ratio[-1])) if ratio[-1] > 0.0 else "0"},
        )
