"""A grid of cells with the discs sorted by cell, for every search of pairs in a state that does not change.

Discs of one cell, and of neighbouring cells of one row, lie next to each other in memory, so a search within
a distance is a handful of straight runs over contiguous coordinates. Distances are to the nearest image
(`minimum_image.axis_distance`), with a period that is the box side, or infinity between walls.

If discs move from cell to cell, or are added one by one, sorting does not pay, and cells are lists:
`engine.hard_discs.shells`, `engine.arrangements.at_random`, `engine.geometry.bucket_grid`.

Cells are made for discs of the usual size (`usual_radius`). Much larger discs are *wide*: in a pair with one of them
the larger disc searches for the smaller one (`is_found_by`), within its own reach. A search thus covers no more than a
few times the area of its own disc, and one giant among small discs does not slow down all searches.
"""

from __future__ import annotations

from math import ceil, inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Periodic
from engine.kernels import inner, kernel

_CELLS_PER_DISC = 8  # bounds memory for few discs in a large box
_WIDE = 4.0  # mean radii: largest discs for which cells are made
SLACK = 1.0 + 1e-9  # factor by which searches are extended, since rounding decides the cell of a centre near an edge


class CellGrid(NamedTuple):
    """N discs sorted by cell; a *slot* is a disc's place in that order. Made by `cell_grid`, used by kernels.

    x, y : (N,) float64, centres by slot; order : (N,) int32, disc of each slot;
    start : (rows * columns + 1,) int32, first slot of each cell, cell = row * columns + column;
    width, height : sides of a cell; period_x, period_y : box sides, infinite between walls; wraps_x, wraps_y : whether
    there is a period.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    order: NDArray[np.int32]
    start: NDArray[np.int32]
    rows: int
    columns: int
    width: float
    height: float
    period_x: float
    period_y: float
    wraps_x: bool
    wraps_y: bool


def usual_radius(radii: NDArray[np.float64]) -> float:
    """The radius that cells are made for: the largest, or four times the mean if some discs are larger than that.

    radii : (N,), > 0. Without overlaps, cells of this size have a bounded number of discs on average.
    """
    return min(float(radii.max()), _WIDE * float(radii.mean()))


def cell_grid(
    positions: NDArray[np.float64], box: NDArray[np.float64], *, periodic: Periodic | bool, width: float
) -> CellGrid:
    """Sort discs into cells of at least `width`, in O(N).

    Parameters
    ----------
    positions : (N, 2) float64, C-contiguous, finite, N >= 1. Along a periodic axis they are wrapped into the box.
    box : (2,) side lengths, > 0.
    periodic : along a periodic axis the grid covers the box and wraps around; else it covers the extent of the centres,
        so that a small aggregate in a wide box is resolved as finely as one that fills it.
    width : wanted side of a cell, > 0; cells are larger if there would be more than 8 N of them.
    """
    count = len(positions)
    wraps_x, wraps_y = Periodic.of(periodic, 2)
    period_x = float(box[0]) if wraps_x else inf
    period_y = float(box[1]) if wraps_y else inf
    low_x, low_y, high_x, high_y = 0.0, 0.0, period_x, period_y
    if not (wraps_x and wraps_y):
        extent = _extent(positions)
        low_x, high_x = (low_x, high_x) if wraps_x else (extent[0], extent[2])
        low_y, high_y = (low_y, high_y) if wraps_y else (extent[1], extent[3])
    extent_x, extent_y = high_x - low_x, high_y - low_y
    most = _CELLS_PER_DISC * count
    width = max(width, sqrt(extent_x) * sqrt(extent_y) / sqrt(most), extent_x / most, extent_y / most)
    columns, rows = max(1, int(extent_x / width)), max(1, int(extent_y / width))
    # never below `width`, even for centres on a line or at one point: callers divide by the sides
    side_x, side_y = max(extent_x / columns, width), max(extent_y / rows, width)
    x, y = np.empty(count), np.empty(count)
    order, start = np.empty(count, np.int32), np.zeros(rows * columns + 1, np.int32)
    grid = CellGrid(x, y, order, start, rows, columns, side_x, side_y, period_x, period_y, wraps_x, wraps_y)
    _sort(positions, low_x, low_y, grid)
    return grid


@kernel
def _extent(positions: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Least x and y, greatest x and y."""
    low_x, low_y = positions[0, 0], positions[0, 1]
    high_x, high_y = low_x, low_y
    for i in range(1, len(positions)):
        low_x, high_x = min(low_x, positions[i, 0]), max(high_x, positions[i, 0])
        low_y, high_y = min(low_y, positions[i, 1]), max(high_y, positions[i, 1])
    return low_x, low_y, high_x, high_y


