"""Plots of the structure of aggregates: box counting, pair distribution, contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below
from aggviewer.plots.drawn import Drawn
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import Look
from aggviewer.plots.scaled import ScaledCurve
from aggviewer.plots.shapes import BarItems, ContactBarsPlot, CurveData, CurveItems, CurvePlot, shares_in_bars
from aggviewer.plots.slopes import PowerFit, Slope
from aggviewer.plots.study_curves import StudyCurve, x_over_radius
from aggviewer.plots.table import Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis
from aggviewer.style.theme import Colors

if TYPE_CHECKING:
    from engine.analysis import BoxCounting

_FIT_FROM = 3.0  # least eps / R of the fit of D_f; the greatest is L / 2, the largest box
_MARGIN = 0.1  # decades that the range keeps free around the data


@dataclass(frozen=True)
class BoxCounts:
    """Box counting over the mean radius (4.15).

    Parameters
    ----------
    eps : (K,), side of the boxes over R.
    n : (K,), occupied boxes.
    aggregated : whether N(ε) is that of an aggregate, which has a dimension.
    better : the dimension by minimum cover where that of the paper's mesh depends on how the mesh lies; else None.
    """

    eps: NDArray[np.float64]
    n: NDArray[np.float64]
    aggregated: bool
    better: float | None = None


class BoxItems(NamedTuple):
    """What one run consists of."""

    points: pg.PlotDataItem


class BoxCountingPlot(Plot):
    """N(ε) with the line whose slope is -D_f, over the range of the fit (4.15)."""

    title = "Box counting N(ε)"
    name = "N(ε), fractal dimension"
    definition = (
        r"<p>$N(\varepsilon)$ (4.15): cells of side $\varepsilon = L / 2^m$, $m = 1, \ldots, 10$, that hold a disc's "
        r"centre.</p><p>$N(\varepsilon) \propto \varepsilon^{-D_f}$: the fractal dimension $D_f$ is minus the slope "
        r"of $\log\,N$ over $\log\,\varepsilon$ in the shaded range, $3R \le \varepsilon \le L/2$ unless its edges are "
        "dragged. A line has 1, a filled plane 2.</p><p>The mesh begins at the corner of the box. Where the number "
        r"depends on that, $D_{min}$ stands beside it: the dimension by *minimum cover*, a plot of its own.</p>"
    )
    empty_text = "Cells of side ε that hold a disc. The slope gives the fractal dimension D<sub>f</sub>."
    axes = Axes("ε / R", "N(ε)", x_log=True, y_log=True, corner="bottom left")
    columns: ClassVar = {"points": (Column("ε/R"), Column("N(ε)"))}
    study_curves: ClassVar = {"points": StudyCurve("box_counting", x_over_radius)}
    power_fit = PowerFit((Slope("points", "D<sub>f</sub>", "D_f", -1.0),), low=_FIT_FROM)
    indicators = frozenset({"box_counting", "fractal_fit", "minimum_cover_dimension", "mesh_matters"})

    @classmethod
    def prepare(cls, analysis: Analysis) -> BoxCounts | None:
        """See `Plot.prepare`."""
        found = analysis.indicators.box_counting
        if found is None:
            return None
        eps, n = _over_radius(found, analysis)
        aggregated = analysis.indicators.fractal_fit is not None or _in_usual_range(eps) < 2
        better = analysis.indicators.minimum_cover_dimension if analysis.indicators.mesh_matters else None
        return BoxCounts(eps, n, aggregated, better)

    def _new_items(self) -> BoxItems:
        return BoxItems(ScaledCurve(pen=None, symbol="o"))

    def _style(self, items: BoxItems, look: Look, theme: Colors) -> None:
        self._points(items.points, look, 7, 11)

    def _draw(self, items: BoxItems, data: BoxCounts) -> Drawn:
        x, y = log_or_gap(data.eps), log_or_gap(data.n)
        items.points.setData(x, y)
        bounds = None
        if np.isfinite(x).any():
            top = nice_above(float(np.nanmax(data.n))) + 2 * _MARGIN
            bounds = (float(np.nanmin(x)) - _MARGIN, float(np.nanmax(x)) + _MARGIN, -_MARGIN, top)
        return Drawn(
            x,
            y,
            lambda index: f"ε = {data.eps[index]:.3g} R, N = {data.n[index]:.0f}",
            bounds,
            {} if data.better is None else {"D<sub>min</sub>": f"{data.better:.3f}, better here"},
            note="too few sizes ε in the range of the fit for D<sub>f</sub>"
            if data.aggregated
            else "D<sub>f</sub> = — (nothing has aggregated)",
            fitted=data.aggregated,
        )


class MinimumCoverPlot(BoxCountingPlot):
    """The same with the fewest boxes of all meshes: where the discs lie in the box does not matter."""

    title = "Box counting by minimum cover"
    name = "least N(ε), minimum cover"
    definition = (
        r"<p>$N_{min}(\varepsilon)$: the least number of cells of side $\varepsilon = L' / 2^m$ that hold all centres, "
        "of meshes that are shifted along both axes by eighths of a cell. $L'$ is the side of the square around all "
        r"discs.</p><p>$D_{min}$ is minus its slope over the shaded range, $3R \le \varepsilon \le L'/2$ unless its "
        "edges are dragged. Unlike $D_f$ (4.15) it is the same wherever the discs lie in the box.</p>"
    )
    empty_text = "The fewest cells of side ε that hold all discs. The slope gives the dimension D<sub>min</sub>."
    axes = Axes("ε / R", "least N(ε)", x_log=True, y_log=True, corner="bottom left")
    columns: ClassVar = {"points": (Column("ε/R"), Column("least N(ε)"))}
    study_curves: ClassVar = {"points": StudyCurve("minimum_cover", x_over_radius)}
    power_fit = PowerFit((Slope("points", "D<sub>min</sub>", "D_min", -1.0),), low=_FIT_FROM)
    indicators = frozenset({"minimum_cover"})
    folded_at_first = True

    @classmethod
    def prepare(cls, analysis: Analysis) -> BoxCounts | None:
        """See `Plot.prepare`."""
        found = analysis.indicators.minimum_cover
        return None if found is None else BoxCounts(*_over_radius(found, analysis), True)


def _over_radius(found: BoxCounting, analysis: Analysis) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The sides of the boxes over R, and the numbers of occupied ones."""
    return np.asarray(found["eps"], np.float64) / analysis.mean_radius, np.asarray(found["n"], np.float64)


