"""Plots against the time of aggregation: clusters and energy, and the convergence of the time stepping.

Of the convergence the iterations are above and the residual below, with a message over both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.axes import log_or_gap, nice_above, round_decades, thin_history, value_text
from aggviewer.plots.drawing import (
    FAILED,
    GUIDE,
    NO_VALUES,
    RUN,
    TIME,
    Axes,
    Bounds,
    LiveNumber,
    Message,
    Pane,
    PlotDrawing,
    PlotQuantity,
    PlotSeries,
    Role,
    decades,
    drawing,
    level,
    powers,
)
from aggviewer.plots.fits import PowerFit, Range, Slope
from aggviewer.plots.plot import NumberMark, Plot, StudyCurve, over_count, over_first
from aggviewer.plots.runs import RunStyle
from aggviewer.session.data import Analysis
from aggviewer.systems.aggregation.analysis import LONGEST_SUMMARY, Minimisations
from engine.arrays import Floats
from engine.indicators import ANY
from engine.words import count, typeset

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
    short = "Clusters, E"
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
            return f"t = {typeset(time[index], '.4g')}: M = {count(m[index])}, E/E₀ = {energy(index)}"

        stretches = changes(past.stretches)
        several = len(stretches) > 1
        curves = [
            PlotSeries("energy", time, e, dash="dashed", invisible=several),
            PlotSeries("clusters", time, share, words=words, invisible=several),
        ]
        if several:
            curves += [*_by_method(stretches, entry, time, share, e), _switches(stretches, past.time)]
        left, right = round_decades(time, span=1.0)
        if not moved[0]:  # nothing has changed since the start, which is not on a logarithmic axis
            role, early = Role("method", stretches[0][0]) if several else RUN, np.array([10.0**left, time[0]])
            first = np.full(2, past.clusters[0] / analysis.disc_set.count)
            curves.append(
                PlotSeries("energy at first", early, np.full(2, float(start > 0.0)), role=role, dash="dashed")
            )
            curves.append(PlotSeries("clusters at first", early, first, role=role))
        lowest = float(np.nanmin(np.concatenate([log_or_gap(share), log_or_gap(e)])))
        return drawing(
            curves,
            decades(left, right, float(min(-1, floor(lowest + 1e-9))), 0.12),
            {"M": count(m[-1]), "E/E₀": LiveNumber(energy(-1), energy(-1, 2))},
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


_OLDEST = -255.0  # the first of the kept steps, counted from the last one
_SIDE, _MARGIN = 4.0, 0.15  # steps and decades left free around the data
_DOT, _CROSS = 4.0, 9.0  # pixels of the mark of a step, and of one that did not converge
_NOT_NEEDED = "The event-driven method is exact: it needs no iterations."
_WAITS = "Iterations of the minimisation in each time step, and the overlap that remains."


class ConvergencePlot(Plot):
    """Iterations and residual of the last time steps."""

    title = "Convergence"
    dimensions = ANY
    definition = (
        "<p><b>Iterations</b>: the most that any group of overlapping discs needed in a step to reach a minimum of "
        r"the link energy without overlap (3.17), (3.22).</p><p><b>Residual</b>: $\max |\varphi| / R^2$ at the end, "
        r"$\varphi$ from (3.4), divided by the tolerance.</p><p>Cross: a group did not converge; its contacts were "
        "set by projection. In the plane, click it to see where.</p>"
    )
    empty_text = _NOT_NEEDED
    axes = Axes("", "iterations", y_log=True, least_height=64)
    lower_axes = Axes("step (0: the last one)", "|φ| / tol.", y_log=True, name="Residual", least_height=88)
    lower_keys = frozenset({"residual", "failed_residual", "tolerance"})
    columns: ClassVar = {
        "iterations": (PlotQuantity("step"), PlotQuantity("iterations")),
        "residual": (PlotQuantity("step"), PlotQuantity("|φ|/tolerance")),
        "failed_iterations": (PlotQuantity("step"), PlotQuantity("iterations without convergence")),
        "failed_residual": (PlotQuantity("step"), PlotQuantity("|φ|/tolerance without convergence")),
    }
    indicators = frozenset()
    counts = True
    stretch = 2
    longest_message = LONGEST_SUMMARY
    place_tip = "Show where: move the view to the worst of the last steps"

    def has_place(self, runs: Sequence[RunStyle]) -> bool:
        """Whether a run uses time steps; otherwise the plot is not offered."""
        return any(run.hue == "time-stepping" for run in runs)

    def text_without_data(self, runs: Sequence[RunStyle], choices: Mapping[str, Any]) -> str:
        """Why there is nothing to show, or what will be shown."""
        return _WAITS if self.has_place(runs) else _NOT_NEEDED

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The last steps; those that did not converge are crosses with their place."""
        steps: Minimisations | None = analysis.data.steps
        if steps is None:
            return None
        failed = steps.failed > 0
        # a group may fail before its first iteration, and its cross must still be shown
        iterations = np.where(failed, np.maximum(steps.iterations, 1), steps.iterations).astype(np.float64)
        top = nice_above(float(max(100, steps.iterations.max()))) + _MARGIN
        return PlotDrawing(
            (
                level("tolerance", 1.0, dash="dashed", label="tolerance"),
                *(
                    _steps(key, steps, values, of_failed)
                    for of_failed in (False, True)
                    for key, values in (("iterations", iterations), ("residual", steps.residual))
                ),
            ),
            (
                Pane((_OLDEST - _SIDE, _SIDE, *powers(-_MARGIN, top))),
                Pane(_residual_bounds(steps.residual)),
            ),
            message=_message(steps),
        )


def _steps(key: str, steps: Minimisations, values: Floats, of_failed: bool) -> PlotSeries:
    """The steps that converged, or those that did not, with values (K,) that fit on a logarithmic axis."""
    seen = np.isfinite(values) & (values > 0.0) & ((steps.failed > 0) == of_failed)
    numbers = np.flatnonzero(seen)

    def words(index: int) -> str:
        return steps.describe(int(numbers[index]))

    x, y = steps.ago[seen], values[seen]
    if of_failed:
        places = steps.place[seen] if steps.place.shape[1] == 2 else None
        return PlotSeries(f"failed_{key}", x, y, "points", FAILED, marker="x", size=_CROSS, words=words, places=places)
    return PlotSeries(key, x, y, "points", marker="o", size=_DOT, words=words)


def _message(steps: Minimisations) -> Message:
    """The summary, and the place of the hardest of the last steps."""
    worst = steps.worst()
    if worst is None:
        return Message(steps.summary(), steps.struggling)
    if steps.place.shape[1] > 2:
        return Message(steps.summary(), steps.struggling)
    x, y = steps.place[worst].tolist()
    rank = float(steps.failed[worst] > 0), float(steps.iterations[worst])
    return Message(steps.summary(), steps.struggling, (x, y), rank)


def _residual_bounds(residual: Floats) -> Bounds:
    """At least a decade around the tolerance, and whole decades beyond it."""
    shown = log_or_gap(np.where(np.isfinite(residual), residual, np.nan))
    seen = shown[np.isfinite(shown)]
    low, high = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 0.0)
    ends = powers(min(-1.0, floor(low)) - _MARGIN, max(1.0, ceil(high)) + _MARGIN)
    return (_OLDEST - _SIDE, _SIDE, *ends)