@kernel
def _sort(positions: NDArray[np.float64], low_x: float, low_y: float, grid: CellGrid) -> None:
    """Fill the grid's arrays by a counting sort; it is stable, so the order is the same on every run."""
    count = len(positions)
    start = grid.start
    cell = np.empty(count, np.int32)
    for i in range(count):
        # a centre exactly on the upper edge belongs to the last cell
        column = int((_wrap(positions[i, 0], grid.period_x, grid.wraps_x) - low_x) / grid.width)
        row = int((_wrap(positions[i, 1], grid.period_y, grid.wraps_y) - low_y) / grid.height)
        cell[i] = min(row, grid.rows - 1) * grid.columns + min(column, grid.columns - 1)
        start[cell[i] + 1] += 1
    for c in range(grid.rows * grid.columns):
        start[c + 1] += start[c]
    free = start[:-1].copy()
    for i in range(count):
        slot = free[cell[i]]
        free[cell[i]] = slot + 1
        grid.order[slot] = i
        grid.x[slot] = _wrap(positions[i, 0], grid.period_x, grid.wraps_x)
        grid.y[slot] = _wrap(positions[i, 1], grid.period_y, grid.wraps_y)


@inner
def _wrap(value: float, period: float, wraps: bool) -> float:
    """The image of a coordinate in [0, period]; rounding can put a tiny negative one on `period` itself."""
    if wraps:
        value -= np.floor(value / period) * period
    return value


@inner
def column_ranges(grid: CellGrid, row: int, first: int, last: int) -> tuple[int, int, int, int]:
    """Slots of the discs in columns `first` to `last` (either may pass the edge) of one row, each disc once.

    Two half-open ranges ``(begin, end, begin2, end2)``; the second one is what a periodic box wraps around.
    """
    base = row * grid.columns
    start = grid.start
    after = base + grid.columns
    if grid.wraps_x and last - first + 1 >= grid.columns:
        return start[base], start[after], 0, 0
    if grid.wraps_x and first < 0:
        return start[after + first], start[after], start[base], start[base + last + 1]
    if grid.wraps_x and last >= grid.columns:
        return start[base + first], start[after], start[base], start[base + last + 1 - grid.columns]
    return start[base + max(first, 0)], start[base + min(last, grid.columns - 1) + 1], 0, 0


@inner
def row_range(grid: CellGrid, row: int, reach: int) -> tuple[int, int]:
    """Rows within `reach` of `row`, each once: a half-open range, taken modulo `rows` where the y axis is periodic."""
    if not grid.wraps_y:
        return max(row - reach, 0), min(row + reach + 1, grid.rows)
    if 2 * reach + 1 >= grid.rows:
        return 0, grid.rows
    return row - reach, row + reach + 1


@inner
def is_found_by(i: int, j: int, radius_i: float, radius_j: float) -> bool:
    """Whether i, the larger one of a pair (of equals, that with the greater number), finds j."""
    return radius_j < radius_i or (radius_j == radius_i and j < i)


@inner
def slots_around(grid: CellGrid, row: int, column: int, reach: float, ranges: NDArray[np.int64]) -> int:
    """Slots of all discs that may be within `reach` of a place in this cell, each once.

    They are written into `ranges`, (K, 2), as half-open ranges, K being twice the number of rows of the grid; returns
    how many ranges there are.
    """
    across = int(np.ceil(reach / grid.width))
    first, end = row_range(grid, row, int(np.ceil(reach / grid.height)))
    found = 0
    for other in range(first, end):
        begin, stop, begin2, stop2 = column_ranges(grid, other % grid.rows, column - across, column + across)
        if begin < stop:
            ranges[found, 0] = begin
            ranges[found, 1] = stop
            found += 1
        if begin2 < stop2:
            ranges[found, 0] = begin2
            ranges[found, 1] = stop2
            found += 1
    return found


@inner
def rows_ahead(grid: CellGrid, row: int, reach: int) -> int:
    """How many rows after `row` (modulo `rows` where the y axis is periodic) to search so that each pair of rows within
    `reach` of each other is met from one of its two sides only.
    """
    if grid.wraps_y and 2 * reach + 1 <= grid.rows:
        return reach
    if grid.wraps_y:  # so few rows that one ahead, around the edge, may be one behind as well: later rows only
        return grid.rows - 1 - row
    return min(reach, grid.rows - 1 - row)


@inner
def columns_ahead(grid: CellGrid, column: int, reach: int) -> int:
    """The last column to search for discs of the same row, so that each pair of columns within `reach` of each other is
    met from one of its two sides only; it may pass the edge."""
    if grid.wraps_x and 2 * reach + 1 > grid.columns:
        return grid.columns - 1
    return column + reach


def column_reach(grid: CellGrid, distance: float) -> NDArray[np.int64]:
    """How many columns to either side neighbours within `distance` may be, for the row offsets 0, 1, …, K - 1.

    (K,) int64; rows K or more away hold no neighbours. Corners that the circle does not reach are left out.
    """
    limit = distance * SLACK
    offsets = np.arange(ceil(limit / grid.height) + 1)
    nearest = np.maximum(offsets - 1, 0) * grid.height
    return np.ceil(np.sqrt(np.maximum(limit**2 - nearest**2, 0.0)) / grid.width).astype(np.int64)
