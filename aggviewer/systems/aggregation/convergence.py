"""The plot of the convergence: iterations above, residual below, a message over both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import Any, ClassVar

import numpy as np

from aggviewer.plots.axes import log_or_gap, nice_above
from aggviewer.plots.drawing import (
    FAILED,
    Axes,
    Bounds,
    Floats,
    Message,
    Pane,
    PlotDrawing,
    PlotQuantity,
    PlotSeries,
    level,
    powers,
)
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import RunStyle
from aggviewer.session.data import Analysis
from aggviewer.systems.aggregation.analysis import LONGEST_SUMMARY, Minimisations
from engine.indicators import ANY

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
