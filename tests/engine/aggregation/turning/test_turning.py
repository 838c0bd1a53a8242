"""Clusters that turn: the same merges as by the plain reference, and what physics keeps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import engine
from engine import Scenario
from engine.aggregation.turning.simulation import TurningEvents
from engine.boundary import Periodic
from engine.initial import initial_state
from engine.state import InitialState, moments_of_inertia
from tests.builders.states import random_state
from tests.reference.turning import Body, Turning, cross, moved, of_points, turn

TURNING = Scenario().with_values({"aggregation.rotation": True})


def scenario(count=10, **values):
    """A scenario of discs that turn, with keys whose dots are written as __."""
    given = {"discs.count": count, "discs.arrangement": "random", "aggregation.rotation": True}
    return Scenario().with_values(given | {key.replace("__", "."): value for key, value in values.items()})


def strewn(seed, count, fraction, boundary):
    """Discs or spheres of all sizes and masses in a box with these edges, that spin."""
    rng, periodic = np.random.default_rng(seed), Periodic.of_boundary(boundary, len(boundary))
    box, fraction = (3.0, 4.0, 3.5)[: len(boundary)], fraction if len(boundary) == 2 else 0.5 * fraction
    state = random_state(rng, count, periodic=periodic, fraction=fraction, spread=0.3, box=box, free_masses=True)
    spin = rng.normal(size=(count, 3) if len(boundary) == 3 else count)
    return replace(state, spin=spin * np.linalg.norm(state.velocities, axis=1).mean() / state.radii.mean())


def compare(boundary, seed, count, fraction, dimensions):
    """A run by the engine and by the reference, as far as the reference is sure of it."""
    start = scenario(
        count,
        seed=seed,
        dimensions=dimensions,
        box__boundary=boundary,
        discs__volume_fraction=fraction,
        discs__radii="bidisperse",
        discs__spread=1.5,
        velocities__spin="thermal",
    )
    state = initial_state(start) if isinstance(boundary, str) else strewn(seed, count, fraction, boundary)
    simulation = engine.create(start, state)
    plain = Turning(state, state.spin)
    found = plain.run(until_time=60.0)
    progress = simulation.advance(plain.time + 1e-6)
    merges, history = simulation.merges(), simulation.history()
    assert progress.clusters == len(plain.bodies) < count
    np.testing.assert_array_equal(np.sort(merges, axis=1), np.sort(found.pairs, axis=1))
    np.testing.assert_allclose(history.time[1:], found.times, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(history.kinetic_energy[1:], found.energies, rtol=1e-9)
    return progress, plain


@pytest.mark.parametrize(
    ("dimensions", "boundary", "seed"),
    [
        *((2, boundary, seed) for boundary in ("walls", "periodic") for seed in range(10)),
        *((2, boundary, seed) for boundary in (("periodic", "walls"), ("walls", "periodic")) for seed in range(6)),
        *((3, "walls", 0), (3, "periodic", 5), (3, ("walls", "periodic", "walls"), 1)),
        *((3, ("periodic", "walls", "periodic"), seed) for seed in (2, 4)),
        *(
            pytest.param(3, boundary, seed, marks=pytest.mark.slow)
            for boundary in ("walls", "periodic")
            for seed in range(10)
            if (boundary, seed) not in {("walls", 0), ("periodic", 5)}
        ),
    ],
)
def test_the_same_merges_and_energies_as_by_small_steps(dimensions, boundary, seed):
    progress, plain = compare(boundary, seed, 8 + seed, 0.05 + 0.03 * seed, dimensions)
    assert progress.events["wall"] == plain.found.walls
    assert progress.events["spanning"] == plain.found.spanning


def at(positions, velocities, spin=None, box=(20.0, 20.0), periodic=False, radius=0.5, cluster=None):
    """A state of discs of mass 1, each with its ω."""
    count = len(positions)
    arrays = np.array(positions, float), np.array(velocities, float), np.full(count, radius), np.ones(count)
    names = np.arange(count, dtype=np.int32) if cluster is None else np.array(cluster, np.int32)
    spins = None if spin is None else np.array(spin, float)
    return InitialState(*arrays, names, np.array(box, float), periodic, spin=spins)


def along_z(values, dimensions):
    """Vectors of the plane, (n, 2), in this number of dimensions; or what turns about the third axis."""
    values = np.array(values, float)
    if dimensions == 2:
        return values
    if values.ndim == 1:
        return np.outer(values, [0.0, 0.0, 1.0])
    return np.hstack([values, np.zeros((len(values), 1))])


def in_a_channel(dimensions, height, speed):
    """A row of six discs that turns slowly so high above a wall, in a box 5.9 wide that is periodic along it, and a
    disc far away; speed : of the row, across the wall."""
    spin, arms = 0.1, np.array([[0.0, k - 2.5] for k in range(6)])
    ways = np.stack([-spin * arms[:, 1] + 0.01, spin * arms[:, 0] + speed], axis=1)
    return at(
        along_z([*np.array([2.95, height]) + arms, (3.0, 50.0)], dimensions),
        along_z([*ways, (0.0, 0.0)], dimensions),
        along_z([spin] * 6 + [0.0], dimensions),
        (5.9, 60.0, 20.0)[:dimensions],
        (True, False, True)[:dimensions],
        cluster=(0,) * 6 + (6,),
    )


def spins(simulation):
    """ω of each disc's cluster."""
    return simulation.frame().fields["spin"]


