"""Starts in boxes with walls along some axes: by plain loops, nothing overlaps beside walls or across edges."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.arrangements.at_random import random_positions
from engine.arrangements.relaxation import moved_apart
from engine.arrangements.table import ARRANGEMENTS
from engine.boundary import Periodic
from engine.errors import InputError
from engine.state import InitialState, volume_fraction
from tests.builders.boxes import EVERY, in_short
from tests.reference.images import near

Array = NDArray[np.float64]
BOXES = pytest.mark.parametrize("periodic", [*EVERY[2], *EVERY[3]], ids=in_short)


def check(positions: Array, radii: Array, box: Array, periodic: Periodic, rounding: float = 0.0) -> None:
    """No two discs overlap, nor a disc and a wall."""
    reach = (radii[:, None] + radii) * (1.0 - rounding) - 1e-12
    assert [pair for pair in near(positions, box, periodic, reach) if pair[0] != pair[1]] == []
    inside = np.minimum(positions, box - positions)
    assert (inside[:, list(periodic.walls)] >= radii[:, None] * (1.0 - rounding) - 1e-12).all()
    assert (inside >= 0.0).all()


def discs(count: int, dimensions: int, fraction: float, spread: float) -> tuple[Array, Array]:
    """Radii, and a box that is not a square."""
    radii = 1.0 + spread * np.random.default_rng(1).uniform(-1.0, 1.0, count)
    box = np.array([1.3, 0.8, 1.0])[:dimensions]
    return radii * (fraction / volume_fraction(radii, box)) ** (1.0 / dimensions), box


@BOXES
@pytest.mark.parametrize("spread", [0.0, 0.4])
@pytest.mark.parametrize("dense", [False, True])
def test_random_starts_overlap_nowhere(periodic: Periodic, spread: float, dense: bool) -> None:
    """Placed one by one, and relaxed."""
    dimensions = len(periodic)
    fraction = {2: (0.3, 0.72), 3: (0.2, 0.5)}[dimensions][dense]
    radii, box = discs(300, dimensions, fraction, spread)
    positions = random_positions(radii, box, periodic, np.random.default_rng(2))
    check(positions, radii, box, periodic)
    nearest = np.minimum(positions, box - positions)[:, list(periodic.axes)].min(axis=0)
    assert (nearest < 0.5 * radii.min()).all(), "centres come near periodic edges"
    assert volume_fraction(radii, box) == pytest.approx(fraction)


@BOXES
def test_discs_as_wide_as_the_box_fit_between_walls_and_beside_their_images(periodic: Periodic) -> None:
    radii = np.full(3, 0.4999)
    box = np.array([1.0, 6.0, 1.0])[: len(periodic)]
    positions = random_positions(radii, box, periodic, np.random.default_rng(3))
    assert near(positions, box, periodic, np.full((3, 3), 0.9998)) == []
    assert (np.minimum(positions, box - positions)[:, list(periodic.walls)] >= 0.4999).all()


@BOXES
def test_lattices_and_crystals_keep_from_walls_and_fit_across_edges(periodic: Periodic) -> None:
    dimensions, counts = (
        len(periodic),
        {"square": 64, "hexagonal": 64, "fcc": 108, "bcc": 128, "hcp": 96, "lattice": 90},
    )
    placed = 0
    for name, one in ARRANGEMENTS.items():
        if dimensions not in one.dimensions or name not in counts:
            continue
        box = np.array(one.box(counts[name], dimensions))
        if one.crystal is not None and one.crystal.fitting(counts[name]) != [counts[name]]:
            continue
        low, high = 0.01, 0.7  # by halving: the widest discs that it takes
        for _ in range(40):
            middle = 0.5 * (low + high)
            try:
                positions = one.place(np.full(counts[name], middle), box, periodic, np.random.default_rng(1))
                low = middle
            except InputError:
                high = middle
        radii = np.full(counts[name], low)
        positions = one.place(radii, box, periodic, np.random.default_rng(1))
        reach = np.full((len(radii), len(radii)), 2.0 * low * (1.0 - 1e-9))
        assert [pair for pair in near(positions, box, periodic, reach) if pair[0] != pair[1]] == [], name
        inside = np.minimum(positions, box - positions)[:, list(periodic.walls)]
        assert (inside >= low * (1.0 - 1e-9)).all(), name
        wider = np.full((len(radii), len(radii)), 2.0 * low * (1.0 + 1e-6))
        tight = any(pair[0] != pair[1] for pair in near(positions, box, periodic, wider))
        assert tight or (inside.size and inside.min() < low * (1.0 + 1e-6)), f"{name}: there is no more room"
        if one.crystal is not None and periodic.all:
            assert tight
        placed += 1
    assert placed > 1


@BOXES
def test_discs_that_overlap_a_little_are_moved_apart(periodic: Periodic) -> None:
    """Two across the middle of each face, which are neighbours along a periodic axis and else reach into the wall."""
    dimensions = len(periodic)
    box = np.array([10.0, 9.0, 8.0])[:dimensions]
    places = []
    for axis in range(dimensions):
        for side in (0.47, -0.47):
            place = 0.5 * box
            place[axis] = side % box[axis]
            places.append(place)
    positions, count = np.array(places), 2 * dimensions
    radii, still = np.full(count, 0.5), np.zeros((count, dimensions))
    state = InitialState(positions, still, radii, radii, np.arange(count, dtype=np.int32), box, periodic)
    found = moved_apart(state)
    check(found.positions, found.radii, box, periodic, rounding=1e-9)
    assert found.radii.tolist() == radii.tolist()
    steps = found.positions - positions
    steps -= np.where(periodic, box * np.rint(steps / box), 0.0)
    along = np.abs(steps).max(axis=0)
    assert along == pytest.approx(np.full(dimensions, 0.03), abs=1e-6)
