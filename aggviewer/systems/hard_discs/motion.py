"""Plots of the discs of a gas: speeds, displacements, velocity correlations, pair correlation, density fluctuations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import log10
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from aggviewer.plots.axes import nice_above, round_decades, value_text
from aggviewer.plots.drawing import (
    LAW,
    TIME,
    Axes,
    PlotDrawing,
    PlotQuantity,
    PlotSeries,
    TableValues,
    decades,
    drawing,
    interval_of_counts,
    level,
    number_with,
    of_counts,
    powers,
    told,
)
from aggviewer.plots.fits import PowerFit, Range, Slope
from aggviewer.plots.plot import Plot, StartDiscs, StudyCurve
from aggviewer.session.data import Analysis
from engine.arrays import Floats
from engine.hard_discs.theory import maxwell_speed
from engine.indicators import ANY
from engine.words import typeset

if TYPE_CHECKING:
    from engine.analysis import Average, Diffusion, Speeds

_FARTHEST = 4.0  # upper limit in thermal speeds
_PEAK = 0.2  # share of the discs in one bin; Maxwell's distribution has 0.06
_USUAL_TOP = 0.8  # of the axis: Maxwell's distribution reaches 0.61
_LATER_HALF = log10(2.0)  # decades
_POINTS = 60  # points of the fitted line, which is curved on logarithmic axes


def errors_of_speeds(speeds: Speeds, count: int) -> tuple[Floats, tuple[Floats, Floats]]:
    """Standard errors and intervals of the density of speeds (K,) of `count` discs, from the counts in the bins; errors
    nan if one bin has more than a fifth of them: then all discs started with the same speed, and the counts are not
    random."""
    each = count * np.diff(speeds.edges)
    numbers = np.rint(speeds.density * each)
    low, high = interval_of_counts(numbers, count)
    error = of_counts(numbers, count) / each if numbers.max() <= _PEAK * count else np.full(len(numbers), np.nan)
    return error, (low / each, high / each)


class SpeedsPlot(Plot):
    """Histogram of the speeds, with Maxwell's distribution at their temperature."""

    simple = True
    title = "Speeds"
    definition = (
        r"<p>Share of discs per speed $u = |v| \sqrt{m / kT}$, with the temperature "
        r"$kT = \langle m v^2\rangle / d$ in $d$ dimensions at this moment. The line is <b>Maxwell's distribution</b>, "
        r"$u \exp(-u^2/2)$ for discs and $\sqrt{2 / \pi}\, u^2 \exp(-u^2/2)$ for spheres, which elastic ones reach "
        "after a few collisions. Bars: central 68 % intervals of the counts."
        r"</p><p>$a_2 = d \langle u^4\rangle / ((d + 2) \langle u^2\rangle^2) - 1$: 0 for Maxwell's, larger if "
        "fast discs are more frequent.</p>"
    )
    empty_text = "Distribution of the {discs}' speeds, compared with Maxwell's."
    axes = Axes("|v| √(m / kT)", "density", corner="top right")
    columns: ClassVar = {
        "steps": (PlotQuantity("|v| √(m/kT)"), PlotQuantity("density")),
        "maxwell": (PlotQuantity("|v| √(m/kT)"), PlotQuantity("density by Maxwell")),
    }
    study_curves: ClassVar = {"steps": StudyCurve("speeds")}
    indicators = averaged = frozenset({"speeds"})
    dimensions = ANY

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The histogram, below Maxwell's distribution."""
        data = analysis.indicators.speeds
        if data is None:
            return None
        middle = 0.5 * (data.edges[1:] + data.edges[:-1])
        dimensions = len(analysis.disc_set.box)
        law = maxwell_speed(middle, dimensions=dimensions)

        errors: Floats | None
        ends: tuple[Floats, Floats] | None
        errors, ends = errors_of_speeds(data, analysis.disc_set.count)
        if analysis.means is not None:
            errors, ends = analysis.error("speeds", "density"), None

        def words(index: int) -> str:
            density = told(data.density, index, errors if ends is None else None, ".3f")
            return f"u = {middle[index]:.2f}: {density}, Maxwell {law[index]:.3f}"

        sonine = typeset(data.sonine, ".3f")
        return drawing(
            [
                PlotSeries("steps", data.edges, data.density, "steps", error=errors, interval=ends, words=words),
                _maxwell(dimensions),
            ],
            (0.0, _FARTHEST, 0.0, max(_USUAL_TOP, 10.0 ** nice_above(1.05 * float(data.density.max())))),
            {
                "kT": number_with(
                    analysis.error("speeds", "temperature"), data.temperature, value_text(data.temperature)
                ),
                "a₂": number_with(analysis.error("speeds", "sonine"), data.sonine, sonine),
            },
        )


