"""The plot of the contacts of discs that jam: how many hold each of them."""

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
class DiscContacts:
    """discs (k,): with 0, 1, … contacts that carry a force; rattlers: how many of them are; mean: contacts per disc
    that is none, None where all are."""

    discs: NDArray[np.int64]
    rattlers: int
    mean: float | None


class JamContactsPlot(ContactBarsPlot):
    """Share of the discs with 0, 1, … contacts that carry a force, mean number and rattlers."""

    last_bar = 8
    ticks = ((0.0, 0.25, 0.5, 0.75, 1.0), ())
    title = "Contacts per disc"
    definition = (
        "<p>Share of the discs with 0, 1, … contacts that carry a force, those with walls too (the last bar: 8 or "
        "more).</p>"
        "<p><b>z</b>: contacts per disc that is held; 4 for an isostatic packing of many discs.</p>"
        "<p><b>Rattlers</b>: discs with two contacts or fewer, contacts with rattlers left out. No force holds "
        "them.</p>"
    )
    empty_text = "How many contacts hold a disc, and how many discs none does: rattlers."
    axes = Axes("contacts with a force", "share of discs", corner="top left")
    columns: ClassVar = {"bars": (Column("contacts with a force"), Column("share of discs"))}

    @classmethod
    def prepare(cls, analysis: Analysis) -> DiscContacts | None:
        found = analysis.indicators
        return None if found is None else disc_contacts(found.contacts_histogram, found.rattlers)

    def _draw(self, items: BarItems, data: DiscContacts) -> Drawn:
        counts = self._binned(data.discs)
        total = max(1.0, float(counts.sum()))
        shares = counts / total
        values = {} if data.mean is None else {"z": f"{data.mean:.3f}"}
        values["rattlers"] = f"{100.0 * data.rattlers / total:.1f} %"
        bounds = (-0.6, self.last_bar + 0.6, 0.0, 0.53 if shares.max() <= 0.5 else 1.06)
        return self._as_bars(items, shares, values, bounds, lambda index: f", {counts[index]:.0f} discs")


def disc_contacts(histogram: NDArray[np.int64], rattlers: int) -> DiscContacts | None:
    """histogram (k,): discs with 0, 1, … contacts. None before there are contacts."""
    if len(histogram) < 2 or not histogram[1:].any():
        return None
    stable = int(histogram.sum()) - rattlers
    contacts = float(histogram @ np.arange(len(histogram)))
    return DiscContacts(histogram, rattlers, contacts / stable if stable else None)
