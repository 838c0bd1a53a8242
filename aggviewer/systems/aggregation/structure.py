"""Plots of the structure of aggregates: box counting, pair distribution, contacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below
from aggviewer.plots.drawing import (
    Axes,
    LiveNumber,
    NumberTexts,
    PlotDrawing,
    PlotQuantity,
    PlotSeries,
    PointLayer,
    decades,
    drawing,
    number_with,
    told,
)
from aggviewer.plots.fits import PowerFit, Range, Slope
from aggviewer.plots.plot import Plot, StudyCurve, x_over_radius
from aggviewer.session.data import Analysis
from aggviewer.systems.state_plots import bar_ticks, contact_bars, in_bars, share_ticks, shares_in_bars
from engine.arrays import Floats
from engine.indicators import ANY
from engine.words import count, typeset

if TYPE_CHECKING:
    from engine.analysis import BoxCounting

_FIT_FROM = 3.0  # least eps / R of the fit of D_f; the greatest eps is L / 2, the largest box
_MARGIN = 0.1  # decades left free around the data
_ROUNDING = 1e-12
_LAST_BAR = 6


class BoxCountingPlot(Plot):
    """N(ε) with a line of slope -D_f over the fit range (4.15)."""

    simple = True
    title = "Box counting N(ε)"
    short = "Box counting"
    name = "N(ε), fractal dimension"
    definition = (
        r"<p>$N(\varepsilon)$ (4.15): number of cells of side $\varepsilon = L / 2^m$, $m = 1, \ldots, 10$, that "
        r"contain a disc's centre.</p><p>$N(\varepsilon) \propto \varepsilon^{-D_f}$: the fractal dimension $D_f$ is "
        r"minus the slope of $\log\,N$ over $\log\,\varepsilon$ in the shaded range, $3R \le \varepsilon \le L/2$ "
        "unless you drag its edges. A line has dimension 1, a filled plane 2, filled space 3. In space, sizes at which "
        "all boxes are full (rings) are not fitted: their slope is 3, whatever the spheres form. *Slopes* are those "
        "between neighbouring sizes in the range, from the largest; they are *bent* where neighbours "
        "differ by more than 0.3: then there is no single dimension.</p><p>The mesh starts at "
        "the corner of the box. If this choice changes the result, $D_{min}$ is given too: the dimension by *minimum "
        "cover*, which has its own plot.</p>"
    )
    empty_text = "Number of cells of side ε that contain a {disc}. The slope gives the fractal dimension D<sub>f</sub>."
    axes = Axes("ε / R", "N(ε)", x_log=True, y_log=True, corner="bottom left")
    columns: ClassVar = {
        "points": (PlotQuantity("ε/R"), PlotQuantity("N(ε)")),
        "full": (PlotQuantity("ε/R"), PlotQuantity("N(ε), all boxes full")),
    }
    study_curves: ClassVar = {"points": StudyCurve("box_counting", x_over_radius)}
    power_fit = PowerFit((Slope("points", "D<sub>f</sub>", "D_f", -1.0),), low=_FIT_FROM)
    reads_fit = True
    dimensions = ANY
    indicators = frozenset({"box_counting", "fractal_fit", "minimum_cover_dimension", "mesh_matters"})

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """Occupied boxes against their side over R; no fit before anything has aggregated."""
        measured = analysis.indicators
        if measured.box_counting is None:
            return None
        eps, n = _over_radius(measured.box_counting, analysis)
        in_plane = len(analysis.disc_set.box) == 2
        full = np.asarray(measured.box_counting.get("full", np.zeros(len(eps))), np.bool_)
        aggregated = measured.fractal_fit is not None or _in_usual_range(eps[~full]) < 2
        better = measured.minimum_cover_dimension if measured.mesh_matters else None
        numbers: dict[str, str | LiveNumber] = {}
        if better is not None:
            numbers["D<sub>min</sub>"] = f"{typeset(better, '.3f')}, better here"
        if measured.fractal_fit is not None:
            numbers |= _slopes(eps[~full], n[~full], fit_range, always=not in_plane)
        grid = PointLayer("boxes", "grid_level", tuple(range(1, len(eps) + 1))) if in_plane else None
        return boxes_drawn(eps, n, numbers, aggregated=aggregated, layer=grid, full=full)


def boxes_drawn(
    eps: Floats,
    n: Floats,
    numbers: NumberTexts,
    *,
    aggregated: bool,
    layer: PointLayer | None = None,
    full: NDArray[np.bool_] | None = None,
) -> PlotDrawing:
    """Numbers of boxes n (K,) against their sides eps (K,) over R. aggregated : whether a dimension is defined; layer :
    the layer that shows the boxes in the picture; full : (K,), sizes of which all boxes are full, which are not fitted;
    None for none."""
    x = log_or_gap(eps)
    bounds = None
    if np.isfinite(x).any():
        top = nice_above(float(np.nanmax(n))) + 2 * _MARGIN
        bounds = decades(float(np.nanmin(x)) - _MARGIN, float(np.nanmax(x)) + _MARGIN, -_MARGIN, top)
    too_few, nothing = (
        "the fit range has too few sizes ε for D<sub>f</sub>"
        if full is None or not full.any()
        else "too few sizes ε with empty boxes for D<sub>f</sub>",
        "D<sub>f</sub> = — (nothing has aggregated)",
    )

    def words(index: int) -> str:
        return f"ε = {typeset(eps[index], '.3g')} R, N = {count(n[index])}"

    points = PlotSeries("points", eps, n, "points", marker="o", size=7.0, words=words, layer=layer)
    if full is None or not full.any():
        return drawing([points], bounds, numbers, note=too_few if aggregated else nothing, fitted=aggregated)
    fitted, left_out = np.flatnonzero(~full), np.flatnonzero(full)
    series = [
        replace(points, x=eps[fitted], y=n[fitted], words=lambda k: words(fitted[k])),
        PlotSeries(
            "full", eps[left_out], n[left_out], "points", marker="o", size=7.0, hollow=True,
            words=lambda k: f"{words(left_out[k])}: all boxes are full, not fitted",
        ),
    ]  # fmt: skip
    return drawing(series, bounds, numbers, note=too_few if aggregated else nothing, fitted=aggregated)


def _slopes(eps: Floats, n: Floats, fit_range: Range | None, *, always: bool) -> dict[str, LiveNumber]:
    """The slopes between neighbouring sizes eps (K,) over R that are fitted, with a warning where they differ by more
    than 0.3. always : whether they are shown otherwise too."""
    from engine.analysis.fractal import local_slopes  # brings numba

    low, high = fit_range or (_FIT_FROM, np.inf)
    used = (eps >= low * (1.0 - _ROUNDING)) & (eps <= high * (1.0 + _ROUNDING))
    slopes, bends = local_slopes(eps[used], n[used])
    if not len(slopes) or not (always or len(bends)):
        return {}
    text = ", ".join(typeset(one, ".2f") for one in slopes)
    told = {"slopes": LiveNumber(text, "")}
    if len(bends):
        told["⚠ bent at ε/R"] = LiveNumber(", ".join(typeset(one, ".3g") for one in bends), "")
    return told


class MinimumCoverPlot(BoxCountingPlot):
    """N(ε) with the fewest boxes of all meshes, independent of the position of the discs in the box."""

    title = "Box counting by minimum cover"
    short = "Minimum cover"
    name = "least N(ε), minimum cover"
    definition = (
        r"<p>$N_{min}(\varepsilon)$: the smallest number of cells of side $\varepsilon = L' / 2^m$ that contain all "
        "centres, among meshes shifted along all axes by eighths of a cell. $L'$ is the side of the square (cube in "
        r"space) around all discs.</p><p>$D_{min}$ is minus its slope over the shaded range, $3R \le \varepsilon "
        r"\le L'/2$ unless you drag its edges. Unlike $D_f$ (4.15), it does not depend on where the discs lie in the "
        "box.</p>"
    )
    empty_text = "Fewest cells of side ε that contain all {discs}. The slope gives the dimension D<sub>min</sub>."
    axes = Axes("ε / R", "least N(ε)", x_log=True, y_log=True, corner="bottom left")
    columns: ClassVar = {"points": (PlotQuantity("ε/R"), PlotQuantity("least N(ε)"))}
    study_curves: ClassVar = {"points": StudyCurve("minimum_cover", x_over_radius)}
    power_fit = PowerFit((Slope("points", "D<sub>min</sub>", "D_min", -1.0),), low=_FIT_FROM)
    indicators = frozenset({"minimum_cover"})
    folded_at_first = True

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The fewest boxes against their side over R."""
        found = analysis.indicators.minimum_cover
        return None if found is None else boxes_drawn(*_over_radius(found, analysis), {}, aggregated=True)


