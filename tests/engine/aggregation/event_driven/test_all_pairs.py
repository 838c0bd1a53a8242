"""The event-driven method with the search over all pairs: the same run as with trees, and as the plain reference."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings

import engine
from engine import Scenario
from engine.aggregation.event_driven.simulation import SEARCHES, EventDriven
from engine.aggregation.section import EventDrivenSection as Table
from engine.system import system_of
from tests.builders.states import almost_touching, discs, random_state, random_states, same_bits, through_a_file
from tests.reference.all_pairs import run_all_pairs

SEARCH = "aggregation.event_driven.search"
PAIRS = Scenario().with_values({SEARCH: "all-pairs"})

states = random_states(2, 24, spheres=True)


def apart(state, one, two):
    """The largest distance of two sets of places."""
    found = one - two
    found -= np.where(state.periodic, state.box * np.round(found / state.box), 0.0)
    return np.abs(found).max()


def test_every_search_of_the_scenario_is_there():
    assert set(SEARCHES) == set(get_args(Table.model_fields["search"].annotation))
    kind = system_of(PAIRS)
    assert kind.kernels(PAIRS) == "all-pairs"
    assert kind.kernels(Scenario()) == "event-driven"
    assert kind.kernels(PAIRS.with_values({"aggregation.method": "time-stepping"})) == "time-stepping"


@settings(max_examples=6)
@given(states)
def test_the_same_merges_as_by_trees_and_by_the_reference(state):
    # up to a time: two clusters of discs that do not touch may bounce through each other for ever
    expected = run_all_pairs(state, until_time=5.0)
    trees, pairs = (
        EventDriven(scenario.with_values({"dimensions": len(state.box)}), state) for scenario in (Scenario(), PAIRS)
    )
    ends = trees.advance(5.0), pairs.advance(5.0)
    for simulation, end in zip((trees, pairs), ends, strict=True):
        assert len(expected.times) == len(np.unique(state.cluster)) - end.clusters
        merges, history = simulation.merges(), simulation.history()
        np.testing.assert_array_equal(np.sort(merges, axis=1), np.sort(expected.pairs, axis=1))
        np.testing.assert_allclose(history.time[1:], expected.times, rtol=1e-10, atol=1e-10)
        frame = simulation.frame()
        assert apart(state, frame.positions, expected.positions) < 1e-9
        np.testing.assert_allclose(frame.velocities, expected.velocities, atol=1e-10)
        assert end.events["wall"] == expected.wall_events
    np.testing.assert_array_equal(trees.frame().cluster, pairs.frame().cluster)
    kept = pairs.invariants()
    assert kept["momentum_error"] < 1e-13
    assert kept["max_overlap"] < 1e-9
    count = len(state.radii)
    searches = ends[1].events["merge"] + ends[1].events["wall"] + ends[1].events["horizon"]
    assert pairs.statistics()["disc_tests"] == searches * (count * (count - 1) // 2)


def test_discs_that_almost_touch():
    state = almost_touching()
    simulation, expected = EventDriven(PAIRS, state), run_all_pairs(state)
    simulation.advance()
    np.testing.assert_array_equal(np.sort(simulation.merges(), axis=1), np.sort(expected.pairs, axis=1))


def test_periodic_pairs_far_away_meet():
    behind = discs([[5, 5], [4, 5.5]], [[1, 0], [0, 0]], 0.5, 10, periodic=True)
    simulation = EventDriven(PAIRS, behind)
    assert simulation.advance(max_events=1).time == pytest.approx(9.0 - np.sqrt(0.75))
    assert simulation.advance().events["horizon"] >= 3  # it never looks farther than a quarter of the box


def test_a_run_ends_where_nothing_will_meet():
    moving = discs([[2, 2], [5, 5]], [[1, 0.5], [1, 0.5]], 0.5, 10, periodic=True)
    simulation = EventDriven(PAIRS, moving)
    assert simulation.advance(7.0).finished
    assert simulation.time == 7.0
    rest = EventDriven(PAIRS, discs([[2, 5], [8, 5]], [[0, 0], [0, 0]], 0.5, 10))
    assert rest.advance(7.0).finished
    slow = EventDriven(PAIRS, discs([[2, 5], [8, 5]], [[1e-305, 0], [0, 0]], 0.5, 10))
    assert slow.advance(1e9).clusters == 2


@pytest.mark.parametrize(("boundary", "dimensions"), [("walls", 2), ("periodic", 2), ("periodic", 3)])
def test_cutting_a_run_into_slices_changes_no_bit(boundary, dimensions):
    """Also within a search, and with a checkpoint of such a moment, which holds nothing of the search."""
    scenario = PAIRS.with_values({"discs.count": 100, "box.boundary": boundary, "dimensions": dimensions})
    whole, pieces, single = (engine.create(scenario) for _ in range(3))
    whole.advance(25.0)
    cut = 0
    while not pieces.advance(25.0, budget=0.0).reached:
        pieces.frame()
        if pieces._search._pairs.search["compared"][0] > 0:
            cut += 1
            if cut % 41 == 0:  # a search begins again then
                kept = through_a_file(pieces.checkpoint())
                engine.check_checkpoint(kept)
                pieces = engine.restore(kept)
    assert cut > 80
    while not single.advance(25.0, max_events=1).finished and single.time < 25.0:
        pass
    same_bits(whole, pieces)
    same_bits(whole, single)
    one, two = (simulation.advance(1e4) for simulation in (whole, pieces))
    assert (one.events, one.clusters) == (two.events, two.clusters)


@pytest.mark.parametrize("periodic", [False, True])
def test_one_search_carries_on_from_the_other(periodic):
    state = random_state(np.random.default_rng(8), 60, periodic=periodic, spread=0.3)
    whole = EventDriven(Scenario(), state)
    whole.advance()
    simulation = engine.create(Scenario(), state)
    for clusters, search in ((45, "all-pairs"), (30, "trees"), (15, "all-pairs")):
        simulation.advance(until_clusters=clusters)
        simulation = engine.carry_on(simulation, simulation.scenario.with_values({SEARCH: search}))
    simulation.advance()
    assert simulation.time == pytest.approx(whole.time, rel=1e-9)
    assert apart(state, simulation.frame().positions, whole.frame().positions) < 1e-8
    assert simulation.method == "event-driven"


def test_a_checkpoint_of_one_search_can_be_taken_up_by_the_other():
    """The arrays are the same ones: a session whose scenario names the other search is no danger."""
    simulation = EventDriven(PAIRS, random_state(np.random.default_rng(9), 50, periodic=False))
    simulation.advance(until_clusters=30)
    for search in ("trees", "all-pairs"):
        kept = simulation.checkpoint()
        other = Scenario.from_toml(kept.scenario).with_values({SEARCH: search}).to_toml()
        kept = type(kept)(kept.system, kept.method, other, kept.arrays)
        engine.check_checkpoint(kept)
        simulation = engine.restore(kept)
        simulation.advance(until_clusters=simulation.frame().clusters - 10)
    expected = run_all_pairs(random_state(np.random.default_rng(9), 50, periodic=False), until_clusters=10)
    np.testing.assert_array_equal(np.sort(simulation.merges(), axis=1), np.sort(expected.pairs, axis=1))
