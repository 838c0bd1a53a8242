"""Whether a window answers, whatever runs in it and whatever a person does. Reported, not asserted.

The reach: no gap between two beats of the event loop above 100 ms at any size, system or moment. Every bundled scenario
is opened, run and tried out in a real window of 1440 x 900 with all its panels, and the program is started with no
kernels compiled. For each gap the figures say how long the GUI thread was busy in it, how long it was ready and found
no processor, and where it was.

Under Xvfb: ``pytest benchmarks/test_heartbeat.py --benchmark-only -s``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from math import inf
from pathlib import Path

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from aggviewer import canvas as canvas_package
from aggviewer.session.load.builder import Engine
from aggviewer.systems.catalog import Catalog
from benchmarks.heartbeat import Gap, Gaps, WatchedHeartbeat
from benchmarks.person import person
from engine import create
from engine.scenario import Scenario, load_scenario
from engine.simulation import Simulation

SCENARIOS = [entry.name for entry in Catalog().entries]
_TOLD = 12  # gaps whose places stand in the figures
_SETTLES, _STRETCH = 2.0, 6.0  # seconds of a run before and while it is measured


@pytest.fixture(scope="module")
def compiled() -> None:
    """All kernels are there."""
    for method in ("event-driven", "time-stepping", "hard-discs", "jamming"):
        Engine().warm_up(lambda done, total, what: None, method)
    canvas_package.warm_up()


def report(benchmark: BenchmarkFixture, heart: WatchedHeartbeat) -> None:
    """Write down what was found."""
    tell(benchmark, heart.take(), heart.take_gaps(), [beat[1] for beat in heart.busy])


def tell(benchmark: BenchmarkFixture, waits: Gaps, gaps: list[Gap], busy: list[float]) -> None:
    """The same. busy : milliseconds of each beat."""
    gaps = sorted(gaps, key=lambda gap: -gap.length)
    for gap in gaps:
        print(f"\n    {gap}", end="")
    print(f"\n  {waits.greatest:.0f} ms at most, {len(gaps)} above 100 ms; busy at most {max(busy):.0f} ms")
    benchmark.extra_info.update(
        greatest_ms=round(waits.greatest, 1),
        above_100_ms=len(gaps),
        busiest_ms=round(max(busy), 1),
        late_ms=round(waits.late, 1),
        gaps=[str(gap) for gap in gaps[:_TOLD]],
    )
    benchmark.pedantic(lambda: None, rounds=1)


@pytest.mark.parametrize("name", SCENARIOS)
def test_of_every_scenario(
    benchmark: BenchmarkFixture,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    compiled: None,
    name: str,
) -> None:
    with person(qtbot, tmp_path, monkeypatch) as somebody:
        somebody.open("lattice-400")
        somebody.open(name)
        somebody.all_of_it()
    report(benchmark, somebody.heart)


MOMENTS = {
    "another theme": ("view.theme_light", "view.theme_dark"),
    "presenter, in and out": ("view.presenter", "view.presenter"),
    "one plot, all plots": ("plots.1", "plots.1"),
    "table of discs, in and out": ("view.inspector", "view.inspector"),
    "a comparison begins, ends": ("method.compare", "method.compare"),
}
_TURNS = 4  # of each moment


def test_of_single_moments(
    benchmark: BenchmarkFixture, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: None
) -> None:
    """The most that the GUI thread is busy between two beats: medians over some turns, in milliseconds."""
    found: dict[str, list[list[float]]] = {name: [[], []] for name in MOMENTS}
    with person(qtbot, tmp_path, monkeypatch) as somebody:
        somebody.open("lattice-400")
        somebody.open("lattice-2500")
        for name, commands in MOMENTS.items():
            for _ in range(_TURNS):
                for command, told in zip(commands, found[name], strict=True):
                    begun = len(somebody.heart.busy)
                    somebody.command(command, 0.8)
                    told.append(max(busy for _, busy, _ in somebody.heart.busy[begun:]))
    for name, both in found.items():
        benchmark.extra_info[name] = [round(float(np.median(told)), 1) for told in both]
        print(f"\n  {name}: {benchmark.extra_info[name]} ms", end="")
    report(benchmark, somebody.heart)


def test_of_the_first_start(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """With an empty cache, while kernels are compiled: the default scenario, then one of each other method."""
    folders = {name: str(tmp_path / name) for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.first_start"],
        env={name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"} | folders,
        capture_output=True,
        text=True,
        timeout=500.0,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines, done.stderr
    found = json.loads(lines[-1])
    benchmark.extra_info["seconds"] = round(found["seconds"], 1)
    tell(benchmark, Gaps(np.array(found["waits"])), [Gap(**gap) for gap in found["gaps"]], found["busy"])


MANY = {
    "aggregation": {"discs.count": 1_000_000, "discs.volume_fraction": 0.1, "box.boundary": "periodic"},
    "gas": {
        "system": "hard-discs",
        "discs.count": 1_000_000,
        "discs.volume_fraction": 0.5,
        "box.boundary": "periodic",
        "velocities.distribution": "maxwell",
    },
}


@pytest.mark.parametrize("speed", ["frame by frame", "no limit"])
@pytest.mark.parametrize("what", list(MANY))
@pytest.mark.parametrize("count", [100_000, 1_000_000])
def test_pictures_of_a_run(
    benchmark: BenchmarkFixture,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    compiled: None,
    count: int,
    what: str,
    speed: str,
) -> None:
    """Pictures a second while it runs, drawn on the processor, milliseconds of the GUI thread for each, and the share
    of the simulation time a second that there is without a window."""
    monkeypatch.setenv("AGGVIEWER_CANVAS", "painter")
    scenario = Scenario().with_values(MANY[what] | {"discs.count": count})
    alone = create(scenario)
    began = time.perf_counter()
    while time.perf_counter() - began < _SETTLES + _STRETCH:
        alone.advance(inf, 0.008)
    with person(qtbot, tmp_path, monkeypatch) as somebody:
        session, window, heart = somebody.session, somebody.window, somebody.heart
        somebody.load(scenario)
        session.set_speed(inf, fast=speed != "no limit")
        session.restart()
        qtbot.wait(round(1000.0 * _SETTLES))
        heart.take_gaps()
        heart.busy.clear()
        began, frames = time.perf_counter(), window.canvas.frames_drawn
        qtbot.wait(round(1000.0 * _STRETCH))
        drawn, took = window.canvas.frames_drawn - frames, time.perf_counter() - began
        merges = {name: session.status().events.get(name, 0) for name in ("merge", "collision")}
        benchmark.extra_info.update(
            fps=round(drawn / took, 1),
            gui_ms=round(sum(busy for _, busy, _ in heart.busy) / max(drawn, 1), 1),
            share=round(sum(merges.values()) / max(_happened(alone), 1), 2),
        )
    report(benchmark, somebody.heart)


def _happened(simulation: Simulation) -> int:
    events = simulation.advance(simulation.time, 0.0, max_events=0).events
    return sum(events.get(name, 0) for name in ("merge", "collision"))


@pytest.mark.parametrize("what", list(MANY))
def test_of_a_million(
    benchmark: BenchmarkFixture,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    compiled: None,
    what: str,
) -> None:
    """Opened, run at every pace, tried out, saved by itself, restarted and undone, and opened again from files."""
    monkeypatch.setattr("aggviewer.session.saved.autosave.EVERY", 10.0)
    with person(qtbot, tmp_path, monkeypatch) as somebody:
        session = somebody.session
        somebody.open("lattice-400")
        somebody.load(Scenario().with_values(MANY[what]))
        somebody.all_of_it()
        recording, state = tmp_path / "run.gsd", tmp_path / "state.gsd"
        somebody.do("recording", lambda: session.record(recording, 1e-3), 2.0)
        somebody.do("ending a recording", session.stop_recording, 1.0)
        somebody.do("saving a state", lambda: session.save_shown(state), 1.0)
        somebody.until("saving a state", lambda: state.is_file() and session.status().recording is None)
        for path in (state, recording):
            somebody.do(f"opening {path.name}", lambda path=path: session.open(path, run=True), 6.0)  # type: ignore[misc]
    report(benchmark, somebody.heart)


@pytest.mark.parametrize("solver", ["interior-point", "highs"])
def test_of_jamming(
    benchmark: BenchmarkFixture,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    compiled: None,
    solver: str,
) -> None:
    with person(qtbot, tmp_path, monkeypatch) as somebody:
        somebody.open("lattice-400")
        somebody.load(load_scenario("jam-1024").with_values({"discs.count": 4096, "jamming.solver": solver}))
        somebody.all_of_it()
    report(benchmark, somebody.heart)
