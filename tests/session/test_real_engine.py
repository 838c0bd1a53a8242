"""The session with the real engine: watching a run does not change it."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from engine.scenario import Scenario
from engine.simulation import Stride
from tests.session.driving import real_session, settle

SCENARIO = Scenario.from_values({"seed": 11, "discs": {"count": 400}, "box": {"boundary": "periodic"}})


def test_clusters_begin_to_turn_with_the_switch_and_undo_gives_back_the_run_before() -> None:
    with real_session(SCENARIO) as session:
        for _ in range(3):
            session.step_event()
        settle(session)
        before = session._runner.lanes[0].simulation
        for turning in (True, False):
            session.set_parameter("aggregation.rotation", turning)
            session.step_event()
            settle(session)
            simulation = session._runner.lanes[0].simulation
            assert ("spin" in simulation.frame().fields) == turning
            assert simulation.time > before.time
            assert session.status().clusters <= before.frame().clusters
        for turning in (True, False):
            session.history.undo()
            settle(session)
            assert ("spin" in session._runner.lanes[0].simulation.frame().fields) == turning
        assert session._runner.lanes[0].simulation is before
        session.history.redo()
        settle(session)
        assert session._runner.lanes[0].scenario.value("aggregation.rotation") is True


def test_other_methods_carry_on_a_comparison_at_a_common_time() -> None:
    """Time stepping gives its discs away as they were at its last whole step, and the two have other steps: without a
    common time no picture of both would be shown while they are held."""
    stepping = SCENARIO.with_values({"aggregation.method": "time-stepping"})
    with real_session(stepping) as session:
        session.compare({"aggregation.time_stepping.fraction": 0.25})
        session.set_speed(2.0)
        for _ in range(7):
            session.step_frame()
        session.set_parameter("aggregation.time_stepping.clusters", "rigid")
        settle(session)
        first, second = session.status().lanes
        shown = [session.publishers.latest_frame(lane) for lane in (0, 1)]
        assert [one.frame.time for one in shown if one is not None] == [first.time, first.time]
        assert first.time == second.time
        timeline = session.status().timeline
        assert session._runner.present.past.times[-1] == timeline.end == first.time


def test_frames_after_the_time_at_which_another_method_carries_on_are_forgotten() -> None:
    """The last whole step of time stepping lies before the time that was shown."""
    with real_session(SCENARIO.with_values({"aggregation.method": "time-stepping"})) as session:
        session.set_speed(2.0)
        for _ in range(7):
            session.step_frame()
        settle(session)
        before = session.status().time
        session.set_parameter("aggregation.method", "event-driven")
        settle(session)
        assert session._runner.present.past.times[-1] == session.status().time < before


@pytest.mark.parametrize("lanes", [1, 2])
@pytest.mark.parametrize("goal", [Stride(time=0.3), Stride(clusters=399), Stride(events=1)])
def test_a_step_goes_no_farther_than_to_where_the_run_is_to_be_held(goal: Stride, lanes: int) -> None:
    with real_session(SCENARIO) as session:
        if lanes == 2:
            session.compare({"aggregation.method": "time-stepping"})
        session.set_speed(200.0)
        session.hold_at(goal)
        session.step_frame()
        settle(session)
        status = session.status()
        assert session._runner.present.goal is None
        if goal.time < inf:
            assert status.time == goal.time
        elif lanes == 1:
            assert status.clusters == 399
        here = status.time
        session.step_frame()
        settle(session)
        assert session.status().time > here, "it is held there once"


def test_a_single_event_may_lie_beyond_where_the_run_was_to_be_held() -> None:
    with real_session(SCENARIO) as session:
        session.step_event()
        settle(session)
        first = session.status().time
        session.hold_at(Stride(time=np.nextafter(first, inf)))
        session.step_event()
        settle(session)
        second = session.status().time
        assert second > first
        session.step_frame()
        settle(session)
        assert session.status().time > second


def test_the_method_that_runs_already_leaves_the_run_as_it_is() -> None:
    """Another simulation of the same method would go on with other last bits, of which the recipe knows nothing."""
    with real_session(SCENARIO) as session:
        session.step_event()
        settle(session)
        before = session._runner.lanes[0].simulation
        session.set_parameter("aggregation.method", "event-driven")
        settle(session)
        assert session._runner.lanes[0].simulation is before
        session.set_parameter("aggregation.method", "time-stepping")
        settle(session)
        assert session._runner.lanes[0].simulation is not before
