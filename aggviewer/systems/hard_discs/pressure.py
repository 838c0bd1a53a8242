"""The plot of the pressure: Z over the volume fraction."""

from __future__ import annotations

from math import log10
from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from aggviewer.plots.axes import log_or_gap, nice_above
from aggviewer.plots.card import Drawn, PlotCard
from aggviewer.plots.runs import Look
from aggviewer.plots.table import Column
from aggviewer.plots.view import PlotView
from aggviewer.style.panel_theme import Theme
from aggviewer.systems.hard_discs.series import StateTrail
from engine.hard_discs.theory import CLOSE_PACKING, REFERENCE_Z, henderson

_FLUID_TO = 0.70  # where Henderson's curve ends: at freezing
_HIGHEST = 20.0  # Z that is in view where nothing asks for more
_BROKEN = (5.0, 3.0)
_RIGHT = 0.93


class StateItems(NamedTuple):
    """What one run consists of."""

    trail: pg.PlotDataItem
    now: pg.PlotDataItem


class PressurePlot(PlotCard):
    """Z measured, in the literature's picture of it."""

    title = "Pressure Z"
    definition = (
        "<p><b>Z</b> = P / (n kT), the pressure over that of an ideal gas, from the momentum that collisions have "
        "carried "
        "so far: Z = 1 + Σ Δp·r / (2 N kT t). In a periodic box without gravity.</p>"
        "<p>Line: Henderson's Z = (1 + V<sub>f</sub>²/8) / (1 - V<sub>f</sub>)² for equal discs, up to freezing at "
        "0.70. "
        "Rings: simulations of the literature. Dotted: close packing, V<sub>f</sub> = 0.907.</p>"
    )
    empty_text = (
        "Pressure over that of an ideal gas, against the literature. Measured in a periodic box without gravity."
    )
    columns: ClassVar = {"trail": (Column("V_f"), Column("Z")), "now": (Column("V_f now"), Column("Z now"))}
    frame_columns: ClassVar = {
        "literature": (Column("V_f"), Column("Z by Henderson")),
        "references": (Column("V_f"), Column("Z of the literature")),
    }

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        view = PlotView(x_log=False, y_log=True, corner=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        view.set_labels("volume fraction V<sub>f</sub>", "Z")
        super().__init__(number, view, parent)
        phi = np.linspace(0.0, _FLUID_TO, 141)
        self.literature = pg.PlotDataItem(phi, np.log10(henderson(phi)), name="Henderson")
        self.references = pg.PlotDataItem(
            np.array([one.phi for one in REFERENCE_Z]),
            np.log10([one.z for one in REFERENCE_Z]),
            pen=None,
            symbol="o",
            symbolSize=7,
            symbolBrush=None,
            name="literature",
        )
        self.packing = pg.InfiniteLine(CLOSE_PACKING, 90)
        self.references.setZValue(5)
        for item in self._frame:
            item.hide()
            view.addItem(item)

    @property
    def _frame(self) -> tuple[pg.GraphicsObject, ...]:
        return self.literature, self.references, self.packing

    def _new_items(self) -> StateItems:
        items = StateItems(pg.PlotDataItem(), pg.PlotDataItem(pen=None, symbol="o"))
        for item in items:
            item.setZValue(8)
            self.view.addItem(item)
        return items

    def _style(self, items: StateItems, look: Look, theme: Theme) -> None:
        items.trail.setPen(self._line(look, _BROKEN if look.broken else ()))
        filled = look.first
        items.now.setSymbolSize(9 if filled else 13)
        items.now.setSymbolBrush(pg.mkBrush(look.colour if filled else None))
        items.now.setSymbolPen(self._pen(theme.ground, 1.0) if filled else self._pen(look.colour, 2.0))
        self.literature.setPen(self._pen(theme.muted, 1.5))
        self.references.setSymbolPen(self._pen(theme.text, 1.0))
        dotted = self._pen(theme.muted, 1.0)
        dotted.setStyle(Qt.PenStyle.DotLine)
        self.packing.setPen(dotted)

    def _draw(self, items: StateItems, data: StateTrail) -> Drawn:
        x, y = data.fraction, log_or_gap(data.z)
        items.trail.setData(x, y)
        items.now.setData(x[-1:], y[-1:])
        values = {"Z": _text(float(data.z[-1]))}
        if len(x) == 1 and x[-1] <= _FLUID_TO and len(self.runs) == 1:
            values["Henderson"] = _text(float(henderson(x[-1])))
        else:
            values["V<sub>f</sub>"] = f"{x[-1]:.4f}"
        low, high = min(0.0, float(np.nanmin(y))), max(log10(_HIGHEST), nice_above(float(data.z.max())) + 0.1)
        return Drawn(
            x,
            y,
            lambda index: f"V<sub>f</sub> = {x[index]:.4f}: Z = {_text(float(data.z[index]))}",
            (0.0, _RIGHT, low, high),
            values,
        )

    def _erase(self, items: StateItems) -> None:
        for item in items:
            item.setData([], [])

    def _compose(self) -> None:
        super()._compose()
        for item in self._frame:
            item.setVisible(any(drawn is not None for drawn in self._drawn))


def _text(z: float) -> str:
    return f"{z:.3f}" if z < 100 else f"{z:.4g}"
