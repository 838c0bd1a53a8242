"""The pyqtgraph items of series: one class for each kind, updated in place."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtGui import QColor, QFont, QPen

from aggviewer.plots.area import PlotArea
from aggviewer.plots.drawing import Floats, PlotSeries
from aggviewer.plots.scale import FLOOR, Scales
from aggviewer.plots.series_style import SeriesStyle, ShownSeries

_FAR = 9.0  # decades below a value whose error is as large as itself
_WIDTH, _PAIRED_WIDTH = 0.72, 0.36  # of a bar
_LABEL_ALONG = 0.04  # position of the label along a level line
_LABEL_UP = 0.99  # and its height beside an upright one


class SeriesItems(Protocol):
    """The items of one series."""

    @property
    def graphics(self) -> Sequence[Any]:
        """All items, from bottom to top."""
        ...

    def dress(self, style: SeriesStyle, ratio: float) -> None:
        """Set pens and markers. ratio : device pixels per pixel."""
        ...

    def place(self, series: PlotSeries, scales: Scales) -> None:
        """Show these data on these scales."""
        ...


def items_for(series: PlotSeries) -> SeriesItems:
    """New items for a series."""
    if series.kind == "bars":
        return BarItems()
    if series.kind == "band":
        return BandItems()
    if series.kind in ("level", "upright"):
        return LineItems()
    return CurveItems(with_errors=series.error is not None)


def form_of(series: PlotSeries) -> tuple[str, bool]:
    """Series of the same form can use the same items; ``line`` and ``points`` are the same form."""
    return "line" if series.kind == "points" else series.kind, series.error is not None


class _Drawn(NamedTuple):
    """A series as it is currently drawn."""

    shown: ShownSeries
    items: SeriesItems
    graphics: tuple[Any, ...]


class DrawnSeries:
    """The series drawn in `area`, by id."""

    def __init__(self, area: PlotArea) -> None:
        self._area = area
        self._drawn: dict[Hashable, _Drawn] = {}
        self._font = QFont()

    @property
    def shown(self) -> dict[Hashable, ShownSeries]:
        """The drawn series."""
        return {name: one.shown for name, one in self._drawn.items()}

    def show(self, shown: Sequence[ShownSeries], scales: Scales, ratio: float) -> None:
        """Draw exactly these series. A series already drawn under the same id is updated in place, and left alone if
        object and style are the same. ratio : see `SeriesItems.dress`."""
        wanted = {one.id for one in shown}
        for gone in [one for one in self._drawn if one not in wanted]:
            self._take_away(self._drawn.pop(gone))
        for one in shown:
            before = self._drawn.get(one.id)
            if before is not None and form_of(before.shown.series) != form_of(one.series):
                self._take_away(before)
                before = None
            if before is None or before.shown != one:
                self._drawn[one.id] = self._updated(before, one, scales, ratio)

    def write_in(self, font: QFont) -> None:
        """Set the font of the labels of lines."""
        self._font = font
        for one in self._drawn.values():
            self._write(one.items)

    def _write(self, items: SeriesItems) -> None:
        if isinstance(items, LineItems):
            items.write_in(self._font)

    def place_anew(self, scales: Scales) -> None:
        """Draw the same series on other scales."""
        for one in self._drawn.values():
            one.items.place(one.shown.series, scales)

    def _updated(self, before: _Drawn | None, one: ShownSeries, scales: Scales, ratio: float) -> _Drawn:
        items = items_for(one.series) if before is None else before.items
        dressed = before is None or before.shown.style != one.style
        if dressed:
            items.dress(one.style, ratio)
        if dressed or before is None or before.shown.series is not one.series:
            items.place(one.series, scales)
        self._write(items)
        graphics, old = tuple(items.graphics), () if before is None else before.graphics
        for item in old:
            if item not in graphics:
                self._area.removeItem(item)
        for item in graphics:
            if item not in old or before is None or before.shown.z != one.z:
                item.setZValue(one.z)
            if item not in old:
                self._area.addItem(item)
        return _Drawn(one, items, graphics)

    def _take_away(self, drawn: _Drawn) -> None:
        for item in drawn.graphics:
            self._area.removeItem(item)


def shown_points(series: PlotSeries, style: SeriesStyle, scales: Scales) -> tuple[Floats, Floats]:
    """The coordinates of the points of a series, x and y (K,); nan for points not shown."""
    x, y = scales
    return x.show(series.middle + 0.5 * style.side * _PAIRED_WIDTH), y.show(series.y)


def plot_pen(style: SeriesStyle, ratio: float) -> QPen:
    """The pen of a line with a width in logical pixels; pyqtgraph's widths are in device pixels."""
    if not style.width:
        none: QPen = pg.mkPen(None)
        return none
    pen: QPen = pg.mkPen(_colour(style.colour, style.alpha), width=style.width * ratio)
    if style.dashes:
        pen.setDashPattern(list(style.dashes))
    return pen


