"""Bases for plots of usual shapes: one curve, a histogram, bars for contacts, two plots over the same x."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike, NDArray
from PyQt6.QtGui import QColor

from aggviewer.plots.drawn import NOTHING, Drawn
from aggviewer.plots.plot import Plot
from aggviewer.plots.references import Floats
from aggviewer.plots.runs import Look
from aggviewer.plots.scaled import ScaledCurve
from aggviewer.plots.study_curves import Discs, Shown
from aggviewer.plots.view import Axes, Bounds, PlotView, together
from aggviewer.style.theme import Colors

_FILL = 90  # alpha under the steps of a single run
_WIDTH, _PAIRED_WIDTH = 0.72, 0.36  # of a bar
_PALE = 70  # alpha of the fill of a second variant, whose outline is full


class CurveData(NamedTuple):
    """What a curve shows: x, y (K,)."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]


class CurveItems(NamedTuple):
    """What one run consists of."""

    curve: pg.PlotDataItem


class CurvePlot(Plot):
    """Base: a run is one curve, with gaps where it has no value."""

    def _new_items(self) -> CurveItems:
        return CurveItems(ScaledCurve(connect="finite"))

    def _style(self, items: CurveItems, look: Look, theme: Colors) -> None:
        items.curve.setPen(self._line(look))


class StepItems(NamedTuple):
    """What one run consists of."""

    steps: pg.PlotDataItem


class StepsPlot(Plot):
    """Base: the steps of a single run are filled down to `floor`, in plot coordinates; those of two are lines."""

    floor = 0.0

    def _new_items(self) -> StepItems:
        return StepItems(ScaledCurve(stepMode="center"))

    def _style(self, items: StepItems, look: Look, theme: Colors) -> None:
        fill = QColor(look.colour)
        fill.setAlpha(_FILL)
        items.steps.setPen(pg.mkPen(None) if look.alone else self._line(look))
        items.steps.setFillLevel(self.floor if look.alone else None)
        items.steps.setBrush(pg.mkBrush(fill) if look.alone else None)


class BarItems(NamedTuple):
    """What one run consists of."""

    bars: pg.BarGraphItem


def shares_in_bars(last_bar: int) -> Shown:
    """Of the curve of a study: numbers of discs with 0, 1, … contacts, as shares in these bars."""

    def shown(contacts: Floats, counts: Floats, discs: Discs) -> tuple[Floats, Floats]:
        binned = in_bars(counts, last_bar)
        return np.arange(last_bar + 1.0), binned / max(1.0, float(binned.sum()))

    return shown


def in_bars(discs: ArrayLike, last_bar: int) -> Floats:
    """Numbers of discs by bar (last_bar + 1,), of numbers by contacts: all from the last bar on stand in it."""
    found = np.asarray(discs, np.float64)
    counts = np.zeros(last_bar + 1)
    counts[: min(len(found), last_bar)] = found[:last_bar]
    counts[last_bar] = np.sum(found[last_bar:])
    return counts


