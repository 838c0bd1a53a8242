"""How figures, reports and messages of a study look: names with symbols and units, colours, ticks and the legend.

Symbols in plain text, such as ``V_f`` and ``t^-1``, become HTML, or what matplotlib sets as formulas. Names of
quantities are written so everywhere; files and terminals show them as they are.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.scenario import scenario_keys
from engine.study.grid import Grid, GridPoint
from engine.study.model import Vary
from engine.system import system_of
from engine.words import THIN_SPACE, body_names, count, typeset

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
    from matplotlib.ticker import ScalarFormatter

    axes.margins(0.04)
    for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        if name in log:
            ends = (line.get_xdata() if name == "x" else line.get_ydata() for line in axes.lines)
            if not any((np.asarray(one, np.float64) > 0.0).any() for one in ends):
                continue  # a logarithmic axis would have nothing to show
            (axes.set_xscale if name == "x" else axes.set_yscale)("log")
            low, high = axes.get_xlim() if name == "x" else axes.get_ylim()
            _log_ticks(axis, low, high)
        elif type(axis.get_major_formatter()) is ScalarFormatter:
            group_digits(axis)


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
        return typeset(value, "g")
    power = math.floor(math.log10(value) + 1e-9)
    first = value / 10.0**power
    return f"$10^{{{power}}}$" if abs(first - 1.0) < 1e-6 else rf"${first:.3g}\cdot10^{{{power}}}$"


def group_digits(axis: Axis) -> None:
    """Write the numbers at the ticks of a linear axis as in texts, with groups of three digits."""
    from matplotlib.ticker import ScalarFormatter

    class Grouped(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            space = r"\," if self.get_useMathText() else THIN_SPACE
            return _LONG.sub(lambda found: count(int(found[0])).replace(THIN_SPACE, space), super().__call__(x, pos))

    axis.set_major_formatter(Grouped())


_LONG = re.compile(r"(?<![\d.])\d{4,}")
_SYMBOL = re.compile(r"\b([^\W\d_])_([A-Za-z0-9]+)\b")
_LETTER = re.compile(r"(?<!\w)([^\W\d_])(?= =)|^([^\W\d_])$")  # "N = 400", and "N" alone
_POWER = re.compile(r"\b([^\W\d_])\^(-?(?:\w|\d+(?:\.\d+)?))(?![\w.])")


def has_symbols(text: str) -> bool:
    """Whether a text has a letter with an index or a power, one before "=", or is a single letter."""
    return any(one.search(text) for one in (_SYMBOL, _POWER, _LETTER))


def as_html(text: str) -> str:
    """Plain text as HTML: slanted letters with their index below and their power above."""
    letters = _LETTER.sub(r"<i>\1\2</i>", escape(text))
    return _SYMBOL.sub(r"<i>\1</i><sub>\2</sub>", _POWER.sub(r"<i>\1</i><sup>\2</sup>", letters))


def as_mathtext(text: str) -> str:
    """Plain text for matplotlib, with the symbols between dollar signs."""
    return _POWER.sub(r"$\1^{\2}$", _SYMBOL.sub(r"$\1_{\2}$", text))


_SUMMARY = {
    "count": ("discs", "N", ""),
    "sim_time": ("time reached", "t", "time"),
    "clusters": ("clusters", "M", ""),
    "wall_s": ("time of the simulation", "", "s"),
    "setup_s": ("time of the preparation", "", "s"),
    "compile_s": ("time of compiling", "", "s"),
    "momentum_error": ("momentum error", "", ""),
    "kinetic_energy": ("kinetic energy", "E", ""),
    "max_overlap": ("largest overlap", "", ""),
    "volume_fraction": ("volume fraction", "V_f", ""),
    "cooling": ("temperature over Haff's law T/T_Haff", "", ""),
    "size_distribution": ("share of clusters at each size", "", ""),
    "impact_separations": ("share of impacts", "", ""),
    "plates.naive.halted": ("plates on which naive detection halts", "", ""),
    "plates.naive.bounces": ("plates on which the ball bounces forever", "", ""),
    "plates.naive.events_to_halt": ("events until naive detection halts", "", ""),
    "plates.stable.halted": ("plates on which stable detection halts", "", ""),
    "plates.stable.at_rest": ("plates on which the ball comes to rest", "", ""),
    "plates.stable.off": ("time of rest minus the closed form, height stored", "", ""),
    "plates.gap.off": ("time of rest minus the closed form, gap stored", "", ""),
    "plates.naive_goes_on": ("plates on which naive detection continues", "", ""),
    "packing.extended_forces": ("density of forces of extended contacts P(f)", "", ""),
    "packing.buckler_forces": ("density of forces of bucklers P(f)", "", ""),
    "packing.gaps": ("density of gaps P(h)", "", ""),
    "packing.extended_forces.count": ("forces of extended contacts", "", ""),
    "packing.buckler_forces.count": ("forces of bucklers", "", ""),
    "packing.gaps.count": ("gaps", "", ""),
    "packing.extended_forces.fit.exponent": ("exponent of small forces", "θ_e", ""),
    "packing.extended_forces.fit.count": ("small forces in the fit", "", ""),
    "packing.buckler_forces.fit.exponent": ("exponent of small forces of bucklers", "θ_l", ""),
    "packing.buckler_forces.fit.count": ("small forces of bucklers in the fit", "", ""),
    "packing.gaps.fit.exponent": ("exponent of small gaps -γ", "", ""),
    "packing.gaps.fit.count": ("small gaps in the fit", "", ""),
}
_CURVE_AXES = {
    "eps": ("side of the cells", "ε", "length"),
    "r": ("distance", "r", "length"),
    "time": ("time", "t", "time"),
    "side": ("side", "", "length"),
    "edges": ("value", "", ""),
    "k": ("number", "", ""),
    "collisions_per_disc": ("collisions per disc", "C", ""),
    "events": ("events", "", ""),
    "packing.extended_forces.edges": ("force divided by the mean force f/⟨f⟩", "", ""),
    "packing.buckler_forces.edges": ("force divided by the mean force f/⟨f⟩", "", ""),
    "packing.gaps.edges": ("gap divided by the mean diameter h/⟨σ⟩", "", ""),
    "size_distribution.edges": ("size of a cluster in discs", "s", ""),
    "impact_separations.ulps": ("|r_ij| - σ at an impact [units in the last place]", "", ""),
}
_BEGINS_WITH_SYMBOL = re.compile(r"[^\W\d_](?![^\W\d_])")
_WHOLE_SYMBOL = re.compile(r"([A-Za-zα-ωΑ-Ω])(?:_([A-Za-z0-9]+))?(\([A-Za-zα-ω]\))?")

Parts = tuple[str, str, str]
"""The description of a quantity: label, symbol, unit."""


def label(name: str, grid: Grid) -> str:
    """A parameter, quantity or curve with its symbol and unit; the plain name if it has no description."""
    text, symbol, unit = _parts(name, grid)
    return _joined(text, symbol, unit)


def plain_label(name: str, grid: Grid) -> str:
    """The label of a quantity without its unit, for titles."""
    text, symbol, _ = _parts(name, grid)
    return _joined(text, symbol, "")


def unit(name: str, grid: Grid) -> str:
    """The unit of a parameter, quantity or curve, "" if it has none."""
    return _parts(name, grid)[2]


def _parts(name: str, grid: Grid) -> Parts:
    known = scenario_keys().get(name)
    if known is not None:
        return known.label, known.symbol, known.unit
    kind = system_of(grid.scenario)
    fill = body_names(2).fill  # a study may have both discs and spheres
    for indicator in kind.indicators():
        if indicator.name == name:
            return fill(indicator.label), indicator.symbol, indicator.unit
    for result in kind.results:
        if result.name == name and result.label:
            return fill(result.label), "", ""
    columns = kind.history.columns()
    column = columns.get(name.removeprefix("history."))
    if column is not None:
        return column.label, column.symbol, column.unit
    return _SUMMARY.get(name, (name, "", ""))


def short(name: str) -> str:
    """The symbol of a parameter, or its name, for legends."""
    known = scenario_keys().get(name)
    return known.symbol or known.label if known is not None else name


def axis_title(one: Vary) -> str:
    """The name of an axis of the grid for legends and tables."""
    return one.title or ", ".join(short(key) for key in one.all_keys)


def value(of: Any) -> str:
    """A value of a parameter as text, for legends."""
    if isinstance(of, list | tuple):
        return joined_values(map(value, of), of)
    return typeset(of, "g") if isinstance(of, int | float) and not isinstance(of, bool) else str(of)


def joined_values(texts: Iterable[str], of: Sequence[Any]) -> str:
    """The texts of the parts of a value: numbers as in ``10 × 20``, words as in ``periodic, walls``."""
    return (", " if all(isinstance(one, str) for one in of) else " × ").join(texts)


def axis(name: str, grid: Grid) -> str:
    """`label` for an axis of a figure: it begins with a capital letter, and symbols are set as formulas."""
    return _on_axis(_parts(name, grid))


def capitalised(text: str) -> str:
    """A text that begins with a capital letter, unless it begins with a symbol, ``z - 4``."""
    return text if _BEGINS_WITH_SYMBOL.match(text) else text[:1].upper() + text[1:]


def curve_axis(curve: str, name: str) -> str:
    """The x axis of a curve, from the names of both in the JSON."""
    return _on_axis(_CURVE_AXES.get(f"{curve}.{name}") or _CURVE_AXES.get(name, (name, "", "")))


def _on_axis(parts: Parts) -> str:
    text, symbol, unit = parts
    found = _WHOLE_SYMBOL.fullmatch(symbol)
    if found:
        letter, index, argument = found.groups(default="")
        symbol = f"${letter}{f'_{{{index}}}' if index else ''}{argument}$"
    return as_mathtext(_joined(capitalised(text), symbol, unit))


def _joined(text: str, symbol: str, unit: str) -> str:
    found = f"{text} {symbol}".rstrip()
    return f"{found} [{unit}]" if unit and unit not in ("discs",) else found


def place(point: GridPoint, grid: Grid, write: Callable[[Any], str] = value) -> str:
    """Where a point of the grid is: ``V_f = 0.2, N = 400``, values that have a name by that name, a single point by its
    own; "" if nothing is varied. write : makes the text of a value."""
    if point.name:
        return point.name
    return ", ".join(at(one, of, write) for one, of in grid.told(point))


def at(one: Vary, of: Any, write: Callable[[Any], str] = value) -> str:
    """A value of an axis of the grid, ``N = 400``; the name alone if it has one."""
    return str(of) if one.names else f"{axis_title(one)} = {write(of)}"
