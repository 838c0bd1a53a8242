"""What a checkpoint of the event-driven method leaves out decides nothing: built in any other order, box trees, grid,
queue and lists of watchers give the same bits."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from numpy.typing import NDArray

import engine
from engine import Scenario
from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven import loop
from engine.aggregation.event_driven.events import pair_of
from engine.aggregation.event_driven.saved import arrays_of, restored, saved
from engine.aggregation.event_driven.simulation import EventDriven
from engine.geometry.box_tree import insert_subtree, store_leaf
from engine.kernels import borrowed, kernel
from engine.state import InitialState
from tests.builders.states import almost_touching, discs, random_state

EFFORT = {"work", "pair_walks", "node_visits", "disc_tests", "tree_builds"}
"""Counters of how long the search for events took."""


@kernel
def regrow(arrays: cl.ClusterArrays, order: NDArray[np.int64]) -> None:
    """Build the trees again, by insertion alone, the discs in another order."""
    st = borrowed(arrays)
    for i in order:
        store_leaf(st.nodes, st.discs, i, i)
    for i in order:
        if st.label[i] != i:
            insert_subtree(st.nodes, st.ids, st.label[i], i, pair_of(st, i))


def shuffled(st: cl.ClusterArrays, rng: np.random.Generator) -> cl.ClusterArrays:
    """The same state, with all that follows from it laid out in another way."""
    count = len(st.label)
    regrow(st, rng.permutation(count))
    for pair in range(count, 3 * count, 2):
        if rng.random() < 0.5:
            st.nodes[[pair, pair + 1]] = st.nodes[[pair + 1, pair]]
    for bucket in st.buckets[: st.bucket_top[0]]:
        bucket["owners"][: bucket["count"]] = rng.permutation(bucket["owners"][: bucket["count"]])
    queued = int(st.sim["queued"][0])
    order = np.lexsort((st.heap_owner[:queued], st.heap_key[:queued]))
    st.heap_key[:queued], st.heap_owner[:queued] = st.heap_key[order], st.heap_owner[order]
    st.heap_slot[st.heap_owner[:queued]] = np.arange(queued)
    return st


def decided(st: cl.ClusterArrays) -> dict[str, bytes]:
    """All that a checkpoint holds, but how long the search took and in which order watchers stand."""
    found = arrays_of(st, by_trees=True)
    found["watchers"] = np.sort(found["watchers"])
    sim = found.pop("sim")
    parts = {f"sim {name}": sim[name] for name in saved(cl.dimensions_of(st))["sim"].fields if name not in EFFORT}
    return {name: array.tobytes() for name, array in (found | parts).items()}


def blocks(rng: np.random.Generator, *, periodic: bool) -> InitialState:
    """Squares of four discs that touch, on a lattice, which fly along it with few different speeds: impacts at exactly
    the same time, of several pairs of clusters and of two pairs of discs of the same clusters."""
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    x = 4.0 * np.arange(6) + 1.5
    places = (np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 1, 2) + corners).reshape(-1, 2)
    ways = np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [0, 0]])[rng.integers(0, 5, 36)] * rng.choice([1, 2], (36, 1))
    cluster = np.repeat(4 * np.arange(36), 4)
    return discs(places, np.repeat(ways, 4, axis=0), 0.5, 24.0, periodic=periodic, cluster=cluster)


def on_a_line(rng: np.random.Generator, *, periodic: bool) -> InitialState:
    """Single discs on a lattice that fly along it: many events at one time, also of the same disc."""
    x = np.arange(12) + 0.5
    ways = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])[rng.integers(0, 4, 144)]
    return discs(np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 2), ways, 0.25, 12.0, periodic=periodic)


STATES = {
    "at random": lambda rng, periodic: random_state(rng, 200, periodic=periodic, fraction=0.25, spread=0.3, joined=3),
    "equal, almost touching": lambda rng, periodic: almost_touching(int(rng.integers(100))),
    "blocks": lambda rng, periodic: blocks(rng, periodic=periodic),
    "on a line": lambda rng, periodic: on_a_line(rng, periodic=periodic),
    "spheres": lambda rng, periodic: random_state(
        rng, 200, periodic=periodic, fraction=0.2, spread=0.3, joined=3, box=(1.0, 1.0, 1.5)
    ),
}
TUNINGS = {"usual": cl.Tuning(), "big clusters": cl.Tuning(big_cells=4, envelope=0.3)}


@pytest.mark.parametrize("tuning", TUNINGS)
@pytest.mark.parametrize("periodic", [False, True], ids=["walls", "periodic"])
@pytest.mark.parametrize("kind", STATES)
def test_how_trees_grid_and_queue_are_laid_out_decides_nothing(kind: str, periodic: bool, tuning: str) -> None:
    rng = np.random.default_rng(5)
    watched = 0
    state = STATES[kind](rng, periodic)
    simulation = EventDriven(Scenario(), state, TUNINGS[tuning])
    kept = simulation.checkpoint().arrays
    going = restored(kept, len(state.box))
    for _ in range(8):
        opened = shuffled(restored(kept | arrays_of(going, by_trees=True), len(state.box)), rng)
        for st in (going, opened):
            loop.run(st, 500.0, 1, 6, 1 << 50)
        assert decided(going) == decided(opened)
        watched += int(opened.sim["used_watches"][0])
    assert watched > 0 or tuning == "usual" or kind != "at random"


def test_impacts_at_the_same_time_are_there() -> None:
    """Else the test above would show less than it says."""
    log = engine.create(Scenario(), blocks(np.random.default_rng(5), periodic=False))
    log.advance(500.0)
    assert len(np.unique(log.history().time)) < 0.9 * len(log.history().time)


@pytest.mark.parametrize("boundary", ["walls", "periodic"])
def test_the_first_grid_half_filled_is_filled_on(boundary: str) -> None:
    """A run that is saved before all clusters are entered."""
    scenario = Scenario().with_values({"discs.count": 400, "box.boundary": boundary})
    simulation = engine.create(scenario)
    simulation.advance(budget=0.0)
    saved = simulation.checkpoint()
    assert 0 < saved.arrays["sim"]["cursor"][0] < 400
    again = engine.restore(saved)
    for run in (simulation, again):
        run.advance(inf, until_clusters=200)
    np.testing.assert_array_equal(simulation.frame().positions, again.frame().positions)


def test_a_checkpoint_holds_nothing_that_can_be_built() -> None:
    """A cluster takes a hundred bytes, and the trees, grid and queue of 0.2.0 are not there."""
    simulation = EventDriven(Scenario(), random_state(np.random.default_rng(1), 1000, periodic=True, fraction=0.1))
    simulation.advance(until_clusters=500)
    arrays = simulation.checkpoint().arrays
    assert not {"nodes", "buckets", "heap_key", "heap_owner", "heap_slot", "stamp", "watches"} & arrays.keys()
    assert len(arrays["clusters"]) == len(arrays["live"]) == 500
    assert sum(array.nbytes for array in arrays.values()) < 150 * 1000
