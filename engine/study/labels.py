"""Labels of axes: names with symbols and units, from the scenario and the indicators."""

from __future__ import annotations

import re
from typing import Any

from engine.scenario import fields
from engine.study.grid import Grid, GridPoint
from engine.study.model import Vary
from engine.study.symbols import as_mathtext
from engine.system import system_of
from engine.words import body_names

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
    """`label` without the unit, for titles."""
    text, symbol, _ = _parts(name, grid)
    return _joined(text, symbol, "")


def unit(name: str, grid: Grid) -> str:
    """The unit of a parameter, quantity or curve, "" if it has none."""
    return _parts(name, grid)[2]


def _parts(name: str, grid: Grid) -> Parts:
    known = fields().get(name)
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
    known = fields().get(name)
    return known.symbol or known.label if known is not None else name


def axis_title(one: Vary) -> str:
    """The name of an axis of the grid for legends and tables."""
    return one.title or ", ".join(short(key) for key in one.all_keys)


def value(of: Any) -> str:
    """A value of a parameter, for legends."""
    if isinstance(of, float):
        return f"{of:g}"
    if isinstance(of, int) and not isinstance(of, bool) and abs(of) >= 10_000:
        return f"{of:,}".replace(",", "\N{NO-BREAK SPACE}")
    return " × ".join(f"{one:g}" for one in of) if isinstance(of, list | tuple) else str(of)


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


def place(point: GridPoint, grid: Grid) -> str:
    """Where a point of the grid is: ``V_f = 0.2, N = 400``, values that have a name by that name, a single point by its
    own; "" if nothing is varied."""
    if point.name:
        return point.name
    return ", ".join(at(one, of) for one, of in grid.told(point))


def at(one: Vary, of: Any) -> str:
    """A value of an axis of the grid, ``N = 400``; the name alone if it has one."""
    return str(of) if one.names else f"{axis_title(one)} = {value(of)}"
