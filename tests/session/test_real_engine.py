"""The session with the real engine: watching a run does not change it."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from pathlib import Path

import numpy as np
import pytest

import engine
from aggviewer.session import Session, Shown
from aggviewer.session.load.tracing import NOTHING_LEFT, TracedStep
from aggviewer.systems.registry import view_of
from engine.scenario import Scenario
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


def test_the_traced_step_is_one_with_a_collision(paused: Session) -> None:
    traced: list[TracedStep] = []
    paused.step_traced.connect(traced.append)
    paused.set_parameter("aggregation.method", "time-stepping")
    paused.trace_step(collision=True)
    paused.trace_step(collision=True, onward=True)
    paused.trace_step(onward=True)
    settle(paused)
    assert len(traced) == 3
    for step in traced[:2]:
        trace = step.story.trace
        assert len(trace.overlapping) > 0
        assert len(np.unique(trace.clusters_after)) < len(np.unique(trace.clusters_before))
    assert traced[1].story.trace.time >= traced[0].end
    assert traced[2].story.trace.time == pytest.approx(traced[1].end, rel=1e-12)
    assert paused.status().time == pytest.approx(traced[2].story.trace.time)


def test_a_look_inside_tells_when_nothing_is_left(paused: Session) -> None:
    reasons: list[str] = []
    paused.step_refused.connect(reasons.append)
    paused.set_parameter("aggregation.method", "time-stepping")
    paused.set_speed(inf)
    paused.run()
    until(lambda: paused.status().state == "finished")
    paused.trace_step(collision=True)
    settle(paused)
    assert reasons == [NOTHING_LEFT]


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
