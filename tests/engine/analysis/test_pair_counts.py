"""Pairs by their distance, counted in single precision, are those of double precision, also exactly on an edge."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import analysis
from engine.analysis.distances import distribution_and_correlation, distribution_of, pair_correlation, pairs_by_distance
from engine.analysis.state import disc_state
from engine.boundary import Periodic
from engine.system import system
from tests.builders.boxes import every_boundary
from tests.reference.indicators import squared_distances

Array = NDArray[np.float64]

P_OF_R = 0.1 * (np.arange(180) + 20.5)
G_OF_R = 0.1 * np.arange(121)


def counted(positions: Array, box: Array, periodic: Periodic, r: Array) -> list[int]:
    """Pairs up to r[0], between the others, by the definition."""
    squared = squared_distances(positions, box, periodic)[np.triu_indices(len(positions), 1)]
    return np.bincount(np.searchsorted(r * r, squared), minlength=len(r) + 1)[:-1].tolist()


def found(positions: Array, box: Array, periodic: Periodic, r: Array) -> list[int]:
    state = disc_state(positions, np.ones(len(positions)), box, periodic=periodic)
    return pairs_by_distance(state.grid, r)[:-1].tolist()


@every_boundary(2)
@pytest.mark.parametrize("r", [P_OF_R, G_OF_R], ids=["P(r)", "g(r)"])
@pytest.mark.parametrize("box", [(50.0, 60.0), (30.0, 100.0), (100.0, 31.0), (9.0, 8.0)], ids=str)
@pytest.mark.parametrize("fraction", [0.02, 0.6])
def test_pairs_of_discs_anywhere(box: tuple[float, float], fraction: float, r: Array, periodic: Periodic) -> None:
    """Wide boxes, and such that a disc meets others on both sides, with all sizes of blocks of cells."""
    sides = np.array(box)
    count = max(2, int(fraction * sides.prod() / np.pi))
    positions = np.random.default_rng(count).random((count, 2)) * sides
    assert found(positions, sides, periodic, r) == counted(positions, sides, periodic, r)


@every_boundary(2)
@pytest.mark.parametrize("r", [P_OF_R - 0.05, G_OF_R], ids=["P(r)", "g(r)"])
@pytest.mark.parametrize("nudge", [0.0, 1e-15, 1e-9, 1e-6])
def test_distances_on_an_edge_and_next_to_it_are_told_apart(nudge: float, r: Array, periodic: Periodic) -> None:
    """A lattice whose distances along its axes are edges themselves, each disc moved by less than single precision
    can tell."""
    rng = np.random.default_rng(1)
    box = np.array([60.0, 50.0])
    positions = np.stack(np.meshgrid(np.arange(1.0, 60.0, 2.0), np.arange(1.0, 50.0, 2.0)), axis=-1).reshape(-1, 2)
    positions = positions + nudge * rng.normal(size=positions.shape)
    assert found(positions, box, periodic, r) == counted(positions, box, periodic, r)


@every_boundary(2)
def test_coordinates_count_from_a_disc_nearby(periodic: Periodic) -> None:
    """Many discs at both ends of a long box, whose length single precision does not resolve."""
    rng = np.random.default_rng(2)
    box = np.array([3000.0, 50.0])
    positions = rng.random((800, 2)) * box
    positions[::2, 0] = rng.normal(0.0, 25.0, 400) % box[0]
    for r in (P_OF_R, G_OF_R):
        assert found(positions, box, periodic, r) == counted(positions, box, periodic, r)


@every_boundary(2)
def test_few_discs_far_apart(periodic: Periodic) -> None:
    """Cells are much wider than the range then."""
    rng = np.random.default_rng(3)
    box = np.array([3e7, 1e7])
    positions = ((rng.random((12, 1, 2)) * box + rng.normal(0.0, 8.0, (12, 25, 2))) % box).reshape(-1, 2)
    for r in (P_OF_R, G_OF_R):
        assert found(positions, box, periodic, r) == counted(positions, box, periodic, r)


@every_boundary(2)
@pytest.mark.parametrize("box", [(70.0, 90.0), (30.0, 200.0), (13.0, 90.0), (3.0, 3.0)], ids=str)
@pytest.mark.parametrize("on_edges", [False, True])
def test_both_curves_from_one_count_are_those_of_two(
    box: tuple[float, float], periodic: Periodic, on_edges: bool
) -> None:
    """Also where all distances are ends of intervals, and in boxes that g(r) does not fill."""
    sides = np.array(box)
    count = max(2, int(0.3 * sides.prod() / np.pi))
    positions = np.random.default_rng(count).random((count, 2)) * sides
    if on_edges:
        positions = np.floor(positions)
    state = disc_state(positions, np.full(count, 1.0 / 3.0 if on_edges else 0.7), sides, periodic=periodic)
    p, g = distribution_and_correlation(state)
    alone, other = distribution_of(state), pair_correlation(state)
    np.testing.assert_array_equal(p["r"], alone["r"])
    np.testing.assert_array_equal(p["p"], alone["p"])
    if g is None or other is None:
        assert g is other
        return
    np.testing.assert_array_equal(g.r, other.r)
    np.testing.assert_array_equal(g.g, other.g)


def test_pairs_are_counted_once_where_both_curves_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.analysis import distances

    searches: list[int] = []
    count_pairs = distances.pairs_by_distance
    monkeypatch.setattr(
        distances, "pairs_by_distance", lambda grid, r: (searches.append(len(r)), count_pairs(grid, r))[1]
    )
    positions = np.random.default_rng(4).random((300, 2)) * 60.0
    listed = {one.name: one for one in system("hard-discs").indicators()}

    def measured(*names: str) -> int:
        searches.clear()
        sample = analysis.Sample(positions, np.ones(300), np.full(2, 60.0), periodic=True, joins=False)
        analysis.measure(sample, [listed[name] for name in names])
        return len(searches)

    assert measured("pair_distribution", "contacts_relative", "pair_correlation") == 1
    assert measured("pair_distribution") == measured("pair_correlation") == 1
    assert searches == [121], "g(r) alone looks no farther than its own range"
