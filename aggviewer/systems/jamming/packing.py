"""Plots of a packing: contacts per disc, volume fraction, structure factor, and the densities of forces and gaps.

The densities are on log axes, with power laws at small values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.axes import nice_above, round_decades, value_text
from aggviewer.plots.drawing import (
    LAW,
    NO_VALUES,
    Axes,
    Bounds,
    LiveNumber,
    PlotDrawing,
    PlotQuantity,
    PlotSeries,
    TableValues,
    decades,
    drawing,
    interval_of_counts,
    level,
    of_counts,
)
from aggviewer.plots.fits import Range
from aggviewer.plots.plot import NumberMark, Plot, StudyCurve
from aggviewer.session.data import Analysis
from aggviewer.systems.state_plots import (
    StructureFactorPlot,
    bar_ticks,
    contact_bars,
    in_bars,
    share_ticks,
    shares_in_bars,
)
from engine.arrays import Floats
from engine.hard_discs.theory import CLOSE_PACKING
from engine.indicators import ANY
from engine.jamming.fields import JammingHistory
from engine.words import count, typeset

if TYPE_CHECKING:
    from engine.analysis import Density, PackingIndicators, PowerLaw, StructureFactor

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
    short = "Contacts"
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
        return contact_bars(counts, numbers, bounds, lambda index: f", {count(counts[index])} discs")


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
            return f"iteration {count(number[index])}: V<sub>f</sub> = {fraction[index]:.6f}"

        densest = CLOSE_PACKING[analysis.data.scenario.dimensions]
        return drawing(
            [level("crystal", densest), PlotSeries("curve", number, fraction, words=words)],
            (0.0, 10.0 ** nice_above(max(float(number[-1]), _FEWEST)), low, max(high, low + 4.0 * _STEP)),
            {"V<sub>f</sub>": f"{fraction[-1]:.5f}"},
        )


class JamStructureFactorPlot(StructureFactorPlot):
    """S(k), even before contacts are known."""

    averaged = frozenset()

    def measured(self, analysis: Analysis) -> StructureFactor | None:
        """The structure factor of the arrangement of the discs."""
        found: StructureFactor | None = analysis.data.arrangement.structure_factor
        return found


_POINT, _RING = 6.0, 7.0  # pixels
_MOST_DECADES = 9.0  # of an axis
_TOO_FEW = "too few small values for a power law"
_NOT_YET = "power laws are fitted when the packing has jammed"
_BELOW = 0.35  # of the decades of all points


@dataclass(frozen=True)
class Sampled:
    """A density and its values (n,); None if there are none."""

    density: Density | None
    values: Floats


class LawPlot(Plot):
    """Base class: up to two densities, the first as dots, the second as rings. densities: which of the three of a
    packing (forces of extended contacts, forces of bucklers, gaps); symbols: of the exponents; legend: what dots and
    rings are, where there are no exponents; quantity, short: on the x axis; names: of the densities, for the mouse and
    tables."""

    densities = slice(0)
    symbols: tuple[str, ...] = ()
    legend = ""
    names: tuple[str, ...] = ()
    quantity = short = ""
    rising = True  # the density grows with x: its exponent is given as it is, else with the opposite sign
    least: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # always visible, log10
    dimensions = ANY
    indicators = frozenset()

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The densities of the packing; once it has jammed, each with its power law."""
        ended = analysis.data.ended
        shown = _sampled(analysis.indicators, fitted=ended)[self.densities]
        series: list[PlotSeries] = []
        numbers: dict[str, str | LiveNumber] = {}
        fits: dict[str, PowerLaw | None] = {}
        for place, sampled in enumerate(shown):
            density = sampled.density
            if density is not None and density.density.any():
                series += self._density(place, density)
                fits[self.symbols[place]] = density.fit
        if any(fits.values()):
            numbers |= {symbol: "–" if fit is None else self._in_words(fit) for symbol, fit in fits.items()}
        return drawing(
            series,
            self._bounds([one for one in series if one.kind == "points"]),
            numbers,
            table=[
                TableValues(f"{self.quantity}{_of(name)} (all values)", "1", sampled.values)
                for sampled, name in zip(shown, self.names, strict=False)
                if len(sampled.values)
            ],
            note=_TOO_FEW if ended else _NOT_YET,
            key=self.legend,
        )

    def _density(self, place: int, density: Density) -> list[PlotSeries]:
        """The points of the first or second density with errors, and its law."""
        seen = density.density > 0.0
        x, y = np.sqrt(density.edges[1:] * density.edges[:-1])[seen], density.density[seen]
        counts = np.maximum(np.rint(density.density * density.count * np.diff(density.edges))[seen], 1.0)
        low, high = interval_of_counts(counts, density.count)

        def words(index: int) -> str:
            whose = f"{self.names[place]}: " if self.names[place] else ""
            return f"{whose}{self.quantity} = {value_text(x[index])}, {self.axes.y} = {value_text(y[index])}"

        points = PlotSeries(
            ("points", "more_points")[place],
            x,
            y,
            "points",
            marker="o",
            size=_RING if place else _POINT,
            hollow=place > 0,
            error=y * of_counts(counts, density.count) / counts,
            interval=(y * low / counts, y * high / counts),
            words=words,
        )
        if density.fit is None:
            return [points]
        ends = np.array([density.fit.low, density.fit.high])
        law = density.fit.amplitude * ends**density.fit.exponent
        key, dash = (("fit", "solid"), ("more_fit", "dashed"))[place]
        return [points, PlotSeries(key, ends, law, role=LAW, dash=dash)]  # type: ignore[arg-type]

    def _bounds(self, points: Sequence[PlotSeries]) -> Bounds | None:
        """The range of all points, with space below them for the numbers on paper. Error bars do not count: those of
        single counts are most of a decade long."""
        if not points:
            return None
        x, y = (np.concatenate(parts) for parts in ([one.x for one in points], [one.y for one in points]))
        left, right = round_decades(x, around=self.least[:2])
        low, high = round_decades(y, around=self.least[2:])
        left = max(left, right - _MOST_DECADES)
        return decades(left, right, low - _BELOW * (high - low), high + 0.1)

    def _in_words(self, fit: PowerLaw) -> LiveNumber:
        """The exponent with the error of its last digit, range and count; only the first if there are two runs."""
        exponent = fit.exponent if self.rising else -fit.exponent
        number = f"{typeset(exponent, '.2f')}({max(round(100.0 * fit.error), 1)})"
        return LiveNumber(
            f"{number}</b> <small>({self.short}&nbsp;≤&nbsp;{value_text(fit.high, 1)},"
            f"&nbsp;n&nbsp;=&nbsp;{count(fit.count)})</small><b>",
            number,
        )


