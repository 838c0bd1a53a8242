"""A comparison beside a single run: two lanes of 10^5 discs have a thread each, so on two cores they should take little
longer than one. `speedup` is what both would take one after the other, over what they take together."""

from __future__ import annotations

import os
import time
from statistics import median
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import engine
from aggviewer.session.run.lanes import Lane, Lockstep
from engine.scenario import Scenario

ROUNDS = 3
UNTIL = {"aggregation": 3.0, "hard-discs": 6.0}
SLICE = 0.02  # seconds of work before the window is asked for what it wants, as in the session


@pytest.fixture(autouse=True)
def one_core() -> None:
    """Two cores, else there is nothing to be measured."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core alone")


def lockstep(system: str, seeds: tuple[int, ...]) -> Lockstep:
    lanes = []
    for seed in seeds:
        scenario = Scenario().with_values({"system": system, "seed": seed, "discs.count": 100_000})
        publisher: Any = SimpleNamespace(adopt=lambda *_: None)
        lanes.append(Lane(scenario, engine.create(scenario), publisher))
    return Lockstep(lanes)


def run(lanes: Lockstep, until: float) -> float:
    began = time.perf_counter()
    while not lanes.advance(until, SLICE):
        pass
    return time.perf_counter() - began


@pytest.mark.parametrize("system", UNTIL)
def test_two_lanes(benchmark: BenchmarkFixture, system: str) -> None:
    run(lockstep(system, (9,)), 1e-3 * UNTIL[system])
    alone = [run(lockstep(system, (seed,)), UNTIL[system]) for _ in range(ROUNDS) for seed in (1, 2)]

    def fresh() -> tuple[tuple[Lockstep, float], dict[str, Any]]:
        return (lockstep(system, (1, 2)), UNTIL[system]), {}

    benchmark.pedantic(run, setup=fresh, rounds=ROUNDS)
    together = benchmark.stats.stats.median
    benchmark.extra_info["speedup"] = round(2.0 * median(alone) / together, 2)
