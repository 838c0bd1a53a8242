"""What a plot shows of a measured state, without a window."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from aggviewer.plots.drawing import LiveNumber, PlotDrawing
from aggviewer.plots.plot import Plot
from aggviewer.session.data import Analysis


def drawn(plot: Plot, analysis: Analysis, fit_range: tuple[float, float] | None = None, **choices: bool) -> PlotDrawing:
    """The drawing of a state, with its usual fit unless a range is given."""
    found = plot.prepare(analysis, choices, fit_range)
    assert found is not None
    return found


def curve(found: PlotDrawing, key: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """x and y of a series."""
    return found[key].x, found[key].y


def number(found: PlotDrawing, symbol: str, pane: int = 0) -> str:
    """A number in the corner of a pane, rich text."""
    one = found.panes[pane].numbers[symbol]
    return one.text if isinstance(one, LiveNumber) else one