class ForcesPlot(LawPlot):
    """The plot of the density P(f / ⟨f⟩) of the contact forces."""

    title = "Forces"
    definition = (
        "<p>Distribution of the contact forces $f$ divided by their mean, on log axes. Small forces follow power "
        r"laws $P(f) \propto f^\theta$.</p><p>$\theta_l$, rings: contacts of bucklers, which are discs held by only "
        "three contacts, or spheres held by four: when pushed, a buckler moves alone. Theory: 0.17. "
        r"$\theta_e$, dots: all other contacts; opening one moves the whole packing. Theory: 0.42.</p><p>Lines: "
        r"maximum-likelihood fits to all $f/\langle f\rangle$ up to the limit in brackets, with the error of the last "
        "digit and the number of contacts used. One packing gives exponents to about 0.1; a study of many seeds pools "
        "them for more.</p>"
    )
    empty_text = "Distribution of contact forces, with power laws for small ones. Available once contacts carry forces."
    quantity = short = "f/⟨f⟩"
    axes = Axes("f/⟨f⟩", "P(f/⟨f⟩)", x_log=True, y_log=True, corner="bottom left")
    symbols = ("extended θ<sub>e</sub>", "bucklers θ<sub>l</sub>")
    marks: ClassVar = dict(zip(symbols, (NumberMark("●", coloured=True), NumberMark("○", coloured=True)), strict=True))
    legend = "● extended, ○ bucklers"
    names = ("extended contacts", "contacts of bucklers")
    least = (-3.0, 1.0, -2.0, 0.5)
    columns: ClassVar = {
        "points": (PlotQuantity("f/⟨f⟩ of extended contacts"), PlotQuantity("P(f/⟨f⟩) of extended contacts")),
        "fit": (
            PlotQuantity("f/⟨f⟩ of extended contacts by the fit"),
            PlotQuantity("P(f/⟨f⟩) of extended contacts by the fit"),
        ),
        "more_points": (
            PlotQuantity("f/⟨f⟩ of contacts of bucklers"),
            PlotQuantity("P(f/⟨f⟩) of contacts of bucklers"),
        ),
        "more_fit": (
            PlotQuantity("f/⟨f⟩ of contacts of bucklers by the fit"),
            PlotQuantity("P(f/⟨f⟩) of contacts of bucklers by the fit"),
        ),
    }
    study_curves: ClassVar = {
        "points": StudyCurve("packing.extended_forces", counted=True),
        "more_points": StudyCurve("packing.buckler_forces", counted=True),
    }
    study_pools: ClassVar = {
        "packing.extended_forces": "Small forces of extended contacts θ_e",
        "packing.buckler_forces": "Small forces of bucklers θ_l",
    }
    densities = slice(2)


class GapsPlot(LawPlot):
    """The plot of the density P(h) of the gaps between near pairs."""

    title = "Gaps"
    definition = (
        r"<p>Distribution of the gaps $h = (|r_{ij}| - \sigma_{ij}) / \langle\sigma\rangle$ between close discs that "
        r"do not touch and are not rattlers, on log axes.</p><p>$\gamma$: small gaps follow $P(h) \propto "
        r"h^{-\gamma}$. Theory: 0.41. Line: the fit, as for forces, to all $h$ up to the limit in brackets, with the "
        "number of gaps used. A study of many seeds pools them for more digits.</p>"
    )
    empty_text = (
        "Gaps between {discs} that nearly touch, with a power law for small ones. Available once contacts carry forces."
    )
    quantity, short = "gap h", "h"
    axes = Axes("gap h", "P(h)", x_log=True, y_log=True, corner="bottom left")
    symbols, names = ("γ",), ("",)
    rising = False
    least = (-5.0, 0.0, -1.0, 1.0)
    columns: ClassVar = {
        "points": (PlotQuantity("gap h"), PlotQuantity("P(h)")),
        "fit": (PlotQuantity("gap h"), PlotQuantity("P(h) by the fit")),
    }
    study_curves: ClassVar = {"points": StudyCurve("packing.gaps", counted=True)}
    study_pools: ClassVar = {"packing.gaps": "Small gaps -γ"}
    densities = slice(2, 3)


def _of(name: str) -> str:
    return f" of {name}" if name else ""


def _sampled(found: PackingIndicators | None, *, fitted: bool) -> tuple[Sampled, ...]:
    """Forces of extended contacts, forces of bucklers, and gaps. fitted : whether with their power laws, which small
    values do not follow before the end."""
    if found is None:
        return (Sampled(None, NO_VALUES),) * 3
    values = found.samples
    parts = (
        (found.extended_forces, values.extended),
        (found.buckler_forces, values.bucklers),
        (found.gaps, values.gaps),
    )
    return tuple(
        Sampled(density if fitted or density is None else replace(density, fit=None), some) for density, some in parts
    )
