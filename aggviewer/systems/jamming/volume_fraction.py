"""The plot of the volume fraction, program by program."""

from __future__ import annotations

from math import ceil, floor
from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from aggviewer.plots.axes import nice_above
from aggviewer.plots.card import Drawn, PlotCard
from aggviewer.plots.runs import Look
from aggviewer.plots.table import Column
from aggviewer.plots.view import PlotView
from aggviewer.style.panel_theme import Theme
from aggviewer.systems.jamming.series import Filling

_BROKEN = (9.0, 2.0)
_FEWEST = 20  # programs that the axis has room for
_STEP = 0.01  # of the range


class FillingItems(NamedTuple):
    """What one run consists of."""

    curve: pg.PlotDataItem


class JamFractionPlot(PlotCard):
    """Volume fraction over programs."""

    title = "Volume fraction"
    definition = (
        "<p><b>V<sub>f</sub></b>: area of the discs over that of the box, after each linear program. It only ever "
        "grows.</p><p>Discs of two sizes, 1 : 1.4, jam near 0.84 from most starts; equal discs form crystals of up to "
        "0.907 (dotted, π/(2√3)).</p>"
    )
    empty_text = "How the discs fill the box, program by program."
    columns: ClassVar = {"curve": (Column("program"), Column("V_f"))}

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        view = PlotView(x_log=False, y_log=False, corner=Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight)
        view.set_labels("program", "V<sub>f</sub>")
        super().__init__(number, view, parent)
        self.crystal = pg.InfiniteLine(np.pi / (2.0 * np.sqrt(3.0)), 0)
        self.crystal.hide()
        view.addItem(self.crystal)

    def _new_items(self) -> FillingItems:
        items = FillingItems(pg.PlotDataItem())
        self.view.addItem(items.curve)
        return items

    def _style(self, items: FillingItems, look: Look, theme: Theme) -> None:
        items.curve.setPen(self._line(look, _BROKEN if look.broken else ()))
        dotted = self._pen(theme.muted, 1.0)
        dotted.setStyle(Qt.PenStyle.DotLine)
        self.crystal.setPen(dotted)

    def _draw(self, items: FillingItems, data: Filling) -> Drawn:
        items.curve.setData(data.number, data.fraction)
        low = _STEP * floor(float(data.fraction.min()) / _STEP) - _STEP
        high = _STEP * ceil(float(data.fraction.max()) / _STEP) + _STEP
        return Drawn(
            data.number,
            data.fraction,
            lambda index: f"program {data.number[index]:.0f}: V<sub>f</sub> = {data.fraction[index]:.6f}",
            (0.0, 10.0 ** nice_above(max(float(data.number[-1]), _FEWEST)), low, max(high, low + 4.0 * _STEP)),
            {"V<sub>f</sub>": f"{data.fraction[-1]:.5f}"},
        )

    def _erase(self, items: FillingItems) -> None:
        items.curve.setData([], [])

    def _compose(self) -> None:
        super()._compose()
        self.crystal.setVisible(any(drawn is not None for drawn in self._drawn))
