"""Axes, and the area between two of them in which a plot is drawn.

Axes have a scale, logarithmic ones with readable ticks in small plots, and ranges that show all data and do not jitter;
long histories are thinned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil, floor, inf, log10
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike, NDArray
from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QFont, QFontMetricsF
from PyQt6.QtWidgets import QGraphicsGridLayout, QGraphicsSceneResizeEvent, QSizePolicy

from aggviewer.plots.drawing import NO_VALUES, Axes, Bounds, PlotSeries, together
from aggviewer.style.numbers import linear_ticks, round_above, round_below
from engine.arrays import Floats
from engine.words import count, power_of_ten, times_power, typeset

_LINES_PER_LABEL = {"bottom": 2.7, "left": 1.35}  # space for a label, in text heights
_USUAL_LINE = 12.0  # pixels from line to line of the labels before a font is set
_STAND_OUT = 9  # pixels
_MINOR_PIXELS = 36  # least length of a decade that shows 2 … 9


def log_or_gap(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """log10 of values of any shape, NaN where undefined: a gap in the curve."""
    values = np.asarray(values, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(values > 0, np.log10(np.where(values > 0, values, 1.0)), np.nan)


def nice_below(value: float) -> float:
    """log10 of the largest of 1, 2, 5 times a power of ten that is at most `value` (> 0)."""
    return log10(round_below(value))


def nice_above(value: float) -> float:
    """log10 of the smallest of 1, 2, 5 times a power of ten that is at least `value` (> 0)."""
    return log10(round_above(value))


def round_decades(
    values: NDArray[np.float64],
    *,
    around: tuple[float, float] = (inf, -inf),
    margin: float = 0.0,
    span: float = 0.0,
) -> tuple[float, float]:
    """log10 of the limits of a logarithmic axis: 1, 2, 5 times a power of ten around all values above 0.

    Parameters
    ----------
    values : of any shape, in the unit of the axis.
    around : powers of ten that the axis always shows.
    margin : decades left free above the upper limit.
    span : least number of decades; additional ones are mostly below the values.
    """
    low, high = around
    found = values[np.isfinite(values) & (values > 0.0)]
    if len(found):
        low, high = min(low, nice_below(float(found.min()))), max(high, nice_above(float(found.max())) + margin)
    return min(low, high - span), high


def power_text(value: float, digits: int = 3) -> str:
    """`value` (> 0) as 3.6·10⁻⁴, a power of ten as 10⁻⁴, 1 and 10 as they are."""
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return power_of_ten(int(exponent)) if float(mantissa) == 1.0 else times_power(f"{float(mantissa):g}", int(exponent))


def value_text(value: float, digits: int = 3) -> str:
    """`value` (> 0) plain from 0.01 up to 9999, else as a power of ten."""
    if 1000 <= value < 9999.5:
        return count(value)
    return f"{value:.{digits}g}" if 0.0099 <= value < 1000 else power_text(value, digits)


class PlotAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis with a grid whose first and last labels may extend a little beyond it, as without a grid."""

    line = _USUAL_LINE
    _dressing = False  # the label is set when everything else is ready

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.autoSIPrefix = False  # the data may be logarithms, and the label gives the unit

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """The labels, with as many decimals as the spacing needs."""
        given: list[str] = super().tickStrings(values, scale, spacing)
        plain = [text for text in given if "e" in text]
        places = max((len(text.partition(".")[2]) for text in given), default=0)
        return [typeset(float(text), ".3g" if plain else f".{places}f") for text in given]

    @contextmanager
    def dressing(self) -> Iterator[None]:
        """Within the context, pens, fonts and label are set without updating the label each time."""
        self._dressing = True
        try:
            yield
        finally:
            self._dressing = False
            self._updateLabel()

    def _updateLabel(self) -> None:
        if not self._dressing:
            super()._updateLabel()
            self._fit_label()

    def resizeEvent(self, event: QGraphicsSceneResizeEvent | None = None) -> None:
        """Place the label."""
        super().resizeEvent(event)
        self._fit_label()

    def _fit_label(self) -> None:
        """Leave out the label of a low plot that is longer than its axis: it would run into that of another pane."""
        if self.orientation == "left" and self.label is not None:
            fits = self.label.boundingRect().width() <= self.size().height() + 2 * _STAND_OUT
            self.label.setVisible(bool(self.labelText) and fits)

    def set_tick_font(self, font: QFont) -> None:
        """Set the font of the labels, which determines how many fit."""
        self.line = QFontMetricsF(font).height()
        self.setTickFont(font)

    def boundingRect(self) -> QRectF:
        """Includes labels that extend beyond the axis."""
        rect: QRectF = super().boundingRect()
        if self.orientation in ("bottom", "top"):
            return rect.adjusted(-_STAND_OUT, 0, _STAND_OUT, 0)
        return rect.adjusted(0, -_STAND_OUT, 0, _STAND_OUT)


