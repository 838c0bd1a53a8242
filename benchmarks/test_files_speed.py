"""Session files, copies of a run (undo, comparisons), and recordings. Times are those of the processor.

Half of the discs have merged (time stepping: a tenth, and it is amid a step); a gas had four collisions a disc. The
target: a million discs come from a file to a run that can go on in 5 s.
"""

from __future__ import annotations

from itertools import count as numbers
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from aggviewer.document.document import Document
from aggviewer.session.saved.session_file import read_session, write_session
from aggviewer.session.saved.state import SessionState
from benchmarks.conftest import Report, Timed, seconds
from engine.boundary import Periodic
from engine.files import FileFrame, TrajectoryWriter, open_trajectory

RUNS: dict[str, tuple[str, float, str]] = {
    "event-driven": ("lattice-2500", 0.5, "until_clusters"),
    "time-stepping": ("lattice-2500", 0.9, "until_clusters"),
    "hard-discs": ("gas-10000", 2.0, "max_events"),
}
"""Scenario, and where its run is when it is saved, times the number of discs."""


@pytest.mark.parametrize("kind", RUNS)
@pytest.mark.parametrize("count", [10_000, 1_000_000])
def test_sessions_and_copies(report: Report, tmp_path: Path, count: int, kind: str) -> None:
    name, share, goal = RUNS[kind]
    values: dict[str, Any] = {"discs.count": count}
    if kind == "time-stepping":
        values["aggregation.method"] = kind
    simulation = engine.create(engine.load_scenario(name).with_values(values))
    simulation.advance(**{goal: round(share * count)})
    simulation.advance(budget=0.001)
    checkpoint, path = simulation.checkpoint(), tmp_path / "measured.aggsession"
    state = SessionState([checkpoint], [checkpoint.scenario], simulation.time, 1, count, Document().state)
    found = {
        "copy, ms": 1e3 * seconds(lambda: engine.copy(simulation)),
        "written, s": seconds(lambda: write_session(path, state), 1),
        "read and checked, s": seconds(lambda: read_session(path), 1),
        "restored, s": seconds(lambda: engine.restore(checkpoint), 1),
        "in memory, MB": sum(array.nbytes for array in checkpoint.arrays.values()) / 1e6,
        "file, MB": path.stat().st_size / 1e6,
    }
    report(**found)


def test_frames_of_a_recording(timed: Timed, report: Report, tmp_path: Path) -> None:
    """A frame of 10^5 discs is appended; frames of the recording are read in any order."""
    rng, count, frames = np.random.default_rng(0), 100_000, 50
    box = np.array([100.0, 100.0])
    velocities, cluster = rng.normal(size=(count, 2)), rng.integers(0, count, count).astype(np.int32)
    radii, masses = np.full(count, 0.1), np.ones(count)
    frame = FileFrame(rng.random((count, 2)) * box, velocities, radii, masses, cluster, box, Periodic.of(True, 2))
    path, times = tmp_path / "run.gsd", numbers()

    def append() -> None:
        frame.time = 0.5 * next(times)
        writer.append(frame)

    with TrajectoryWriter(path, "seed = 1") as writer:
        timed(append, rounds=frames)
    with open_trajectory(path) as trajectory:
        assert len(trajectory) == frames + 1
        read = seconds(lambda: trajectory[int(rng.integers(0, frames))], 20)
    report(**{"read, ms": 1e3 * read, "MB per frame": path.stat().st_size / (frames + 1) / 1e6})
