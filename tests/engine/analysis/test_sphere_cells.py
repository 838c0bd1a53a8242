"""Voronoi cells of spheres and their bond orders: against half spaces, loops and freud, and in crystals."""

from __future__ import annotations

import freud
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, HalfspaceIntersection
from scipy.special import sph_harm_y

from engine.analysis.bond_orders import BondOrders, bond_orders, orders_of
from engine.analysis.local_cells import local_cells
from engine.analysis.sphere_cells import SphereCells, sphere_cells
from engine.analysis.state import disc_state
from engine.boundary import Periodic
from engine.errors import InputError
from tests.builders.boxes import every_edge
from tests.reference.images import images, step_to

Floats = NDArray[np.float64]
BOX = np.array([4.0, 5.0, 6.0])
CRYSTALS = {
    "sc": ([(0, 0, 0)], (1.0, 1.0, 1.0)),
    "fcc": ([(0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.5), (0, 0.5, 0.5)], (1.0, 1.0, 1.0)),
    "hcp": (
        [(0, 0, 0), (0.5, 0.5, 0), (0.5, 5.0 / 6.0, 0.5), (0, 1.0 / 3.0, 0.5)],
        (1.0, np.sqrt(3.0), np.sqrt(8.0 / 3.0)),
    ),
    "bcc": ([(0, 0, 0), (0.5, 0.5, 0.5)], (1.0, 1.0, 1.0)),
}


def crystal(name: str, cells: int) -> tuple[Floats, Floats]:
    """Positions and box of a crystal of so many cells along each axis."""
    atoms, cell = CRYSTALS[name]
    corners = np.stack(np.meshgrid(*[np.arange(float(cells))] * 3, indexing="ij"), axis=-1).reshape(-1, 1, 3)
    return ((corners + np.array(atoms)) * cell).reshape(-1, 3), cells * np.array(cell)


def as_half_spaces(positions: Floats, radii: Floats, i: int, periodic: Periodic) -> tuple[float, int, float]:
    """Volume, number of faces and surface of a cell: the half spaces on this side of all images of all spheres."""
    shifts = np.array([step_to(image, BOX, periodic) for image in images(3, periodic, 1)])
    places = (positions[None] + shifts[:, None]).reshape(-1, 3)
    sizes = np.tile(radii, len(shifts))
    apart = places - positions[i]
    other = np.linalg.norm(apart, axis=1) > 0.0
    apart, sizes = apart[other], sizes[other]
    middle = 0.5 * (np.square(apart).sum(axis=1) + radii[i] ** 2 - sizes**2)
    planes = np.column_stack([apart, -middle])
    walls = list(periodic.walls)
    inwards = np.concatenate([np.eye(3)[walls], -np.eye(3)[walls]])
    reach = np.append((BOX - positions[i])[walls], positions[i][walls])
    planes = np.concatenate([planes, np.column_stack([inwards, -reach])])
    corners = HalfspaceIntersection(planes, np.zeros(3)).intersections
    on_plane = np.abs(corners @ planes[:, :3].T + planes[:, 3]) < 1e-9
    hull = ConvexHull(corners)
    return hull.volume, int((on_plane.sum(axis=0) > 2).sum()), hull.area


@every_edge(3)
@pytest.mark.parametrize("spread", [0.0, 0.5])
@pytest.mark.parametrize("count", [1, 2, 40])
def test_cells_are_what_all_half_spaces_leave(count: int, spread: float, periodic: Periodic) -> None:
    rng = np.random.default_rng(8 + count)
    positions, radii = rng.random((count, 3)) * BOX, 0.1 + spread * rng.random(count) * 0.3
    cells = sphere_cells(disc_state(positions, radii, BOX, periodic=periodic))
    found = local_cells(positions, radii, BOX, periodic=periodic)
    assert cells.volume.sum() == pytest.approx(BOX.prod(), rel=1e-12)
    expected = np.array([as_half_spaces(positions, radii, i, periodic) for i in range(count)])
    assert_allclose(found.size, expected[:, 0], rtol=1e-6)
    assert_array_equal(found.sides, expected[:, 1])
    assert_allclose(np.bincount(cells.sphere, cells.area), expected[:, 2], rtol=1e-6)
    own = 4.0 / 3.0 * np.pi * radii**3
    assert_allclose(found.density, own / expected[:, 0], rtol=1e-6)
    assert_allclose(found.free, (expected[:, 0] - own) / own.mean(), rtol=1e-5)
    assert (cells.neighbour < 0).any() == bool(periodic.walls)


