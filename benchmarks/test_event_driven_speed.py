"""Event-driven aggregation: lattice, V_f = 0.2, unit velocities, to one cluster, one core, compile time apart.

The reaches are those of the project: 0.1 s, 1.3 s, 10 s at 10^4, 10^5, 10^6 discs, 5 min and 8 GB at 10^7, cost
exponent at most 1.15, a thousand times faster than the all-pairs method at N = 2 500. They are reported, not asserted:
machines differ.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import engine
from engine import Scenario
from engine.aggregation.event_driven.simulation import EventDriven
from engine.initial import initial_state
from tests.reference.all_pairs import run_all_pairs

CHILD = """
import json, sys, time
import numpy as np
import engine
from engine import Scenario

engine.create(Scenario().with_values({"discs.count": 400})).advance()
began = time.perf_counter()
simulation = engine.create(Scenario().with_values({"discs.count": int(sys.argv[1])}))
ready = time.perf_counter()
progress = simulation.advance()
done = time.perf_counter()
# not ru_maxrss, which is not below that of the process that started this one
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
peak = int(status["VmHWM"].split()[0]) / 1e3
sim = simulation._st.sim[0]
last = simulation._st.clusters[simulation._st.live[0]]
impulse = np.hypot(last["px"] - simulation._momentum[0] - sim["impulse_x"],
                   last["py"] - simulation._momentum[1] - sim["impulse_y"])
before = time.perf_counter()
checkpoint = simulation.checkpoint()
copy = time.perf_counter() - before
size = sum(array.nbytes for array in checkpoint.arrays.values()) / 1e6
print(json.dumps({"start": ready - began, "run": done - ready, "peak": peak, "merges": progress.events["merge"],
                  "momentum_error": impulse / simulation._momentum_scale, "checkpoint": size, "copy": copy}))
"""

ROUNDS = {2_500: 20, 10_000: 10, 100_000: 3, 1_000_000: 1}
medians: dict[int, float] = {}


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    engine.create(Scenario().with_values({"discs.count": 400})).advance()


def scenario(count: int) -> Scenario:
    return Scenario().with_values({"discs.count": count})


def of_a_program(benchmark: BenchmarkFixture, count: int) -> dict[str, float]:
    """What `CHILD` has to say of a run of so many discs to one cluster. Times in seconds, memory in MB."""
    run = benchmark.pedantic(
        subprocess.run,
        args=([sys.executable, "-c", CHILD, str(count)],),
        kwargs={"capture_output": True, "text": True, "check": True},
        rounds=1,
    )
    found: dict[str, float] = json.loads(run.stdout)
    return found


def available_memory() -> float:
    """Bytes that a process may take before others have to give way."""
    lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines())
    return float(lines["MemAvailable"].split()[0]) * 1024


@pytest.mark.parametrize("count", ROUNDS)
def test_to_one_cluster(benchmark: BenchmarkFixture, count: int) -> None:
    made: list[EventDriven] = []

    def fresh() -> tuple[tuple[EventDriven], dict[str, Any]]:
        made[:] = [EventDriven(scenario(count), initial_state(scenario(count)))]
        return (made[0],), {}

    progress = benchmark.pedantic(lambda s: s.advance(), setup=fresh, rounds=ROUNDS[count], iterations=1)
    assert progress.clusters == 1
    medians[count] = benchmark.stats.stats.median
    (simulation,) = made
    merges = progress.events["merge"]
    benchmark.extra_info["events per merge"] = {k: round(v / merges, 4) for k, v in progress.events.items()}
    benchmark.extra_info["work per merge"] = {k: round(v / merges, 3) for k, v in simulation.statistics().items()}
    kept = simulation.invariants()
    assert kept["momentum_error"] < 1e-13
    assert kept["max_overlap"] < 1e-9
    if count == 1_000_000 and 10_000 in medians:
        exponent = math.log(medians[count] / medians[10_000]) / math.log(100)
        benchmark.extra_info["cost exponent 1e4 to 1e6"] = round(exponent, 3)


def test_all_pairs_reference_at_2500(benchmark: BenchmarkFixture) -> None:
    """The paper's method, compiled as well, in the same run. It is timed on its first 100 events; each costs the same,
    so the whole takes as many times longer as there are events."""
    start = initial_state(scenario(2_500))
    run_all_pairs(initial_state(scenario(100)))
    events = 100
    took = benchmark.pedantic(run_all_pairs, args=(start,), kwargs={"max_events": events}, rounds=3, iterations=1)
    assert len(took.times) > 0
    fast = EventDriven(scenario(2_500), start)
    began = time.perf_counter()
    progress = fast.advance()
    quick = time.perf_counter() - began
    whole = benchmark.stats.stats.median / events * (progress.events["merge"] + progress.events["wall"])
    benchmark.extra_info["all-pairs run, s"] = round(whole, 2)
    benchmark.extra_info["times faster"] = round(whole / quick)


def test_memory_of_a_million(benchmark: BenchmarkFixture) -> None:
    """Peak memory of the whole process that runs 10^6 discs to M = 1, in MB."""
    benchmark.extra_info["peak memory, MB"] = round(of_a_program(benchmark, 1_000_000)["peak"])


@pytest.mark.slow
@pytest.mark.skipif(available_memory() < 10e9, reason="needs 10 GB of free memory")
def test_ten_million(benchmark: BenchmarkFixture) -> None:
    """10^7 discs to M = 1, once, in a process of its own: minutes. The reaches are 5 min and 8 GB for all of it."""
    found = of_a_program(benchmark, 10_000_000)
    assert found["merges"] == 9_999_999
    assert found["momentum_error"] < 1e-13
    benchmark.extra_info["to one cluster, s"] = round(found["run"], 1)
    benchmark.extra_info["from nothing, s"] = round(found["start"] + found["run"], 1)
    benchmark.extra_info["peak memory, MB"] = round(found["peak"])
    benchmark.extra_info["checkpoint, MB"] = round(found["checkpoint"])
    benchmark.extra_info["copy of it, s"] = round(found["copy"], 1)
