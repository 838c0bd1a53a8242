"""The plot of the contacts of discs that jam: how many hold each of them."""

from __future__ import annotations

from typing import ClassVar

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from aggviewer.plots.card import Drawn
from aggviewer.plots.contact_bars import BarItems, ContactBarsPlot
from aggviewer.plots.table import Column
from aggviewer.systems.jamming.series import DiscContacts


class JamContactsPlot(ContactBarsPlot):
    """Share of the discs with 0, 1, … contacts that carry a force, mean number and rattlers."""

    last_bar = 8
    title = "Contacts per disc"
    definition = (
        "<p>Share of the discs with 0, 1, … contacts that carry a force, those with walls too (the last bar: 8 or "
        "more).</p>"
        "<p><b>z</b>: contacts per disc that is held; 4 for an isostatic packing of many discs.</p>"
        "<p><b>Rattlers</b>: discs with two contacts or fewer, contacts with rattlers left out. No force holds "
        "them.</p>"
    )
    empty_text = "How many contacts hold a disc, and how many discs none does: rattlers."
    columns: ClassVar = {"bars": (Column("contacts with a force"), Column("share of discs"))}

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        super().__init__(number, Qt.AlignmentFlag.AlignLeft, "contacts with a force", parent)
        self.view.getPlotItem().getAxis("left").setTicks(
            [[(v, f"{100 * v:.0f} %") for v in (0, 0.25, 0.5, 0.75, 1)], []],
        )

    def _draw(self, items: BarItems, data: DiscContacts) -> Drawn:
        counts = self._binned(data.discs)
        total = max(1.0, float(counts.sum()))
        shares = counts / total
        values = {} if data.mean is None else {"z": f"{data.mean:.3f}"}
        values["rattlers"] = f"{100.0 * data.rattlers / total:.1f} %"
        bounds = (-0.6, self.last_bar + 0.6, 0.0, 0.53 if shares.max() <= 0.5 else 1.06)
        return self._as_bars(items, shares, values, bounds, lambda index: f", {counts[index]:.0f} discs")
