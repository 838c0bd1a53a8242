"""Counting pairs of discs by distance, up to tens of radii: exact numbers, computed mostly in single precision.

Each disc has a few hundred others in range, so the loop over pairs must be very fast. It processes blocks of cells: all
discs in range of any disc of the block are copied into one row, relative to the block. A first loop over the row
computes intervals in single precision with vector instructions; a second one counts them. A pair so near to the edge of
an interval that single precision cannot decide (about one in a thousand) is marked, and compared again in double
precision. For 10^6 discs at V_f = 0.2 all pairs within 20 R are counted in a quarter of the time of a double-precision
loop over cells, with the same result.
"""

from __future__ import annotations

from math import ceil, frexp, hypot, ldexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.analysis.state import Floats, Longs
from engine.geometry.cells import CellGrid, column_ranges, column_reach, columns_ahead, rows_ahead
from engine.geometry.minimum_image import axis_distance, nearest_image
from engine.kernels import borrowed, elements, inlined, kernel

_BLOCK = 5  # cells along each side of a block: about ten discs, found by measurement
_MOST = 4096  # most counted places: there are more only for a few discs in wide cells, which are all compared again
_FAR = 2.0**60  # a length whose square does not overflow in single precision
_ROUNDING = 16.0 * float(np.finfo(np.float32).eps)
"""Largest error of a distance in single precision, over the largest coordinate: about twice the sum of all roundings
(10 halves of `eps` from the coordinates, 5 from the root and what follows it)."""


