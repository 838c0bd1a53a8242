"""How clusters turn: their energy of rotation and their angular momentum, from velocities of discs and ω of clusters.

A disc moves with V + ω × r, where V is the velocity of the centre of mass of its cluster and r the way from there: so
Σ m |v - V|² = ω² Σ m r², and nothing has to be unwrapped in a periodic box.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.indicators import Indicator
from engine.state import moments_of_inertia

if TYPE_CHECKING:
    from engine.analysis.sample import Sample


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
    total = np.bincount(rows, masses)
    twice = np.bincount(rows, moments_of_inertia(masses, radii) * np.square(spin))
    for along in velocities.T:
        of_cluster = np.bincount(rows, masses * along) / total
        twice += np.bincount(rows, masses * np.square(along - of_cluster[rows]))
    omega = np.zeros(len(total))
    omega[rows] = spin
    turns = omega != 0.0
    momentum = np.zeros(len(total))
    np.divide(twice, omega, out=momentum, where=turns)
    return Spins(np.where(turns, 0.5 * twice, 0.0), momentum)


def rotational_share(sample: Sample) -> float | None:
    """E_rot / E: the part of the kinetic energy that is in the rotation of clusters; None if nothing moves.

    In a periodic box E is relative to the motion of all discs together.
    """
    energy = float(sample.spins.energy.sum())
    velocities, spin, masses = sample.relative_velocities, sample.spin, sample.masses
    assert spin is not None
    assert masses is not None
    own = float((moments_of_inertia(masses, sample.radii) * np.square(spin)).sum())
    whole = 0.5 * (float((masses * np.square(velocities).sum(axis=1)).sum()) + own)
    return energy / whole if whole > 0.0 else None


def angular_momentum(sample: Sample) -> float:
    """Between walls the total angular momentum about the centre of the box; in a periodic box, where that has no
    meaning, the sum of the angular momenta of all clusters about their own centres of mass."""
    if sample.periodic:
        return float(sample.spins.momentum.sum())
    velocities, spin, masses = sample.velocities, sample.spin, sample.masses
    assert velocities is not None
    assert spin is not None
    assert masses is not None
    x, y = (sample.positions - 0.5 * sample.state.box).T
    orbital = masses * (x * velocities[:, 1] - y * velocities[:, 0])
    return float((orbital + moments_of_inertia(masses, sample.radii) * spin).sum())


_NEEDS = ("velocities", "masses", "cluster", "spin")
ROTATION = (
    Indicator(
        "rotational_share",
        "share of the kinetic energy in rotation",
        rotational_share,
        "E_rot/E",
        needs=_NEEDS,
        of_clusters=True,
        dimensions=(2,),
    ),
    Indicator(
        "angular_momentum",
        "total angular momentum about the centre of the box, or sum of spins in a periodic box",
        angular_momentum,
        "L",
        "mass·length²/time",
        needs=_NEEDS,
        of_clusters=True,
        dimensions=(2,),
    ),
)
"""The indicators of clusters that turn."""
