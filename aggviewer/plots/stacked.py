"""Two plots of the same x, one over the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.plot import NOTHING, Drawn, Plot, together
from aggviewer.plots.view import Axes, Bounds, PlotView


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
        self.views = (self.view, self.lower_view)
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
