"""Fields that every system has, and those of aggregation: what they say of each disc."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import engine
from engine import fields
from engine.analysis import bond_orders, local_cells
from engine.analysis.voronoi import bond_order
from engine.frame import Frame
from engine.scenario import Scenario
from engine.state import InitialState
from engine.system import systems

ORDERS = ("q4", "q6", "w6", "averaged_q4", "averaged_q6")
GENERAL = (
    *("contacts", "radius", "local_density", "free_volume", "sides", "hexatic", "hexatic_angle", "bond_order"),
    *ORDERS,
)


def discs(radii: np.ndarray) -> InitialState:
    still = np.zeros((len(radii), 2))
    return InitialState(still, still, radii, radii**2, np.arange(len(radii), dtype=np.int32), np.full(2, 10.0), True)


def test_every_system_has_what_follows_from_places_and_radii() -> None:
    for system in systems():
        names = [field.name for field in system.fields]
        assert len(set(names)) == len(names)
        assert set(GENERAL) <= set(names)
        assert ("direction" in names) == system.moves


def test_the_direction_of_a_velocity_is_an_angle() -> None:
    frame = Frame.empty(4)
    frame.velocities[:] = [[1.0, 0.0], [0.0, 2.0], [-1.0, -1e-9], [0.0, 0.0]]
    found = fields.DIRECTION.values(frame, discs(np.ones(4)))
    assert_allclose(found, [0.0, np.pi / 2, -np.pi, 0.0], atol=1e-8)
    assert fields.DIRECTION.of_disc(frame, discs(np.ones(4)), 1) == pytest.approx(np.pi / 2)
    assert fields.DIRECTION.new_scale().follow(np.zeros(0))[:2] == (-np.pi, np.pi)


def test_density_and_order_are_measured_with_the_radii_of_the_frame() -> None:
    frame = Frame.empty(16)
    frame.positions[:] = np.stack(np.divmod(np.arange(16.0), 4), axis=1) * 2.5 + 1.0
    frame.radius_factor = 2.0
    own = discs(np.full(16, 0.5))
    for field in (fields.LOCAL_DENSITY, fields.HEXATIC, fields.HEXATIC_ANGLE):
        assert field.values(frame, own) is None
        assert field.absent == 0.0
    assert fields.LOCAL_DENSITY.measure is not None
    assert fields.HEXATIC.measure is not None
    assert_allclose(fields.LOCAL_DENSITY.measure(frame, own), np.pi / 2.5**2)
    assert_allclose(fields.HEXATIC.measure(frame, own), 0.0, atol=1e-9)


def test_bond_order_is_offered_for_spheres_and_what_is_flat_is_not() -> None:
    for system in systems():
        flat, space = ({field.name for field in fields.fields_in(system.fields, d)} for d in (2, 3))
        assert flat - space == {"hexatic", "hexatic_angle"} | ({"direction"} & flat)
        assert space - flat == {"bond_order", *ORDERS}
    frame, own = Frame.empty(27, 3), discs(np.full(27, 0.5))
    frame.positions[:] = np.stack(np.unravel_index(np.arange(27), (3, 3, 3)), axis=1) * 2.0 + 1.0
    frame.positions[13] += 0.3
    spheres = replace(own, box=np.full(3, 6.0), periodic=True)
    assert fields.BOND_ORDER.measure is not None
    found = fields.BOND_ORDER.measure(frame, spheres)
    assert_array_equal(found, bond_order(frame.positions, spheres.radii, spheres.box, periodic=True))
    cells = local_cells(frame.positions, spheres.radii, spheres.box, periodic=True)
    orders = bond_orders(frame.positions, spheres.radii, spheres.box, periodic=True)
    known = {"local_density": cells.density, "free_volume": cells.free, "sides": cells.sides} | orders._asdict()
    for field in (*fields.ORDERS, fields.LOCAL_DENSITY, fields.FREE_VOLUME, fields.SIDES):
        assert field.measure is not None
        assert_array_equal(field.measure(frame, spheres), known[field.name])


@pytest.mark.parametrize("method", ["event-driven", "time-stepping"])
def test_the_last_merge_of_each_cluster_is_known_however_often_one_looks(method: str) -> None:
    scenario = Scenario().with_values({"discs.count": 100, "aggregation.method": method, "seed": 3})
    watched, other = engine.create(scenario), engine.create(scenario)
    labels, expected = watched.frame().cluster.copy(), np.zeros(100)
    sizes = np.bincount(labels, minlength=100)
    while watched.frame().clusters > 20:
        watched.advance(max_events=1)
        frame = watched.frame()
        now = np.bincount(frame.cluster, minlength=100)
        grown = (now > sizes[: len(now)])[frame.cluster]
        expected[grown] = frame.time
        sizes = now
        last = frame.fields["last_merge"]
        assert_allclose(last, expected, rtol=1e-12)
        assert_allclose(fields.AGE.values(frame, discs(np.ones(100))), frame.time - expected, atol=1e-12)
    other.advance(watched.time)
    assert_array_equal(other.frame().fields["last_merge"], watched.frame().fields["last_merge"])
    assert_array_equal(other.settled().fields["last_merge"], other.frame().fields["last_merge"])
    again = engine.restore(other.checkpoint())
    assert_array_equal(again.frame().fields["last_merge"], other.frame().fields["last_merge"])
    assert fields.AGE.values(Frame.empty(3), discs(np.ones(3))) is None
