"""The plot of the mean square displacement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below, value_text
from aggviewer.plots.plot import Drawn, Plot
from aggviewer.plots.runs import Look
from aggviewer.plots.table import TIME, Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis
from aggviewer.style.theme import Colors
from aggviewer.systems.hard_discs.analysis import GasData

_BALLISTIC = (4.0, 3.0)


@dataclass(frozen=True)
class MeanSquareDisplacement:
    """time, squared (K,): ⟨Δr²⟩ over σ²; ballistic: speed² over σ² at the start, ⟨v²⟩ t² is its beginning; diffusion: D
    over σ², from the last half, None before it is long enough."""

    time: NDArray[np.float64]
    squared: NDArray[np.float64]
    ballistic: float
    diffusion: float | None


class DisplacementItems(NamedTuple):
    """What one run consists of."""

    ballistic: pg.PlotDataItem
    curve: pg.PlotDataItem


class MeanSquareDisplacementPlot(Plot):
    """How far discs have come from where they started."""

    title = "Displacement ⟨Δr²⟩"
    name = "Mean square displacement"
    definition = (
        "<p><b>⟨Δr²⟩</b>: mean of |X(t) - X(0)|² over the discs, across the edges of a periodic box; in mean diameters "
        "σ. Discs fly straight at first, ⟨v²⟩ t² (dashed), and diffuse after some collisions, 4 D t.</p>"
        "<p><b>D</b>: a quarter of the slope over the later half of the time.</p>"
    )
    empty_text = "How far discs have come from where they started: straight at first, then as a random walk."
    axes = Axes("time t", "⟨Δr²⟩ / σ²", x_log=True, y_log=True, corner="top left")
    columns: ClassVar = {"curve": (TIME, Column("⟨Δr²⟩/σ²")), "ballistic": (TIME, Column("⟨v²⟩t²/σ²"))}
    broken = (9.0, 2.0)
    folded_at_first = True

    @classmethod
    def prepare(cls, analysis: Analysis) -> MeanSquareDisplacement | None:
        return mean_square_displacement(analysis.data, 2.0 * float(np.mean(analysis.system.radii)))

    def _new_items(self) -> DisplacementItems:
        return DisplacementItems(pg.PlotDataItem(), pg.PlotDataItem(connect="finite"))

    def _style(self, items: DisplacementItems, look: Look, theme: Colors) -> None:
        items.curve.setPen(self._line(look))
        straight = self._pen(theme.text if look.alone else look.colour, 1.0)
        straight.setDashPattern(list(_BALLISTIC))
        items.ballistic.setPen(straight)

    def _draw(self, items: DisplacementItems, data: MeanSquareDisplacement) -> Drawn:
        x, y = np.log10(data.time), log_or_gap(data.squared)
        items.curve.setData(x, y)
        right = nice_above(float(data.time[-1]))
        left = min(nice_below(float(data.time[0])), right - 1.0)
        high = nice_above(float(data.squared.max())) + 0.1
        low = min(nice_below(float(data.squared.min())), high - 1.0)
        if data.ballistic > 0.0:
            ends = np.array([left, right])
            items.ballistic.setData(ends, np.log10(data.ballistic) + 2.0 * ends)
        else:
            items.ballistic.setData([], [])
        values = {"⟨Δr²⟩/σ²": value_text(float(data.squared[-1]))}
        if data.diffusion is not None:
            values["D/σ²"] = value_text(data.diffusion)
        return Drawn(
            x,
            y,
            lambda index: f"t = {data.time[index]:.4g}: ⟨Δr²⟩ = {value_text(float(data.squared[index]))} σ²",
            (left, right, low, high),
            values,
        )


def mean_square_displacement(gas: GasData, diameter: float) -> MeanSquareDisplacement | None:
    """Mean square displacement with what it begins and ends like."""
    time, squared = gas.displacement
    moved = (time > 0.0) & (squared > 0.0)
    if not moved.any():
        return None
    t, s = time[moved], squared[moved] / diameter**2
    late = t >= 0.5 * t[-1]
    diffusion = None
    if late.sum() >= 5:
        slope = float(np.polyfit(t[late], s[late], 1)[0])
        diffusion = slope / 4.0 if slope > 0.0 else None
    return MeanSquareDisplacement(t, s, gas.start_speed_squared / diameter**2, diffusion)
