"""Small periodic boxes, in which discs and spheres touch several images of each other, and their own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import analysis
from engine.analysis.voronoi import hexatic_order
from engine.boundary import Periodic
from engine.fields import CONTACTS
from engine.frame import Frame
from engine.geometry.neighbours import DenseState, near_pairs
from engine.selection import FrameClusters
from engine.state import InitialState
from tests.builders.boxes import EVERY, TILTED, in_short
from tests.builders.points import LATTICES, lattice
from tests.reference import images as reference

Array = NDArray[np.float64]


def scattered(dimensions: int, spread: float, seed: int) -> tuple[Array, Array, Array]:
    """Seven discs anywhere in a box as wide as a disc or two, so that each has images of the others all around."""
    rng = np.random.default_rng(seed)
    box = np.array([2.3, 3.1, 4.4])[:dimensions]
    return rng.random((7, dimensions)) * box, np.minimum(0.9 * (1.0 + spread * rng.random(7)), 1.2), box


@pytest.mark.parametrize("name", LATTICES)
def test_every_image_that_a_disc_of_a_lattice_touches_is_a_contact(name: str) -> None:
    positions, radii, box, contacts = lattice(name)
    assert analysis.contact_counts(positions, radii, box, periodic=True).tolist() == [contacts] * len(radii)
    found = analysis.contacts(positions, radii, box, periodic=True)
    assert found.relative == pytest.approx((1 + contacts) / {2: 6, 3: 12}[len(box)])
    assert found.histogram[contacts] == len(radii)
    pairs, vectors = analysis.contact_vectors(positions, radii, box, periodic=True)
    assert len(pairs) == contacts * len(radii) // 2
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.7)
    ends = np.concatenate([vectors[pairs[:, 0] == 0], -vectors[pairs[:, 1] == 0]])
    assert len(np.unique(np.round(ends, 6), axis=0)) == contacts, "in as many directions as there are contacts"


@pytest.mark.parametrize("name", LATTICES)
def test_colours_tables_and_order_count_the_images_of_a_lattice(name: str) -> None:
    positions, radii, box, contacts = lattice(name)
    count, labels = len(radii), np.zeros(len(radii), np.int32)
    state = InitialState(positions, np.zeros_like(positions), radii, np.ones(count), labels, box, True)
    frame = Frame(0.0, positions, state.velocities, {"cluster": labels}, 1, 0.0)
    assert CONTACTS.measure(frame, state).tolist() == [contacts] * count  # type: ignore[misc]
    assert FrameClusters(frame, state).contacts.tolist() == [contacts * count // 2]
    if name.startswith("hexagonal, "):
        assert np.abs(hexatic_order(positions, radii, box, periodic=True)) == pytest.approx(np.ones(count))


@pytest.mark.parametrize("spread", [0.0, 1.0])
@pytest.mark.parametrize("periodic", [*EVERY[2], *EVERY[3], *TILTED[2], *TILTED[3]], ids=in_short)
def test_contacts_are_those_of_a_loop_over_images(spread: float, periodic: Periodic) -> None:
    dimensions = len(periodic)
    for seed in range(5):
        positions, radii, box = scattered(dimensions, spread, seed)
        wanted = reference.near(positions, box, periodic, 1.05 * (radii[:, None] + radii))
        pairs, vectors = analysis.contact_vectors(positions, radii, box, periodic=periodic)
        images = vectors - positions[pairs[:, 1]] + positions[pairs[:, 0]]
        images[:, 0] -= periodic.offset * np.rint(images[:, 1] / box[1])
        assert images / box == pytest.approx(np.rint(images / box), abs=1e-9)
        sides = np.rint(images / box).astype(int)
        found = [
            (i, j, tuple(side) if i != j or side > [0] * dimensions else tuple(-k for k in side))
            for (i, j), side in zip(pairs.tolist(), sides.tolist(), strict=True)
        ]
        assert sorted(found) == wanted
        across = any(image != (0,) * dimensions for *_, image in wanted)
        assert periodic.all <= across <= periodic.any
        assert pairs.tolist() == analysis.contact_pairs(positions, radii, box, periodic=periodic).tolist()
        counts = analysis.contact_counts(positions, radii, box, periodic=periodic)
        assert counts.tolist() == np.bincount(np.array([one[:2] for one in wanted]).ravel(), minlength=7).tolist()


def test_discs_wider_than_the_box_lie_on_their_own_images_and_touch_each_disc_once() -> None:
    for dimensions in (2, 3):
        positions, radii, box = scattered(dimensions, 1.0, 3)
        pairs, vectors = analysis.contact_vectors(positions, 50.0 * radii, box, periodic=True)
        assert sorted(pairs.tolist()) == np.stack(np.triu_indices(7, 1), axis=1).tolist()
        assert (np.abs(vectors) <= 0.5 * box).all()


@pytest.mark.parametrize("periodic", [*EVERY[2], *EVERY[3], *TILTED[2], *TILTED[3]], ids=in_short)
def test_pairs_by_distance_count_the_nearest_of_all_images(periodic: Periodic) -> None:
    dimensions = len(periodic)
    for seed in range(3):
        positions, _, box = scattered(dimensions, 0.0, seed)
        found = analysis.pair_distribution(positions, np.full(7, 0.11), box, periodic=periodic)
        wanted = 1.0 + 2.0 / 7.0 * np.array(reference.pairs_within(positions, box, periodic, found["r"]))
        assert found["p"] == pytest.approx(wanted, rel=1e-12)
        assert found["p"][0] < found["p"][-1]


def test_own_images_are_listed_only_where_they_are_asked_for() -> None:
    positions, radii, box = scattered(3, 1.0, 1)
    state = DenseState(positions, radii, box, True)
    first, second, _ = near_pairs(state, cutoff=3.0, growth=0.0, step=0.0)
    both, others, apart = near_pairs(state, cutoff=3.0, growth=0.0, step=0.0, own=True)
    own = both == others
    assert not (first == second).any()
    assert list(zip(both[~own], others[~own], strict=True)) == list(zip(first, second, strict=True))
    wanted = reference.near(positions, box, True, np.full((7, 7), 3.0))
    assert sorted(both[own].tolist()) == [i for i, j, _ in wanted if i == j]
    assert len(np.unique(np.abs(apart[own]), axis=0)) == int(own.sum()) // 7


def test_a_cluster_that_touches_itself_around_the_box_has_no_shape() -> None:
    box, radii = np.array([4.0, 20.0]), np.ones(2)
    around = np.array([[1.0, 5.0], [3.0, 5.0]])  # touch on both sides: a row without end
    apart = np.array([[1.0, 5.0], [1.0, 7.0]])
    for positions, shape in ((around, False), (apart, True)):
        found = analysis.gyration(positions, radii, box, periodic=True, cluster=np.zeros(2, np.int32))
        assert (found.tensor is not None) == shape
