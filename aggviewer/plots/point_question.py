"""A question for a point in a plot: at a given x, the user clicks a y."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aggviewer.plots.card import PlotCard
from aggviewer.plots.drawing import QUESTION, PlotSeries

_BESIDE = 1.26  # right limit of the range over x, on a logarithmic axis
_MORE = 0.1  # distance from x to the right limit, on a linear axis


class PointQuestion:
    """A line at `x` in a plot; a click sets y, which is marked until `clear`.

    Parameters
    ----------
    card : the plot.
    x : as a quantity of the axis.
    take : called with the y of a click, as a quantity.
    low, high : the limits of y; the plot shows them even without data.
    """

    def __init__(
        self,
        card: PlotCard,
        x: float,
        take: Callable[[float], None],
        low: float | None = None,
        high: float | None = None,
    ) -> None:
        self._card, self._view, self._take, self._x, self._open = card, card.view, take, x, True
        for axis, log in enumerate(self._view.axes.logarithmic):
            card.set_logarithmic(0, axis, log)
        card.show_question(self._line())
        self._view.clicked.connect(self._clicked)
        x_log, y_log = self._view.logarithmic
        ends = [y for y in (low, high) if y is not None and (y > 0.0 or not y_log)]
        if ends:
            self._view.set_room((x, x * _BESIDE if x_log else x + _MORE, min(ends), max(ends)))

    def show(self, y: float) -> None:
        """Mark a y."""
        if y > 0.0 or not self._view.logarithmic[1]:
            mark = PlotSeries("answer", np.array([self._x]), np.array([y]), "points", QUESTION, shared=True)
            self._card.show_question([*self._line(), mark])

    def end(self) -> None:
        """Stop taking clicks; the mark stays."""
        if self._open:
            self._open = False
            self._view.clicked.disconnect(self._clicked)

    def clear(self) -> None:
        """Remove line and mark."""
        self.end()
        self._view.set_room(None)
        self._card.show_question([])

    def _line(self) -> list[PlotSeries]:
        return [PlotSeries("question", np.array([self._x]), np.empty(0), "upright", QUESTION, shared=True)]

    def _clicked(self, _x: float, y: float) -> None:
        self.show(y)
        self._take(y)
