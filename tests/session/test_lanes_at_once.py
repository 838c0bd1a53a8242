"""Two lanes work at the same time, each on a thread, and come to the same as one after the other."""

from __future__ import annotations

import threading
from math import inf
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import engine
from aggviewer.session.run.lanes import Lane, Lockstep, in_parallel
from engine.scenario import Scenario
from engine.simulation import Progress

PATIENCE = 60.0
METHODS = ("event-driven", "time-stepping")


class Meeting:
    """A simulation, each slice of which waits until one of another simulation has begun as well."""

    def __init__(self, scenario: Scenario, barrier: threading.Barrier) -> None:
        self.of = engine.create(scenario)
        self._barrier = barrier

    def __getattr__(self, name: str) -> Any:
        return getattr(self.of, name)

    def advance(self, *args: Any, **names: Any) -> Progress:
        self._barrier.wait(PATIENCE)
        return self.of.advance(*args, **names)


def scenarios() -> list[Scenario]:
    return [Scenario().with_values({"discs.count": 100, "aggregation.method": method}) for method in METHODS]


def lane(scenario: Scenario, simulation: Any) -> Lane:
    return Lane(scenario, simulation, SimpleNamespace(lane=0, adopt=lambda *_, **__: None))  # type: ignore[arg-type]


def test_calls_are_made_in_parallel_and_all_of_them_end() -> None:
    barrier = threading.Barrier(2)
    in_parallel([lambda: barrier.wait(PATIENCE), lambda: barrier.wait(PATIENCE)])
    done: list[int] = []

    def fail() -> None:
        raise ValueError("no")

    for calls in ([fail, lambda: done.append(1)], [lambda: done.append(1), fail]):
        with pytest.raises(ValueError, match="no"):
            in_parallel(calls)
    assert done == [1, 1]
    in_parallel([])
    assert not any(thread.name == "lane" for thread in threading.enumerate())


def test_both_lanes_work_at_the_same_time_and_come_to_the_same() -> None:
    barrier = threading.Barrier(2)
    both = Lockstep([lane(scenario, Meeting(scenario, barrier)) for scenario in scenarios()])
    assert both.advance(2.0, inf), "one slice each: none of them waits for the other to end"
    assert both.time == 2.0
    assert both.together
    for of, scenario in zip(both.lanes, scenarios(), strict=True):
        alone = engine.create(scenario)
        alone.advance(2.0)
        np.testing.assert_array_equal(of.simulation.frame().positions, alone.frame().positions)
        assert of.progress.clusters == alone.frame().clusters


def test_the_others_follow_a_frame_while_the_leader_goes_on() -> None:
    both = Lockstep([lane(scenario, engine.create(scenario)) for scenario in scenarios()])
    leader, other = both.lanes
    behind: list[float] = []
    for _ in range(100_000):
        there = both.advance_frame(0.0)  # as little work as there can be in one call
        behind.append(leader.time - other.time)
        if there:
            break
    assert both.together
    assert leader.time == other.time > 0.0
    assert min(behind) >= 0.0


def test_an_error_in_one_lane_reaches_the_caller() -> None:
    both = Lockstep([lane(scenario, engine.create(scenario)) for scenario in scenarios()])

    def broken(*_args: Any, **_names: Any) -> Progress:
        raise RuntimeError("no room")

    both.lanes[1]._simulation = SimpleNamespace(advance=broken, time=0.0)  # type: ignore[assignment]
    with pytest.raises(RuntimeError, match="no room"):
        both.advance(1.0, inf)
    assert both.lanes[0].time == 1.0
