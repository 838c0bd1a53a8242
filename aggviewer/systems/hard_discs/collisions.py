"""Plots from collisions: the pressure, and the separations at impact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import log10
from typing import Any, ClassVar

import numpy as np

from aggviewer.plots.axes import log_or_gap, nice_above
from aggviewer.plots.drawing import (
    LITERATURE,
    Axes,
    LiveNumber,
    PlotDrawing,
    PlotQuantity,
    PlotSeries,
    drawing,
    interval_of_counts,
    number_with,
    of_counts,
    powers,
    upright,
)
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import Plot
from aggviewer.session.data import Analysis
from aggviewer.systems.hard_discs.analysis import ImpactHistogram
from engine.arrays import Floats
from engine.hard_discs.fields import GasHistory
from engine.hard_discs.pressure import pressure_in_pieces
from engine.hard_discs.section import HardDiscs
from engine.hard_discs.theory import CLOSE_PACKING, FLUID_TO, REFERENCE_Z, fluid_z
from engine.words import count, typeset

_WHAT = "Pressure relative to an ideal gas."
_HIGHEST = 20.0  # default upper limit of Z
_RIGHT = 0.93
_FLOOR = log10(0.5)  # of the axis, for empty bins
_LEAST = 4.0  # units in the last place on either side that are always visible


_AUTHORS = {2: "Luding", 3: "Kolafa"}
"""Whose equation `fluid_z` is, by the number of dimensions."""


@dataclass(frozen=True)
class EquationOfStatePath:
    """The path in the pressure plot.

    Parameters
    ----------
    fraction, z : (K,), V_f and Z; the last pair is the present state, the others the path of growing discs.
    error : standard error of the last Z if it is a mean over time, else nan.
    """

    fraction: Floats
    z: Floats
    error: float = np.nan


class PressurePlot(Plot):
    """The measured Z, compared with the literature."""

    title = "Pressure Z"
    definition = (
        r"<p>$Z = P / (n\, kT)$, the pressure divided by that of an ideal gas, from the momentum transferred in "
        r"collisions: $Z = 1 + \sum \Delta p \cdot r / (d N\, kT\, t)$ in $d$ dimensions. In a periodic box "
        "without gravity. Collisions count only once a disc has diffused as far as its neighbours, because a melting "
        "lattice has a different $Z$. ± is the standard error of the mean over time; it is missing for fewer than 16 "
        "further collisions of each disc, and if parts of the run depend on each other.</p><p>"
        "Line: a fluid. For equal discs Luding's "
        r"$Z = 1 + 2 V_f \chi$, $\chi = (1 - 7 V_f / 16) / (1 - V_f)^2 - V_f^3 / (128 (1 - V_f)^4)$, up to 0.67, where "
        "the pressure begins to bend towards the transition at 0.70; for equal spheres Kolafa's "
        r"$Z = (1 + V_f + V_f^2 - \frac{2}{3} V_f^3 (1 + V_f)) / (1 - V_f)^3$ up to freezing at 0.494. "
        "Rings: simulations in the literature. Dotted: close packing, $V_f = 0.907$, of spheres 0.740.</p>"
    )
    empty_text = _WHAT
    counts = True
    dimensions = (2, 3)
    axes = Axes("volume fraction V<sub>f</sub>", "Z", y_log=True, corner="top left")
    columns: ClassVar = {
        "trail": (PlotQuantity("V_f"), PlotQuantity("Z")),
        "now": (PlotQuantity("V_f now"), PlotQuantity("Z now")),
        "literature": (PlotQuantity("V_f"), PlotQuantity("Z of the theory")),
        "references": (PlotQuantity("V_f"), PlotQuantity("Z of the literature")),
    }
    indicators = frozenset()

    def why_empty(self, analysis: Analysis) -> str:
        """What is missing in this state: a periodic box, freedom from gravity, collisions, or their record."""
        if not analysis.disc_set.periodic.all:
            return f"{_WHAT} Measured only in a periodic box; this one has walls."
        if any(analysis.data.scenario.section(HardDiscs).gravity):
            return f"{_WHAT} Measured only without gravity."
        if analysis.data.measures is None:
            here = "an earlier state" if analysis.data.stretches else "a recording"
            return f"{_WHAT} Measured from the collisions of a run, which {here} does not keep."
        return f"{_WHAT} There have been no collisions yet."

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The present Z and the path to it, with the literature."""
        data = equation_of_state_path(analysis)
        if data is None:
            return None
        x, z, dimensions = data.fraction, data.z, len(analysis.disc_set.box)
        y = log_or_gap(z)
        low, high = min(0.0, float(np.nanmin(y))), max(log10(_HIGHEST), nice_above(float(z.max())) + 0.1)
        fraction = f"{x[-1]:.4f}"
        numbers: dict[str, str | LiveNumber] = {"Z": _with_error(float(z[-1]), data.error)}
        if len(x) == 1 and x[-1] <= FLUID_TO[dimensions]:  # no space for a law with two runs
            numbers |= {
                _AUTHORS[dimensions]: LiveNumber(_text(float(fluid_z(x[-1], dimensions))), ""),
                "V<sub>f</sub>": LiveNumber("", fraction),
            }
        else:
            numbers["V<sub>f</sub>"] = fraction
        error = np.array([data.error]) if np.isfinite(data.error) else None

        def words(index: int) -> str:
            return f"V<sub>f</sub> = {x[index]:.4f}: Z = {_text(float(z[index]))}"

        return drawing(
            [
                *_literature(dimensions),
                PlotSeries("trail", x, z, words=words),
                PlotSeries("now", x[-1:], z[-1:], "points", marker="o", size=9.0, error=error),
            ],
            (0.0, _RIGHT, *powers(low, high)),
            numbers,
        )


