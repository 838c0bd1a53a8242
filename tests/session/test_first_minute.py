"""The recorded first minute: exactly what the engine gives, and taken over at the frame that is shown."""

from __future__ import annotations

import threading
from math import inf
from pathlib import Path

import numpy as np
import pytest

import engine
from aggviewer.latest_job import CancelledError
from aggviewer.session import Notice, Session
from aggviewer.session.builder import Engine
from aggviewer.session.data import Status
from aggviewer.session.past.replay import RecordedRun, recorded_run
from aggviewer.systems.registry import view_of
from aggviewer.window.app import DEFAULT_SCENARIO, FIRST_SCENARIO
from benchmarks import first_minute
from engine.state import InitialState
from tests.session.driving import hasty_clock, settle, until

SMALL = {"discs": {"count": 64, "volume_fraction": 0.2, "arrangement": "lattice"}, "seed": 3}


@pytest.fixture(scope="module")
def small_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recordings")
    first_minute.write(folder / "small.npz", first_minute.record(engine.Scenario.from_values(SMALL), 400))
    return folder


def small_run(folder: Path) -> RecordedRun:
    found = recorded_run(engine.Scenario.from_values(SMALL), folder)
    assert found is not None
    return found


def shown_frame(session: Session, run: RecordedRun) -> int:
    """The number of the frame that is in the picture."""
    return int(np.searchsorted(run.times, session.status().time))


class Unhurried(Engine):
    """The real engine, which has a recording of one's own and is told when to be ready."""

    def __init__(self, run: RecordedRun) -> None:
        self.run = run
        self.frames = 20  # that are shown before the kernels are there
        self.status: Status | None = None
        self.session: Session | None = None

    def stand_in_for(self, scenario: engine.Scenario) -> RecordedRun | None:
        return self.run

    def warm_up(self, report, method):
        """Some reports while the recording goes on, until so many of its frames have been shown."""
        while shown_frame(self.session, self.run) < self.frames:
            report(1, 3, "events")
            self.session.publishers.latest_frame()
        report(1, 3, "events")
        self.status = self.session.status()
        engine.warm_up(None, method)


@pytest.mark.parametrize("name", [FIRST_SCENARIO, DEFAULT_SCENARIO])
def test_the_recording_of_a_start_is_what_the_engine_gives_bit_for_bit(name: str) -> None:
    run = recorded_run(engine.open_scenario(name))
    assert run is not None, "`make recorded` makes it again"
    simulation = engine.create(run.first.scenario)
    assert len(run.times) == first_minute.FRAMES
    for index in range(0, len(run.times), 12):  # other bits do not become the same again
        moment = float(run.times[index])
        simulation.advance(until_time=moment)
        assert run.agrees(simulation, index), f"t = {moment:g}: other bits; `make recorded` makes it again"
    assert run.times[-1] == 120.0


def test_the_file_is_small_and_comes_with_the_program() -> None:
    sizes = [path.stat().st_size for path in (Path(first_minute._FOLDER)).glob("*.npz")]
    assert 0 < sum(sizes) < 3_000_000


def test_frames_may_be_skipped_and_other_bits_are_found(small_folder: Path) -> None:
    run, simulation = small_run(small_folder), engine.create(engine.Scenario.from_values(SMALL))
    simulation.advance(until_time=float(run.times[30]))
    early = simulation.frame().positions.copy()
    simulation.advance(until_time=float(run.times[57]))
    assert run.agrees(simulation, 57)
    assert np.array_equal(run.at(30).positions, early), "any frame after any other one"
    assert run.agrees(simulation, 57)
    assert not run.agrees(simulation, 58)
    states = run._arrays["cluster_state"]
    states[:, 0] = np.nextafter(states[:, 0], np.inf)
    run.at(0)
    assert not run.agrees(simulation, 57)


@pytest.mark.parametrize("boundary", [("periodic", "walls"), ("walls", "periodic")], ids="-".join)
def test_a_recording_with_walls_along_one_axis_is_what_the_engine_gives(boundary: tuple[str, str]) -> None:
    scenario = engine.Scenario.from_values({**SMALL, "box": {"boundary": boundary}})
    run, simulation = RecordedRun(first_minute.record(scenario, 400), scenario), engine.create(scenario)
    assert run.first.periodic == scenario.periodic
    for index in range(0, 400, 57):
        simulation.advance(until_time=float(run.times[index]))
        assert run.agrees(simulation, index)


