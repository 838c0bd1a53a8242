"""The plot of clusters and energy against time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import floor
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.axes import log_or_gap, round_decades, thin_history, value_text
from aggviewer.plots.drawing import (
    GUIDE,
    NO_VALUES,
    TIME,
    Axes,
    Floats,
    LiveNumber,
    PlotDrawing,
    PlotQuantity,
    PlotSeries,
    Role,
    decades,
    drawing,
)
from aggviewer.plots.fits import PowerFit, Range, Slope
from aggviewer.plots.plot import NumberMark, Plot, StudyCurve, over_count, over_first
from aggviewer.session.data import Analysis
from engine.indicators import ANY

_WHAT = "Number of clusters and kinetic energy over time."
_METHODS = {"event-driven": "ED", "time-stepping": "TS"}


def changes(stretches: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """The stretches, without those that continue the same method."""
    found: list[tuple[str, int]] = []
    for method, first in stretches:
        if not found or found[-1][0] != method:
            found.append((method, first))
    return found


class CoarseningPlot(Plot):
    """Clusters M(t) and kinetic energy E(t), each relative to its start, on logarithmic axes."""

    title = "Clusters and energy"
    definition = (
        "<p>$M(t)$: number of clusters at time $t$, divided by the number of discs $N$ (solid). It never "
        r"grows.</p><p>$E(t)$: kinetic energy $\frac{1}{2} \sum m V^2$, divided by its value at the start, or in the "
        "first frame of a recording (dashed). A merge conserves mass and momentum (2.9) and loses "
        "energy.</p><p><b>Slope of</b> $M$: exponent of the power law through the points of $M$ in the shaded "
        "range: the last decade of time, unless you drag its edges.</p>"
    )
    empty_text = f"{_WHAT} Run to see them."
    counts = True
    axes = Axes("time t", "M/N, E/E₀", x_log=True, y_log=True, corner="bottom left")
    columns: ClassVar = {"clusters": (TIME, PlotQuantity("M/N")), "energy": (TIME, PlotQuantity("E/E₀"))}
    study_curves: ClassVar = {
        "clusters": StudyCurve("history.clusters", over_count),
        "energy": StudyCurve("history.kinetic_energy", over_first),
    }
    power_fit = PowerFit((Slope("clusters", "slope of M", "slope of M"),), decades=1.0)
    marks: ClassVar = {"M": NumberMark("━━", coloured=True), "E/E₀": NumberMark("╍╍", coloured=True)}
    dimensions = ANY
    indicators = frozenset()

    def why_empty(self, analysis: Analysis) -> str:
        """Once the run has gone on, nobody is told to start it."""
        return _WHAT if analysis.time > 0.0 else ""

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """Both curves up to now; if several methods have computed the run, each part has the style of its method."""
        past = analysis.history
        if past is None or not len(past.time):
            return None
        kept = thin_history(past.time)
        entry = np.append(kept, kept[-1])  # the last value holds until now
        time = np.append(past.time[kept], max(analysis.time, float(past.time[-1])))
        moved = time > 0.0
        if not moved.any():
            return None
        time, entry = time[moved], entry[moved]
        m = np.asarray(past.clusters, np.float64)[entry]
        start = float(past.kinetic_energy[0])
        e = np.asarray(past.kinetic_energy, np.float64)[entry] / start if start > 0.0 else np.zeros(len(time))
        share = m / analysis.disc_set.count

        def energy(index: int, digits: int = 3) -> str:
            return value_text(float(e[index]), digits) if e[index] > 0.0 else "0"

        def words(index: int) -> str:
            return f"t = {time[index]:.4g}: M = {m[index]:.0f}, E/E₀ = {energy(index)}"

        stretches = changes(past.stretches)
        several = len(stretches) > 1
        curves = [
            PlotSeries("energy", time, e, dash="dashed", invisible=several),
            PlotSeries("clusters", time, share, words=words, invisible=several),
        ]
        if several:
            curves += [*_by_method(stretches, entry, time, share, e), _switches(stretches, past.time)]
        left, right = round_decades(time, span=1.0)
        lowest = float(np.nanmin(np.concatenate([log_or_gap(share), log_or_gap(e)])))
        return drawing(
            curves,
            decades(left, right, float(min(-1, floor(lowest + 1e-9))), 0.12),
            {"M": f"{int(m[-1])}", "E/E₀": LiveNumber(energy(-1), energy(-1, 2))},
        )


def _by_method(
    stretches: Sequence[tuple[str, int]], entry: NDArray[np.intp], time: Floats, share: Floats, e: Floats
) -> Iterator[PlotSeries]:
    """The parts of the curves computed by each method, with gaps in between. entry (K,): the entry of the history of
    each point of the curves, (K,)."""
    made_by = np.searchsorted([first for _, first in stretches], entry, side="right") - 1
    for method in dict.fromkeys(name for name, _ in stretches):
        mine = np.isin(made_by, [number for number, (name, _) in enumerate(stretches) if name == method])
        mine[:-1] |= mine[1:]  # from the previous point, so that the curve has no gap
        role = Role("method", method)
        yield PlotSeries(f"energy by {method}", time, np.where(mine, e, np.nan), role=role, dash="dashed")
        yield PlotSeries(f"clusters by {method}", time, np.where(mine, share, np.nan), role=role)


def _switches(stretches: Sequence[tuple[str, int]], times: Floats) -> PlotSeries:
    """Lines where the method changed, with the name of the new one."""
    later = [(float(times[first]), _METHODS.get(name, name)) for name, first in stretches[1:] if times[first] > 0.0]
    at = np.array([time for time, _ in later])
    return PlotSeries("switches", at, NO_VALUES, "upright", GUIDE, labels=[name for _, name in later])
