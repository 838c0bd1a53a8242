"""The fast engine against the paper's all-pairs method, merge by merge."""

from __future__ import annotations

import numpy as np
import pytest

from engine import Scenario
from engine.aggregation.event_driven.clusters import Tuning
from engine.aggregation.event_driven.simulation import EventDriven
from engine.boundary import Periodic
from engine.records import along, columns
from tests.builders.states import almost_touching, random_state
from tests.reference.all_pairs import run_all_pairs

# The second tuning makes nearly every cluster "big", with wide envelopes, and the horizon short: the paths that
# otherwise only runs of 10^5 discs take.
TUNINGS = {
    "default": Tuning(),
    "all big": Tuning(travel=0.4, patience=1.0, big_cells=1, envelope=0.5, rebuild=1e9),
    "some big": Tuning(travel=1.5, big_cells=9, envelope=0.2, rebuild=1.01),
}

X, Y, ACROSS = Periodic((True, False)), Periodic((False, True)), Periodic((True, False, True))

CASES = (
    [
        pytest.param(seed, tuning, *kind, id=f"{tuning}-{seed}")
        for seed, (tuning, *kind) in enumerate(
            (tuning, periodic, spread, box, joined, free)
            for tuning in TUNINGS
            for periodic in (False, True)
            for spread in (0.0, 0.6)
            for box in ((1.0, 1.0), (3.0, 1.0))
            for joined, free in ((0, False), (7, True), (0, True))
        )
    ]
    + [
        pytest.param(seed, tuning, periodic, 0.6, box, 7, free, id=f"spheres-{tuning}-{seed}")
        for seed, (tuning, periodic, box, free) in enumerate(
            (tuning, periodic, box, free)
            for tuning in TUNINGS
            for periodic in (False, True)
            for box, free in (((1.0, 1.0, 1.0), False), ((3.0, 1.0, 1.0), True))
        )
    ]
    + [
        pytest.param(seed, tuning, periodic, 0.6, box, 7, True, id=f"{tuning}-{periodic.words}-{seed}")
        for seed, (tuning, periodic, box) in enumerate(
            (tuning, *rest)
            for tuning in TUNINGS
            for rest in (
                (X, (1.0, 1.0)),
                (Y, (3.0, 1.0)),
                (ACROSS, (1.0, 1.0, 1.0)),
                (Periodic((0, 1, 0)), (1.0, 1.5, 1.0)),
            )
        )
    ]
)


def compare(state, tuning):
    expected = run_all_pairs(state)
    simulation = EventDriven(Scenario().with_values({"dimensions": len(state.box)}), state, tuning)
    progress = simulation.advance()
    history = simulation.history()
    merges = simulation.merges()
    assert progress.finished
    assert progress.clusters == 1
    assert len(merges) == len(expected.times)
    np.testing.assert_array_equal(np.sort(merges, axis=1), np.sort(expected.pairs, axis=1))
    np.testing.assert_allclose(history.time[1:], expected.times, rtol=1e-10, atol=1e-10)
    frame = simulation.frame()
    apart = frame.positions - expected.positions
    apart -= np.where(state.periodic, state.box * np.round(apart / state.box), 0.0)
    assert np.abs(apart).max() < 1e-9
    np.testing.assert_allclose(frame.velocities, expected.velocities, atol=1e-10)
    assert progress.events["wall"] == expected.wall_events
    # in the frame of the cluster the discs of each merge touch as they are, and not through a face of the box
    arrays = simulation.checkpoint().arrays
    places = np.empty_like(frame.positions)
    places[arrays["original"]] = columns(arrays["discs"], *along("", len(state.box)))
    between = places[merges[:, 0]] - places[merges[:, 1]]
    np.testing.assert_allclose(np.linalg.norm(between, axis=1), state.radii[merges].sum(axis=1), atol=1e-9)
    return simulation


@pytest.mark.parametrize(("seed", "tuning", "periodic", "spread", "box", "joined", "free"), CASES)
def test_merge_by_merge(seed, tuning, periodic, spread, box, joined, free):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(20, 90))
    fraction = float(rng.uniform(0.03, 0.3 if len(box) == 2 else 0.15))
    state = random_state(
        rng, count, periodic=periodic, spread=spread, box=box, joined=joined, free_masses=free, fraction=fraction
    )
    compare(state, TUNINGS[tuning])


@pytest.mark.parametrize("seed", range(4))
def test_the_papers_lattice(seed):
    rng = np.random.default_rng(seed)
    side = 15
    x = np.arange(side) + 0.5
    state = random_state(rng, side * side, periodic=False, fraction=0.05)
    state.positions[:] = np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 2)
    state.radii[:] = np.sqrt(0.2 / np.pi)
    state.box[:] = side
    compare(state, TUNINGS["default"])


def test_the_paths_of_big_clusters_are_really_taken():
    state = random_state(np.random.default_rng(5), 300, periodic=False, fraction=0.25)
    simulation = compare(state, TUNINGS["all big"])
    events = simulation.advance().events
    assert simulation.statistics()["big_registrations"] > 100
    assert events["bound"] > 100


def test_discs_that_almost_touch_are_watched():
    """Gaps of 1e-7: bounds are of no use there, the exact velocity of big clusters has to be followed."""
    state = almost_touching()
    simulation = compare(state, TUNINGS["all big"])
    assert simulation.advance().events["watch"] > 0


def test_stops_at_a_time_between_events():
    state = random_state(np.random.default_rng(11), 60, periodic=True)
    expected = run_all_pairs(state, until_time=0.05)
    simulation = EventDriven(Scenario(), state)
    progress = simulation.advance(0.05)
    assert progress.time == 0.05
    assert progress.reached
    apart = simulation.frame().positions - expected.positions
    apart -= np.round(apart)
    assert np.abs(apart).max() < 1e-11
    assert progress.clusters == 60 - len(expected.times)


@pytest.mark.parametrize("seed", [1105, 1241, 1422, 1452])
def test_no_event_lies_between_a_bound_and_its_impact(seed):
    """When the bound of a pair is reached, another impact may still be nearer than that of the pair itself."""
    rng = np.random.default_rng(seed)
    state = random_state(
        rng,
        int(rng.integers(30, 150)),
        periodic=bool(seed % 2),
        spread=float(rng.choice([0, 0.5])),
        fraction=float(rng.uniform(0.1, 0.3)),
    )
    tuning = Tuning(
        travel=float(rng.choice([0.4, 1.5])),
        patience=float(rng.choice([1, 4])),
        big_patience=float(rng.choice([0.25, 2])),
        big_cells=int(rng.choice([1, 4])),
        envelope=float(rng.choice([0.05, 0.5])),
    )
    compare(state, tuning)