def total_spin(state, about=None):
    """The angular momentum about a point, of discs with velocities and spins of their own."""
    inertia = moments_of_inertia(state.masses, state.radii, len(state.box))
    arms = state.positions - (state.box / 2.0 if about is None else about)
    orbital = (state.masses * cross(arms, state.velocities).T).T
    return (orbital if state.spin is None else orbital + (inertia * state.spin.T).T).sum(axis=0)


def mirrored(state):
    """The state seen in a mirror along x."""
    flip = np.ones(len(state.box))
    flip[0] = -1.0
    return replace(
        state,
        positions=state.box * (flip < 0.0) + flip * state.positions,
        velocities=flip * state.velocities,
        spin=mirrored_spin(state.spin),
    )


def mirrored_spin(spin):
    """ω seen in a mirror along x: in space only its component along x stays."""
    return -spin if spin.ndim == 1 else np.array([1.0, -1.0, -1.0]) * spin


def test_two_discs_that_meet_off_centre_turn_as_the_paper_says():
    # u × r about the common centre: with b the impact parameter, L = μ b u and I = μ σ² + 2 (½ m R²)
    simulation = TurningEvents(TURNING, at([(5.0, 10.0), (8.0, 10.6)], [(1.0, 0.0), (-1.0, 0.0)]))
    simulation.advance(until_clusters=1)
    expected = 0.5 * 2.0 * 0.6 / (0.5 * 1.0 + 2 * 0.5 * 0.25)
    np.testing.assert_allclose(np.abs(spins(simulation)), expected, rtol=1e-12)
    assert spins(simulation)[0] > 0.0, "the right-hand disc is above and flies to the left: counter-clockwise"


def test_a_dumb_bell_bounces_off_a_wall_as_in_the_textbook():
    # a dumb-bell along y in the middle of its flight, tilted so that one disc meets the wall first
    tilt = 0.3
    arm = 0.5 * np.array([np.cos(tilt), np.sin(tilt)])
    middle = np.array([16.0, 10.0])
    state = at([middle - arm, middle + arm, (1.0, 1.0)], [(1.0, 0.0)] * 2 + [(0.0, 0.0)], cluster=(0, 0, 2))
    simulation = TurningEvents(TURNING, state)
    simulation.advance(max_events=1)
    inertia = 2 * (0.25 + 0.5 * 0.25)
    lever = -arm[1]  # (a × n) of the disc that touches, along n = x
    push = -2.0 * 1.0 / (1.0 / 2.0 + lever**2 / inertia)
    v, spin = 1.0 + push / 2.0, lever * push / inertia
    frame = simulation.frame()
    np.testing.assert_allclose(frame.velocities[:2].mean(axis=0), [v, 0.0], atol=1e-12)
    np.testing.assert_allclose(spins(simulation)[:2], spin, rtol=1e-12)
    assert simulation.time == pytest.approx(20.0 - 0.5 - (16.0 + arm[0]), abs=1e-12)


