"""Discs near each other: every pair no farther apart than a multiple of the sum of its radii, met once, in O(N)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.analysis.state import DiscState
from engine.geometry.cells import CellGrid
from engine.geometry.minimum_image import axis_distance
from engine.geometry.pairs import near_pairs
from engine.kernels import kernel


def list_near(state: DiscState, most: float) -> NDArray[np.int32]:
    """Pairs of discs within `most` (R_i + R_j), (K, 2), each once, smaller number first."""
    return near_pairs(state.grid, state.radii[state.grid.order], most, of_discs=True)


def count_near(state: DiscState, most: float) -> NDArray[np.int32]:
    """Number of discs within `most` (R_i + R_j) of each disc, itself not counted: (N,)."""
    return counts_of_pairs(list_near(state, most), len(state.radii))


def counts_of_pairs(pairs: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """In how many of the pairs (K, 2) each of the discs is: (count,)."""
    return np.bincount(pairs.ravel(), minlength=count).astype(np.int32)


def count_gaps(state: DiscState, widest: float, interval: float) -> NDArray[np.int64]:
    """Pairs by their gap, |X_i - X_j| / (R_i + R_j) - 1, from 0 to `widest` in steps of `interval`; overlaps are left
    out."""
    gaps = np.zeros(round(widest / interval), np.int64)
    radii = state.radii[state.grid.order]
    _bin_gaps(state.grid, radii, near_pairs(state.grid, radii, 1.0 + widest), 1.0 / interval, gaps)
    return gaps


@kernel
def _bin_gaps(
    grid: CellGrid, radii: NDArray[np.float64], pairs: NDArray[np.int32], per_unit: float, gaps: NDArray[np.int64]
) -> None:
    """Count pairs of slots by their gap times `per_unit`."""
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        dx = axis_distance(grid.x[a], grid.x[b], grid.period_x)
        dy = axis_distance(grid.y[a], grid.y[b], grid.period_y)
        squared, contact = dx * dx + dy * dy, radii[a] + radii[b]
        if squared >= contact * contact:
            place = int((np.sqrt(squared) / contact - 1.0) * per_unit)
            if place < len(gaps):
                gaps[place] += 1
