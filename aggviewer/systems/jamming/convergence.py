"""The plot of the convergence of a chain of linear programs: growth and displacement above, gap to isostaticity
below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from typing import Any, ClassVar

import numpy as np

from aggviewer.plots.axes import log_or_gap, nice_above, power_text
from aggviewer.plots.drawing import (
    LAW,
    Axes,
    LiveNumber,
    Pane,
    PlotDrawing,
    PlotQuantity,
    PlotSeries,
    level,
    powers,
)
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import NumberMark, Plot
from aggviewer.session.data import Analysis
from engine.arrays import Floats
from engine.frame import self_stresses_in_words
from engine.indicators import ANY
from engine.jamming.fields import JammingHistory
from engine.jamming.section import Jamming
from engine.words import count, typeset

_FEWEST = 20  # least number of iterations on the axis
_MARGIN = 0.15  # decades left free


@dataclass(frozen=True)
class Iterations:
    """The course of a chain of linear programs, one entry per iteration.

    Parameters
    ----------
    number : (K,), of the iteration.
    inflation : (K,), √Γ - 1, the growth of the radii.
    displacement : (K,), max |s| of discs that are not rattlers, in mean diameters.
    isostatic_gap : (K,), contacts minus the isostatic number; NaN without contacts.
    volume_fraction : (K,), after the iteration.
    tolerance_inflation, tolerance_displacement : the packing is jammed below both.
    why : the reason for a last gap above 0, in words.
    """

    number: Floats
    inflation: Floats
    displacement: Floats
    isostatic_gap: Floats
    volume_fraction: Floats
    tolerance_inflation: float
    tolerance_displacement: float
    why: str = ""


class JamConvergencePlot(Plot):
    """√Γ - 1 and max |s| above and the gap to isostaticity below, iteration by iteration."""

    dimensions = ANY
    title = "Convergence"
    definition = (
        "<p>Each iteration finds the greatest growth of all discs, and displacements $s$ that allow it: with a "
        "linear program, or, while discs move far, with a few steps that use the exact distances (trust region, "
        r"interior point).</p><p>$\sqrt{\Gamma} - 1$ (bold): growth of the radii in an iteration. $\max |s|$ (thin): "
        "largest displacement of a disc that is not a rattler, in mean diameters. The packing is jammed when both "
        "are below their tolerances (dashed).</p><p><b>Gap to isostaticity</b>: number of contacts $N_c$ minus $d "
        "(N_s - 1) + 1$ for $N_s$ discs that are held, or minus $d N_s + 1$ between walls, in $d$ dimensions. At 0, "
        "the contacts alone determine the forces.</p><p><b>Extra self-stress</b>: a packing that ends above 0 has "
        "patches whose contacts can carry extra forces that cancel on every disc, such as the twelve contacts around a "
        "disc in a ring of six equal ones. The force network shows them in another colour.</p>"
    )
    empty_text = "Growth and displacement in each iteration, and the distance from isostaticity."
    columns: ClassVar = {
        "inflation": (PlotQuantity("iteration"), PlotQuantity("√Γ - 1")),
        "displacement": (PlotQuantity("iteration"), PlotQuantity("max |s|", "⟨σ⟩")),
        "gap": (PlotQuantity("iteration"), PlotQuantity("N_c - iso.")),
    }

    marks: ClassVar = {"√Γ - 1": NumberMark("━━", coloured=True), "max |s|": NumberMark("──")}
    axes = Axes("", "growth, shift", y_log=True, corner="bottom left", least_height=96, share=3)
    lower_axes = Axes(
        "iteration",
        "iso. gap",
        corner="bottom right",  # where the gap has come close to 0
        name="Gap to isostaticity",
        least_height=88,
        share=2,
    )
    lower_keys = frozenset({"gap", "isostatic"})
    stretch = 2
    indicators = frozenset()

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """All iterations; at the end with the gap to isostaticity of the packing itself."""
        history, found, data = analysis.history, analysis.indicators, analysis.data
        steps = iterations(history, data.scenario.section(Jamming)) if isinstance(history, JammingHistory) else None
        if steps is None:
            return None
        if data.ended and found is not None and found.isostatic_gap is not None:
            # forces have been balanced after the last iteration: the contacts are those of the packing
            steps.isostatic_gap[-1] = found.isostatic_gap
            if found.isostatic_gap > 0:
                steps = replace(steps, why=self_stresses_in_words(data.patches, data.scenario.dimensions))
        return PlotDrawing(_series(steps), _panes(steps))


def _series(steps: Iterations) -> list[PlotSeries]:
    """Both lengths with their tolerances, and the gap."""

    def words(index: int) -> str:
        return _in_words(steps, index)

    marker = "o" if len(steps.number) == 1 else ""  # a single iteration is not a line
    tolerances = dict.fromkeys(sorted((steps.tolerance_inflation, steps.tolerance_displacement)))
    return [
        *(level(f"tolerance {k}", at, dash="dashed") for k, at in enumerate(tolerances)),
        level("isostatic", 0.0),
        PlotSeries("displacement", steps.number, steps.displacement, role=LAW, marker=marker),
        PlotSeries("inflation", steps.number, steps.inflation, marker=marker, words=words),
        PlotSeries("gap", steps.number, steps.isostatic_gap, marker=marker, words=words),
    ]


def _panes(steps: Iterations) -> tuple[Pane, Pane]:
    """The two panes of the plot, with their ranges and the numbers in their corners."""
    lengths = [log_or_gap(values) for values in (steps.inflation, steps.displacement)]
    finite = [value for values in lengths for value in values[np.isfinite(values)].tolist()]
    low = min([floor(log10(min(steps.tolerance_inflation, steps.tolerance_displacement))), *finite]) - 1.0
    high = max([0.0, *finite])
    right = 10.0 ** nice_above(max(float(steps.number[-1]), _FEWEST))
    known = steps.isostatic_gap[np.isfinite(steps.isostatic_gap)]
    deepest, highest = float(known.min(initial=0.0)), float(known.max(initial=0.0))
    room = 0.15 * max(highest - deepest, 10.0)
    gap: dict[str, str | LiveNumber] = {}
    if len(known):
        number = _signed(float(known[-1]))
        why = f"{number}</b>: {steps.why.replace(' in ', '<br>in ', 1)}<b>" if steps.why else number
        gap["N<sub>c</sub> - iso."] = LiveNumber(why, number)
    fraction = f"{float(steps.volume_fraction[-1]):.5f}"
    lengths_now = _text(float(steps.inflation[-1])), _text(float(steps.displacement[-1]))
    numbers = {"V<sub>f</sub>": fraction, "√Γ - 1": lengths_now[0], "max |s|": lengths_now[1]}
    return (
        Pane((0.0, right, *powers(floor(low), ceil(high) + _MARGIN)), numbers),
        Pane((0.0, right, deepest - room, highest + room), gap),
    )


def _text(value: float) -> str:
    if not np.isfinite(value):
        return "–"
    return power_text(value, 2) if value > 0.0 else "0"  # radii were reduced for rounding: no growth


def _signed(value: float) -> str:
    return typeset(value, ".0f")


def _in_words(data: Iterations, index: int) -> str:
    words = (
        f"iteration {count(data.number[index])}: √Γ - 1 = {_text(float(data.inflation[index]))}, "
        f"max |s| = {_text(float(data.displacement[index]))}"
    )
    gap = float(data.isostatic_gap[index])
    return f"{words}, gap {_signed(gap)}" if np.isfinite(gap) else words


def iterations(history: JammingHistory, limits: Jamming) -> Iterations | None:
    """Growth and displacement of each iteration; None before the first."""
    if len(history.time) < 2:
        return None
    return Iterations(
        history.time[1:],
        history.inflation[1:],
        history.displacement[1:],
        np.where(history.contacts[1:] > 0, history.isostatic_gap[1:], np.nan),
        history.volume_fraction[1:],
        limits.tolerance_inflation,
        limits.tolerance_displacement,
    )
