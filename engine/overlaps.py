"""Which discs of a state overlap, in O(N)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.cells import SLACK, CellGrid, axis_distance, cell_grid, column_ranges, row_range
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
    grid = cell_grid(positions, box, periodic=bool(periodic), width=2.0 * float(radii.max()) * SLACK)
    depth, i, j = _deepest(grid, radii, cluster)
    return float(depth), int(i), int(j)


@kernel
def _deepest(grid: CellGrid, radii: NDArray[np.float64], cluster: NDArray[np.int32]) -> tuple[float, int, int]:
    worst, worst_i, worst_j = 0.0, -1, -1
    for row in range(grid.rows):
        first, end = row_range(grid, row, 1)
        for column in range(grid.columns):
            cell = row * grid.columns + column
            if grid.start[cell] == grid.start[cell + 1]:
                continue
            for other in range(first, end):
                begin, stop, begin2, stop2 = column_ranges(grid, other % grid.rows, column - 1, column + 1)
                for a in range(grid.start[cell], grid.start[cell + 1]):
                    i = grid.order[a]
                    for part in range(2):
                        for b in range(begin if part == 0 else begin2, stop if part == 0 else stop2):
                            j = grid.order[b]
                            if j <= i or cluster[j] == cluster[i]:
                                continue
                            dx = axis_distance(grid.x[a], grid.x[b], grid.period_x)
                            dy = axis_distance(grid.y[a], grid.y[b], grid.period_y)
                            reach = radii[i] + radii[j]
                            square = dx * dx + dy * dy
                            if square < reach * reach:
                                depth = (reach - np.sqrt(square)) / reach
                                equal = depth == worst and (i < worst_i or (i == worst_i and j < worst_j))
                                if depth > worst or equal:
                                    worst, worst_i, worst_j = depth, i, j
    return worst, worst_i, worst_j
