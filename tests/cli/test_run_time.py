"""What a run says of time: the limit of the wall clock, the time that has passed and the time left."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from aggviewer.cli import output, run, starting
from engine.files import open_trajectory
from engine.jamming.highs import HighsSolver
from engine.runs import loop
from engine.runs.progress import ProgressLine, TerminalBar, TimeLeft, clock_text
from engine.simulation import Progress
from engine.system import system
from tests.cli.conftest import JAM, Call, settings


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_limit_holds_for_frames_that_are_recorded(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    take = output.CliRecording._take

    def slow(self: output.CliRecording) -> None:
        take(self)
        clock.now += 1.0  # seconds a frame

    monkeypatch.setattr(output.CliRecording, "_take", slow)
    monkeypatch.setattr(loop, "_clock", clock)
    monkeypatch.setattr(run, "_rehearsed", lambda started, out: 0.0)
    options = ("--record", "--every", "0.001", "--max-wall", "20", "--out", tmp_path, "--json")
    found = call("run", "lattice-100", *options).json
    assert found["stop_reason"] == "wall"
    with open_trajectory(tmp_path / "trajectory.gsd") as trajectory:
        assert len(trajectory) == pytest.approx(20, abs=3)


@pytest.mark.parametrize(("takes", "limit", "simulated"), [(5.0, 20.0, 13.5), (5.0, 8.0, 4.0), (0.0, 8.0, 8.0)])
def test_the_limit_leaves_room_for_measuring_and_writing(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, takes: float, limit: float, simulated: float
) -> None:
    """With a margin of 30 %, but at least half of the time is for the simulation."""
    clock, slices, finish = Clock(), [], run._finish

    def slow_finish(*arguments: Any) -> Any:
        clock.now += takes
        return finish(*arguments)

    def told(*arguments: Any) -> None:
        clock.now += 0.25
        slices.append(0.25)

    monkeypatch.setattr(run, "_finish", slow_finish)
    monkeypatch.setattr(ProgressLine, "simulating", told)  # before each slice
    monkeypatch.setattr(loop, "_SLICE", 0.001)
    for module in (run, loop):
        monkeypatch.setattr(module, "_clock", clock)
    options = ("--set", "system=hard-discs", "--max-wall", str(limit), "--out", tmp_path, "--json")
    found = call("run", "lattice-100", *options).json
    assert found["stop_reason"] == "wall"
    assert sum(slices) == pytest.approx(simulated, abs=0.5)
    assert {path.name for path in tmp_path.iterdir()} >= {"summary.json", "final.aggsession"}
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_the_limit_cuts_off_a_linear_program(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is up when the second one is about to be solved."""
    clock, solve, timers, solved = Clock(), HighsSolver.solve, [], []

    class Timer:
        """Rings when it is told to."""

        def __init__(self, seconds: float, ring: Callable[[], None]) -> None:
            assert seconds <= 100.0
            self.ring = ring
            timers.append(self)

        def start(self) -> None:
            """It waits."""

        cancel = start

    def long(*arguments: Any, **options: Any) -> Any:
        if solved:
            clock.now = 1000.0
            timers[0].ring()
        solved.append(solve(*arguments, **options))
        return solved[-1]

    monkeypatch.setattr(loop.threading, "Timer", Timer)
    monkeypatch.setattr(HighsSolver, "solve", long)
    for module in (run, loop):
        monkeypatch.setattr(module, "_clock", clock)
    found = call("run", "lattice-100", *JAM, "--set", "jamming.solver=highs", "--max-wall", "100", "--json").json
    assert [solution.status for solution in solved][1:] == ["interrupted"]
    assert (found["stop_reason"], found["iterations"], found["jammed"]) == ("wall", 1, False)


@pytest.mark.parametrize("system", ["aggregation", "hard-discs", "jamming"])
def test_the_end_can_be_tried_for_every_system(call: Call, tmp_path: Path, system: str) -> None:
    values = (f"system={system}", "box.boundary=periodic", "discs.arrangement=random", "velocities.distribution=rest")
    done = call("run", "lattice-100", *settings(*values), "--max-wall", "1e-6", "--out", tmp_path / "a", "--json")
    assert (done.status, done.json["stop_reason"]) == (0, "wall")


def test_equilibration_is_work_of_the_simulation(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()

    def slow(scenario: Any, state: Any) -> Any:
        clock.now += 100.0
        return state, (0.0, 0)

    monkeypatch.setattr("engine.hard_discs.simulation.equilibrated", slow)
    monkeypatch.setattr(starting, "time", SimpleNamespace(perf_counter=clock))
    for module in (run, loop):
        monkeypatch.setattr(module, "_clock", clock)
    gas = settings("system=hard-discs", "hard_discs.equilibration=5", "discs.count=16")
    assert call("run", "lattice-100", *gas, "--until-events", "3", "--json").json["wall_s"] == 100.0


def test_time_left_follows_the_pace_of_the_last_seconds() -> None:
    left = TimeLeft()
    assert left.tell(0.0, 0.0) is None
    assert left.tell(0.5, 0.005) is None  # too early
    assert left.tell(10.0, 0.1) == pytest.approx(90.0)
    for second in range(11, 40):  # and now twice as fast
        found = left.tell(float(second), 0.1 + 0.02 * (second - 10))
    assert found == pytest.approx((1.0 - 0.68) / 0.02, rel=0.02)
    assert left.tell(40.0, 0.0) is None  # something else has begun
    assert left.tell(42.0, 0.0) is None  # and does not move


def test_clock_text() -> None:
    assert [clock_text(seconds) for seconds in (0.2, 61.0, 3599.6, 90000.0)] == [
        "0:00:00",
        "0:01:01",
        "1:00:00",
        "25:00:00",
    ]


def test_the_bar_says_what_has_passed_and_what_is_left() -> None:
    clock, screen = Clock(), io.StringIO()
    console = Console(file=screen, force_terminal=True, width=120)
    with ProgressLine(console, clock) as progress:
        for done in range(8):
            clock.now += 1.0
            progress.compiling(done, 7, "events")
        for step in range(60):
            clock.now += 1.0
            events = {"merge": step}
            reached = Progress(float(step), 100 - step, events, {}, False, False)
            progress.simulating(system("aggregation"), reached, 1.0, step / 120.0)
        assert isinstance(progress._bar, TerminalBar)
        bars = progress._bar._bars
        assert bars.tasks[0].fields["clock"] == "0:01:08, 0:01:01 left"
        progress.say("measuring")
        assert bars.tasks[0].fields["clock"] == "0:01:08"
        bars.refresh()
    assert "0:01:08" in screen.getvalue()
