"""One, two and three discs and spheres: packings that are known exactly."""

from __future__ import annotations

from math import cos, pi, sqrt

import numpy as np
import pytest

import engine
from engine.analysis import analyse_packing
from engine.errors import InputError
from engine.frame import self_stresses_in_words
from engine.jamming import jam
from engine.jamming.saved import check
from engine.scenario import Scenario
from tests.engine.jamming.test_held import check_held
from tests.reference.jamming import crystal

RULES = ["trust-region", "calippso"]
SOLVERS = ["interior-point", "highs"]
PLACES = np.array([[0.2, 0.2, 0.3], [0.75, 0.35, 0.7], [0.35, 0.75, 0.6]])


def in_corners(distance):
    """The radius of discs in a unit box whose centres are `distance` apart where those reach over a unit box."""
    return distance / (2.0 * (1.0 + distance))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("count", "d", "radius", "contacts", "further"),
    [
        (1, 2, 0.5, 4, 1),
        (1, 3, 0.5, 6, 2),
        (2, 2, in_corners(sqrt(2.0)), 5, 0),  # on a diagonal
        (2, 3, in_corners(sqrt(3.0)), 7, 0),
        (3, 2, 1.0 / (2.0 + 2.0 * cos(pi / 12.0)), 7, 0),
        (3, 3, in_corners(sqrt(2.0)), 12, 2),  # three diagonals of faces
    ],
)
def test_up_to_three_in_a_box_with_walls_jam(count, d, radius, contacts, further, rules, solver):
    places = PLACES[:count, :d] if count != 2 else np.array([[0.25] * 3, [0.75, 0.72, 0.7]])[:, :d]
    packing = jam(places, np.full(count, 0.1), np.ones(d), periodic=False, rules=rules, solver=solver)
    check_held(packing)
    assert packing.radii == pytest.approx(np.full(count, radius), rel=1e-9)
    assert len(packing.contacts) == packing.contacts_by_gap == contacts
    assert packing.self_stresses == further
    assert packing.isostatic == (further == 0)
    assert not packing.rattlers.any()


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("count", "d", "distance", "contacts"),
    [
        (2, 2, sqrt(0.5), 4),  # Dickinson, Guillot, Keaton and Xhumari 2011: equal circles on a square flat torus
        (3, 2, (sqrt(6.0) - sqrt(2.0)) / 2.0, 5),
        (2, 3, sqrt(0.75), 8),  # a body-centred cell, of which no rows slide: both its spheres have one place
        (3, 3, sqrt(0.5), 12),
    ],
)
def test_two_and_three_in_a_periodic_box_jam(count, d, distance, contacts, rules):
    places = np.array([[0.25] * 3, [0.75, 0.72, 0.7]])[:, :d] if count == 2 else PLACES[:, :d]
    packing = jam(places, np.full(count, 0.1), np.ones(d), rules=rules)
    check_held(packing)
    assert packing.radii == pytest.approx(np.full(count, 0.5 * distance), rel=1e-9)
    assert packing.contacts_by_gap == contacts


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("start", ["placed", "grown"])
@pytest.mark.parametrize("count", [1, 2])
def test_a_scenario_of_one_or_two_jams_and_is_saved(count, start, dimensions):
    values = {
        "system": "jamming",
        "dimensions": dimensions,
        "discs.count": count,
        "discs.volume_fraction": 0.1,
        "discs.arrangement": "random",
        "jamming.start": start,
    }
    simulation = engine.create(Scenario().with_values(values))
    progress = simulation.advance()
    assert progress.stop_reason.startswith("jammed: ")
    copy = simulation.checkpoint()
    check(copy.arrays, simulation.scenario)
    assert engine.restore(copy).advance().stop_reason == progress.stop_reason
    if count == 1:
        words = self_stresses_in_words(simulation.packing().patches, dimensions)
        assert words.endswith(f"in a single {'disc' if dimensions == 2 else 'sphere'} between walls")


def test_two_spheres_in_a_line_between_walls_go_to_a_diagonal():
    """The line carries a force and nothing holds it from the side: the push that leaves it is said."""
    packing = jam([[0.5, 0.5, 0.25], [0.5, 0.5, 0.75]], np.full(2, 0.2), np.ones(3), periodic=False)
    check_held(packing)
    assert packing.radii == pytest.approx([in_corners(sqrt(3.0))] * 2, rel=1e-9)


def test_a_single_disc_in_a_periodic_box_is_refused():
    for dimensions in (2, 3):
        values = {"system": "jamming", "dimensions": dimensions, "discs.count": 1, "box.boundary": "periodic"}
        with pytest.raises(InputError, match="only its own images, cannot jam: at least 2 are needed") as caught:
            engine.create(Scenario().with_values(values))
        assert caught.value.key == "discs.count"
    channel = {"system": "jamming", "discs.count": 1, "box.boundary": ["periodic", "walls"]}
    with pytest.raises(InputError, match="periodic edges along x and walls along y, which nothing holds along x,"):
        engine.create(Scenario().with_values(channel))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("shape", [(1, 2), (1, 4), (2, 2), (2, 4)], ids=str)
def test_each_disc_of_a_small_hexagonal_cell_has_six_contacts(shape, rules, solver):
    """In a cell one disc wide two of them are with its own images, which a packing lists once."""
    packing = jam(*crystal(*shape), rules=rules, solver=solver)
    assert packing.jammed
    assert packing.volume_fraction == pytest.approx(pi / sqrt(12.0), rel=1e-9)
    assert packing.contacts_by_gap == 3 * len(packing.radii)
    if solver == "interior-point":  # a vertex leaves out forces
        assert np.bincount(packing.contacts.ravel()).tolist() == [6] * len(packing.radii)
        own = packing.contacts[:, 0] == packing.contacts[:, 1]
        assert own.sum() == (len(packing.radii) if shape[0] == 1 else 0)
    reach = packing.radii[packing.contacts].sum(axis=1)
    assert np.linalg.norm(packing.contact_vectors, axis=1) == pytest.approx(reach, rel=1e-9)
    assert packing.force_mismatch < 1e-10


@pytest.mark.parametrize("rules", RULES)
def test_each_sphere_of_a_face_centred_cell_has_twelve_contacts(rules):
    places = np.array([[0.25, 0.25, 0.25], [0.75, 0.75, 0.25], [0.75, 0.25, 0.75], [0.25, 0.75, 0.75]])
    packing = jam(places, np.full(4, 0.33), np.ones(3), rules=rules)
    assert np.bincount(packing.contacts.ravel()).tolist() == [12] * 4
    assert analyse_packing(packing).contacts_histogram.tolist() == [0] * 12 + [4]


def test_a_disc_as_wide_as_the_box_holds_no_other_and_is_saved():
    """Its own images limit the growth; it and the other slide along each other, so that they are not jammed."""
    packing = jam([[1.0, 0.5], [4.0, 0.5]], [0.2, 0.1], [12.0, 1.0])
    assert not packing.jammed
    assert packing.reason == "the largest disc is as wide as the box"
    assert packing.radii == pytest.approx([0.5, 0.25], rel=1e-9)
    values = {
        "system": "jamming", "discs.count": 2, "box.boundary": "periodic", "box.size": [1.0, sqrt(3.0)],
        "discs.arrangement": "random", "discs.volume_fraction": 0.5, "seed": 3,
    }  # fmt: skip
    simulation = engine.create(Scenario().with_values(values))
    simulation.advance()
    copy = simulation.checkpoint()
    check(copy.arrays, simulation.scenario)
    assert engine.restore(copy).packing().contacts.tolist() == simulation.packing().contacts.tolist()
