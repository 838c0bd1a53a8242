"""The pyqtgraph items of series: one class for each kind, updated in place; and their style, by role and run, the
same in the window, in films and on paper."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PyQt6.QtGui import QColor, QFont, QPen

from aggviewer.document.window import MOST_REFERENCES
from aggviewer.plots.axes import FLOOR, PlotArea, Scales
from aggviewer.plots.drawing import PlotSeries
from aggviewer.plots.runs import RunLook, RunStyle, looks, method_colour
from aggviewer.style.theme import Colors
from engine.arrays import Floats

_FAR = 9.0  # decades below a value whose error is as large as itself
_WIDTH, _PAIRED_WIDTH = 0.72, 0.36  # of a bar
_LABEL_ALONG = 0.04  # position of the label along a level line
_LABEL_UP = 0.99  # and its height beside an upright one


class SeriesItems(Protocol):
    """The graphics items that draw one series."""

    @property
    def graphics(self) -> Sequence[Any]:
        """All items, from bottom to top."""
        ...

    def dress(self, style: SeriesStyle, ratio: float) -> None:
        """Set pens and markers. ratio : device pixels per pixel."""
        ...

    def place(self, series: PlotSeries, scales: Scales) -> None:
        """Draw these data on axes with these scales."""
        ...


def items_for(series: PlotSeries) -> SeriesItems:
    """The class of graphics items that draws a series."""
    if series.kind == "bars":
        return BarItems()
    if series.kind == "band":
        return BandItems()
    if series.kind in ("level", "upright"):
        return LineItems()
    return CurveItems(with_errors=_has_bars(series))


def form_of(series: PlotSeries) -> tuple[str, bool]:
    """Series of the same form can use the same items; ``line`` and ``points`` are the same form."""
    return "line" if series.kind == "points" else series.kind, _has_bars(series)


def _has_bars(series: PlotSeries) -> bool:
    return series.error is not None and not series.banded


class _Drawn(NamedTuple):
    """A series that is drawn, with its graphics items."""

    series: ShownSeries
    items: SeriesItems
    graphics: tuple[Any, ...]


class DrawnSeries:
    """The series drawn in `area`, by id."""

    def __init__(self, area: PlotArea) -> None:
        self._area = area
        self._drawn: dict[Hashable, _Drawn] = {}
        self._font = QFont()

    @property
    def drawn(self) -> dict[Hashable, ShownSeries]:
        """The series that are drawn, by id."""
        return {name: one.series for name, one in self._drawn.items()}

    def show(self, shown: Sequence[ShownSeries], scales: Scales, ratio: float) -> None:
        """Draw exactly these series. A series already drawn under the same id is updated in place, and left alone if
        object and style are the same. ratio : see `SeriesItems.dress`."""
        wanted = {one.id for one in shown}
        for gone in [one for one in self._drawn if one not in wanted]:
            self._take_away(self._drawn.pop(gone))
        for one in shown:
            before = self._drawn.get(one.id)
            if before is not None and form_of(before.series.series) != form_of(one.series):
                self._take_away(before)
                before = None
            if before is None or before.series != one:
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
        """Draw the same series again after a change of the scales of the axes."""
        for one in self._drawn.values():
            one.items.place(one.series.series, scales)

    def _updated(self, before: _Drawn | None, one: ShownSeries, scales: Scales, ratio: float) -> _Drawn:
        items = items_for(one.series) if before is None else before.items
        dressed = before is None or before.series.style != one.style
        if dressed:
            items.dress(one.style, ratio)
        if dressed or before is None or before.series.series is not one.series:
            items.place(one.series, scales)
        self._write(items)
        graphics, old = tuple(items.graphics), () if before is None else before.graphics
        for item in old:
            if item not in graphics:
                self._area.removeItem(item)
        for item in graphics:
            if item not in old or before is None or before.series.z != one.z:
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
        """Set the pen of the curve, the ground below steps, and the markers."""
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
        """The area of the band."""
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


_DASHES = {"solid": (), "dashed": (4.0, 3.0), "dotted": (1.0, 2.0)}
_BROKEN = {"solid": (9.0, 2.0), "dashed": (2.0, 3.0), "dotted": (1.0, 2.0)}
_BROKEN_LAW = {"solid": (4.0, 2.0), "dashed": (4.0, 3.0), "dotted": (1.0, 2.0)}
_RING = 1.5  # size of a ring relative to a filled point
_ALONE, _FIRST, _SECOND = 2.0, 4.0, 1.5  # widths of the curves of runs, in pixels
_LAW, _THIN, _EARLIER, _REFERENCE = 1.25, 1.0, 1.5, 1.25
_PALE = (160, 70)  # alpha of the latest and of the earliest curve
_FILL, _BAR_FILL, _BAND, _FAINT = 90, 70, 60, 90  # alpha
_DOT = 4.0  # pixels, of a reference
# Okabe and Ito's colours without the blue and the orange of the methods; each also has its own dashes
_ON_LIGHT = ("#009e73", "#b0508a", "#8f7a00", "#5b5f66", "#7a4b2a")
_ON_DARK = ("#2fc79a", "#e29bc4", "#f0e442", "#b9c0c8", "#c99a6e")
_REFERENCE_DASHES: tuple[tuple[float, ...], ...] = ((), (6.0, 3.0), (2.0, 2.0), (8.0, 3.0, 2.0, 3.0), (12.0, 4.0))
assert len(_ON_LIGHT) == len(_ON_DARK) == len(_REFERENCE_DASHES) == MOST_REFERENCES
# of the groups of a study, after those of the methods
_GROUPS_ON_DARK = ("#2fc39a", "#e6a3cb", "#e6d75a", "#b9c2cc")
_GROUPS_ON_LIGHT = ("#009e73", "#b5558f", "#7a7a00", "#444444")
_GROUP_MARKERS = ("o", "s", "d", "t1", "star", "t")


@dataclass(frozen=True)
class SeriesStyle:
    """How a series is drawn. Lengths are logical pixels.

    Parameters
    ----------
    colour, alpha : of everything; alpha from 0 to 255.
    width, dashes : of its line; 0 for none, dashes in widths of the line.
    marker, size, filled : of its points; "" for none; rings where not filled.
    rim, rim_width : colour and width of the edge of a marker or a bar; 0 for none.
    fill : alpha of the ground below steps, of bars and of bands; 0 for none.
    side : -1 and 1 for the left and right one of two bars, 0 for a single one.
    errors : colour of the bars of standard errors.
    """

    colour: str
    alpha: int = 255
    width: float = 0.0
    dashes: tuple[float, ...] = ()
    marker: str = ""
    size: float = 0.0
    filled: bool = True
    rim: str = ""
    rim_width: float = 0.0
    fill: int = 0
    side: int = 0
    errors: str = ""


class ShownSeries(NamedTuple):
    """A series in a pane.

    Parameters
    ----------
    id : identifies it for updates in place and when it is picked.
    series, style : the series and how it is drawn.
    z : series with a larger value are above others.
    """

    id: Hashable
    series: PlotSeries
    style: SeriesStyle
    z: float = 0.0


def is_dark(theme: Colors) -> bool:
    """Whether plots have light lines on a dark background."""
    red, green, blue = (int(theme.window[k : k + 2], 16) for k in (1, 3, 5))
    return max(red, green, blue) + min(red, green, blue) < 255


def reference_colour(slot: int, theme: Colors) -> str:
    """The colour of a reference."""
    return (_ON_DARK if is_dark(theme) else _ON_LIGHT)[slot]


def reference_dashes(slot: int) -> tuple[float, ...]:
    """The dashes of its curves, in widths of the line."""
    return _REFERENCE_DASHES[slot]


def group_colours(theme: Colors) -> tuple[str, ...]:
    """The colours of groups of runs in a study, distinguishable for colour-blind people; the first two are those of the
    methods."""
    more = _GROUPS_ON_DARK if is_dark(theme) else _GROUPS_ON_LIGHT
    return (theme.event_driven, theme.time_stepping, *more)


def style_of(series: PlotSeries, theme: Colors, runs: Sequence[RunStyle] = (), run: int = 0) -> SeriesStyle:
    """The style of a series. runs : all compared runs; run : its run, unless it is shared."""
    found = _usual_style(series, theme, runs, run)
    return replace(found, width=found.width * theme.stroke, rim_width=found.rim_width * theme.stroke)


def _usual_style(series: PlotSeries, theme: Colors, runs: Sequence[RunStyle], run: int) -> SeriesStyle:
    look = looks(runs, theme)[run] if runs else RunLook(theme.text, alone=True, first=True, broken=False)
    role, kind = series.role, series.kind
    of_run = not series.shared
    if series.invisible:
        return SeriesStyle(look.colour)
    if series.kind == "band" and role.name in ("run", "law"):
        return SeriesStyle(look.colour if role.name == "run" or not look.alone else theme.text, fill=_BAND)
    match role.name:
        case "run" | "method":
            shade = runs[run].shade if runs else 0
            colour = method_colour(role.method, shade, theme) if role.name == "method" else look.colour
            return _of_run(series, replace(look, colour=colour), theme)
        case "earlier":
            pale = round(_PALE[0] + role.age * (_PALE[1] - _PALE[0]))
            return SeriesStyle(look.colour, pale, _EARLIER, _DASHES[series.dash])
        case "law":
            colour = look.colour if of_run and not look.alone else theme.text
            dashes = (_BROKEN_LAW if of_run and look.broken else _DASHES)[series.dash]
            return _line_or_points(series, SeriesStyle(colour, width=_LAW, dashes=dashes, errors=colour))
        case "literature":
            if kind == "points":
                marker = series.marker or "o"
                return SeriesStyle(
                    theme.text, marker=marker, size=series.size, filled=False, rim=theme.text, rim_width=1.0
                )
            return SeriesStyle(theme.muted, width=_LAW, dashes=_DASHES[series.dash])
        case "failed":
            return SeriesStyle(theme.error, marker="x", size=series.size)
        case "reference":
            colour = reference_colour(role.slot, theme)
            style = SeriesStyle(colour, width=_REFERENCE, dashes=_REFERENCE_DASHES[role.slot], errors=colour)
            if kind == "band":
                return replace(style, width=0.0, fill=_BAND)
            return style if series.error is None else replace(style, marker="o", size=_DOT)
        case "question":
            if kind == "points":
                return SeriesStyle(theme.accent, marker="d", size=12.0, filled=False, rim=theme.accent, rim_width=2.0)
            return SeriesStyle(theme.accent, width=1.5, dashes=_DASHES["dashed"])
        case "group":
            return _of_group(series, theme)
        case "plain":
            return _line_or_points(series, SeriesStyle(theme.text, width=1.5, errors=theme.text))
    return SeriesStyle(theme.muted, width=_THIN, dashes=_DASHES[series.dash])  # a guide


def _of_run(series: PlotSeries, look: RunLook, theme: Colors) -> SeriesStyle:
    """Of two runs, the first is wide or filled and the second, on top of it, thin or a ring: both are visible."""
    errors = theme.text if look.alone else look.colour
    if series.kind == "bars":
        side = 0 if look.alone else -1 if look.first else 1
        broken = look.broken
        rim, fill = (look.colour, _BAR_FILL) if broken else ("", 255)
        return SeriesStyle(look.colour, rim=rim, rim_width=float(broken), fill=fill, side=side, errors=errors)
    if series.kind == "steps" and look.alone:
        return SeriesStyle(look.colour, fill=_FILL, errors=errors)
    width = _ALONE if look.alone else _FIRST if look.first else _SECOND
    dashes = (_BROKEN if look.broken else _DASHES)[series.dash]
    style = SeriesStyle(look.colour, width=width, dashes=dashes, errors=errors)
    if not series.marker:
        return style if series.kind != "points" else replace(style, width=0.0)
    filled = look.first and not series.hollow
    marker = "t" if series.hollow and series.marker == "o" and not look.alone else series.marker
    return replace(
        style,
        width=0.0 if series.kind == "points" else width,
        marker=marker,
        size=series.size if filled or series.hollow else _RING * series.size,
        filled=filled,
        rim=theme.window if filled else look.colour,
        rim_width=0.0 if filled else _SECOND,
    )


def _of_group(series: PlotSeries, theme: Colors) -> SeriesStyle:
    palette, slot = group_colours(theme), series.role.slot
    colour = palette[slot % len(palette)]
    if series.kind == "band":
        return SeriesStyle(colour, fill=_FAINT)
    if series.kind == "points":
        return SeriesStyle(colour, _FAINT if series.faint else 255, marker=series.marker, size=series.size)
    marker = _GROUP_MARKERS[(slot // len(palette) + slot) % len(_GROUP_MARKERS)] if series.marker else ""
    return SeriesStyle(colour, width=2.0, marker=marker, size=series.size, errors=colour)


def _line_or_points(series: PlotSeries, style: SeriesStyle) -> SeriesStyle:
    """Add the markers of a series, and remove the line if it consists of points only."""
    if not series.marker:
        return style
    return replace(
        style,
        width=0.0 if series.kind == "points" else style.width,
        marker=series.marker,
        size=series.size,
        filled=not series.hollow,
        rim=style.colour,
        rim_width=1.5 if series.hollow else 0.0,
    )
