"""Convex hulls of clusters and the map of the density, against loops over everything."""

from __future__ import annotations

import freud
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from engine.analysis.fluctuations import density_map
from engine.analysis.hulls import Hulls, cluster_hulls
from engine.boundary import Periodic
from tests.builders.boxes import EVERY, every_boundary
from tests.reference import tessellation


def tree(count: int, seed: int, unequal: bool) -> tuple[np.ndarray, np.ndarray]:
    """Discs that touch, each one another that was there before it; those that are not joined may overlap."""
    rng = np.random.default_rng(seed)
    radii = rng.uniform(0.3, 2.0, count) if unequal else np.ones(count)
    points = [np.zeros(2)]
    for k in range(1, count):
        beside, turn = rng.integers(k), 2.0 * np.pi * rng.random()
        points.append(points[beside] + (radii[beside] + radii[k]) * np.array([np.cos(turn), np.sin(turn)]))
    return np.array(points), radii


def inside(hulls: Hulls, which: int, positions: np.ndarray, radii: np.ndarray) -> bool:
    """Whether the discs lie in a hull, but for the little by which its corners are inside their rims."""
    corners = hulls.points[hulls.start[which] : hulls.start[which + 1]]
    sides = np.roll(corners, -1, axis=0) - corners
    length = np.hypot(*sides.T)
    kept = length > 1e-9
    normal = np.c_[-sides[:, 1], sides[:, 0]][kept] / length[kept, None]
    depth = ((positions[:, None] - corners[kept][None]) * normal[None]).sum(-1)
    return bool((depth >= 0.99 * radii[:, None] - 1e-9).all())


@given(st.integers(0, 10_000), st.integers(2, 40), st.booleans())
@settings(max_examples=30)
def test_a_hull_holds_its_discs_and_no_more(seed: int, count: int, unequal: bool) -> None:
    positions, radii = tree(count, seed, unequal)
    side = 400.0
    expected = tessellation.hull_area(positions, radii)
    for middle in (200.0, 0.0):  # in the middle of a periodic box, and over its corner
        places = (positions + middle) % side
        hulls = cluster_hulls(places, radii, np.full(count, 7), np.array([side, side]), periodic=True)
        assert hulls.label.tolist() == [7]
        assert hulls.areas[0] == pytest.approx(expected, rel=0.01)
        assert hulls.areas[0] <= expected * (1.0 + 1e-4)
        laid = positions + middle - side * np.rint((positions.mean(axis=0) + middle - hulls.points.mean(axis=0)) / side)
        assert inside(hulls, 0, laid, radii)


@every_boundary(2)
def test_a_hull_goes_over_periodic_edges_only(periodic: Periodic) -> None:
    positions, radii = tree(25, 3, True)
    box = np.full(2, 400.0)
    places = np.where(periodic, positions % box, positions + 200.0)
    hulls = cluster_hulls(places, radii, np.full(25, 7), box, periodic=periodic)
    assert hulls.areas[0] == pytest.approx(tessellation.hull_area(positions, radii), rel=0.01)
    torn = cluster_hulls(positions % box, radii, np.full(25, 7), box, periodic=periodic)
    assert torn.without == (0 if periodic.all or not periodic.any else 1)


def test_each_cluster_has_its_own_and_lone_discs_have_none() -> None:
    positions = np.array([[1.0, 1.0], [3.0, 1.0], [9.0, 9.0], [5.0, 5.0], [5.0, 7.0], [7.0, 5.0]])
    hulls = cluster_hulls(positions, np.ones(6), np.array([4, 4, 9, 1, 1, 1]), np.full(2, 20.0), periodic=False)
    assert hulls.label.tolist() == [1, 4]
    assert hulls.without == 0
    assert hulls.areas[1] == pytest.approx(4.0 + np.pi, rel=0.01)
    assert hulls.areas[0] == pytest.approx(tessellation.hull_area(positions[3:], np.ones(3)), rel=0.01)
    assert len(cluster_hulls(positions, np.ones(6), np.arange(6), np.full(2, 20.0), periodic=True).label) == 0