def test_a_changed_scenario_has_no_recording(small_folder: Path) -> None:
    assert recorded_run(engine.Scenario.from_values({**SMALL, "seed": 4}), small_folder) is None


def test_a_damaged_file_is_no_recording(small_folder: Path, tmp_path: Path) -> None:
    whole = (small_folder / "small.npz").read_bytes()
    (tmp_path / "small.npz").write_bytes(whole[: len(whole) // 2])
    assert recorded_run(engine.Scenario.from_values(SMALL), tmp_path) is None


def started(run: RecordedRun) -> tuple[Session, Unhurried, list[Notice]]:
    unhurried = Unhurried(run)
    session = Session(unhurried, measuring_view_of=view_of, clock=hasty_clock())
    notices: list[Notice] = []
    session.notices.sent.connect(notices.append)
    unhurried.session = session
    session.load(run.first.scenario, run=True)
    until(lambda: bool(session.status().lanes))
    return session, unhurried, notices


def test_the_run_takes_over_at_the_frame_that_is_shown(small_folder: Path) -> None:
    run = small_run(small_folder)
    session, unhurried, notices = started(run)
    session.pause()
    settle(session)
    before = unhurried.status
    assert before.stand_in
    assert before.time > 0.0
    assert before.clusters > 0
    timeline = session.status().timeline
    assert timeline.begin == 0.0, "what the recording has shown can be looked at again"
    assert session.status().time >= before.time
    assert not session.status().stand_in
    assert not notices
    simulation = engine.create(run.first.scenario)
    simulation.advance(until_time=session.status().time)
    shown = session.publishers.latest_frame()
    assert np.array_equal(shown.frame.positions, simulation.frame().positions)
    session.close()


def test_with_other_bits_the_run_begins_at_its_start_and_says_so(small_folder: Path) -> None:
    run = small_run(small_folder)
    run._arrays["cluster_state"][:, 1] += 1e-12
    session, _, notices = started(run)
    session.pause()
    settle(session)
    assert [notice.title for notice in notices] == ["The run starts from the beginning"]
    frame = session.publishers.latest_frame()
    assert frame is not None
    session.close()


def test_a_run_that_is_to_be_held_shows_no_recording(small_folder: Path) -> None:
    unhurried = Unhurried(small_run(small_folder))
    session = Session(unhurried, measuring_view_of=view_of, clock=hasty_clock())
    unhurried.session = session
    unhurried.frames = 0
    session.load(unhurried.run.first.scenario, run=False)
    until(lambda: session.status().state == "paused")
    assert not unhurried.status.stand_in
    assert session.status().time == 0.0
    session.close()


def test_closing_ends_the_recording(small_folder: Path) -> None:
    class Endless(Unhurried):
        def warm_up(self, report, method):
            while True:
                report(1, 3, "events")

    endless = Endless(small_run(small_folder))
    session = Session(endless, measuring_view_of=view_of)
    endless.session = session
    session.load(endless.run.first.scenario, run=True)
    until(lambda: session.status().stand_in)
    assert session.close(60.0)


class Patient(Unhurried):
    """The real engine, whose kernels are there when the test says so, but for other scenarios at once."""

    def __init__(self, run: RecordedRun) -> None:
        super().__init__(run)
        self.ready = threading.Event()
        self.given_up = 0

    def stand_in_for(self, scenario: engine.Scenario) -> RecordedRun | None:
        return self.run if scenario == self.run.first.scenario else None

    def preview(self, scenario: engine.Scenario) -> InitialState | None:
        return None

    def warm_up(self, report, method):
        try:
            while not self.ready.is_set():
                report(1, 3, "events")
                self.session.publishers.latest_frame()
                self.ready.wait(0.005)
        except CancelledError:
            self.given_up += 1
            raise
        engine.warm_up(None, method)


def patient(folder: Path) -> tuple[Session, Patient]:
    """A session that shows the recording, and waits for the engine."""
    waiting = Patient(small_run(folder))
    session = Session(waiting, measuring_view_of=view_of, clock=hasty_clock())
    waiting.session = session
    session.load(waiting.run.first.scenario, run=True)

    def has_moved() -> bool:
        session.publishers.latest_frame()
        return shown_frame(session, waiting.run) > 3

    until(has_moved)
    return session, waiting


def test_the_recording_pauses_and_steps_at_once_and_the_run_takes_over_paused(small_folder: Path) -> None:
    session, waiting = patient(small_folder)
    run = waiting.run
    session.pause()
    until(lambda: session.status().state == "paused")
    assert session.status().stand_in
    at = shown_frame(session, run)
    session.step_frame()
    until(lambda: shown_frame(session, run) == at + 1)
    session.step_event()
    until(lambda: shown_frame(session, run) == at + 2)
    session.step_back()
    until(lambda: shown_frame(session, run) == at + 1)
    session.toggle()
    until(lambda: shown_frame(session, run) > at + 5)
    assert session.status().state == "running"
    session.pause()
    until(lambda: session.status().state == "paused")
    held = session.status()
    waiting.ready.set()
    until(lambda: not session.status().stand_in and bool(session.status().lanes))
    status = session.status()
    assert status.state == "paused"
    assert status.time == held.time, "the run takes over at the frame that is held"
    assert status.clusters == held.clusters
    session.run()
    until(lambda: session.status().time > held.time)
    session.close()


def test_the_run_goes_on_from_the_last_frame_of_a_recording_that_has_ended(small_folder: Path) -> None:
    session, waiting = patient(small_folder)
    session.set_speed(inf)
    until(lambda: session.status().state == "finished")
    status, end = session.status(), waiting.run.times[-1]
    assert (status.stand_in, status.time) == (True, end)
    session.set_speed(1e-3)
    waiting.ready.set()
    settle(session)
    status = session.status()
    assert (status.stand_in, status.state) == (False, "running")
    assert end <= status.time < end + 0.1
    session.close()


def test_commands_that_need_the_simulation_wait_for_it_in_their_order(small_folder: Path) -> None:
    session, waiting = patient(small_folder)
    session.set_parameter("aggregation.method", "time-stepping")
    session.pause()
    until(lambda: session.status().state == "paused")
    assert session.status().stand_in, "what only plays does not wait"
    session.set_parameter("aggregation.damping.alpha", 0.7)
    waiting.ready.set()
    settle(session)
    (lane,) = session.status().lanes
    assert lane.method == "time-stepping"
    assert [entry.words for entry in session.log.entries][1:] == ["Method: Time-stepping", "α = 0.7"]
    session.close()


def test_if_the_simulation_cannot_be_made_the_recording_ends_and_the_reason_is_given(small_folder: Path) -> None:
    class Refusing(Unhurried):
        def create(self, *_: object):
            raise engine.InputError("there is no room for these discs")

    refusing = Refusing(small_run(small_folder))
    session, notices = Session(refusing, measuring_view_of=view_of, clock=hasty_clock()), []
    session.notices.sent.connect(notices.append)
    refusing.session = session
    session.load(refusing.run.first.scenario, run=True)
    settle(session)
    status = session.status()
    assert [notice.title for notice in notices] == ["there is no room for these discs"]
    assert (status.state, status.stand_in, status.timeline) == ("empty", False, None)
    session.close()


def test_another_scenario_takes_the_place_of_the_recording_at_once(small_folder: Path) -> None:
    session, waiting = patient(small_folder)
    other = waiting.run.first.scenario.with_values({"seed": 8})
    session.load(other)
    until(lambda: not session.status().stand_in and waiting.given_up == 1)
    session.load(other.with_values({"seed": 9}))
    until(lambda: waiting.given_up == 2)
    waiting.ready.set()
    until(lambda: session.status().state == "running")
    settle(session)  # the step that is not one is taken off the history after the run is there
    assert session.scenario == other.with_values({"seed": 9})
    assert not session.history.undo_text, "nothing was there to go back to"
    session.close()
