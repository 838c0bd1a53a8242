"""The recorded first minute: exactly what the engine gives, and taken over at the frame that is shown."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import engine
from aggviewer.export.sources import SimulationSource
from aggviewer.latest_job import CancelledError
from aggviewer.session import Notice, Session
from aggviewer.session.data import Status
from aggviewer.session.load.builder import Engine
from aggviewer.session.past.recorded_run import RecordedRun, recorded_run
from aggviewer.session.publish.coloring import Colorist
from aggviewer.session.run.first_minute import FirstMinute
from aggviewer.systems.registry import view_of
from aggviewer.window.app import DEFAULT_SCENARIO, FIRST_SCENARIO
from benchmarks import first_minute
from engine.frame import Frame
from engine.state import InitialState
from engine.system import system_of
from tests.session.driving import PATIENCE, hasty_clock, settle, until

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

    def recorded(self, scenario: engine.Scenario) -> RecordedRun | None:
        return self.run

    def warm_up(self, report, method):
        """Some reports while the recording goes on, until so many of its frames have been shown."""
        assert self.session is not None
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
    simulation = engine.create(run.system.scenario)
    assert len(run.times) == first_minute.FRAMES
    for index in range(0, len(run.times), 12):  # other bits do not become the same again
        moment = float(run.times[index])
        simulation.advance(until_time=moment)
        assert run.agrees(simulation, index), f"t = {moment:g}: other bits; `make recorded` makes it again"
    assert run.times[-1] == 120.0


@pytest.mark.parametrize("name", [FIRST_SCENARIO, DEFAULT_SCENARIO])
def test_clusters_keep_their_colours_when_the_live_run_takes_over(name: str) -> None:
    run = recorded_run(engine.open_scenario(name))
    assert run is not None
    fields = system_of(run.system.scenario).fields
    recorded = Colorist(fields, run.system, kernels=False)  # as they are shown before there are kernels
    source = SimulationSource(engine.create(run.system.scenario))
    live = Colorist(fields, run.system)
    for index in range(0, len(run.times), 300):
        shown, _ = recorded.color(run.at(index), "cluster")
        frame = source.frame_at(float(run.times[index]))
        taken_over, _ = live.color(frame, "cluster")
        assert np.array_equal(shown, taken_over), f"t = {frame.time:g}"


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


def test_a_changed_scenario_has_no_recording(small_folder: Path) -> None:
    assert recorded_run(engine.Scenario.from_values({**SMALL, "seed": 4}), small_folder) is None


def test_a_damaged_file_is_no_recording(small_folder: Path, tmp_path: Path) -> None:
    whole = (small_folder / "small.npz").read_bytes()
    (tmp_path / "small.npz").write_bytes(whole[: len(whole) // 2])
    assert recorded_run(engine.Scenario.from_values(SMALL), tmp_path) is None


def started(run: RecordedRun) -> tuple[Session, Unhurried, list[Notice]]:
    unhurried = Unhurried(run)
    session = Session(unhurried, views=view_of, clock=hasty_clock())
    notices: list[Notice] = []
    session.notices.sent.connect(notices.append)
    unhurried.session = session
    session.load(run.system.scenario, run=True)
    until(lambda: session.status().state == "running")
    return session, unhurried, notices


def test_the_run_takes_over_at_the_frame_that_is_shown(small_folder: Path) -> None:
    run = small_run(small_folder)
    session, unhurried, notices = started(run)
    session.pause()
    settle(session)
    before = unhurried.status
    assert before is not None
    assert before.recorded
    assert before.time > 0.0
    assert before.clusters > 0
    timeline = session.status().timeline
    assert timeline is not None
    assert timeline.begin == 0.0, "what the recording has shown can be looked at again"
    assert session.status().time >= before.time
    assert not session.status().recorded
    assert not notices
    simulation = engine.create(run.system.scenario)
    simulation.advance(until_time=session.status().time)
    shown = session.publishers.latest_frame()
    assert shown is not None
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
    session = Session(unhurried, views=view_of, clock=hasty_clock())
    unhurried.session = session
    unhurried.frames = 0
    session.load(unhurried.run.system.scenario, run=False)
    until(lambda: session.status().state == "paused")
    assert unhurried.status is not None
    assert not unhurried.status.recorded
    assert session.status().time == 0.0
    session.close()


def test_closing_ends_the_recording(small_folder: Path) -> None:
    class Endless(Unhurried):
        def warm_up(self, report, method):
            while True:
                report(1, 3, "events")

    endless = Endless(small_run(small_folder))
    session = Session(endless, views=view_of)
    endless.session = session
    session.load(endless.run.system.scenario, run=True)
    until(lambda: session.status().recorded)
    assert session.close(60.0)


class Patient(Unhurried):
    """The real engine, whose kernels are there when the test says so, but for other scenarios at once."""

    def __init__(self, run: RecordedRun) -> None:
        super().__init__(run)
        self.ready = threading.Event()
        self.given_up = 0

    def recorded(self, scenario: engine.Scenario) -> RecordedRun | None:
        return self.run if scenario == self.run.system.scenario else None

    def preview(self, scenario: engine.Scenario) -> InitialState | None:
        return None

    def warm_up(self, report, method):
        try:
            while not self.ready.is_set():
                report(1, 3, "events")
                assert self.session is not None
                self.session.publishers.latest_frame()
                self.ready.wait(0.005)
        except CancelledError:
            self.given_up += 1
            raise
        engine.warm_up(None, method)


def patient(folder: Path) -> tuple[Session, Patient]:
    """A session that shows the recording, and waits for the engine."""
    waiting = Patient(small_run(folder))
    session = Session(waiting, views=view_of, clock=hasty_clock())
    waiting.session = session
    session.load(waiting.run.system.scenario, run=True)
    until(lambda: shown_frame(session, waiting.run) > 3)
    return session, waiting


def test_the_recording_pauses_and_steps_at_once_and_the_run_takes_over_paused(small_folder: Path) -> None:
    session, waiting = patient(small_folder)
    session.pause()
    status = session.status()
    assert (status.recorded, status.held) == (True, True)
    run, at = waiting.run, shown_frame(session, waiting.run)
    session.step_frame()
    until(lambda: shown_frame(session, run) == at + 1)
    session.toggle()
    assert not session.status().held
    until(lambda: shown_frame(session, run) > at + 5)
    session.pause()
    at = shown_frame(session, run)
    session.step_event()
    until(lambda: session.status().clusters < run.clusters[at])
    held = session.status()
    assert held.held
    assert shown_frame(session, run) == run.next_event(at), "the frame with the next merge"
    waiting.ready.set()
    until(lambda: session.status().state == "paused")
    status = session.status()
    assert not status.recorded
    assert status.time == held.time, "the run takes over at the frame that is held"
    assert status.clusters == held.clusters
    session.run()
    until(lambda: session.status().time > held.time)
    session.close()


def test_once_it_is_held_no_other_frame_is_shown(small_folder: Path) -> None:
    run, shows, go_on = small_run(small_folder), threading.Event(), threading.Event()
    clock, looks, done = hasty_clock(0.05), [0], []

    def show(frame: Frame) -> None:
        if frame.time > 0.0:
            shows.set()
            go_on.wait(PATIENCE)
            done.append("shown")

    def look() -> float:
        looks[0] += 1
        return clock()

    holder = threading.get_ident()

    def go_on_once_it_waits() -> None:
        until(lambda: bool(done) or sys._current_frames()[holder].f_code.co_name == "make")
        go_on.set()

    publisher = SimpleNamespace(
        begin_recorded=lambda system: None, show_recorded=show, mailbox=SimpleNamespace(wanted=True)
    )
    minute = FirstMinute(run, publisher, lambda: 2.0, look)  # type: ignore[arg-type]
    assert shows.wait(PATIENCE)
    other = threading.Thread(target=go_on_once_it_waits)
    other.start()
    minute.make("pause")
    done.append("held")
    other.join()
    before = looks[0]
    until(lambda: looks[0] > before + 5)
    minute.stop()
    assert done[-1] == "held", "it waits for the frame that is on its way to the picture, and no other one follows"


def test_another_scenario_takes_the_place_of_the_recording_at_once(small_folder: Path) -> None:
    session, waiting = patient(small_folder)
    other = waiting.run.system.scenario.with_values({"seed": 8})
    session.load(other)
    until(lambda: not session.status().recorded and waiting.given_up == 1)
    session.load(other.with_values({"seed": 9}))
    until(lambda: waiting.given_up == 2)
    waiting.ready.set()
    until(lambda: session.status().state == "running")
    settle(session)  # the step that is not one is taken off the history after the run is there
    assert session.scenario == other.with_values({"seed": 9})
    assert not session.history.undo_text, "nothing was there to go back to"
    session.close()


def test_the_next_event_of_a_recording_is_the_next_frame_with_another_number_of_clusters(small_folder: Path) -> None:
    run = small_run(small_folder)
    counts = run.clusters
    index = run.next_event(0)
    assert counts[index] < counts[0] == counts[index - 1]
    assert run.next_event(len(counts) - 1) == len(counts) - 1
