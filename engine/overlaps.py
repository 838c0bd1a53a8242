"""Finding overlaps in a state in O(N), even if some discs are much larger than others."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Periodic
from engine.errors import InputError
from engine.geometry.cells import SLACK, cell_grid, usual_radius
from engine.geometry.nearest import wrapped
from engine.geometry.neighbours import DenseState
from engine.geometry.neighbours import near_pairs as pairs_in_space
from engine.geometry.pairs import distances, near_pairs
from engine.state import InitialState

OVERLAP_TOLERANCE = 1e-9  # relative to R_i + R_j: discs of an initial state may overlap so much


class OverlapError(InputError):
    """Discs overlap, or reach beyond a wall."""


def overlaps(
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    cluster: NDArray[np.int32],
    box: NDArray[np.float64],
    periodic: Periodic | bool,
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
    """All overlaps of two discs of different clusters.

    Parameters
    ----------
    positions : (N, d), finite, d = 2 for discs and 3 for spheres.
    radii : (N,), above 0.
    cluster : (N,), the label of each disc's cluster.
    box : (d,), the sides of the box.
    periodic : along which axes the box is periodic.

    Returns
    -------
    pairs (K, 2), the smaller number first; their overlaps R_i + R_j - |X_i - X_j|, (K,); these divided by R_i + R_j.
    """
    discs, apart = near_pairs_of(positions, radii, box, periodic)
    reach = radii[discs].sum(axis=1)
    length = reach - apart
    found = (length > 0.0) & (cluster[discs[:, 0]] != cluster[discs[:, 1]])
    return discs[found], length[found], length[found] / reach[found]


def near_pairs_of(
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    box: NDArray[np.float64],
    periodic: Periodic | bool,
    factor: float = 1.0,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Pairs of discs or spheres within ``factor (R_i + R_j)`` of each other, and perhaps a few more.

    Returns
    -------
    pairs (K, 2), the smaller number first, and the distances of their centres, (K,).
    """
    if len(box) > 2 or Periodic.of(periodic, len(box)).offset:
        state = DenseState(wrapped(positions, box, periodic), radii, box, periodic)
        first, second, apart = pairs_in_space(state, cutoff=0.0, growth=factor, step=0.0)
        return np.stack([first, second], axis=1), np.linalg.norm(apart, axis=1)
    grid = cell_grid(positions, box, periodic=periodic, width=2.0 * factor * usual_radius(radii) * SLACK)
    pairs = near_pairs(grid, radii[grid.order], factor)
    return np.sort(grid.order[pairs], axis=1), np.sqrt(distances(grid, pairs))


def deepest_overlap(
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    cluster: NDArray[np.int32],
    box: NDArray[np.float64],
    periodic: Periodic | bool,
) -> tuple[float, int, int]:
    """The largest overlap (R_i + R_j - |X_i - X_j|) / (R_i + R_j) of two discs of different clusters; see `overlaps`.

    positions : (N, d); radii, cluster : (N,); box : (d,).

    Returns
    -------
    overlap : 0.0 if no such pair overlaps.
    i, j : the pair, i < j; -1 and -1 if none overlaps. Among equal overlaps the one with the smallest i, then j.
    """
    pairs, _, shares = overlaps(positions, radii, cluster, box, periodic)
    if not len(pairs):
        return 0.0, -1, -1
    i, j = min(pairs[shares == shares.max()].tolist())
    return float(shares.max()), i, j


def beyond_walls(state: InitialState, axes: Iterable[int]) -> NDArray[np.float64]:
    """How far each disc reaches beyond a side of the box across one of these axes, (N,); negative if it does not."""
    edge, those = state.radii[:, None], list(axes)
    at = state.positions[:, those]
    return np.asarray(np.maximum(edge - at, at + edge - state.box[those]).max(axis=1, initial=-np.inf))


def deepest(state: InitialState) -> tuple[float, float]:
    """The deepest overlap of two discs of different clusters, or of a disc with a wall; 0 if there is none.

    Returns the largest overlap as a length, and the largest as a share of the sum of two radii, or of the radius at a
    wall.
    """
    _, lengths, shares = overlaps(state.positions, state.radii, state.cluster, state.box, state.around)
    if state.periodic.walls:
        beyond = beyond_walls(state, state.periodic.walls)
        lengths, shares = np.append(lengths, beyond), np.append(shares, beyond / state.radii)
    return float(lengths.max(initial=0.0)), float(shares.max(initial=0.0))
