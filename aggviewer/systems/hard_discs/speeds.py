"""The plot of the speeds against Maxwell's distribution."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QWidget

from aggviewer.plots.axes import nice_above, value_text
from aggviewer.plots.card import Drawn, PlotCard
from aggviewer.plots.runs import Look
from aggviewer.plots.table import Column
from aggviewer.plots.view import PlotView
from aggviewer.style.panel_theme import Theme
from aggviewer.systems.hard_discs.series import SpeedCounts
from engine.hard_discs.theory import maxwell_speed

_FARTHEST = 4.0  # thermal speeds that are shown
_BROKEN = (5.0, 3.0)
_FILL = 90  # alpha under the steps of a single run
_USUAL_TOP = 0.8  # of the axis: Maxwell's distribution reaches 0.61


class SpeedItems(NamedTuple):
    """What one run consists of."""

    steps: pg.PlotDataItem


class SpeedsPlot(PlotCard):
    """Histogram of the speeds, with Maxwell's distribution at their own temperature."""

    title = "Speeds"
    definition = (
        "<p>Share of the discs per speed u = |v| √(m / kT), with the temperature kT = ⟨½ m v²⟩ as it is now. The "
        "line is "
        "<b>Maxwell's distribution</b> u exp(-u²/2), which elastic discs reach after a few collisions.</p>"
        "<p><b>a₂</b> = ⟨u⁴⟩ / (2 ⟨u²⟩²) - 1: 0 for Maxwell's, above it where fast discs are more frequent.</p>"
    )
    empty_text = "How many discs have which speed, against Maxwell's distribution."
    columns: ClassVar = {"steps": (Column("|v| √(m/kT)"), Column("density"))}
    frame_columns: ClassVar = {"maxwell": (Column("|v| √(m/kT)"), Column("density by Maxwell"))}

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        view = PlotView(x_log=False, y_log=False, corner=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
        view.set_labels("|v| √(m / kT)", "density")
        super().__init__(number, view, parent)
        u = np.linspace(0.0, _FARTHEST, 161)
        self.maxwell = pg.PlotDataItem(u, maxwell_speed(u), name="Maxwell")
        self.maxwell.setZValue(10)
        self.maxwell.hide()
        view.addItem(self.maxwell)

    def _new_items(self) -> SpeedItems:
        items = SpeedItems(pg.PlotDataItem(stepMode="center"))
        items.steps.hide()
        self.view.addItem(items.steps)
        return items

    def _style(self, items: SpeedItems, look: Look, theme: Theme) -> None:
        fill = QColor(look.colour)
        fill.setAlpha(_FILL)
        line = pg.mkPen(None) if look.alone else self._line(look, _BROKEN if look.broken else ())
        items.steps.setPen(line)
        items.steps.setFillLevel(0.0 if look.alone else None)
        items.steps.setBrush(pg.mkBrush(fill) if look.alone else None)
        self.maxwell.setPen(self._pen(theme.text, 1.5))

    def _draw(self, items: SpeedItems, data: SpeedCounts) -> Drawn:
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

    def _erase(self, items: SpeedItems) -> None:
        items.steps.hide()

    def _compose(self) -> None:
        super()._compose()
        self.maxwell.setVisible(any(drawn is not None for drawn in self._drawn))
