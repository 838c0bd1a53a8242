"""A checkpoint of the time-stepping method is the last whole step and the time that is shown: a step under way is done
again when it is opened, with the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import engine
from engine.aggregation.time_stepping.arrays import REST
from engine.aggregation.time_stepping.saved import saved as saved_arrays
from engine.aggregation.time_stepping.simulation import TimeStepping
from engine.scenario import Scenario
from tests.builders.states import CLUSTERS, FRACTION, random_state, same_bits, stepping
from tests.session.saved_scenarios import assert_the_same

KINDS = [
    pytest.param(
        {CLUSTERS: clusters, "box.boundary": boundary, FRACTION: fraction, "dimensions": dimensions},
        id=f"{clusters} {boundary} {dimensions}",
    )
    for clusters, boundary, fraction, dimensions in (
        ("deformable", "walls", 0.5, 2),
        ("deformable", "periodic", 1.0, 2),
        ("rigid", "walls", 1.0, 2),
        ("rigid", "periodic", 0.5, 2),
        ("deformable", "periodic", 1.0, 3),
        ("rigid", "walls", 1.0, 3),
    )
]


def started(values: dict[str, object], seed: int = 3, count: int = 150) -> TimeStepping:
    periodic = values["box.boundary"] == "periodic"
    box = (1.0,) * int(str(values["dimensions"]))
    rng = np.random.default_rng(seed)
    state = random_state(rng, count, periodic=periodic, fraction=0.25, spread=0.3, joined=3, box=box)
    return TimeStepping(stepping(**values), state)


def whole(simulation: TimeStepping) -> TimeStepping:
    """The simulation, at the end of the step under way."""
    steps = simulation.checkpoint().arrays["sim"]["steps"][0]
    for _ in range(100_000):
        progress = simulation.advance(budget=0.0)
        if progress.finished or progress.steps["step"] > steps:
            return simulation
    pytest.fail("the step has no end")


@pytest.mark.parametrize("values", KINDS)
def test_a_step_that_was_under_way_is_done_again_with_the_same_bits(values: dict[str, object]) -> None:
    simulation = started(values)
    under_way = 0
    for moment in range(16):
        simulation.advance(simulation.time + 1.0, budget=0.0)
        if moment % 3 == 2:
            continue
        saved = simulation.checkpoint()
        engine.check_checkpoint(saved)
        again = engine.restore(saved)
        under_way += simulation._sim["phase"] != REST
        same_bits(again, simulation)
        assert_the_same(whole(again), whole(engine.restore(saved)))
        again.advance(until_clusters=max(1, simulation.frame().clusters - 20))
        if moment % 10 == 0:
            simulation.advance(until_clusters=max(1, simulation.frame().clusters - 20))
            assert_the_same(again, simulation)
    assert under_way > 3


@pytest.mark.parametrize("values", KINDS)
def test_the_time_that_is_shown_stays(values: dict[str, object]) -> None:
    """Frames between two whole steps, and a step that begins from there."""
    simulation = started(values)
    simulation.advance(until_clusters=120)
    for share in (0.3, 0.7):
        step = whole(engine.restore(simulation.checkpoint())).settled().time - simulation.settled().time
        simulation.advance(simulation.settled().time + share * step)
        for budget in (None, 0.0, 0.0):
            if budget is not None:
                simulation.advance(budget=budget)
            again = engine.restore(simulation.checkpoint())
            same_bits(again, simulation)
        assert_the_same(whole(again), whole(simulation))


@pytest.mark.parametrize("values", KINDS)
def test_a_tuning_begins_the_step_anew(values: dict[str, object]) -> None:
    simulation = started(values)
    simulation.advance(until_clusters=100)
    for fraction, alpha in ((0.7, 0.04), (0.3, 0.06)):
        for _ in range(3):
            simulation.advance(budget=0.0)
        again = engine.restore(simulation.checkpoint())
        before = simulation.frame()
        for run in (simulation, again):
            run.set(FRACTION, fraction)
            run.set("aggregation.damping.alpha", alpha)
        np.testing.assert_array_equal(before.positions, simulation.frame().positions)
        clusters = simulation.frame().clusters - 10
        for run in (simulation, again):
            run.advance(until_clusters=clusters)
        assert_the_same(simulation, again)


def test_a_checkpoint_holds_nothing_of_a_step() -> None:
    simulation = engine.create(Scenario().with_values({"discs.count": 900, "aggregation.method": "time-stepping"}))
    simulation.advance(until_clusters=600)
    simulation.advance(budget=0.0)
    arrays = simulation.checkpoint().arrays
    assert arrays.keys() > saved_arrays(2).keys()
    assert not {"pos", "cell", "start", "order", "head", "fresh", "bodies", "group", "place", "wide"} & arrays.keys()
    assert len(arrays["clusters"]) == len(arrays["live"])
    assert sum(array.nbytes for array in arrays.values()) < 200 * 900
