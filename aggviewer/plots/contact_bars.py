"""Bars for how many discs have how many contacts: what the plots of aggregates and of packings share."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike, NDArray
from PyQt6.QtGui import QColor

from aggviewer.plots.plot import Drawn, Plot
from aggviewer.plots.runs import Look
from aggviewer.plots.view import Bounds
from aggviewer.style.theme import Colors

_WIDTH, _PAIRED_WIDTH = 0.72, 0.36  # of a bar
_PALE = 70  # alpha of the fill of a second variant, whose outline is full


class BarItems(NamedTuple):
    """What one run consists of."""

    bars: pg.BarGraphItem


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
        found = np.asarray(discs, np.float64)
        counts = np.zeros(len(self._places))
        counts[: min(len(found), self.last_bar)] = found[: self.last_bar]
        counts[self.last_bar] = np.sum(found[self.last_bar :])
        return counts

    def _as_bars(
        self,
        items: BarItems,
        shares: NDArray[np.float64],
        values: dict[str, str],
        bounds: Bounds | None = None,
        more: Callable[[int], str] = lambda index: "",
    ) -> Drawn:
        """The bars as high as these shares; more : what is said of a bar under the pointer beside its share."""
        items.bars.setOpts(height=shares)
        items.bars.show()

        def describe(index: int) -> str:
            name = f"{index} or more" if index == self.last_bar else str(index)
            return f"{name}: {100 * shares[index]:.1f} %{more(index)}"

        return Drawn(np.asarray(items.bars.opts["x"], np.float64), shares, describe, bounds, values)

    def _quantities(self, item: pg.BarGraphItem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        _, shares = super()._quantities(item)
        return self._places[: len(shares)].astype(np.float64), shares  # bars of two runs stand side by side
