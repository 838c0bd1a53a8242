"""The plot of the speeds against Maxwell's distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from aggviewer.plots.axes import nice_above, value_text
from aggviewer.plots.plot import Drawn
from aggviewer.plots.steps import StepItems, StepsPlot
from aggviewer.plots.table import Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis
from aggviewer.style.theme import Colors
from engine.hard_discs.theory import maxwell_speed

_FARTHEST = 4.0  # thermal speeds that are shown
_USUAL_TOP = 0.8  # of the axis: Maxwell's distribution reaches 0.61


@dataclass(frozen=True)
class SpeedCounts:
    """edges (K + 1,), density (K,): of |v| over the thermal speed; temperature; sonine: a₂."""

    edges: NDArray[np.float64]
    density: NDArray[np.float64]
    temperature: float
    sonine: float


class SpeedsPlot(StepsPlot):
    """Histogram of the speeds, with Maxwell's distribution at their own temperature."""

    title = "Speeds"
    definition = (
        "<p>Share of the discs per speed u = |v| √(m / kT), with the temperature kT = ⟨½ m v²⟩ as it is now. The "
        "line is <b>Maxwell's distribution</b> u exp(-u²/2), which elastic discs reach after a few collisions.</p>"
        "<p><b>a₂</b> = ⟨u⁴⟩ / (2 ⟨u²⟩²) - 1: 0 for Maxwell's, above it where fast discs are more frequent.</p>"
    )
    empty_text = "How many discs have which speed, against Maxwell's distribution."
    axes = Axes("|v| √(m / kT)", "density", corner="top right")
    columns: ClassVar = {"steps": (Column("|v| √(m/kT)"), Column("density"))}
    frame_columns: ClassVar = {"maxwell": (Column("|v| √(m/kT)"), Column("density by Maxwell"))}

    @classmethod
    def prepare(cls, analysis: Analysis) -> SpeedCounts | None:
        found = analysis.indicators.speeds
        return None if found is None else SpeedCounts(found.edges, found.density, found.temperature, found.sonine)

    def _set_up(self) -> None:
        u = np.linspace(0.0, _FARTHEST, 161)
        self.maxwell = pg.PlotDataItem(u, maxwell_speed(u), name="Maxwell")
        self.maxwell.setZValue(10)
        self._add_frame(self.maxwell)

    def _style_frame(self, theme: Colors) -> None:
        self.maxwell.setPen(self._pen(theme.text, 1.5))

    def _draw(self, items: StepItems, data: SpeedCounts) -> Drawn:
        items.steps.setData(data.edges, data.density)
        items.steps.show()
        middle = 0.5 * (data.edges[1:] + data.edges[:-1])
        law = maxwell_speed(middle)
        top = max(_USUAL_TOP, 10.0 ** nice_above(1.05 * float(data.density.max())))
        values = {"kT": value_text(data.temperature), "a₂": f"{data.sonine:.3f}".replace("-", "−")}
        return Drawn(
            middle,
            data.density,
            lambda index: f"u = {middle[index]:.2f}: {data.density[index]:.3f}, Maxwell {law[index]:.3f}",
            (0.0, _FARTHEST, 0.0, top),
            values,
        )
