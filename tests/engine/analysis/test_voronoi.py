"""Voronoi cells, local density and hexatic order: against loops over everything, against freud, and what must hold."""

from __future__ import annotations

import freud
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from engine.analysis.local_cells import local_cells
from engine.analysis.voronoi import hexatic_order, voronoi
from engine.boundary import Periodic
from engine.errors import InputError
from engine.geometry.nearest import wrapped
from tests.builders.boxes import EVERY, TILTED, every_edge
from tests.reference import tessellation
from tests.reference.images import shortest


def scattered(count: int, box: tuple[float, float], seed: int, spread: float = 0.0) -> tuple[np.ndarray, ...]:
    """Centres anywhere, radii that need not keep discs apart."""
    rng = np.random.default_rng(seed)
    radii = 0.2 * (1.0 + spread * rng.random(count))
    return rng.random((count, 2)) * box, radii, np.array(box)


@every_edge(2)
@pytest.mark.parametrize("spread", [0.0, 3.0])
@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_cells_are_those_of_the_definition(count: int, spread: float, periodic: Periodic) -> None:
    positions, radii, box = scattered(count, (5.0, 3.0), 10 * count + periodic.code, spread)
    found = voronoi(positions, radii, box, periodic=periodic)
    areas, orders = tessellation.cells(positions, radii, box, periodic)
    assert_allclose(found.area, areas, atol=1e-9)
    assert_allclose(found.order, orders, atol=1e-6)
    assert_allclose(hexatic_order(positions, radii, box, periodic=periodic), found.order)
    assert found.area.sum() == pytest.approx(15.0)


def test_edges_lie_where_both_tangents_are_as_long_and_meet_around_every_cell() -> None:
    for periodic in (*EVERY[2], *TILTED[2]):
        positions, radii, box = scattered(24, (5.0, 3.0), 3, 2.0)
        found = voronoi(positions, radii, box, periodic=periodic)
        first, second = found.pairs.T
        assert (second < 0).any() == bool(periodic.walls)
        walls = second < 0
        for end in (0, 1):
            point = found.segments[:, end]
            to_first = shortest(point - positions[first], box, periodic)
            to_second = shortest(point - positions[second], box, periodic)
            tangents = [
                np.square(step).sum(1) - radii[of] ** 2 for step, of in ((to_first, first), (to_second, second))
            ]
            assert_allclose(tangents[0][~walls], tangents[1][~walls], atol=1e-9)
            at_wall = np.where(periodic, np.inf, np.minimum(point, box - point)).min(axis=1)
            assert_allclose(at_wall[walls], 0.0, atol=1e-9)
        # each edge once: lengths of all edges of a cell, from the list, are its circumference
        length = np.hypot(*(found.segments[:, 1] - found.segments[:, 0]).T)
        around = np.bincount(first, length, minlength=24)
        around += np.bincount(second[~walls], length[~walls], minlength=24)
        for i in range(24):
            corners, _ = tessellation.cell_of(i, positions, radii, box, periodic)
            sides = np.roll(corners, -1, axis=0) - corners
            assert around[i] == pytest.approx(float(np.hypot(*sides.T).sum()) if len(corners) else 0.0, abs=1e-6)


def test_freud_finds_the_same_areas_neighbours_and_order() -> None:
    positions, radii, box = scattered(400, (20.0, 20.0), 7)
    theirs = freud.box.Box.square(20.0)
    points = np.zeros((400, 3), np.float32)
    points[:, :2] = positions - 10.0
    cells = freud.locality.Voronoi().compute((theirs, points))
    found = voronoi(positions, radii, box, periodic=True)
    assert_allclose(found.area, cells.volumes, rtol=1e-4)
    mine = {(int(i), int(j)) for i, j in np.sort(found.pairs, axis=1)}
    long_enough = cells.nlist.weights > 1e-4  # in single precision an edge of hardly any length may be missing
    assert {(int(min(p)), int(max(p))) for p in cells.nlist[:][long_enough]} <= mine
    order = freud.order.Hexatic(6, weighted=True).compute((theirs, points), neighbors=cells.nlist)
    assert_allclose(found.order, order.particle_order, atol=2e-3)
    covered = np.pi * 0.04 / cells.volumes
    assert_allclose(local_cells(positions, radii, box, periodic=True).density, covered, rtol=1e-4)


