"""Plots of a packing: contacts per disc, volume fraction, and the structure factor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.axes import nice_above
from aggviewer.plots.drawing import Axes, PlotDrawing, PlotQuantity, PlotSeries, drawing, level
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import Plot, StudyCurve
from aggviewer.session.data import Analysis
from aggviewer.systems.state_plots import (
    StructureFactorPlot,
    bar_ticks,
    contact_bars,
    in_bars,
    share_ticks,
    shares_in_bars,
)
from engine.hard_discs.theory import CLOSE_PACKING
from engine.indicators import ANY
from engine.jamming.fields import JammingHistory

if TYPE_CHECKING:
    from engine.analysis import StructureFactor

_LAST_BAR = 12
_USUAL_BAR = 8  # the last one, if no disc has more contacts
_FEWEST = 20  # least number of iterations on the axis
_STEP = 0.01  # of the range


@dataclass(frozen=True)
class DiscContacts:
    """The contacts per disc of a packing.

    Parameters
    ----------
    discs : (k,), numbers of discs with 0, 1, … contacts that carry a force.
    rattlers : the number of rattlers.
    mean : contacts per disc that is not a rattler, None if all are rattlers.
    """

    discs: NDArray[np.int64]
    rattlers: int
    mean: float | None


class JamContactsPlot(Plot):
    """Share of discs with 0, 1, … contacts that carry a force, their mean number and the rattlers."""

    simple = True
    dimensions = ANY
    title = "Contacts per {disc}"
    definition = (
        "<p>Share of discs with 0, 1, … contacts that carry a force, walls included (last bar of 12: 12 or "
        "more).</p><p>$z$: mean number of contacts of a disc that is held; $2 d$ for an isostatic packing of many "
        "discs in $d$ dimensions: 4, for spheres 6.</p><p><b>Rattlers</b>: discs with at most $d$ contacts, not "
        "counting contacts with rattlers. No force holds them.</p>"
    )
    empty_text = "How many contacts hold each {disc}, and how many {discs} are rattlers, held by none."
    axes = Axes(
        "contacts with a force",
        "{discs}",  # in per cent; "share of spheres" would be longer than the axis
        x_ticks=bar_ticks(_LAST_BAR),
        y_ticks=share_ticks((0.0, 0.25, 0.5, 0.75, 1.0)),
    )
    columns: ClassVar = {"bars": (PlotQuantity("contacts with a force"), PlotQuantity("share of discs"))}
    study_curves: ClassVar = {"bars": StudyCurve("packing.contacts_histogram", shares_in_bars(_LAST_BAR))}
    study_numbers = ("rattlers", "contacts")
    indicators = frozenset()

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """Shares of discs by contacts, with their mean number and the rattlers."""
        found = analysis.indicators
        data = None if found is None else disc_contacts(found.contacts_histogram, found.rattlers)
        if data is None:
            return None
        last = min(_LAST_BAR, max(_USUAL_BAR, len(data.discs) - 1))
        counts = in_bars(data.discs, last)
        total = max(1.0, float(counts.sum()))
        numbers = {} if data.mean is None else {"z": f"{data.mean:.3f}"}
        numbers["rattlers"] = f"{100.0 * data.rattlers / total:.1f} %"
        bounds = (-0.6, last + 0.6, 0.0, 0.53 if counts.max() / total <= 0.5 else 1.06)
        return contact_bars(counts, numbers, bounds, lambda index: f", {counts[index]:.0f} discs")


def disc_contacts(histogram: NDArray[np.int64], rattlers: int) -> DiscContacts | None:
    """histogram (k,): numbers of discs with 0, 1, … contacts. None before there are contacts."""
    if len(histogram) < 2 or not histogram[1:].any():
        return None
    stable = int(histogram.sum()) - rattlers
    contacts = float(histogram @ np.arange(len(histogram)))
    return DiscContacts(histogram, rattlers, contacts / stable if stable else None)


class JamFractionPlot(Plot):
    """Volume fraction against iterations."""

    dimensions = ANY
    title = "Volume fraction"
    definition = (
        r"<p>$V_f = \sum_i \pi R_i^2 / (L_x L_y)$: area of the discs divided by that of the box, after each "
        "iteration; of spheres the volume. It never falls.</p><p>Discs of two sizes, 1 : 1.4, jam near 0.84 from most "
        r"starts; equal discs form crystals of up to 0.907 (dotted, $\pi / (2 \sqrt{3})$). Equal spheres jam near "
        r"0.64; their crystals reach 0.740 ($\pi / (3 \sqrt{2})$).</p>"
    )
    empty_text = "Share of the box that the {discs} fill, iteration by iteration."
    axes = Axes("iteration", "V<sub>f</sub>", corner="bottom right")
    folded_at_first = True
    columns: ClassVar = {"curve": (PlotQuantity("iteration"), PlotQuantity("V_f"))}
    study_curves: ClassVar = {"curve": StudyCurve("history.volume_fraction")}
    indicators = frozenset()
    counts = True

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The volume fraction at the start and after each iteration. None if it is not known."""
        history = analysis.history
        known = np.isfinite(history.volume_fraction) if isinstance(history, JammingHistory) else np.zeros(0, np.bool_)
        if not (isinstance(history, JammingHistory) and known.any()):
            return None
        number, fraction = history.time[known], history.volume_fraction[known]
        low = _STEP * floor(float(fraction.min()) / _STEP) - _STEP
        high = _STEP * ceil(float(fraction.max()) / _STEP) + _STEP

        def words(index: int) -> str:
            return f"iteration {number[index]:.0f}: V<sub>f</sub> = {fraction[index]:.6f}"

        densest = CLOSE_PACKING[analysis.data.scenario.dimensions]
        return drawing(
            [level("crystal", densest), PlotSeries("curve", number, fraction, words=words)],
            (0.0, 10.0 ** nice_above(max(float(number[-1]), _FEWEST)), low, max(high, low + 4.0 * _STEP)),
            {"V<sub>f</sub>": f"{fraction[-1]:.5f}"},
        )


class JamStructureFactorPlot(StructureFactorPlot):
    """S(k), even before contacts are known."""

    def measured(self, analysis: Analysis) -> StructureFactor | None:
        """The structure factor of the arrangement of the discs."""
        found: StructureFactor | None = analysis.data.arrangement.structure_factor
        return found