class _Row(NamedTuple):
    """Discs to compare with each other, contiguous in memory.

    x, y : relative to one of them; slot : in the grid; place : of the distance from the present disc.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    slot: NDArray[np.int32]
    place: NDArray[np.int32]


def pairs_by_distance(grid: CellGrid, r: Floats) -> Longs:
    """Numbers of pairs at distances up to r[0], in (r[0], r[1]], …, and beyond r[-1] (as far as they were found).

    r : (K,) float64, >= 0, evenly spaced and ascending, K >= 2. Exact, each pair once (by its nearest image), (K + 1,)
    int64.
    """
    step = float(r[-1] - r[0]) / (len(r) - 1)
    reach = column_reach(grid, float(r[-1]))
    across, up = int(reach.max()), len(reach) - 1
    block = _BLOCK
    around = grid.wraps and (grid.columns <= 2 * (across + block) or grid.rows <= 2 * (up + block))
    if around:
        block = 1  # discs ahead of a larger block might also be behind it
    # the scale on which r[k] is the whole number first + k, first >= 1: intervals are the whole parts
    first = ceil(float(r[0]) / step) + 1
    longest = hypot((across + block) * grid.width, (up + block) * grid.height)
    # lengths are scaled so that an interval is about 1 and single precision does not overflow, in any unit of length
    scale = ldexp(1.0, -frexp(max(step, longest / _FAR))[1])
    per_unit = min(1.0 / (step * scale), _FAR)
    unsure = min(_ROUNDING * longest / step, 1.0)
    bins = min(int(longest / step) + first + 2, _MOST)
    count = len(grid.order)
    row = _Row(*np.empty((2, count), np.float32), *np.empty((2, count), np.int32))
    places = np.zeros((2, 2 * bins), np.int64)
    edges, pairs = np.append(r * r, np.inf), np.zeros(len(r) + 1, np.int64)
    shift = first - float(r[0]) / step
    _count(grid, reach, block, around, edges, first, shift, 1.0 / step, scale, per_unit, unsure, row, places, pairs)
    return pairs


@kernel
def _count(
    grid: CellGrid,
    reach: Longs,
    block: int,
    around: bool,
    edges: Floats,
    first: int,
    shift: float,
    per_length: float,
    scale: float,
    per_unit: float,
    rounding: float,
    row_of_discs: _Row,
    places: Longs,
    pairs: Longs,
) -> None:
    """Add to `pairs`, by interval between consecutive `edges` (squared distances, the last infinite), each pair once.

    around : whether two discs of a row may be nearer to each other around a periodic box.
    shift, per_length : a distance d has the place shift + d per_length on the scale of the intervals.
    scale, per_unit : the same in single precision, with lengths multiplied by `scale`: shift + (scale d) per_unit.
    rounding : largest error of a place in single precision; 1 : all pairs are compared once more.
    places : zeros, (2, K), with K more than twice the number of places: counts by place, and in the second half those
        of marked pairs. One row counts the first half of the neighbours, the other the second half, because a count can
        only be incremented again after it has been written; with two rows, waits are half as frequent.
    """
    grid = borrowed(grid)
    x, y, slot, place = (
        elements(row_of_discs.x),
        elements(row_of_discs.y),
        elements(row_of_discs.slot),
        elements(row_of_discs.place),
    )
    count, other, bins = elements(places[0]), elements(places[1]), places.shape[1] // 2
    period_x: Any = np.float32(grid.period_x * scale)  # mypy does not accept float32 as a float
    period_y: Any = np.float32(grid.period_y * scale)
    per, begin, low = np.float32(per_unit), np.float32(shift), np.float32(rounding)
    last = float(first + len(edges) - 1)
    half, marked, most = np.float32(0.5), np.int32(bins), np.float32(bins - 1)
    for row in range(0, grid.rows, block):
        for column in range(0, grid.columns, block):
            own, total = _neighbourhood(grid, reach, row, column, block, scale, x, y, slot)
            for i in range(own):
                x0, y0 = x[i], y[i]
                unsure = np.int32(0)
                for k in range(i + 1, total):
                    dx = axis_distance(x0, x[k], period_x) if around else x0 - x[k]
                    dy = axis_distance(y0, y[k], period_y) if around else y0 - y[k]
                    at = min(np.sqrt(dx * dx + dy * dy) * per + begin, most)
                    interval = np.int32(at)
                    near = abs(at - np.float32(interval) - half) > half - low
                    place[k] = interval + marked if near else interval
                    unsure += np.int32(near)
                many = (total - i - 1) // 2
                for k in range(i + 1, i + 1 + many):
                    count[place[k]] += 1
                    other[place[k + many]] += 1
                if i + 1 + 2 * many < total:
                    count[place[total - 1]] += 1
                for k in range(i + 1, total if unsure > 0 else 0):
                    if place[k] >= marked:
                        dx = axis_distance(grid.x[slot[i]], grid.x[slot[k]], grid.period_x)
                        dy = axis_distance(grid.y[slot[i]], grid.y[slot[k]], grid.period_y)
                        squared = dx * dx + dy * dy
                        # the edge that it is near to
                        edge = int(min(np.sqrt(squared) * per_length + shift + 0.5, last)) - first
                        if edge >= 0:
                            pairs[edge + 1 if squared > edges[edge] else edge] += 1
                        else:
                            pairs[0] += 1
    for k in range(bins):
        pairs[min(max(k - first + 1, 0), len(pairs) - 1)] += places[0, k] + places[1, k]


@inlined
def _neighbourhood(
    grid: CellGrid,
    reach: Longs,
    row: int,
    column: int,
    block: int,
    scale: float,
    x: NDArray[np.float32],
    y: NDArray[np.float32],
    slot: NDArray[np.int32],
) -> tuple[int, int]:
    """Copy the discs of a block of cells, then those ahead of it within reach, so that each pair is met once.

    x, y : coordinates relative to a disc of the block, by the nearest image, times `scale`. Returns the numbers of
    discs in the block and in all.
    """
    end_row, end_column = min(row + block, grid.rows), min(column + block, grid.columns)
    far = len(reach) - 1
    own = 0
    x0 = y0 = 0.0
    for r in range(row, end_row):
        begin, end = grid.start[r * grid.columns + column], grid.start[r * grid.columns + end_column]
        if own == 0 and begin < end:
            x0, y0 = grid.x[begin], grid.y[begin]
        own = _copy(grid, begin, end, x0, y0, scale, x, y, slot, own)
    if own == 0:
        return 0, 0
    total = own
    last = columns_ahead(grid, end_column - 1, reach[0])
    for r in range(row, end_row):
        begin, end, begin2, end2 = column_ranges(grid, r, end_column, last)
        total = _copy(grid, begin, end, x0, y0, scale, x, y, slot, total)
        total = _copy(grid, begin2, end2, x0, y0, scale, x, y, slot, total)
    for offset in range(1, rows_ahead(grid, end_row - 1, far) + 1):
        apart = min(offset, grid.rows - offset) if grid.wraps else offset
        if apart <= far:
            first, last = column - reach[apart], end_column - 1 + reach[apart]
            begin, end, begin2, end2 = column_ranges(grid, (end_row - 1 + offset) % grid.rows, first, last)
            total = _copy(grid, begin, end, x0, y0, scale, x, y, slot, total)
            total = _copy(grid, begin2, end2, x0, y0, scale, x, y, slot, total)
    return own, total


@inlined
def _copy(
    grid: CellGrid,
    begin: int,
    end: int,
    x0: float,
    y0: float,
    scale: float,
    x: NDArray[np.float32],
    y: NDArray[np.float32],
    slot: NDArray[np.int32],
    total: int,
) -> int:
    """Append slots begin to end - 1 to a row of `total` discs, and return how many there are then."""
    from_x, from_y = elements(grid.x), elements(grid.y)
    half_x, half_y = 0.5 * grid.period_x, 0.5 * grid.period_y
    for j in range(begin, end):
        x[total] = scale * nearest_image(from_x[j] - x0, grid.period_x, half_x)
        y[total] = scale * nearest_image(from_y[j] - y0, grid.period_y, half_y)
        slot[total] = j
        total += 1
    return total
