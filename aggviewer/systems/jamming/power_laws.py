"""The plots of forces and gaps, of the packing that is shown or of all that have jammed with its settings: densities on
log axes, with the power laws of their small values."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QWidget

from aggviewer.plots.axes import log_or_gap, nice_above, nice_below, value_text
from aggviewer.plots.card import NOTHING, Drawn, PlotCard
from aggviewer.plots.runs import Look
from aggviewer.plots.table import Column
from aggviewer.plots.view import PlotView
from aggviewer.style.panel_theme import Theme
from aggviewer.systems.jamming.pool_button import PoolButton
from aggviewer.systems.jamming.series import Laws, Sampled

if TYPE_CHECKING:
    from engine.analysis import PowerLaw

_DASHES = (4.0, 3.0)
_POINT, _RING = 6, 7  # pixels
_MOST_DECADES = 9.0  # of an axis
_POOL_TIP = (
    "All packings of these settings that have jammed in this window, one for each seed, taken together.\n"
    "Shift+J jams the next seed. A session file keeps them."
)
_POOL_EMPTY = "No packing of these settings has jammed yet. Each that does is added; Shift+J jams the next seed."


class LawItems(NamedTuple):
    """What one run consists of: points and fits of the first density, and of a second one."""

    points: pg.PlotDataItem
    fit: pg.PlotDataItem
    more_points: pg.PlotDataItem
    more_fit: pg.PlotDataItem


class LawPlot(PlotCard):
    """Base: up to two densities, the first in dots, the second in rings. symbols: of the exponents; quantity: on the
    x axis; names: of the densities, for the mouse and tables. Emits `pooled_asked(on)`."""

    pooled_asked = pyqtSignal(bool)

    symbols: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    quantity = ""
    y_label = ""
    rising = True  # the density grows with x: its exponent is told as it is, else with the other sign
    least: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)  # always in view, log10

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        side = Qt.AlignmentFlag.AlignLeft
        view = PlotView(x_log=True, y_log=True, corner=Qt.AlignmentFlag.AlignBottom | side)
        view.set_labels(self.quantity, self.y_label)
        super().__init__(number, view, parent)
        self.pool_button = PoolButton(self)
        self.pool_button.setToolTip(_POOL_TIP)
        self.pool_button.clicked.connect(self.pooled_asked)
        self.head.insertWidget(self.head.indexOf(self.follow_button), self.pool_button)
        self._count()

    @property
    def pooled(self) -> bool:
        """Whether all packings are shown, not only the last one."""
        return self.pool_button.isChecked()

    def set_pooled(self, pooled: bool) -> None:
        """Show all packings, or the last one alone."""
        self.pool_button.setChecked(pooled)
        self.empty_text = _POOL_EMPTY if pooled else type(self).empty_text
        self._restyle()

    def set_data(self, data: Laws | None, run: int = 0) -> None:
        super().set_data(data, run)
        self._count()

    def values(self) -> dict[str, NDArray[np.float64]]:
        """Every value behind what is drawn, by name, for tables."""
        found = {}
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
        dots = [pg.PlotDataItem(pen=None, symbol="o") for _ in range(2)]
        fits = [pg.PlotDataItem() for _ in range(2)]
        items = LawItems(dots[0], fits[0], dots[1], fits[1])
        for item in items:
            self.view.addItem(item)
        return items

    def _style(self, items: LawItems, look: Look, theme: Theme) -> None:
        solid = look.first
        for points, filled in ((items.points, solid), (items.more_points, False)):
            points.setSymbolSize(_POINT if filled else _RING)
            points.setSymbolBrush(pg.mkBrush(look.colour if filled else None))
            points.setSymbolPen(pg.mkPen(None) if filled else self._pen(look.colour, 1.5))
        items.more_points.setSymbol("o" if look.alone else "t")
        items.fit.setPen(self._pen(theme.text if look.alone else look.colour, 1.5))
        dashed = self._pen(theme.text if look.alone else look.colour, 1.5)
        dashed.setDashPattern(list(_DASHES))
        items.more_fit.setPen(dashed)

    def _draw(self, items: LawItems, data: Laws) -> Drawn | None:
        xs, ys, words = [NOTHING], [NOTHING], list[str]()
        values: dict[str, str] = {}
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
        return Drawn(x, y, words.__getitem__, (left, right, low - 0.7 * (high - low), high + 0.1), values, note)

    def _value(self) -> str:
        text = super()._value()
        told = [data.packings for data, drawn in zip(self._data, self._drawn, strict=True) if data and drawn]
        if not (self.pooled and told):
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

    def _erase(self, items: LawItems) -> None:
        for item in items:
            item.setData([], [])


class ForcesPlot(LawPlot):
    """P(f / ⟨f⟩)."""

    title = "Forces"
    definition = (
        "<p>Density of the contact forces f over their mean, on log axes. Small forces follow power laws "
        "P(f) ∝ f<sup>θ</sup>.</p>"
        "<p><b>θ<sub>l</sub></b>, rings: contacts of bucklers, discs that only three contacts hold: pushed, they move "
        "alone. Theory: 0.17. <b>θ<sub>e</sub></b>, dots: all others; opening one moves the whole packing. Theory: "
        "0.42.</p><p>Lines: fits of maximum likelihood, of all f/⟨f⟩ up to the limit in brackets, with the error of "
        "the last digit and the number of contacts that they rest on. One packing tells exponents to a tenth or so: "
        "pool the packings of many seeds.</p>"
    )
    empty_text = "How contact forces are distributed, with the power laws of the small ones. Known once contacts carry."
    quantity, y_label = "f/⟨f⟩", "P(f/⟨f⟩)"
    symbols, names = ("θ<sub>e</sub>", "θ<sub>l</sub>"), ("extended, ", "bucklers, ")
    least = (-3.0, 1.0, -2.0, 0.5)
    columns: ClassVar = {
        "points": (Column("f/⟨f⟩"), Column("P(f/⟨f⟩), extended")),
        "fit": (Column("f/⟨f⟩"), Column("P(f/⟨f⟩), extended, by the fit")),
        "more_points": (Column("f/⟨f⟩"), Column("P(f/⟨f⟩), bucklers")),
        "more_fit": (Column("f/⟨f⟩"), Column("P(f/⟨f⟩), bucklers, by the fit")),
    }

    def _symbol(self, symbol: str) -> str:
        return f"{'●' if symbol == self.symbols[0] else '○'} {symbol}"


class GapsPlot(LawPlot):
    """P(h) of near pairs."""

    title = "Gaps"
    definition = (
        "<p>Density of the gaps h = (|r<sub>ij</sub>| - σ<sub>ij</sub>)/⟨σ⟩ between near discs that do not touch and "
        "are no rattlers, on log axes.</p>"
        "<p><b>γ</b>: small gaps follow P(h) ∝ h<sup>-γ</sup>. Theory: 0.41. Line: the fit, as for forces, of all h up "
        "to the limit in brackets, with the number of gaps that it rests on. Pool the packings of many seeds for more "
        "digits.</p>"
    )
    empty_text = (
        "How many pairs of discs nearly touch, with the power law of the small gaps. Known once contacts carry."
    )
    quantity, y_label = "gap h", "P(h)"
    symbols, names = ("γ",), ("",)
    rising = False
    least = (-5.0, 0.0, -1.0, 1.0)
    columns: ClassVar = {
        "points": (Column("gap h"), Column("P(h)")),
        "fit": (Column("gap h"), Column("P(h) by the fit")),
    }


def _packings(count: int) -> str:
    return f"{count} packing{'' if count == 1 else 's'}"
