"""What a session file costs: the copy on the simulation's thread, writing, reading, its size.

python -m benchmarks.session_files [COUNT ...]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import engine
from aggviewer.document.document import Document
from aggviewer.session.saved.session_file import read_session, write_session
from aggviewer.session.saved.state import SessionState


def measure(count: int, method: str, folder: Path) -> str:
    """A row of the table: half of the discs have merged (time stepping: a tenth, in the middle of a step)."""
    scenario = engine.load_scenario("lattice-2500").with_values({"discs.count": count, "aggregation.method": method})
    simulation = engine.create(scenario)
    simulation.advance(until_clusters=count // 2 if method == "event-driven" else 9 * count // 10)
    simulation.advance(budget=0.001)
    copies = []
    for _ in range(5):
        began = time.perf_counter()
        checkpoint = simulation.checkpoint()
        copies.append(time.perf_counter() - began)
    memory = sum(array.nbytes for array in checkpoint.arrays.values())
    text = scenario.to_toml()
    state = SessionState([checkpoint], [text], simulation.time, 1, count, Document().state)
    path = folder / "measured.aggsession"
    began = time.perf_counter()
    write_session(path, state)
    written = time.perf_counter() - began
    began = time.perf_counter()
    state = read_session(path)
    read = time.perf_counter() - began
    began = time.perf_counter()
    engine.check_checkpoint(state.lanes[0])
    checked = time.perf_counter() - began
    megabytes = path.stat().st_size / 1e6
    return (
        f"| {count} | {method} | {sorted(copies)[2] * 1e3:.1f} ms | {memory / 1e6:.1f} MB | {written:.2f} s "
        f"| {megabytes:.1f} MB | {read:.2f} s | {checked:.2f} s |"
    )


def main(counts: list[int]) -> None:
    print("| N | method | copy (median of 5) | in memory | written in | file | read in | of that checked in |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            for method in ("event-driven", "time-stepping"):
                print(measure(count, method, Path(folder)), flush=True)


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [10**4, 10**5, 10**6])
