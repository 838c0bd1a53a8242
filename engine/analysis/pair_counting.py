"""Pairs of discs by their distance: the count behind P(r) and g(r)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.cells import CellGrid, column_ranges, column_reach, columns_ahead, rows_ahead
from engine.geometry.minimum_image import axis_distance
from engine.kernels import inner, kernel


def pairs_by_distance(grid: CellGrid, r: NDArray[np.float64]) -> NDArray[np.int64]:
    """Pairs at distances up to r[0], in (r[0], r[1]], …, and beyond r[-1] as far as the search happens to reach.

    r : (K,) float64, >= 0, rising strictly, K >= 2. Exact, each pair once (by its nearest image), (K + 1,) int64.
    """
    edges = r * r
    # Fine bins in r^2, at most one edge in each: a bin and one comparison give the interval, without a square
    # root.
    scale = 1.0 / (0.9 * np.diff(edges).min())
    bins = (edges * scale).astype(np.int64)
    lookup = np.searchsorted(bins, np.arange(bins[-1] + 2)).astype(np.int32)
    return _count_pairs(grid, column_reach(grid, float(r[-1])), np.append(edges, np.inf), lookup, scale)


@kernel
def _count_pairs(
    grid: CellGrid,
    reach: NDArray[np.int64],
    edges: NDArray[np.float64],
    lookup: NDArray[np.int32],
    scale: float,
) -> NDArray[np.int64]:
    """Pairs by interval between consecutive `edges` (squared distances, the last infinite), each pair once."""
    pairs = np.zeros(len(edges), np.int64)
    far = len(reach) - 1
    for row in range(grid.rows):
        ahead = rows_ahead(grid, row, far)
        for column in range(grid.columns):
            begin = grid.start[row * grid.columns + column]
            end = grid.start[row * grid.columns + column + 1]
            if begin == end:
                continue
            last = columns_ahead(grid, column, reach[0])
            _, stop, begin2, stop2 = column_ranges(grid, row, column, last)
            for i in range(begin, end):  # own row: the discs after i, here and in the columns ahead
                _bin_pairs(grid, i, i + 1, stop, edges, lookup, scale, pairs)
                _bin_pairs(grid, i, begin2, stop2, edges, lookup, scale, pairs)
            for offset in range(1, ahead + 1):
                apart = min(offset, grid.rows - offset) if grid.wraps else offset
                if apart > far:
                    continue
                first, last = column - reach[apart], column + reach[apart]
                begin1, stop1, begin2, stop2 = column_ranges(grid, (row + offset) % grid.rows, first, last)
                for i in range(begin, end):
                    _bin_pairs(grid, i, begin1, stop1, edges, lookup, scale, pairs)
                    _bin_pairs(grid, i, begin2, stop2, edges, lookup, scale, pairs)
    return pairs


@inner
def _bin_pairs(
    grid: CellGrid,
    i: int,
    begin: int,
    end: int,
    edges: NDArray[np.float64],
    lookup: NDArray[np.int32],
    scale: float,
    pairs: NDArray[np.int64],
) -> None:
    """Add the pairs of slot i with slots begin to end - 1. Those beyond the last edge land in the last entry."""
    x, y = grid.x[i], grid.y[i]
    top = len(lookup) - 1
    for j in range(begin, end):
        dx = axis_distance(x, grid.x[j], grid.period_x)
        dy = axis_distance(y, grid.y[j], grid.period_y)
        squared = dx * dx + dy * dy
        scaled = squared * scale
        interval = lookup[int(scaled)] if scaled < top else lookup[top]
        if squared > edges[interval]:
            interval += 1
        pairs[interval] += 1
