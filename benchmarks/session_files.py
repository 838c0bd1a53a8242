"""What session files and copies of a simulation cost.

python -m benchmarks.session_files [--copies] [COUNT ...]

Files: processor time of writing one, and from the file to a simulation that can go on. With ``--copies``: what a copy
of a simulation in memory takes, and what it takes through a checkpoint. docs/decisions/checkpoints-at-rest.md.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import engine
from aggviewer.document.document import Document
from aggviewer.session.saved.session_file import read_session, write_session
from aggviewer.session.saved.state import SessionState
from engine.simulation import Simulation

LONGEST = 5.0
"""Seconds of processor time in which a million discs must have come from a file to a simulation that can go on."""

KINDS: dict[str, Callable[[int], Simulation]] = {
    "event-driven": lambda count: _run("lattice-2500", count, "event-driven", until_clusters=count // 2),
    "time stepping": lambda count: _run("lattice-2500", count, "time-stepping", until_clusters=9 * count // 10),
    "hard discs": lambda count: _run("gas-10000", count, "event-driven", max_events=2 * count),
}
"""Half of the discs have merged (time stepping: a tenth, and it is amid a step); four collisions a disc."""


def _run(name: str, count: int, method: str, **goal: int) -> Simulation:
    values = {"discs.count": count, "aggregation.method": method}
    simulation = engine.create(engine.load_scenario(name).with_values(values))
    simulation.advance(**goal)
    simulation.advance(budget=0.001)
    return simulation


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Seconds of processor time, and of wall time, and what came of it."""
    began = time.process_time(), time.perf_counter()
    made = work()
    return time.process_time() - began[0], time.perf_counter() - began[1], made


def of_files(count: int, kind: str, folder: Path) -> str:
    """A row of the table of files."""
    simulation = KINDS[kind](count)
    checkpoint = simulation.checkpoint()
    memory = sum(array.nbytes for array in checkpoint.arrays.values())
    state = SessionState([checkpoint], [checkpoint.scenario], simulation.time, 1, count, Document().state)
    path = folder / "measured.aggsession"
    written, _, _ = timed(lambda: write_session(path, state))
    read, read_wall, opened = timed(lambda: read_session(path))
    restored, restored_wall, _ = timed(lambda: engine.restore(opened.lanes[0]))
    if count <= 10**6 and read + restored > LONGEST:
        print(f"{kind}: {read + restored:.1f} s are more than {LONGEST:g} s", file=sys.stderr)
    return (
        f"| {count} | {kind} | {memory / 1e6:.1f} MB | {path.stat().st_size / 1e6:.1f} MB | {written:.2f} s "
        f"| {read:.2f} s | {restored:.2f} s | {read_wall + restored_wall:.2f} s |"
    )


def of_copies(count: int, kind: str) -> str:
    """A row of the table of copies."""
    simulation = KINDS[kind](count)
    checkpoint = simulation.checkpoint()
    works = (simulation.checkpoint, lambda: engine.restore(checkpoint), lambda: engine.copy(simulation))
    times = " | ".join(f"{1e3 * median(timed(work)[0] for _ in range(3)):.0f} ms" for work in works)
    return f"| {count} | {kind} | {times} |"


def main(words: list[str]) -> None:
    """Print one of the tables."""
    counts = [int(word) for word in words if word != "--copies"] or [10**4, 10**5, 10**6]
    if "--copies" in words:
        print("| N | method | checkpoint | restore | copy |\n|---|---|---|---|---|")
        for count in counts:
            for kind in KINDS:
                print(of_copies(count, kind), flush=True)
        return
    print("| N | method | in memory | file | written in | read and checked in | restored in | wall time of both |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            for kind in KINDS:
                print(of_files(count, kind, Path(folder)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
