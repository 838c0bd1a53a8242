"""What a study costs beside its runs, and what more workers bring. The machine should have nothing else to do.

Reach: runs of 10 ms of 2 500 discs at least 50 a second and core; with runs of 1 s, N workers at least 0.9 N of one;
two workers at least 1.8 times one.
"""

from __future__ import annotations

import os
import resource
import time
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from engine.study import Study, running
from engine.study import run as run_study
from engine.study.grid import Grid
from engine.study.one_run import Task, perform, prepare
from engine.study.processors import usable
from engine.study.workers import DaskWorkers, local

SHORT: dict[str, Any] = {
    "scenario": "lattice-2500",
    "stop": {"until_clusters": 1500},
    "measure": {"quantities": ["contacts_relative", "events.merge"]},
}
"""Runs of about 10 ms."""

LONG: dict[str, Any] = SHORT | {"scenario": "lattice-2500", "base": {"discs.count": 40_000}, "stop": {}}
"""Runs of about a second."""

TINY: dict[str, Any] = SHORT | {"scenario": "lattice-100", "base": {"discs.count": 16}, "stop": {}}
MANY = int(os.environ.get("AGGVIEWER_BENCH_RUNS", "100000"))


@pytest.fixture
def all_cores(one_core: None) -> None:
    """Workers go where they like; `one_core` has kept this thread, and what it starts, on one."""
    os.sched_setaffinity(0, set(range(os.cpu_count() or 1)))


def study(values: dict[str, Any], runs: int) -> Study:
    """A study of so many seeds at one point."""
    return Study.from_values(values | {"seeds": {"count": runs}})


def seconds_of(crew: DaskWorkers, values: dict[str, Any], runs: int) -> float:
    """Seconds of a study on workers that have loaded all they need."""
    began = time.perf_counter()
    result = run_study(study(values, runs), client=crew._client)
    assert (result.complete, result.failed) == (True, 0)
    return time.perf_counter() - began


def test_a_study_of_short_runs(benchmark: BenchmarkFixture, all_cores: None) -> None:
    """Runs a second of one worker, and beside it of the same runs in a loop without any study."""
    order = running.order_of(Grid(study(SHORT, 400)))
    prepare(order)
    tasks = [Task(0, seed, {"seed": seed}) for seed in range(1, 401)]
    perform(order, tasks[:20])
    began = time.process_time()
    perform(order, tasks)
    alone = (time.process_time() - began) / len(tasks)
    crew = local(1)
    try:
        seconds_of(crew, SHORT, 40)
        found = benchmark.pedantic(lambda: seconds_of(crew, SHORT, 400), rounds=3)
    finally:
        crew.close()
    benchmark.extra_info["runs a second"] = round(400 / found, 1)
    benchmark.extra_info["processor time of a run in a loop, ms"] = round(alone * 1e3, 2)
    benchmark.extra_info["share of the worker's time that is runs"] = round(400 * alone / found, 3)
    assert 400 / found >= 50.0


def test_more_workers_are_so_many_times_faster(benchmark: BenchmarkFixture, all_cores: None) -> None:
    """Runs of a second on one worker and on all processors."""
    cores = usable()
    if cores < 2:
        pytest.skip("one processor")
    runs = 16 * cores
    found = {}
    for count in (1, cores):
        crew = local(count)
        try:
            seconds_of(crew, LONG, count)
            found[count] = seconds_of(crew, LONG, runs)
        finally:
            crew.close()
    benchmark.pedantic(lambda: None, rounds=1)
    benchmark.extra_info["seconds"] = {str(count): round(seconds, 2) for count, seconds in found.items()}
    benchmark.extra_info["times faster"] = round(found[1] / found[cores], 3)
    assert found[1] / found[cores] >= 0.9 * cores


def test_very_many_tiny_runs(benchmark: BenchmarkFixture, all_cores: None) -> None:
    """Rows a second and the memory of the process with the scheduler, of which a study of 10⁶ runs can be judged."""
    crew = local(usable())
    try:
        seconds_of(crew, TINY, 100)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        cpu = time.process_time()
        seconds = benchmark.pedantic(lambda: seconds_of(crew, TINY, MANY), rounds=1)
        cpu = time.process_time() - cpu
    finally:
        crew.close()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    benchmark.extra_info["rows a second"] = round(MANY / seconds)
    benchmark.extra_info["processor time of the command a row, ms"] = round(cpu / MANY * 1e3, 3)
    benchmark.extra_info["memory of the command a row, bytes"] = round(1024 * (after - before) / MANY)
    assert after - before < 2_000_000  # kB, for 10⁵ rows
