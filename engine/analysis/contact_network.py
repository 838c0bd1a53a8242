"""Contacts between discs: relative number N_c (4.13), histogram, number per disc, and the pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.analysis.state import DiscState, disc_state
from engine.geometry.cells import SLACK, CellGrid, axis_distance, column_ranges, row_range
from engine.kernels import kernel

CONTACT = 1.05  # discs are in contact up to this distance over R_i + R_j; half of the paper's alpha_R = 2.1
_MOST = 6  # discs of equal size that one disc can touch


class Contacts(NamedTuple):
    """relative : N_c (4.13): (1 + mean number of contacts) / 6, so 1/6 for a lone disc, 7/6 where all have six.

    histogram : (K,) int64, number of discs with 0, 1, …, K - 1 contacts, K >= 7; its sum is N.
    """

    relative: float
    histogram: NDArray[np.int64]


def contacts(
    positions: NDArray[np.float64], radii: NDArray[np.float64], box: NDArray[np.float64], *, periodic: bool
) -> Contacts:
    """N_c = 1 / (6 N) sum over i, j of [|X_i - X_j| <= 2.1 R] (4.13), where i = j counts.

    With unequal radii two discs are in contact when |X_i - X_j| <= 1.05 (R_i + R_j), which is 2.1 R for equal
    ones. In a periodic box distances are to the nearest image.

    Parameters
    ----------
    positions : (N, 2), N >= 1; radii : (N,), > 0; box : (2,), side lengths. Anything else raises InputError.
    """
    return summary(counts_of(disc_state(positions, radii, box, periodic=periodic)))


def contact_counts(
    positions: NDArray[np.float64], radii: NDArray[np.float64], box: NDArray[np.float64], *, periodic: bool
) -> NDArray[np.int32]:
    """Number of contacts of each disc, itself not counted: (N,) int32. Parameters as for `contacts`."""
    return counts_of(disc_state(positions, radii, box, periodic=periodic))


def contact_pairs(
    positions: NDArray[np.float64], radii: NDArray[np.float64], box: NDArray[np.float64], *, periodic: bool
) -> NDArray[np.int32]:
    """Discs in contact: (K, 2) int32, each pair once, smaller number first. Parameters as for `contacts`."""
    return pairs_of(disc_state(positions, radii, box, periodic=periodic))[1]


def summary(counts: NDArray[np.int32]) -> Contacts:
    """`Contacts` from the number of contacts per disc."""
    histogram = np.bincount(counts, minlength=_MOST + 1)
    return Contacts((int(counts.sum(dtype=np.int64)) + len(counts)) / (_MOST * len(counts)), histogram)


def counts_of(state: DiscState) -> NDArray[np.int32]:
    """`contact_counts` of a checked state."""
    counts = np.zeros(len(state.radii), np.int32)
    _find_contacts(state.grid, state.radii[state.grid.order], counts, np.empty((0, 2), np.int32))
    return counts


def pairs_of(state: DiscState) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """`contact_counts` and `contact_pairs` of a checked state."""
    counts = counts_of(state)
    pairs = np.empty((int(counts.sum(dtype=np.int64)) // 2, 2), np.int32)
    if len(pairs):
        _find_contacts(state.grid, state.radii[state.grid.order], np.zeros_like(counts), pairs)
    return counts, pairs


@kernel
def _find_contacts(
    grid: CellGrid, radii: NDArray[np.float64], counts: NDArray[np.int32], pairs: NDArray[np.int32]
) -> None:
    """Add to `counts` (by disc) and, unless `pairs` is empty, list the pairs. radii : (N,) by slot.

    The larger disc of a pair finds the smaller one. A search thus never reaches farther than the disc's own
    size, and the work stays O(N) when a few discs are very large.
    """
    listed = 0
    for row in range(grid.rows):
        for column in range(grid.columns):
            cell = row * grid.columns + column
            for i in range(grid.start[cell], grid.start[cell + 1]):
                reach = 2.0 * CONTACT * SLACK * radii[i]
                across = int(np.ceil(reach / grid.width))
                first_row, end_row = row_range(grid, row, int(np.ceil(reach / grid.height)))
                for other in range(first_row, end_row):
                    begin, stop, begin2, stop2 = column_ranges(
                        grid, other % grid.rows, column - across, column + across
                    )
                    listed = _find_smaller(grid, i, begin, stop, radii, counts, pairs, listed)
                    listed = _find_smaller(grid, i, begin2, stop2, radii, counts, pairs, listed)


@kernel
def _find_smaller(
    grid: CellGrid,
    i: int,
    begin: int,
    end: int,
    radii: NDArray[np.float64],
    counts: NDArray[np.int32],
    pairs: NDArray[np.int32],
    listed: int,
) -> int:
    """Contacts of slot i with smaller discs (of equal ones: earlier ones) in slots begin to end - 1."""
    for j in range(begin, end):
        if radii[j] > radii[i] or (radii[j] == radii[i] and j >= i):
            continue
        dx = axis_distance(grid.x[i], grid.x[j], grid.period_x)
        dy = axis_distance(grid.y[i], grid.y[j], grid.period_y)
        limit = CONTACT * (radii[i] + radii[j])
        if dx * dx + dy * dy <= limit * limit:
            one, two = grid.order[i], grid.order[j]
            counts[one] += 1
            counts[two] += 1
            if len(pairs):
                pairs[listed, 0] = min(one, two)
                pairs[listed, 1] = max(one, two)
                listed += 1
    return listed
