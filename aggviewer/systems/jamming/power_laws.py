"""The plots of forces and gaps, of the packing that is shown or of all that have jammed with its settings: densities on
log axes, with the power laws of their small values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QSizePolicy, QToolButton, QWidget

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below, value_text
from aggviewer.plots.drawn import NOTHING, Drawn, Mark
from aggviewer.plots.error_bars import Errors, of_counts
from aggviewer.plots.plot import Plot
from aggviewer.plots.runs import Look
from aggviewer.plots.scaled import ScaledCurve
from aggviewer.plots.study_curves import StudyCurve
from aggviewer.plots.table import Column
from aggviewer.plots.view import Axes
from aggviewer.session.data import Analysis
from aggviewer.style.theme import Colors

if TYPE_CHECKING:
    from engine.analysis import Density, PackingIndicators, PooledPackings, PowerLaw

_DASHES = (4.0, 3.0)
_POINT, _RING = 6, 7  # pixels
_MOST_DECADES = 9.0  # of an axis
_POOLED = "pooled"  # the choice
_POOL_TIP = (
    "All packings of these settings that have jammed in this window, one for each seed, taken together.\n"
    "Shift+J jams the next seed. A session file keeps them."
)
_POOL_EMPTY = "No packing of these settings has jammed yet. Each that does is added; Shift+J jams the next seed."


class PoolButton(QToolButton):
    """A switch with a text for where there is room and a shorter one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._long = self._short = ""
        self.setCheckable(True)
        self.setProperty("switch", True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def set_texts(self, text: str, short: str) -> None:
        """What it says, at length and in short."""
        if (text, short) != (self._long, self._short):
            self._long, self._short = text, short
            self.setAccessibleName(text)
            self._fit()
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Room for the long text."""
        return self._hint(self._long)

    def minimumSizeHint(self) -> QSize:
        """Room for the short one."""
        return self._hint(self._short)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Say as much as there is room for."""
        self._fit()
        super().resizeEvent(event)

    def _fit(self) -> None:
        self.setText(self._long if self.width() >= self._hint(self._long).width() else self._short)

    def _hint(self, text: str) -> QSize:
        metrics, flag = self.fontMetrics(), Qt.TextFlag.TextShowMnemonic
        more = metrics.size(flag, text).width() - metrics.size(flag, self.text()).width()
        return super().sizeHint() + QSize(more, 0)


@dataclass(frozen=True)
class Sampled:
    """A density with the values (n,) behind it; None where there are none."""

    density: Density | None
    values: NDArray[np.float64]


@dataclass(frozen=True)
class Laws:
    """The densities of one plot: forces of extended contacts and forces of bucklers, or gaps alone.

    Parameters
    ----------
    own : of the packing that is shown.
    pooled : of all packings with its settings.
    packings : how many those are.
    ended : whether no linear program is left to be solved; before, the packing has no power laws of its own.
    """

    own: tuple[Sampled, ...]
    pooled: tuple[Sampled, ...]
    packings: int
    ended: bool


class LawItems(NamedTuple):
    """What one run consists of: points and fits of the first density, and of a second one."""

    points: pg.PlotDataItem
    fit: pg.PlotDataItem
    more_points: pg.PlotDataItem
    more_fit: pg.PlotDataItem


class LawPlot(Plot):
    """Base: up to two densities, the first in dots, the second in rings. symbols: of the exponents; quantity: on the
    x axis; names: of the densities, for the mouse and tables. One packing or all is a choice that both laws follow."""

    symbols: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    quantity = ""
    rising = True  # the density grows with x: its exponent is told as it is, else with the other sign
    least: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # always in view, log10

    def __init__(self, number: int, parent: QWidget | None = None, *, later: bool = False) -> None:
        super().__init__(number, parent, later=later)
        self.pool_button = PoolButton(self)  # in the head: a choice may be taken before there is more of the plot
        self.pool_button.setToolTip(_POOL_TIP)
        self.pool_button.clicked.connect(lambda on: self.choice_made.emit(_POOLED, on))
        self.head.insertWidget(self.head.indexOf(self.head.follow), self.pool_button)
        self._count()

    @property
    def pooled(self) -> bool:
        """Whether all packings are shown, not only the last one."""
        return self.pool_button.isChecked()

    def take_choice(self, name: str, value: Any) -> None:
        """All packings, or the last one alone."""
        if name == _POOLED:
            self.pool_button.setChecked(value)
            self.empty_text = _POOL_EMPTY if value else type(self).empty_text
            if self.made:
                self._restyle()

    def choices(self) -> dict[str, Any]:
        """See `Plot.choices`."""
        return {_POOLED: self.pooled}

    def set_data(self, data: Laws | None, run: int = 0) -> None:
        """See `Plot.set_data`."""
        super().set_data(data, run)
        self._count()

    def values(self) -> dict[str, NDArray[np.float64]]:
        """Every value behind what is drawn, by name, for tables."""
        found = super().values()
        for data, run in zip(self._data, self.runs, strict=True):
            of = "" if len(self.runs) == 1 else f", {run.name}"
            for sampled, name in zip(() if data is None else self._shown(data), self.names, strict=False):
                if len(sampled.values):
                    found[f"{self.quantity} ({name}all values{of}) [1]"] = sampled.values
        return found

    def _shown(self, data: Laws) -> tuple[Sampled, ...]:
        return data.pooled if self.pooled else data.own

    def _count(self) -> None:
        """How many packings there are, of each run."""
        counts = " | ".join(str(0 if data is None else data.packings) for data in self._data)
        self.pool_button.set_texts(f"All packings ({counts or 0})", f"All ({counts or 0})")

    def _new_items(self) -> LawItems:
        dots = [ScaledCurve(pen=None, symbol="o") for _ in range(2)]
        fits = [ScaledCurve() for _ in range(2)]
        return LawItems(dots[0], fits[0], dots[1], fits[1])

    def _style(self, items: LawItems, look: Look, theme: Colors) -> None:
        solid = look.first
        for points, filled in ((items.points, solid), (items.more_points, False)):
            points.setSymbolSize(_POINT if filled else _RING)
            points.setSymbolBrush(pg.mkBrush(look.colour if filled else None))
            points.setSymbolPen(pg.mkPen(None) if filled else self._pen(look.colour, 1.5))
        items.more_points.setSymbol("o" if look.alone else "t")
        items.fit.setPen(self._law_pen(look, 1.5))
        items.more_fit.setPen(self._law_pen(look, 1.5, _DASHES))

    def _draw(self, items: LawItems, data: Laws) -> Drawn | None:
        xs, ys, words = [NOTHING], [NOTHING], list[str]()
        values: dict[str, str] = {}
        errors: dict[str, Errors] = {}
        parts = ((items.points, items.fit), (items.more_points, items.more_fit))
        shown = self._shown(data)
        of = f" ({_packings(data.packings)})" if self.pooled else ""
        for place, (points, line) in enumerate(parts):
            density = shown[place].density if place < len(shown) else None
            if density is None or not density.density.any():
                points.setData([], [])
                line.setData([], [])
                continue
            seen = density.density > 0.0
            x = np.log10(np.sqrt(density.edges[1:] * density.edges[:-1])[seen])
            y = log_or_gap(density.density[seen])
            points.setData(x, y)
            xs.append(x)
            ys.append(y)
            words += [
                f"{self.names[place]}{self.quantity} = {value_text(float(10.0**a))}: {value_text(float(10.0**b))}{of}"
                for a, b in zip(x, y, strict=True)
            ]
            counts = np.maximum(np.rint(density.density * density.count * np.diff(density.edges))[seen], 1.0)
            height = density.density[seen]
            share = of_counts(counts, density.count) / counts
            errors[("points", "more_points")[place]] = Errors(x, height, height * share)
            self._law(line, density.fit)
            if density.fit is not None:
                values[self.symbols[place]] = self._in_words(density.fit)
        x, y = np.concatenate(xs), np.concatenate(ys)
        if not len(x):
            return None
        right = max(self.least[1], nice_above(10.0 ** float(x.max())))
        left = max(min(self.least[0], nice_below(10.0 ** float(x.min()))), right - _MOST_DECADES)
        low = min(self.least[2], nice_below(10.0 ** float(y.min())))
        high = max(self.least[3], nice_above(10.0 ** float(y.max())))
        fitted = self.pooled or data.ended
        note = "too few small values for a power law" if fitted else "power laws are fitted at the end"
        # room for the numbers below the points
        bounds = (left, right, low - 0.7 * (high - low), high + 0.1)
        return Drawn(x, y, words.__getitem__, bounds, values, note, errors=errors)

    def _value(self) -> str:
        text = super()._value()
        told = [data.packings for data, drawn in zip(self._data, self._drawn, strict=True) if data and drawn]
        if not (told and self.pooled):
            return text
        return f"{text}<br>{_packings(told[0]) if len(told) == 1 else f'{told[0]} and {told[1]} packings'}"

    def _law(self, line: pg.PlotDataItem, fit: PowerLaw | None) -> None:
        if fit is None:
            line.setData([], [])
            return
        ends = np.array([fit.low, fit.high])
        line.setData(np.log10(ends), np.log10(fit.amplitude * ends**fit.exponent))

    def _in_words(self, fit: PowerLaw) -> str:
        """Exponent with the error of its last digit, range and count; a narrow panel has room for no more."""
        exponent = fit.exponent if self.rising else -fit.exponent
        number = f"{exponent:.2f}({max(round(100.0 * fit.error), 1)})".replace("-", "−")
        if len(self.runs) > 1:  # there is no room for more
            return number
        return f"{number}</b> <small>(≤&nbsp;{value_text(fit.high, 1)},&nbsp;{fit.count})</small><b>"


class ForcesPlot(LawPlot):
    """P(f / ⟨f⟩)."""

    title = "Forces"
    definition = (
        "<p>Density of the contact forces $f$ over their mean, on log axes. Small forces follow power laws "
        r"$P(f) \propto f^\theta$.</p><p>$\theta_l$, rings: contacts of bucklers, discs that only three contacts "
        r"hold: pushed, they move alone. Theory: 0.17. $\theta_e$, dots: all others; opening one moves the whole "
        r"packing. Theory: 0.42.</p><p>Lines: fits of maximum likelihood, of all $f/\langle f\rangle$ up to the limit "
        "in brackets, with the error of the last digit and the number of contacts that they rest on. One packing "
        "tells exponents to a tenth or so: pool the packings of many seeds.</p>"
    )
    empty_text = "How contact forces are distributed, with the power laws of the small ones. Known once contacts carry."
    quantity = "f/⟨f⟩"
    axes = Axes("f/⟨f⟩", "P(f/⟨f⟩)", x_log=True, y_log=True, corner="bottom left")
    marks: ClassVar = {"θ<sub>e</sub>": Mark("●"), "θ<sub>l</sub>": Mark("○")}
    symbols, names = ("θ<sub>e</sub>", "θ<sub>l</sub>"), ("extended, ", "bucklers, ")
    least = (-3.0, 1.0, -2.0, 0.5)
    columns: ClassVar = {
        "points": (Column("f/⟨f⟩"), Column("P(f/⟨f⟩), extended")),
        "fit": (Column("f/⟨f⟩"), Column("P(f/⟨f⟩), extended, by the fit")),
        "more_points": (Column("f/⟨f⟩"), Column("P(f/⟨f⟩), bucklers")),
        "more_fit": (Column("f/⟨f⟩"), Column("P(f/⟨f⟩), bucklers, by the fit")),
    }
    study_curves: ClassVar = {
        "points": StudyCurve("packing.extended_forces", counted=True),
        "more_points": StudyCurve("packing.buckler_forces", counted=True),
    }
    indicators = frozenset()

    @classmethod
    def prepare(cls, analysis: Analysis) -> Laws:
        """See `Plot.prepare`."""
        return _laws(analysis, slice(2))


class GapsPlot(LawPlot):
    """P(h) of near pairs."""

    title = "Gaps"
    definition = (
        r"<p>Density of the gaps $h = (|r_{ij}| - \sigma_{ij}) / \langle\sigma\rangle$ between near discs that do not "
        r"touch and are no rattlers, on log axes.</p><p>$\gamma$: small gaps follow $P(h) \propto h^{-\gamma}$. "
        "Theory: 0.41. Line: the fit, as for forces, of all $h$ up to the limit in brackets, with the number of gaps "
        "that it rests on. Pool the packings of many seeds for more digits.</p>"
    )
    empty_text = (
        "How many pairs of discs nearly touch, with the power law of the small gaps. Known once contacts carry."
    )
    quantity = "gap h"
    axes = Axes("gap h", "P(h)", x_log=True, y_log=True, corner="bottom left")
    symbols, names = ("γ",), ("",)
    rising = False
    least = (-5.0, 0.0, -1.0, 1.0)
    columns: ClassVar = {
        "points": (Column("gap h"), Column("P(h)")),
        "fit": (Column("gap h"), Column("P(h) by the fit")),
    }
    study_curves: ClassVar = {"points": StudyCurve("packing.gaps", counted=True)}
    indicators = frozenset()

    @classmethod
    def prepare(cls, analysis: Analysis) -> Laws:
        """See `Plot.prepare`."""
        return _laws(analysis, slice(2, None))


def _packings(count: int) -> str:
    return f"{count} packing{'' if count == 1 else 's'}"


def _laws(analysis: Analysis, which: slice) -> Laws:
    """The laws of forces and gaps, of which a plot shows some."""
    data, found = analysis.data, analysis.indicators
    packings = data.pooled.packings if data.pooled is not None else 0
    # before the end small forces and gaps are those of a chain under way: no power law
    return Laws(_sampled(found, fitted=data.ended)[which], _sampled(data.pooled)[which], packings, data.ended)


def _sampled(found: PackingIndicators | PooledPackings | None, *, fitted: bool = True) -> tuple[Sampled, ...]:
    """Forces of extended contacts and of bucklers, gaps."""
    if found is None:
        return (Sampled(None, NOTHING),) * 3
    values = found.samples
    parts = (
        (found.extended_forces, values.extended),
        (found.buckler_forces, values.bucklers),
        (found.gaps, values.gaps),
    )
    return tuple(
        Sampled(density if fitted or density is None else replace(density, fit=None), some) for density, some in parts
    )
