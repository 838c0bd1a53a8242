"""Pairs of discs that are near each other, against all pairs of all discs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.geometry.cells import SLACK, cell_grid, usual_radius
from engine.geometry.pairs import near_pairs, sweep
from tests.reference.indicators import squared_distances

Array = NDArray[np.float64]


def expected(positions: Array, radii: Array, box: Array, periodic: bool, factor: float) -> list[list[int]]:
    """The pairs by the definition, sorted."""
    limit = factor * (radii[:, None] + radii)
    near = squared_distances(positions, box, periodic) <= limit * limit
    return np.argwhere(np.triu(near, 1)).tolist()


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("equal", [True, False])
@pytest.mark.parametrize("factor", [1.0, 2.9, 9.0])
@pytest.mark.parametrize("box", [(60.0, 70.0), (9.0, 90.0), (90.0, 9.0), (8.0, 7.0), (2.1, 40.0)], ids=str)
def test_pairs_of_discs_anywhere(box: tuple[float, float], factor: float, equal: bool, periodic: bool) -> None:
    """Wide boxes, and such that a disc meets others across the edges on both sides."""
    sides = np.array(box)
    count = min(300, max(6, int(0.5 * sides.prod() / np.pi)))
    rng = np.random.default_rng(count)
    positions = rng.random((count, 2)) * sides
    radii = np.ones(count) if equal else rng.uniform(0.5, 1.5, count)
    for width in (2.0 * usual_radius(radii) * SLACK, 0.7, 2.0 * factor * SLACK):
        grid = cell_grid(positions, sides, periodic=periodic, width=width)
        of_slot = radii[grid.order]
        pairs = near_pairs(grid, of_slot, factor)
        discs = near_pairs(grid, of_slot, factor, of_discs=True)
        wanted = expected(positions, radii, sides, periodic, factor)
        assert sorted(discs.tolist()) == wanted
        assert np.sort(grid.order[pairs], axis=1).tolist() == discs.tolist()
        everyone = np.empty((len(wanted), 2), np.int32)
        assert sweep(grid, of_slot, factor, False, everyone)[0] == len(wanted)
        np.testing.assert_array_equal(pairs, everyone)  # in the order in which `sweep` lists them


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_a_pile_with_more_pairs_than_there_is_room_for_at_first(spread: float) -> None:
    positions = 20.0 + spread * np.random.default_rng(1).random((60, 2))
    box = np.full(2, 50.0)
    grid = cell_grid(positions, box, periodic=True, width=2.0)
    pairs = near_pairs(grid, np.ones(60), 1.0, of_discs=True)
    assert sorted(pairs.tolist()) == expected(positions, np.ones(60), box, True, 1.0)
    assert len(pairs) == 60 * 59 // 2


def test_discs_exactly_as_far_apart_as_is_allowed_are_a_pair() -> None:
    positions = np.array([[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [5.0 + 1e-12, 3.0]])
    grid = cell_grid(positions, np.full(2, 9.0), periodic=False, width=2.0)
    assert sorted(near_pairs(grid, np.ones(4), 1.0, of_discs=True).tolist()) == [[0, 1], [1, 2]]