class LogAxis(PlotAxis):
    """An axis that shows log10 of a quantity (the plot itself stays linear), or an ordinary axis.

    Powers of ten are labelled, only every second or third if they are dense; 2 and 5 too if there is space and few
    powers are in view; ordinary round numbers if there are even fewer.
    """

    log = True
    """Whether it shows log10 of a quantity."""

    def set_log(self, log: bool) -> None:
        """Show log10 of a quantity, or the quantity itself."""
        self.log = log
        self.picture = None  # cached ticks
        self.update()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:
        """Spacings and ticks as pyqtgraph asks for them; a spacing of 0 is one without labels."""
        if not self.log:
            return super().tickValues(minVal, maxVal, size)  # type: ignore[no-any-return]
        low, high = sorted((minVal, maxVal))
        if not (high > low and size > 0):
            return []
        per_decade = size / (high - low)
        label_pixels = self.line * _LINES_PER_LABEL["bottom" if self.orientation in ("bottom", "top") else "left"]
        decades = list(range(floor(low), ceil(high) + 1))
        stride = max(1, ceil(label_pixels / per_decade))
        major = [float(d) for d in decades if d % stride == 0 and low - 1e-9 <= d <= high + 1e-9]
        steps = range(2, 10) if stride == 1 else ()
        minor = [d + log10(m) for d in decades for m in steps if low <= d + log10(m) <= high]
        if stride > 1:
            minor = [float(d) for d in decades if d % stride and low <= d <= high]
        crowded = per_decade * log10(2) < label_pixels
        if len(major) > 3 or (len(major) >= 2 and crowded):
            return [(1.0, major), (0.0, minor if per_decade >= _MINOR_PIXELS or stride > 1 else [])]
        every = [float(d) for d in decades if low <= d <= high]
        if len(every) >= 2 and per_decade * log10(2) < label_pixels / 2:
            return [(1.0, every), (0.0, [])]
        between = [d + log10(m) for d in decades for m in (2, 5) if low <= d + log10(m) <= high]
        if len(major) + len(between) >= 2:
            labelled = set(between)
            return [(1.0, sorted(major + between)), (0.0, [v for v in minor if v not in labelled])]
        values = linear_ticks(10.0**low, 10.0**high, max(2.0, size / (2 * label_pixels)))
        return [(1.0, [log10(value) for value in values if value > 0.0])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """The labels, all of them plain or all of them powers of ten."""
        if not self.log:
            return super().tickStrings(values, scale, spacing)
        if spacing == 0.0:
            return [""] * len(values)
        if all(-2 - 1e-9 < v < 4 - 1e-9 for v in values):
            return [typeset(10.0**v) for v in values]
        return [power_text(10.0**v) for v in values]  # one notation for the whole axis


def thin_history(time: NDArray[np.float64], limit: int = 1200) -> NDArray[np.intp]:
    """Ascending indices of at most about `limit` entries that show the same curve on log axes.

    time : (K,) ascending. M(t) and E(t) never increase, so a subset cannot miss a peak; it must be dense on the log
        axes: half of the entries are evenly spaced in log time, half in the logarithm of the number of remaining
        entries, which is log M for one entry per merge. The first and last are always included. O(limit log K).
    """
    total = len(time)
    if total <= limit:
        return np.arange(total)
    half = limit // 2
    first = int(np.searchsorted(time, 0.0, side="right"))  # a log axis has no place for t = 0
    parts = [np.array([0, total - 1]), total - 1 - np.unique(np.geomspace(1, total, half).astype(np.intp) - 1)]
    if first < total and time[-1] > time[first]:
        wanted = np.geomspace(time[first], time[-1], half)
        parts.append(np.clip(np.searchsorted(time, wanted), first, total - 1))
    return np.unique(np.concatenate(parts)).astype(np.intp)


FLOOR = -30.0
"""The coordinate of 0 on a logarithmic axis, if it must be shown."""


@dataclass(frozen=True)
class AxisScale:
    """The scale of one axis. logarithmic : whether log10 of a quantity is shown."""

    logarithmic: bool = False

    def show(self, values: ArrayLike) -> Floats:
        """Quantities, of any shape, as coordinates; nan if the logarithm is undefined."""
        given = np.asarray(values, np.float64)
        if not self.logarithmic:
            return given
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(given > 0.0, np.log10(np.where(given > 0.0, given, 1.0)), np.nan)

    def quantity(self, shown: float) -> float:
        """The value of the quantity at a coordinate of the axis, which is its logarithm on a logarithmic one."""
        return float(10.0**shown) if self.logarithmic else shown

    def coordinate(self, quantity: float) -> float:
        """The coordinate of a quantity; one without a logarithm is far below all others."""
        if not self.logarithmic:
            return quantity
        return float(np.log10(quantity)) if quantity > 0.0 else FLOOR


Scales = tuple[AxisScale, AxisScale]


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
        """The range of the data and of what is drawn around them, such as the fit range and references, as quantities;
        None if there is nothing."""
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

    def to_coordinates(self, bounds: Bounds) -> Bounds:
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
        """All data values along an axis, without those of curves that are laws."""
        series = [one for one in self._series() if one.role.name not in _LAWS]
        found: Floats = np.concatenate([NO_VALUES, *((one.x, one.y)[axis] for one in series)])
        return np.asarray(found[np.isfinite(found)])


_OVER_DATA = 0.5  # z value of an axis: above what is drawn at 0, as in pyqtgraph


class PlotArea(pg.GraphicsWidget):  # type: ignore[misc]
    """The bottom and left axes, and the view box with the items.

    It replaces `pyqtgraph.PlotItem`, which takes three times as long to create: that has two more axes, a title, a
    button and a menu of sixty widgets, none of which is used here.

    Parameters
    ----------
    x_log, y_log : whether an axis shows log10 of a quantity.
    """

    def __init__(self, x_log: bool, y_log: bool) -> None:
        super().__init__()
        self.items: list[Any] = []
        """The added items, in order."""
        self._axes = {"bottom": LogAxis("bottom"), "left": LogAxis("left")}
        self._box = pg.ViewBox(parent=self, enableMenu=False)
        self._box.disableAutoRange()  # the plot sets the range
        grid = QGraphicsGridLayout()
        grid.setHorizontalSpacing(0)
        grid.setVerticalSpacing(0)
        grid.addItem(self._box, 0, 1)
        for axis, log, place in zip(self._axes.values(), (x_log, y_log), ((1, 1), (0, 0)), strict=True):
            axis.set_log(log)
            axis.linkToView(self._box)
            axis.setZValue(_OVER_DATA)
            axis.setFlag(self.GraphicsItemFlag.ItemNegativeZStacksBehindParent)
            grid.addItem(axis, *place)
        self.setLayout(grid)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def getViewBox(self) -> Any:
        """The view box, a `pyqtgraph.ViewBox`."""
        return self._box

    def getAxis(self, name: str) -> LogAxis:
        """The axis ``"bottom"`` or ``"left"``."""
        return self._axes[name]

    def addItem(self, item: Any) -> None:
        """Add an item to the view box."""
        self.items.append(item)
        self._box.addItem(item, ignoreBounds=True)

    def removeItem(self, item: Any) -> None:
        """Remove an item, if it is there."""
        if item in self.items:
            self.items.remove(item)
            self._box.removeItem(item)
