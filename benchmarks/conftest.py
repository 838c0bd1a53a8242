"""What all benchmarks share: kernels compiled beforehand, one core, and figures that name no machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

import engine
from benchmarks import reference_loop
from benchmarks.history import LOOP

_warm_up: dict[str, float] = {}


@pytest.fixture(scope="session", autouse=True)
def kernels_are_ready() -> None:
    """Compile, or load from the cache, before anything is measured; how long that took stands in the file apart."""
    _warm_up["seconds"] = engine.warm_up()


@pytest.fixture(autouse=True)
def one_core(request: pytest.FixtureRequest) -> Iterator[None]:
    """Keep this thread, and what it starts, on one core. Pictures are drawn with all cores, as for a person."""
    if "qtbot" in request.fixturenames or not hasattr(os, "sched_setaffinity"):
        yield
        return
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(usable)})  # the first core serves most of the interrupts
    yield
    os.sched_setaffinity(0, usable)


@pytest.fixture(autouse=True)
def beside_the_reference_loop(request: pytest.FixtureRequest, one_core: None) -> Iterator[None]:
    """Note how long a fixed piece of work takes on this machine just before and after a benchmark, the less of both:
    see `benchmarks.history`."""
    if "benchmark" not in request.fixturenames:
        yield
        return
    benchmark = request.getfixturevalue("benchmark")
    before = reference_loop.seconds()
    yield
    benchmark.extra_info[LOOP] = min(before, reference_loop.seconds())


def pytest_benchmark_update_machine_info(config: pytest.Config, machine_info: dict[str, Any]) -> None:
    """Keep the kind of the processor and the versions, not the name of the machine."""
    for name in ("node", "release"):
        machine_info.pop(name, None)
    cpu = machine_info.get("cpu", {})
    machine_info["cpu"] = {name: cpu[name] for name in ("brand_raw", "arch", "count") if name in cpu}


def pytest_benchmark_update_json(config: pytest.Config, benchmarks: list[Any], output_json: dict[str, Any]) -> None:
    """Statistics instead of every round; nothing about the checkout but its commit."""
    for benchmark in output_json["benchmarks"]:
        benchmark["stats"].pop("data", None)
    commit = output_json["commit_info"]
    output_json["commit_info"] = {name: commit[name] for name in ("id", "time", "dirty") if name in commit}
    if _warm_up:
        output_json["kernel_warm_up_s"] = round(_warm_up["seconds"], 3)
