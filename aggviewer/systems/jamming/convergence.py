"""The plot of how a chain of linear programs converges: growth and displacement above, gap to isostaticity below."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, floor, log10
from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtCore import Qt

from aggviewer.plots.axes import log_or_gap, nice_above, power_text
from aggviewer.plots.drawn import Mark
from aggviewer.plots.runs import Look, looks
from aggviewer.plots.scaled import ScaledCurve, ScaledLine
from aggviewer.plots.shapes import DrawnTwice, StackedPlot
from aggviewer.plots.table import Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis
from aggviewer.style.theme import Colors
from engine.frame import self_stresses_in_words
from engine.jamming.history import JammingHistory
from engine.jamming.section import Jamming

_FEWEST = 20  # iterations that the axis has room for
_FIRST = 6  # pixels, the dot of a first iteration
_MARGIN = 0.15  # decades that the range keeps free


@dataclass(frozen=True)
class Iterations:
    """How a chain of linear programs has gone, an entry for each iteration.

    Parameters
    ----------
    number : (K,), of the iteration.
    inflation : (K,), √Γ - 1, the growth of the radii.
    displacement : (K,), max |s| of discs that are no rattlers, in mean diameters.
    isostatic_gap : (K,), contacts beyond the isostatic number; NaN where there are no contacts.
    tolerance_inflation, tolerance_displacement : below both the packing is jammed.
    why : what makes the last gap more than 0, in words.
    """

    number: NDArray[np.float64]
    inflation: NDArray[np.float64]
    displacement: NDArray[np.float64]
    isostatic_gap: NDArray[np.float64]
    tolerance_inflation: float
    tolerance_displacement: float
    why: str = ""


class IterationItems(NamedTuple):
    """What one run consists of: two curves above, one below."""

    displacement: pg.PlotDataItem
    inflation: pg.PlotDataItem
    gap: pg.PlotDataItem


@dataclass(frozen=True)
class DrawnIterations(DrawnTwice):
    """why: the gap to isostaticity of the last iteration is not 0, in words."""

    why: str = ""


class JamConvergencePlot(StackedPlot):
    """√Γ - 1 and max |s| above and the gap to isostaticity below, iteration by iteration."""

    title = "Convergence"
    definition = (
        "<p>Each iteration looks for the greatest growth of all discs, and displacements $s$ that make room for it: by "
        "a linear program, or by some steps with the distances themselves while discs move far (trust region, interior "
        r"point).</p><p>$\sqrt{\Gamma} - 1$ (bold): growth of the radii in an iteration. $\max |s|$ (thin): largest "
        "displacement of a disc that is no rattler, in mean diameters. Both below their tolerance (dashed): "
        "jammed.</p><p><b>Gap to isostaticity</b>: contacts $N_c$ less $2 (N_s - 1) + 1$ of $N_s$ discs that are "
        "held, $2 N_s + 1$ between walls. At 0 the forces follow from the contacts alone.</p><p><b>Extra "
        "self-stress</b>: a packing that ends above 0 has patches whose contacts can press and pull on each other "
        "without any disc feeling it, as the twelve of a disc in a ring of six equal ones. They have another colour "
        "in the force network.</p>"
    )
    empty_text = "Growth and displacement in each iteration, and how far the contacts are from isostatic."
    columns: ClassVar = {
        "inflation": (Column("program"), Column("√Γ - 1")),
        "displacement": (Column("program"), Column("max |s|", "⟨σ⟩")),
        "gap": (Column("program"), Column("N_c - iso.")),
    }

    marks: ClassVar = {"√Γ - 1": Mark("━━", coloured=True), "max |s|": Mark("──")}
    broken = (9.0, 2.0)
    axes = Axes("", "growth, shift", y_log=True, corner="bottom left")
    lower_axes = Axes("iteration", "iso. gap", corner="bottom right")  # where the gap has come close to 0
    lower_name = "Gap to isostaticity"
    lower_fields: ClassVar = frozenset({"gap"})
    least_heights = (96, 88)
    shares = (3, 2)
    indicators = frozenset()

    @classmethod
    def prepare(cls, analysis: Analysis) -> Iterations | None:
        """See `iterations`; at the end with the gap to isostaticity of the packing itself."""
        history, found, data = analysis.history, analysis.indicators, analysis.data
        steps = iterations(history, data.scenario.section(Jamming)) if isinstance(history, JammingHistory) else None
        if steps is not None and data.ended and found is not None and found.isostatic_gap is not None:
            # the forces of the last iteration have been balanced since: contacts are those of the packing
            steps.isostatic_gap[-1] = found.isostatic_gap
            if found.isostatic_gap > 0:
                steps = replace(steps, why=self_stresses_in_words(data.patches))
        return steps

    def _set_up(self) -> None:
        super()._set_up()
        self.tolerances = tuple(ScaledLine(0.0, 0) for _ in range(2))
        self._add_frame(*self.tolerances)
        self._dotted_line(0.0, view=self.lower_view)

    def _new_items(self) -> IterationItems:
        return IterationItems(*(ScaledCurve(connect="finite") for _ in IterationItems._fields))

    def _style_frame(self, theme: Colors) -> None:
        super()._style_frame(theme)
        dashed = self._pen(theme.muted, 1.0)
        dashed.setStyle(Qt.PenStyle.DashLine)
        for line in self.tolerances:
            line.setPen(dashed)

    def _style(self, items: IterationItems, look: Look, theme: Colors) -> None:
        items.inflation.setPen(self._line(look))
        items.displacement.setPen(self._law_pen(look, 1.0))
        items.gap.setPen(self._line(look))
        for item in items:
            item.setSymbolSize(_FIRST)
            item.setSymbolPen(pg.mkPen(None))
            item.setSymbolBrush(pg.mkBrush(theme.text if item is items.displacement and look.alone else look.colour))

    def _draw(self, items: IterationItems, data: Iterations) -> DrawnIterations:
        x, gap = data.number, data.isostatic_gap
        inflation, displacement = log_or_gap(data.inflation), log_or_gap(data.displacement)
        for item, y in zip(items, (displacement, inflation, gap), strict=True):
            item.setSymbol("o" if len(x) == 1 and np.isfinite(y[0]) else None)  # one iteration is no line yet
            item.setData(x, y)
        tolerances = sorted({log10(data.tolerance_inflation), log10(data.tolerance_displacement)})
        for line, at in zip(self.tolerances, (*tolerances, *tolerances), strict=False):
            line.setPos(at)
        finite = np.concatenate([y[np.isfinite(y)] for y in (inflation, displacement)])
        low = min([floor(tolerances[0]), *finite.tolist()]) - 1.0
        high = max([0.0, *finite.tolist()])
        right = 10.0 ** nice_above(max(float(x[-1]), _FEWEST))
        known = gap[np.isfinite(gap)]
        deepest, highest = float(known.min(initial=0.0)), float(known.max(initial=0.0))
        room = 0.15 * max(highest - deepest, 10.0)
        values = {"√Γ - 1": _text(float(data.inflation[-1])), "max |s|": _text(float(data.displacement[-1]))}
        return DrawnIterations(
            x,
            inflation,
            lambda index: _in_words(data, index),
            (0.0, right, floor(low), ceil(high) + _MARGIN),
            values,
            lower_y=gap,
            why=data.why,
            lower_bounds=(0.0, right, deepest - room, highest + room),
        )

    def _compose(self) -> None:
        super()._compose()
        self.lower_view.set_value(self._gap_text())

    def _gap_text(self) -> str:
        """Of all runs, as the numbers of the plot above."""
        words = ["N<sub>c</sub> - iso."]
        for one, look in zip(self._drawn, looks(self.runs, self.theme), strict=True):
            if isinstance(one, DrawnIterations) and np.isfinite(one.lower_y).any():
                number = f"<b>{_signed(float(one.lower_y[np.isfinite(one.lower_y)][-1]))}</b>"
                why = f": {one.why.replace(' in ', '<br>in ', 1)}" if one.why and look.alone else ""
                words.append(f"= {number}{why}" if look.alone else f"{look.swatch}&nbsp;{number}")
        return " ".join(words) if len(words) > 1 else ""


def _text(value: float) -> str:
    if not np.isfinite(value):
        return "–"
    return power_text(value, 2) if value > 0.0 else "0"  # radii give way to rounding: no growth


def _signed(value: float) -> str:
    return f"{value:.0f}".replace("-", "−")


def _in_words(data: Iterations, index: int) -> str:
    words = (
        f"iteration {data.number[index]:.0f}: √Γ - 1 = {_text(float(data.inflation[index]))}, "
        f"max |s| = {_text(float(data.displacement[index]))}"
    )
    gap = float(data.isostatic_gap[index])
    return f"{words}, gap {_signed(gap)}" if np.isfinite(gap) else words


def iterations(history: JammingHistory, limits: Jamming) -> Iterations | None:
    """How far each iteration has still come; None before the first."""
    if len(history.time) < 2:
        return None
    return Iterations(
        history.time[1:],
        history.inflation[1:],
        history.displacement[1:],
        np.where(history.contacts[1:] > 0, history.isostatic_gap[1:], np.nan),
        limits.tolerance_inflation,
        limits.tolerance_displacement,
    )
