"""What is drawn of a run in a plot: its points, numbers and range, and the items that show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from aggviewer.plots.error_bars import Errors
from aggviewer.plots.view import Bounds

NOTHING: NDArray[np.float64] = np.empty(0)


@dataclass(frozen=True)
class Drawn:
    """What is drawn of a run in a plot.

    Parameters
    ----------
    x, y : (K,), the points that the mouse can read, in plot coordinates (log10 on a logarithmic axis).
    describe : the point of an index, in words.
    bounds : the range that shows all of them.
    values : symbol to number, in rich text, for the corner of the plot.
    note : what stands there where no run has a value.
    clickable : (K,), which points answer a click; None for none.
    errors : field of `Plot._new_items` to the standard errors of what it shows.
    fitted : whether its points follow the law of `Plot.power_fit` at all.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    describe: Callable[[int], str]
    bounds: Bounds | None = None
    values: dict[str, str] = field(default_factory=dict)
    note: str = ""
    clickable: NDArray[np.bool_] | None = None
    errors: Mapping[str, Errors] = field(default_factory=dict)
    fitted: bool = True


class Mark(NamedTuple):
    """What stands before a symbol in the corner of a plot: a piece of its curve, or one of its points.

    coloured : in the colour of the run.
    """

    stroke: str
    coloured: bool = False


def leaves(items: Any, field: str = "") -> Iterator[tuple[str, Any]]:
    """Every item of pyqtgraph in what one run consists of, with the field of `_new_items` that it belongs to."""
    if isinstance(items, dict):
        items = tuple(items.values())
    if not field:
        for name, item in items._asdict().items():
            yield from leaves(item, name)
    elif isinstance(items, list | tuple):
        for item in items:
            yield from leaves(item, field)
    else:
        yield field, items


def blank(item: Any) -> None:
    """Nothing is seen of an item until it is drawn anew; what has no empty form is hidden."""
    if isinstance(item, pg.PlotDataItem) and item.opts["stepMode"] is None:
        item.setData([], [])
    elif isinstance(item, pg.ScatterPlotItem):
        item.clear()
    else:
        item.hide()