@cache
def _literature(dimensions: int) -> tuple[PlotSeries, ...]:
    """The literature: the curve of a theory, simulations, and close packing."""
    phi = np.linspace(0.0, FLUID_TO[dimensions], 141)
    at, z = np.array([(one.phi, one.z) for one in REFERENCE_Z if dimensions == 2]).reshape(-1, 2).T
    return (
        upright("close packing", CLOSE_PACKING[dimensions]),
        PlotSeries("literature", phi, fluid_z(phi, dimensions), role=LITERATURE, shared=True),
        PlotSeries("references", at, z, "points", LITERATURE, marker="o", size=7.0, shared=True),
    )


def _text(z: float) -> str:
    return typeset(z, ".3f" if z < 100 else ".4g")


def _with_error(z: float, error: float) -> str:
    return number_with(error if z < 100 else None, z, _text(z))


def equation_of_state_path(analysis: Analysis) -> EquationOfStatePath | None:
    """The measured Z against V_f, and the path to it if discs grow. Only in a periodic box, where the pressure is that
    of the bulk."""
    history, disc_set, measures = analysis.history, analysis.disc_set, analysis.data.measures
    fraction, z = np.empty(0), np.empty(0)
    if disc_set.periodic.all and isinstance(history, GasHistory) and np.ptp(history.volume_fraction) > 0.0:
        fraction, z = pressure_in_pieces(history, disc_set.count)
    mean = None if measures is None else measures.compressibility
    # the mean since the start is meaningless for growing discs
    if not len(z) and mean is not None and np.isfinite(mean) and mean > 0.0:
        fraction, z = np.array([measures.volume_fraction]), np.array([mean])
        error = measures.compressibility_error
        return EquationOfStatePath(fraction, z, np.nan if error is None else error)
    return EquationOfStatePath(fraction, z) if len(z) else None


class SeparationsPlot(Plot):
    """Histogram of the separations of colliding discs, in units in the last place."""

    title = "Impact separations"
    short = "Impacts"
    definition = (
        r"<p>Distance of two discs at impact minus the sum $\sigma$ of their radii, in units in the last place (ulp) "
        r"of $\sigma$; collisions on a log axis. Because of rounding it is a few units from 0, and about half of the "
        r"time the discs overlap (left of 0). Bars: central 68 % intervals of the "
        r"counts.</p><p>The stable rule $f \le 0$ and $\dot{f} \lt 0$ handles this "
        "without a tolerance (Bannerman et al. 2014, figure 3).</p>"
    )
    empty_text = "Distance of the {discs} when they collide, in units of the last digit."
    counts = True
    dimensions = (2, 3)
    axes = Axes("(|r<sub>ij</sub>| - σ) / ulp", "collisions", y_log=True, corner="top left")
    folded_at_first = True
    columns: ClassVar = {"steps": (PlotQuantity("(|r_ij| - σ)/ulp"), PlotQuantity("collisions"))}
    indicators = frozenset()

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The histogram over its occupied range; None if nothing was counted."""
        data: ImpactHistogram | None = analysis.data.impacts
        if data is None or not data[1].any():
            return None
        all_edges, all_counts = data
        inner = np.isfinite(all_edges[:-1]) & np.isfinite(all_edges[1:])  # the outermost bins may be open
        first, last = int(inner.argmax()), len(inner) - int(inner[::-1].argmax())
        edges, counts = all_edges[first : last + 1], all_counts[first:last]
        met = np.flatnonzero(counts)
        reach = _LEAST
        if len(met):
            reach = max(reach, -float(edges[met[0]]), float(edges[met[-1] + 1]))
        overlapping = int(all_counts[all_edges[1:] <= 0.0].sum()) / int(all_counts.sum())

        def words(index: int) -> str:
            return f"{_ulps(edges[index], edges[index + 1])} ulp: {count(counts[index])} collisions"

        heights, errors = counts.astype(np.float64), of_counts(counts)
        return drawing(
            [
                upright("touching", 0.0),
                PlotSeries(
                    "steps", edges, heights, "steps", error=errors, interval=interval_of_counts(counts), words=words
                ),
            ],
            (-reach, reach, *powers(_FLOOR, nice_above(float(max(counts.max(), 1))) + 0.8)),
            {"overlapping": f"{100.0 * overlapping:.1f} %"},
        )


def _ulps(low: float, high: float) -> str:
    """An interval in words: one number if it is centred on a whole number."""
    middle = 0.5 * (low + high)
    if high - low <= 1.0 and middle == round(middle):
        return typeset(middle, "g")
    return f"{typeset(low, 'g')} … {typeset(high, 'g')}"
