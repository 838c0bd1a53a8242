"""A place in a plot that a person is asked for: at a given x, the y is set by a click."""

from __future__ import annotations

from collections.abc import Callable
from math import log10

import pyqtgraph as pg
from PyQt6.QtCore import Qt

from aggviewer.plots.plot import Plot

_BESIDE = 0.1  # in plot coordinates, to the right of the line


class PointQuestion:
    """A line at `x` in a plot; a click gives the y, which a mark shows until `clear`.

    Parameters
    ----------
    card : the plot.
    x : in the quantity of its axis.
    take : called with the y of a click, in its quantity.
    low, high : the least and greatest y that can be given: the plot shows them, also where it has no data yet.
    """

    def __init__(
        self,
        card: Plot,
        x: float,
        take: Callable[[float], None],
        low: float | None = None,
        high: float | None = None,
    ) -> None:
        self.card = card
        self._view, self._take, self._open = card.view, take, True
        for axis, log in enumerate(card.view.logarithmic):
            card.set_logarithmic(0, axis, log)
        x_log, self._y_log = card.view.logarithmic
        self._x = log10(x) if x_log else x
        pen = pg.mkPen(card.theme.accent, width=1.5, style=Qt.PenStyle.DashLine)
        self._line = pg.InfiniteLine(self._x, angle=90, pen=pen)
        self._mark = pg.ScatterPlotItem(
            size=12, symbol="d", pen=pg.mkPen(card.theme.accent, width=2), brush=pg.mkBrush(None)
        )
        for item in (self._line, self._mark):
            item.setZValue(90)
            self._view.addItem(item)
        self._view.scene().sigMouseClicked.connect(self._clicked)
        ends = [log10(y) if self._y_log else y for y in (low, high) if y is not None and (y > 0.0 or not self._y_log)]
        if ends:
            self._view.set_room((self._x, self._x + _BESIDE, min(ends), max(ends)))

    def show(self, y: float) -> None:
        """Mark a y."""
        if y > 0.0 or not self._y_log:
            self._mark.setData([self._x], [log10(y) if self._y_log else y])

    def end(self) -> None:
        """No more clicks; the mark stays."""
        if self._open:
            self._open = False
            self._view.scene().sigMouseClicked.disconnect(self._clicked)

    def clear(self) -> None:
        """Take line and mark away."""
        self.end()
        self._view.set_room(None)
        for item in (self._line, self._mark):
            self._view.removeItem(item)

    def _clicked(self, event: object) -> None:
        button, place = event.button(), event.scenePos()  # type: ignore[attr-defined]
        box = self._view.getPlotItem().getViewBox()
        if button == Qt.MouseButton.LeftButton and box.sceneBoundingRect().contains(place):
            y = float(box.mapSceneToView(place).y())
            value = 10.0**y if self._y_log else y
            self.show(value)
            self._take(value)
