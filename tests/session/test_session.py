"""The session with a fake simulation: what it does, in which order, on which thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from math import inf, nan
from pathlib import Path

import pytest

from aggviewer.session import Notice, Session
from engine.errors import InputError
from engine.scenario import Scenario
from tests.session.driving import PATIENCE, analysis, discs, hasty_clock, load, real_session, settle, until
from tests.session.fakes import FakeEngine, FakeSimulation


def test_a_load_shows_the_first_frame_and_holds(session: Session, engine: FakeEngine) -> None:
    assert session.publishers.latest_frame() is None
    load(session, discs(5))
    shown = session.publishers.latest_frame()
    assert (shown.frame.time, shown.frame.clusters, len(shown.scalar)) == (0.0, 5, 5)
    assert shown.disc_set.count == 5
    assert session.publishers.latest_frame() is None
    assert session.status().state == "paused"
    assert session.scenario == discs(5)


def test_a_session_runs_on_its_own_thread_until_the_end(session: Session, engine: FakeEngine) -> None:
    session.set_speed(inf)
    load(session, discs(9), run=True)
    until(lambda: session.status().state == "finished")
    status = session.status()
    assert (status.time, status.clusters, status.events["merge"]) == (8.0, 1, 8)
    assert engine.simulations[0].thread == session._worker._thread.ident != threading.get_ident()
    shown = session.publishers.latest_frame()
    assert shown is not None, "the last state is shown"
    assert shown.frame.time == 8.0


def test_pause_holds_and_shows_where_it_is(session: Session) -> None:
    load(session, discs(10_000), run=True)
    until(lambda: session.status().time > 0.0)
    session.pause()
    settle(session)
    time_held = session.status().time
    shown = session.publishers.latest_frame()
    assert shown.frame.time == time_held
    settle(session)
    assert session.status().time == time_held
    session.run()
    until(lambda: session.status().time > time_held)


def test_commands_are_carried_out_in_order(session: Session, engine: FakeEngine) -> None:
    session.load(discs(50), run=False)
    session.step_event()
    session.step_event()
    session.load(discs(60, seed=4), run=False)
    session.step_event()
    settle(session)
    kinds = [entry for entry in engine.log if entry[0] == "create" or entry[2] == 1]
    ends = [entry for entry in kinds if entry[0] == "create"]
    assert ends == [("create", 50, 1), ("create", 60, 4)]
    first_run = engine.log.index(("create", 60, 4))
    assert engine.log[first_run + 1 :], "the step after the second load went to the second simulation"
    assert engine.simulations[0].time == 2.0
    assert engine.simulations[1].time == 1.0


def test_a_single_event_takes_as_many_slices_as_it_needs(session: Session, engine: FakeEngine) -> None:
    load(session, discs(10))
    session.step_event()
    settle(session)
    assert session.status().clusters == 9
    assert len([entry for entry in engine.log if entry[0] == "advance"]) == 4  # four slices of 0.25
    shown = session.publishers.latest_frame()
    assert shown.frame.time == 1.0


def test_a_single_frame_is_a_sixtieth_of_the_speed(session: Session) -> None:
    session.set_speed(6.0)
    load(session, discs(10))
    session.step_frame()
    settle(session)
    assert session.status().time == pytest.approx(0.1)
    session.set_speed(inf)  # no such thing as a frame's time then: the last finite speed counts
    session.step_frame()
    settle(session)
    assert session.status().time == pytest.approx(0.2)


def test_stepping_to_the_end_finishes(session: Session) -> None:
    load(session, discs(2))
    session.step_event()
    settle(session)
    assert session.status().state == "finished"
    session.step_event()
    session.step_frame()
    settle(session)
    assert session.status().state == "finished"


def test_speed_is_simulation_time_per_second(engine: FakeEngine) -> None:
    now, looks = [0.0], [0]

    def clock() -> float:
        looks[0] += 1
        return now[0]

    with real_session(engine=engine, clock=clock) as session:
        session.set_speed(4.0)
        load(session, discs(10_000), run=True)
        for tick in range(1, 41):
            now[0] = 0.02 * tick
            seen = looks[0]
            until(lambda seen=seen: looks[0] > seen + 20)  # more than a slice and the one after it need
            settle(session)
            assert session.status().time == pytest.approx(4.0 * now[0])
        assert session.status().speed == 4.0
        assert session.status().speed_reached == pytest.approx(4.0, rel=0.05)


@pytest.mark.parametrize("value", [0.0, -1.0, nan])
def test_a_speed_that_cannot_be_is_refused(session: Session, value: float) -> None:
    with pytest.raises(InputError, match="above 0"):
        session.set_speed(value)


def test_a_parameter_is_set_between_slices_and_kept_in_the_scenario(
    session: Session, engine: FakeEngine, notices: list[Notice]
) -> None:
    load(session, discs(5))
    session.set_parameter("hard_discs.restitution", 0.5)
    settle(session)
    assert ("set", "hard_discs.restitution", 0.5) in engine.log
    assert session.scenario.hard_discs.restitution == 0.5
    for key, value in (("hard_discs.restitution", 7.0), ("discs.count", 9)):
        session.set_parameter(key, value)
        settle(session)
        assert notices[-1].key == key
    assert session.scenario.hard_discs.restitution == 0.5


def test_signals_tell_of_state_system_and_scenario(session: Session) -> None:
    states: list[str] = []
    systems: list[int] = []
    scenarios: list[int] = []
    session.state_changed.connect(states.append)
    session.discs_changed.connect(lambda s: systems.append(s.count))
    session.scenario_changed.connect(lambda s: scenarios.append(s.discs.count))
    load(session, discs(5))
    assert states == ["loading", "paused"]
    assert (systems, scenarios) == ([5], [5])


def test_the_analyst_measures_the_last_state_of_a_pause(session: Session, engine: FakeEngine) -> None:
    load(session, discs(10))
    for _ in range(3):
        session.step_event()
    found = analysis(session, lambda one: one.time == 3.0)
    assert found.indicators.contacts_relative == 3.0
    assert list(found.history.time) == [0.0, 1.0, 2.0, 3.0]


def test_a_slow_analysis_does_not_hold_up_the_simulation(session: Session, engine: FakeEngine) -> None:
    gate = threading.Event()
    engine.analyse_with = lambda: bool(gate.wait(PATIENCE))  # type: ignore[assignment]
    try:
        load(session, discs(10))
        for _ in range(9):
            session.step_event()
        settle(session)
        assert session.status().state == "finished"
        assert engine.analysed == []
    finally:
        gate.set()


def test_a_failing_analysis_is_told_and_does_not_end_the_thread(
    session: Session, engine: FakeEngine, notices: list[Notice]
) -> None:
    def fail() -> None:
        raise RuntimeError("no such indicator")

    engine.analyse_with = fail
    load(session, discs(10))
    until(lambda: bool(notices))
    engine.analyse_with = lambda: None
    session.step_event()
    until(lambda: engine.analysed == [1.0])


def test_colour_by_contacts_shows_them_while_it_is_paused(session: Session) -> None:
    load(session, discs(10))
    analysis(session)
    session.view.color_by = "contacts"

    def counted() -> bool:
        shown = session.publishers.latest_frame()
        return shown is not None and shown.coloring.by == "contacts" and bool((shown.scalar == 9.0).all())

    until(counted)


def test_saving_writes_the_whole_scenario(session: Session, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no scenario"):
        session.save_scenario(tmp_path / "a.toml")
    load(session, discs(5, seed=77))
    session.save_scenario(tmp_path / "a.toml")
    assert Scenario.from_toml((tmp_path / "a.toml").read_text()) == discs(5, seed=77)
    with pytest.raises(InputError, match="cannot be written"):
        session.save_scenario(tmp_path / "none" / "a.toml")


def test_close_joins_every_thread_and_may_be_called_twice(engine: FakeEngine) -> None:
    before = set(threading.enumerate())
    session = Session(engine, measuring_view_of=engine.measuring_view_of)
    session.load(discs(10_000), run=True)
    until(lambda: session.status().time > 0.0)
    session.close()
    session.close()
    assert set(threading.enumerate()) <= before


def test_closing_does_not_wait_for_a_call_that_takes_long(engine: FakeEngine) -> None:
    building, go_on = threading.Event(), threading.Event()
    create = engine.create

    def slow(scenario: Scenario, tell: Callable[[str, str], None]) -> FakeSimulation:
        building.set()
        assert go_on.wait(PATIENCE)
        return create(scenario, tell)

    engine.create = slow  # type: ignore[method-assign]
    session = Session(engine, measuring_view_of=engine.measuring_view_of)
    session.load(discs(5))
    assert building.wait(PATIENCE)
    assert not session.close(0.01)
    go_on.set()
    assert session.close()
    assert not session._worker._thread.is_alive()


def test_a_window_does_not_wait_for_a_copy_of_what_is_busy(session: Session) -> None:
    load(session, discs(9))
    free = threading.Event()
    session._worker.post(lambda: free.wait(30.0) and None)
    try:
        with pytest.raises(InputError, match="busy"):
            session.checkpoint(0.05)
    finally:
        free.set()


def test_an_error_in_a_question_about_the_run_reaches_the_caller(session: Session) -> None:
    with pytest.raises(InputError, match="no simulation"):
        session.ask(lambda run: run.time)
    load(session, discs(9))
    assert session.ask(lambda run: threading.get_ident()) == session._worker._thread.ident
    with pytest.raises(ZeroDivisionError):
        session.ask(lambda run: 1 / 0)
    assert session.ask(lambda run: run.time) == 0.0


def test_no_frame_is_made_while_nothing_moves(engine: FakeEngine) -> None:
    """As where an event-driven run of a million discs arranges anew what it knows of the next events."""
    with real_session(engine=engine, clock=hasty_clock()) as session:
        load(session, discs(5))
        simulation = engine.simulations[-1]
        simulation.slice_time = 0.0
        while session.publishers.latest_frame() is not None:
            pass
        session.set_speed(inf)
        session.run()
        begun = len(engine.log)
        until(lambda: len(engine.log) > begun + 100)
        assert session.publishers.latest_frame() is None, "a frame of the same moment"
        assert session.status().state == "running"
        simulation.slice_time = 1e-6
        until(lambda: session.publishers.latest_frame() is not None)