def _over_radius(found: BoxCounting, analysis: Analysis) -> tuple[Floats, Floats]:
    """The sides of the boxes over R, and the numbers of occupied boxes."""
    return np.asarray(found["eps"], np.float64) / analysis.mean_radius, np.asarray(found["n"], np.float64)


def _in_usual_range(eps: Floats) -> int:
    """The number of sizes over R that are large enough for the default fit."""
    return int(np.count_nonzero(eps >= _FIT_FROM * (1.0 - _ROUNDING)))


class PairDistributionPlot(Plot):
    """The plot of the pair distribution P(r) for 2R < r < 20R (4.14)."""

    title = "Pair distribution P(r)"
    short = "Pairs P(r)"
    name = "P(r)"
    definition = (
        "<p>$P(r)$ (4.14): number of discs within a distance $r$ of a disc, itself included, averaged over all "
        r"discs; for $2R \lt r \lt 20R$. In a periodic box each pair counts once, by its nearest image.</p><p>In a "
        "fractal cluster it grows as $r^D$: a straight line here. The slope is the least-squares fit in the shaded "
        "range.</p>"
    )
    empty_text = "Mean number of {discs} within a distance r of a {disc}."
    axes = Axes("r / R", "P(r)", x_log=True, y_log=True, corner="top left")
    columns: ClassVar = {"curve": (PlotQuantity("r/R"), PlotQuantity("P(r)"))}
    study_curves: ClassVar = {"curve": StudyCurve("pair_distribution", x_over_radius)}
    power_fit = PowerFit((Slope("curve", "slope", "slope of P(r)"),))
    dimensions = ANY
    indicators = averaged = frozenset({"pair_distribution"})

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """P(r) against the distance over R."""
        found = analysis.indicators.pair_distribution
        if found is None:
            return None
        r, p = np.asarray(found["r"], np.float64) / analysis.mean_radius, np.asarray(found["p"], np.float64)
        x, y = log_or_gap(r), log_or_gap(p)
        bounds = None
        if np.isfinite(y).any():
            low = nice_below(float(10 ** np.nanmin(y)))
            high = max(low + 1.0, nice_above(float(10 ** np.nanmax(y)))) + _MARGIN
            bounds = decades(float(np.nanmin(x)) - _MARGIN / 2, float(np.nanmax(x)) + _MARGIN / 2, low, high)
        errors = analysis.error("pair_distribution", "p")
        curve = PlotSeries(
            "curve",
            r,
            p,
            error=errors,
            banded=True,
            words=lambda index: f"r = {r[index]:.2f} R, P = {told(p, index, errors, '.2f')}",
        )
        return drawing([curve], bounds, {f"P({r[-1]:.0f}R)": told(p, -1, errors, ".1f")} if len(p) else {})


