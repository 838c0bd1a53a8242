"""What checkpoints at rest would cost: positions, velocities and clusters alone, everything else built anew
(docs/decisions/checkpoints-at-rest.md).

python -m benchmarks.checkpoints_at_rest [COUNT ...]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import engine
from engine.simulation import Simulation

METHODS = {
    "event-driven": {"aggregation.method": "event-driven"},
    "time-stepping": {"aggregation.method": "time-stepping"},
}

EVENTS = 20
"""Merges for which two runs are compared."""


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of processor time of this thread, so that a busy machine says the same, and what came of it."""
    began = time.thread_time()
    made = work()
    return time.thread_time() - began, made


def goes_apart(one: Simulation, two: Simulation, events: int) -> str:
    """After how many further merges or steps the two are different, and by how much."""
    for k in range(events):
        a, b = one.advance(max_events=1), two.advance(max_events=1)
        if one.time != two.time or not np.array_equal(one.frame().positions, two.frame().positions):
            off = np.abs(one.frame().positions - two.frame().positions).max()
            return f"event {k + 1}: times differ by {abs(one.time - two.time):.1e}, places by {off:.1e}"
        if a.finished or b.finished:
            break
    return f"same bits for {events} events"


def measure(count: int, method: str) -> str:
    """A row of the table."""
    values = {"discs.count": count} | METHODS[method]
    scenario = engine.load_scenario("lattice-2500").with_values(values)
    run = engine.create(scenario)
    run.advance(until_clusters=count // 2 if method == "event-driven" else 9 * count // 10)
    copy, checkpoint = timed(run.checkpoint)
    check, _ = timed(lambda: engine.check_checkpoint(checkpoint))
    restore, exact = timed(lambda: engine.restore(checkpoint))
    rest, _ = timed(run.state)
    build, rebuilt = timed(lambda: engine.carry_on(run, scenario))
    exact_bytes = sum(array.nbytes for array in checkpoint.arrays.values())
    words = goes_apart(engine.restore(checkpoint), rebuilt, EVENTS)
    kept = goes_apart(run, exact, EVENTS)
    assert kept.startswith("same bits"), kept
    step = a_step(run) if method == "time-stepping" else ""
    columns = (
        f"{count} | {method} | {copy * 1e3:.1f} ms | {restore * 1e3:.0f} ms | {check * 1e3:.0f} ms",
        f"{exact_bytes / 1e6:.1f} MB | {rest * 1e3:.1f} ms | {build * 1e3:.0f} ms | {44 * count / 1e6:.1f} MB",
        f"{words} | {step}",
    )
    return f"| {' | '.join(columns)} |"


def a_step(run: Simulation) -> str:
    """Processor time of a whole time step: as long as a checkpoint could have to wait for the end of one."""
    before = run.advance(run.time, max_events=0).steps["step"]
    took, progress = timed(lambda: run.advance(budget=5.0))
    return f"{1e3 * took / max(1, progress.steps['step'] - before):.0f} ms"


def main(counts: list[int]) -> None:
    """Print the table."""
    titles = ("N", "method", "copy", "restore", "check", "bytes", "at rest: copy", "build anew", "bytes")
    print(f"| {' | '.join((*titles, 'built anew and going on', 'a step'))} |")
    print("|---" * (len(titles) + 2) + "|")
    for count in counts:
        for method in METHODS:
            print(measure(count, method), flush=True)


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [10**4, 10**5, 10**6])