def _in_usual_range(eps: NDArray[np.float64]) -> int:
    """How many sizes over R are large enough for the usual fit."""
    return int(np.count_nonzero(eps >= _FIT_FROM * (1.0 - 1e-12)))


class PairDistributionPlot(CurvePlot):
    """P(r) for 2R < r < 20R (4.14)."""

    title = "Pair distribution P(r)"
    name = "P(r)"
    definition = (
        "<p>$P(r)$ (4.14): discs within the distance $r$ of a disc, itself included, averaged over all discs; for "
        r"$2R \lt r \lt 20R$.</p><p>In a fractal cluster it grows as $r^D$: a straight line here. The slope is that "
        "of the line of least squares in the shaded range.</p>"
    )
    empty_text = "How many discs lie within the distance r of a disc, on average."
    axes = Axes("r / R", "P(r)", x_log=True, y_log=True, corner="top left")
    columns: ClassVar = {"curve": (Column("r/R"), Column("P(r)"))}
    study_curves: ClassVar = {"curve": StudyCurve("pair_distribution", x_over_radius)}
    power_fit = PowerFit((Slope("curve", "slope", "slope of P(r)"),))
    indicators = frozenset({"pair_distribution"})

    @classmethod
    def prepare(cls, analysis: Analysis) -> CurveData | None:
        """The distances over R, and P(r); see `Plot.prepare`."""
        found = analysis.indicators.pair_distribution
        if found is None:
            return None
        radius = analysis.mean_radius
        return CurveData(np.asarray(found["r"], np.float64) / radius, np.asarray(found["p"], np.float64))

    def _draw(self, items: CurveItems, data: CurveData) -> Drawn:
        r, p = data
        x, y = log_or_gap(r), log_or_gap(p)
        items.curve.setData(x, y)
        bounds = None
        if np.isfinite(y).any():
            low = nice_below(float(10 ** np.nanmin(y)))
            high = max(low + 1.0, nice_above(float(10 ** np.nanmax(y)))) + _MARGIN
            bounds = (float(np.nanmin(x)) - _MARGIN / 2, float(np.nanmax(x)) + _MARGIN / 2, low, high)
        values = {f"P({r[-1]:.0f}R)": f"{p[-1]:.1f}"} if len(p) else {}
        return Drawn(x, y, lambda index: f"r = {r[index]:.2f} R, P = {p[index]:.2f}", bounds, values)


class NeighbourCounts(NamedTuple):
    """histogram : (k,), numbers of discs with 0, 1, … neighbours; relative : N_c, None where it is not known."""

    histogram: NDArray[np.int64]
    relative: float | None


class ContactsPlot(ContactBarsPlot):
    """Share of the discs with 0, 1, … 6 and more neighbours, with N_c (4.13)."""

    last_bar = 6
    ticks = ((0.0, 0.5, 1.0), (0.25, 0.75))
    title = "Contacts"
    definition = (
        "<p>Share of the discs with 0, 1, … neighbours within $2.1 R$ (the last bar: 6 or more).</p><p>$N_c$ (4.13), "
        r"the relative contacts: pairs with $|X_i - X_j| \le 2.1 R$ over $6 N$, where a disc counts as its own "
        "neighbour; 1/6 for loose discs, near 0.5 for an aggregate.</p>"
    )
    empty_text = "Share of the discs with 0, 1, 2, … neighbours in contact."
    axes = Axes("neighbours within 2.1 R", "share of discs", corner="top right")
    columns: ClassVar = {"bars": (Column("neighbours within 2.1 R"), Column("share of discs"))}
    study_curves: ClassVar = {"bars": StudyCurve("contacts_histogram", shares_in_bars(last_bar))}
    study_numbers = ("contacts_relative",)
    indicators = frozenset({"contacts_relative", "contacts_histogram"})

    @classmethod
    def prepare(cls, analysis: Analysis) -> NeighbourCounts | None:
        """See `Plot.prepare`."""
        found = analysis.indicators
        if found.contacts_histogram is None:
            return None
        return NeighbourCounts(found.contacts_histogram, found.contacts_relative)

    def _set_up(self) -> None:
        super()._set_up()
        self.view.set_bounds((-0.6, self.last_bar + 0.6, 0.0, 1.06))

    def _draw(self, items: BarItems, data: NeighbourCounts) -> Drawn:
        counts = self._binned(data.histogram)
        values = {} if data.relative is None else {"N<sub>c</sub>": f"{data.relative:.3f}"}
        return self._as_bars(items, counts, values)
