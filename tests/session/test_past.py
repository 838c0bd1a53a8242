"""What was: the last minutes of a run in memory, recordings, and their replay; with the real engine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import inf
from pathlib import Path

import numpy as np
import pytest

import engine
from aggviewer.session import Notice, Session, Shown
from aggviewer.session.commands.beginning import StartFromShown
from aggviewer.session.commands.changes import SwitchMethod, Throw
from engine.files import open_trajectory
from engine.frame import Frame
from engine.scenario import Scenario
from tests.session.driving import analysis, hasty_clock, kept_times, real_session, settle, until, watched

SCENARIO = Scenario.from_values({"seed": 3, "discs": {"count": 100}})
EVERY = 0.25


@pytest.fixture
def session() -> Iterator[Session]:
    """Holds 100 discs at the start."""
    with real_session(SCENARIO, clock=hasty_clock()) as made:
        yield made


def newest(session: Session) -> Shown:
    """The last frame that was published."""
    settle(session)
    shown = session.publishers.latest_frame()
    assert shown is not None
    return shown


def exact(time: float, scenario: Scenario = SCENARIO) -> Frame:
    simulation = engine.create(scenario)
    simulation.advance(time)
    return simulation.frame()


def record(session: Session, path: Path, *, until_time: float = 5.0) -> None:
    session.record(path, EVERY)
    while session.status().time < until_time:
        session.step_frame()
        settle(session)
    session.stop_recording()
    settle(session)


@pytest.fixture
def recording(session: Session, tmp_path: Path) -> Path:
    """Frames at 0, 0.25, … 5."""
    path = tmp_path / "run.gsd"
    session.set_speed(12.0)
    record(session, path)
    return path


# looking back


def test_a_look_back_shows_what_was_and_the_run_goes_on_from_the_present(session: Session) -> None:
    session.set_speed(6.0)
    for _ in range(30):
        session.step_frame()
    settle(session)
    present = session.status().time
    assert present == pytest.approx(3.0)
    session.look_at(1.23)
    shown = newest(session)
    assert 1.2 - 1e-9 < shown.frame.time <= 1.23, "there is a frame for every step at least"
    assert np.array_equal(shown.frame.positions, exact(shown.frame.time).positions)
    status = session.status()
    assert status.past == shown.frame.time
    assert (status.timeline.begin, status.timeline.end) == (0.0, present)
    session.step_back()
    assert 1.1 - 1e-9 < newest(session).frame.time < shown.frame.time
    session.look_at(inf)
    session.step_frame()
    shown = newest(session)
    assert shown.frame.time == pytest.approx(3.1)
    assert session.status().past is None
    assert np.allclose(shown.frame.positions, exact(shown.frame.time).positions, rtol=0.0, atol=1e-12)


def test_frames_of_the_past_are_never_written_to(session: Session) -> None:
    session.set_speed(6.0)
    for _ in range(10):
        session.step_frame()
    for time in (0.2, 0.5, 0.2, 0.7):
        session.look_at(time)
        newest(session)
        session.look_at(inf)
        session.step_frame()
        newest(session)
    session.look_at(0.2)
    shown = newest(session)
    assert np.array_equal(shown.frame.positions, exact(shown.frame.time).positions)


def test_the_plots_follow_a_look_back(session: Session) -> None:
    session.set_speed(6.0)
    for _ in range(30):
        session.step_frame()
    session.look_at(1.0)
    settle(session)
    time = session.status().past
    found = analysis(session, lambda found: found.time == time)
    assert found.history.time[-1] <= time


# recording


def test_a_recording_has_every_frame_that_is_due(recording: Path) -> None:
    with open_trajectory(recording) as trajectory:
        assert trajectory.times.tolist() == [k * EVERY for k in range(21)]
        assert Scenario.from_toml(trajectory.scenario) == SCENARIO
        for index in (0, 7, 20):
            frame = trajectory[index]
            assert np.allclose(frame.positions, exact(index * EVERY).positions, rtol=0.0, atol=1e-12)
            assert frame.cluster is not None
            assert np.array_equal(frame.cluster, exact(index * EVERY).cluster)


def test_a_recording_of_a_run_as_fast_as_possible_has_all_frames(
    session: Session, tmp_path: Path, notices: list[Notice]
) -> None:
    path = tmp_path / "fast.gsd"
    session.record(path, EVERY)
    session.set_speed(inf)
    session.run()
    until(lambda: session.status().state == "finished")
    with open_trajectory(path) as trajectory:
        times = trajectory.times
    end = session.status().time
    assert times[:-1].tolist() == [k * EVERY for k in range(len(times) - 1)]
    assert times[-1] == end, "the last state is in it"
    assert end - times[-2] < EVERY
    assert [notice.title for notice in notices] == ["Recording saved"]
    assert session.status().recording is None


def test_single_events_meet_the_frames_that_are_due(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "events.gsd"
    session.record(path, 0.01)
    for _ in range(5):
        session.step_event()
    session.stop_recording()
    settle(session)
    assert session.status().clusters + session.status().events["wall"] <= 100
    assert session.status().events["merge"] + session.status().events["wall"] == 5
    with open_trajectory(path) as trajectory:
        assert np.allclose(np.diff(trajectory.times), 0.01)
        assert trajectory.times[-1] <= session.status().time < trajectory.times[-1] + 0.01


@pytest.mark.parametrize("every", [0.0, -1.0, inf])
def test_an_interval_that_cannot_be_is_refused(session: Session, notices: list[Notice], every: float) -> None:
    session.record(Path("never.gsd"), every)
    settle(session)
    assert len(notices) == 1
    assert session.status().recording is None


def test_a_recording_that_cannot_be_written_is_told_and_the_run_goes_on(
    session: Session, tmp_path: Path, notices: list[Notice]
) -> None:
    session.record(tmp_path / "no" / "such" / "folder.gsd", EVERY)
    until(lambda: bool(notices))
    assert notices[0].level == "error"
    session.set_speed(60.0)
    session.step_frame()
    settle(session)
    assert session.status().time == pytest.approx(1.0)
    assert session.status().recording is None


def test_another_scenario_ends_the_recording(session: Session, tmp_path: Path, notices: list[Notice]) -> None:
    path = tmp_path / "short.gsd"
    session.record(path, EVERY)
    session.restart()
    settle(session)
    assert [notice.title for notice in notices] == ["Recording saved"]
    with open_trajectory(path) as trajectory:
        assert len(trajectory) == 1


# replay


@pytest.fixture
def replayed(session: Session, recording: Path) -> Session:
    session.open(recording, run=False)
    settle(session)
    return session


def test_a_recording_is_opened_at_its_first_frame_sought_stepped_and_played_twice(replayed: Session) -> None:
    status = replayed.status()
    assert (status.state, status.time, status.count) == ("paused", 0.0, 100)
    assert (status.timeline.begin, status.timeline.end, status.timeline.replay) == (0.0, 5.0, True)
    assert replayed.scenario.seed == 3
    for time, frame_time in ((2.6, 2.5), (0.0, 0.0), (99.0, 5.0), (1.25, 1.25), (-4.0, 0.0)):
        replayed.look_at(time)
        shown = newest(replayed)
        assert shown.frame.time == frame_time
        assert np.allclose(shown.frame.positions, exact(frame_time).positions, rtol=0.0, atol=1e-12)
    times = []
    for step in (replayed.step_frame, replayed.step_event, replayed.step_back, replayed.step_back, replayed.step_back):
        step()
        times.append(newest(replayed).frame.time)
    assert times == [0.25, 0.5, 0.25, 0.0, 0.0]
    replayed.set_speed(inf)
    replayed.run()
    until(lambda: replayed.status().state == "finished")
    assert replayed.status().time == 5.0
    replayed.set_speed(1e-9)
    replayed.run()
    settle(replayed)
    assert replayed.status().state == "running"
    assert replayed.status().time == 0.0


def test_a_recording_cannot_be_changed_compared_or_recorded(
    replayed: Session, notices: list[Notice], tmp_path: Path
) -> None:
    replayed.set_parameter("aggregation.method", "time-stepping")
    replayed.give(SwitchMethod("time-stepping"))
    replayed.give(Throw(3, None, (1.0, 0.0)))
    replayed.record(tmp_path / "again.gsd", EVERY)
    replayed.compare({"aggregation.method": "time-stepping"})
    settle(replayed)
    assert [notice.title for notice in notices if notice.level == "error"] == [
        "aggregation.method: a recording cannot be changed; start a new simulation from one of its frames",
        "a recording cannot be changed; start a new simulation from one of its frames",
        "The discs of a recording cannot be moved",
        "there is no simulation to record",
        "A recording cannot be compared; start a new simulation from one of its frames",
    ]
    assert replayed.status().lanes[0].method == "recording"
    assert len(replayed.log.entries) == 1
    assert replayed.history.undo_text == "Undo opening run.gsd"


def test_a_new_simulation_starts_from_the_frame_that_is_shown(replayed: Session, tmp_path: Path) -> None:
    replayed.look_at(2.5)
    replayed.give(StartFromShown(tmp_path / "start.gsd"))
    settle(replayed)
    status = replayed.status()
    assert (status.time, status.lanes[0].method) == (0.0, "event-driven")
    shown = newest(replayed)
    assert np.allclose(shown.frame.positions, exact(2.5).positions, rtol=0.0, atol=1e-12)
    assert shown.frame.clusters == exact(2.5).clusters
    replayed.step_event()
    settle(replayed)
    replayed.restart()
    assert newest(replayed).frame.clusters == exact(2.5).clusters, "a restart begins there too"


def test_a_frame_of_the_past_can_be_saved_and_started_from(
    session: Session, tmp_path: Path, notices: list[Notice]
) -> None:
    session.set_speed(6.0)
    for _ in range(20):
        session.step_frame()
    session.look_at(1.0)
    settle(session)
    shown_time = session.status().past
    assert shown_time is not None
    for name in ("state.gsd", "state.xyz", "state.dump", "state.csv"):
        session.save_shown(tmp_path / name)
        settle(session)
        with open_trajectory(tmp_path / name) as trajectory:
            frame = trajectory[0]
        assert np.array_equal(frame.positions, exact(shown_time).positions), name
    session.save_shown(tmp_path / "state.png")
    settle(session)
    assert [notice.level for notice in notices] == ["info"] * 4 + ["error"]


def test_a_recording_that_becomes_shorter_while_it_plays_says_so_and_goes_on_with_what_is_left(
    replayed: Session, recording: Path, notices: list[Notice]
) -> None:
    replayed.look_at(0.25)
    settle(replayed)
    notices.clear()
    with open_trajectory(recording) as trajectory:
        size = recording.stat().st_size
        places = [int(entry["place"]) for entry in trajectory._file._index if entry["frame"] == 9]
    with recording.open("r+b") as file:
        file.truncate(min(places))
    assert recording.stat().st_size < size
    replayed.set_speed(inf, every_frame=True)
    seen, _ = watched(replayed, replayed.run, lambda: replayed.status().state == "finished")
    assert seen[-1] == 8 * EVERY, "the last whole frame"
    assert [notice.level for notice in notices] == ["warning"]
    assert "run.gsd was shortened while it was playing: 9 of its 21 frames can still be read" in notices[0].title
    assert "cut off" in notices[0].text or "shortened" in notices[0].text
    timeline = replayed.status().timeline
    assert (timeline.begin, timeline.end) == (0.0, 8 * EVERY)
    replayed.look_at(1.0)
    assert newest(replayed).frame.time == 1.0
    with recording.open("r+b") as file:
        file.truncate(300)
    replayed.look_at(0.5)
    settle(replayed)
    assert "none of its 9 frames can still be read" in notices[-1].title
    assert replayed.status().state in ("paused", "finished")


# the past of a run, played


def lived(session: Session, frames: int = 30) -> list[float]:
    """Let it run for some frames; the times that are in memory."""
    session.set_speed(6.0)
    for _ in range(frames):
        session.step_frame()
    settle(session)
    return kept_times(session)


def test_a_live_run_plays_backwards_to_its_start_and_then_forwards_up_to_the_present(session: Session) -> None:
    kept = lived(session)
    newest(session)
    session.set_speed(inf, every_frame=True)
    backwards = partial(session.play, backwards=True)
    seen, _ = watched(session, backwards, lambda: session.status().state == "paused")
    assert seen == kept[::-1][1:], "every frame that is in memory, from the last one to the first"
    assert session.status().past == 0.0
    assert session.status().time == kept[-1], "the run itself stands where it was"
    seen, _ = watched(session, session.run, lambda: session.status().past is None and session.status().time > kept[-1])
    assert seen[: len(kept) - 1] == pytest.approx(kept[1:])
    assert seen[len(kept) - 1 :] == sorted(seen[len(kept) - 1 :]), "and on from there"
    assert session.status().state in ("running", "finished")


def test_a_pause_holds_the_past_where_it_is(session: Session) -> None:
    kept = lived(session)
    session.set_speed(0.05)  # far from the start of memory, however long this thread has to wait
    session.play(backwards=True)
    until(lambda: session.status().past is not None and session.status().past < kept[-2])
    assert session.status().timeline.backwards
    session.toggle()
    settle(session)
    past = session.status().past
    assert session.status().state == "paused"
    assert past is not None
    assert not session.status().timeline.backwards
    settle(session)
    assert session.status().past == past
    assert session.status().time == kept[-1]


def test_a_step_on_in_the_past_shows_the_next_frame_and_at_its_end_the_present(session: Session) -> None:
    kept = lived(session)
    session.look_at(kept[-3])
    times = []
    for _ in range(3):
        session.step_event()
        times.append(newest(session).frame.time)
    assert times[:2] == kept[-2:]
    assert session.status().past is None
    assert times[2] > kept[-1], "the next one is an event of the run"
