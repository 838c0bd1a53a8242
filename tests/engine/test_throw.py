"""Discs that are moved and thrown by hand: no overlap, exact answers, the same bits from a file."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import engine
from engine import InputError, Scenario
from engine.geometry.nearest import nearest_image
from engine.simulation import Simulation
from engine.state import InitialState
from engine.throwing import GAP, Surroundings, body_of
from tests.builders.states import random_state, through_a_file

GAS = {"system": "hard-discs"}
STICKY = {"aggregation.method": "event-driven"}
STEPPING = {"aggregation.method": "time-stepping"}
ALL = (GAS, STICKY, STEPPING)


def scenario(values: dict[str, object], periodic: bool = False) -> Scenario:
    return Scenario().with_values({**values, "box.boundary": "periodic" if periodic else "walls"})


def three_discs(values: dict[str, object], velocity: float = 0.0) -> Simulation:
    """Two discs of radius 0.5 in a row, 4 apart, and one that is out of the way."""
    positions = np.array([[2.0, 5.0], [6.0, 5.0], [8.5, 1.0]])
    velocities = np.array([[0.0, velocity], [0.0, 0.0], [0.0, 0.0]])
    box = np.array([10.0, 10.0])
    state = InitialState(positions, velocities, np.full(3, 0.5), np.ones(3), np.arange(3, dtype=np.int32), box, False)
    return engine.create(scenario(values), state)


def least_room(state: InitialState) -> float:
    """The least distance between two discs of different clusters, over the sum of their radii."""
    apart = state.positions[:, None] - state.positions[None]
    if state.periodic:
        apart -= state.box * np.round(apart / state.box)
    distance = np.linalg.norm(apart, axis=-1) / (state.radii[:, None] + state.radii)
    distance[state.cluster[:, None] == state.cluster] = np.inf
    return float(distance.min())


@pytest.mark.parametrize(
    ("gap", "velocity", "expected"),
    [
        (0.02, (1.0, 0.3), True),
        (0.02, (0.0, 1.0), False),  # past it
        (0.02, (-1.0, 0.0), False),  # away from it
        (0.02, (0.0, 0.0), False),
        (0.2, (1.0, 0.0), False),  # it flies before
    ],
)
def test_a_disc_thrown_at_one_that_it_touches_hits_it_at_once(
    gap: float, velocity: tuple[float, float], expected: bool
) -> None:
    state = three_discs(GAS).state()
    around = Surroundings(state.positions, state.radii, state, np.array([0]))
    assert around.hits(np.array([3.0 - gap, 0.0]), np.array(velocity)) is expected


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 50),
    sides=st.sampled_from([2, 3]),
    periodic=st.booleans(),
    joined=st.booleans(),
    fraction=st.sampled_from([0.1, 0.3]),
    goals=st.lists(st.tuples(*[st.floats(-9.0, 9.0)] * 3), min_size=1, max_size=4),
    level=st.booleans(),
)
def test_whatever_the_pointer_does_nothing_overlaps(
    seed: int,
    sides: int,
    periodic: bool,
    joined: bool,
    fraction: float,
    goals: list[tuple[float, float, float]],
    level: bool,
) -> None:
    """A sphere that a person drags stays in a plane, here a tilted one."""
    rng, box = np.random.default_rng(seed), (1.0,) * sides
    state = random_state(rng, 30, periodic=periodic, fraction=fraction, spread=0.3, box=box)
    across = np.array([0.48, 0.6, 0.64]) if level and sides == 3 else None
    if joined:  # the two that are nearest to each other are one body
        state.cluster[1] = state.cluster[0]
    body = body_of(0, state.cluster, joins=True)
    before = min(1.0, least_room(state))
    around = Surroundings(state.positions, state.radii, state, body, across)
    way = np.zeros(sides)
    for corner in goals:
        goal = np.array(corner[:sides]) * state.box.max() / 9.0
        if across is not None:
            goal -= (goal @ across) * across
        way = around.towards(goal, way)
        assert across is None or abs(way @ across) < 1e-12
        moved = state.positions.copy()
        moved[body] += way
        if not periodic:
            assert (moved[body] >= state.radii[body, None]).all()
            assert (moved[body] <= state.box - state.radii[body, None]).all()
        shown = InitialState(moved, *(getattr(state, name) for name in list(vars(state))[1:]))
        assert least_room(shown) >= before


def test_a_disc_stops_where_it_touches_another_one_or_a_wall() -> None:
    simulation = three_discs(GAS)
    state = simulation.state()
    around = Surroundings(state.positions, state.radii, state, np.array([0]))
    x, y = around.towards(np.array([3.5, 0.0]))  # the other disc is 4 away
    assert 3.0 - 2 * GAP <= x <= 3.0
    assert y == 0.0
    x, y = around.towards(np.array([-8.0, 0.0]))
    assert -1.5 <= x <= -1.5 + GAP
    assert y == 0.0
    assert np.array_equal(around.towards(np.array([6.0, 0.0])), [6.0, 0.0])  # where there is room, over the other one
    x, y = around.towards(np.array([4.0, 0.5]))  # it slides until it is as near as can be: right above the middle
    assert np.hypot(x - 4.0, y) >= 1.0
    assert x == pytest.approx(4.0, abs=2e-3)
    assert y == pytest.approx(1.0, abs=2e-3)


@pytest.mark.parametrize("values", ALL)
def test_a_throw_changes_the_energy_as_computed_and_nothing_else(values: dict[str, object]) -> None:
    state = random_state(np.random.default_rng(3), 60, periodic=False, fraction=0.2, free_masses=True)
    simulation = engine.create(scenario(values), state)
    simulation.advance(until_clusters=40, until_time=0.5)
    before, kept = simulation.settled(), simulation.frame().positions.copy()
    body = body_of(7, before.cluster, simulation.system == "aggregation")
    velocity = np.array([3.0, -1.5])
    made = engine.throw(simulation, 7, velocity=tuple(velocity))
    after = made.frame()
    was, now = before.velocities[body], np.broadcast_to(velocity, (len(body), 2))
    mass = simulation.masses[body]
    gained = 0.5 * float((mass * (np.square(now).sum(axis=1) - np.square(was).sum(axis=1))).sum())
    assert after.kinetic_energy == pytest.approx(before.kinetic_energy + gained, rel=1e-12)
    assert np.allclose(after.positions, before.positions, rtol=0.0, atol=1e-12)
    assert after.time == before.time
    assert np.array_equal(simulation.frame().positions, kept)  # this one stays as it is
    history = made.history()
    assert history.kinetic_energy[-2:] == pytest.approx([before.kinetic_energy, after.kinetic_energy], rel=1e-12)
    assert history.time[-2:].tolist() == [before.time] * 2
    made.advance(until_clusters=30, until_time=made.time + 0.5)
    assert made.invariants()["momentum_error"] < 1e-12


@pytest.mark.parametrize("values", ALL)
@pytest.mark.parametrize("periodic", [False, True])
def test_a_sphere_is_put_where_it_touches_another_one_and_flies_on_from_there(
    values: dict[str, object], periodic: bool
) -> None:
    positions = np.array([[2.0, 5.0, 5.0], [6.0, 5.0, 5.0], [8.5, 1.0, 5.0]])
    box, radii = np.full(3, 10.0), np.full(3, 0.5)
    state = InitialState(positions, np.zeros((3, 3)), radii, np.ones(3), np.arange(3, dtype=np.int32), box, periodic)
    simulation = engine.create(scenario(values, periodic).with_values({"dimensions": 3}), state)
    made = engine.throw(simulation, 0, position=(5.6, 5.0, 5.0), velocity=(0.0, 0.0, 1.5))
    frame = made.frame()
    assert frame.positions[0] == pytest.approx([5.0, 5.0, 5.0], abs=1e-6)  # the place itself is taken
    assert frame.velocities.tolist() == [[0.0, 0.0, 1.5], [0.0] * 3, [0.0] * 3]
    assert frame.kinetic_energy == pytest.approx(0.5 * 1.5**2)
    assert engine.restore(through_a_file(made.checkpoint())).frame().positions.tolist() == frame.positions.tolist()
    made.advance(until_time=made.time + 1.0)
    assert made.frame().positions[0, 2] == pytest.approx(6.5, abs=0.02)  # time stepping has whole steps
    with pytest.raises(InputError, match="three numbers"):
        engine.throw(simulation, 0, velocity=(1.0, 0.0))


@pytest.mark.parametrize("values", [GAS, STICKY])
def test_the_next_collision_comes_when_the_formula_says(values: dict[str, object]) -> None:
    simulation = three_discs(values)
    made = engine.throw(simulation, 0, position=(2.5, 5.25), velocity=(1.25, 0.0))
    # the centres meet the distance of 2 R = 1 at a height of 0.25
    expected = (6.0 - 2.5 - np.sqrt(1.0 - 0.25**2)) / 1.25
    made.advance(max_events=1)
    assert made.time == pytest.approx(expected, rel=1e-12)
    if values is GAS:
        along = np.array([np.sqrt(1.0 - 0.25**2), -0.25])
        assert made.frame().velocities[1] == pytest.approx(1.25 * along[0] * along, rel=1e-9)
    else:
        assert made.frame().clusters == 2
        assert made.frame().velocities[:2] == pytest.approx(np.array([[0.625, 0.0]] * 2))


@pytest.mark.parametrize("values", ALL)
@pytest.mark.parametrize("periodic", [False, True])
def test_a_thrown_run_saved_and_opened_continues_with_the_same_bits(values: dict[str, object], periodic: bool) -> None:
    state = random_state(np.random.default_rng(8), 50, fraction=0.2, periodic=periodic)
    simulation = engine.create(scenario(values, periodic), state)
    simulation.advance(until_clusters=40, until_time=0.3)
    made = engine.throw(simulation, 11, position=tuple(0.5 * state.box), velocity=(2.0, 1.0))
    again = engine.throw(simulation, 11, position=tuple(0.5 * state.box), velocity=(2.0, 1.0))
    opened = engine.restore(through_a_file(made.checkpoint()))
    until = made.time + 0.5
    for one in (made, again, opened):
        one.advance(until, until_clusters=5)
    for one in (again, opened):
        assert np.array_equal(one.frame().positions, made.frame().positions)
        assert np.array_equal(one.history().kinetic_energy, made.history().kinetic_energy)


def test_a_cluster_goes_with_its_disc() -> None:
    simulation = three_discs(STICKY)
    pair = engine.throw(simulation, 0, velocity=(1.0, 0.0))
    pair.advance(until_clusters=2)
    before = pair.frame()
    made = engine.throw(pair, 1, position=(5.0, 8.0), velocity=(0.0, -1.0))
    after = made.frame()
    way = after.positions[1] - before.positions[1]
    assert after.positions[1] == pytest.approx([5.0, 8.0])
    assert after.positions[0] == pytest.approx(before.positions[0] + way)
    assert (after.velocities[:2] == [0.0, -1.0]).all()
    assert after.clusters == 2
    log = engine.merge_tree(made)
    assert log is not None
    made.advance(until_time=made.time + 0.1)
    frame = made.frame()
    assert frame.positions[1] - frame.positions[0] == pytest.approx(before.positions[1] - before.positions[0])


def test_across_a_periodic_edge_a_disc_goes_the_short_way() -> None:
    state = random_state(np.random.default_rng(2), 20, fraction=0.1, periodic=True)
    simulation = engine.create(scenario(GAS, True), state)
    start = simulation.frame()
    made = engine.throw(simulation, 3, position=tuple(start.positions[3] + [0.4 * state.box[0], 0.0]))
    after = made.frame()
    unwrapped = after.positions[3] + after.fields["images"][3] * state.box
    before = start.positions[3] + start.fields["images"][3] * state.box
    way = nearest_image(after.positions[3] - start.positions[3], state.box, periodic=True)
    assert unwrapped - before == pytest.approx(way, abs=1e-9)


def test_throwing_is_refused_with_the_reason() -> None:
    simulation = three_discs(GAS)
    with pytest.raises(InputError, match="no disc 3"):
        engine.throw(simulation, 3)
    with pytest.raises(InputError, match="velocity"):
        engine.throw(simulation, 0, velocity=(float("nan"), 0.0))
    packing = engine.create(Scenario().with_values({"system": "jamming", "discs.count": 16}))
    with pytest.raises(InputError, match="cannot be moved by hand"):
        engine.throw(packing, 0, velocity=(1.0, 0.0))


def test_discs_that_rested_on_it_fall() -> None:
    positions = np.array([[5.0, 0.5], [5.0, 1.5]])
    box = np.array([10.0, 10.0])
    state = InitialState(
        positions, np.zeros((2, 2)), np.full(2, 0.5), np.ones(2), np.arange(2, dtype=np.int32), box, False
    )
    falling = scenario({**GAS, "hard_discs.gravity": [0.0, -1.0], "hard_discs.restitution": 0.5})
    simulation = engine.create(falling, state)
    simulation.advance(until_time=1.0)
    made = engine.throw(simulation, 0, position=(2.0, 0.5), velocity=(0.0, 0.0))
    made.advance(until_time=made.time + 1.2)
    assert made.frame().positions[1, 1] < 1.0