def triangular(rows: int, turned: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A triangular lattice of spacing 1 in a periodic box that it fits into, or turned where it does not."""
    row, column = np.divmod(np.arange(rows * rows), rows)
    positions = np.c_[(column + 0.5 * (row % 2)) % rows, row * np.sqrt(0.75)]
    box = np.array([rows, rows * np.sqrt(0.75)])
    c, s = np.cos(turned), np.sin(turned)
    return positions @ np.array([[c, s], [-s, c]]), np.full(rows * rows, 0.5), box


def test_lattices_have_the_order_and_the_density_that_are_known() -> None:
    positions, radii, box = triangular(8)
    assert_allclose(hexatic_order(positions, radii, box, periodic=True), 1.0, atol=1e-12)
    assert_allclose(local_cells(positions, radii, box, periodic=True).density, np.pi / np.sqrt(12.0))
    # turned by θ the order turns by 6 θ; away from the edges of a larger box
    turned, radii, _ = triangular(12, 0.1)
    middle = np.square(turned - turned.mean(axis=0)).sum(axis=1) < 6.0
    order = hexatic_order(turned - turned.min(axis=0) + 5.0, radii, np.array([40.0, 40.0]), periodic=False)
    assert_allclose(order[middle], np.exp(0.6j), atol=1e-9)
    # a square lattice has edges of length 0: they must not count
    square = np.stack(np.divmod(np.arange(36.0), 6), axis=1) + 0.5
    for periodic in (True, False):
        shaken = square + 1e-9 * np.random.default_rng(1).standard_normal((36, 2))
        order = hexatic_order(shaken, np.full(36, 0.4), np.array([6.0, 6.0]), periodic=periodic)
        inside = (square > 1.0).all(axis=1) & (square < 5.0).all(axis=1)
        assert_allclose(order[inside | periodic], 0.0, atol=1e-7)
    assert_allclose(local_cells(square, np.full(36, 0.5), np.array([6.0, 6.0]), periodic=False).density, np.pi / 4.0)


def test_discs_of_any_size_lie_in_their_own_cells_and_giants_have_many_neighbours() -> None:
    turn = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    positions = np.r_[[[50.0, 50.0]], 50.0 + 21.0 * np.c_[np.cos(turn), np.sin(turn)], [[1.0, 1.0]]]
    radii = np.r_[20.5, np.full(200, 0.3), 0.3]
    found = voronoi(positions, radii, np.array([100.0, 100.0]), periodic=True)
    assert np.count_nonzero((found.pairs == 0).any(axis=1)) == 200
    density = local_cells(positions, radii, np.array([100.0, 100.0]), periodic=True).density
    assert (density <= 1.0).all()
    assert density[0] > 0.9
    assert found.area.sum() == pytest.approx(1e4)


@given(st.integers(0, 10_000), st.integers(1, 30), st.sampled_from(EVERY[2] + TILTED[2]), st.floats(0.2, 4.0))
@settings(max_examples=40)
def test_cells_divide_the_box_wherever_discs_are(seed: int, count: int, periodic: Periodic, stretch: float) -> None:
    rng = np.random.default_rng(seed)
    box = np.array([3.0, 3.0 * stretch])
    # on a lattice of few places: centres on lines, on circles, on walls
    positions = rng.integers(0, 7, (count, 2)) / 6.0 * box * np.where(periodic, 6.0 / 7.0, 1.0)
    positions = np.unique(positions, axis=0)
    radii = np.full(len(positions), 0.1)
    found = voronoi(positions, radii, box, periodic=periodic)
    assert found.area.sum() == pytest.approx(float(box.prod()))
    assert (np.abs(found.order) <= 1.0 + 1e-9).all()
    if periodic.any:
        moved = voronoi(
            wrapped(positions + np.where(periodic, 0.37 * box, 0.0), box, periodic), radii, box, periodic=periodic
        )
        assert_allclose(moved.area, found.area, rtol=1e-7)
        assert_allclose(moved.order, found.order, atol=1e-5)


def test_a_small_aggregate_in_a_wide_box_and_discs_in_one_place() -> None:
    positions, radii, _ = scattered(200, (3.0, 3.0), 5)
    box = np.array([3000.0, 3000.0])
    for periodic in EVERY[2]:
        found = voronoi(positions + 1500.0, 0.01 * radii, box, periodic=periodic)
        assert found.area.sum() == pytest.approx(9e6)
    same = voronoi(np.full((2, 2), 1.0), np.full(2, 0.5), np.full(2, 2.0), periodic=False)
    assert same.area.tolist() == [4.0, 4.0]
    assert same.order.tolist() == [0.0, 0.0]
    covered = local_cells(
        np.array([[1.0, 1.0], [1.1, 1.0]]), np.array([0.9, 0.1]), np.full(2, 2.0), periodic=False
    ).density
    assert np.isnan(covered[1]), "a disc inside another one has no cell"
    with pytest.raises(InputError, match="radii must be positive"):
        voronoi(positions, -radii, box, periodic=True)
