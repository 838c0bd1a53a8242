"""The plots of forces and gaps, of the packing on screen or of all that jammed with its settings: densities on log
axes, with power laws at small values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from aggviewer.plots.axes import round_decades, value_text
from aggviewer.plots.drawing import (
    LAW,
    NO_VALUES,
    Axes,
    Bounds,
    Floats,
    LiveNumber,
    PlotDrawing,
    PlotQuantity,
    PlotSeries,
    TableValues,
    decades,
    drawing,
)
from aggviewer.plots.error_text import interval_of_counts, of_counts
from aggviewer.plots.plot import NumberMark, Plot, PlotChoice
from aggviewer.plots.runs import RunStyle
from aggviewer.plots.slopes import Range
from aggviewer.plots.study_curves import StudyCurve
from aggviewer.session.data import Analysis
from engine.indicators import ANY

if TYPE_CHECKING:
    from engine.analysis import Density, PackingIndicators, PooledPackings, PowerLaw

_POINT, _RING = 6.0, 7.0  # pixels
_MOST_DECADES = 9.0  # of an axis
_TOO_FEW = "too few small values for a power law"
_NOT_YET = "power laws are fitted when the packing has jammed"
_BELOW = 0.35  # of the decades of all points
_POOLED = "pooled"  # name of the choice
_POOL = PlotChoice(
    _POOLED,
    "All packings ({})",
    "All ({})",
    "Pools all packings with these settings that have jammed in this window, one for each seed.\nShift+J jams the "
    "next seed. Sessions keep the pool.",
)
_POOL_EMPTY = "No packing with these settings has jammed yet. Each one that jams is added; Shift+J jams the next seed."


@dataclass(frozen=True)
class Sampled:
    """A density and its values (n,); None if there are none."""

    density: Density | None
    values: Floats


@dataclass(frozen=True)
class Laws:
    """The densities of one plot: forces of extended contacts and of bucklers, or gaps.

    Parameters
    ----------
    own : of the packing on screen.
    pooled : of all packings with its settings.
    packings : the number of those packings.
    ended : whether the chain has ended; before, the packing has no power laws of its own.
    """

    own: tuple[Sampled, ...]
    pooled: tuple[Sampled, ...]
    packings: int
    ended: bool


class LawPlot(Plot):
    """Base class: up to two densities, the first as dots, the second as rings. symbols: of the exponents; legend: what
    dots and rings are, where there are no exponents; quantity, short: on the x axis; names: of the densities, for the
    mouse and tables. The choice between one packing and all applies to both plots."""

    symbols: tuple[str, ...] = ()
    legend = ""
    names: tuple[str, ...] = ()
    quantity = short = ""
    rising = True  # the density grows with x: its exponent is given as it is, else with the opposite sign
    least: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # always visible, log10
    choices = (_POOL,)
    dimensions = ANY
    indicators = frozenset()

    def laws(self, analysis: Analysis) -> Laws:
        """The densities of this plot."""
        raise NotImplementedError

    def text_without_data(self, runs: Sequence[RunStyle], choices: Mapping[str, Any]) -> str:
        """What will be shown, or how packings get into the pool."""
        return _POOL_EMPTY if choices.get(_POOLED) else self.empty_text

    def prepare(self, analysis: Analysis, choices: Mapping[str, Any], fit_range: Range | None) -> PlotDrawing | None:
        """The densities of the packing or of all packings, each with its power law."""
        data = self.laws(analysis)
        pooled = bool(choices.get(_POOLED))
        shown = data.pooled if pooled else data.own
        of = f" ({_packings(data.packings)})" if pooled else ""
        series: list[PlotSeries] = []
        numbers: dict[str, str | LiveNumber] = {}
        fits: dict[str, PowerLaw | None] = {}
        for place, sampled in enumerate(shown):
            density = sampled.density
            if density is not None and density.density.any():
                series += self._density(place, density, of)
                fits[self.symbols[place]] = density.fit
        if any(fits.values()):
            numbers |= {symbol: "–" if fit is None else self._in_words(fit) for symbol, fit in fits.items()}
        if pooled and series:
            numbers["packings"] = str(data.packings)
        fitted = pooled or data.ended
        return drawing(
            series,
            self._bounds([one for one in series if one.kind == "points"]),
            numbers,
            table=[
                TableValues(f"{self.quantity}{_of(name)} (all values)", "1", sampled.values)
                for sampled, name in zip(shown, self.names, strict=False)
                if len(sampled.values)
            ],
            note=self.legend + (_TOO_FEW if fitted else _NOT_YET),
            counts={_POOLED: data.packings},
        )

    def _density(self, place: int, density: Density, of: str) -> list[PlotSeries]:
        """The points of the first or second density with errors, and its law. of : the number of packings."""
        seen = density.density > 0.0
        x, y = np.sqrt(density.edges[1:] * density.edges[:-1])[seen], density.density[seen]
        counts = np.maximum(np.rint(density.density * density.count * np.diff(density.edges))[seen], 1.0)
        low, high = interval_of_counts(counts, density.count)

        def words(index: int) -> str:
            whose = f"{self.names[place]}: " if self.names[place] else ""
            return f"{whose}{self.quantity} = {value_text(x[index])}, {self.axes.y} = {value_text(y[index])}{of}"

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
        number = f"{exponent:.2f}({max(round(100.0 * fit.error), 1)})".replace("-", "−")
        return LiveNumber(
            f"{number}</b> <small>({self.short}&nbsp;≤&nbsp;{value_text(fit.high, 1)},&nbsp;n&nbsp;=&nbsp;{fit.count})"
            "</small><b>",
            number,
        )


class ForcesPlot(LawPlot):
    """P(f / ⟨f⟩)."""

    title = "Forces"
    definition = (
        "<p>Distribution of the contact forces $f$ divided by their mean, on log axes. Small forces follow power "
        r"laws $P(f) \propto f^\theta$.</p><p>$\theta_l$, rings: contacts of bucklers, which are discs held by only "
        "three contacts, or spheres held by four: when pushed, a buckler moves alone. Theory: 0.17. "
        r"$\theta_e$, dots: all other contacts; opening one moves the whole packing. Theory: 0.42.</p><p>Lines: "
        r"maximum-likelihood fits to all $f/\langle f\rangle$ up to the limit in brackets, with the error of the last "
        "digit and the number of contacts used. One packing gives exponents to about 0.1; pool the packings of many "
        "seeds for more.</p>"
    )
    empty_text = "Distribution of contact forces, with power laws for small ones. Available once contacts carry forces."
    quantity = short = "f/⟨f⟩"
    axes = Axes("f/⟨f⟩", "P(f/⟨f⟩)", x_log=True, y_log=True, corner="bottom left")
    symbols = ("extended θ<sub>e</sub>", "bucklers θ<sub>l</sub>")
    marks: ClassVar = dict(zip(symbols, (NumberMark("●", coloured=True), NumberMark("○", coloured=True)), strict=True))
    legend = "● extended, ○ bucklers; "
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

    def laws(self, analysis: Analysis) -> Laws:
        """Of extended contacts and of bucklers."""
        return _laws(analysis, slice(2))


class GapsPlot(LawPlot):
    """P(h) of near pairs."""

    title = "Gaps"
    definition = (
        r"<p>Distribution of the gaps $h = (|r_{ij}| - \sigma_{ij}) / \langle\sigma\rangle$ between close discs that "
        r"do not touch and are not rattlers, on log axes.</p><p>$\gamma$: small gaps follow $P(h) \propto "
        r"h^{-\gamma}$. Theory: 0.41. Line: the fit, as for forces, to all $h$ up to the limit in brackets, with the "
        "number of gaps used. Pool the packings of many seeds for more digits.</p>"
    )
    empty_text = (
        "Gaps between discs that nearly touch, with a power law for small ones. Available once contacts carry forces."
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

    def laws(self, analysis: Analysis) -> Laws:
        """Of gaps."""
        return _laws(analysis, slice(2, None))


def _of(name: str) -> str:
    return f" of {name}" if name else ""


def _packings(count: int) -> str:
    return f"{count} packing{'' if count == 1 else 's'}"


def _laws(analysis: Analysis, which: slice) -> Laws:
    """The laws of forces and gaps, of which a plot shows some."""
    data, found = analysis.data, analysis.indicators
    packings = data.pooled.packings if data.pooled is not None else 0
    # before the end, small forces and gaps do not follow power laws
    return Laws(_sampled(found, fitted=data.ended)[which], _sampled(data.pooled)[which], packings, data.ended)


def _sampled(found: PackingIndicators | PooledPackings | None, *, fitted: bool = True) -> tuple[Sampled, ...]:
    """Forces of extended contacts, forces of bucklers, and gaps."""
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
