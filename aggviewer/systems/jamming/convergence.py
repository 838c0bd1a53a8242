"""The plot of how a chain of linear programs converges: growth and displacement above, gap to isostaticity below."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, floor, log10
from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from aggviewer.plots.axes import log_or_gap, nice_above, power_text
from aggviewer.plots.card import NOTHING, Drawn, PlotCard
from aggviewer.plots.runs import Look, looks
from aggviewer.plots.table import Column
from aggviewer.plots.view import Bounds, PlotView
from aggviewer.style.panel_theme import Theme
from aggviewer.systems.jamming.series import Programs

_FEWEST = 20  # programs that the axis has room for
_BROKEN = (9.0, 2.0)
_FIRST = 6  # pixels, the dot of a first program
_MARGIN = 0.15  # decades that the range keeps free


class ProgramItems(NamedTuple):
    """What one run consists of: two curves above, one below."""

    displacement: pg.PlotDataItem
    inflation: pg.PlotDataItem
    gap: pg.PlotDataItem


@dataclass(frozen=True)
class DrawnPrograms(Drawn):
    """gap (K,): to isostaticity, NaN where there is none; why: of the last one, where it is more than 0; gap_bounds:
    what shows all of it."""

    gap: NDArray[np.float64] = field(default_factory=lambda: NOTHING)
    why: str = ""
    gap_bounds: Bounds = (0.0, 1.0, 0.0, 1.0)


class JamConvergencePlot(PlotCard):
    """√Γ - 1, max |s| and the gap to isostaticity, program by program."""

    title = "Convergence"
    definition = (
        "<p>Each linear program finds the greatest growth of all discs, and displacements s that make room for it.</p>"
        "<p><b>√Γ - 1</b> (bold): growth of the radii in a program. <b>max |s|</b> (thin): largest displacement of a "
        "disc that is no rattler, in mean diameters. Both below their tolerance (dashed): jammed.</p>"
        "<p><b>Gap to isostaticity</b>: contacts N<sub>c</sub> less 2 (N<sub>s</sub> - 1) + 1 of N<sub>s</sub> discs "
        "that are held, 2 N<sub>s</sub> + 1 between walls. At 0 the forces follow from the contacts alone.</p>"
        "<p><b>Extra self-stress</b>: a packing that ends above 0 has patches whose contacts can press and pull on "
        "each other without any disc feeling it, as the twelve of a disc in a ring of six equal ones. They have "
        "another colour in the force network.</p>"
    )
    empty_text = "Growth and displacement in each linear program, and how far the contacts are from isostatic."
    columns: ClassVar = {
        "inflation": (Column("program"), Column("√Γ - 1")),
        "displacement": (Column("program"), Column("max |s|", "⟨σ⟩")),
        "gap": (Column("program"), Column("N_c - iso.")),
    }

    def __init__(self, number: int, parent: QWidget | None = None) -> None:
        corner = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft
        view = PlotView(x_log=False, y_log=True, corner=corner, names_x=False)
        view.set_labels("", "growth, shift")
        super().__init__(number, view, parent)
        late = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight  # where the gap has come close to 0
        self.gap_view = PlotView(x_log=False, y_log=False, corner=late)
        self.gap_view.set_labels("program", "iso. gap")
        self.gap_view.setAccessibleName("Gap to isostaticity")
        self.gap_view.describe = self._describe
        self.views = (view, self.gap_view)
        self.tolerances = tuple(pg.InfiniteLine(0.0, 0) for _ in range(2))
        self.isostatic = pg.InfiniteLine(0.0, 0)
        for line, on in zip((*self.tolerances, self.isostatic), (view, view, self.gap_view), strict=True):
            line.hide()
            on.addItem(line)
        view.setMinimumHeight(96)
        self.gap_view.setMinimumHeight(88)
        self.gap_view.getPlotItem().getViewBox().setXLink(view.getPlotItem().getViewBox())
        for one, other in ((view, self.gap_view), (self.gap_view, view)):
            one.following_changed.connect(lambda on, other=other: other.follow() if on else other.hold())
        self.content.setStretch(0, 3)
        self.content.addWidget(self.gap_view, 2)
        self._compose()

    def set_theme(self, theme: Theme) -> None:
        self.gap_view.set_theme(theme)
        dashed, dotted = self._pen(theme.muted, 1.0), self._pen(theme.muted, 1.0)
        dashed.setStyle(Qt.PenStyle.DashLine)
        dotted.setStyle(Qt.PenStyle.DotLine)
        for line in self.tolerances:
            line.setPen(dashed)
        self.isostatic.setPen(dotted)
        super().set_theme(theme)

    def _new_items(self) -> ProgramItems:
        items = ProgramItems(*(pg.PlotDataItem(connect="finite") for _ in ProgramItems._fields))
        for item, view in zip(items, self._views_of_items, strict=True):
            view.addItem(item)
        return items

    @property
    def _views_of_items(self) -> tuple[PlotView, ...]:
        return self.view, self.view, self.gap_view

    def _remove(self, items: ProgramItems) -> None:
        for item, view in zip(items, self._views_of_items, strict=True):
            view.removeItem(item)

    def _style(self, items: ProgramItems, look: Look, theme: Theme) -> None:
        dashes = _BROKEN if look.broken else ()
        items.inflation.setPen(self._line(look, dashes))
        items.displacement.setPen(self._pen(theme.text if look.alone else look.colour, 1.0))
        items.gap.setPen(self._line(look, dashes))
        for item in items:
            item.setSymbolSize(_FIRST)
            item.setSymbolPen(pg.mkPen(None))
            item.setSymbolBrush(pg.mkBrush(theme.text if item is items.displacement and look.alone else look.colour))

    def _draw(self, items: ProgramItems, data: Programs) -> DrawnPrograms:
        x, gap = data.number, data.isostatic_gap
        inflation, displacement = log_or_gap(data.inflation), log_or_gap(data.displacement)
        for item, y in zip(items, (displacement, inflation, gap), strict=True):
            item.setSymbol("o" if len(x) == 1 and np.isfinite(y[0]) else None)  # one program is no line yet
            item.setData(x, y)
        tolerances = sorted({log10(data.tolerance_inflation), log10(data.tolerance_displacement)})
        for line, at in zip(self.tolerances, (*tolerances, *tolerances), strict=False):
            line.setPos(at)
        finite = np.concatenate([y[np.isfinite(y)] for y in (inflation, displacement)])
        low = min([floor(tolerances[0]), *finite.tolist()]) - 1.0
        high = max([0.0, *finite.tolist()])
        right = 10.0 ** nice_above(max(float(x[-1]), _FEWEST))
        known = gap[np.isfinite(gap)]
        deepest, highest = float(known.min(initial=0.0)), float(known.max(initial=0.0))
        room = 0.15 * max(highest - deepest, 10.0)
        values = {"√Γ - 1": _text(float(data.inflation[-1])), "max |s|": _text(float(data.displacement[-1]))}
        return DrawnPrograms(
            x,
            inflation,
            lambda index: _in_words(data, index),
            (0.0, right, floor(low), ceil(high) + _MARGIN),
            values,
            gap=gap,
            why=data.why,
            gap_bounds=(0.0, right, deepest - room, highest + room),
        )

    def _erase(self, items: ProgramItems) -> None:
        for item in items:
            item.setData([], [])

    def _symbol(self, symbol: str) -> str:
        one = looks(self.runs, self.theme)[0]
        colour = one.colour if one.alone else self.theme.text
        return f'<span style="color:{colour}">━━</span> {symbol}' if symbol == "√Γ - 1" else f"── {symbol}"

    def _compose(self) -> None:
        super()._compose()
        drawn = [one for one in self._drawn if isinstance(one, DrawnPrograms)]
        self.gap_view.setVisible(bool(drawn))
        for line in (*self.tolerances, self.isostatic):
            line.setVisible(bool(drawn))
        self.gap_view.set_points(
            np.concatenate([NOTHING, *(one.x for one in drawn)]), np.concatenate([NOTHING, *(one.gap for one in drawn)])
        )
        if drawn:
            x0, x1, y0, y1 = zip(*(one.gap_bounds for one in drawn), strict=True)
            self.gap_view.set_bounds((min(x0), max(x1), min(y0), max(y1)))
        self.gap_view.set_value(self._gap_text())

    def _gap_text(self) -> str:
        """Of all runs, as the numbers of the plot above."""
        words = ["N<sub>c</sub> - iso."]
        for one, look in zip(self._drawn, looks(self.runs, self.theme), strict=True):
            if isinstance(one, DrawnPrograms) and np.isfinite(one.gap).any():
                number = f"<b>{_signed(float(one.gap[np.isfinite(one.gap)][-1]))}</b>"
                why = f": {one.why.replace(' in ', '<br>in ', 1)}" if one.why and look.alone else ""
                words.append(f"= {number}{why}" if look.alone else f"{look.swatch}&nbsp;{number}")
        return " ".join(words) if len(words) > 1 else ""


def _text(value: float) -> str:
    if not np.isfinite(value):
        return "–"
    return power_text(value, 2) if value > 0.0 else "0"  # radii give way to rounding: no growth


def _signed(value: float) -> str:
    return f"{value:.0f}".replace("-", "−")


def _in_words(data: Programs, index: int) -> str:
    words = (
        f"program {data.number[index]:.0f}: √Γ - 1 = {_text(float(data.inflation[index]))}, "
        f"max |s| = {_text(float(data.displacement[index]))}"
    )
    gap = float(data.isostatic_gap[index])
    return f"{words}, gap {_signed(gap)}" if np.isfinite(gap) else words
