"""The motion of free bodies in space: the textbook, an integrator, and a million turns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk

from engine import Scenario
from engine.aggregation.turning.simulation import TurningEvents
from engine.state import InitialState
from tests.reference.turning import Body, of_points, turned_by

SCENARIO = Scenario().with_values({"aggregation.rotation": True, "dimensions": 3})
MIDDLE = np.array([50.0, 50.0, 50.0])
RADIUS = 0.5
TRIANGLE = np.array([[1.0, 0.0, 0.0], [-0.5, np.sqrt(0.75), 0.0], [-0.5, -np.sqrt(0.75), 0.0]]) / np.sqrt(3.0)
ROD = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]])
FLAT = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
LOPSIDED = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.8, 1.0, 0.6], [2.7, 1.2, 1.0]])


def tensor(arms):
    """The tensor of inertia of spheres of mass 1 about the origin."""
    return of_points(np.ones(len(arms)), arms) + len(arms) * 0.4 * RADIUS**2 * np.eye(3)


def principal(arms):
    """The arms from the centre of mass along principal axes, of which the third has the largest moment."""
    arms = arms - arms.mean(axis=0)
    axes = np.linalg.eigh(tensor(arms))[1]
    return arms @ (axes * np.linalg.det(axes))


def free(arms, momentum):
    """A run of one body about the middle of a large box, with an angular momentum, and of a sphere at rest."""
    spin = np.linalg.solve(tensor(arms), momentum)
    count = len(arms) + 1
    velocities = np.vstack([np.cross(spin, arms), np.zeros(3)])
    names = np.array([0] * len(arms) + [len(arms)], np.int32)
    given = np.vstack([MIDDLE + arms, [1.0, 1.0, 1.0]]), velocities, np.full(count, RADIUS), np.ones(count), names
    return TurningEvents(SCENARIO, InitialState(*given, 2.0 * MIDDLE, False, spin=np.tile(spin, (count, 1))))


def turned(simulation, time):
    """How far the body is turned at a time: the rotation that its frame shows, and that of its spheres."""
    simulation.advance(time)
    frame = simulation.frame()
    q = frame.fields["orientation"][0]
    return Rotation.from_quat(np.roll(q, -1)).as_matrix(), frame.positions[:-1] - MIDDLE, frame.fields["spin"][0]


def assert_turned(simulation, time, arms, momentum, wanted, within):
    """Orientation, places and ω at a time are those of a body that is turned so."""
    matrix, places, spin = turned(simulation, time)
    inertia = wanted @ tensor(arms) @ wanted.T
    np.testing.assert_allclose(matrix, wanted, rtol=0.0, atol=within)
    np.testing.assert_allclose(places, arms @ wanted.T, rtol=0.0, atol=10.0 * within)
    np.testing.assert_allclose(inertia @ spin, momentum, rtol=0.0, atol=100.0 * within)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 7), st.integers(0, 2), st.sampled_from([1.0, 0.1, 1e-3, 1e-9, 0.0]))
def test_a_body_moves_as_an_integrator_says(seed, count, axis, off):
    # also almost or exactly about one of its principal axes, of which the middle one is not stable
    rng = np.random.default_rng(seed)
    arms = principal(rng.normal(size=(count, 3)))
    momentum = np.roll([1.0, *(off * rng.normal(size=2))], axis) * rng.uniform(0.5, 3.0)
    back = Rotation.from_quat(rng.normal(size=4)).as_matrix()
    arms, momentum = arms @ back.T, back @ momentum
    body = Body(list(range(count)), arms, count, tensor(arms), MIDDLE, np.zeros(3), momentum)
    simulation = free(arms, momentum)
    for time in (0.5, 2.0, 6.0):
        within = 1e-5 if axis == 1 and off < 0.1 else 1e-10
        assert_turned(simulation, time, arms, momentum, turned_by(body, time), within)


@pytest.mark.parametrize(("arms", "axis"), [(TRIANGLE, 2), (ROD, 2)], ids=["flat", "long"])
def test_a_symmetric_top_precesses_as_in_the_textbook(arms, axis):
    # about L at the rate L / I_1, and about its own axis at L_3 (1 / I_3 - 1 / I_1)
    momentum = np.array([0.3, -0.2, 0.7])
    moments = np.diag(tensor(arms))
    own = momentum[axis] * (1.0 / moments[axis] - 1.0 / moments[0])
    simulation = free(arms, momentum)
    for time in (0.1, 2.0, 30.0):
        about = Rotation.from_rotvec(momentum * time / moments[0]).as_matrix()
        wanted = about @ Rotation.from_rotvec([0.0, 0.0, own * time]).as_matrix()
        assert_turned(simulation, time, arms, momentum, wanted, 1e-12)


def test_a_thrown_racket_flips_at_its_textbook_time():
    # L almost along the middle axis, at the turning point of its motion: upside down after half a period (Landau and
    # Lifshitz, Mechanics, § 37)
    arms, tilt = principal(LOPSIDED), 1e-3
    i1, i2, i3 = np.diag(tensor(arms))
    momentum = np.array([0.0, np.cos(tilt), np.sin(tilt)])
    twice = momentum @ np.linalg.solve(tensor(arms), momentum)
    rate, m = parameters(i1, i2, i3, twice, 1.0)
    simulation = free(arms, momentum)
    for halves, in_body in ((1, [0.0, -1.0, 1.0]), (2, [0.0, 1.0, 1.0])):
        matrix = turned(simulation, halves * 2.0 * ellipk(m) / rate)[0]
        np.testing.assert_allclose(matrix.T @ momentum, in_body * momentum, rtol=0.0, atol=1e-10)


def parameters(i1, i2, i3, twice, momentum):
    """Of moments that rise, twice the energy and L² > twice the energy times i2: u / t, and the parameter m."""
    over, under = (i3 - i2) * (momentum**2 - twice * i1), (i2 - i1) * (twice * i3 - momentum**2)
    return np.sqrt(over / (i1 * i2 * i3)), under / over


def test_a_body_is_where_it_should_be_after_a_million_periods():
    # after each period of L in the frame of the body, it is turned about L by the same angle: an integral over a
    # period, which sums at equal intervals give to all digits
    arms = principal(FLAT)
    i1, i2, i3 = np.diag(tensor(arms))
    momentum = np.array([0.3, 0.0, 0.9])
    size = np.linalg.norm(momentum)
    rate, m = parameters(i1, i2, i3, momentum @ np.linalg.solve(tensor(arms), momentum), size)
    period = 4.0 * ellipk(m) / rate
    sn, cn, _, _ = ellipj(np.arange(200) / 200 * 4.0 * ellipk(m), m)
    l1, l2 = momentum[0] * cn, momentum[0] * np.sqrt(i2 * (i3 - i1) / (i1 * (i3 - i2))) * sn
    angle = period * size * np.mean((l1**2 / i1 + l2**2 / i2) / (l1**2 + l2**2))
    simulation = free(arms, momentum)
    for periods, within in ((1, 1e-12), (1000, 1e-10), (1_000_000, 1e-7)):
        about = Rotation.from_rotvec(momentum / size * (periods * angle % (2.0 * np.pi))).as_matrix()
        assert_turned(simulation, periods * period, arms, momentum, about, within)
