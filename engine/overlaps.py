"""Which discs of a state overlap, in O(N), also where some are much larger than the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.cells import SLACK, cell_grid, usual_radius
from engine.geometry.pairs import distances, near_pairs


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
    pairs = near_pairs(grid, radii[grid.order], 1.0)
    discs = np.sort(grid.order[pairs], axis=1)
    reach = radii[grid.order][pairs].sum(axis=1)
    depth = (reach - np.sqrt(distances(grid, pairs))) / reach
    depth[cluster[discs[:, 0]] == cluster[discs[:, 1]]] = 0.0
    if not (depth > 0.0).any():
        return 0.0, -1, -1
    deepest = np.flatnonzero(depth == depth.max())
    i, j = min(discs[deepest].tolist())
    return float(depth.max()), i, j
