"""The data of a plot as a table with named columns. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from aggviewer.plots.drawing import Floats, PlotDrawing, PlotQuantity

Columns = Mapping[str, tuple[PlotQuantity, PlotQuantity]]


class TableCurve(NamedTuple):
    """A curve, a set of points or a row of bars. run : the name of its run if there are several; x, y : (K,), or x (K +
    1,) for the edges of a histogram."""

    across: PlotQuantity
    up: PlotQuantity
    run: str
    x: Floats
    y: Floats


def curves_of(drawings: Sequence[PlotDrawing | None], columns: Columns, runs: Sequence[str]) -> list[TableCurve]:
    """The curves named in `columns`: those of the runs, then shared ones, each once.

    runs : their names, empty for a single run.
    """
    found: list[TableCurve] = []
    shared: dict[str, TableCurve] = {}
    for drawing, run in zip(drawings, runs, strict=True):
        for key, (across, up) in columns.items():
            one = None if drawing is None else drawing.find(key)
            if one is not None and one.shared:
                shared.setdefault(key, TableCurve(across, up, "", one.x, one.y))
            elif one is not None:
                found.append(TableCurve(across, up, run, one.x, one.y))
    return [*found, *shared.values()]


def further_curves_of(drawings: Sequence[PlotDrawing | None], runs: Sequence[str]) -> list[TableCurve]:
    """The curves with their own columns, such as those of earlier times."""
    return [
        TableCurve(*one.columns, run, one.x, one.y)
        for drawing, run in zip(drawings, runs, strict=True)
        for one in (() if drawing is None else drawing.series)
        if one.columns is not None
    ]


def errors_of(drawings: Sequence[PlotDrawing | None], columns: Columns, runs: Sequence[str]) -> dict[str, Floats]:
    """The standard errors of the curves: heading with unit to values (n,)."""
    return {
        heading(f"{columns[one.key][1].name} standard error", columns[one.key][1].unit, run): one.error
        for drawing, run in zip(drawings, runs, strict=True)
        for one in (() if drawing is None else drawing.series)
        if one.error is not None and one.key in columns
    }


def columns_of(drawings: Sequence[PlotDrawing | None], runs: Sequence[str]) -> dict[str, Floats]:
    """The additional columns; the name of a run is added inside existing brackets."""
    table: dict[str, Floats] = {}
    for drawing, run in zip(drawings, runs, strict=True):
        for name, unit, values in () if drawing is None else drawing.table:
            if run and name.endswith(")"):
                table[heading(f"{name[:-1]} of {run})", unit, "")] = values
            else:
                table[heading(name, unit, run)] = values
    return table


def as_table(curves: Iterable[TableCurve]) -> dict[str, Floats]:
    """The values by heading. Curves with the same x share its column; otherwise the heading of x names its y. Edges of
    a histogram become two columns, from and to."""
    table: dict[str, Floats] = {}
    for curve in curves:
        if not len(curve.y):
            continue
        parts = [("", curve.x)]
        if len(curve.x) == len(curve.y) + 1:
            parts = [(" from", curve.x[:-1]), (" to", curve.x[1:])]
        for part, values in parts:
            name = curve.across.name + part
            head = heading(name, curve.across.unit, curve.run)
            if head in table and not np.array_equal(table[head], values):
                head = heading(f"{name} of {curve.up.name}", curve.across.unit, curve.run)
            table[head] = values
        head = heading(curve.up.name, curve.up.unit, curve.run)
        if head in table:
            raise ValueError(f"two columns are called {head!r}")
        table[head] = curve.y
    return table


def heading(name: str, unit: str, run: str) -> str:
    """The heading of a column: ``M/N (TS) [1]``."""
    return f"{name} ({run}) [{unit}]" if run else f"{name} [{unit}]"
