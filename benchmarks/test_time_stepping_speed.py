"""Time stepping: lattice, V_f = 0.2, unit velocities, f = 0.5, to one cluster, one core, compile time apart.

The reaches are those of the project: 1 s at 10^4, 15 s at 10^5, 10^6 to the end within 2 GB, cost exponent at most
1.2, and a step without collisions within four times a bare pass that moves and bins the discs. Reported, not
asserted: machines differ.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pytest_benchmark.fixture import BenchmarkFixture

import engine
from engine import Scenario
from engine.aggregation.time_stepping.simulation import TimeStepping
from engine.initial import initial_state
from engine.kernels import kernel
from engine.simulation import Progress, Simulation
from engine.state import InitialState

Floats = NDArray[np.float64]
Numbers = NDArray[np.int32]

ROUNDS = {2_500: 10, 10_000: 5, 100_000: 1, 1_000_000: 1}
medians: dict[int, float] = {}


def scenario(count: int) -> Scenario:
    return Scenario().with_values({"discs.count": count, "aggregation.method": "time-stepping"})


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    engine.create(scenario(400)).advance()


@pytest.mark.parametrize("count", ROUNDS)
def test_to_one_cluster(benchmark: BenchmarkFixture, count: int) -> None:
    made: list[Simulation] = []

    def fresh() -> tuple[tuple[Simulation], dict[str, Any]]:
        made[:] = [engine.create(scenario(count))]
        return (made[0],), {}

    busy = []

    def run(chosen: Simulation) -> Progress:
        began = time.process_time()
        progress = chosen.advance()
        busy.append(time.process_time() - began)
        return progress

    progress = benchmark.pedantic(run, setup=fresh, rounds=ROUNDS[count], iterations=1)
    assert progress.clusters == 1
    medians[count] = benchmark.stats.stats.median
    benchmark.extra_info["steps"] = progress.steps
    benchmark.extra_info["processor time, s"] = round(min(busy), 3)
    kept = made[0].invariants()
    assert kept["momentum_error"] < 1e-13
    assert kept["max_overlap"] < 1.3e-4
    if count == 1_000_000 and 10_000 in medians:
        exponent = math.log(medians[count] / medians[10_000]) / math.log(100)
        benchmark.extra_info["cost exponent 1e4 to 1e6"] = round(exponent, 3)


@kernel
def move_and_bin(
    x: Floats,
    velocity: Floats,
    dt: float,
    width: float,
    columns: int,
    start: Numbers,
    cell: Numbers,
    order: Numbers,
) -> None:
    """The least that a step has to do: move the discs and sort them by cell."""
    start[:] = 0
    for i in range(len(x)):
        x[i, 0] += velocity[i, 0] * dt
        x[i, 1] += velocity[i, 1] * dt
        c = min(max(int(x[i, 1] / width), 0), columns - 1) * columns + min(max(int(x[i, 0] / width), 0), columns - 1)
        cell[i] = c
        start[c + 2] += 1
    for c in range(2, len(start)):
        start[c] += start[c - 1]
    for i in range(len(x)):
        c = cell[i] + 1
        order[start[c]] = i
        start[c] += 1


@pytest.fixture(scope="module")
def million() -> tuple[Scenario, InitialState]:
    chosen = scenario(1_000_000).with_values({"aggregation.time_stepping.step": 1e-6})
    return chosen, initial_state(chosen)


def test_bare_pass_at_a_million(benchmark: BenchmarkFixture, million: tuple[Scenario, InitialState]) -> None:
    _, state = million
    simulation = TimeStepping(*million)
    order = simulation._original
    x, velocity = state.positions[order], state.velocities[order]
    width = 2 * float(state.radii[0])
    columns = int(state.box[0] / width)
    start = np.zeros(columns * columns + 2, np.int32)
    cell, slots = np.zeros(len(x), np.int32), np.zeros(len(x), np.int32)
    benchmark.pedantic(
        move_and_bin, (x, velocity, 1e-6, width, columns, start, cell, slots), rounds=20, warmup_rounds=2
    )
    medians[-1] = benchmark.stats.stats.median


def test_step_without_collisions_at_a_million(
    benchmark: BenchmarkFixture, million: tuple[Scenario, InitialState]
) -> None:
    simulation = TimeStepping(*million)
    times = iter(range(1, 10_000))
    benchmark.pedantic(lambda: simulation.advance((next(times) + 0.5) * 1e-6), rounds=20, warmup_rounds=2)
    assert simulation.advance(simulation.time).events["merge"] == 0
    if -1 in medians:
        benchmark.extra_info["times a bare pass"] = round(benchmark.stats.stats.median / medians[-1], 2)


def test_memory_of_a_million(benchmark: BenchmarkFixture) -> None:
    """Peak memory of the whole process that runs 10^6 discs to M = 1, in MB."""
    code = (
        "import engine, json, resource; from engine import Scenario\n"
        "s = engine.create(Scenario().with_values({'discs.count': 1000000, 'aggregation.method': 'time-stepping'}))\n"
        "s.advance()\n"
        "print(json.dumps(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))"
    )
    run = benchmark.pedantic(
        subprocess.run, args=([sys.executable, "-c", code],), kwargs={"capture_output": True, "text": True}, rounds=1
    )
    benchmark.extra_info["peak memory, MB"] = round(json.loads(run.stdout))
