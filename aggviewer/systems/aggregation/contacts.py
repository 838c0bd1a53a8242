"""The plot of the contacts."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from aggviewer.plots.card import Drawn
from aggviewer.plots.contact_bars import BarItems, ContactBarsPlot
from aggviewer.plots.table import Column
from aggviewer.systems.aggregation.series import Contacts


class ContactsPlot(ContactBarsPlot):
    """Share of the discs with 0, 1, … 6 and more neighbours, with N_c (4.13)."""

    last_bar = 6
    title = "Contacts"
    definition = (
        "<p>Share of the discs with 0, 1, … neighbours within 2.1 R (the last bar: 6 or more).</p>"
        "<p><b>N<sub>c</sub></b> (4.13), the relative contacts: pairs with |X<sub>i</sub> - X<sub>j</sub>| ≤ 2.1 R "
        "over 6 N, where a disc counts as its own neighbour; 1/6 for loose discs, near 0.5 for an aggregate.</p>"
    )
    empty_text = "Share of the discs with 0, 1, 2, … neighbours in contact."
    columns: ClassVar = {"bars": (Column("neighbours within 2.1 R"), Column("share of discs"))}

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        super().__init__(number, Qt.AlignmentFlag.AlignRight, "neighbours within 2.1 R", parent)
        self.view.getPlotItem().getAxis("left").setTicks(
            [[(v, f"{100 * v:.0f} %") for v in (0, 0.5, 1)], [(v, "") for v in (0.25, 0.75)]]
        )
        self.view.set_bounds((-0.6, self.last_bar + 0.6, 0.0, 1.06))

    def _draw(self, items: BarItems, data: Contacts) -> Drawn:
        counts = self._binned(data.histogram)
        values = {} if data.relative is None else {"N<sub>c</sub>": f"{data.relative:.3f}"}
        return self._as_bars(items, counts / max(1.0, float(np.sum(counts))), values)
