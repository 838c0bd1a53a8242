"""One simulation carried on by another: the methods change, the discs, their time and their names stay."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine import InputError, Scenario
from tests.builders.states import random_state, through_a_file

METHOD = "aggregation.method"
CLUSTERS = "aggregation.time_stepping.clusters"
TOLERANCE = 1e-3 / 8 * 1.01  # of overlaps, relative to R_i + R_j

LEGS = (
    {METHOD: "time-stepping"},
    {METHOD: "event-driven"},
    {METHOD: "time-stepping", CLUSTERS: "rigid"},
    {METHOD: "time-stepping", CLUSTERS: "deformable"},
    {METHOD: "event-driven"},
    {METHOD: "time-stepping", CLUSTERS: "rigid", "aggregation.time_stepping.fraction": 1.0},
)


def first_leg(count=300, periodic=False, seed=4):
    state = random_state(
        np.random.default_rng(seed), count, periodic=periodic, fraction=0.2, spread=0.3, free_masses=True
    )
    return engine.create(Scenario(), state)


def momentum(simulation):
    state = simulation.state()
    return (state.masses[:, None] * state.velocities).sum(axis=0)


@pytest.mark.parametrize("periodic", [False, True])
def test_a_chain_of_methods(periodic):
    simulation = first_leg(periodic=periodic)
    start, scale = momentum(simulation), np.abs(simulation.masses).sum()
    clusters = 300
    for leg in LEGS:
        # between two whole steps, in the middle of a step's work for the methods with steps
        clusters_before = clusters
        simulation.advance(until_clusters=int(0.75 * clusters))
        simulation.advance(simulation.time + 1e-3)
        for _ in range(5):
            simulation.advance(budget=1e-7)
        settled, history = simulation.settled(), simulation.history()
        assert settled.clusters < clusters_before
        kept = simulation.invariants()
        assert kept["momentum_error"] < 1e-13
        assert kept["max_overlap"] < TOLERANCE
        names = settled.cluster.copy()
        carried = engine.carry_on(simulation, simulation.scenario.with_values(leg))
        assert carried.method == leg[METHOD]
        assert carried.time == settled.time
        assert simulation.time >= settled.time
        now = carried.frame()
        assert now.time == settled.time
        assert now.clusters == settled.clusters == len(np.unique(now.cluster))
        np.testing.assert_array_equal(now.cluster, names)
        np.testing.assert_allclose(now.positions, settled.positions, rtol=0, atol=1e-14)
        np.testing.assert_allclose(now.velocities, settled.velocities, rtol=0, atol=1e-14)
        assert now.kinetic_energy == pytest.approx(settled.kinetic_energy, rel=1e-12)
        np.testing.assert_allclose(momentum(carried), momentum(simulation), rtol=0, atol=1e-14 * scale)
        if periodic:
            np.testing.assert_allclose(momentum(carried), start, rtol=0, atol=1e-14 * scale)
        joined = carried.history()
        np.testing.assert_array_equal(joined.time[: len(history.time)], history.time)
        assert len(joined.time) == len(history.time) + 1
        assert joined.time[-1] == settled.time
        simulation, clusters = carried, settled.clusters
    assert simulation.advance().clusters == 1
    whole = simulation.history()
    assert whole.time[0] == 0.0
    assert whole.clusters[0] == 300
    assert (np.diff(whole.time) >= 0).all()
    assert (np.diff(whole.clusters) <= 0).all()
    assert (np.diff(whole.kinetic_energy) <= 1e-12 * whole.kinetic_energy[0]).all()


@pytest.mark.parametrize("leg", LEGS[:3], ids=["stepping", "exact", "rigid"])
def test_a_restored_checkpoint_goes_on_bit_for_bit(leg):
    simulation = first_leg()
    for change in (LEGS[2], leg):
        simulation.advance(until_clusters=int(0.8 * simulation.frame().clusters))
        simulation = engine.carry_on(simulation, simulation.scenario.with_values(change))
    simulation.advance(simulation.time + 0.01)
    for _ in range(7):
        simulation.advance(budget=1e-7)
    again = engine.restore(through_a_file(simulation.checkpoint()))
    for run in (simulation, again):
        run.advance(until_clusters=10)
    assert again.time == simulation.time
    for one, two in ((simulation.frame(), again.frame()), (simulation.settled(), again.settled())):
        np.testing.assert_array_equal(one.positions, two.positions)
        np.testing.assert_array_equal(one.velocities, two.velocities)
        np.testing.assert_array_equal(one.cluster, two.cluster)
    for name in ("time", "clusters", "kinetic_energy"):
        np.testing.assert_array_equal(getattr(simulation.history(), name), getattr(again.history(), name))


def test_continuing_with_another_method_leaves_the_first_simulation_alone():
    simulation, other = first_leg(), first_leg()
    simulation.advance(until_clusters=100)
    other.advance(until_clusters=100)
    engine.carry_on(simulation, simulation.scenario.with_values(LEGS[0])).advance()
    simulation.advance(until_clusters=20)
    other.advance(until_clusters=20)
    np.testing.assert_array_equal(simulation.frame().positions, other.frame().positions)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("discs.count", 400),
        ("discs.volume_fraction", 0.1),
        ("box.size", 3.0),
        ("box.boundary", "periodic"),
        ("seed", 7),
        ("system", "jamming"),
    ],
)
def test_other_discs_or_another_box_are_refused(key, value):
    simulation = first_leg(9)
    with pytest.raises(InputError, match=key) as refused:
        engine.carry_on(simulation, simulation.scenario.with_values({key: value}))
    assert refused.value.key == key
