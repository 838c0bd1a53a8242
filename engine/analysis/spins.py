"""The rotation of clusters, from velocities of discs and ω of clusters.

A disc moves with V + ω × r, where V is the velocity of the centre of mass of its cluster and r the way from there: so
Σ m |v - V|² = ω² Σ m r², and nothing has to be unwrapped in a periodic box.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.state import cluster_means, moments_of_inertia


@dataclass(frozen=True, eq=False)
class Spins:
    """The motion of M clusters in the plane about their own centres of mass.

    Attributes
    ----------
    energy : (M,), ½ I ω².
    momentum : (M,), I ω.
    """

    energy: Floats
    momentum: Floats


def spins(rows: NDArray[np.integer[Any]], masses: Floats, radii: Floats, velocities: Floats, spin: Floats) -> Spins:
    """The rotation of clusters of solid discs.

    rows : (N,), the number of each disc's cluster, 0 … M - 1; masses, radii : (N,); velocities : (N, 2), of the discs;
        spin : (N,), ω of each disc's cluster.
    """
    twice = np.bincount(rows, moments_of_inertia(masses, radii) * np.square(spin))
    for along in (velocities - cluster_means(rows, masses, velocities)[rows]).T:
        twice += np.bincount(rows, masses * np.square(along))
    omega = np.zeros(len(twice))
    omega[rows] = spin
    turns = omega != 0.0
    momentum = np.zeros(len(twice))
    np.divide(twice, omega, out=momentum, where=turns)
    return Spins(np.where(turns, 0.5 * twice, 0.0), momentum)
