"""A step touches only what can meet in it, and its results are those of steps that go through all discs, bit by bit."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

import engine
from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping.simulation import TimeStepping
from engine.analysis import analyse
from engine.boundary import Periodic
from engine.initial import initial_state
from engine.slices import AT_TIME, LONG_AHEAD, NO_LIMIT, OUT_OF_WORK
from tests.builders.states import CLUSTERS, FRACTION, STEP, discs, random_state, same_bits, stepping

MIXED = {2: [(1, 0), (0, 1)], 3: [(1, 0, 0), (0, 1, 1), (1, 0, 1), (0, 1, 0), (0, 0, 1), (1, 1, 0)]}
"""Along which axes a box with walls along others is periodic."""


def drawn(seed, dimensions=2, mixed=False):
    """A scenario and a state, of all kinds there are. mixed : in a box with walls along some axes only."""
    rng = np.random.default_rng(seed)
    # fewer spheres would be so large that two of them meet in two images at once, of which a step sees the nearest
    count, periodic = int(rng.integers(2 if dimensions == 2 else 12, 120)), bool(rng.integers(2))
    if mixed:
        periodic = Periodic(MIXED[dimensions][seed % len(MIXED[dimensions])])
    state = random_state(
        rng,
        count,
        periodic=periodic,
        fraction=float(rng.choice([0.05, 0.2, 0.3] if dimensions == 2 else [0.05, 0.1, 0.2])),
        spread=float(rng.choice([0.0, 0.3, 0.7])),
        box=[(1.0,) * dimensions, (2.5, 1.0, 1.3)[:dimensions]][rng.integers(2)],
        joined=int(rng.choice([0, 4])),
        free_masses=bool(rng.integers(2)),
    )
    scenario = stepping(
        **{
            "dimensions": dimensions,
            "box.boundary": state.periodic.boundary,
            CLUSTERS: ["rigid", "deformable"][rng.integers(2)],
            FRACTION: float(rng.choice([0.1, 0.5, 1.0])),
            STEP: "adaptive" if rng.integers(2) else float(rng.choice([0.003, 0.01, 0.1])),
        },
    )
    return scenario, state


def planned(scenario, state, late=1.0):
    """A run that has a calendar from its first step on."""
    simulation = TimeStepping(scenario, state)
    simulation._calendar.control["share"] = 1.0
    simulation._calendar.control["late"] = late
    return simulation


def plain(scenario, state):
    """A run in which every step goes through all discs."""
    simulation = TimeStepping(scenario, state)
    simulation._calendar.control["on"] = 0
    return simulation


def differ(one, two):
    """Whether two runs show different bits or have counted differently on their way."""
    for until in (0.05, 0.2, 0.5, 1.1, 2.5, 6.0):
        first, second = one.advance(until), two.advance(until)
        if first.events != second.events or first.steps != second.steps or differ_now(one, two):
            return True
    return False


def differ_now(one, two):
    """Whether two runs show different bits."""
    a, b = one.frame(), two.frame()
    shown = [(one.links(), two.links()), (a.cluster, b.cluster)]
    shown += [(a.positions, b.positions), (a.velocities, b.velocities)]
    shown += zip(astuple(a.impacts), astuple(b.impacts), strict=True)
    return not all(np.array_equal(left, right) for left, right in shown)


def check_bits(seeds, dimensions=2, mixed=False):
    undone = walls = 0
    for seed in seeds:
        given = drawn(seed, dimensions, mixed)
        one = planned(*given)
        assert not differ(one, plain(*given)), seed
        assert one._calendar.control["ready"][0] == 1
        kept = one.invariants()
        assert kept["momentum_error"] < 1e-14
        assert kept["max_overlap"] < 1.3e-4
        undone, walls = undone + int(one._sim["undone"]), walls + int(one._sim["walls"])
    return undone, walls


@pytest.mark.parametrize(
    ("seeds", "dimensions", "mixed", "least"),
    [(24, 2, False, 3), (16, 3, False, 1), (24, 2, True, 3), (18, 3, True, 1)],
)
def test_with_a_calendar_or_without_the_bits_are_the_same(seeds, dimensions, mixed, least):
    assert min(check_bits(range(seeds), dimensions, mixed)) >= least


@pytest.mark.slow
@pytest.mark.parametrize(("dimensions", "least"), [(2, 50), (3, 5)])
def test_with_a_calendar_or_without_the_bits_are_the_same_in_many_scenarios(dimensions, least):
    assert min(check_bits(range(24, 460), dimensions)) > least


def test_discs_that_come_down_amid_a_cluster_are_taken_back():
    """Of long steps, in which a disc flies over others and is then caught between several of a rigid cluster."""
    for seed in (136, 349, 783, 1011, 1057, 1169):
        scenario, state = drawn(seed)
        assert scenario.value(STEP) > state.radii.max()
        assert scenario.value(CLUSTERS) == "rigid"
        simulation = plain(scenario, state)
        simulation.advance(6.0)
        assert simulation.invariants()["max_overlap"] < 1.3e-4
        assert simulation._sim["undone"] > 0


def block(side):
    """A block of touching discs, all one cluster, that meets walls and a single disc."""
    n = side * side + 1
    x, y = np.divmod(np.arange(n), side)
    places = 0.05 + 0.4 / side * np.stack([x + 0.5, y + 0.5], axis=1)
    places[-1] = 0.7, 0.3
    velocities = np.tile([-0.6, -0.4], (n, 1))
    velocities[-1] = -0.2, 0.1
    return discs(places, velocities, np.full(n, 0.2 / side), (1.0, 1.0), cluster=np.minimum(np.arange(n) // side**2, 1))


@pytest.mark.parametrize("clusters", ["rigid", "deformable"])
def test_the_first_tree_of_a_large_cluster_is_built_in_slices(clusters):
    scenario, state = stepping(**{CLUSTERS: clusters, STEP: 0.004}), block(90)
    whole, pieces = TimeStepping(scenario, state), TimeStepping(scenario, state)
    whole.advance(0.1)
    slices = longest = 0
    for _ in range(3000):
        before = pieces._counted()[0]
        status = pieces._run(0.1, 1, NO_LIMIT, 500)
        pieces._handle_status(status)
        if status == AT_TIME:
            break
        if pieces._calendar.control["building"][0]:
            slices += 1
            longest = max(longest, pieces._counted()[0] - before)
            if slices == 5:
                pieces.checkpoint()  # changes nothing
    assert slices > 15
    assert longest < 8101 // 2
    assert not differ_now(whole, pieces)
    assert not differ(TimeStepping(scenario, state), plain(scenario, state))


@pytest.mark.parametrize(("clusters", "boundary"), [("rigid", "walls"), ("deformable", "periodic")])
def test_an_end_of_a_step_that_takes_long_gets_a_slice_of_its_own(clusters, boundary):
    """It cannot be cut: at a million discs it joins 150 000 clusters at once."""
    scenario = stepping(**{"discs.count": 2500, "box.boundary": boundary, CLUSTERS: clusters})
    state = initial_state(scenario)
    whole, pieces = TimeStepping(scenario, state), TimeStepping(scenario, state)
    alone = 0
    while pieces._sim["clusters"] > 1500:
        status = pieces._run(np.inf, 1500, NO_LIMIT, 300)
        if status == LONG_AHEAD:
            assert pieces._sim["phase"] == ts.FINISH
            kept = pieces.checkpoint()
            engine.check_checkpoint(kept)
            steps = pieces._sim["steps"].copy()
            assert TimeStepping.from_checkpoint(kept)._sim["phase"] == ts.REST
            progress = pieces.advance(budget=0.0)
            assert not progress.reached
            assert pieces._sim["steps"] == steps + 1
            alone += 1
        pieces._handle_status(status)
    assert alone > 3
    whole.advance(until_clusters=1500)
    same_bits(whole, pieces)


class Scripted(TimeStepping):
    """Comes back from its kernel with these statuses, one after the other."""

    def _run(self, *limits):
        return self.statuses.pop(0)


def test_a_small_budget_ends_where_something_long_comes_next():
    scenario = stepping(**{"discs.count": 100})
    simulation = Scripted(scenario, initial_state(scenario))
    simulation.statuses = [LONG_AHEAD, LONG_AHEAD, OUT_OF_WORK, LONG_AHEAD, AT_TIME]
    for left in (4, 3):
        assert not simulation.advance(1.0, budget=0.01).reached
        assert len(simulation.statuses) == left
    assert simulation.advance(1.0, budget=1e6).reached, "a long one goes on"
    assert simulation.statuses == []


def test_the_calendar_has_rows_for_the_clusters_there_are_and_not_for_the_discs():
    scenario = stepping(**{"discs.count": 2500})
    simulation = TimeStepping(scenario, initial_state(scenario))
    simulation.advance(until_clusters=100)
    calendar = simulation._calendar
    rows = len(calendar.entries)
    assert rows <= 2500 // 16
    names = calendar.entries["cluster"]
    assert (np.diff(names) > 0).all()
    assert (calendar.row[names] == np.arange(rows)).all()
    lists = (calendar.heap_key, calendar.heap_owner, calendar.heap_slot, calendar.due, calendar.awake, calendar.found)
    assert all(len(one) == rows for one in lists)
    assert len(calendar.nodes) == 2 * 2500 + rows + 2


def test_bounds_that_are_a_little_late_are_seen():
    """The test above would notice bounds that are too late by less than a hundredth."""
    seen = [differ(planned(*drawn(seed), late=1.0075), plain(*drawn(seed))) for seed in range(24)]
    assert sum(seen) > 1


@pytest.mark.parametrize(("clusters", "boundary"), [("rigid", "walls"), ("deformable", "periodic")])
def test_more_discs_than_a_run_begins_a_calendar_with(clusters, boundary):
    """As in every run: steps that go through all discs first, then the calendar, which begins its grid anew."""
    scenario = stepping(**{"discs.count": 2500, "box.boundary": boundary, CLUSTERS: clusters})
    state = initial_state(scenario)
    one, two = TimeStepping(scenario, state), plain(scenario, state)
    for clusters_left in (200, 60, 10, 1):
        one.advance(until_clusters=clusters_left)
        two.advance(until_clusters=clusters_left)
        same_bits(one, two)
    assert one._calendar.control["clusters"][0] < 80


def test_a_step_touches_little():
    scenario = stepping(**{"discs.count": 2500})
    one = TimeStepping(scenario, initial_state(scenario))
    one.advance(until_clusters=100)
    touched, steps = 0, 0
    while one._sim["clusters"] > 10:
        one._continue_step(1 << 40)
        touched += int((one._st.brought == one._sim["steps"] - 1).sum())
        steps += 1
    assert steps > 30
    assert touched < 0.05 * steps * 2500


@pytest.mark.parametrize(
    ("seed", "dimensions", "mixed"),
    [*((seed, 2, False) for seed in (3, 8, 21, 42)), (3, 2, True), (8, 2, True), (4, 3, True)],
)
def test_checkpoints_and_cuts_amid_steps_change_nothing(seed, dimensions, mixed):
    given = drawn(seed, dimensions, mixed)
    whole = planned(*given)
    whole.advance(2.0)
    pieces = planned(*given)
    phases = set()
    for k in range(100_000):
        progress = pieces.advance(2.0, budget=0.0)
        phases.add(int(pieces._sim["phase"]))
        if progress.reached:
            break
        if k % 7 == 0:
            kept = pieces.checkpoint()
            engine.check_checkpoint(kept)
            again = TimeStepping.from_checkpoint(kept)
            again._calendar.control["share"] = 1.0
            if pieces._sim["phase"] == ts.REST:
                pieces = again
            elif k % 49 == 0:
                again.advance(2.0)
                same_bits(whole, again)
    same_bits(whole, pieces)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clusters", "contacts", "dimension", "near"),
    [
        ("deformable", (0.51204 * 1.0340, 0.0012), (1.7096 * 0.9951, 0.006), (28.88 * 1.0239, 0.30)),
        ("rigid", (0.51204 * 1.0130, 0.0010), (1.7096 * 0.9971, 0.006), (28.88 * 0.9917, 0.30)),
    ],
)
def test_indicators_are_those_of_steps_that_add_up_flights(clusters, contacts, dimension, near):
    """Version 0.1.0 adds v Δt step by step. What it has found in studies (docs/time-stepping.md: V_f = 0.2, N = 400,
    f = 0.5, with standard errors) is found again."""
    found = []
    for seed in range(60):
        scenario = stepping(**{"discs.count": 400, "seed": seed, FRACTION: 0.5, CLUSTERS: clusters})
        simulation = TimeStepping(scenario, initial_state(scenario))
        simulation.advance()
        state = simulation.state()
        seen = analyse(state.positions, state.radii, state.box, periodic=False)
        pairs = np.interp(10.0 * state.radii[0], seen.pair_distribution["r"], seen.pair_distribution["p"])
        found.append([seen.contacts_relative, seen.fractal_dimension, pairs])
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
    expected, sigma = np.transpose([contacts, dimension, near])
    assert (np.abs(mean - expected) < 3.5 * np.hypot(error, sigma)).all(), (mean, error)
