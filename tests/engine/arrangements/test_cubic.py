"""Which lattice spheres stand on, from its definition: the one that leaves most room around each site."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from engine.arrangements.regular import cubic_positions

SIMPLE, FACE_CENTRED = 1, 4  # sites of a unit cell


def room(positions, box, periodic):
    """How wide equal spheres at these places may be: their least distance from each other, images and walls."""
    least = np.inf if periodic else 2.0 * float(np.minimum(positions, box - positions).min())
    for shift in product((-1, 0, 1), repeat=3) if periodic else [(0, 0, 0)]:
        apart = np.linalg.norm(positions[:, None] - positions - np.array(shift) * box, axis=2)
        least = min(least, float(apart[apart > 1e-9].min(initial=np.inf)))
    return least


@pytest.mark.parametrize(
    ("count", "box", "periodic", "wanted", "sites"),
    [
        (4, [1.0] * 3, True, np.sqrt(0.5), FACE_CENTRED),  # simple: 1/2
        (4, [1.0] * 3, False, 0.5, SIMPLE),  # both leave 1/2, with four sites each
        (2, [1.0] * 3, False, 0.5, SIMPLE),  # both leave 1/2, and two sites are fewer than four
        (8, [2.0] * 3, True, 1.0, SIMPLE),
        (8, [2.0] * 3, False, 1.0, SIMPLE),
        (32, [2.0] * 3, True, np.sqrt(0.5), FACE_CENTRED),
        (27, [1.0] * 3, False, 1.0 / 3.0, SIMPLE),
        (27, [1.0] * 3, True, np.sqrt(0.125), FACE_CENTRED),  # 27 of 32 sites, simple: 1/3
        (4, [1.0, 1.0, 4.0], True, 1.0, SIMPLE),  # a row of cubes
    ],
)
def test_spheres_stand_on_the_lattice_with_most_room(count, box, periodic, wanted, sites):
    box = np.array(box)
    positions = cubic_positions(np.full(count, 0.01), box, periodic)
    assert positions.shape == (count, 3)
    layers = len(np.unique(np.round(positions[:, 0], 9)))
    if sites == SIMPLE:  # a full grid of cubes: all combinations of its coordinates
        assert np.prod([len(np.unique(np.round(positions[:, axis], 9))) for axis in range(3)]) == count
    else:
        assert layers % 2 == 0
    full = room(positions, box, periodic)
    assert full == pytest.approx(wanted, rel=1e-12)
    # spheres of that width fit, and wider ones are refused
    cubic_positions(np.full(count, 0.5 * wanted * (1.0 - 1e-9)), box, periodic)
    with pytest.raises(ValueError, match="for this lattice"):
        cubic_positions(np.full(count, 0.5 * wanted * (1.0 + 1e-6)), box, periodic)
