"""Plots of clusters that turn: the energy in their rotation, and their angular momentum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from aggviewer.plots.axes import nice_above, round_decades, thin_history, value_text
from aggviewer.plots.drawing import TIME, Axes, PlotDrawing, PlotQuantity, PlotSeries, drawing, level
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import RunStyle
from aggviewer.session.data import Analysis
from aggviewer.systems.aggregation.analysis import Rotation
from engine.arrays import Floats
from engine.words import typeset

TURNS = "turns"
"""The trait of runs whose clusters turn (`RunStyle.traits`); another one is the boundary of the box."""

_LEAST_SHARE = 0.4  # least upper limit of the axis of shares: the dotted line is seen
_LEAST_MOMENTUM = 1e-3  # the same of angular momenta


class RotationPlot(Plot):
    """Base class: a quantity of the rotation over time, at the times at which it was measured."""

    traits: ClassVar[frozenset[str]] = frozenset({TURNS})
    """The traits of the runs that it is for."""
    dimensions = (2, 3)
    symbol = ""
    """What is plotted, for the number in the corner."""
    guide: ClassVar[dict[int, float]] = {2: 0.0, 3: 0.0}
    """The value of the dotted line, by the number of dimensions."""
    folded_at_first = True
    indicators = frozenset({"rotational_share", "angular_momentum"})

    def has_place(self, runs: Sequence[RunStyle]) -> bool:
        """Whether clusters of any of the runs turn, in a box of the right kind; otherwise the plot is not offered."""
        return super().has_place(runs) and any(self.traits <= run.traits for run in runs)

    def text_without_data(self, runs: Sequence[RunStyle], choices: Mapping[str, Any]) -> str:
        """Why there is nothing to show, or what will be shown."""
        if all(run.dimensions in self.dimensions for run in runs) and not any(TURNS in run.traits for run in runs):
            return "Clusters do not turn in this run."
        return super().text_without_data(runs, choices)

    def values(self, rotation: Rotation) -> Floats:
        """The values at its times, (K,)."""
        raise NotImplementedError

    def ends(self, values: Floats) -> tuple[float, float]:
        """The ends of the axis for these values, (K,)."""
        raise NotImplementedError

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The values up to now."""
        found: Rotation | None = analysis.data.rotation
        if found is None:
            return None
        known = np.flatnonzero((found.time > 0.0) & np.isfinite(self.values(found)))
        if not len(known):
            return None
        known = known[thin_history(found.time[known])]
        time, values = found.time[known], self.values(found)[known]

        def words(index: int) -> str:
            return f"t = {typeset(time[index], '.4g')}: {self.symbol} = {_text(values[index])}"

        left, right = round_decades(time, span=1.0)
        low, high = self.ends(values)
        dimensions = len(analysis.disc_set.box)
        if dimensions > 2:
            low = max(low, 0.0)  # magnitudes
        return drawing(
            [level("guide", self.guide[dimensions]), PlotSeries("curve", time, values, words=words)],
            (10.0**left, 10.0**right, low, high),
            {self.symbol: _text(values[-1])},
        )


def _text(value: float) -> str:
    return f"{'−' if value < 0.0 else ''}{value_text(abs(float(value)))}" if value else "0"


class RotationalEnergyPlot(RotationPlot):
    """The share of the kinetic energy that is in rotation."""

    title = "Energy in rotation"
    short = "E in rotation"
    name = "Energy in rotation"
    symbol = "E<sub>rot</sub>/E"
    definition = (
        r"<p>$E_\mathrm{rot}/E$: the share of the kinetic energy that is in the rotation of clusters, "
        r"$E_\mathrm{rot} = \sum \frac{1}{2} I \omega^2$ and $E = E_\mathrm{rot} + \sum \frac{1}{2} M V^2$, in a "
        "periodic box relative to the motion of all discs together.</p><p>A body that moves in the plane has two "
        "directions to fly in and one way to turn: with as much energy in each, the share is 1/3 (dotted); in space it "
        "has three of both, and the share is 1/2.</p>"
    )
    empty_text = "The share of the kinetic energy that is in the rotation of clusters. Run to see it."
    axes = Axes("time t", "E<sub>rot</sub>/E", x_log=True, corner="top left")
    columns: ClassVar = {"curve": (TIME, PlotQuantity("E_rot/E"))}
    guide: ClassVar = {2: 1.0 / 3.0, 3: 0.5}

    def values(self, rotation: Rotation) -> Floats:
        """The shares."""
        return rotation.share

    def ends(self, values: Floats) -> tuple[float, float]:
        """From 0 to a round share, at most 1."""
        return 0.0, min(1.0, 10.0 ** nice_above(1.05 * max(float(values.max()), _LEAST_SHARE)))


class MomentumPlot(RotationPlot):
    """Base class: an angular momentum, which may have either sign."""

    def values(self, rotation: Rotation) -> Floats:
        """The angular momenta."""
        return rotation.momentum

    def ends(self, values: Floats) -> tuple[float, float]:
        """Far enough to both sides of 0."""
        most = 10.0 ** nice_above(1.05 * max(float(np.abs(values).max()), _LEAST_MOMENTUM))
        return -most, most


class SpinSumPlot(MomentumPlot):
    """The sum of the spins of all clusters of a periodic box."""

    traits = frozenset({TURNS, "periodic"})
    title = "Sum of spins"
    symbol = "Σ Iω"
    definition = (
        r"<p>$\sum I \omega$: the angular momenta of all clusters about their own centres of mass, added up, in "
        "space the magnitude of that vector.</p><p>A merge turns motion past each other into spin. The total angular "
        "momentum, with the flight of the clusters, has no meaning in a periodic box: it depends on which images of "
        "the discs are counted.</p>"
    )
    empty_text = "The angular momenta of all clusters about their own centres of mass. Run to see it."
    axes = Axes("time t", "Σ Iω", x_log=True, corner="top left")
    columns: ClassVar = {"curve": (TIME, PlotQuantity("Σ Iω", "mass·length²/time"))}


class AngularMomentumPlot(MomentumPlot):
    """The total angular momentum between walls."""

    traits = frozenset({TURNS, "walls"})
    title = "Angular momentum"
    short = "L in total"
    symbol = "L"
    definition = (
        r"<p>$L = \sum (M\, X \times V + I \omega)$: the total angular momentum about the centre of the box, in "
        "space its magnitude.</p>"
        "<p>Merges keep it: what a cluster gets as spin was in the flight of its parts. Only impacts on walls change "
        "it.</p>"
    )
    empty_text = "The total angular momentum about the centre of the box. Run to see it."
    axes = Axes("time t", "L", x_log=True, corner="top left")
    columns: ClassVar = {"curve": (TIME, PlotQuantity("L", "mass·length²/time"))}
