"""What a recording costs the simulation: 10^5 discs, 30 frames for each second of wall time."""

from __future__ import annotations

import time
from math import inf
from pathlib import Path
from statistics import median

from pytest_benchmark.fixture import BenchmarkFixture

from aggviewer.session import Session
from engine.files import open_trajectory
from engine.scenario import Scenario

COUNT = 100_000
UNTIL = 1.2  # simulation time: a third of the discs have merged
FRAMES_PER_SECOND = 30.0
ROUNDS = 5


def run(path: Path | None, every: float) -> float:
    """Seconds of wall time from the start to `UNTIL`, recorded into `path` where there is one."""
    session = Session()
    try:
        session.set_speed(inf)
        session.load(Scenario.from_values({"discs": {"count": COUNT}}), run=False)
        while session.status().state != "paused":
            time.sleep(0.01)
        if path is not None:
            session.record(path, every)
        began = time.perf_counter()
        session.run()
        while session.status().time < UNTIL:
            time.sleep(0.002)
        return time.perf_counter() - began
    finally:
        session.close()


def test_recording_costs_little(tmp_path: Path, benchmark: BenchmarkFixture) -> None:
    run(None, 1.0)
    plain = median(run(None, 1.0) for _ in range(ROUNDS))
    every = UNTIL / (plain * FRAMES_PER_SECOND)
    path = tmp_path / "run.gsd"
    recorded = median(run(path, every) for _ in range(ROUNDS))
    with open_trajectory(path) as trajectory:
        frames = len(trajectory)
    benchmark.extra_info.update(plain_s=plain, recorded_s=recorded, frames=frames, cost=recorded / plain - 1.0)
    benchmark.pedantic(lambda: None, rounds=1)
    assert frames >= UNTIL / every * 0.9
