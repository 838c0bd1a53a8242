"""Plots of a packing: the contacts of its discs, and how densely they fill the box."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.axes import nice_above
from aggviewer.plots.drawn import Drawn
from aggviewer.plots.shapes import BarItems, ContactBarsPlot, CurveData, CurveItems, CurvePlot, shares_in_bars
from aggviewer.plots.study_curves import StudyCurve
from aggviewer.plots.table import Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis
from engine.jamming.history import JammingHistory

_FEWEST = 20  # iterations that the axis has room for
_STEP = 0.01  # of the range


@dataclass(frozen=True)
class DiscContacts:
    """How many contacts the discs of a packing have.

    Parameters
    ----------
    discs : (k,), numbers of discs with 0, 1, … contacts that carry a force.
    rattlers : how many discs are rattlers.
    mean : contacts per disc that is no rattler, None where all are.
    """

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
        "more).</p><p>$z$: contacts per disc that is held; 4 for an isostatic packing of many "
        "discs.</p><p><b>Rattlers</b>: discs with two contacts or fewer, contacts with rattlers left out. No force "
        "holds them.</p>"
    )
    empty_text = "How many contacts hold a disc, and how many discs none does: rattlers."
    axes = Axes("contacts with a force", "share of discs", corner="top left")
    columns: ClassVar = {"bars": (Column("contacts with a force"), Column("share of discs"))}
    study_curves: ClassVar = {"bars": StudyCurve("packing.contacts_histogram", shares_in_bars(last_bar))}
    study_numbers = ("rattlers", "contacts")
    indicators = frozenset()

    @classmethod
    def prepare(cls, analysis: Analysis) -> DiscContacts | None:
        """See `Plot.prepare`."""
        found = analysis.indicators
        return None if found is None else disc_contacts(found.contacts_histogram, found.rattlers)

    def _draw(self, items: BarItems, data: DiscContacts) -> Drawn:
        counts = self._binned(data.discs)
        total = max(1.0, float(counts.sum()))
        shares = counts / total
        values = {} if data.mean is None else {"z": f"{data.mean:.3f}"}
        values["rattlers"] = f"{100.0 * data.rattlers / total:.1f} %"
        bounds = (-0.6, self.last_bar + 0.6, 0.0, 0.53 if shares.max() <= 0.5 else 1.06)
        return self._as_bars(items, counts, values, bounds, lambda index: f", {counts[index]:.0f} discs")


def disc_contacts(histogram: NDArray[np.int64], rattlers: int) -> DiscContacts | None:
    """histogram (k,): discs with 0, 1, … contacts. None before there are contacts."""
    if len(histogram) < 2 or not histogram[1:].any():
        return None
    stable = int(histogram.sum()) - rattlers
    contacts = float(histogram @ np.arange(len(histogram)))
    return DiscContacts(histogram, rattlers, contacts / stable if stable else None)


class JamFractionPlot(CurvePlot):
    """Volume fraction over iterations."""

    title = "Volume fraction"
    definition = (
        r"<p>$V_f = \sum_i \pi R_i^2 / (L_x L_y)$: area of the discs over that of the box, after each iteration. "
        "It only ever grows.</p><p>Discs of two sizes, 1 : 1.4, jam near 0.84 from most starts; equal discs form "
        r"crystals of up to 0.907 (dotted, $\pi / (2 \sqrt{3})$).</p>"
    )
    empty_text = "How the discs fill the box, iteration by iteration."
    axes = Axes("iteration", "V<sub>f</sub>", corner="bottom right")
    broken = (9.0, 2.0)
    folded_at_first = True
    columns: ClassVar = {"curve": (Column("program"), Column("V_f"))}
    study_curves: ClassVar = {"curve": StudyCurve("history.volume_fraction")}
    indicators = frozenset()

    @classmethod
    def prepare(cls, analysis: Analysis) -> CurveData | None:
        """The volume fraction after each iteration; the first is the start. None where it is not known."""
        history = analysis.history
        if not isinstance(history, JammingHistory):
            return None
        known = np.isfinite(history.volume_fraction)
        return CurveData(history.time[known], history.volume_fraction[known]) if known.any() else None

    def _set_up(self) -> None:
        self._dotted_line(np.pi / (2.0 * np.sqrt(3.0)))

    def _draw(self, items: CurveItems, data: CurveData) -> Drawn:
        number, fraction = data
        items.curve.setData(number, fraction)
        low = _STEP * floor(float(fraction.min()) / _STEP) - _STEP
        high = _STEP * ceil(float(fraction.max()) / _STEP) + _STEP
        return Drawn(
            number,
            fraction,
            lambda index: f"iteration {number[index]:.0f}: V<sub>f</sub> = {fraction[index]:.6f}",
            (0.0, 10.0 ** nice_above(max(float(number[-1]), _FEWEST)), low, max(high, low + 4.0 * _STEP)),
            {"V<sub>f</sub>": f"{fraction[-1]:.5f}"},
        )
