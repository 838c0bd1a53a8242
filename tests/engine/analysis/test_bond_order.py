"""The bond order of spheres: as defined with spherical harmonics, as freud computes it, and in crystals."""

from __future__ import annotations

import freud
import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.special import sph_harm_y

from engine.analysis import voronoi as module
from engine.analysis.voronoi import bond_order
from engine.boundary import Periodic
from engine.errors import InputError
from tests.builders.boxes import every_edge
from tests.reference.images import nearest

Floats = NDArray[np.float64]
BOX = np.array([5.0, 6.0, 7.0])


def as_defined(positions: Floats, box: Floats, *, periodic: Periodic | bool) -> Floats:
    """The length of the vector of the 13 means of Y_6m over the directions to the 12 nearest spheres, by loops."""
    found = []
    for i in range(len(positions)):
        x, y, z = nearest(positions, box, periodic, i, 12).T
        polar, around = np.arccos(z / np.sqrt(x * x + y * y + z * z)), np.arctan2(y, x)
        means = [sph_harm_y(6, m, polar, around).mean() for m in range(-6, 7)]
        found.append(np.sqrt(4.0 * np.pi / 13.0 * np.sum(np.abs(means) ** 2)))
    return np.array(found)


@every_edge(3)
@pytest.mark.parametrize("count", [5, 9, 14, 200])
def test_bond_order_is_the_length_of_the_mean_spherical_harmonics(
    count: int, periodic: Periodic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BLOCK", 64)
    positions = np.random.default_rng(4).random((count, 3)) * BOX
    found = bond_order(positions, np.full(count, 0.1), BOX, periodic=periodic)
    assert_allclose(found, as_defined(positions, BOX, periodic=periodic), atol=1e-12)


def test_a_sphere_alone_has_its_own_images_for_neighbours() -> None:
    """A sheet of squares: four at 1, four at √2 and four at 2."""
    box = np.array([1.0, 1.0, 9.0])
    found = bond_order(np.array([[0.2, 0.9, 4.0]]), np.full(1, 0.5), box, periodic=True)
    assert_allclose(found, as_defined(np.zeros((1, 3)), box, periodic=True), atol=1e-12)


@pytest.mark.parametrize("sides", [BOX, np.array([1.0, 20.0, 10.5])], ids=str)
def test_freud_finds_the_same(sides: Floats) -> None:
    """Also in a thin box, where freud is given three copies of it."""
    positions = np.random.default_rng(5).random((2000, 3)) * sides
    order, copies = freud.order.Steinhardt(6), 1 if sides[0] > 2.0 else 3
    box = freud.box.Box(copies * sides[0], *sides[1:])
    places = np.concatenate([positions + np.array([k, 0.0, 0.0]) for k in range(copies)])
    order.compute((box, box.wrap(places - BOX / 2.0)), neighbors={"num_neighbors": 12})
    found = bond_order(positions, np.full(2000, 0.05), sides, periodic=True)
    assert np.ptp(found) > 0.2
    assert_allclose(found, order.particle_order[:2000], atol=1e-4)  # freud computes in single precision


@pytest.mark.parametrize("cells", [3, 1])
@pytest.mark.parametrize(
    ("cell", "atoms", "value"),
    [
        ((1.0, 1.0, 1.0), [(0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.5), (0, 0.5, 0.5)], 0.57452),
        (
            (1.0, np.sqrt(3.0), np.sqrt(8.0 / 3.0)),
            [(0, 0, 0), (0.5, 0.5, 0), (0.5, 5.0 / 6.0, 0.5), (0, 1.0 / 3.0, 0.5)],
            0.48476,
        ),
    ],
    ids=["face-centred cubic", "hexagonal close-packed"],
)
def test_crystals_have_the_values_of_steinhardt_nelson_and_ronchetti(
    cell: tuple[float, float, float], atoms: list[tuple[float, float, float]], value: float, cells: int
) -> None:
    """Also of a single cell, in which a sphere has most of its neighbours several times, and itself."""
    corners = np.stack(np.meshgrid(*[np.arange(float(cells))] * 3, indexing="ij"), axis=-1).reshape(-1, 1, 3)
    positions = ((corners + np.array(atoms)) * np.array(cell)).reshape(-1, 3)
    found = bond_order(positions, np.full(len(positions), 0.3), cells * np.array(cell), periodic=True)
    assert_allclose(found, value, atol=1e-5)


def test_a_sphere_alone_and_spheres_with_one_centre_have_none() -> None:
    assert bond_order(BOX[None] / 2.0, np.ones(1), BOX, periodic=False) == 0.0
    assert_allclose(bond_order(np.ones((30, 3)), np.full(30, 0.1), BOX, periodic=True), 0.0)


def test_discs_are_refused() -> None:
    with pytest.raises(InputError, match="box must have three sides"):
        bond_order(np.ones((3, 2)), np.ones(3), np.full(2, 9.0), periodic=True)
