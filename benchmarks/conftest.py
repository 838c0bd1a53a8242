"""How everything is timed: kernels compiled beforehand, one core, a warm-up, the median of some rounds, and the
reference loop beside it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import engine
from benchmarks import reference_loop
from benchmarks.history import LOOP

Timed = Callable[..., Any]
"""``timed(work, *given, rounds=5, fresh=None)`` times some rounds of ``work(*given)`` after one that is not counted
(none before a single round, which takes long), and gives what the last round gave. ``fresh`` makes what ``work`` is
given anew before each round, uncounted."""

Report = Callable[..., None]
"""``report(name=figure, …)`` keeps figures of a benchmark's own."""


@pytest.fixture(scope="session", autouse=True)
def kernels_are_ready() -> None:
    """Compile, or load from the cache, before anything is measured."""
    for method in ("event-driven", "time-stepping", "hard-discs", "jamming"):
        engine.warm_up(kernels=method)


@pytest.fixture(autouse=True)
def one_core(request: pytest.FixtureRequest) -> Iterator[None]:
    """Keep this thread, and what it starts, on one core; but pictures and studies have all cores, as for a person."""
    if "all_cores" in request.fixturenames or "qtbot" in request.fixturenames or not hasattr(os, "sched_setaffinity"):
        yield
        return
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(usable)})  # the first core serves most of the interrupts
    yield
    os.sched_setaffinity(0, usable)


@pytest.fixture
def all_cores() -> None:
    """Named by what works on several cores."""


@pytest.fixture(autouse=True)
def beside_the_reference_loop(benchmark: BenchmarkFixture, one_core: None) -> Iterator[None]:
    """Note how long a fixed piece of work takes on this machine just before and after a benchmark, the less of both:
    see `benchmarks.history`."""
    before = reference_loop.seconds()
    yield
    benchmark.extra_info[LOOP] = min(before, reference_loop.seconds())


@pytest.fixture
def report(benchmark: BenchmarkFixture) -> Report:
    """See `Report`."""

    def keep(**found: Any) -> None:
        benchmark.extra_info.update({name: round_off(value) for name, value in found.items()})
        if not benchmark.stats:  # else pytest-benchmark says that the fixture was not used
            benchmark.pedantic(lambda: None, rounds=1)

    return keep


@pytest.fixture
def timed(benchmark: BenchmarkFixture) -> Timed:
    """See `Timed`."""

    def rounds_of(work: Timed, *given: Any, rounds: int = 5, fresh: Callable[[], Any] | None = None) -> Any:
        if fresh is None:
            return benchmark.pedantic(work, given, rounds=rounds, warmup_rounds=int(rounds > 1))
        if rounds > 1:
            work(fresh())
        return benchmark.pedantic(work, setup=lambda: ((fresh(),), {}), rounds=rounds)

    return rounds_of


def seconds(work: Callable[[], object], rounds: int = 3) -> float:
    """The processor's seconds of some work, of all threads: the median after one round that is not counted."""
    took = []
    for _ in range(1 + rounds):
        began = time.process_time()
        work()
        took.append(time.process_time() - began)
    return median(took[1:])


def round_off(value: Any) -> Any:
    """Numbers with three digits, as deep as they stand in lists."""
    if isinstance(value, list | tuple):
        return [round_off(one) for one in value]
    return float(f"{value:.3g}") if isinstance(value, float) else value