@cache
def _maxwell(dimensions: int) -> PlotSeries:
    """Maxwell's distribution of speeds, as a curve."""
    u = np.linspace(0.0, _FARTHEST, 161)
    return PlotSeries("maxwell", u, maxwell_speed(u, dimensions=dimensions), role=LAW, shared=True)


@dataclass(frozen=True)
class MeanSquareDisplacement:
    """The mean square displacement over the squared mean diameter σ².

    Parameters
    ----------
    time, squared : (K,), ⟨Δr²⟩ / σ² since the start.
    ballistic : ⟨v²⟩ / σ² at the start, where the curve is ⟨v²⟩ t².
    dimensions : d, of the box.
    unit : σ².
    average : over all pairs of states a time apart, of which these are the displacements; None for those since the
        start.
    """

    time: Floats
    squared: Floats
    ballistic: float
    dimensions: int
    unit: float = 1.0
    average: Average | None = None

    def diffusion(self, within: Range | None) -> Diffusion | None:
        """D / σ² from the line 2 d D t + c over this range of times; None for the later half."""
        from engine.analysis import diffusion

        return diffusion(self.time, self.squared, within, self.dimensions)

    def diffusion_error(self, within: Range | None) -> float | None:
        """The standard error of D / σ²; None if it is not known."""
        if self.average is None:
            return None

        def coefficient(squared: Floats) -> float | None:
            found = replace(self, squared=squared).diffusion(within)
            return None if found is None else found.coefficient

        error = self.average.error_of(coefficient, "value")
        return None if error is None else error / self.unit

    @property
    def errors(self) -> Floats | None:
        """The standard errors (K,) of `squared`; None if they are not known."""
        known: Floats | None = None if self.average is None else self.average.error("value")
        return None if known is None else known / self.unit


class MeanSquareDisplacementPlot(Plot):
    """The mean square displacement from the start."""

    title = "Displacement ⟨Δr²⟩"
    short = "Displacement"
    name = "Mean square displacement"
    definition = (
        r"<p>$\langle\Delta r^2\rangle$: mean of $|X(t) - X(0)|^2$ over the discs, with paths followed across "
        r"periodic edges; in mean diameters $\sigma$. Discs fly straight at first, $\langle v^2\rangle t^2$ "
        "(dashed), and diffuse after a few collisions, $2 d D t$ in $d$ dimensions.</p><p>$D$: the slope of a "
        "least-squares line through the later half of the time (dotted), or through the range you drag, over $2 d$."
        "</p><p>The average is over all pairs of states that are a time $t$ apart, up to a sixteenth of the run. In a "
        "shear flow it is $d / (d - 1)$ times the part across the flow, since the flow itself separates discs "
        "along x.</p>"
    )
    empty_text = "How far {discs} have moved from their start: straight at first, then in a random walk."
    axes = Axes("time t", "⟨Δr²⟩ / σ²", x_log=True, y_log=True, corner="top left")
    power_fit = PowerFit((Slope("curve", "slope", "slope of ⟨Δr²⟩"),), decades=_LATER_HALF, always=False)
    reads_fit = True
    dimensions = ANY
    study_numbers = ("mean_square_displacement",)
    columns: ClassVar = {
        "curve": (TIME, PlotQuantity("⟨Δr²⟩/σ²")),
        "ballistic": (TIME, PlotQuantity("⟨v²⟩t²/σ²")),
        "diffusive": (TIME, PlotQuantity("2dDt + c")),
    }
    folded_at_first = True
    indicators = frozenset()
    averaged = frozenset({"mean_square_displacement"})

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The displacement with its early and late laws; D is fitted over the user's range."""
        data = mean_square_displacement(analysis)
        if data is None:
            return None
        time, squared = data.time, data.squared
        left, right = round_decades(time, span=1.0)
        low, high = round_decades(squared, margin=0.1, span=1.0)

        errors = data.errors

        def words(index: int) -> str:
            shown = told(squared, index, errors, "") if errors is not None else value_text(float(squared[index]))
            return f"t = {typeset(time[index], '.4g')}: ⟨Δr²⟩ = {shown} σ²"

        last = None if errors is None else float(errors[-1])
        curves, numbers = [], {"⟨Δr²⟩/σ²": number_with(last, float(squared[-1]), value_text(float(squared[-1])))}
        table: tuple[TableValues, ...] = ()
        if data.ballistic > 0.0:
            ends = np.array(powers(left, right))
            curves.append(PlotSeries("ballistic", ends, data.ballistic * ends**2, role=LAW, dash="dashed"))
        found = data.diffusion(fit_range)
        if found is not None:
            along = np.geomspace(found.low, found.high, _POINTS)
            line = found.offset + 2.0 * data.dimensions * found.coefficient * along
            curves.append(PlotSeries("diffusive", along, line, role=LAW, dash="dotted"))
            error = data.diffusion_error(fit_range)
            if found.coefficient > 0.0:
                text = number_with(error, found.coefficient, value_text(found.coefficient))
                numbers["D/σ²"] = f"{text} / time"
            table = (
                TableValues("D/σ²", "1/time", np.array([found.coefficient])),
                *(() if error is None else (TableValues("D/σ² standard error", "1/time", np.array([error])),)),
                TableValues("D/σ² points", "1", np.array([float(found.count)])),
                TableValues("D/σ² from t", "time", np.array([found.low])),
                TableValues("D/σ² to t", "time", np.array([found.high])),
            )
        marker = "" if data.average is None else "o"
        curves.append(PlotSeries("curve", time, squared, error=errors, marker=marker, size=5.0, words=words))
        return drawing(curves, decades(left, right, low, high), numbers, table=table)