@every_edge(3)
def test_a_dense_cluster_in_a_wide_box_has_whole_cells(periodic: Periodic) -> None:
    """Its outermost cells reach far beyond the images that stand around the box at first."""
    positions = np.random.default_rng(2).random((300, 3)) + np.array([0.2, 4.5, 3.0])
    found = local_cells(positions, np.full(300, 0.01), np.array([9.0, 10.0, 11.0]), periodic=periodic)
    assert found.size.sum() == pytest.approx(990.0, rel=1e-9)
    assert found.size.min() > 0.0


def test_discs_have_as_many_sides_as_freud_says() -> None:
    positions = np.random.default_rng(8).random((500, 2)) * 20.0
    found = local_cells(positions, np.full(500, 0.2), np.full(2, 20.0), periodic=True)
    box = freud.box.Box(20.0, 20.0)
    voronoi = freud.locality.Voronoi()
    voronoi.compute((box, box.wrap(np.column_stack([positions - 10.0, np.zeros(500)]))))
    assert_array_equal(found.sides, np.bincount(voronoi.nlist.query_point_indices, minlength=500))
    walls = local_cells(np.array([[1.0, 1.0], [3.0, 1.0]]), np.full(2, 0.5), np.array([4.0, 2.0]), periodic=False)
    assert_array_equal(walls.sides, [4, 4])
    assert_allclose(walls.free, 4.0 / (np.pi * 0.25) - 1.0)


@pytest.mark.parametrize("cells", [1, 4])
@pytest.mark.parametrize(
    ("name", "faces", "expected"),
    [
        ("sc", 6, (0.76376, 0.35355, 0.013161)),
        ("fcc", 12, (0.19094, 0.57452, -0.013161)),
        ("hcp", 12, (0.09722, 0.48476, -0.012442)),
        ("bcc", 14, (0.22403, 0.56694, 0.013161)),
    ],
)
def test_crystals_have_known_bond_orders(name: str, faces: int, expected: tuple[float, ...], cells: int) -> None:
    """Also of a single cell, in which all neighbours are images. Averages over equal neighbours change nothing."""
    positions, box = crystal(name, cells)
    radii = np.full(len(positions), 0.2)
    found = bond_orders(positions, radii, box, periodic=True)
    for parts in (found[:3], found[3:]):
        for values, known in zip(parts, expected, strict=True):
            assert_allclose(values, known, atol=1e-5)
    assert_array_equal(local_cells(positions, radii, box, periodic=True).sides, faces)


def counted_alike(vectors: Floats) -> BondOrders:
    """The bond orders of a sphere with neighbours in these directions, which all count alike."""
    one = np.zeros(len(vectors), np.int64)
    return orders_of(SphereCells(np.ones(1), one, one, vectors, np.ones(len(vectors))))


def test_neighbours_that_count_alike_give_the_values_of_the_literature() -> None:
    """bcc with 14 neighbours, and an icosahedron: Steinhardt, Nelson and Ronchetti 1983, Mickel et al. 2013."""
    corners = np.array(list(np.ndindex(2, 2, 2))) * 2.0 - 1.0
    found = counted_alike(np.concatenate([corners, 2.0 * np.eye(3), -2.0 * np.eye(3)]))
    assert_allclose(np.ravel(found[:3]), [0.0364, 0.5107, 0.01316], atol=5e-5)
    golden = 0.5 * (1.0 + np.sqrt(5.0))
    ring = np.array([(0.0, a, b * golden) for a in (-1, 1) for b in (-1, 1)])
    found = counted_alike(np.concatenate([np.roll(ring, k, axis=1) for k in range(3)]))
    assert_allclose(np.ravel(found[:3]), [0.0, 0.66332, -0.16975], atol=1e-5)


