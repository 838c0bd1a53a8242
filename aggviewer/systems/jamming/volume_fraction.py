"""The plot of the volume fraction, program by program."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.axes import nice_above
from aggviewer.plots.curve import CurveItems, CurvePlot
from aggviewer.plots.plot import Drawn
from aggviewer.plots.table import Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis
from engine.jamming.history import JammingHistory

_FEWEST = 20  # iterations that the axis has room for
_STEP = 0.01  # of the range


@dataclass(frozen=True)
class Filling:
    """number, fraction (K,): volume fraction after each program; the first is the start."""

    number: NDArray[np.float64]
    fraction: NDArray[np.float64]


class JamFractionPlot(CurvePlot):
    """Volume fraction over programs."""

    title = "Volume fraction"
    definition = (
        "<p><b>V<sub>f</sub></b>: area of the discs over that of the box, after each linear program. It only ever "
        "grows.</p><p>Discs of two sizes, 1 : 1.4, jam near 0.84 from most starts; equal discs form crystals of up to "
        "0.907 (dotted, π/(2√3)).</p>"
    )
    empty_text = "How the discs fill the box, iteration by iteration."
    axes = Axes("iteration", "V<sub>f</sub>", corner="bottom right")
    broken = (9.0, 2.0)
    folded_at_first = True
    columns: ClassVar = {"curve": (Column("program"), Column("V_f"))}

    @classmethod
    def prepare(cls, analysis: Analysis) -> Filling | None:
        return filled(analysis.history) if isinstance(analysis.history, JammingHistory) else None

    def _set_up(self) -> None:
        self._dotted_line(np.pi / (2.0 * np.sqrt(3.0)))

    def _draw(self, items: CurveItems, data: Filling) -> Drawn:
        items.curve.setData(data.number, data.fraction)
        low = _STEP * floor(float(data.fraction.min()) / _STEP) - _STEP
        high = _STEP * ceil(float(data.fraction.max()) / _STEP) + _STEP
        return Drawn(
            data.number,
            data.fraction,
            lambda index: f"iteration {data.number[index]:.0f}: V<sub>f</sub> = {data.fraction[index]:.6f}",
            (0.0, 10.0 ** nice_above(max(float(data.number[-1]), _FEWEST)), low, max(high, low + 4.0 * _STEP)),
            {"V<sub>f</sub>": f"{data.fraction[-1]:.5f}"},
        )


def filled(history: JammingHistory) -> Filling | None:
    """The volume fraction from the start on; None where it is not known."""
    known = np.isfinite(history.volume_fraction)
    return Filling(history.time[known], history.volume_fraction[known]) if known.any() else None