def _colour(name: str, alpha: int) -> QColor:
    colour = QColor(name)
    colour.setAlpha(alpha)
    return colour


def _rim(style: SeriesStyle, ratio: float) -> Any:
    return pg.mkPen(style.rim, width=style.rim_width * ratio) if style.rim_width else pg.mkPen(None)


class CurveItems:
    """A line, points, or the steps of a histogram, with bars of standard errors."""

    def __init__(self, *, with_errors: bool) -> None:
        self.curve = pg.PlotDataItem()
        self.bars = ErrorBars() if with_errors else None
        self._fill = 0

    @property
    def graphics(self) -> Sequence[Any]:
        """The curve, then its bars."""
        return (self.curve,) if self.bars is None else (self.curve, self.bars)

    def dress(self, style: SeriesStyle, ratio: float) -> None:
        """Pen, ground below steps, and markers."""
        self.curve.setPen(plot_pen(style, ratio))
        self._fill = style.fill
        self.curve.setBrush(pg.mkBrush(_colour(style.colour, style.fill)) if style.fill else None)
        if style.marker:
            self.curve.setSymbol(style.marker)
            self.curve.setSymbolSize(style.size)
            self.curve.setSymbolBrush(pg.mkBrush(_colour(style.colour, style.alpha) if style.filled else None))
            self.curve.setSymbolPen(_rim(style, ratio))
        elif self.curve.opts["symbol"] is not None:
            self.curve.setSymbol(None)
        if self.bars is not None:
            self.bars.setOpts(pen=pg.mkPen(style.errors or style.colour, width=1.25 * ratio))

    def place(self, series: PlotSeries, scales: Scales) -> None:
        """Show the points that exist on these scales as one curve."""
        x, y = scales[0].show(series.x), scales[1].show(series.y)
        if self.bars is not None:
            self.bars.place(series, scales)
        if not len(y):
            self.curve.setData([], [], stepMode=None)
        elif len(x) == len(y) + 1:  # steps have no gaps: an empty step reaches below the plot
            fill = scales[1].coordinate(0.0) if self._fill else None
            self.curve.setData(x, np.nan_to_num(y, nan=FLOOR), stepMode="center", connect="all", fillLevel=fill)
        elif series.joined is None:
            self.curve.setData(x, y, connect="finite")
        else:
            self.curve.setData(x, y, connect=(series.joined & np.isfinite(y)).astype(np.int32))


class ErrorBars(pg.ErrorBarItem):  # type: ignore[misc]
    """The bars of a series. On a logarithmic axis, a bar that reaches 0 leaves the plot at its lower edge."""

    def place(self, series: PlotSeries, scales: Scales) -> None:
        """Draw the errors of these points."""
        x, low, middle, high = error_ends(series, scales)
        if len(x):
            self.setData(x=x, y=middle, top=high - middle, bottom=middle - low, beam=0.0)
        else:  # its data are deleted, since a change of colour would show existing data again
            self.setData(x=None, y=None, top=None, bottom=None)


def error_ends(series: PlotSeries, scales: Scales) -> tuple[Floats, Floats, Floats, Floats]:
    """The coordinates of error bars: x, lower end, value and upper end, (B,) each."""
    x, *ends = series.bars()
    x, (low, middle, high) = scales[0].show(x), (scales[1].show(values) for values in ends)
    seen: NDArray[np.bool_] = np.isfinite(x) & np.isfinite(middle)
    return x[seen], np.where(np.isfinite(low), low, middle - _FAR)[seen], middle[seen], high[seen]


