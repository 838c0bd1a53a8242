"""Time steps of clusters that turn: as by a plain reference, with any calendar, and towards the exact method."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import engine
from engine import Scenario
from engine.aggregation.time_stepping.arrays import AT_STEP
from engine.aggregation.time_stepping.simulation import TurningSteps
from engine.aggregation.turning.simulation import TurningEvents
from engine.boundary import Periodic
from engine.slices import NO_LIMIT
from tests.builders.states import CLUSTERS, FRACTION, STEP, random_state, stepping, through_a_file
from tests.engine.aggregation.time_stepping.test_calendar import differ, drawn
from tests.engine.aggregation.turning.test_turning import along_z, at, in_a_channel
from tests.reference.turning_steps import Step
from tests.session.saved_scenarios import assert_the_same

ROTATION = "aggregation.rotation"
TURNING = {ROTATION: True, "velocities.spin": "thermal", "discs.arrangement": "random"}


def turning(**values):
    """A run of clusters that turn; keys of the scenario with __ in the place of a dot."""
    return engine.create(stepping(**TURNING | {key.replace("__", "."): value for key, value in values.items()}))


def dropped(count, fraction, seed, turns, **values):
    """A run of discs of all sizes and masses dropped into a box, which spin where clusters turn; keys as in
    `turning`."""
    scenario = stepping(**{key.replace("__", "."): value for key, value in values.items()} | {ROTATION: turns})
    rng, dimensions = np.random.default_rng(seed), scenario.dimensions
    periodic, box = Periodic.of_boundary(scenario.box.boundary, dimensions), (1.0, 1.4, 1.2)[:dimensions]
    state = random_state(rng, count, periodic=periodic, fraction=fraction, spread=0.4, box=box, free_masses=True)
    if turns:
        spin = rng.normal(size=(count, 3) if dimensions == 3 else count)
        state.spin = 0.5 * np.linalg.norm(state.velocities, axis=1).mean() / state.radii.mean() * spin
    return engine.create(scenario, state)


def whole_step(simulation):
    """Continue to the end of a step."""
    while simulation._continue_step(NO_LIMIT) != AT_STEP:
        pass


def means(values, cluster, masses):
    """The mean (N, d) over the discs of each one's cluster."""
    total = np.bincount(cluster, masses)[cluster]
    return np.stack([np.bincount(cluster, masses * column)[cluster] / total for column in values.T], axis=1)


@pytest.mark.parametrize(
    ("boundary", "clusters", "step", "fraction", "dimensions"),
    [
        ("walls", "rigid", "adaptive", 0.3, 2),
        ("walls", "deformable", 0.3, 0.1, 2),
        ("periodic", "rigid", 0.3, 0.1, 2),
        ("periodic", "deformable", "adaptive", 0.3, 2),
        ("walls", "rigid", 0.3, 0.1, 3),
        ("periodic", "deformable", "adaptive", 0.2, 3),
        (("periodic", "walls"), "rigid", 0.02, 0.1, 2),
        (("walls", "periodic"), "deformable", "adaptive", 0.3, 2),
        (("walls", "periodic", "walls"), "rigid", 0.02, 0.1, 3),
        (("periodic", "periodic", "walls"), "deformable", "adaptive", 0.2, 3),
    ],
)
@pytest.mark.parametrize("turns", [True, False])
def test_flights_and_what_joins_are_those_of_sums_over_all_discs(boundary, clusters, step, fraction, dimensions, turns):
    count = 20 if dimensions == 2 else 13
    values = {"dimensions": dimensions, "box__boundary": boundary, CLUSTERS: clusters, STEP: step}
    if turns and isinstance(boundary, str):
        discs = {"discs__count": count, "discs__volume_fraction": fraction, "discs__radii": "bidisperse"}
        simulation = turning(**discs, discs__spread=1.5, seed=3, **values)
    else:
        simulation = dropped(count, fraction, 3, turns, **values)
    masses, radii, box = simulation.masses, simulation.radii, simulation.box
    spanning, impacts, joins, taken_back = np.zeros(0, int), 0, 0, 0
    while simulation.advance(max_events=0).clusters > 1:
        before, links, undone = simulation.settled(), simulation.links(), int(simulation._sim["undone"])
        energy = simulation.raised_energy if turns else 0.0
        trace = simulation.trace_step()
        spin = before.fields["spin"] if turns else None
        plain = Step(
            before.positions, before.velocities, spin, before.cluster, links, masses, radii, box,
            simulation.periodic, trace.dt, spanning,
        )  # fmt: skip
        np.testing.assert_allclose(plain.nearest(trace.flown - plain.flown), 0.0, atol=1e-11)
        found = np.sort(trace.overlapping, axis=1)
        np.testing.assert_array_equal(found[np.lexsort(found.T[::-1])], plain.overlapping(before.cluster))
        whole_step(simulation)
        impacts += plain.impacts
        if int(simulation._sim["undone"]) > undone:
            taken_back += 1
            continue
        after = simulation.settled()
        velocities, spins, spans, raised = plain.joined(after.positions, after.cluster, simulation.links())
        spanning = np.flatnonzero(spans)
        np.testing.assert_allclose(means(after.velocities, after.cluster, masses), velocities, atol=1e-12)
        if turns:
            np.testing.assert_allclose(after.fields["spin"], spins, rtol=1e-12, atol=1e-12 * np.abs(spins).max())
            np.testing.assert_allclose(simulation.raised_energy - energy, raised, atol=1e-12)
        joins += before.clusters - after.clusters
    assert joins > count - 5
    assert taken_back < 3
    assert (impacts > 1) == (boundary != "periodic")
    assert simulation._sim["walls"] == impacts
    assert simulation.invariants()["momentum_error"] < 1e-13


