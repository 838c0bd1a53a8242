"""Plots of the structure of a gas: pair correlation and density fluctuations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from aggviewer.plots.axes import nice_above, round_decades, value_text
from aggviewer.plots.drawing import (
    Axes,
    Floats,
    PlotDrawing,
    PlotQuantity,
    PlotSeries,
    decades,
    drawing,
    error_text,
    level,
)
from aggviewer.plots.fits import PowerFit, Range, Slope
from aggviewer.plots.plot import Plot, StartDiscs, StudyCurve
from aggviewer.session.data import Analysis
from engine.indicators import ANY

_USUAL_TOP = 2.0
_RIGHT = 6.0
_MARGIN = 0.05  # decades left free beside the data
_PER_DIAMETER = 20  # intervals per diameter in `engine.analysis.pair_correlation`


def over_diameter(r: Floats, g: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
    """r over the mean diameter of the discs at the end: `pair_correlation` has 20 intervals per diameter."""
    return r / (_PER_DIAMETER * 2.0 * r[0]), g


class PairCorrelationPlot(Plot):
    """The pair correlation: how often two discs are a distance r apart, compared with an ideal gas."""

    title = "Pair correlation g(r)"
    name = "g(r)"
    definition = (
        "<p>$g(r)$: number of pairs at a distance $r$, divided by that of an ideal gas; $r$ in mean diameters "
        r"$\sigma$, up to half the shortest side of the box, beyond which a pair has several images. 1 means no order; "
        r"peaks are shells of neighbours. Between walls, only the part of the box that centres can reach "
        r"counts.</p><p>$g(\sigma^+)$(point): the value at contact, extrapolated from the smallest gaps; of elastic "
        r"discs $Z = 1 + 2 V_f\, g(\sigma^+)$, of spheres $1 + 4 V_f\, g(\sigma^+)$. Only in a "
        "periodic box where discs have not gathered. ± is the standard error of one state.</p>"
    )
    empty_text = "How often {discs} are a distance r apart, compared with an ideal gas. Peaks are shells of neighbours."
    axes = Axes("r / σ", "g(r)", corner="top right")
    columns: ClassVar = {
        "curve": (PlotQuantity("r/σ"), PlotQuantity("g(r)")),
        "contact": (PlotQuantity("r/σ"), PlotQuantity("g at contact")),
    }
    study_curves: ClassVar = {"curve": StudyCurve("pair_correlation", over_diameter)}
    indicators = frozenset({"pair_correlation", "contact_value", "contact_value_error"})
    dimensions = ANY

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """g(r) against the distance in diameters, with the value at contact if it is known."""
        found = analysis.indicators.pair_correlation
        if found is None:
            return None
        r, g, contact = found.r / found.diameter, found.g, analysis.indicators.contact_value
        curves = [
            level("one", 1.0),
            PlotSeries("curve", r, g, words=lambda index: f"r = {r[index]:.2f} σ, g = {g[index]:.2f}"),
        ]
        top, numbers = float(g.max()), {}
        if contact is not None:
            known = analysis.indicators.contact_value_error
            error = None if known is None else np.array([known])
            point = PlotSeries("contact", np.ones(1), np.array([contact]), "points", marker="o", size=7.0, error=error)
            curves.append(point)
            numbers["g(σ⁺)"] = f"{contact:.3g}" if known is None or contact >= 100 else error_text(contact, known)
            if contact < 3.0 * top:  # very dense: the contact value is far above all peaks
                top = max(top, contact)
        high = max(_USUAL_TOP, 10.0 ** nice_above(1.02 * top))
        return drawing(curves, (0.0, max(_RIGHT, float(r[-1])), 0.0, high), numbers)


def sides_over_diameter(side: Floats, ratio: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
    """Sides of cells over the mean diameter at the start, as in the plot."""
    return side / (2.0 * discs.radius), ratio


class FluctuationsPlot(Plot):
    """Variance over mean of the number of discs in cells of side l."""

    title = "Density fluctuations"
    definition = (
        "<p>Variance divided by mean of the number of discs in square cells, in space cubes, of side $l$; $l$ in mean "
        r"diameters $\sigma$.</p><p>An ideal gas has 1 (dotted). Hard discs exclude each other, so they have less; "
        "clusters make it grow with $l$ far above 1.</p>"
    )
    empty_text = "How unevenly {discs} fill cells of side l. Clusters show as values above 1."
    axes = Axes("l / σ", "variance / mean", x_log=True, y_log=True, corner="top left")
    power_fit = PowerFit((Slope("curve", "slope", "slope of variance/mean"),), always=False)
    columns: ClassVar = {"curve": (PlotQuantity("l/σ"), PlotQuantity("variance/mean"))}
    study_curves: ClassVar = {"curve": StudyCurve("fluctuations", sides_over_diameter)}
    indicators = frozenset({"fluctuations"})
    dimensions = ANY

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """Variance over mean of the number of discs, against the side of the cells in diameters."""
        found = analysis.indicators.fluctuations
        if found is None:
            return None
        side, ratio = found.side / (2.0 * analysis.mean_radius), found.ratio
        x, ends = np.log10(side), round_decades(ratio, around=(-1.0, 1.0), margin=0.1)

        def words(index: int) -> str:
            return f"l = {side[index]:.3g} σ: {ratio[index]:.3g}"

        return drawing(
            [level("ideal", 1.0), PlotSeries("curve", side, ratio, marker="o", size=5.0, words=words)],
            decades(float(x[0]) - _MARGIN, float(x[-1]) + _MARGIN, *ends),
            {f"at l = {side[-1]:.0f} σ": value_text(float(ratio[-1])) if ratio[-1] > 0.0 else "0"},
        )