class AutocorrelationPlot(Plot):
    """The autocorrelation of the velocities."""

    title = "Velocity autocorrelation"
    short = "Autocorrelation"
    definition = (
        r"<p>$\langle v(t) \cdot v(0)\rangle / \langle v(0)^2\rangle$ over the discs, since the first measured "
        "state; in a periodic box relative to the mean motion. It falls from 1 as collisions change velocities, and "
        "below 0 if discs bounce back from their neighbours. The average is over all pairs of states that are a time "
        r"$t$ apart. $D = \frac{1}{d} \int \langle v(t) \cdot v(0)\rangle\,dt$ in $d$ dimensions.</p>"
    )
    empty_text = "How well {discs} remember their first velocities: from 1 to 0 within a few collisions."
    axes = Axes("time t", "⟨v(t)·v(0)⟩ / ⟨v(0)²⟩", x_log=True, corner="top right")
    columns: ClassVar = {"curve": (TIME, PlotQuantity("⟨v(t)·v(0)⟩/⟨v(0)²⟩"))}
    dimensions = ANY
    folded_at_first = True
    indicators = frozenset()
    averaged = frozenset({"velocity_autocorrelation"})

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The autocorrelations since the start, or averaged over the run."""
        time, alike, errors = analysis.data.autocorrelation[0], analysis.data.autocorrelation[1], None
        if analysis.means is not None:
            average = analysis.means.get("velocity_autocorrelation")
            if average is None:
                return None
            time, alike, errors = average.value.time, average.value.value, average.error("value")
        known = (time > 0.0) & np.isfinite(alike)
        if not known.any():
            return None
        time, alike = time[known], alike[known]
        errors = None if errors is None else errors[known]
        last = None if errors is None else float(errors[-1])
        left, right = round_decades(time, span=1.0)
        curve = PlotSeries(
            "curve",
            time,
            alike,
            error=errors,
            marker="" if analysis.means is None else "o",
            size=5.0,
            words=lambda index: f"t = {typeset(time[index], '.4g')}: {told(alike, index, errors, '.3f')}",
        )
        return drawing(
            [level("none", 0.0), curve],
            (*powers(left, right), min(-0.2, 1.1 * float(alike.min())), 1.1),
            {f"at t = {typeset(time[-1], '.4g')}": number_with(last, float(alike[-1]), typeset(alike[-1], ".3f"))},
        )


def mean_square_displacement(analysis: Analysis) -> MeanSquareDisplacement | None:
    """The mean square displacement over σ², with its early law ⟨v²⟩ t² and late law 2 d D t. None before any disc has
    moved."""
    time, squared = analysis.data.displacement
    average = None if analysis.means is None else analysis.means.get("mean_square_displacement")
    if average is not None:
        time, squared = average.value.time, average.value.value
    elif analysis.means is not None:
        return None
    diameter, dimensions = 2.0 * analysis.mean_radius, len(analysis.disc_set.box)
    moved = (time > 0.0) & (squared > 0.0)
    if not (moved.any() if average is None else moved.all()):
        return None
    t, s = time[moved], squared[moved] / diameter**2
    return MeanSquareDisplacement(
        t, s, analysis.data.start_speed_squared / diameter**2, dimensions, diameter**2, average
    )


_USUAL_DENSITY = 2.0
_RIGHT = 6.0
_MARGIN = 0.05  # decades left free beside the data
_PER_DIAMETER = 20  # intervals per diameter in `engine.analysis.pair_correlation`


def over_diameter(r: Floats, g: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
    """r over the mean diameter of the discs at the end, and g, both (K,): `pair_correlation` has 20 intervals per
    diameter."""
    return r / (_PER_DIAMETER * 2.0 * r[0]), g


class PairCorrelationPlot(Plot):
    """The pair correlation: how often two discs are a distance r apart, compared with an ideal gas."""

    title = "Pair correlation g(r)"
    short = "Pairs g(r)"
    name = "g(r)"
    definition = (
        "<p>$g(r)$: number of pairs at a distance $r$, divided by that of an ideal gas; $r$ in mean diameters "
        r"$\sigma$, up to half the shortest side of the box, beyond which a pair has several images. 1 means no order; "
        r"peaks are shells of neighbours. Between walls, only the part of the box that centres can reach "
        r"counts.</p><p>$g(\sigma^+)$(point): the value at contact, extrapolated from the smallest gaps; of elastic "
        r"discs $Z = 1 + 2 V_f\, g(\sigma^+)$, of spheres $1 + 4 V_f\, g(\sigma^+)$. Only in a "
        "periodic box, and before clusters form. ± is the standard error of one state, or of the average.</p>"
    )
    empty_text = "How often {discs} are a distance r apart, compared with an ideal gas."
    axes = Axes("r / σ", "g(r)", corner="top right")
    columns: ClassVar = {
        "curve": (PlotQuantity("r/σ"), PlotQuantity("g(r)")),
        "contact": (PlotQuantity("r/σ"), PlotQuantity("g at contact")),
    }
    study_curves: ClassVar = {"curve": StudyCurve("pair_correlation", over_diameter)}
    indicators = frozenset({"pair_correlation", "contact_value", "contact_value_error"})
    averaged = frozenset({"pair_correlation", "contact_value"})
    dimensions = ANY

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """g(r) against the distance in diameters, with the value at contact if it is known."""
        found = analysis.indicators.pair_correlation
        if found is None:
            return None
        r, g, contact = found.r / found.diameter, found.g, analysis.indicators.contact_value
        errors = analysis.error("pair_correlation", "g")
        curves = [
            level("one", 1.0),
            PlotSeries(
                "curve",
                r,
                g,
                error=errors,
                banded=True,
                words=lambda index: f"r = {r[index]:.2f} σ, g = {told(g, index, errors, '.2f')}",
            ),
        ]
        top, numbers = float(g.max()), {}
        if contact is not None:
            known = analysis.indicators.contact_value_error
            if analysis.means is not None:
                known = analysis.error("contact_value")
            error = None if known is None else np.array([known])
            point = PlotSeries("contact", np.ones(1), np.array([contact]), "points", marker="o", size=7.0, error=error)
            curves.append(point)
            numbers["g(σ⁺)"] = number_with(known if contact < 100 else None, contact, typeset(contact, ".3g"))
            if contact < 3.0 * top:  # very dense: the contact value is far above all peaks
                top = max(top, contact + (known or 0.0))
        high = max(_USUAL_DENSITY, 10.0 ** nice_above(1.02 * top))
        return drawing(curves, (0.0, max(_RIGHT, float(r[-1])), 0.0, high), numbers)


def sides_over_diameter(side: Floats, ratio: Floats, discs: StartDiscs) -> tuple[Floats, Floats]:
    """Sides of cells over the mean diameter at the start, as in the plot, and their ratios, both (K,)."""
    return side / (2.0 * discs.radius), ratio


class FluctuationsPlot(Plot):
    """Variance over mean of the number of discs in cells of side l."""

    title = "Density fluctuations"
    short = "Fluctuations"
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
    indicators = averaged = frozenset({"fluctuations"})
    dimensions = ANY

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """Variance over mean of the number of discs, against the side of the cells in diameters."""
        found = analysis.indicators.fluctuations
        if found is None:
            return None
        side, ratio = found.side / (2.0 * analysis.mean_radius), found.ratio
        x, ends = np.log10(side), round_decades(ratio, around=(-1.0, 1.0), margin=0.1)

        errors = analysis.error("fluctuations", "ratio")

        def words(index: int) -> str:
            return f"l = {typeset(side[index], '.3g')} σ: {told(ratio, index, errors, '.3g')}"

        alone = value_text(float(ratio[-1])) if ratio[-1] > 0.0 else "0"
        last = None if errors is None else float(errors[-1])
        return drawing(
            [level("ideal", 1.0), PlotSeries("curve", side, ratio, marker="o", size=5.0, error=errors, words=words)],
            decades(float(x[0]) - _MARGIN, float(x[-1]) + _MARGIN, *ends),
            {f"at l = {typeset(side[-1], '.0f')} σ": number_with(last, float(ratio[-1]), alone)},
        )