def of_all_kinds(seed, dimensions=2, mixed=False, on=1, share=1.0, late=1.0):
    """A run of `drawn`, whose discs spin, with or without a calendar."""
    scenario, state = drawn(seed, dimensions, mixed)
    speed = np.linalg.norm(state.velocities, axis=1).mean()
    count = len(state.radii)
    spin = np.random.default_rng(seed).normal(size=(count, 3) if dimensions == 3 else count)
    state.spin = (spin.T * 0.5 * speed / state.radii).T
    simulation = TurningSteps(scenario.with_values({ROTATION: True}), state)
    simulation._calendar.control["on"], simulation._calendar.control["share"] = on, share
    simulation._calendar.control["late"] = late
    return simulation


def check_bits(seeds, dimensions, mixed=False):
    """With a calendar or without the bits are the same; how many flights were undone, walls met, boxes spanned."""
    counted = np.zeros(3, int)
    for seed in seeds:
        one = of_all_kinds(seed, dimensions, mixed)
        assert not differ(one, of_all_kinds(seed, dimensions, mixed, on=0)), seed
        assert one.invariants()["momentum_error"] < 1e-13
        assert one.invariants()["max_overlap"] < 1.4e-4
        counted += [int(one._sim[name]) for name in ("undone", "walls", "spanning")]
    return counted


@pytest.mark.parametrize(
    ("seeds", "dimensions", "mixed", "least"),
    [
        (30, 2, False, [3, 200, 2]),
        (16, 3, False, [1, 50, 0]),
        (30, 2, True, [1, 100, 1]),
        (18, 3, True, [0, 50, 0]),
    ],
)
def test_clusters_that_turn_have_the_same_bits_with_a_calendar_or_without(seeds, dimensions, mixed, least):
    assert (check_bits(range(seeds), dimensions, mixed) >= least).all()


@pytest.mark.slow
@pytest.mark.parametrize(("dimensions", "least"), [(2, [30, 3000, 15]), (3, [5, 1000, 1])])
def test_clusters_that_turn_have_the_same_bits_with_a_calendar_or_without_in_many_scenarios(dimensions, least):
    assert (check_bits(range(30, 400), dimensions) >= least).all()


@pytest.mark.parametrize("dimensions", [2, 3])
def test_bounds_that_are_a_little_too_late_would_be_seen(dimensions):
    seen = [
        differ(of_all_kinds(seed, dimensions, late=1.0075), of_all_kinds(seed, dimensions, on=0)) for seed in range(8)
    ]
    assert sum(seen) > 3


@pytest.mark.parametrize(("boundary", "dimensions"), [("walls", 2), ("periodic", 2), ("walls", 3)])
def test_the_step_going_to_zero_gives_the_merges_of_the_exact_method(boundary, dimensions):
    values = {
        "dimensions": dimensions,
        "discs.count": 8,
        "discs.volume_fraction": 0.1,
        "box.boundary": boundary,
        "seed": 4,
    }
    exact = engine.create(Scenario().with_values(TURNING | values))
    exact.advance(until_clusters=3)
    off = []
    for step in (4e-3, 1e-3):
        steps = engine.create(stepping(**TURNING | values | {STEP: step}))
        steps.advance(until_clusters=3)
        np.testing.assert_array_equal(np.sort(steps.merges(), axis=1), np.sort(exact.merges(), axis=1))
        off.append(np.abs(steps.history().time[-1] - exact.history().time[-1]) / step)
        spins = np.abs(steps.frame().fields["spin"] - exact.frame().fields["spin"]).max()
        assert spins < 20.0 * step
    assert max(off) < 10.0


