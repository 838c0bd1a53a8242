"""A plot on paper: its panes drawn by matplotlib (imported on use). No Qt.

Lengths are pixels of the page layout, in which text is `TEXT` high; each is `Sheet.unit` of matplotlib's points.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from aggviewer.export.sheet import Sheet
from aggviewer.plots.axes import value_text
from aggviewer.plots.drawing import Axes, Bounds, PlotSeries
from aggviewer.plots.series_items import SeriesStyle, ShownSeries
from aggviewer.style.theme import Colors
from engine.arrays import Floats
from engine.study.labels import group_digits

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes as Pad
    from matplotlib.axis import Axis

TEXT = 13.0
"""The text height in pixels of the layout."""

_LEFT, _BOTTOM, _TOP, _RIGHT, _BETWEEN = 72.0, 44.0, 8.0, 10.0, 12.0  # least pixels around the panes
_LINE = 1.3 * TEXT  # height of a line of text
_BLANK = 0.32  # width of a blank over the height of text
_WIDTH, _PAIRED = 0.72, 0.36  # of a bar
_INSET = 6.0  # pixels from the corner of a pane to its numbers
_MARKERS = {"t": "v", "t1": "^", "star": "*", "d": "D", "x": "x"}
_TICKS: dict[Literal["major", "minor"], float] = {"major": 3.5, "minor": 2.0}  # pixels
_TICK_PAD, _LABEL_PAD = 3.5, 5.0  # pixels from a tick to its label, and from there to the label of the axis
_LABEL_WIDTH, _LABEL_HEIGHT = 36.0, 23.0  # pixels that a label of a tick needs
_PLAIN = 0.01, 5000.0  # numbers that are not written as powers of ten, which are wider


@dataclass(frozen=True)
class PagePane:
    """The contents of one pane on paper.

    Parameters
    ----------
    axes : labels, corner for the numbers, ticks, share of the height.
    logarithmic : whether x and y are logarithmic.
    ends : the limits of the axes, as quantities.
    series : all series.
    numbers : in the corner, rich text.
    band : the fit range, None if it is not shown.
    """

    axes: Axes
    logarithmic: tuple[bool, bool]
    ends: Bounds
    series: Sequence[ShownSeries]
    numbers: str = ""
    band: tuple[float, float] | None = None


def draw_panes(panes: Sequence[PagePane], sheet: Sheet, colors: Colors, names: str = "{}") -> list[Pad]:
    """Draw stacked panes, each in its own axes. names : template for the names of the groups in an SVG.

    All text is `TEXT` high. The labels of ticks have the room that they need.
    """
    above = _LINE if any(one.series.kind == "upright" and any(one.series.labels) for one in panes[0].series) else 0.0
    room = sheet.height - _BOTTOM - _TOP - above - _BETWEEN * (len(panes) - 1)
    shares = sum(pane.axes.share for pane in panes)
    top, drawn, places = _TOP + above, [], []
    for number, pane in enumerate(panes):
        high = room * pane.axes.share / shares
        places.append(sheet.part(_LEFT, top, sheet.width - _LEFT - _RIGHT, high))
        drawn.append(places[-1].axes(names.format(f"pane-{number}")))
        _set_axes(drawn[-1], places[-1], pane, colors)
        top += high + _BETWEEN
    widest = max(_label_width(pad.yaxis) for pad in drawn)
    over = max(0.5 * _label_width(pad.xaxis, last=True) for pad in drawn)
    ticks = _TICKS["major"] + _TICK_PAD + widest + _LABEL_PAD
    left, right = max(_LEFT, ticks + _LINE), max(_RIGHT, over)
    for pad, place, pane in zip(drawn, places, panes, strict=True):
        place = place.part(left - _LEFT, 0.0, sheet.width - left - right, place.height)
        pad.set_position(place.place)
        pad.yaxis.set_label_coords(-ticks / max(place.width, 1.0), 0.5)
        _draw_pane(pad, place, pane, colors)
    return drawn


def _label_width(axis: Axis, *, last: bool = False) -> float:
    """The width in pixels of the widest label of a tick, or of the last one."""
    low, high = sorted(axis.get_view_interval())
    seen = [at for at in axis.get_majorticklocs() if low <= at <= high]
    texts = axis.get_major_formatter().format_ticks(seen) if axis.get_tick_params().get("labelbottom", True) else []
    return max(map(_text_width, texts[-1 if last else 0 :]), default=0.0)


def _draw_pane(pad: Pad, place: Sheet, pane: PagePane, colors: Colors) -> None:
    if pane.band is not None:
        pad.axvspan(*pane.band, color=_rgba(*colors.band), linewidth=0.0, zorder=-20.0)
    for one in sorted(pane.series, key=lambda one: one.z):
        _draw_series(pad, one, place.unit)
    if pane.numbers:
        _add_numbers(pad, place, pane, colors)


# axes


def _set_axes(pad: Pad, place: Sheet, pane: PagePane, colors: Colors) -> None:
    from matplotlib import ticker

    x0, x1, y0, y1 = pane.ends
    unit = place.unit
    size = TEXT * unit
    for side in ("top", "right"):
        pad.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        pad.spines[side].set_color(colors.muted)
        pad.spines[side].set_linewidth(unit)
    pad.grid(True, color=colors.muted, alpha=colors.grid / 255.0, linewidth=0.8 * unit)
    pad.set_axisbelow(True)
    room = place.width / _LABEL_WIDTH, place.height / _LABEL_HEIGHT
    for k, (axis, ticks) in enumerate(((pad.xaxis, pane.axes.x_ticks), (pad.yaxis, pane.axes.y_ticks))):
        if pane.logarithmic[k]:
            decades = float(np.log10(pane.ends[2 * k + 1] / pane.ends[2 * k]))
            (pad.set_xscale, pad.set_yscale)[k]("log", nonpositive="mask")
            narrow = k == 1 or (_PLAIN[0] <= x0 and x1 <= _PLAIN[1])
            subs = (1.0, 2.0, 5.0) if 3.0 * decades < room[k] and narrow else (1.0,)
            axis.set_major_locator(ticker.LogLocator(subs=subs, numticks=max(2, int(room[k]) + 1)))
            axis.set_minor_locator(ticker.LogLocator(subs=tuple(range(2, 10)), numticks=30))
            axis.set_minor_formatter(ticker.NullFormatter())
            axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: value_text(value) if value > 0.0 else "0"))
        elif ticks is not None:
            axis.set_major_locator(ticker.FixedLocator([at for at, _ in ticks.labels]))
            axis.set_major_formatter(ticker.FixedFormatter([text for _, text in ticks.labels]))
        else:
            axis.set_major_locator(ticker.MaxNLocator(max(2, int(room[k])), steps=[1, 2, 5, 10]))
            group_digits(axis)
    look: dict[str, Any] = {"labelsize": size, "labelcolor": colors.muted, "color": colors.muted, "direction": "in"}
    for which, length in _TICKS.items():
        pad.tick_params(which=which, length=length * unit, width=0.8 * unit, pad=_TICK_PAD * unit, **look)
    pad.set_xlim(x0, x1)
    pad.set_ylim(y0, y1)
    pad.set_ylabel(plain_math(pane.axes.y), fontsize=size, color=colors.text)
    if pane.axes.x:
        pad.set_xlabel(plain_math(pane.axes.x), fontsize=size, color=colors.text, labelpad=4.0 * unit)
    else:
        pad.tick_params(labelbottom=False)


# series


def _draw_series(pad: Pad, one: ShownSeries, unit: float) -> None:
    """unit : points per pixel of the layout."""
    series, style = one.series, one.style
    face = _rgba_of(style.colour, style.fill)
    match series.kind:
        case "bars":
            x, width = series.x + 0.5 * style.side * _PAIRED, _PAIRED if style.side else _WIDTH
            edge = (style.rim, style.rim_width * unit) if style.rim_width else ("none", 0.0)
            pad.bar(x, series.y, width, color=face, edgecolor=edge[0], linewidth=edge[1], zorder=one.z)
        case "band":
            x, low, _, high = series.bars()
            pad.fill_between(x, low, high, color=face, linewidth=0, zorder=one.z)
        case "level" | "upright":
            _draw_lines(pad, one, unit)
        case "steps":
            if style.fill:
                pad.stairs(series.y, series.x, fill=True, color=face, baseline=pad.get_ylim()[0], zorder=one.z)
            if style.width:
                pad.stairs(series.y, series.x, baseline=None, **_line(style, unit), zorder=one.z)
        case _:
            pad.plot(*_with_gaps(series), **_line(style, unit), **_marker(style, unit), zorder=one.z)
    if series.error is not None and series.kind != "band" and not series.banded:
        _draw_error_bars(pad, one, unit)


def _draw_lines(pad: Pad, one: ShownSeries, unit: float) -> None:
    """Lines across the pane. The labels of upright ones stand above it, where they hide nothing: over their line, or
    beside it where neighbours would touch."""
    series, upright = one.series, one.series.kind == "upright"
    at = (series.x if upright else series.y).tolist()
    labels = [plain_math(label) for label in series.labels] or [""] * len(at)
    low, high = pad.get_xlim()
    across = pad.get_xaxis_transform().transform([(value, 0.0) for value in at])[:, 0] * 72.0 / pad.figure.dpi / unit
    close = upright and min(np.diff(np.sort(across)), default=np.inf) < max(map(_text_width, labels)) + _INSET
    for number, (value, label) in enumerate(zip(at, labels, strict=True)):
        draw = pad.axvline if upright else pad.axhline
        draw(value, **_line(one.style, unit), zorder=one.z)
        if label and (not upright or low <= value <= high):
            pad.annotate(
                label,
                (value, 1.0) if upright else (0.03, value),
                (0.0, 2.0 * unit),
                pad.get_xaxis_transform() if upright else pad.get_yaxis_transform(),
                textcoords="offset points",
                ha="left" if not upright or (close and number) else "right" if close else "center",
                va="bottom",
                color=one.style.colour,
                fontsize=TEXT * unit,
                annotation_clip=not upright,
            )


def _draw_error_bars(pad: Pad, one: ShownSeries, unit: float) -> None:
    """Bars within the axes only: one that reaches 0 has no end on a logarithmic axis."""
    x, low, _, high = one.series.bars()
    bottom, top = sorted(pad.get_ylim())
    low, high = np.clip([low, high], bottom, top)
    bars = pad.vlines(x, low, high, colors=one.style.errors or one.style.colour)
    bars.set_linewidth(1.25 * unit)
    bars.set_zorder(one.z)


def _with_gaps(series: PlotSeries) -> tuple[Floats, Floats]:
    """x and y, with a nan where the line is interrupted."""
    if series.joined is None:
        return series.x, series.y
    breaks = np.flatnonzero(~series.joined[:-1]) + 1
    return np.insert(series.x, breaks, np.nan), np.insert(series.y, breaks, np.nan)


def _line(style: SeriesStyle, unit: float) -> dict[str, Any]:
    dashes = (0.0, style.dashes) if style.dashes else "-"  # in widths of the line
    return {
        "color": _rgba_of(style.colour, style.alpha),
        "linewidth": style.width * unit,
        "linestyle": dashes if style.width else "none",
        "solid_capstyle": "butt",
    }


def _marker(style: SeriesStyle, unit: float) -> dict[str, Any]:
    if not style.marker:
        return {}
    colour = _rgba_of(style.colour, style.alpha)
    cross = style.marker == "x"
    return {
        "marker": _MARKERS.get(style.marker, style.marker),
        "markersize": style.size * unit,
        "markerfacecolor": colour if style.filled else "none",
        "markeredgecolor": colour if cross else style.rim if style.rim_width else "none",
        "markeredgewidth": (2.0 if cross else style.rim_width) * unit,
    }


def _rgba(red: int, green: int, blue: int, alpha: int) -> tuple[float, ...]:
    return red / 255.0, green / 255.0, blue / 255.0, alpha / 255.0


def _rgba_of(name: str, alpha: int) -> tuple[float, ...]:
    red, green, blue = (int(name[k : k + 2], 16) for k in (1, 3, 5))
    return _rgba(red, green, blue, alpha)


# words


class TextRun(NamedTuple):
    """A piece of rich text with one style."""

    text: str
    colour: str = ""
    bold: bool = False
    small: bool = False


class _Runs(HTMLParser):
    """Splits rich text into lines of runs; indices become mathtext."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[list[TextRun]] = [[]]
        self._open: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self.lines.append([])
            return
        style = dict(attrs).get("style") or ""
        self._open.append((tag, style.partition("color:")[2].partition(";")[0]))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        tags = [tag for tag, _ in self._open]
        colour = next((colour for _, colour in reversed(self._open) if colour), "")
        text = data.replace("$", r"\$")
        if "sub" in tags or "sup" in tags:
            text = f"$_{{\\mathrm{{{text}}}}}$" if "sub" in tags else f"$^{{\\mathrm{{{text}}}}}$"
        self.lines[-1].append(TextRun(text, colour, "b" in tags, "small" in tags))


