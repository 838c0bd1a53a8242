"""A comparison beside a single run: two lanes of 10^5 discs have a thread each, so on two cores they should take little
longer than one. `speedup` is what both would take one after the other, over what they take together.

How much faster two can be than one differs from machine to machine: two processors may be two halves of one, and both
wait for the same memory. `two_processes` is the same ratio for two processes that have nothing in common but the
machine, measured in turns with the lanes: threads cannot be expected to reach more. Both ratios are of the least times
of the rounds: another program on one of two processors makes two lanes slower but not one, so that the ratio of medians
would tell of that program. `processors` is how many the lanes had in the mean of all rounds; far below 2 they were not
alone, and the figures say little."""

from __future__ import annotations

import multiprocessing
import os
import time
from contextlib import ExitStack
from multiprocessing.connection import Connection
from statistics import mean
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import engine
from aggviewer.session.run.lanes import Lane, Lockstep
from engine.scenario import Scenario

ROUNDS = 7
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


def serve(orders: Connection, system: str, seed: int) -> None:
    """A process that makes a simulation when it is told to, says so, and runs it when it is told to; None ends it."""
    while orders.recv() is not None:
        lane = lockstep(system, (seed,))
        orders.send("made")
        orders.recv()
        run(lane, UNTIL[system])
        orders.send("done")


def in_processes(servers: list[Connection]) -> float:
    """Seconds until all of these have run a simulation, all at the same time."""
    for words in ("make", "run"):
        began = time.perf_counter()
        for orders in servers:
            orders.send(words)
        for orders in servers:
            orders.recv()
    return time.perf_counter() - began


@pytest.mark.parametrize("system", UNTIL)
def test_two_lanes(benchmark: BenchmarkFixture, system: str) -> None:
    until, both = UNTIL[system], (1, 2)
    run(lockstep(system, (9,)), 1e-3 * until)
    alone: list[float] = []
    processes: dict[bool, list[float]] = {False: [], True: []}  # at the same time, or one after the other
    with ExitStack() as ending:
        servers = []
        for seed in both:
            orders, other = multiprocessing.Pipe()
            process = multiprocessing.get_context("spawn").Process(target=serve, args=(other, system, seed))
            process.start()
            ending.callback(process.join)
            ending.callback(orders.send, None)
            servers.append(orders)
        in_processes(servers)  # kernels are read from the cache

        def fresh() -> tuple[tuple[Lockstep, float], dict[str, Any]]:
            # all in turns: how fast the machine is changes from minute to minute
            alone.append(sum(run(lockstep(system, (seed,)), until) for seed in both))
            processes[False].append(sum(in_processes([orders]) for orders in servers))
            processes[True].append(in_processes(servers))
            return (lockstep(system, both), until), {}

        processors: list[float] = []

        def timed(lanes: Lockstep, end: float) -> None:
            began = time.process_time()
            took = run(lanes, end)
            processors.append((time.process_time() - began) / took)

        benchmark.pedantic(timed, setup=fresh, rounds=ROUNDS)
    benchmark.extra_info.update(
        speedup=round(min(alone) / benchmark.stats.stats.min, 2),
        two_processes=round(min(processes[False]) / min(processes[True]), 2),
        processors=round(mean(processors), 2),
    )