def narrow(dimensions):
    """A row of six discs that turns slowly in a periodic box only 5.9 wide, and a disc that passes far away."""
    spin, width = 0.1, 5.9
    arms = np.array([[0.0, k - 2.5] for k in range(6)])
    places, ways = np.array([2.95, 30.0]) + arms, np.stack([-spin * arms[:, 1], spin * arms[:, 0] + 0.01], axis=1)
    state = at(
        along_z([*places, (3.0, 5.0)], dimensions),
        along_z([*ways, (0.0, 0.0)], dimensions),
        along_z([spin] * 6 + [0.0], dimensions),
        (width, 60.0, 20.0)[:dimensions],
        True,
        cluster=(0,) * 6 + (6,),
    )
    angle = np.arccos((width**2 + 25.0 - 1.0) / (10.0 * width))
    return state, np.pi / 2.0 - angle, spin


@pytest.mark.parametrize(("on", "dimensions"), [(0, 2), (1, 2), (0, 3), (1, 3)])
def test_a_cluster_that_meets_its_own_image_in_a_flight_turns_as_far_as_that_and_no_more(on, dimensions):
    state, turn, spin = narrow(dimensions)
    values = {ROTATION: True, "dimensions": dimensions, "box.boundary": "periodic", STEP: 0.4}
    simulation = TurningSteps(stepping(**values), state)
    simulation._calendar.control["on"], simulation._calendar.control["share"] = on, 1.0
    simulation.advance(turn / spin - 0.5)
    np.testing.assert_allclose(simulation.frame().fields["spin"][:6], along_z([spin] * 6, dimensions), rtol=1e-12)
    progress = simulation.advance(turn / spin + 3.0)
    assert progress.events["spanning"] == 1
    frame = simulation.settled()
    assert (frame.fields["spin"] == 0.0).all()
    if dimensions == 2:
        angle = frame.fields["angle"]
    else:
        w, _, _, z = frame.fields["orientation"].T
        angle = 2.0 * np.arctan2(z, w)
    np.testing.assert_allclose(angle[:6], turn, rtol=1e-9)
    np.testing.assert_allclose(frame.kinetic_energy, 0.5 * 6.0 * 0.01**2, rtol=1e-6)
    again = TurningSteps(simulation.scenario, replace(simulation.state(), spin=along_z(np.full(7, 0.3), dimensions)))
    assert not again.frame().fields["spin"][0].any(), "also where a run begins with such a cluster"


@pytest.mark.parametrize(("on", "dimensions"), [(0, 2), (1, 2), (0, 3), (1, 3)])
@pytest.mark.parametrize(("height", "speed"), [(3.2, -0.2), (15.7, -1.0)])
def test_walls_and_its_own_image_in_one_flight_end_as_in_the_exact_method(height, speed, on, dimensions):
    """A row meets a wall before its own image, or after it: in one step, at whose end it would overlap that, or in
    many."""
    state = in_a_channel(dimensions, height, speed)
    values = {ROTATION: True, "dimensions": dimensions, "box.boundary": state.periodic.boundary}
    exact = TurningEvents(Scenario().with_values(values), state)
    while not all(exact.advance(exact.time + 0.01).events[kind] for kind in ("wall", "spanning")):
        pass
    for step in (exact.time + 0.06, 0.37):
        simulation = TurningSteps(stepping(**values, **{STEP: step}), state)
        simulation._calendar.control["on"], simulation._calendar.control["share"] = on, 1.0
        while simulation.time < exact.time:
            whole_step(simulation)
        wanted = TurningEvents(exact.scenario, state)
        wanted.advance(simulation.time)
        one, two = simulation.settled(), wanted.frame()
        for name in ("positions", "velocities"):
            np.testing.assert_allclose(getattr(one, name), getattr(two, name), atol=1e-9)
        for name in one.fields.keys() & {"spin", "angle", "orientation"}:
            np.testing.assert_allclose(one.fields[name], two.fields[name], atol=1e-9)
        assert simulation._sim["walls"] == wanted._sim["wall_events"] > 0
        assert simulation._sim["spanning"] == wanted._sim["span_events"] == 1


