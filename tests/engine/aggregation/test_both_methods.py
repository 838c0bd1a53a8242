"""What both methods of ballistic aggregation have in common."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine import Scenario
from tests.builders.states import CLUSTERS, FRACTION, STEP, discs, same_bits, through_a_file

METHOD = "aggregation.method"
METHODS = ("event-driven", "time-stepping")


@pytest.mark.parametrize("method", METHODS)
def test_a_whole_cluster_is_reflected(method):
    state = discs([[4.5, 5], [5.5, 5], [5, 1]], [[1, 0.25], [1, 0.25], [0, 0]], 0.5, 10, cluster=[0, 0, 2])
    simulation = engine.create(Scenario().with_values({METHOD: method, STEP: 0.3}), state)
    simulation.advance(5.0)
    # the front disc reaches x = 9.5 at t = 4 and both turn round
    rounding = 1e-14 if method == "event-driven" else 1e-13
    np.testing.assert_allclose(simulation.frame().positions, [[7.5, 6.25], [8.5, 6.25], [5, 1]], rtol=rounding)
    simulation.advance(5.1)
    np.testing.assert_allclose(simulation.frame().velocities, [[-1, 0.25], [-1, 0.25], [0, 0]])


@pytest.mark.parametrize("method", METHODS)
def test_the_heavier_cluster_keeps_its_name(method):
    state = discs([[2, 5], [3, 5], [8, 5]], [[1, 0], [1, 0], [-1, 0]], 0.5, 10, cluster=[1, 1, 2])
    simulation = engine.create(Scenario().with_values({METHOD: method}), state)
    name = simulation.frame().cluster[0]
    simulation.advance()
    assert (simulation.frame().cluster == name).all()


@pytest.mark.parametrize("method", METHODS)
def test_discs_at_rest_and_lone_clusters_end_the_run(method):
    scenario = Scenario().with_values({METHOD: method})
    rest = engine.create(scenario, discs([[2, 5], [8, 5]], [[0, 0], [0, 0]], 0.5, 10))
    assert rest.advance(7.0).finished
    assert rest.time == 7.0
    alone = engine.create(scenario, discs([[4.5, 5]], [[1, 0]], 0.5, 10)).advance()
    assert alone.finished
    assert alone.clusters == 1
    assert alone.time == 0.0


@pytest.mark.parametrize(
    ("values", "budget"),
    [
        ({"discs.count": 900}, 1e-4),
        ({"discs.count": 400, METHOD: "time-stepping", "discs.volume_fraction": 0.3, FRACTION: 1.0}, 1e-6),
    ],
    ids=METHODS,
)
def test_a_scenario_gives_the_same_bits_however_its_run_is_cut(values, budget):
    whole, pieces, single = (engine.create(Scenario().with_values(values)) for _ in range(3))
    whole.advance(25.0)
    t = 0.0
    while t < 25.0:
        t = min(25.0, t + 0.37)
        while not pieces.advance(t, budget).reached:
            pieces.frame()
    while not single.advance(25.0, max_events=1).finished and single.time < 25.0:
        pass
    same_bits(whole, pieces)
    same_bits(whole, single)


@pytest.mark.parametrize("boundary", ["walls", "periodic"])
@pytest.mark.parametrize(
    "values",
    [
        {"discs.count": 1600},
        {"discs.count": 400, METHOD: "time-stepping"},
        {"discs.count": 400, METHOD: "time-stepping", CLUSTERS: "rigid"},
    ],
    ids=["event-driven", "deformable", "rigid"],
)
def test_a_restored_run_goes_on_bit_for_bit(values, boundary):
    """From between two events, and from anywhere in a step."""
    first = engine.create(Scenario().with_values(values | {"box.boundary": boundary}))
    first.advance(2.0)
    for _ in range(30 if METHOD in values else 0):
        first.advance(9.0, 1e-7)
    second = engine.restore(through_a_file(first.checkpoint()))
    first.advance(until_clusters=5)
    second.advance(until_clusters=5)
    same_bits(first, second)
    one, two = (simulation.advance(1e4) for simulation in (first, second))
    assert (one.events, one.steps) == (two.events, two.steps)
