"""A plot of the residual over the iterations of a step. No Qt."""

from __future__ import annotations

from math import sqrt

import numpy as np

from aggviewer.extensions.stepping.story import StepStory
from aggviewer.plots.axes import power_text
from aggviewer.plots.drawing import NO_VALUES, PLAIN, Axes, PlotDrawing, PlotSeries, Role, drawing, level

AXES = Axes("", "max |φ| / s", y_log=True, name="Residual over the iterations")
TIP = (
    "Residual: the largest |φ| / s (3.4) of any link after each iteration.\n"
    "Dashed: the tolerance at which a contact holds. Click to go to an iteration."
)
_LEAST = 1e-16


def residual_text(residual: float) -> str:
    """A residual with two digits."""
    return power_text(max(residual, _LEAST), 2)


def residual_drawing(story: StepStory, shown: int | None) -> PlotDrawing:
    """The residual after each iteration, the starts of rounds, and the tolerance; nothing if there are no iterations.

    shown : the iteration marked by a line, from 0; None for none.
    """
    values = np.maximum(np.nan_to_num(story.trace.residual, nan=1e3, posinf=1e3), _LEAST)
    count, tolerance = len(values), story.trace.tolerance
    if not count:
        return drawing([])
    begins = np.array([chapter.before for chapter in story.chapters if chapter.round > 1], float) + 0.5
    series = [
        PlotSeries("rounds", begins, NO_VALUES, "upright", Role("guide"), shared=True),
        PlotSeries(
            "residual",
            np.arange(1.0, count + 1.0),
            values,
            role=Role("method", "time-stepping"),
            words=lambda k: f"iteration {k + 1}: {residual_text(values[k])}",
        ),
        level("tolerance", tolerance, dash="dashed"),
    ]
    if shown is not None:
        series.append(PlotSeries("now", np.array([shown + 1.0]), NO_VALUES, "upright", PLAIN, shared=True))
    low, high = min(float(values.min()), tolerance), max(float(values.max()), tolerance)
    return drawing(series, (1.0, max(2.0, float(count)), low / 2.0, high * sqrt(10.0)))
