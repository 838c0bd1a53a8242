"""Which discs of a state overlap, in O(N), also where some are much larger than the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.cells import (
    SLACK,
    CellGrid,
    axis_distance,
    cell_grid,
    is_found_by,
    slots_around,
    usual_radius,
)
from engine.kernels import kernel


def deepest_overlap(
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    cluster: NDArray[np.int32],
    box: NDArray[np.float64],
    periodic: bool,
) -> tuple[float, int, int]:
    """The largest (R_i + R_j - |X_i - X_j|) / (R_i + R_j) over pairs of different clusters, and the pair i < j.

    positions : (N, 2), finite; radii : (N,), > 0; cluster : (N,); box : (2,). Returns (0.0, -1, -1) where no such
    pair overlaps. Pairs that overlap equally deep: the one with the smallest i, then j.
    """
    grid = cell_grid(positions, box, periodic=bool(periodic), width=2.0 * usual_radius(radii) * SLACK)
    depth, i, j, _ = _deepest(grid, radii[grid.order], cluster[grid.order])
    return float(depth), int(i), int(j)


@kernel
def _deepest(grid: CellGrid, radii: NDArray[np.float64], cluster: NDArray[np.int32]) -> tuple[float, int, int, int]:
    """`deepest_overlap`, and how many pairs were looked at. radii, cluster : (N,) by slot."""
    worst, worst_i, worst_j = 0.0, -1, -1
    looked = 0
    ranges = np.empty((2 * grid.rows, 2), np.int64)
    for row in range(grid.rows):
        for column in range(grid.columns):
            cell = row * grid.columns + column
            for a in range(grid.start[cell], grid.start[cell + 1]):
                for k in range(slots_around(grid, row, column, 2.0 * radii[a] * SLACK, ranges)):
                    looked += ranges[k, 1] - ranges[k, 0]
                    for b in range(ranges[k, 0], ranges[k, 1]):
                        if cluster[b] == cluster[a] or not is_found_by(a, b, radii):
                            continue
                        dx = axis_distance(grid.x[a], grid.x[b], grid.period_x)
                        dy = axis_distance(grid.y[a], grid.y[b], grid.period_y)
                        reach = radii[a] + radii[b]
                        square = dx * dx + dy * dy
                        if square < reach * reach:
                            depth = (reach - np.sqrt(square)) / reach
                            i, j = min(grid.order[a], grid.order[b]), max(grid.order[a], grid.order[b])
                            equal = depth == worst and (i < worst_i or (i == worst_i and j < worst_j))
                            if depth > worst or equal:
                                worst, worst_i, worst_j = depth, i, j
    return worst, worst_i, worst_j, looked
