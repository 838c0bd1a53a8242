"""Indicators of clusters that turn: the energy in their rotation and their angular momentum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.arrays import Floats
from engine.indicators import Indicator
from engine.state import moments_of_inertia, spin_squares

if TYPE_CHECKING:
    from engine.analysis.sample import Sample


def rotational_share(sample: Sample) -> float | None:
    """E_rot / E: the part of the kinetic energy that is in the rotation of clusters; None if nothing moves.

    Along periodic axes E is relative to the motion of all discs together.
    """
    energy = float(sample.spins.energy.sum())
    velocities, spin, masses = sample.relative_velocities, sample.spin, sample.masses
    assert spin is not None
    assert masses is not None
    own = float((moments_of_inertia(masses, sample.radii, sample.dimensions) * spin_squares(spin)).sum())
    whole = 0.5 * (float((masses * np.square(velocities).sum(axis=1)).sum()) + own)
    return energy / whole if whole > 0.0 else None


def angular_momentum(sample: Sample) -> float:
    """Between walls the total angular momentum about the centre of the box; with a periodic axis, where that has no
    meaning, the sum of the angular momenta of all clusters about their own centres of mass. In space its magnitude."""
    if sample.periodic.any:
        return _magnitude(sample.spins.momentum.sum(axis=0))
    velocities, spin, masses = sample.velocities, sample.spin, sample.masses
    assert velocities is not None
    assert spin is not None
    assert masses is not None
    own = moments_of_inertia(masses, sample.radii, sample.dimensions)
    arms = sample.positions - 0.5 * sample.state.box
    if sample.dimensions > 2:
        return _magnitude((masses[:, None] * np.cross(arms, velocities) + own[:, None] * spin).sum(axis=0))
    x, y = arms.T
    orbital = masses * (x * velocities[:, 1] - y * velocities[:, 0])
    return float((orbital + own * spin).sum())


def _magnitude(momentum: Floats) -> float:
    """The length of a vector, or a number as it is."""
    return float(momentum) if momentum.ndim == 0 else float(np.linalg.norm(momentum))


_NEEDS = ("velocities", "masses", "cluster", "spin")
ROTATION = (
    Indicator(
        "rotational_share",
        "share of the kinetic energy in rotation",
        rotational_share,
        "E_rot/E",
        needs=_NEEDS,
        of_clusters=True,
        dimensions=(2, 3),
    ),
    Indicator(
        "angular_momentum",
        "total angular momentum about the centre of the box, or sum of spins in a periodic box",
        angular_momentum,
        "L",
        "mass·length²/time",
        needs=_NEEDS,
        of_clusters=True,
        dimensions=(2, 3),
    ),
)
"""The indicators of clusters that turn."""
