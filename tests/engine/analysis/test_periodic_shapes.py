"""Shapes of clusters that lie across the edges of a periodic box."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import analysis
from engine.boundary import Periodic
from engine.frame import Frame
from engine.selection import CLUSTER_FIELDS, FrameClusters
from engine.selection.measures import radius_of_gyration
from engine.state import InitialState
from tests.builders.boxes import EVERY, every_boundary
from tests.reference import indicators as plain

BOX = np.array([40.0, 50.0])

Array = NDArray[np.float64]


def hook() -> Array:
    """Discs of radius 1 in a chain that turns twice: a shape with a direction, 20 by 12."""
    return np.array(
        [(2.0 * i, 0.0) for i in range(11)]
        + [(20.0, 2.0 * i) for i in range(1, 7)]
        + [(20.0 - 2.0 * i, 12.0) for i in range(1, 5)]
    )


def shape(positions: Array, box: Array = BOX, cluster: NDArray[np.int32] | None = None) -> analysis.Gyration:
    return analysis.gyration(positions, np.ones(len(positions)), box, periodic=True, cluster=cluster)


@pytest.mark.parametrize("offset", [(5.0, 5.0), (31.0, 5.0), (5.0, 43.0), (31.0, 43.0), (-117.3, 512.9)])
def test_shape_does_not_depend_on_where_the_edges_cut(offset: tuple[float, float]) -> None:
    here = analysis.gyration(hook() + 5.0, np.ones(len(hook())), BOX, periodic=False)
    there = shape((hook() + offset) % BOX)
    assert there.aspect_ratio == pytest.approx(here.aspect_ratio, rel=1e-9)
    assert there.orientation == pytest.approx(here.orientation, abs=1e-9)


def test_other_discs_do_not_hold_a_cluster_together() -> None:
    """Two halves of a chain named alike, and the disc between them named otherwise: not one body."""
    chain = np.array([(2.0 * i, 5.0) for i in range(7)])
    named = np.array([0, 0, 0, 1, 0, 0, 0], np.int32)
    assert shape(chain, cluster=named) == (None, None, None)
    assert shape(chain, cluster=np.zeros(7, np.int32)).orientation == pytest.approx(0.0)


def test_loose_discs_have_no_shape() -> None:
    assert shape(np.array([(1.0, 1.0), (9.0, 9.0), (30.0, 2.0)])) == (None, None, None)


def test_a_cluster_joined_to_its_own_image_has_no_shape() -> None:
    around = np.array([(2.0 * i, 5.0) for i in range(20)] + [(8.0, 7.0)])  # 20 discs of diameter 2: the whole period
    assert shape(around) == (None, None, None)
    assert shape(around[1:-1]).orientation == pytest.approx(0.0)  # one disc less, and the ring is open


def test_a_cluster_near_its_own_image_keeps_its_shape() -> None:
    """A gap of 0.08 R at the far side is a contact for N_c, but nothing holds there: all else touches exactly."""
    box = np.array([40.08, 50.0])
    around = np.array([(2.0 * i, 5.0) for i in range(20)] + [(8.0, 7.0)])
    assert analysis.contact_counts(around, np.ones(21), box, periodic=True)[0] == 2
    in_the_plane = analysis.gyration(around, np.ones(21), box, periodic=False)
    assert shape((around + 17.0) % box, box).aspect_ratio == pytest.approx(in_the_plane.aspect_ratio, rel=1e-9)


@pytest.mark.parametrize("gap", [5e-4, 0.03])
def test_a_cluster_held_by_inexact_contacts_has_a_shape(gap: float) -> None:
    """Time stepping leaves small gaps, files may leave wider ones."""
    apart = hook() * (1.0 + gap)
    here = analysis.gyration(apart + 5.0, np.ones(len(apart)), BOX, periodic=False)
    there = shape((apart + np.array([31.0, 43.0])) % BOX)
    assert there.aspect_ratio == pytest.approx(here.aspect_ratio, rel=1e-9)


def chain(seed: int) -> Array:
    """A chain of touching spheres of radius 1 that wanders through space without meeting itself."""
    rng = np.random.default_rng(seed)
    places = [np.zeros(3)]
    while len(places) < 30:
        step = rng.normal(size=3)
        place = places[-1] + 2.0 * step / np.linalg.norm(step)
        if (np.linalg.norm(np.array(places[:-1]).reshape(-1, 3) - place, axis=1) > 2.2).all():
            places.append(place)
    return np.array(places)


@pytest.mark.parametrize("seed", range(2))
@every_boundary(3)
def test_shapes_in_space_do_not_depend_on_where_the_faces_cut(seed: int, periodic: Periodic) -> None:
    """Beside the eigenvalues of the plain tensor; clusters of a frame have the same. Walls are farther apart."""
    box, places = np.where(periodic, np.array([41.0, 33.0, 37.0]), 80.0), chain(seed)
    offset = np.where(periodic, np.random.default_rng(seed).uniform(0.0, 500.0, 3), 40.0)
    values = np.linalg.eigvalsh(plain.gyration_tensor(places))
    here = analysis.gyration((places + offset) % box, np.ones(30), box, periodic=periodic)
    assert here.aspect_ratio == pytest.approx(values[-1] / values[0], rel=1e-9)
    assert here.orientation is None
    state = InitialState(
        (places + offset) % box, np.tile([1.0, 2.0, 3.0], (30, 1)), np.ones(30), np.ones(30), np.zeros(30, np.int32),
        box, periodic,
    )  # fmt: skip
    frame = Frame(0.0, state.positions, state.velocities, {"cluster": np.repeat([3, 7], [29, 1])}, 2, 0.0)
    clusters = FrameClusters(frame, state)
    values = np.linalg.eigvalsh(plain.gyration_tensor(places[:-1]))
    assert clusters.aspect_ratios[0] == pytest.approx(values[-1] / values[0], rel=1e-9)
    assert clusters.radii_of_gyration == pytest.approx([np.sqrt(values.sum()), 0.0], rel=1e-9)
    middle = (places[:-1].mean(axis=0) + offset) % box
    columns = {field.name: field.values(clusters) for field in CLUSTER_FIELDS}
    assert [columns[axis][0] for axis in "xyz"] == pytest.approx(middle.tolist())
    assert [columns[name][0] for name in ("vx", "vy", "vz")] == [1.0, 2.0, 3.0]
    assert columns["speed"][1] == pytest.approx(np.sqrt(14.0))
    whole = radius_of_gyration(state.positions, state.radii, box, periodic=periodic)
    assert whole == pytest.approx(np.sqrt(np.trace(plain.gyration_tensor(places))), rel=1e-9)


def test_a_rod_through_a_periodic_box_has_no_shape() -> None:
    rod = np.column_stack([np.full(10, 3.0), np.full(10, 4.0), 2.0 * np.arange(10.0)])
    for periodic in EVERY[3]:
        around = analysis.gyration(rod, np.ones(10), np.full(3, 20.0), periodic=periodic)
        assert (around.tensor is None) == periodic[2]
    assert analysis.gyration(rod, np.ones(10), np.full(3, 25.0), periodic=True).tensor is not None
