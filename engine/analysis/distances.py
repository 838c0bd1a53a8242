"""Pair distribution: how many discs lie within r of a disc (4.14)."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from engine.analysis.pair_counting import pairs_by_distance
from engine.analysis.state import DiscState, disc_state

_POINTS = 180
_FROM, _TO = 2.0, 20.0  # mean radii


class PairDistribution(TypedDict):
    """r : (180,) float64, distances, ascending; p : (180,) float64, P(r), >= 1."""

    r: NDArray[np.float64]
    p: NDArray[np.float64]


def pair_distribution(
    positions: NDArray[np.float64], radii: NDArray[np.float64], box: NDArray[np.float64], *, periodic: bool
) -> PairDistribution:
    """P(r) = 1/N sum over i, j of [|X_i - X_j| <= r] (4.14), cumulative, i = j counts, exact.

    r runs over the midpoints of 180 equal intervals of (2 R, 20 R), R the mean radius: 2.05 R, 2.15 R, …,
    19.95 R. Midpoints keep clear of 2 R, 4 R, …, where discs in contact and lattices put distances that are
    equal to r but for rounding. In a periodic box each pair counts once, by its nearest image.

    Parameters
    ----------
    positions : (N, 2), N >= 1; radii : (N,), > 0; box : (2,), side lengths. Anything else raises InputError.
    """
    return measure(disc_state(positions, radii, box, periodic=periodic))


def measure(state: DiscState) -> PairDistribution:
    """`pair_distribution` of a checked state."""
    step = (_TO - _FROM) / _POINTS
    r = (_FROM + step * (np.arange(_POINTS, dtype=np.float64) + 0.5)) * state.mean_radius
    pairs = pairs_by_distance(state.grid, r)
    count = len(state.radii)
    return {"r": r, "p": (count + 2 * np.cumsum(pairs[:_POINTS])) / count}
