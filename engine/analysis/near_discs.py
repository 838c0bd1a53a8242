"""Discs near each other: every pair no farther apart than a multiple of the sum of its radii, met once, in O(N)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.analysis.state import DiscState
from engine.geometry.cells import SLACK, CellGrid, axis_distance, is_found_by, slots_around
from engine.kernels import inner, kernel

_NO_COUNTS = np.empty(0, np.int32)
_NO_PAIRS = np.empty((0, 2), np.int32)
_NO_GAPS = np.empty(0, np.int64)


def count_near(state: DiscState, most: float) -> NDArray[np.int32]:
    """Number of discs within `most` (R_i + R_j) of each disc, itself not counted: (N,)."""
    counts = np.zeros(len(state.radii), np.int32)
    _meet(state.grid, state.radii[state.grid.order], most, counts, _NO_PAIRS, _NO_GAPS, 0.0)
    return counts


def list_near(state: DiscState, most: float, count: int) -> NDArray[np.int32]:
    """The `count` pairs within `most` (R_i + R_j), (count, 2), each once, smaller number first."""
    pairs = np.empty((count, 2), np.int32)
    if count:
        _meet(state.grid, state.radii[state.grid.order], most, _NO_COUNTS, pairs, _NO_GAPS, 0.0)
    return pairs


def count_gaps(state: DiscState, widest: float, interval: float) -> NDArray[np.int64]:
    """Pairs by their gap, |X_i - X_j| / (R_i + R_j) - 1, from 0 to `widest` in steps of `interval`; overlaps are left
    out."""
    gaps = np.zeros(round(widest / interval), np.int64)
    _meet(state.grid, state.radii[state.grid.order], 1.0 + widest, _NO_COUNTS, _NO_PAIRS, gaps, 1.0 / interval)
    return gaps


@kernel
def _meet(
    grid: CellGrid,
    radii: NDArray[np.float64],
    most: float,
    counts: NDArray[np.int32],
    pairs: NDArray[np.int32],
    gaps: NDArray[np.int64],
    per_unit: float,
) -> None:
    """Add to `counts` (by disc), list `pairs`, add to `gaps` (by gap times `per_unit`): each unless it is empty.
    radii : (N,) by slot.
    """
    listed = 0
    ranges = np.empty((2 * grid.rows, 2), np.int64)
    for row in range(grid.rows):
        for column in range(grid.columns):
            cell = row * grid.columns + column
            for i in range(grid.start[cell], grid.start[cell + 1]):
                for k in range(slots_around(grid, row, column, 2.0 * most * SLACK * radii[i], ranges)):
                    begin, end = ranges[k, 0], ranges[k, 1]
                    listed = _meet_smaller(grid, i, begin, end, radii, most, counts, pairs, gaps, per_unit, listed)


@inner
def _meet_smaller(
    grid: CellGrid,
    i: int,
    begin: int,
    end: int,
    radii: NDArray[np.float64],
    most: float,
    counts: NDArray[np.int32],
    pairs: NDArray[np.int32],
    gaps: NDArray[np.int64],
    per_unit: float,
    listed: int,
) -> int:
    """Slot i with the discs that it finds in slots begin to end - 1; returns the pairs listed."""
    for j in range(begin, end):
        if not is_found_by(i, j, radii):
            continue
        dx = axis_distance(grid.x[i], grid.x[j], grid.period_x)
        dy = axis_distance(grid.y[i], grid.y[j], grid.period_y)
        contact = radii[i] + radii[j]
        limit = most * contact
        squared = dx * dx + dy * dy
        if squared > limit * limit:
            continue
        one, two = grid.order[i], grid.order[j]
        if len(counts):
            counts[one] += 1
            counts[two] += 1
        if len(pairs):
            pairs[listed, 0] = min(one, two)
            pairs[listed, 1] = max(one, two)
            listed += 1
        if len(gaps) and squared >= contact * contact:
            place = int((np.sqrt(squared) / contact - 1.0) * per_unit)
            if place < len(gaps):
                gaps[place] += 1
    return listed
