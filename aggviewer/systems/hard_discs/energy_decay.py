"""The plot of the energy of discs that bounce, against Haff's law."""

from __future__ import annotations

from math import floor
from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below, power_text, value_text
from aggviewer.plots.card import Drawn, PlotCard
from aggviewer.plots.runs import Look, looks
from aggviewer.plots.table import TIME, Column
from aggviewer.plots.thinning import thin_history
from aggviewer.plots.view import PlotView
from aggviewer.style.panel_theme import Theme
from aggviewer.systems.hard_discs.series import Decay

_BROKEN = (9.0, 2.0)  # E(t) of a second variant
_HAFF = (4.0, 3.0)
_HAFF_BELOW = 0.5  # decades below the energy that the law may pull the range down
_EARLIEST = 4.0  # decades of time, at most


class DecayItems(NamedTuple):
    """What one run consists of."""

    haff: pg.PlotDataItem
    energy: pg.PlotDataItem


class EnergyDecayPlot(PlotCard):
    """Kinetic energy over time, with Haff's law where collisions take energy."""

    title = "Energy, Haff's law"
    definition = (
        "<p><b>E(t)</b>: kinetic energy ½ Σ m v², over that at the start (solid). With ε = 1, and without gravity or "
        "growth, it is conserved: the drift is what rounding has made of it.</p>"
        "<p><b>Haff's law</b> (dashed): E = E₀ / (1 + t/τ)², τ = 4 / ((1 - ε²) ω₀), with the collisions per disc and "
        "time ω₀ of a gas in equilibrium (Enskog; measured where the gas was elastic for long). It begins anew where ε "
        "is changed. It holds while the gas is even; once discs gather, the energy falls more slowly.</p>"
    )
    empty_text = "Kinetic energy over time, against Haff's law where collisions take energy. Run to see it."
    columns: ClassVar = {"energy": (TIME, Column("E/E₀")), "haff": (TIME, Column("E/E₀ by Haff's law"))}

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        view = PlotView(x_log=True, y_log=True, corner=Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft)
        view.set_labels("time t", "E/E₀")
        super().__init__(number, view, parent)

    def _new_items(self) -> DecayItems:
        items = DecayItems(pg.PlotDataItem(connect="finite"), pg.PlotDataItem(connect="finite"))
        for item in items:
            self.view.addItem(item)
        return items

    def _style(self, items: DecayItems, look: Look, theme: Theme) -> None:
        items.energy.setPen(self._line(look, _BROKEN if look.broken else ()))
        law = self._pen(theme.text if look.alone else look.colour, 1.0)
        law.setDashPattern(list(_HAFF))
        items.haff.setPen(law)

    def _draw(self, items: DecayItems, data: Decay) -> Drawn | None:
        kept = thin_history(data.time)
        time = data.time[kept]
        moved = time > 0.0
        if not moved.any():
            return None
        time, energy = time[moved], data.energy[kept][moved]
        x, y = np.log10(time), log_or_gap(energy)
        items.energy.setData(x, y)
        values = {"E/E₀": _digits(float(energy[-1]))}
        law = None
        if data.haff is not None:
            law = data.haff[kept][moved]
            whole = np.append(np.diff(data.stretch[kept][moved]) == 0, False)  # no line from one law to the next
            items.haff.setData(x, log_or_gap(law), connect=(whole & np.isfinite(law)).astype(np.int32))
            if energy[-1] > 0.0 and np.isfinite(law[-1]):
                values["E/Haff"] = _digits(float(energy[-1] / law[-1]))
        else:
            items.haff.setData([], [])
        if data.drift is not None:
            values["drift"] = power_text(abs(data.drift), 2) if data.drift else "0"

        def describe(index: int) -> str:
            words = f"t = {time[index]:.4g}: E/E₀ = {_digits(float(energy[index]))}"
            lawful = float("nan") if law is None else float(law[index])
            return f"{words}, Haff {_digits(lawful)}" if np.isfinite(lawful) else words

        right = nice_above(float(time[-1]))
        left = max(min(nice_below(float(time[0])), right - 1.0), right - _EARLIEST)
        finite = y[np.isfinite(y)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
        if law is not None:
            lowest = law[np.isfinite(law) & (law > 0.0)].min(initial=1.0)
            low = max(min(low, float(np.log10(lowest))), low - _HAFF_BELOW)
        low = min(float(floor(low + 1e-9)), -1.0)  # a decade at least: the numbers stand below what is conserved
        return Drawn(x, y, describe, (left, right, low, max(high, 0.0) + 0.12), values)

    def _erase(self, items: DecayItems) -> None:
        for item in items:
            item.setData([], [])

    def _symbol(self, symbol: str) -> str:
        one = looks(self.runs, self.theme)[0]
        if symbol == "E/E₀":
            return f'<span style="color:{one.colour if one.alone else self.theme.text}">━━</span> {symbol}'
        return f"╌╌ {symbol}" if symbol == "E/Haff" else symbol


def _digits(value: float) -> str:
    return value_text(value) if value > 0.0 else "0"