def runs_of(rich: str) -> list[list[TextRun]]:
    """The lines of a rich text as runs; indices are in matplotlib's mathtext."""
    parser = _Runs()
    parser.feed(rich)
    parser.close()
    return parser.lines


def plain_math(rich: str) -> str:
    """A line of rich text as matplotlib writes it, without colours and styles."""
    return "".join(run.text for line in runs_of(rich) for run in line)


def fitted(line: Sequence[TextRun], room: float) -> list[list[TextRun]]:
    """A line of text fitted into this many pixels: first without small text, then wrapped between words."""
    if _width(line) <= room:
        return [list(line)] if line else []
    words = [
        run._replace(text=word)
        for run in line
        if not run.small and run.text
        for word in ([run.text] if run.text.startswith("$") else re.findall(r"\S+[ ]*|[ ]+", run.text))
    ]
    lines: list[list[TextRun]] = [[]]
    for word in words:
        if lines[-1] and _width([*lines[-1], word]) > room:
            lines.append([])
        lines[-1].append(word)
    return lines


def _width(line: Sequence[TextRun]) -> float:
    """The width of a line of pieces of text, in pixels of the layout."""
    return sum(_text_width(run.text, bold=run.bold) for run in line)


def _text_width(text: str, *, bold: bool = False) -> float:
    """The width of a text on one line, in pixels of the layout."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=TEXT, weight="bold" if bold else "normal")
    return float(text_to_path.get_text_width_height_descent(text, font, text.count("$") > 1)[0])


def _add_numbers(pad: Pad, place: Sheet, pane: PagePane, colors: Colors) -> None:
    """Write the numbers into the corner of a pane."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.offsetbox import AnchoredOffsetbox, DrawingArea, HPacker, TextArea, VPacker

    def areas(run: TextRun) -> Iterator[Any]:
        size = TEXT * place.unit
        look = {"color": run.colour or colors.text, "fontsize": size, "fontweight": "bold" if run.bold else "normal"}
        for part in re.findall(r"^[ \xa0]+|[ \xa0]+$|[^ \xa0](?:.*[^ \xa0])?", run.text):
            # SVG leaves out blanks at the ends of a text
            yield TextArea(part, textprops=look) if part.strip() else DrawingArea(_BLANK * size * len(part), 0.0)

    room = place.width - 2.0 * _INSET
    lines: list[Artist] = [
        HPacker(children=[box for run in line for box in areas(run)], pad=0, sep=0)
        for whole in runs_of(pane.numbers)
        for line in fitted(whole, room)
    ]
    corner = f"{'upper' if 'top' in pane.axes.corner else 'lower'} {'left' if 'left' in pane.axes.corner else 'right'}"
    box = AnchoredOffsetbox(
        corner,
        child=VPacker(children=lines, pad=0, sep=3 * place.unit),
        pad=0.0,
        borderpad=_INSET / TEXT,
        prop=FontProperties(size=TEXT * place.unit),
        frameon=True,
    )
    box.patch.set(facecolor=colors.window, alpha=0.7, linewidth=0.0)
    box.set_zorder(100.0)
    pad.add_artist(box)
