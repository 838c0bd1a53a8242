"""The rotation of clusters, from velocities of discs and ω of clusters.

A disc moves with V + ω × r, where V is the velocity of the centre of mass of its cluster and r the way from there: so
Σ m |v - V|² = ω² Σ m r² in the plane, and nothing has to be unwrapped in a periodic box; in space only for L.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.state import cluster_means, moments_of_inertia, spin_squares, sums_of_rows


@dataclass(frozen=True, eq=False)
class Spins:
    """The motion of M clusters about their own centres of mass.

    Attributes
    ----------
    energy : (M,), ½ ω · I ω.
    momentum : (M,), or (M, 3) in space, I ω.
    """

    energy: Floats
    momentum: Floats


def spins(
    rows: NDArray[np.integer[Any]],
    masses: Floats,
    radii: Floats,
    velocities: Floats,
    spin: Floats,
    places: Floats | None = None,
) -> Spins:
    """The rotation of clusters of solid discs or spheres.

    rows : (N,), the number of each disc's cluster, 0 … M - 1; masses, radii : (N,); velocities : (N, d), of the discs;
        spin : (N,) or (N, 3), ω of each disc's cluster; places : (N, 3), in space the centres of spheres in one image
        of their cluster.
    """
    own = moments_of_inertia(masses, radii, velocities.shape[1])
    twice = np.bincount(rows, own * spin_squares(spin))
    apart = velocities - cluster_means(rows, masses, velocities)[rows]
    for along in apart.T:
        twice += np.bincount(rows, masses * np.square(along))
    if places is not None:
        turning = spin.any(axis=1)
        parts = masses[:, None] * np.cross(places, apart) + own[:, None] * spin
        parts[~turning] = 0.0  # also where a cluster has no single image
        still = ~np.bincount(rows, turning).astype(np.bool_)
        return Spins(np.where(still, 0.0, 0.5 * twice), sums_of_rows(rows, parts))
    omega = np.zeros(len(twice))
    omega[rows] = spin
    turns = omega != 0.0
    momentum = np.zeros(len(twice))
    np.divide(twice, omega, out=momentum, where=turns)
    return Spins(np.where(turns, 0.5 * twice, 0.0), momentum)