@pytest.mark.parametrize("dimensions", [2, 3])
def test_two_clusters_that_touch_at_both_ends_span_the_box(dimensions):
    # a row of three comes down between the ends of another one and touches both
    places = [(0.5, 5.0), (1.5, 5.0), (2.5, 5.0), (3.475, 5.5), (4.475, 5.5), (5.475, 5.5), (3.0, 15.0)]
    ways = [(0.0, 0.0)] * 3 + [(0.0, -0.3)] * 3 + [(0.1, 0.0)]
    sides = (5.95, 20.0, 20.0)[:dimensions]
    turns = [along_z(values, dimensions) for values in (places, ways)]
    state = at(*turns, box=sides, periodic=True, cluster=[0] * 3 + [3] * 3 + [6])
    values = {ROTATION: True, "dimensions": dimensions, "box.boundary": "periodic", STEP: 0.5}
    simulation = TurningSteps(stepping(**values), state)
    progress = simulation.advance(3.0)
    assert (progress.clusters, progress.events["spanning"]) == (2, 1)


@pytest.mark.parametrize(("boundary", "dimensions"), [("walls", 2), ("periodic", 2), ("walls", 3), ("periodic", 3)])
def test_steps_and_exact_events_hand_angles_and_spins_to_each_other(boundary, dimensions):
    values = {"dimensions": dimensions, "discs.count": 60, "box.boundary": boundary, "seed": 2}
    first = engine.create(Scenario().with_values(TURNING | values | {"discs.volume_fraction": 0.1}))
    first.advance(until_clusters=25)
    steps = engine.carry_on(first, first.scenario.with_values({"aggregation.method": "time-stepping"}))
    assert isinstance(steps, TurningSteps)

    def hand_over(one, two):
        for name in ("spin", "angle" if dimensions == 2 else "orientation"):
            np.testing.assert_allclose(two.frame().fields[name], one.settled().fields[name], atol=1e-12)
        np.testing.assert_allclose(two.frame().velocities, one.settled().velocities, atol=1e-12)
        np.testing.assert_allclose(two.frame().kinetic_energy, one.settled().kinetic_energy, rtol=1e-12)

    hand_over(first, steps)
    steps.advance(until_clusters=15)
    hand_over(steps, engine.carry_on(steps, first.scenario))
    still = engine.carry_on(steps, steps.scenario.with_values({ROTATION: False}))
    assert still.scenario.velocities.spin == 0.0, "else it could not begin anew"
    assert still.frame().kinetic_energy < steps.settled().kinetic_energy
    again = engine.carry_on(still, still.scenario.with_values({ROTATION: True}))
    assert (again.frame().fields["spin"] == 0.0).all()
    assert again.settled().kinetic_energy == pytest.approx(still.settled().kinetic_energy, rel=1e-14)
    way = [3.0, -1.0, 0.5][:dimensions]
    thrown = engine.throw(steps, 5, velocity=way)
    np.testing.assert_allclose(thrown.frame().velocities[5], way, rtol=1e-12)


@pytest.mark.parametrize(
    ("boundary", "clusters", "dimensions"),
    [
        ("walls", "rigid", 2),
        ("periodic", "deformable", 2),
        ("walls", "deformable", 3),
        (("periodic", "walls"), "deformable", 2),
        (("walls", "periodic", "periodic"), "rigid", 3),
    ],
)
def test_a_run_that_is_saved_amid_its_steps_goes_on_with_the_same_bits(boundary, clusters, dimensions):
    values = {"dimensions": dimensions, "box.boundary": boundary, CLUSTERS: clusters}
    if isinstance(boundary, str):
        one = turning(discs__count=80, discs__volume_fraction=0.2, seed=5, **values)
    else:
        one = dropped(80, 0.2 if dimensions == 2 else 0.1, 5, True, **values)
    two = engine.copy(one)
    for _ in range(40):
        two.advance(max_events=1)
        two.advance(budget=1e-5)
        saved = through_a_file(two.checkpoint())
        engine.check_checkpoint(saved)
        two = engine.restore(saved)
    one.advance(two.time)
    two.advance(two.time)
    assert one.frame().clusters < 50
    assert_the_same(one, two)
    one.set(FRACTION, 0.2)
    two.set(FRACTION, 0.2)
    for run in (one, two):
        run.advance(until_clusters=5)
    assert_the_same(one, two)
