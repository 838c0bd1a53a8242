"""The user's own run comes back unchanged after a lesson, whatever happens in the lesson."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aggviewer.session import Session
from aggviewer.session.commands.beginning import StartFromShown
from aggviewer.session.commands.changes import SwitchMethod
from aggviewer.session.notices import Notices
from aggviewer.session.run.run import MOST_RUNS
from aggviewer.session.saved.autosave import Autosave, KeptWork
from aggviewer.session.saved.session_file import read_session
from aggviewer.systems.registry import view_of
from engine.files import open_trajectory
from engine.scenario import Scenario, load_scenario
from engine.selection import Selection
from engine.simulation import Stride
from tests.session.driving import discs, load, real_session, settle, until
from tests.session.fakes import FakeEngine

METHOD, ALPHA = "aggregation.method", "aggregation.damping.alpha"
SMALL = Scenario.from_values({"seed": 5, "discs": {"count": 100, "volume_fraction": 0.2}})
LESSON = SMALL.with_values({"discs.count": 49, "seed": 2})
GAS = SMALL.with_values(
    {"system": "hard-discs", "box.boundary": "periodic", "velocities.distribution": "maxwell", "discs.count": 64}
)


@pytest.fixture
def real() -> Iterator[Session]:
    """A session over the real engine, with a run under way."""
    with real_session(SMALL, measuring_view_of=view_of) as made:
        yield made


def bits(session: Session) -> list[bytes]:
    """The complete state of the simulations, as bytes."""
    lanes = session._runner.lanes
    return [lane.simulation.frame().positions.tobytes() for lane in lanes] + [
        array.tobytes() for lane in lanes for array in (lane.simulation.frame().velocities,)
    ]


def own(session: Session) -> dict[str, Any]:
    """All that belongs to the user's own run."""
    settle(session)
    status, timeline = session.status(), session.status().timeline
    return {
        "bits": bits(session),
        "status": (
            status.state,
            status.time,
            status.past,
            status.clusters,
            status.events,
            status.speed,
            status.every_frame,
        ),
        "lanes": tuple((lane.scenario, lane.disc_set) for lane in session._runner.lanes),
        "scenario": session.scenario,
        "timeline": None if timeline is None else (timeline.begin, timeline.end, timeline.shown_time),
        "past": [(frames[0].time, frames[0].positions.tobytes()) for frames in session._runner.present.past._frames],
        "steps": (session.history.steps, session.history.undo_text, session.history.redo_text),
        "runs": [(run, run.lockstep) for run in session._loader.runs.shelf.runs],
        "view": session.view.model_dump(),
        "picked": session.marking.value,
        "asked": (session._runner.present, session._runner.present.should_run, session._runner.present.goal),
    }


def step_on(session: Session, events: int = 20) -> None:
    for _ in range(events):
        session.step_event()
    settle(session)


# the user's own runs


def in_its_midst(session: Session, _folder: Path) -> None:
    """Held, with something to undo and to redo, a selection and a changed view."""
    step_on(session)
    session.restart()
    step_on(session, 5)
    session.restart(9)
    session.history.undo()
    step_on(session, 7)
    session.marking.select(Selection.of(np.arange(100) < 3))
    session.view.color_by = "speed"


def by_time_steps(session: Session, _folder: Path) -> None:
    session.set_parameter(METHOD, "time-stepping")
    session.set_parameter(ALPHA, 0.3)
    session.set_speed(6.0)
    for _ in range(7):
        session.step_frame()


def a_gas(session: Session, _folder: Path) -> None:
    session.load(GAS, run=False)
    step_on(session)


def finished(session: Session, _folder: Path) -> None:
    session.load(discs(4), run=True)
    session.set_speed(inf)
    until(lambda: session.status().state == "finished")


def jammed(session: Session, _folder: Path) -> None:
    session.load(load_scenario("jam-256").with_values({"discs.count": 24, "discs.volume_fraction": 0.5}), run=True)
    session.set_speed(inf)
    until(lambda: session.status().state == "finished")


