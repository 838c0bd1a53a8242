"""The look of the figures of a study: colours, ticks and the legend."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import matplotlib.figure
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#7a7a00", "#56b4e9", "#e69f00", "#444444")
"""Okabe and Ito's, which colour-blind eyes tell apart."""

REFERENCE = "#444444"
STYLE: dict[str, Any] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "axes.formatter.use_mathtext": True,
    "axes.formatter.limits": (-4, 5),
    "grid.color": "#d8dce2",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "legend.title_fontsize": 9,
    "mathtext.fontset": "dejavusans",
    "svg.hashsalt": "aggviewer",  # the same figure gives the same file
    "svg.fonttype": "path",
}
SIZE = (6.4, 4.0)
"""Inches of a figure whose legend has one row."""

_MARKERS = "osD^vP*X"
_MANY = 8  # lines; more of them, of numbers, are coloured along a scale
_NAMED = 10  # of those, in the legend
_LINE = 70  # letters of a name in the legend before it is wrapped
_ROW = 0.19  # inches of a row of the legend


@dataclass(frozen=True)
class LineStyle:
    """How one line of a figure is drawn.

    Parameters
    ----------
    color, marker : as matplotlib takes them.
    named : whether the legend has it.
    """

    color: str
    marker: str
    named: bool = True


def looks(of: Sequence[Any]) -> list[LineStyle]:
    """A look for each line, from the value of the parameter that tells them apart.

    Up to 8 lines have a colour and a marker each. More lines of numbers are coloured along a scale, by their order, and
    the legend names some of them; more lines of texts have the same colours with other markers.
    """
    count = len(of)
    if count > _MANY and all(isinstance(one, int | float) for one in of):
        from matplotlib import colormaps
        from matplotlib.colors import to_hex

        named = {round(k) for k in np.linspace(0, count - 1, _NAMED)} if count > 2 * _NAMED else set(range(count))
        scale = colormaps["viridis"]
        return [LineStyle(to_hex(scale(0.9 * k / (count - 1))), "o", k in named) for k in range(count)]
    kinds = len(COLORS)
    return [LineStyle(COLORS[k % kinds], _MARKERS[(k + k // kinds) % len(_MARKERS)]) for k in range(count)]


def add_legend(figure: matplotlib.figure.Figure, entries: Sequence[tuple[Artist, str]], title: str | None) -> None:
    """A legend above the axes, where it covers no data, with as many columns as fit; the figure grows by what more than
    one row need."""
    if not entries:
        return
    handles = [handle for handle, _ in entries]
    names = [textwrap.fill(name, _LINE) for _, name in entries]
    room = figure.bbox.width * 0.98
    for columns in range(len(names), 0, -1):
        order = [k for column in range(columns) for k in range(column, len(names), columns)]  # read row by row
        legend = figure.legend(
            [handles[k] for k in order], [names[k] for k in order], title=title, ncols=columns,
            loc="outside upper left", alignment="left", columnspacing=1.4, handletextpad=0.5, borderaxespad=0.1,
        )  # fmt: skip
        if columns == 1 or legend.get_window_extent(figure.canvas.get_renderer()).width <= room:  # type: ignore[attr-defined]
            break
        legend.remove()
    rows = math.ceil(len(names) / columns) + sum(name.count("\n") for name in names) + (title is not None)
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + _ROW * (rows - 1))


def set_scales(axes: Axes, log: str) -> None:
    """Logarithmic axes where `log` names them, x, y or both, with ticks whose numbers do not run into each other."""
    axes.margins(0.04)
    for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        if name in log:
            ends = (line.get_xdata() if name == "x" else line.get_ydata() for line in axes.lines)
            if not any((np.asarray(one, np.float64) > 0.0).any() for one in ends):
                continue  # a logarithmic axis would have nothing to show
            (axes.set_xscale if name == "x" else axes.set_yscale)("log")
            low, high = axes.get_xlim() if name == "x" else axes.get_ylim()
            _log_ticks(axis, low, high)


def _log_ticks(axis: Axis, low: float, high: float) -> None:
    """Ticks at powers of ten; if these are few, also at 2 and 5; if even these are few, as on a linear axis."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

    decades = math.log10(high / low)
    if decades < 0.7:
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        axis.set_minor_locator(NullLocator())
    else:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < 1.7 else (1.0,), numticks=9))
        axis.set_minor_locator(LogLocator(subs=tuple(range(2, 10)), numticks=99))
    axis.set_minor_formatter(NullFormatter())
    plain = low > 5e-4 and high < 5e5
    axis.set_major_formatter(FuncFormatter(lambda value, _: _number(value, plain)))


def _number(value: float, plain: bool) -> str:
    if value <= 0.0:
        return ""
    if plain:
        return f"{value:,.0f}".replace(",", "\N{NO-BREAK SPACE}") if value >= 10_000.0 else f"{value:g}"
    power = math.floor(math.log10(value) + 1e-9)
    first = value / 10.0**power
    return f"$10^{{{power}}}$" if abs(first - 1.0) < 1e-6 else rf"${first:.3g}\cdot10^{{{power}}}$"
