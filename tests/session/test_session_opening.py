"""A session opens as it was saved: held, running, or at its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from aggviewer.session import Session
from aggviewer.session.saved.session_file import read_session, write_session
from engine.scenario import Scenario
from tests.session.driving import real_session, settle, until

MANY = Scenario.from_values({"seed": 11, "discs": {"count": 400}})
FEW = {"discs.count": 30, "discs.arrangement": "random", "discs.volume_fraction": 0.5, "box.boundary": "periodic"}
JAMMING = Scenario().with_values(
    {"system": "jamming", "discs.radii": "bidisperse", "discs.spread": 1.4, "velocities.distribution": "rest"} | FEW
)
GROWING = Scenario().with_values(
    {"system": "hard-discs", "hard_discs.growth_rate": 0.1, "hard_discs.growth_to_fraction": 0.6} | FEW
)


@pytest.fixture
def session() -> Iterator[Session]:
    with real_session() as made:
        yield made


def saved(session: Session, path: Path) -> Path:
    session.save_session(path)
    settle(session)
    assert path.is_file()
    return path


def reopened(session: Session, path: Path, run: bool | None) -> str:
    session.open(path, run=run)
    settle(session)
    return session.status().state


def test_a_session_saved_in_pause_opens_in_pause(session: Session, tmp_path: Path) -> None:
    session.load(MANY, run=False)
    for _ in range(5):
        session.step_event()
    settle(session)
    path, before = saved(session, tmp_path / "a.aggsession"), session.status()
    session.load(MANY, run=True)
    for run in (True, None, False):
        assert reopened(session, path, run) == "paused"
        status = session.status()
        assert (status.time, status.clusters) == (before.time, before.clusters)
        assert status.events["merge"] == before.events["merge"] > 0
    session.run()
    until(lambda: session.status().time > before.time)


def test_a_session_saved_while_running_runs_on_unless_it_is_to_be_held(session: Session, tmp_path: Path) -> None:
    session.set_speed(1e-3)
    session.load(MANY, run=True)
    until(lambda: session.status().time > 0.0)
    path = saved(session, tmp_path / "a.aggsession")
    assert read_session(path).saved_as == "running"
    assert reopened(session, path, True) == "running"
    session.pause()
    settle(session)
    assert reopened(session, path, None) == "running"
    assert reopened(session, path, False) == "paused"


@pytest.mark.parametrize("scenario", [MANY, GROWING, JAMMING], ids=lambda scenario: scenario.system)
def test_a_session_saved_at_its_end_stays_ended(session: Session, tmp_path: Path, scenario: Scenario) -> None:
    session.set_speed(inf)
    session.load(scenario, run=True)
    until(lambda: session.status().state == "finished")
    path, before = saved(session, tmp_path / "a.aggsession"), session.status()
    session.load(MANY, run=False)
    for run in (True, None, False):
        assert reopened(session, path, run) == "finished"
        session.run()
        settle(session)
        status = session.status()
        assert (status.state, status.time, status.events) == ("finished", before.time, before.events)


@pytest.mark.parametrize("run", [True, False])
def test_a_file_that_does_not_say_opens_as_it_is_asked_for(session: Session, tmp_path: Path, run: bool) -> None:
    session.load(MANY, run=False)
    path = saved(session, tmp_path / "a.aggsession")
    write_session(path, replace(read_session(path), saved_as=None))
    session.set_speed(1e-3)
    assert reopened(session, path, run) == ("running" if run else "paused")


def test_an_autosave_of_what_ran_is_recovered_in_pause(session: Session, tmp_path: Path) -> None:
    session.set_speed(1e-3)
    session.load(MANY, run=True)
    path = saved(session, tmp_path / "a.aggsession")
    session.recover(path)
    settle(session)
    assert session.status().state == "paused"