class ContactsPlot(Plot):
    """Share of discs with 0, 1, … 6 or more neighbours, with N_c (4.13)."""

    title = "Contacts"
    definition = (
        "<p>Share of discs with 0, 1, … neighbours within $2.1 R$ (last bar: 6 or more).</p><p>$N_c$ (4.13), the "
        r"relative contacts: pairs with $|X_i - X_j| \le 2.1 R$ divided by $6 N$, counting each disc as its own "
        "neighbour; 1/6 for loose discs, near 0.5 for an aggregate. For spheres, which can touch twelve others, "
        "divided by $12 N$; 1/12 if loose, near 0.26 in an aggregate. In a periodic box every image of a disc "
        "counts.</p>"
    )
    empty_text = "Share of {discs} with 0, 1, 2, … neighbours in contact."
    axes = Axes(
        "neighbours within 2.1 R",
        "{discs}",  # in per cent; "share of spheres" would be longer than the axis
        corner="top right",
        x_ticks=bar_ticks(_LAST_BAR),
        y_ticks=share_ticks((0.0, 0.5, 1.0), (0.25, 0.75)),
    )
    columns: ClassVar = {"bars": (PlotQuantity("neighbours within 2.1 R"), PlotQuantity("share of discs"))}
    study_curves: ClassVar = {"bars": StudyCurve("contacts_histogram", shares_in_bars(_LAST_BAR))}
    study_numbers = ("contacts_relative",)
    dimensions = ANY
    indicators = averaged = frozenset({"contacts_relative", "contacts_histogram"})

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """Shares of discs by number of neighbours, with N_c if it is known."""
        found = analysis.indicators
        if found.contacts_histogram is None:
            return None
        known = found.contacts_relative is not None
        error, relative = analysis.error("contacts_relative"), found.contacts_relative
        numbers = {"N<sub>c</sub>": number_with(error, relative, f"{relative:.3f}")} if known else {}
        counts = in_bars(found.contacts_histogram, _LAST_BAR)
        return contact_bars(counts, numbers, (-0.6, _LAST_BAR + 0.6, 0.0, 1.06))
