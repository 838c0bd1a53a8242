"""Pairs of discs that are near each other, each once, in O(N): one sweep over the cells of a grid.

Of a pair the larger disc finds the smaller one (`cells.is_found_by`), as far as it reaches itself, so that a few giants
do not make every search wide. Other searches are their own, for a reason each. `engine.analysis.distances` counts
pairs at any distance, whatever their radii, and never writes them down. `engine.arrangements.relaxation` lists discs
that hardly differ some hundred times: this sweep would take a quarter longer for them, 8 % of the time of a random
start. `engine.jamming.neighbours` takes spheres as well as discs, and every image of a disc. Hard discs and time steps
search around single discs, while these move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.cells import SLACK, CellGrid, is_found_by, slots_around
from engine.geometry.minimum_image import axis_distance
from engine.kernels import borrowed, kernel

Pairs = NDArray[np.int32]


def near_pairs(grid: CellGrid, radii: NDArray[np.float64], factor: float, *, of_discs: bool = False) -> Pairs:
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
    pairs = np.empty((4 * len(radii) + 64, 2), np.int32)
    found, _ = sweep(grid, radii, factor, of_discs, pairs)
    if found > len(pairs):
        pairs = np.empty((found, 2), np.int32)
        found, _ = sweep(grid, radii, factor, of_discs, pairs)
    return pairs[:found]


def distances(grid: CellGrid, pairs: Pairs) -> NDArray[np.float64]:
    """Squared distances (K,) of pairs (K, 2) of slots, to the nearest image."""
    one, two = pairs.T
    dx, dy = np.abs(grid.x[one] - grid.x[two]), np.abs(grid.y[one] - grid.y[two])
    dx, dy = np.minimum(dx, grid.period_x - dx), np.minimum(dy, grid.period_y - dy)
    return np.asarray(dx * dx + dy * dy)


@kernel
def sweep(grid: CellGrid, radii: NDArray[np.float64], factor: float, of_discs: bool, pairs: Pairs) -> tuple[int, int]:
    """List pairs, of discs or of slots, as far as there is room; returns how many there are, and how many it tried."""
    grid = borrowed(grid)
    found = tried = 0
    ranges = np.empty((2 * grid.rows, 2), np.int64)
    equal = radii.min() == radii.max()  # then a disc finds those before it, and need not look at the others
    for row in range(grid.rows):
        for column in range(grid.columns):
            cell = row * grid.columns + column
            for a in range(grid.start[cell], grid.start[cell + 1]):
                x, y, radius = grid.x[a], grid.y[a], radii[a]
                for k in range(slots_around(grid, row, column, 2.0 * factor * radius * SLACK, ranges)):
                    begin, end = ranges[k, 0], min(ranges[k, 1], a) if equal else ranges[k, 1]
                    tried += max(end - begin, 0)
                    for b in range(begin, end):
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