def test_a_cluster_around_the_box_or_not_held_together_has_none() -> None:
    row = np.c_[np.arange(5) * 2.0 + 1.0, np.full(5, 5.0)]
    around = cluster_hulls(row, np.ones(5), np.zeros(5, int), np.full(2, 10.0), periodic=True)
    assert (len(around.label), around.without) == (0, 1)
    walls = cluster_hulls(row, np.ones(5), np.zeros(5, int), np.full(2, 10.0), periodic=False)
    assert walls.areas[0] == pytest.approx(16.0 + np.pi, rel=0.01)
    apart = cluster_hulls(row[[0, 2]], np.ones(2), np.zeros(2, int), np.full(2, 10.0), periodic=True)
    assert (len(apart.label), apart.without) == (0, 1)
    chain = np.array([[1.0, 5.0], [3.0, 5.0], [5.0, 5.0], [7.0, 5.0]])
    chain_hull = cluster_hulls(chain, np.ones(4), np.zeros(4, int), np.array([8.03, 10.0]), periodic=True)
    assert chain_hull.areas[0] == pytest.approx(12.0 + np.pi, rel=0.01), "its near image does not tie it to itself"


def test_the_hull_of_some_discs_of_a_cluster_that_all_hold_together() -> None:
    chain, box = np.array([[9.0, 5.0], [1.0, 5.0], [3.0, 5.0], [5.0, 8.0]]), np.full(2, 10.0)
    cluster = np.array([2, 2, 2, 7])
    among = np.array([True, False, True, True])  # across the edge, without the one that joins them
    [area] = cluster_hulls(chain, np.ones(4), cluster, box, periodic=True, among=among).areas
    assert area == pytest.approx(8.0 + np.pi, rel=0.01)
    one = cluster_hulls(chain, np.ones(4), cluster, box, periodic=True, among=np.array([True, False, False, True]))
    assert (len(one.label), one.without) == (0, 0)
    every = cluster_hulls(chain, np.ones(4), cluster, box, periodic=True, among=np.ones(4, bool))
    assert every.points.tolist() == cluster_hulls(chain, np.ones(4), cluster, box, periodic=True).points.tolist()


def test_the_map_of_the_density_is_the_sum_of_gaussians() -> None:
    rng = np.random.default_rng(4)
    box = np.array([30.0, 18.0])
    positions, radii = rng.random((80, 2)) * box, rng.uniform(0.5, 1.0, 80)
    for periodic in EVERY[2]:
        found = density_map(positions, radii, box, periodic=periodic, width=3.0)
        rows, columns = found.values.shape
        points = np.stack([rng.integers(0, columns, 40) + 0.5, rng.integers(0, rows, 40) + 0.5], axis=1) * (
            box / (columns, rows)
        )
        at = (points / (box / (columns, rows))).astype(int)
        expected = tessellation.density_at(points, positions, radii, box, periodic, 3.0)
        assert_allclose(found.values[at[:, 1], at[:, 0]], expected, rtol=0.03)
        # discs on the edges go over those that are periodic, and stay at walls
        positions_there, some = np.array([[0.0, 9.0], [15.0, 0.0]]), np.full(2, 0.7)
        found = density_map(positions_there, some, box, periodic=periodic, width=3.0)
        ends = np.array([[0, rows // 2], [columns - 1, rows // 2], [columns // 2, 0], [columns // 2, rows - 1]])
        points = (ends + 0.5) * (box / (columns, rows))
        expected = tessellation.density_at(points, positions_there, some, box, periodic, 3.0)
        assert_allclose(found.values[ends[:, 1], ends[:, 0]], expected, atol=0.1 * expected.max())
    periodic_mean = density_map(positions, radii, box, periodic=True).values.mean()
    assert periodic_mean == pytest.approx(np.pi * np.square(radii).sum() / box.prod())
    assert density_map(positions, np.ones(80), box, periodic=True).width == 4.0


def test_freud_draws_the_same_map() -> None:
    rng = np.random.default_rng(5)
    positions = rng.random((200, 2)) * 40.0
    found = density_map(positions, np.full(200, 0.5), np.full(2, 40.0), periodic=True, width=2.0)
    side = found.values.shape[0]
    points = np.zeros((200, 3), np.float32)
    points[:, :2] = positions - 20.0
    theirs = freud.density.GaussianDensity((side, side), 12.0, 2.0).compute((freud.box.Box.square(40.0), points))
    # their cells begin where ours have their middles: compare what does not depend on half a cell
    assert_allclose(found.values.std() / found.values.mean(), theirs.density.std() / theirs.density.mean(), rtol=0.02)
