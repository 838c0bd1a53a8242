"""The axis range that shows all data, on any scale."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from aggviewer.plots.axes import nice_below
from aggviewer.plots.drawing import NO_VALUES, Axes, Bounds, Floats, PlotSeries, together
from aggviewer.plots.scale import AxisScale, Scales

_ABOVE = 1.08  # upper limit of a linear axis over the largest value, for axes that are logarithmic by default
_NEAR_ZERO = 0.05  # share of the upper limit: a linear axis that would begin below it begins at 0
_LAWS = ("law", "guide", "question", "literature")  # roles of series that do not count as data


class DataRange:
    """The range of two axes: their scales, the bounds of the data, and space for something beside the data.

    Bounds are quantities, rounded outwards on the default scales of the axes. On other scales the limits follow from
    the data.

    Parameters
    ----------
    axes : with their default scales.
    series : the present series.
    """

    def __init__(self, axes: Axes, series: Callable[[], Iterable[PlotSeries]]) -> None:
        x_log, y_log = axes.logarithmic
        self._own, self._series = axes.logarithmic, series
        self.scales: Scales = (AxisScale(x_log), AxisScale(y_log))
        self.bounds: Bounds | None = None
        """Of the data."""
        self.room: Bounds | None = None
        """The bounds of what is shown beside them."""

    def set_logarithmic(self, axis: int, logarithmic: bool) -> None:
        """Set the scale of an axis, 0 for x and 1 for y, to logarithmic or linear."""
        across, up = self.scales
        self.scales = (AxisScale(logarithmic), up) if axis == 0 else (across, AxisScale(logarithmic))

    def whole(self) -> Bounds | None:
        """The bounds of the data and of what is beside them, as quantities; None if there is neither."""
        data, room = self.bounds, self.room
        if data is None and room is not None:  # with axes that begin at 0, or a decade before it
            return room[0] / 10.0 if self._own[0] else min(room[0], 0.0), *room[1:]
        return data if data is None or room is None else together((data, room))

    def least_positive(self, axis: int) -> float | None:
        """The smallest quantity above 0 that is drawn along an axis, None if there is none."""
        if self._own[axis]:
            return None if self.bounds is None else self.bounds[2 * axis]
        values = self._values(axis)
        positive = values[values > 0.0]
        return float(positive.min()) if len(positive) else None

    def shown(self, bounds: Bounds) -> Bounds:
        """The bounds in the coordinates of the axes."""
        ends: list[float] = []
        for axis, (scale, own) in enumerate(zip(self.scales, self._own, strict=True)):
            low, high = bounds[2 * axis], bounds[2 * axis + 1]
            if own and not scale.logarithmic:
                values = self._values(axis)
                high = min(high, _ABOVE * float(values.max())) if len(values) else high
                low = 0.0 if low < _NEAR_ZERO * high else low
            elif own:
                low, high = scale.coordinate(low), scale.coordinate(high)
            elif scale.logarithmic:
                least = self.least_positive(axis)
                high = float(np.log10(high)) if high > 0.0 else 0.0
                if low > 0.0:
                    low = float(np.log10(low))
                else:
                    low = high - 1.0 if least is None else min(nice_below(least), high - 1.0)
            ends += [low, high]
        return ends[0], ends[1], ends[2], ends[3]

    def _values(self, axis: int) -> Floats:
        """All data values along an axis, without laws."""
        series = [one for one in self._series() if one.role.name not in _LAWS]
        found: Floats = np.concatenate([NO_VALUES, *((one.x, one.y)[axis] for one in series)])
        return np.asarray(found[np.isfinite(found)])
