"""Pairs of discs that are near each other, each once, in O(N): one sweep over the cells of a grid.

In a pair the larger disc finds the smaller one (`cells.is_found_by`), within its own reach, so that a few giants do not
widen every search. Other modules have their own searches, each for a reason. `engine.analysis.distances` counts pairs
at any distance, whatever their radii, without listing them. `engine.arrangements.relaxation` lists pairs of nearly
equal discs some hundred times: this sweep would take a quarter longer, 8 % of the time of a random start.
`engine.geometry.neighbours` takes spheres as well as discs, and every image of a disc. Hard discs and time stepping
search around single moving discs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.geometry.cells import SLACK, CellGrid, is_found_by, slots_around
from engine.geometry.minimum_image import axis_distance
from engine.kernels import borrowed, elements, inlined, kernel


def near_pairs(grid: CellGrid, radii: NDArray[np.float64], factor: float, *, of_discs: bool = False) -> Ints:
    """Pairs of discs with centres within ``factor (R_i + R_j)``, (K, 2).

    Parameters
    ----------
    grid
        With cells of any size.
    radii
        (N,), by slot of the grid.
    factor
        At least 0.
    of_discs
        Whether pairs hold the numbers of discs, the smaller one first, instead of slots.
    """
    room = 4 * len(radii) + 64
    while True:
        pairs = np.empty((room + 1, 2), np.int32)  # `sweep_equal` needs one more row
        if radii.min() == radii.max():
            found = sweep_equal(grid, float(radii[0]), factor, of_discs, pairs)
        else:
            found, _ = sweep(grid, radii, factor, of_discs, pairs)
        if found <= room:
            return pairs[:found]
        room = found


def distances(grid: CellGrid, pairs: Ints) -> NDArray[np.float64]:
    """Squared distances (K,) of pairs (K, 2) of slots, to the nearest image."""
    one, two = pairs.T
    dx, dy = np.abs(grid.x[one] - grid.x[two]), np.abs(grid.y[one] - grid.y[two])
    dx, dy = np.minimum(dx, grid.period_x - dx), np.minimum(dy, grid.period_y - dy)
    return np.asarray(dx * dx + dy * dy)


@kernel
def sweep(grid: CellGrid, radii: NDArray[np.float64], factor: float, of_discs: bool, pairs: Ints) -> tuple[int, int]:
    """List pairs, of discs or of slots, as far as they fit; returns their number, and the number of candidates.

    radii : (N,), by slot; factor : two discs are a pair within this factor of R_i + R_j; pairs : (K, 2), gets the list.
    """
    grid = borrowed(grid)
    found = tried = 0
    ranges = np.empty((2 * grid.rows, 2), np.int64)
    for row in range(grid.rows):
        for column in range(grid.columns):
            cell = row * grid.columns + column
            for a in range(grid.start[cell], grid.start[cell + 1]):
                x, y, radius = grid.x[a], grid.y[a], radii[a]
                for k in range(slots_around(grid, row, column, 2.0 * factor * radius * SLACK, ranges)):
                    tried += ranges[k, 1] - ranges[k, 0]
                    for b in range(ranges[k, 0], ranges[k, 1]):
                        if not is_found_by(a, b, radius, radii[b]):
                            continue
                        limit = factor * (radius + radii[b])
                        dx = axis_distance(x, grid.x[b], grid.period_x)
                        dy = axis_distance(y, grid.y[b], grid.period_y)
                        if dx * dx + dy * dy <= limit * limit:
                            if found < pairs.shape[0]:
                                i, j = grid.order[a], grid.order[b]
                                pairs[found, 0] = min(i, j) if of_discs else a
                                pairs[found, 1] = max(i, j) if of_discs else b
                            found += 1
    return found, tried


@kernel
def sweep_equal(grid: CellGrid, radius: float, factor: float, of_discs: bool, pairs: Ints) -> int:
    """List the pairs of discs of equal size as `sweep` does, in the same order; returns their number.

    Each disc finds those before it. Whether two discs are a pair is hard to predict for the processor, and each wrong
    guess costs some ten nanoseconds. So every candidate is written, and overwritten by the next one if it is not a
    pair. The last row of `pairs`, (K, 2), takes those that do not fit, and does not count.
    """
    grid = borrowed(grid)
    start = elements(grid.start)
    across = int(np.ceil(2.0 * factor * radius * SLACK / grid.width))
    up = int(np.ceil(2.0 * factor * radius * SLACK / grid.height))
    limit = factor * (radius + radius)
    found = 0
    ranges = np.empty((2 * grid.rows, 2), np.int64)
    for row in range(grid.rows):
        for column in range(grid.columns):
            cell = row * grid.columns + column
            first, end = start[cell], start[cell + 1]
            if first == end:
                continue
            if up <= row < grid.rows - up and across <= column < grid.columns - across:
                # away from the edges, all discs before it are in this row and in those below
                for a in range(first, end):
                    for other in range(row - up, row + 1):
                        beside = other * grid.columns + column
                        begin, stop = start[beside - across], min(start[beside + across + 1], a)
                        found = _append(grid, a, begin, stop, limit * limit, pairs, found)
            else:
                count = slots_around(grid, row, column, 2.0 * factor * radius * SLACK, ranges)
                for a in range(first, end):
                    for k in range(count):
                        found = _append(grid, a, ranges[k, 0], min(ranges[k, 1], a), limit * limit, pairs, found)
    if of_discs:
        for k in range(min(found, len(pairs) - 1)):
            i, j = grid.order[pairs[k, 0]], grid.order[pairs[k, 1]]
            pairs[k, 0], pairs[k, 1] = min(i, j), max(i, j)
    return found


@inlined
def _append(grid: CellGrid, a: int, begin: int, end: int, limit: float, pairs: Ints, found: int) -> int:
    """Append the pairs of slot a with slots begin to end - 1 up to a squared distance; returns how many there are."""
    xs, ys = elements(grid.x), elements(grid.y)
    for b in range(begin, end):
        dx = axis_distance(xs[a], xs[b], grid.period_x)
        dy = axis_distance(ys[a], ys[b], grid.period_y)
        place = min(found, len(pairs) - 1)
        pairs[place, 0], pairs[place, 1] = a, b
        found += int(dx * dx + dy * dy <= limit)
    return found