def test_two_discs_that_hit_a_third_at_one_time_join_it_in_one_body_whatever_their_order():
    # the second pair would separate after the first merge alone, if the first disc pulled it along
    places = [(10.0, 10.0), (7.0, 10.2), (13.0, 9.8)]
    ways = [(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0)]
    found = []
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        simulation = TurningEvents(TURNING, at([places[k] for k in order], [ways[k] for k in order]))
        progress = simulation.advance(until_clusters=1)
        assert progress.events["merge"] == 2
        times = simulation.history().time
        assert times[1] == times[2]
        found.append(spins(simulation)[0])
    np.testing.assert_allclose(found, found[0], rtol=1e-13)
    assert found[0] < 0.0


def test_a_disc_pulled_away_by_a_merge_at_the_same_time_is_still_caught():
    # the middle disc would fly off with the fast heavy one before the slow one reaches it, judged by velocities after
    state = at([(10.0, 10.0), (9.0, 10.0), (10.0 + 2.0, 10.0)], [(0.0, 0.0), (0.1, 0.0), (-10.0, 0.0)])
    state.masses[2] = 100.0
    state.positions[1, 0] = 9.0 - 0.1 * 0.1
    simulation = TurningEvents(TURNING, state)
    assert simulation.advance(0.1 + 1e-9).clusters == 1