class ContactBarsPlot(Plot):
    """Share of the discs with 0, 1, … contacts; `last_bar` and more stand in one bar."""

    last_bar: int
    ticks: ClassVar[tuple[tuple[float, ...], tuple[float, ...]]]
    """Shares that are labelled, and those that have a line alone."""

    def _set_up(self) -> None:
        self._places = np.arange(self.last_bar + 1)
        names = [str(k) for k in self._places[:-1]] + [f"≥ {self.last_bar}"]
        item = self.view.getPlotItem()
        item.getAxis("bottom").setTicks([list(zip(self._places.tolist(), names, strict=True))])
        labelled, lines = self.ticks
        item.getAxis("left").setTicks([[(v, f"{100 * v:.0f} %") for v in labelled], [(v, "") for v in lines]])

    def _new_items(self) -> BarItems:
        return BarItems(pg.BarGraphItem(x=self._places, height=np.zeros(len(self._places)), width=_WIDTH))

    def _style(self, items: BarItems, look: Look, theme: Colors) -> None:
        side = 0.0 if look.alone else -0.5 if look.first else 0.5  # of a pair of bars
        fill = QColor(look.colour)
        if look.broken:
            fill.setAlpha(_PALE)
        items.bars.setOpts(
            x=self._places + side * _PAIRED_WIDTH,
            width=_WIDTH if look.alone else _PAIRED_WIDTH,
            brush=pg.mkBrush(fill),
            pen=self._pen(look.colour, 1) if look.broken else pg.mkPen(None),
        )

    def _binned(self, discs: ArrayLike) -> NDArray[np.float64]:
        """Numbers of discs by bar, of numbers by contacts."""
        return in_bars(discs, self.last_bar)

    def _as_bars(
        self,
        items: BarItems,
        counts: NDArray[np.float64],
        values: dict[str, str],
        bounds: Bounds | None = None,
        more: Callable[[int], str] = lambda index: "",
    ) -> Drawn:
        """Bars for the shares of these numbers of discs. They have no errors: contacts of neighbours depend on each
        other, so the shares vary about half as much as those of independent discs.

        more : what is said of a bar under the pointer beside its share.
        """
        total = max(1.0, float(counts.sum()))
        shares = counts / total
        items.bars.setOpts(height=shares)
        items.bars.show()
        x = np.asarray(items.bars.opts["x"], np.float64)

        def describe(index: int) -> str:
            name = f"{index} or more" if index == self.last_bar else str(index)
            return f"{name}: {100 * shares[index]:.1f} %{more(index)}"

        return Drawn(x, shares, describe, bounds, values)

    def _quantities(self, item: pg.BarGraphItem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        _, shares = super()._quantities(item)
        return self._places[: len(shares)].astype(np.float64), shares  # bars of two runs stand side by side


@dataclass(frozen=True)
class DrawnTwice(Drawn):
    """lower_y (K,): the points of the lower plot, at the same x; lower_bounds: what shows all of them."""

    lower_y: NDArray[np.float64] = field(default_factory=lambda: NOTHING)
    lower_bounds: Bounds = (0.0, 1.0, 0.0, 1.0)


class StackedPlot(Plot):
    """Base. `axes` without a label of x are those of the upper plot. One that is held or follows takes the other along;
    the lower one is hidden while nothing is drawn."""

    lower_axes = Axes("", "")
    lower_name = ""
    lower_fields: ClassVar[frozenset[str]] = frozenset()
    """Fields of `_new_items` that are drawn in the lower plot."""
    least_heights: ClassVar[tuple[int, int]] = (80, 96)
    """Pixels, of the upper and of the lower plot."""
    shares: ClassVar[tuple[int, int]] = (1, 1)
    """Of the height that there is more."""
    stretch = 2

    def _set_up(self) -> None:
        self.lower_view = PlotView(self.lower_axes)
        self.lower_view.setAccessibleName(self.lower_name)
        self.lower_view.describe = self._describe
        self._views = (self.view, self.lower_view)
        for place, (view, height, share) in enumerate(zip(self.views, self.least_heights, self.shares, strict=True)):
            view.setMinimumHeight(height)
            if view is self.lower_view:
                self.content.addWidget(view)
            self.content.setStretch(place, share)
        upper, lower = self.views
        lower.getPlotItem().getViewBox().setXLink(upper.getPlotItem().getViewBox())
        for one, other in ((upper, lower), (lower, upper)):
            one.following_changed.connect(lambda on, other=other: other.follow() if on else other.hold())

    def _view_of(self, field: str) -> PlotView:
        return self.lower_view if field in self.lower_fields else self.view

    def _compose(self) -> None:
        super()._compose()
        drawn = [one for one in self._drawn if isinstance(one, DrawnTwice)]
        self.lower_view.setVisible(bool(drawn))
        clicks = [np.zeros(len(one.x), bool) if one.clickable is None else one.clickable for one in drawn]
        self.lower_view.set_points(
            np.concatenate([NOTHING, *(one.x for one in drawn)]),
            np.concatenate([NOTHING, *(one.lower_y for one in drawn)]),
            np.concatenate(clicks) if clicks else None,
        )
        if drawn:
            self.lower_view.set_bounds(together(one.lower_bounds for one in drawn))
