"""What is loaded, what is shown of it meanwhile, and what happens where it cannot be."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest

from aggviewer.session import Notice, Session
from engine.errors import InputError
from engine.initial import initial_state
from engine.plotting.projection import FROM_ABOVE
from engine.scenario import Scenario
from engine.state import InitialState
from tests.session.driving import PATIENCE, discs, load, settle, until
from tests.session.fakes import FakeEngine


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
    assert session.scenario.seed == 8


def test_bad_input_keeps_what_runs(session: Session, engine: FakeEngine, notices: list[Notice]) -> None:
    load(session, discs(10_000), run=True)
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


def test_a_failing_simulation_is_told_and_the_next_load_works(
    session: Session, engine: FakeEngine, notices: list[Notice]
) -> None:
    load(session, discs(10_000), run=True)
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


def test_compiling_is_reported_and_ends_early_on_close(engine: FakeEngine) -> None:
    reported, go_on = threading.Event(), threading.Event()

    def compile_all(report: Callable[[int, int, str], None]) -> None:
        report(0, 3, "box tree")
        reported.set()
        assert go_on.wait(PATIENCE)
        while True:  # the first report after the session has begun to close ends it
            report(1, 3, "events")

    engine.warm_up_with = compile_all
    session = Session(engine, measuring_view_of=engine.measuring_view_of)
    failures: list[Notice] = []
    session.notices.sent.connect(failures.append)
    session.load(discs(5))
    assert reported.wait(PATIENCE)
    status = session.status()
    assert status.state == "compiling"
    assert (status.preparation.done, status.preparation.total, status.preparation.what) == (0, 3, "box tree")
    go_on.set()
    session.close()
    assert not failures
    assert not engine.simulations


def lattice_of(scenario: Scenario) -> InitialState:
    return initial_state(scenario, check=False)


def test_the_first_discs_are_shown_while_the_kernels_are_compiled(engine: FakeEngine) -> None:
    seen: list[tuple[int, float, bool]] = []

    def compile_all(report: Callable[[int, int, str], None]) -> None:
        shown = session.publishers.latest_frame()
        assert session.scenario is not None
        inside = bool(np.all((shown.frame.positions > 0.0) & (shown.frame.positions < shown.disc_set.box)))
        seen.append((len(shown.scalar), shown.frame.time, inside))

    engine.warm_up_with, engine.preview_of = compile_all, lattice_of
    session = Session(engine, measuring_view_of=engine.measuring_view_of)
    load(session, discs(9))
    assert seen == [(9, 0.0, True)]
    shown = session.publishers.latest_frame()
    assert shown.disc_set.radii is engine.simulations[0].radii, "the simulation itself comes afterwards"
    session.close()


def test_no_preview_replaces_what_is_there(session: Session, engine: FakeEngine) -> None:
    load(session, discs(5))
    engine.preview_of = lambda scenario: pytest.fail("a preview over a simulation")
    load(session, discs(6))
    assert session.status().count == 6


@pytest.mark.parametrize("loaded_before", [False, True])
def test_the_second_choice_is_opened_only_in_an_empty_session(
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


def test_a_run_with_a_title_is_opened_and_does_not_keep_how_the_box_was_turned_and_cut(session: Session) -> None:
    load(session, discs(5))
    view, turn = session.view, (0.5, 0.5, 0.5, 0.5)
    view.turn = turn
    load(session, discs(6))
    assert view.turn == turn, "the same scenario with another value"
    session.load(discs(6), title="Study: number of discs")
    settle(session)
    assert view.turn == FROM_ABOVE
