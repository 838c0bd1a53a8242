"""Finding the deepest overlap of a state in O(N), also where some discs are much larger than others."""

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
    """The largest overlap (R_i + R_j - |X_i - X_j|) / (R_i + R_j) of two discs of different clusters.

    Parameters
    ----------
    positions : (N, 2), finite.
    radii : (N,), above 0.
    cluster : (N,), the label of each disc's cluster.
    box : (2,), the sides of the box.
    periodic : whether the box is periodic.

    Returns
    -------
    overlap : 0.0 where no such pair overlaps.
    i, j : the pair, i < j; -1 and -1 where none overlaps. Of equally deep overlaps the one with the smallest i, then j.
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
