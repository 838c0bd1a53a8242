"""`Simulation.run`, with its progress bar; and writing a simulation as it is."""

from __future__ import annotations

import os
import signal
import threading
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from engine.files import read, write
from engine.frame import Frame
from engine.runs import loop, progress
from engine.runs.progress import NotebookBar, ProgressLine
from engine.scenario import Scenario
from tests.engine.test_advance import SYSTEMS, agrees, created, same, wait_until_inside

NAMES = [name for name in SYSTEMS if name != "jamming, grown"]


@pytest.mark.parametrize("name", NAMES)
def test_run_is_advance_to_the_same_bits(name: str) -> None:
    one, other = created(name), created(name)
    if name == "hard-discs":
        assert one.run(until_events=3000, progress=False) == other.advance(max_events=3000)
    else:
        assert one.run(progress=False) == other.advance()
    same(one, other)


def test_limits_are_those_of_the_command_line() -> None:
    simulation = created("event-driven")
    assert simulation.run(until_time=0.5).time == 0.5
    assert simulation.time == 0.5
    assert simulation.run(until_time=0.2).time == 0.5  # it is beyond that: a cell that is run again does nothing
    count = simulation.frame().clusters
    assert simulation.run(until_clusters=count - 10).clusters == count - 10
    happened = simulation.advance(max_events=0).happened
    assert simulation.run(until_events=happened).happened == happened  # since the start
    assert simulation.run(until_events=happened + 5).happened == happened + 5
    assert simulation.run(np.float64(simulation.time + 0.01), until_clusters=np.int64(1)).reached


@pytest.mark.parametrize(
    ("system", "how", "words"),
    [
        ("hard-discs", {}, "set an end with until_time or until_events"),
        ("hard-discs", {"until_clusters": 3}, "until_clusters is only for discs that stick"),
        ("event-driven", {"until_time": -1.0}, "until_time must be a number of at least 0"),
        ("event-driven", {"until_time": "soon"}, "until_time must be a simulation time"),
        ("event-driven", {"until_clusters": 0}, "until_clusters must be a whole number of at least 1"),
        ("event-driven", {"until_events": 1.5}, "until_events must be a whole number of at least 0"),
        ("hard-discs", {"until_time": inf}, "set an end with until_time or until_events"),
    ],
)
def test_senseless_calls_are_refused_in_a_sentence(system: str, how: dict[str, Any], words: str) -> None:
    simulation = created(system)
    with pytest.raises(engine.InputError, match=words):
        simulation.run(**how)
    assert simulation.time == 0.0


def test_the_callback_sees_consistent_states_and_can_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "_SLICE", 1e-9)
    simulation, other = created("hard-discs"), created("hard-discs")
    times: list[float] = []

    def look(now: Any) -> bool:
        assert now is simulation
        agrees(now)
        times.append(now.time)
        return len(times) == 4

    reached = simulation.run(until_time=1e6, callback=look, progress=False)
    assert times == sorted(times)
    assert len(times) == 4
    assert reached.time == times[-1]
    assert not reached.reached
    other.advance(max_events=reached.happened)
    simulation.run(until_events=5000)
    other.run(until_events=5000, callback=lambda now: None)  # what it returns else means nothing
    same(simulation, other)


def test_an_error_in_the_callback_comes_out_and_the_run_can_go_on() -> None:
    simulation, other = created("event-driven"), created("event-driven")

    def fail(now: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        simulation.run(callback=fail)
    simulation.run()
    other.advance()
    same(simulation, other)


def test_ctrl_c_ends_the_bar_and_leaves_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = created("hard-discs")
    simulation.advance(max_events=1)
    places = Places()
    monkeypatch.setattr(progress, "fitting_bar", lambda: NotebookBar(places.display))
    main = threading.get_ident()

    def send() -> None:
        wait_until_inside("advance", main)
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        simulation.run(until_events=10**9)
    sender.join()
    agrees(simulation)
    assert "<progress" not in places.shown[-1]["text/html"]


class Places:
    """What IPython would show."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []

    def display(self, content: dict[str, str], *, raw: bool, display_id: bool) -> Places:
        """``IPython.display.display``, which returns a handle."""
        assert raw
        assert display_id
        self.shown.append(content)
        return self

    def update(self, content: dict[str, str], *, raw: bool) -> None:
        """The handle's method."""
        assert raw
        self.shown.append(content)


def test_the_bar_of_a_notebook_tells_time_and_share_and_leaves_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "_SLICE", 1e-9)
    monkeypatch.setattr(progress, "_REDRAWN", 0.0)
    places = Places()
    monkeypatch.setattr(progress, "fitting_bar", lambda: NotebookBar(places.display))
    simulation = created("event-driven")
    simulation.run(until_time=0.5)
    first, *_, last = places.shown
    assert '<progress max="1" value="0.0000"' in first["text/html"]
    shares = [float(one["text/html"].split('value="')[1].split('"')[0]) for one in places.shown[:-1]]
    assert shares == sorted(shares)
    assert 0.0 < shares[-1] <= 1.0
    assert "<progress" not in last["text/html"]
    assert last["text/plain"].startswith(f"t = 0.5  M = {simulation.frame().clusters}")
    assert last["text/plain"].endswith("· 0:00:00")
    before = len(places.shown)
    simulation.run(until_time=0.6, progress=False)
    assert len(places.shown) == before


def test_there_is_no_bar_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    created("event-driven").run(until_time=0.1)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")
    with ProgressLine() as line:
        line.say("nothing to be seen")


def test_a_simulation_and_its_frames_are_written_as_they_are(tmp_path: Path) -> None:
    simulation = created("time-stepping")
    simulation.advance(until_time=0.3)
    early = simulation.frame()
    simulation.advance(until_time=0.6)
    write(tmp_path / "now.gsd", simulation)
    write(tmp_path / "both.gsd", [early, simulation])
    (now,) = read(tmp_path / "now.gsd")
    frame = simulation.frame()
    for one, other in (
        (now.positions, frame.positions), (now.velocities, frame.velocities), (now.cluster, frame.cluster),
        (now.radii, simulation.radii), (now.masses, simulation.masses), (now.box, simulation.box),
    ):  # fmt: skip
        assert np.array_equal(one, other)
    assert (now.time, now.periodic) == (0.6, simulation.periodic)
    assert Scenario.from_toml(now.scenario) == simulation.scenario
    assert [one.time for one in read(tmp_path / "both.gsd")] == [0.3, 0.6]
    assert engine.open_scenario(tmp_path / "now.gsd").discs.count == simulation.count


def test_discs_that_have_grown_are_written_with_their_present_radii(tmp_path: Path) -> None:
    simulation = created("jamming")
    simulation.run()
    write(tmp_path / "packing.gsd", simulation.frame())
    (held,) = read(tmp_path / "packing.gsd")
    assert np.array_equal(held.radii, simulation.radii * simulation.frame().radius_factor)
    assert held.network is not None


def test_an_object_that_is_no_state_is_refused_in_a_sentence(tmp_path: Path) -> None:
    for wrong, words in (
        ("text", "a simulation or its frames can be written, not str"),
        (3, "a simulation or its frames can be written, not int"),
        (Frame.empty(2), "this frame does not know which discs it belongs to"),
    ):
        with pytest.raises(engine.InputError, match=words):
            write(tmp_path / "x.gsd", wrong)
    assert not list(tmp_path.iterdir())
