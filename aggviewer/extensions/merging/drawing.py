"""Plot series of a tree of merges: time runs to the right, each row is a branch, and thicker lines are larger clusters.
The first row is y = 0, the next y = -1, and so on. No Qt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import numpy as np

from aggviewer.extensions.merging.branches import LEVELS, Branches, Floats, Longs
from aggviewer.plots.drawing import Bounds, PlotSeries, Ticks
from aggviewer.plots.series_style import SeriesStyle, ShownSeries
from aggviewer.style.numbers import count
from aggviewer.style.theme import Colors

ROW = 4.0
"""A branch is drawn if it and all that joined it occupy at least this many pixels."""

_THIN, _THICK = 1.5, 10.0  # pixels: lines of the smallest and of the largest cluster
_DOT = 6.0  # pixels: diameter of a merge
_DECADES = 5.0  # at most on a logarithmic axis
_BEYOND = 0.03  # of the axis, behind the last merge
_MARGIN = 0.05  # of all rows, above the first one and below the last one


@dataclass(frozen=True)
class MergeTimes:
    """The time axis, from `low` to `high`, that shows all merges of a tree."""

    log: bool
    low: float
    high: float

    @staticmethod
    def of(branches: Branches, log: bool) -> MergeTimes:
        """The time axis for these branches; logarithmic if requested and possible."""
        low, high = branches.tree.since, branches.last
        times = branches.step_times[branches.step_times > 0.0]
        if log and len(times):
            first = max(float(times.min()), high * 10.0**-_DECADES)
            if high > first * 1.01:
                return MergeTimes(True, first * (first / high) ** _BEYOND, high * (high / first) ** _BEYOND)
        span = high - low if high > low else max(abs(high), 1.0)
        return MergeTimes(False, low, high + _BEYOND * span)

    def inside(self, times: Floats) -> Floats:
        """Times clipped to the ends of the axis."""
        return np.clip(times, self.low, self.high)

    def bounds(self, rows: int) -> Bounds:
        """The plot range for this many rows, with a margin."""
        margin = max(1.0, _MARGIN * rows)
        return self.low, self.high, 0.5 - rows - margin, margin - 0.5


def row_ticks(branches: Branches, shown: Longs, apart: float) -> Ticks:
    """Labels for the rows: the size of each branch. apart : least number of rows between labels."""
    labels: list[tuple[float, str]] = []
    for row in shown.tolist():
        if not labels or row + labels[-1][0] >= apart:
            labels.append((-float(row), count(int(branches.sizes[row]))))
    return Ticks(labels)


def draw_tree(
    branches: Branches, times: MergeTimes, shown: Longs, seen: tuple[float, float], colors: Colors, chosen: int = -1
) -> list[ShownSeries]:
    """Series for some branches: their lines, the joins at their ends, and a dot at each merge.

    Parameters
    ----------
    branches : all branches; shown : the ones to draw.
    times : the axis of time.
    seen : first and last visible row; nothing is drawn outside.
    chosen : a node to draw in the accent colour together with its history; -1 for none.
    """
    series = list(_draw(branches, times, shown, seen, "tree", colors.muted, colors.text))
    if chosen >= 0:
        tree = branches.tree
        begin = int(tree.first[chosen] - tree.first[branches.node])
        part = shown[(shown >= begin) & (shown < begin + tree.leaf_counts[chosen])]
        until = float(tree.time_of(chosen))
        series += _draw(branches, times, part, seen, "chosen", colors.accent, colors.accent, until, z=3.0)
    return series


def _draw(
    branches: Branches,
    times: MergeTimes,
    shown: Longs,
    seen: tuple[float, float],
    name: str,
    ink: str,
    strong: str,
    until: float = inf,
    z: float = 0.0,
) -> Iterator[ShownSeries]:
    """Series for branches up to a time. name : of the series; ink, strong : colours of lines and dots."""
    branch, begin, end, level = branches.pieces
    wanted = np.isin(branch, shown) & (begin < until) & (branch >= seen[0]) & (branch <= seen[1])
    for one in range(LEVELS):
        which = wanted & (level == one)
        x = times.inside(np.array([begin[which], np.minimum(end[which], until)]))
        y = np.repeat(-branch[which].astype(float)[None], 2, axis=0)
        yield _lines(f"{name} {one}", x, y, SeriesStyle(ink, width=line_width(one)), z)
    into = branches.into[shown]
    ending = shown[(branches.ends[shown] <= until) & (into >= 0) & (into <= seen[1]) & (shown >= seen[0])]
    x = times.inside(np.array([branches.ends[ending]] * 2))
    y = -np.array([ending, branches.into[ending]], float)
    yield _lines(f"{name} joins", x, y, SeriesStyle(ink, width=_THIN), z)
    near = branches.into[ending] >= seen[0]
    dots = PlotSeries(f"{name} merges", x[0, near], y[1, near], "points", marker="o", size=_DOT, shared=True)
    yield ShownSeries(dots.key, dots, SeriesStyle(strong, marker="o", size=_DOT), z + 1.0)


def _lines(key: str, x: Floats, y: Floats, style: SeriesStyle, z: float) -> ShownSeries:
    """Lines from x[0], y[0] to x[1], y[1]; x, y (2, n)."""
    gaps = np.full((1, x.shape[1]), np.nan)
    series = PlotSeries(key, np.vstack([x, gaps]).T.ravel(), np.vstack([y, gaps]).T.ravel(), shared=True)
    return ShownSeries(key, series, style, z)


def line_width(level: int) -> float:
    """The width of a branch's line in pixels."""
    return _THIN + (_THICK - _THIN) * level / (LEVELS - 1)
