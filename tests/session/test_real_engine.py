"""The session with the real engine: watching a run does not change it."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from pathlib import Path

import numpy as np
import pytest

import engine
from aggviewer.session import Session, Shown
from aggviewer.systems.registry import view_of
from engine.scenario import Scenario
from engine.simulation import Stride
from tests.session.driving import analysis, real_session, settle, until

SCENARIO = Scenario.from_values({"seed": 11, "discs": {"count": 400}, "box": {"boundary": "periodic"}})


def test_a_run_in_slices_ends_in_the_same_bits_as_one_in_one_go() -> None:
    alone = engine.create(SCENARIO)
    alone.advance()
    wanted = alone.frame()
    with real_session() as session:
        last: list[Shown] = []

        def look() -> bool:
            shown = session.publishers.latest_frame()
            if shown is not None:
                last[:] = [shown]
            return session.status().state == "finished"

        session.set_speed(40.0)
        session.load(SCENARIO, run=True)
        until(lambda: look() or session.status().time > 1.0)
        session.set_speed(inf)
        until(look)
        look()
        frame = last[0].frame
        assert frame.clusters == wanted.clusters == 1
        assert frame.time == wanted.time
        assert np.array_equal(frame.positions, wanted.positions)


def test_the_last_state_is_measured_with_its_history() -> None:
    with real_session(views=view_of) as session:
        session.set_speed(inf)
        session.load(SCENARIO, run=True)
        until(lambda: session.status().state == "finished")
        found = analysis(session, lambda one: one.time == session.status().time)
        indicators, history = found.indicators, found.history
        assert indicators.cluster_sizes == {400: 1}
        assert history is not None
        assert (history.clusters[0], history.clusters[-1]) == (400, 1)
        assert np.all(np.diff(history.kinetic_energy) <= 1e-12)


def test_an_impossible_packing_is_refused_and_the_run_goes_on() -> None:
    with real_session(SCENARIO) as session:
        notices = []
        session.notices.sent.connect(notices.append)
        session.load(SCENARIO.with_values({"discs.volume_fraction": 0.9}))
        settle(session)
        assert [notice.key for notice in notices] == ["discs.volume_fraction"]
        session.step_event()
        settle(session)
        assert session.status().events["merge"] == 1


STEPPING = {"aggregation.method": "time-stepping"}


@pytest.fixture
def paused() -> Iterator[Session]:
    """A session that holds 100 discs at the start."""
    with real_session(Scenario.from_values({"discs": {"count": 100}}), views=view_of) as session:
        yield session


def test_the_method_is_switched_there_and_back(paused: Session) -> None:
    for method in ("time-stepping", "event-driven", "time-stepping"):
        before = paused.status()
        paused.set_parameter("aggregation.method", method)
        settle(paused)
        status = paused.status()
        assert status.lanes[0].method == method
        assert before.time - 0.5 < status.time <= before.time
        assert status.clusters == before.clusters
        for _ in range(6):
            paused.step_event()
        settle(paused)
        assert paused.status().clusters <= before.clusters
        assert paused.status().time > status.time
    found = analysis(paused, lambda one: one.time == paused.status().time)
    assert len(found.data.steps.iterations) > 0


def test_both_methods_start_from_the_same_discs(paused: Session) -> None:
    paused.compare(STEPPING)
    settle(paused)
    first, second = paused.publishers.latest_frame(0), paused.publishers.latest_frame(1)
    assert first is not None
    assert second is not None
    assert np.array_equal(first.frame.positions, second.frame.positions)
    assert np.array_equal(first.frame.cluster, second.frame.cluster)
    assert np.allclose(first.frame.velocities, second.frame.velocities, rtol=0.0, atol=1e-15)
    paused.set_speed(inf)
    paused.run()
    until(lambda: paused.status().state == "finished")
    assert [lane.clusters for lane in paused.status().lanes] == [1, 1]


def test_a_scenario_that_names_a_file_is_told_with_the_numbers_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "dense.csv"
    path.write_text("# box = 2 2 walls\nx,y,radius\n0.5,0.5,0.5\n1.5,0.5,0.5\n0.5,1.5,0.5\n", encoding="utf-8")
    scenario = Scenario().with_values({"discs.arrangement": "file", "discs.file": str(path)})
    with real_session() as session:
        for variant in (None, {"aggregation.method": "time-stepping"}):
            session.load(scenario, run=False)
            session.compare(variant)
            settle(session)
            assert session.scenario is not None
            assert session.scenario.discs.volume_fraction == pytest.approx(0.75 * np.pi / 4.0)
            assert session.scenario.discs.count == 3
            assert len(session.status().lanes) == (1 if variant is None else 2)


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
        assert timeline is not None
        assert session._runner.present.past.times[-1] == timeline.end == first.time


def test_nothing_is_remembered_of_times_before_which_another_method_carries_on() -> None:
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