def test_a_body_that_has_turned_a_million_times_is_where_it_should_be():
    state = at([(5.0, 10.0), (6.0, 10.0)], [(0.0, -1.0), (0.0, 1.0)], cluster=(0, 0), box=(40.0, 40.0), periodic=True)
    others = at([(30.0, 30.0)], [(0.01, 0.0)])
    state = InitialState(
        np.concatenate([state.positions, others.positions]),
        np.concatenate([state.velocities, others.velocities]),
        np.full(3, 0.5),
        np.ones(3),
        np.array([0, 0, 2], np.int32),
        state.box,
        True,
    )
    simulation = TurningEvents(TURNING, state)
    spin = spins(simulation)[0]
    turns = 1e6 + 0.125
    simulation.advance(2.0 * np.pi * turns / spin)
    apart = simulation.frame().positions[1] - simulation.frame().positions[0]
    np.testing.assert_allclose(apart, [np.sqrt(0.5)] * 2, atol=1e-8)


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("boundary", ["walls", "periodic"])
def test_momentum_and_angular_momentum_are_kept_and_energy_never_rises(boundary, dimensions):
    values = {"dimensions": dimensions, "box__boundary": boundary, "velocities__spin": "thermal"}
    start = scenario(60, seed=3, discs__volume_fraction=0.1, **values)
    simulation = engine.create(start)
    energies, before = [], simulation.state()
    while simulation.advance(max_events=1).clusters > 1:
        state = simulation.state()
        inside = not simulation.periodic and simulation.frame().impacts.pairs[-1][1] >= 0
        if inside:
            moved = replace(before, positions=before.positions)
            scale = np.abs(cross(state.positions, state.velocities)).sum()
            assert total_spin(state) == pytest.approx(total_spin(moved), abs=1e-12 * scale)
        before = state
        energies.append(simulation.frame().kinetic_energy)
    assert (np.diff(energies) <= 0.0).all()
    assert simulation.invariants()["momentum_error"] < 1e-12
    assert simulation.invariants()["max_overlap"] < 1e-12


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_mirrored_run_is_the_mirror_of_the_run(dimensions):
    values = {"dimensions": dimensions, "box__boundary": "periodic", "velocities__spin": "thermal"}
    start = scenario(40, seed=5, discs__volume_fraction=0.1, **values)
    state = initial_state(start)
    one, other = engine.create(start, state), engine.create(start, mirrored(state))
    one.advance(), other.advance()
    np.testing.assert_allclose(one.history().time, other.history().time, rtol=1e-8)
    np.testing.assert_allclose(spins(one), mirrored_spin(spins(other)), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize(
    ("boundary", "seed", "dimensions"),
    [("walls", 0, 2), ("periodic", 1, 2), ("periodic", 2, 2), ("walls", 0, 3), ("periodic", 1, 3)],
)
def test_nothing_overlaps_between_events(boundary, seed, dimensions):
    values = {"dimensions": dimensions, "box__boundary": boundary, "velocities__spin": 2.0}
    start = scenario(60, seed=seed, discs__volume_fraction=0.2, **values)
    simulation = engine.create(start)
    deepest = 0.0
    times = []
    probe = engine.create(start)
    while probe.advance(max_events=1).clusters > 1:
        times.append(probe.time)
    for begin, end in zip([0.0, *times[:-1]], times, strict=True):
        for share in np.linspace(0.0, 1.0, 12, endpoint=False):
            simulation.advance(begin + share * (end - begin))
            deepest = max(deepest, simulation.invariants()["max_overlap"])
            frame = simulation.frame()
            if not simulation.periodic:
                room = np.minimum(frame.positions, simulation.box - frame.positions).min(axis=1) - simulation.radii
                deepest = max(deepest, -float(room.min()))
    assert deepest < 1e-12


def test_a_cluster_that_meets_its_own_image_turns_no_more_and_loses_that_energy():
    # a row of six in a box 5.9 wide: its ends meet where |5.9 x − 5 (cos φ, sin φ)| = 1
    spin, width = 0.1, 5.9
    arms = np.array([[0.0, k - 2.5] for k in range(6)])
    places = np.array([2.95, 30.0]) + arms
    ways = np.stack([-spin * arms[:, 1], spin * arms[:, 0] + 0.01], axis=1)
    state = at(
        [*places, (3.0, 5.0)], [*ways, (0.0, 0.0)], [spin] * 6 + [0.0], (width, 60.0), True, cluster=(0,) * 6 + (6,)
    )
    simulation = TurningEvents(TURNING, state)
    angle = np.arccos((width**2 + 25.0 - 1.0) / (10.0 * width))
    when = (np.pi / 2.0 - angle) / spin
    simulation.advance(when * (1.0 - 1e-9))
    np.testing.assert_allclose(spins(simulation)[:6], spin, rtol=1e-12)
    progress = simulation.advance(when * (1.0 + 1e-9))
    assert progress.events["spanning"] == 1
    assert (spins(simulation) == 0.0).all()
    np.testing.assert_allclose(simulation.frame().kinetic_energy, 0.5 * 6.0 * 0.01**2, rtol=1e-6)
    assert simulation.state().cluster[0] == simulation.state().cluster[5]
    again = TurningEvents(TURNING, replace(simulation.state(), spin=np.full(7, 0.3)))
    assert spins(again)[0] == 0.0, "also where a run begins with such a cluster"


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize(("height", "speed"), [(3.2, -0.2), (16.0, -1.0)])
def test_a_cluster_that_spans_a_channel_bounces_off_its_walls_and_does_not_turn(height, speed, dimensions):
    """The row meets a wall before its own image, or after it: as by small steps."""
    state = in_a_channel(dimensions, height, speed)
    plain = Turning(state, state.spin)
    arms = state.positions[:6] - state.positions[:6].mean(axis=0)
    own = moments_of_inertia(np.ones(7), state.radii, dimensions)[0]
    inertia = of_points(np.ones(6), arms) + 6.0 * own * (1.0 if dimensions == 2 else np.eye(3))
    middle, v = state.positions[:6].mean(axis=0), state.velocities[:6].mean(axis=0)
    row = Body(list(range(6)), arms, 6.0, inertia, middle, v, np.dot(inertia, state.spin[0]))
    plain.bodies = [row, plain.bodies[6]]
    simulation = TurningEvents(TURNING.with_values({"dimensions": dimensions}), state)
    for until in (2.0, 14.0, 17.0, 22.0):
        plain.run(until_time=until)
        progress, frame = simulation.advance(until), simulation.frame()
        assert (progress.events["wall"], progress.events["spanning"]) == (plain.found.walls, plain.found.spanning)
        body = next(body for body in plain.bodies if len(body.discs) == 6)
        arms, place, spin, _ = moved(body, 0.0)
        off = frame.positions[body.discs] - place - arms
        off -= np.where(state.periodic, state.box * np.round(off / state.box), 0.0)
        np.testing.assert_allclose(off, 0.0, atol=1e-9)
        np.testing.assert_allclose(frame.velocities[body.discs], body.velocity + turn(spin, arms), atol=1e-10)
    assert progress.events["wall"] > 0
    assert progress.events["spanning"] == 1
    assert abs(frame.velocities[0, 0] - 0.01) < 1e-15
    if height > 10.0:
        assert frame.velocities[0, 1] == pytest.approx(-speed, rel=1e-14), "nothing is lost at the wall"
