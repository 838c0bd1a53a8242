"""What a study costs beside its runs, and what more workers bring. The machine should have nothing else to do.

Reach: runs of 10 ms of 2 500 discs at least 50 a second and core; with runs of 1 s, N workers at least 0.9 of what N
processes without a study are faster than one: on N cores of their own 0.9 N.
"""

from __future__ import annotations

import os
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from engine.study import Study, running
from engine.study import run as run_study
from engine.study.grid import Grid
from engine.study.one_run import Order, RunTask, perform, prepare
from engine.study.processors import usable
from engine.study.schedule import Standing
from engine.study.workers import DaskWorkers, local

SHORT: dict[str, Any] = {
    "scenario": "lattice-2500",
    "stop": {"until_clusters": 1500},
    "measure": {"quantities": ["contacts_relative", "events.merge"]},
}
"""Runs of about 10 ms."""

LONG: dict[str, Any] = SHORT | {"scenario": "lattice-2500", "base": {"discs.count": 90_000}, "stop": {}}
"""Runs of about a second."""

FRACTIONS = [round(0.05 + 0.01 * k, 2) for k in range(20)]
TINY: dict[str, Any] = SHORT | {
    "scenario": "lattice-100",
    "base": {"discs.count": 16},
    "stop": {},
    "vary": [{"key": "discs.volume_fraction", "values": FRACTIONS}],
}
MANY = int(os.environ.get("AGGVIEWER_BENCH_RUNS", "20000"))
TURNS = 5
RUNS = 10  # of each worker in a turn: the end, where one still waits for the other, is a small part


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
    result = run_study(study(values, runs), client=crew.client)
    assert (result.complete, result.failed) == (True, 0)
    return time.perf_counter() - began


def test_a_study_of_short_runs(benchmark: BenchmarkFixture, all_cores: None) -> None:
    """Runs a second of one worker, and beside it of the same runs in a loop without any study."""
    order = running.order_of(Grid(study(SHORT, 400)))
    prepare(order)
    tasks = [RunTask(0, seed, {"seed": seed}) for seed in range(1, 401)]
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


class Processes:
    """Processes that do runs without any study: what the processors give. Two of them may share one core."""

    def __init__(self, order: Order, count: int) -> None:
        self._order, self._count = order, count
        # a priority as workers have it
        self._pool = ProcessPoolExecutor(count, get_context("spawn"), os.nice, (10,))
        list(self._pool.map(prepare, [order] * count))
        self.seconds_of(1)

    def seconds_of(self, runs: int) -> float:
        """Seconds of so many runs in each process at the same time."""
        count = self._count
        parts = [
            [RunTask(0, seed, {"seed": seed}) for seed in range(1 + k, count * runs + 1, count)] for k in range(count)
        ]
        began = time.perf_counter()
        list(self._pool.map(perform, [self._order] * count, parts))
        return time.perf_counter() - began

    def close(self) -> None:
        """The end of the processes."""
        self._pool.shutdown()


def test_more_workers_are_so_many_times_faster(benchmark: BenchmarkFixture, all_cores: None) -> None:
    """Runs of a second on one worker and on all processors, and beside it the same without a study.

    All four in turns, and the medians of the ratios of each turn: what else the machine does meets all of them alike.
    """
    cores = usable()
    if cores < 2:
        pytest.skip("one processor")
    order = running.order_of(Grid(study(LONG, 1)))
    found: dict[int, list[float]] = {1: [], cores: []}
    plain: dict[int, list[float]] = {1: [], cores: []}
    with ExitStack() as ends:
        crews, processes = {}, {}
        for count in (1, cores):
            crews[count] = ends.enter_context(closing(local(count)))
            seconds_of(crews[count], LONG, count)
            processes[count] = ends.enter_context(closing(Processes(order, count)))
        for _ in range(TURNS):
            for count in (1, cores):
                found[count].append(seconds_of(crews[count], LONG, RUNS * count))
                plain[count].append(processes[count].seconds_of(RUNS))
    benchmark.pedantic(lambda: None, rounds=1)
    faster = [cores * one / all_of_them for one, all_of_them in zip(found[1], found[cores], strict=True)]
    best = [cores * one / all_of_them for one, all_of_them in zip(plain[1], plain[cores], strict=True)]
    share = [one / other for one, other in zip(faster, best, strict=True)]
    for name, seconds in (("seconds", found), ("seconds without a study", plain)):
        benchmark.extra_info[name] = {str(count): round(median(each), 2) for count, each in seconds.items()}
    benchmark.extra_info["times faster"] = round(median(faster), 3)
    benchmark.extra_info["times faster without a study"] = round(median(best), 3)
    benchmark.extra_info["share of what processes without a study bring"] = [round(one, 3) for one in share]
    assert median(share) >= 0.9, share


def test_very_many_tiny_runs(benchmark: BenchmarkFixture, all_cores: None, tmp_path: Path) -> None:
    """Rows a second, memory and room on the disk, of which a study of 10⁶ runs can be judged."""
    wanted = study(TINY, MANY // len(FRACTIONS))
    rows: list[tuple[float, int, float]] = []

    def note(standing: Standing) -> None:
        if not rows or standing.done >= rows[-1][1] + MANY // 10 or standing.done == MANY:
            rows.append((time.perf_counter(), standing.done, memory()))

    crew = local(usable())
    try:
        run_study(study(TINY, 5), client=crew.client)
        cpu = time.process_time()
        found = benchmark.pedantic(
            lambda: run_study(wanted, client=crew.client, out=tmp_path, progress=note), rounds=1
        )  # fmt: skip
        ended = time.perf_counter()
        cpu = time.process_time() - cpu
    finally:
        crew.close()
    assert (found.complete, found.failed) == (True, 0)
    sizes = {name: (tmp_path / name).stat().st_size for name in ("runs.sqlite", "runs.csv", "report.html")}
    benchmark.extra_info["rows a second"] = round(MANY / (rows[-1][0] - rows[0][0]))
    benchmark.extra_info["processor time of the command a row, ms"] = round(cpu / MANY * 1e3, 3)
    benchmark.extra_info["memory of the command, MB, after so many rows"] = {str(n): round(mb) for _, n, mb in rows}
    benchmark.extra_info["memory at most, MB"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3)
    benchmark.extra_info["seconds of tables, figures and report"] = round(ended - rows[-1][0], 1)
    benchmark.extra_info["bytes"] = sizes
    assert sizes["report.html"] < 5e6


def memory() -> float:
    """Of this process now, MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6
