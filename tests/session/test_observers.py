"""What listens to a run never changes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path

import pytest

import engine
from aggviewer.document.view import ViewModel
from aggviewer.session import Notice, Notices, Session
from aggviewer.session.data import SessionSignals
from aggviewer.session.publisher import Publishers
from aggviewer.session.run.lanes import Lane
from aggviewer.session.run.observers import Due, Goal, Occasion, RunObserver
from aggviewer.session.run.run import Run, SessionRuns
from aggviewer.session.run.runner import Runner
from aggviewer.session.saved.autosave import Autosave
from aggviewer.systems.registry import view_of
from engine.files import open_trajectory
from engine.scenario import Scenario
from engine.simulation import Simulation, Stride
from tests.session.driving import real_session, settle, until
from tests.session.saved_scenarios import assert_the_same, one_of_each, small

FEW = Scenario.from_values({"seed": 2, "discs": {"count": 100, "volume_fraction": 0.2}})


Way = Callable[[Session, Simulation], None]
"""Runs a session for a while, and a simulation alone for as long."""


def paced(session: Session, alone: Simulation) -> None:
    session.set_speed(6.0)
    for _ in range(6):
        session.step_frame()
        if session.status().lanes[0].system == "jamming":
            alone.advance(max_events=1)  # it has no time between its iterations
        else:
            alone.advance(alone.time + 6.0 / 60.0)


def event_by_event(session: Session, alone: Simulation) -> None:
    for _ in range(30):
        session.step_event()
        alone.advance(max_events=1)


def frame_by_frame(session: Session, alone: Simulation) -> None:
    _run_for(40, session, alone, every_frame=True)


def as_fast_as_possible(session: Session, alone: Simulation) -> None:
    _run_for(60, session, alone, every_frame=False)


def _run_for(events: int, session: Session, alone: Simulation, *, every_frame: bool) -> None:
    """Run until so many more events have happened or it has ended, while somebody looks at the frames."""
    settle(session)
    begun = alone.advance(alone.time, max_events=0).happened
    session.hold_at(Stride(events=begun + events))
    session.set_speed(inf, every_frame=every_frame)
    session.run()

    def rests() -> bool:
        session.publishers.latest_frame()
        return session.status().state in ("paused", "finished")

    settle(session)
    until(rests)
    alone.advance(max_events=events)


@pytest.mark.parametrize("name", one_of_each())
def test_a_run_has_the_same_bits_with_all_observers_and_with_none(name: str, tmp_path: Path) -> None:
    scenario = small(name)
    notices = Notices()
    told: list[Notice] = []
    notices.sent.connect(told.append)
    autosave = Autosave(notices, tmp_path / "saves", every=0.0)
    alone = engine.create(scenario)
    with real_session(scenario, notices=notices, autosave=autosave, measuring_view_of=view_of) as session:
        session.record(tmp_path / "run.gsd", 0.037)
        for way in (paced, event_by_event, frame_by_frame, as_fast_as_possible):
            way(session, alone)
            settle(session)
            assert_the_same(session._runner.lanes[0].simulation, alone)
        assert autosave.path is not None
        assert len(session._runner.present.past.times) > 1
        session.stop_recording()
        settle(session)
    with open_trajectory(tmp_path / "run.gsd") as file:
        assert len(file) > 1
    assert not [notice for notice in told if notice.level == "error"]


class Noting(RunObserver):
    """Notes when it is called, and wants to be called at each third event."""

    def __init__(self) -> None:
        self.moments: list[tuple[Occasion, int]] = []

    def due(self, run: Run) -> Due:
        return Stride(events=self._happened(run) // 3 * 3 + 3)

    def handle(self, run: Run, occasion: Occasion) -> None:
        self.moments.append((occasion, self._happened(run)))
        if occasion == "slice" and self._happened(run) == 9:
            run.pause_due = True

    @staticmethod
    def _happened(run: Run) -> int:
        return run.lanes[0].progress.happened


@pytest.fixture
def watched_run() -> Iterator[tuple[Runner, Noting, Goal]]:
    """A run of a few discs, without a session."""
    noting, goal = Noting(), Goal()
    publishers = Publishers(None, ViewModel(), Notices(), lambda: None, lambda lane: None, lambda: None)
    runs = SessionRuns()
    runs.now.present = Run([Lane(FEW, engine.create(FEW), publishers.publisher_of(0))])
    runs.now.present.should_run = True
    runner = Runner(
        runs,
        Notices(),
        speed=inf,
        observers=(noting, goal),
        closing=lambda: False,
        hurried=lambda: False,
        superseded=lambda: False,
        signals=SessionSignals(),
    )
    runner.show_new()
    yield runner, noting, goal
    assert publishers.close()


def test_slices_end_where_an_observer_is_due_and_it_can_hold_the_run(
    watched_run: tuple[Runner, Noting, Goal],
) -> None:
    runner, noting, _goal = watched_run
    while runner.state == "running":
        runner.slice()
    assert noting.moments[0] == ("begin", 0)
    assert {("slice", 3), ("slice", 6), ("slice", 9)} <= set(noting.moments)
    assert noting.moments[-1] == ("stop", 9)
    runner.slice()
    assert noting.moments[-1] == ("idle", 9)
    runner.step_event()
    assert noting.moments[-2:] == [("slice", 10), ("stop", 10)]
    assert runner.state == "paused"


def test_an_observer_hears_of_the_end_of_a_run(watched_run: tuple[Runner, Noting, Goal]) -> None:
    runner, noting, _goal = watched_run
    while runner.state != "finished":
        runner.run()
        runner.slice()
    assert [occasion for occasion, _events in noting.moments].count("end") == 1
    assert noting.moments[-1][0] == "end"


def test_a_goal_waits_with_the_run_that_was_set_aside(watched_run: tuple[Runner, Noting, Goal]) -> None:
    runner, _noting, goal = watched_run
    goal.set(runner.present, Stride(events=5))
    runner.set_aside()
    assert runner.present.goal is None
    runner.runs.now = runner.runs.own
    runner.show_waiting(runner.publish)
    assert runner.present.goal == Stride(events=5)
    while runner.state == "running":
        runner.slice()
    assert runner.lanes[0].progress.happened == 5