def compared(session: Session, _folder: Path) -> None:
    step_on(session)
    session.compare({METHOD: "time-stepping"})
    step_on(session, 5)


def looking_back(session: Session, _folder: Path) -> None:
    step_on(session, 40)
    times = session._runner.present.past.times
    session.look_at(float(times[len(times) // 2]))


def a_recording(session: Session, folder: Path) -> None:
    path = folder / "own.gsd"
    session.record(path, 0.05)
    session.set_speed(6.0)
    for _ in range(12):
        session.step_frame()
    session.stop_recording()
    session.open(path, run=False)
    session.look_at(0.3)


OWN: tuple[Callable[[Session, Path], None], ...] = (
    in_its_midst,
    by_time_steps,
    a_gas,
    finished,
    jammed,
    compared,
    looking_back,
    a_recording,
)


# what happens in a lesson


def puts(session: Session, scenario: Scenario = LESSON) -> None:
    """Start a run as a step of a lesson does."""
    with session.undoing.unrecorded(), session.document.unrecorded():
        session.view.set_for_lesson({"color_by": "cluster", "layers": ("velocities",)})
        session.load(scenario, run=False, alone=True)
        session.copy_own_run()
    session.history.forget()


def everything(session: Session, folder: Path) -> None:
    """Whatever a learner can do with the run of a lesson."""
    session.set_speed(inf)
    session.history.undo()  # there is nothing of the lesson's yet
    session.history.redo()
    step_on(session, 5)
    session.restart()
    session.restart(4)
    session.marking.select(Selection.of(np.arange(49) < 9))
    session.view.color_by = "speed"
    session.set_parameter(METHOD, "time-stepping")
    session.set_parameter(ALPHA, 0.2)
    session.compare({ALPHA: 0.1})
    session.compare(None)
    session.give(StartFromShown(folder / "start.gsd"))
    session.hold_at(None)
    session.run()
    session.look_at(0.0)
    session.open("two-4")  # there is no such scenario
    for seed in range(MOST_RUNS + 2):
        session.load(LESSON.with_values({"seed": seed + 20}), run=True)
    session.history.undo()
    session.history.undo()
    session.history.redo()
    puts(session, GAS)  # the next step
    session.set_aside()  # another lesson, opened in this one
    puts(session)
    step_on(session, 3)
    for _ in range(MOST_RUNS):
        session.history.undo()


def only_what_is_there(session: Session, _folder: Path) -> None:
    """A lesson that starts no run and uses the current one."""
    with session.undoing.unrecorded():
        session.copy_own_run()
    session.history.forget()
    session.step_frame()
    session.step_event()
    session.set_parameter("hard_discs.restitution", 0.5)
    session.run()
    session.look_at(0.0)
    session.restart()
    session.give(SwitchMethod("event-driven"))
    session.compare(None)
    session.marking.select(Selection.none(session.marking.value.count))
    session.history.undo()


@pytest.mark.parametrize("lesson", [everything, only_what_is_there])
@pytest.mark.parametrize("begin", OWN)
def test_the_own_run_comes_back_as_it_was_whatever_happens_in_a_lesson(
    real: Session, tmp_path: Path, begin: Callable[[Session, Path], None], lesson: Callable[[Session, Path], None]
) -> None:
    begin(real, tmp_path)
    before = own(real)
    real.set_aside()
    assert (real.history.undo_text, real.history.redo_text) == ("", ""), "a lesson begins with nothing to undo"
    if lesson is everything:
        puts(real)
    lesson(real, tmp_path)
    settle(real)
    assert own(real)["lanes"] != before["lanes"]
    real.bring_back()
    after = own(real)
    assert {name: (before[name], after[name]) for name in before if before[name] != after[name]} == {}


def test_a_running_run_goes_on_after_a_lesson(session: Session) -> None:
    load(session, discs(10_000), run=True)
    until(lambda: session.status().time > 0.0)
    session.set_aside()
    puts(session)
    session.pause()
    session.bring_back()
    settle(session)
    assert (session.status().state, session.status().count) == ("running", 10_000)


def test_a_recording_that_is_being_made_goes_on_after_a_lesson(real: Session, tmp_path: Path) -> None:
    path = tmp_path / "own.gsd"
    real.set_speed(6.0)
    real.record(path, 0.05)
    real.step_frame()
    real.set_aside()
    puts(real)
    step_on(real)
    assert real.status().recording is None
    real.bring_back()
    for _ in range(3):
        real.step_frame()
    real.stop_recording()
    settle(real)
    with open_trajectory(path) as trajectory:
        assert np.allclose(np.diff(trajectory.times), 0.05)
        assert len(trajectory[0].positions) == 100
        assert trajectory.times[-1] > 0.3


def test_a_recording_of_a_lesson_ends_with_it(real: Session, tmp_path: Path) -> None:
    path, written = tmp_path / "lesson.gsd", []
    real.file_written.connect(written.append)
    step_on(real)
    before = own(real)
    real.set_aside()
    puts(real)
    real.set_speed(6.0)
    real.record(path, 0.05)
    real.hold_at(Stride(time=1e3))
    real.step_frame()
    real.bring_back()
    assert own(real) == before
    assert (written, real.status().recording) == ([path], None)
    with open_trajectory(path) as trajectory:
        assert len(trajectory[0].positions) == 49


def test_a_lesson_whose_scenario_cannot_be_built_does_not_touch_it(session: Session, engine: FakeEngine) -> None:
    load(session, discs(9))
    step_on(session, 3)
    before = own(session)
    engine.refuse = RuntimeError("no")
    session.set_aside()
    puts(session)
    settle(session)
    engine.refuse = None
    step_on(session, 2)
    assert (session.status().count, session.status().time) == (9, 5.0), "the lesson has a copy"
    session.bring_back()
    assert own(session) == before


def test_a_run_that_is_being_built_is_built_before_it_is_set_aside(session: Session, engine: FakeEngine) -> None:
    go_on = threading.Event()

    def warm_up(report: Callable[[int, int, str], None]) -> None:
        assert go_on.wait(60.0)
        report(0, 1, "all")

    engine.warm_up_with = warm_up
    session.load(discs(9), run=False)
    session.set_aside()
    puts(session)
    go_on.set()
    settle(session)
    assert session.status().count == 49
    session.bring_back()
    settle(session)
    assert session.status().count == 9


def test_after_a_kill_in_a_lesson_the_own_run_is_there(tmp_path: Path) -> None:
    now = [0.0]
    autosave = Autosave(Notices(), tmp_path / "state", clock=lambda: now[0])
    with real_session(SMALL, autosave=autosave) as session:
        in_its_midst(session, tmp_path)
        before, marks = own(session), session.marking.value
        session.set_aside()
        puts(session)
        for _ in range(2):  # one may have been due before
            now[0] += 1e3
            step_on(session)
            settle(session)
            assert autosave.finish()
        assert autosave.path is not None
        saved = read_session(autosave.path)
    assert (saved.time, saved.count, saved.saved_as) == (before["status"][1], 100, "paused")
    assert (saved.document.values["view", "color_by"], saved.document.values["run", "marks"]) == ("speed", marks)


def test_kept_work_is_the_own_run_also_where_the_session_ends_in_a_lesson(tmp_path: Path) -> None:
    kept = KeptWork(tmp_path / "kept")
    with real_session(SMALL, kept=kept) as session:
        step_on(session)
        time = session.status().time
        session._runner.lanes[0].computing_time = 1e3
        session.set_aside()
        puts(session)
        settle(session)
        session._runner.lanes[0].computing_time = 1e4
        session.keep_work()
    (found,) = kept.found()
    assert read_session(found.path).time == time


def test_an_autosave_recovered_in_a_lesson_is_not_removed(tmp_path: Path) -> None:
    autosave = Autosave(Notices(), tmp_path)
    left = tmp_path / "autosave-99999999.aggsession"
    with real_session(SMALL, autosave=autosave) as session:
        step_on(session)
        session.save_session(left)
        session.set_aside()
        puts(session)
        session.recover(left)
        session.bring_back()
        settle(session)
        assert left.exists(), "it went with the lesson"
