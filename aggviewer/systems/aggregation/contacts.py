"""The plot of the contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.contact_bars import BarItems, ContactBarsPlot
from aggviewer.plots.plot import Drawn
from aggviewer.plots.table import Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis


@dataclass(frozen=True)
class Contacts:
    """histogram (k,): discs with 0, 1, … neighbours; relative: N_c."""

    histogram: NDArray[np.int64]
    relative: float | None


class ContactsPlot(ContactBarsPlot):
    """Share of the discs with 0, 1, … 6 and more neighbours, with N_c (4.13)."""

    last_bar = 6
    ticks = ((0.0, 0.5, 1.0), (0.25, 0.75))
    title = "Contacts"
    definition = (
        "<p>Share of the discs with 0, 1, … neighbours within 2.1 R (the last bar: 6 or more).</p>"
        "<p><b>N<sub>c</sub></b> (4.13), the relative contacts: pairs with |X<sub>i</sub> - X<sub>j</sub>| ≤ 2.1 R "
        "over 6 N, where a disc counts as its own neighbour; 1/6 for loose discs, near 0.5 for an aggregate.</p>"
    )
    empty_text = "Share of the discs with 0, 1, 2, … neighbours in contact."
    axes = Axes("neighbours within 2.1 R", "share of discs", corner="top right")
    columns: ClassVar = {"bars": (Column("neighbours within 2.1 R"), Column("share of discs"))}

    @classmethod
    def prepare(cls, analysis: Analysis) -> Contacts | None:
        found = analysis.indicators
        if found.contacts_histogram is None:
            return None
        return Contacts(np.asarray(found.contacts_histogram, np.int64), found.contacts_relative)

    def _set_up(self) -> None:
        super()._set_up()
        self.view.set_bounds((-0.6, self.last_bar + 0.6, 0.0, 1.06))

    def _draw(self, items: BarItems, data: Contacts) -> Drawn:
        counts = self._binned(data.histogram)
        values = {} if data.relative is None else {"N<sub>c</sub>": f"{data.relative:.3f}"}
        return self._as_bars(items, counts / max(1.0, float(np.sum(counts))), values)
