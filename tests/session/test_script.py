"""A run as a Python script: it makes the same bits again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import engine
from aggviewer.session.commands.beginning import StartRun
from aggviewer.session.commands.changes import SetValue
from aggviewer.session.log import Beginning, Effect, Log, LogEntry, RunCommand, script
from engine.scenario import Scenario

GAS = {
    "system": "hard-discs", "discs.count": 60, "discs.volume_fraction": 0.3, "seed": 9,
    "velocities.distribution": "maxwell", "hard_discs.gravity": (0.0, -0.5), "box.boundary": "walls",
}  # fmt: skip


def run(text: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The simulation at the end of a script, whose picture lies in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    import matplotlib as mpl

    mpl.use("Agg")
    names: dict[str, Any] = {}
    exec(compile(text, "<script>", "exec"), names)
    from matplotlib import pyplot

    pyplot.close("all")
    assert (tmp_path / "discs.png").stat().st_size > 2000
    return names["simulation"]


def same(one: Any, other: Any) -> None:
    """Whether two simulations are at the same state, bit for bit."""
    mine, others = one.frame(), other.frame()
    assert mine.time == others.time
    assert np.array_equal(mine.positions, others.positions)
    assert np.array_equal(mine.velocities, others.velocities)
    assert one.scenario == other.scenario


def begun(scenario: Scenario) -> Log:
    """The log of a run that begins."""
    return Log((Beginning(scenario),), (LogEntry(StartRun(scenario), (0,), 0.0, "begins", "opening"),))


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"discs.count": 30, "seed": 4, "discs.arrangement": "random"},
        {"discs.count": 30, "aggregation.method": "time-stepping", "aggregation.time_stepping.step": 0.05},
        GAS,
        GAS | {"box.boundary": ("periodic", "walls")},
        GAS | {"discs.kinds": ({"radius": 0.5, "mass": 1.0}, {"radius": 0.8, "mass": 3.0, "share": 0.5})},
    ],
    ids=["default", "random", "time-stepping", "gas", "gas on a floor", "kinds"],
)
def test_a_run_is_made_again(values: dict[str, Any], tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = Scenario().with_values(values)
    simulation = engine.create(scenario)
    simulation.advance(max_events=25)
    simulation.advance(until_time=simulation.time * 1.01)
    text = script(begun(scenario), simulation.time, color_by="speed", colormap="cividis")
    assert "color_by='speed', colormap='cividis'" in text
    same(run(text, tmp_path, monkeypatch), simulation)


def after(log: Log, command: RunCommand, time: float, effect: Effect) -> Log:
    """With one more command."""
    return log.with_entry(LogEntry(command, (0,), time, effect, ""))


def test_values_changed_on_the_way_are_changed_again(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = Scenario().with_values(GAS)
    simulation, log = engine.create(scenario), begun(scenario)
    for time, key, value in ((0.3, "hard_discs.restitution", 0.9), (0.5, "hard_discs.gravity", (1.0, 0.0))):
        simulation.advance(until_time=time)
        simulation.advance(max_events=7)
        simulation.set(key, value)
        log = after(log, SetValue(key, value), simulation.time, "live")
    simulation.advance(max_events=11)
    text = script(log, simulation.time)
    same(run(text, tmp_path, monkeypatch), simulation)
    early = engine.create(scenario)
    early.advance(until_time=0.2)
    same(run(script(log, 0.2), tmp_path, monkeypatch), early)  # before any of it


def test_another_method_carries_on_again(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Scenario().with_values({"discs.count": 36})
    simulation, log = engine.create(before), begun(before)
    simulation.advance(until_time=0.4)
    # a key that exact runs have no use for, and then the method that has one
    values = {"aggregation.time_stepping.fraction": 0.25, "aggregation.method": "time-stepping"}
    simulation = engine.carry_on(simulation, before.with_values(values))
    for (key, value), effect in zip(values.items(), ("waits", "anew"), strict=True):
        log = after(log, SetValue(key, value), 0.4, effect)
    simulation.advance(until_time=0.9)
    same(run(script(log, 0.9), tmp_path, monkeypatch), simulation)
