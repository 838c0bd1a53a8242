"""A disc that is thrown in a session: undone, looked back at, saved, and made again by a script."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from aggviewer.session import Session
from aggviewer.session.commands.changes import Throw
from aggviewer.session.log import script
from aggviewer.session.saved.session_file import read_session
from aggviewer.systems.registry import view_of
from engine.files import open_trajectory
from engine.frame import Frame
from engine.scenario import Scenario
from engine.simulation import Stride
from tests.session.driving import real_session, settle, until

COUNT = {"discs.count": 100, "discs.volume_fraction": 0.2}
RUNS = {
    "gas": COUNT | {"system": "hard-discs", "box.boundary": "periodic"},
    "event-driven": COUNT,
    "time-stepping": COUNT | {"aggregation.method": "time-stepping"},
    "turning": COUNT | {"aggregation.rotation": True, "velocities.spin": "thermal"},
    "spheres": COUNT | {"system": "hard-discs", "dimensions": 3},
}
THROW = Throw(42, (3.0, 4.0), (5.0, -2.0))
IN_SPACE = Throw(42, (1.0, 2.0, 1.5), (5.0, -2.0, 1.0))


@pytest.fixture(params=list(RUNS))
def session(request: pytest.FixtureRequest) -> Iterator[Session]:
    with real_session(Scenario().with_values(RUNS[request.param]), measuring_view_of=view_of) as made:
        for _ in range(30):
            made.step_event()
        settle(made)
        yield made


def frame(session: Session) -> Frame:
    return engine.restore(session.checkpoint()).frame()


def throw_of(session: Session) -> Throw:
    return IN_SPACE if frame(session).dimensions > 2 else THROW


def alike(one: Frame, other: Frame) -> bool:
    same = np.array_equal(one.positions, other.positions) and np.array_equal(one.velocities, other.velocities)
    return same and one.time == other.time


def test_a_throw_is_undone_and_redone_to_the_same_bits(session: Session) -> None:
    before = frame(session)
    session.give(throw_of(session))
    settle(session)
    thrown = frame(session)
    throw = throw_of(session)
    assert session.history.undo_text == f"Undo throwing a {'disc' if throw is THROW else 'sphere'}"
    # of a cluster that turns the engine adds up velocity and spin
    assert tuple(thrown.velocities[42]) == pytest.approx(throw.velocity, rel=1e-12)
    assert not alike(thrown, before)
    assert session.status().state == "paused"
    session.history.undo()
    settle(session)
    assert alike(frame(session), before)
    session.history.redo()
    settle(session)
    assert alike(frame(session), thrown)


def test_the_time_is_marked_and_the_past_is_still_there(session: Session) -> None:
    session.give(throw_of(session))
    settle(session)
    status = session.status()
    assert status.time in status.timeline.marks
    session.look_at(0.0)
    settle(session)
    assert session.status().past == 0.0


def test_a_recording_goes_on_through_a_throw(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "thrown.gsd"
    session.set_speed(inf)
    session.record(path, 0.1)
    begin = session.status().time

    def run_to(time: float) -> None:
        session.hold_at(Stride(time=time))
        session.run()
        settle(session)
        until(lambda: session.status().state == "paused")

    run_to(begin + 0.5)
    session.give(throw_of(session))
    settle(session)
    run_to(begin + 1.0)
    session.stop_recording()
    settle(session)
    with open_trajectory(path) as trajectory:
        assert np.diff(trajectory.times) == pytest.approx(0.1)
        assert len(trajectory) >= 10
        first, last = (float(np.linalg.norm(trajectory[k].velocities, axis=1).max()) for k in (3, -1))
    assert last > first


def test_in_a_comparison_one_side_is_changed() -> None:
    with real_session(Scenario().with_values(RUNS["event-driven"]), measuring_view_of=view_of) as session:
        session.compare({"aggregation.method": "time-stepping"})
        settle(session)
        for lane in (1, 0):
            before = [one.simulation for one in session._runner.lanes]
            kept = before[1 - lane].frame()
            session.give(replace(THROW, lane=lane))
            settle(session)
            now = [one.simulation.frame() for one in session._runner.lanes]
            assert tuple(now[lane].velocities[42]) == THROW.velocity
            assert alike(now[1 - lane], kept)
        times = {one.time for one in session.status().lanes}
        assert len(times) == 1


def repeated(session: Session) -> Frame:
    """The present state as *Copy as Python* makes it again."""
    text, _, _ = script(session.log, frame(session).time).partition("axes = ")
    names: dict[str, Any] = {}
    exec(compile(text, "<script>", "exec"), names)
    made: Frame = names["simulation"].frame()
    return made


def test_a_saved_session_and_a_script_have_what_was_changed(session: Session, tmp_path: Path) -> None:
    session.step_frame()  # time stepping is inside a step, and goes on from the beginning of that
    session.give(throw_of(session))
    settle(session)
    assert alike(repeated(session), frame(session))
    for _ in range(20):
        session.step_event()
    path = tmp_path / "thrown.aggsession"
    session.save_session(path)
    settle(session)
    now = frame(session)
    assert alike(engine.restore(read_session(path).lanes[0]).frame(), now)
    assert alike(repeated(session), now)