def test_bond_orders_are_those_of_loops_and_of_freud() -> None:
    """freud computes in single precision, and drops a few faces of almost no area."""
    count, box = 600, np.array([7.0, 8.0, 9.0])
    positions = np.random.default_rng(3).random((count, 3)) * box
    state = disc_state(positions, np.full(count, 0.2), box, periodic=True)
    cells, found = sphere_cells(state), bond_orders(positions, state.radii, box, periodic=True)
    moments = {}
    for order in (4, 6):
        every = np.zeros((count, 2 * order + 1), complex)
        for i in range(count):
            mine = cells.sphere == i
            x, y, z = (cells.vectors[mine] / np.linalg.norm(cells.vectors[mine], axis=1)[:, None]).T
            for m in range(-order, order + 1):
                values = sph_harm_y(order, m, np.arccos(z), np.arctan2(y, x))
                every[i, m + order] = np.average(values, weights=cells.area[mine])
        moments[order] = every
    for order, (single, averaged) in {4: (found.q4, found.averaged_q4), 6: (found.q6, found.averaged_q6)}.items():
        factor, every = 4.0 * np.pi / (2 * order + 1), moments[order]
        assert_allclose(single, np.sqrt(factor * np.square(np.abs(every)).sum(axis=1)), atol=1e-9)
        beside = [np.append(cells.neighbour[cells.sphere == i], i) for i in range(count)]
        means = np.array([every[some].mean(axis=0) for some in beside])
        assert_allclose(averaged, np.sqrt(factor * np.square(np.abs(means)).sum(axis=1)), atol=1e-9)
    sides = freud.box.Box(*box)
    places = sides.wrap(positions - box / 2.0)
    voronoi = freud.locality.Voronoi()
    voronoi.compute((sides, places))
    assert_allclose(voronoi.volumes, cells.volume, rtol=1e-3)
    for order, name, options in (
        *((4, "q4", {}), (6, "q6", {}), (6, "w6", {"wl": True, "wl_normalize": True})),
        *((4, "averaged_q4", {"average": True}), (6, "averaged_q6", {"average": True})),
        (6, "averaged_w6", {"average": True, "wl": True, "wl_normalize": True}),
    ):
        steinhardt = freud.order.Steinhardt(order, weighted=True, **options)
        steinhardt.compute((sides, places), neighbors=voronoi.nlist)
        apart = np.abs(steinhardt.particle_order - getattr(found, name))
        assert np.quantile(apart, 0.95) < 2e-3, name


def test_walls_are_no_neighbours_and_discs_have_no_bond_orders() -> None:
    alone = bond_orders(BOX[None] / 2.0, np.ones(1), BOX, periodic=False)
    assert_array_equal(np.ravel(alone), 0.0)
    pair = bond_orders(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 3.0]]), np.ones(2), BOX, periodic=False)
    assert_allclose(pair.q6, 1.0)  # one direction
    same = bond_orders(np.ones((30, 3)), np.full(30, 0.1), BOX, periodic=True)
    assert np.isfinite(same).all()
    with pytest.raises(InputError, match="box must have three sides"):
        bond_orders(np.ones((3, 2)), np.ones(3), np.full(2, 9.0), periodic=True)


def test_the_orders_of_a_state_are_computed_once_and_anew_where_its_positions_change_in_place() -> None:
    positions, radii = np.random.default_rng(4).random((50, 3)) * BOX, np.full(50, 0.2)
    found = bond_orders(positions, radii, BOX, periodic=True)
    assert bond_orders(positions.copy(), radii, BOX, periodic=True) is found
    assert bond_orders(positions, radii, BOX, periodic=False) is not found
    before = bond_orders(positions, radii, BOX, periodic=True)
    positions[:25] *= 0.9
    after = bond_orders(positions, radii, BOX, periodic=True)
    assert (after.q6 != before.q6).any()
    assert_array_equal(after.q6, bond_orders(positions.copy(), radii.copy(), BOX, periodic=True).q6)
