"""The session with a fake simulation: what it does, in which order, on which thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest

from aggviewer.session import Notice, Session
from engine.errors import InputError
from engine.initial import initial_state
from engine.scenario import Scenario
from engine.state import InitialState
from tests.session.driving import PATIENCE, discs, load, settle, until
from tests.session.fakes import FakeEngine, FakeSimulation


def test_a_load_shows_the_first_frame_and_holds(session: Session, engine: FakeEngine) -> None:
    assert session.latest_frame() is None
    load(session, discs(5))
    shown = session.latest_frame()
    assert shown is not None
    assert (shown.frame.time, shown.frame.clusters, len(shown.scalar)) == (0.0, 5, 5)
    assert shown.system.count == 5
    assert session.latest_frame() is None
    assert session.status().state == "paused"
    assert session.scenario == discs(5)


def test_it_runs_on_its_own_thread_until_it_is_finished(session: Session, engine: FakeEngine) -> None:
    session.set_speed(inf)
    load(session, discs(9), run=True)
    until(lambda: session.status().state == "finished")
    status = session.status()
    assert (status.time, status.clusters, status.events["merge"]) == (8.0, 1, 8)
    assert engine.simulations[0].thread == session._worker._thread.ident != threading.get_ident()
    shown = session.latest_frame()
    assert shown is not None, "the last state is shown"
    assert shown.frame.time == 8.0


def test_pause_holds_and_shows_where_it_is(session: Session) -> None:
    load(session, discs(1_000_000), run=True)
    until(lambda: session.status().time > 0.0)
    session.pause()
    settle(session)
    time_held = session.status().time
    shown = session.latest_frame()
    assert shown is not None
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
    shown = session.latest_frame()
    assert shown is not None
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


def test_a_step_pauses_a_run(session: Session) -> None:
    load(session, discs(1_000_000), run=True)
    session.step_event()
    settle(session)
    assert session.status().state == "paused"


def test_stepping_to_the_end_finishes(session: Session) -> None:
    load(session, discs(2))
    session.step_event()
    settle(session)
    assert session.status().state == "finished"
    session.step_event()
    session.step_frame()
    settle(session)
    assert session.status().state == "finished"


def test_speed_is_simulation_time_per_second(session: Session) -> None:
    session.set_speed(4.0)
    load(session, discs(1_000_000), run=True)
    until(lambda: session.status().speed_reached > 0.0)
    assert session.status().speed == 4.0
    begun, since = session.status().time, time.monotonic()
    time.sleep(0.3)
    covered, wall = session.status().time - begun, time.monotonic() - since
    assert 0.0 < covered <= 4.0 * (wall + 0.2), "never ahead of what was asked for"


@pytest.mark.parametrize("value", [0.0, -1.0, nan])
def test_a_speed_that_cannot_be_is_refused(session: Session, value: float) -> None:
    with pytest.raises(InputError, match="above 0"):
        session.set_speed(value)


def test_restart_with_the_same_or_another_seed(session: Session, engine: FakeEngine) -> None:
    load(session, discs(5, seed=3))
    session.step_event()
    session.restart()
    session.restart(seed=8)
    settle(session)
    assert [entry for entry in engine.log if entry[0] == "create"] == [
        ("create", 5, 3),
        ("create", 5, 3),
        ("create", 5, 8),
    ]
    assert session.status().time == 0.0
    assert session.scenario is not None
    assert session.scenario.seed == 8


def test_a_finished_run_runs_again_after_a_restart(session: Session) -> None:
    session.set_speed(inf)
    load(session, discs(3), run=True)
    until(lambda: session.status().state == "finished")
    session.set_speed(1e-6)
    session.restart()
    settle(session)
    assert session.status().state == "running"


def test_bad_input_keeps_what_runs(session: Session, engine: FakeEngine, notices: list[Notice]) -> None:
    load(session, discs(1_000_000), run=True)
    before = session.scenario
    engine.refuse = InputError("discs.volume_fraction must be below 0.785", "discs.volume_fraction")
    load(session, discs(40), run=True)
    assert [(n.level, n.key) for n in notices] == [("error", "discs.volume_fraction")]
    assert session.scenario is before
    assert session.status().state == "running"
    reached = session.status().time
    until(lambda: session.status().time > reached)
    assert len(engine.simulations) == 1


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("a defect")])
def test_a_build_that_fails_keeps_what_is_there(
    session: Session, engine: FakeEngine, notices: list[Notice], error: Exception
) -> None:
    load(session, discs(5))
    engine.refuse = error
    load(session, discs(6))
    assert len(notices) == 1
    assert notices[0].level == "error"
    assert session.status().state == "paused"
    session.step_event()
    settle(session)
    assert session.status().clusters == 4


def test_bad_input_first_of_all_leaves_it_empty(session: Session, notices: list[Notice]) -> None:
    session.open("missing")
    settle(session)
    assert session.status().state == "empty"
    assert notices[0].key == "missing"
    session.open("good.toml")
    settle(session)
    assert session.status().count == 7


def test_a_failing_simulation_is_told_and_the_next_load_works(
    session: Session, engine: FakeEngine, notices: list[Notice]
) -> None:
    load(session, discs(1_000_000), run=True)
    engine.simulations[0].error = RuntimeError("broken")
    until(lambda: session.status().state == "failed")
    assert "broken" in notices[0].text + notices[0].details
    session.run()  # nothing to run
    session.step_event()
    session.step_frame()
    settle(session)
    assert session.status().state == "failed"
    session.restart()
    settle(session)
    assert session.status().state == "running"


def test_a_parameter_is_set_between_slices_and_kept_in_the_scenario(
    session: Session, engine: FakeEngine, notices: list[Notice]
) -> None:
    load(session, discs(5))
    session.set_parameter("hard_discs.restitution", 0.5)
    settle(session)
    assert ("set", "hard_discs.restitution", 0.5) in engine.log
    assert session.scenario is not None
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
    session.system_changed.connect(lambda s: systems.append(s.count))
    session.scenario_changed.connect(lambda s: scenarios.append(s.discs.count))
    load(session, discs(5))
    assert states == ["loading", "paused"]
    assert (systems, scenarios) == ([5], [5])


def test_a_listener_that_fails_does_not_stop_the_thread(session: Session) -> None:
    def listener(state: str) -> None:
        raise RuntimeError(state)

    session.state_changed.connect(listener)
    load(session, discs(5))
    assert session.status().state == "paused"


def test_compiling_is_reported_and_ends_early_on_close(engine: FakeEngine) -> None:
    reported, go_on = threading.Event(), threading.Event()

    def compile_all(report: Callable[[int, int, str], None]) -> None:
        report(0, 3, "box tree")
        reported.set()
        assert go_on.wait(PATIENCE)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:  # the first report after the session has begun to close ends it
            report(1, 3, "events")
            time.sleep(0.002)
        raise AssertionError("compiled on although the session closes")

    engine.warm_up_with = compile_all
    session = Session(engine)
    failures: list[Notice] = []
    session.notices.sent.connect(failures.append)
    session.load(discs(5))
    assert reported.wait(PATIENCE)
    status = session.status()
    assert status.state == "compiling"
    assert status.preparation is not None
    assert (status.preparation.done, status.preparation.total, status.preparation.what) == (0, 3, "box tree")
    go_on.set()
    session.close()
    assert not failures
    assert not engine.simulations


def test_the_analyst_measures_the_last_state_of_a_pause(session: Session, engine: FakeEngine) -> None:
    results = []

    def look() -> bool:
        found = session.latest_analysis()
        if found is not None:
            results.append(found)
        return bool(results) and results[-1].time == 3.0

    load(session, discs(10))
    for _ in range(3):
        session.step_event()
    until(look)
    assert results[-1].indicators.contacts_relative == 3.0
    assert results[-1].history is not None
    assert list(results[-1].history.time) == [0.0, 1.0, 2.0, 3.0]


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
    until(lambda: session.latest_analysis() is not None)
    session.view.color_by = "contacts"

    def counted() -> bool:
        shown = session.latest_frame()
        return shown is not None and shown.coloring.by == "contacts" and bool((shown.scalar == 3.0).all())

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
    session = Session(engine)
    session.load(discs(1_000_000), run=True)
    until(lambda: session.status().time > 0.0)
    session.close()
    session.close()
    assert set(threading.enumerate()) <= before


def lattice_of(scenario: Scenario) -> InitialState:
    return initial_state(scenario, check=False)


def test_the_first_discs_are_shown_while_the_kernels_are_compiled(engine: FakeEngine) -> None:
    seen: list[tuple[int, float, bool]] = []

    def compile_all(report: Callable[[int, int, str], None]) -> None:
        shown = session.latest_frame()
        assert shown is not None
        assert session.scenario is not None
        inside = bool(np.all((shown.frame.positions > 0.0) & (shown.frame.positions < shown.system.box)))
        seen.append((len(shown.scalar), shown.frame.time, inside))

    engine.warm_up_with, engine.preview_of = compile_all, lattice_of
    session = Session(engine)
    load(session, discs(9))
    assert seen == [(9, 0.0, True)]
    shown = session.latest_frame()
    assert shown is not None
    assert shown.system.radii is engine.simulations[0].radii, "the simulation itself comes afterwards"
    session.close()


def test_a_preview_that_is_bad_input_is_told_and_nothing_runs(
    session: Session, engine: FakeEngine, notices: list[Notice]
) -> None:
    engine.preview_of = lattice_of
    load(session, Scenario.from_values({"discs": {"count": 9, "volume_fraction": 0.79}}), run=True)
    assert [notice.key for notice in notices] == ["discs.volume_fraction"]
    assert session.status().state == "empty"
    assert session.latest_frame() is None


def test_no_preview_replaces_what_is_there(session: Session, engine: FakeEngine) -> None:
    load(session, discs(5))
    engine.preview_of = lambda scenario: pytest.fail("a preview over a simulation")
    load(session, discs(6))
    assert session.status().count == 6


@pytest.mark.parametrize("loaded_before", [False, True])
def test_what_to_open_otherwise_counts_only_where_nothing_is(
    session: Session, engine: FakeEngine, notices: list[Notice], loaded_before: bool
) -> None:
    if loaded_before:
        load(session, discs(5))
    session.open("missing.txt", run=False, otherwise="default.toml")
    settle(session)
    assert [notice.key for notice in notices] == ["missing.txt"]
    assert session.status().count == (5 if loaded_before else 7)
    session.open("other.toml", run=False, otherwise="default.txt")
    settle(session)
    assert len(notices) == 1
    assert session.status().count == 7


def test_closing_does_not_wait_for_a_call_that_takes_long(engine: FakeEngine) -> None:
    building, go_on = threading.Event(), threading.Event()
    create = engine.create

    def slow(scenario: Scenario) -> FakeSimulation:
        building.set()
        assert go_on.wait(PATIENCE)
        return create(scenario)

    engine.create = slow  # type: ignore[method-assign]
    session = Session(engine)
    session.load(discs(5))
    assert building.wait(PATIENCE)
    assert not session.close(0.01)
    go_on.set()
    assert session.close()
    assert not session._worker._thread.is_alive()
