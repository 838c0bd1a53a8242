"""What a plot draws, as a table with named columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_DIGITS = 13  # that a quantity keeps when its logarithm is taken and undone


class Column(NamedTuple):
    """A quantity. name : its symbol in plain text, or a word; unit : "1" where it has none."""

    name: str
    unit: str = "1"


class Curve(NamedTuple):
    """What a curve, a set of points or a row of bars shows. run : its name where there are several; x, y (K,), or x
    (K + 1,) for the edges of a histogram: the quantities themselves, where the plot may draw their logarithms."""

    across: Column
    up: Column
    run: str
    x: Floats
    y: Floats


TIME = Column("t", "time")


def drawn_points(item: Any, logarithmic: tuple[bool, bool]) -> tuple[Floats, Floats]:
    """The quantities x and y that an item of pyqtgraph shows; empty where it is hidden. logarithmic : whether x and y
    are drawn as log10."""
    if not item.isVisible():
        return np.empty(0), np.empty(0)
    if isinstance(item, pg.BarGraphItem):
        found = item.opts["x"], item.opts["height"]
    else:  # all points, also where a curve draws fewer of them
        found = item.getOriginalDataset() if isinstance(item, pg.PlotDataItem) else item.getData()
    x, y = (np.empty(0) if values is None else np.asarray(values, np.float64) for values in found)
    return _quantity(x, logarithmic[0]), _quantity(y, logarithmic[1])


def _quantity(values: Floats, log: bool) -> Floats:
    if not log:
        return values
    return np.array([float(f"{value:.{_DIGITS}g}") for value in 10.0**values])


def as_table(curves: Iterable[Curve]) -> dict[str, Floats]:
    """Heading to values. Curves that share their x share its column; where they do not, the heading of x says to which
    y it belongs. Edges of a histogram become two columns, from and to."""
    table: dict[str, Floats] = {}
    for curve in curves:
        if not len(curve.y):
            continue
        parts = [("", curve.x)]
        if len(curve.x) == len(curve.y) + 1:
            parts = [(", from", curve.x[:-1]), (", to", curve.x[1:])]
        for part, values in parts:
            name = curve.across.name + part
            heading = _heading(name, curve.across.unit, curve.run)
            if heading in table and not np.array_equal(table[heading], values):
                heading = _heading(f"{name} of {curve.up.name}", curve.across.unit, curve.run)
            table[heading] = values
        heading = _heading(curve.up.name, curve.up.unit, curve.run)
        if heading in table:
            raise ValueError(f"two columns are called {heading!r}")
        table[heading] = curve.y
    return table


def _heading(name: str, unit: str, run: str) -> str:
    return f"{name} ({run}) [{unit}]" if run else f"{name} [{unit}]"
