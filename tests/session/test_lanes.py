"""Two simulations side by side, and one that is carried on by another method; with fake simulations."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from aggviewer.session import Notice, Session
from aggviewer.session.commands.changes import SwitchMethod
from engine.errors import InputError
from engine.scenario import Scenario
from tests.session.driving import discs, load, settle, until
from tests.session.fakes import FakeEngine

METHOD, ALPHA = "aggregation.method", "aggregation.damping.alpha"
STEPPING = {METHOD: "time-stepping"}


@pytest.fixture
def told(session: Session) -> list[tuple[str, ...]]:
    """The methods side by side, as the signal told them."""
    got: list[tuple[str, ...]] = []
    session.lanes_changed.connect(lambda scenarios: got.append(tuple(s.aggregation.method for s in scenarios)))
    return got


def test_switching_the_method_carries_the_state_on(session: Session, engine: FakeEngine) -> None:
    load(session, discs(9))
    session.step_event()
    settle(session)
    before = session.publishers.latest_frame()
    session.set_parameter(METHOD, "time-stepping")
    settle(session)
    assert engine.log[-1] == ("carry_on", "time-stepping", 1.0)
    status = session.status()
    assert (status.state, status.time, status.clusters) == ("paused", 1.0, 8)
    assert status.lanes[0].method == "time-stepping"
    shown = session.publishers.latest_frame()
    assert shown.disc_set is before.disc_set, "the same discs: the picture keeps its view and the plots their curves"
    assert session.scenario.aggregation.method == "time-stepping"
    session.restart()
    settle(session)
    assert engine.log[-1][0] == "create"
    assert session.scenario.aggregation.method == "time-stepping"


def test_a_switch_that_cannot_be_made_changes_nothing(
    session: Session, engine: FakeEngine, notices: list[Notice]
) -> None:
    load(session, discs(9))
    engine.refuse = InputError("no", METHOD)
    session.set_parameter(METHOD, "time-stepping")
    settle(session)
    assert [notice.key for notice in notices] == [METHOD]
    assert session.status().lanes[0].method == "event-driven"
    assert session.status().state == "paused"
    assert session.scenario == discs(9)


def test_a_key_of_the_other_method_is_refused(session: Session, notices: list[Notice]) -> None:
    load(session, discs(9))
    session.set_parameter(ALPHA, 0.2)
    settle(session)
    assert [notice.key for notice in notices] == [ALPHA]
    assert session.scenario == discs(9)


@pytest.mark.parametrize(
    ("system", "variant"),
    [
        ("hard-discs", {"hard_discs.restitution": 0.8}),
        ("jamming", {"jamming.rules": "calippso"}),
        ("aggregation", STEPPING),
    ],
)
def test_a_comparison_ends_with_a_scenario_of_another_system(
    session: Session, notices: list[Notice], system: str, variant: dict[str, Any]
) -> None:
    """What is compared means nothing there: neither a refusal nor two that are the same."""
    own = discs(9).with_values({"system": system})
    load(session, own)
    session.compare(variant, from_start=True)
    settle(session)
    assert len(session.status().lanes) == 2
    load(session, own.with_values({"seed": 7}))
    assert len(session.status().lanes) == 2
    other = "hard-discs" if system == "aggregation" else "aggregation"
    load(session, discs(9).with_values({"system": other}))
    assert len(session.status().lanes) == 1
    assert session.scenario.system == other
    session.restart()
    session.compare(None)
    settle(session)
    assert len(session.status().lanes) == 1
    session.history.undo()
    session.history.undo()
    settle(session)
    assert [len(session.status().lanes), session.scenario.system] == [2, system]
    assert not notices


@pytest.mark.parametrize("speed", [2.0, inf])
def test_frames_side_by_side_have_the_same_time(session: Session, speed: float) -> None:
    session.set_speed(speed)
    load(session, discs(100_000))
    session.compare(STEPPING)
    session.run()
    pairs: list[tuple[float, float]] = []
    waiting: dict[int, float] = {}

    def look() -> bool:
        for lane in (0, 1):
            shown = session.publishers.latest_frame(lane)
            if shown is not None:
                waiting[lane] = shown.frame.time
        if len(waiting) == 2:
            pairs.append((waiting.pop(0), waiting.pop(1)))
        return len(pairs) > 4 and pairs[-1][0] > 0.0

    until(look)
    assert all(a == b for a, b in pairs)


def test_single_events_and_frames_move_both(session: Session) -> None:
    session.set_speed(6.0)
    load(session, discs(50))
    session.compare(STEPPING)
    session.step_event()
    settle(session)
    assert [lane.time for lane in session.status().lanes] == [1.0, 1.0]
    session.step_frame()
    settle(session)
    assert [lane.time for lane in session.status().lanes] == pytest.approx([1.1, 1.1])


def test_the_run_ends_when_both_have_ended(session: Session, engine: FakeEngine) -> None:
    session.set_speed(inf)
    load(session, discs(3))
    session.compare(STEPPING)
    settle(session)
    engine.simulations[-1].time = 1.5  # ahead: it comes to its end first
    session.run()
    until(lambda: session.status().state == "finished")
    assert all(lane.finished for lane in session.status().lanes)


def test_a_value_reaches_both_simulations_or_the_one_that_is_named(
    session: Session, engine: FakeEngine, notices: list[Notice]
) -> None:
    scenarios: list[tuple[Scenario, ...]] = []
    session.lanes_changed.connect(scenarios.append)
    load(session, discs(9).with_values(STEPPING))
    session.compare({"aggregation.time_stepping.fraction": 0.25})
    session.set_parameter(ALPHA, 0.3)  # the second has no value of its own: it follows
    settle(session)
    assert [s.aggregation.damping.alpha for s in scenarios[-1]] == [0.3, 0.3]
    session.set_parameter(ALPHA, 0.4, lane=1)
    session.set_parameter(ALPHA, 0.5)
    settle(session)
    assert [s.aggregation.damping.alpha for s in scenarios[-1]] == [0.5, 0.4]
    session.set_parameter(METHOD, "event-driven", lane=1)
    settle(session)
    assert [s.aggregation.method for s in scenarios[-1]] == ["time-stepping", "event-driven"]
    session.restart()
    settle(session)
    assert [s.aggregation.method for s in scenarios[-1]] == ["time-stepping", "event-driven"]
    assert not notices
    assert [sim.method for sim in engine.simulations[-2:]] == ["time-stepping", "event-driven"]


def test_a_comparison_that_cannot_be_keeps_what_runs(
    session: Session, engine: FakeEngine, notices: list[Notice]
) -> None:
    load(session, discs(9))
    session.compare({"aggregation.time_stepping.fraction": 7.0})
    settle(session)
    assert [notice.key for notice in notices] == ["aggregation.time_stepping.fraction"]
    assert len(session.status().lanes) == 1
    session.restart()
    settle(session)
    assert len(session.status().lanes) == 1


def test_a_switch_right_after_the_end_of_a_comparison_reaches_what_is_left(
    session: Session, notices: list[Notice], told: list[tuple[str, ...]]
) -> None:
    load(session, discs(9))
    session.compare(STEPPING)
    settle(session)
    session.compare(None)  # C, and before it is carried out:
    session.give(SwitchMethod("time-stepping"))  # T
    session.set_parameter(METHOD, "event-driven", lane=1)  # the list above the second picture
    settle(session)
    assert notices == []
    assert told[-1] == ("time-stepping",)
    assert session.status().lanes[0].method == "time-stepping"


def test_two_side_by_side_change_places(session: Session, told: list[tuple[str, ...]]) -> None:
    load(session, discs(9))
    session.compare(STEPPING)
    session.give(SwitchMethod("time-stepping"))
    settle(session)
    assert told[-1] == ("time-stepping", "event-driven")
    session.give(SwitchMethod("time-stepping"))
    settle(session)
    assert told[-1] == ("time-stepping", "event-driven")
