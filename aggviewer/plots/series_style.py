"""The style of a series, by its role and its run: the same in the window, in films and on paper."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from aggviewer.document.plots import MOST_REFERENCES
from aggviewer.plots.drawing import PlotSeries
from aggviewer.plots.runs import RunLook, RunStyle, looks, method_colour
from aggviewer.style.theme import Colors

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
    look = looks(runs, theme)[run] if runs else RunLook(theme.text, alone=True, first=True, broken=False)
    role, kind = series.role, series.kind
    of_run = not series.shared
    if series.invisible:
        return SeriesStyle(look.colour)
    match role.name:
        case "run" | "method":
            variant = runs[run].variant if runs else 0
            colour = method_colour(role.method, variant, theme) if role.name == "method" else look.colour
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
                return SeriesStyle(
                    theme.text, marker="o", size=series.size, filled=False, rim=theme.text, rim_width=1.0
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