class BandItems:
    """The filled band between y - error and y + error."""

    def __init__(self) -> None:
        self.band = pg.FillBetweenItem(pg.PlotCurveItem(), pg.PlotCurveItem())

    @property
    def graphics(self) -> Sequence[Any]:
        """The ground."""
        return (self.band,)

    def dress(self, style: SeriesStyle, ratio: float) -> None:
        """Set the colour of the band."""
        self.band.setPen(pg.mkPen(None))
        self.band.setBrush(pg.mkBrush(_colour(style.colour, style.fill)))

    def place(self, series: PlotSeries, scales: Scales) -> None:
        """Show the band between the ends of the errors."""
        x, low, _, high = error_ends(series, scales)
        self.band.setCurves(pg.PlotCurveItem(x, high), pg.PlotCurveItem(x, low))


class BarItems:
    """Bars around whole numbers; those of two runs are side by side."""

    def __init__(self) -> None:
        self.bars = pg.BarGraphItem(x=np.zeros(1), height=np.zeros(1), width=_WIDTH)
        self._side = 0

    @property
    def graphics(self) -> Sequence[Any]:
        """All bars are one item."""
        return (self.bars,)

    def dress(self, style: SeriesStyle, ratio: float) -> None:
        """Set colour and width; two runs share the space."""
        self._side = style.side
        width = _PAIRED_WIDTH if style.side else _WIDTH
        self.bars.setOpts(width=width, brush=pg.mkBrush(_colour(style.colour, style.fill)), pen=_rim(style, ratio))

    def place(self, series: PlotSeries, scales: Scales) -> None:
        """Bars on linear axes."""
        self.bars.setOpts(x=series.x + 0.5 * self._side * _PAIRED_WIDTH, height=series.y)


class LineItems:
    """Lines across the pane, with optional labels."""

    def __init__(self) -> None:
        self.lines: list[pg.InfiniteLine] = []
        self._labelled: list[bool] = []  # which of them have a label
        self._pen, self._colour = pg.mkPen(None), ""

    @property
    def graphics(self) -> Sequence[Any]:
        """A line for each value."""
        return self.lines

    def dress(self, style: SeriesStyle, ratio: float) -> None:
        """Set pen and colour of the labels."""
        self._pen, self._colour = plot_pen(style, ratio), style.colour
        self._dress()

    def _dress(self) -> None:
        for line, labelled in zip(self.lines, self._labelled, strict=True):
            line.setPen(self._pen)
            if labelled:
                line.label.setColor(self._colour)

    def write_in(self, font: QFont) -> None:
        """Set the font of the labels."""
        for line, labelled in zip(self.lines, self._labelled, strict=True):
            if labelled and line.label.textItem.font() != font:
                line.label.setFont(font)

    def place(self, series: PlotSeries, scales: Scales) -> None:
        """Show the lines; a different number of lines needs new items."""
        upright = series.kind == "upright"
        at = [scales[not upright].coordinate(value) for value in (series.x if upright else series.y).tolist()]
        labels = list(series.labels) or [""] * len(at)
        labelled = [bool(label) for label in labels]
        if labelled != self._labelled:
            self.lines, self._labelled = [_line(upright, label) for label in labels], labelled
            self._dress()
        for line, value, label in zip(self.lines, at, labels, strict=True):
            line.setPos(value)
            if label:
                line.label.setFormat(label)


def _line(upright: bool, label: str) -> pg.InfiniteLine:
    if not label:
        return pg.InfiniteLine(0.0, angle=90 if upright else 0, movable=False)
    where = {"position": _LABEL_UP, "anchors": [(0, 0), (0, 0)]} if upright else {}
    where = where or {"position": _LABEL_ALONG, "anchors": [(0, 0), (0, 1)]}  # below a line in the upper half
    return pg.InfiniteLine(0.0, angle=90 if upright else 0, movable=False, label=label, labelOpts=where)
