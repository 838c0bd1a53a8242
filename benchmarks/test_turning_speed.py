"""Clusters that turn beside the same discs whose clusters do not, to one cluster, one core, in turns: each ratio is
that of two runs one right after the other, in seconds of the processor. Lattice, unit velocities; V_f = 0.2, of spheres
0.02.

The target is a ratio of at most 3.5 in the plane, 1.3 of time stepping. It is reported, not asserted: machines differ.
"""

from __future__ import annotations

import time
from statistics import median
from typing import Any

import pytest

import engine
from benchmarks.conftest import Report
from engine import Scenario

ROUNDS = {1000: 9, 10_000: 9, 100_000: 3, 1_000_000: 1}
_SPHERES = {"dimensions": 3, "discs.volume_fraction": 0.02}
RUNS: list[tuple[str, dict[str, Any], int]] = [
    *(("plane, event-driven", {}, count) for count in (10_000, 100_000, 1_000_000)),
    *(("plane, time stepping", {"aggregation.method": "time-stepping"}, count) for count in (10_000, 100_000)),
    *(("space, event-driven", _SPHERES, count) for count in (1000, 10_000, 100_000)),
    *(("space, time stepping", _SPHERES | {"aggregation.method": "time-stepping"}, count) for count in (1000, 10_000)),
]
"""What is timed: its name in the table, what differs in the scenario, and the number of discs. For another table row,
add it here."""


def to_one_cluster(values: dict[str, Any], count: int, *, turning: bool) -> float:
    """Seconds of the processor that a run takes, without those in which it is made."""
    simulation = engine.create(Scenario().with_values(values | {"discs.count": count, "aggregation.rotation": turning}))
    began = time.thread_time()
    assert simulation.advance().clusters == 1
    return time.thread_time() - began


@pytest.mark.parametrize(("name", "values", "count"), RUNS, ids=[f"{name}, {count}" for name, _, count in RUNS])
def test_beside_not_turning(report: Report, name: str, values: dict[str, Any], count: int) -> None:
    for turning in (True, False):
        to_one_cluster(values, 400, turning=turning)  # compiles
    pairs = [
        (to_one_cluster(values, count, turning=True), to_one_cluster(values, count, turning=False))
        for _ in range(ROUNDS[count])
    ]
    turning_s, without_s = (median(times) for times in zip(*pairs, strict=True))
    ratio = median(turning / without for turning, without in pairs)
    order = [run[0] for run in RUNS].index(name)
    report(order=order, run=name, discs=count, turning=turning_s, without=without_s, ratio=ratio)
