"""Work that is kept when the program is closed: which, for how long, how much of it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from aggviewer.session import Session
from aggviewer.session import session as session_module
from aggviewer.session.run.run import Run
from aggviewer.session.saved.autosave import Autosave, KeptWork
from aggviewer.session.saved.session_file import read_session
from aggviewer.session.saved.state import SessionState
from engine.scenario import Scenario
from tests.session.driving import PATIENCE, real_session, settle, until

SMALL = Scenario.from_values({"seed": 5, "discs": {"count": 100, "volume_fraction": 0.2}})


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that does nothing begins at once, but for other work of the machine."""
    monkeypatch.setattr(session_module, "TO_BEGIN", PATIENCE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "kept"


@pytest.fixture
def session(folder: Path) -> Iterator[Session]:
    with real_session(SMALL, kept=KeptWork(folder)) as made:
        yield made


def worked(session: Session, seconds: float = 61.0) -> None:
    """As if what runs now had taken so long."""
    settle(session)
    session._runner.lanes[0].computing_time = seconds


def events(session: Session, count: int) -> None:
    for _ in range(count):
        session.step_event()
    settle(session)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.aggsession"))


def state_of(session: Session) -> SessionState:
    settle(session)
    return session.ask(Run.session_state)


def test_a_minute_of_computing_is_kept_and_comes_back_bit_for_bit(session: Session, folder: Path) -> None:
    events(session, 20)
    worked(session, 59.0)
    session.keep_work()
    assert files(folder) == []
    worked(session)
    session.keep_work()
    assert len(files(folder)) == 1
    time, positions = session.status().time, session._runner.lanes[0].simulation.frame().positions.copy()

    kept = KeptWork(folder)
    (found,) = kept.found()
    assert "N = 100, event-driven" in found.description
    other = Session(kept=kept)
    other.recover(found.path)
    settle(other)
    assert (other.status().state, other.status().time) == ("paused", time)
    assert np.array_equal(other._runner.lanes[0].simulation.frame().positions, positions)
    other.keep_work()
    assert files(folder) == [found.path.name], "nothing has changed"
    events(other, 3)
    other.keep_work()
    assert len(files(folder)) == 1
    assert files(folder) != [found.path.name], "what goes on from kept work takes its place"
    other.close()


def test_saved_work_is_not_kept_again(session: Session, folder: Path, tmp_path: Path) -> None:
    events(session, 5)
    worked(session)
    session.save_session(tmp_path / "a.aggsession")
    settle(session)
    session.keep_work()
    assert files(folder) == []
    events(session, 1)
    session.keep_work()
    assert len(files(folder)) == 1


def test_runs_that_could_be_undone_to_are_kept_too(session: Session, folder: Path) -> None:
    for seed in (6, 7, 8, 9):
        events(session, seed)
        worked(session)
        session.restart(seed)
        settle(session)
    events(session, 3)
    session.keep_work()
    seeds = [Scenario.from_toml(read_session(one.path).scenarios[0]).seed for one in KeptWork(folder).found()]
    assert seeds == [8, 7, 6], "the run that is shown took no time; of the others the newest"


def test_the_same_discs_are_kept_once(session: Session, folder: Path) -> None:
    events(session, 5)
    worked(session)
    session.set_parameter("aggregation.method", "time-stepping")
    settle(session)
    session.compare({"aggregation.method": "event-driven"})
    settle(session)
    session.keep_work()
    assert [len(read_session(one.path).lanes) for one in KeptWork(folder).found()] == [2]


@pytest.mark.parametrize("clock", [(1.7e9, 1.7e9), (4e9, 1.7e9), (1.7e9, 5e9), (0.0, 0.0)])
def test_the_newest_three_within_a_gigabyte_are_kept_whatever_the_clock_says(
    session: Session, folder: Path, clock: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """clock : while the first three are kept, and then. It may be decades ahead, and be set right."""
    kept = KeptWork(folder)
    state = state_of(session)
    names = []
    for place in range(5):
        now = clock[place > 2]
        monkeypatch.setattr(time, "time", lambda now=now: now)
        (path,) = kept.keep([replace(state, saved_at=now)])
        os.utime(path, (now, now))
        names.append(path.name)
    assert files(folder) == names[2:]
    assert [one.path.name for one in kept.found()] == names[:1:-1], "the newest first"
    size = (folder / names[4]).stat().st_size
    small = KeptWork(folder, budget=2 * size + size // 2)
    assert [one.path.name for one in small.found()] == [names[4], names[3]]
    smaller = KeptWork(folder, budget=size // 2)
    assert [one.path.name for one in smaller.found()] == [names[4]], "the newest one whatever its size"


def test_of_work_kept_together_the_run_that_was_shown_comes_first(session: Session, folder: Path) -> None:
    kept = KeptWork(folder)
    state = state_of(session)
    written = kept.keep([replace(state, time=float(k)) for k in range(4)])
    assert len(written) == 3
    assert [read_session(one.path).time for one in kept.found()] == [0.0, 1.0, 2.0]


def test_only_its_own_files_are_discarded(session: Session, folder: Path, tmp_path: Path) -> None:
    kept = KeptWork(folder)
    (path,) = kept.keep([state_of(session)])
    strange = tmp_path / "kept-mine.aggsession"
    strange.write_bytes(b"")
    kept.discard(strange)
    kept.discard(path)
    assert strange.exists()
    assert files(folder) == []
    (folder / "kept-1-2-0.aggsession").write_bytes(b"no session")
    assert kept.found() == []


def test_the_last_autosave_is_kept_if_the_engine_does_not_answer(
    session: Session, folder: Path, tmp_path: Path
) -> None:
    autosave = Autosave(session.notices, tmp_path / "autosave", every=0.0)
    session.saving.autosave = autosave
    session.set_speed(1000.0)
    session.run()
    until(lambda: autosave.path is not None and autosave.path.is_file())
    session.pause()
    settle(session)
    worked(session)
    session.keep_work(to_begin=0.0, patience=0.0)
    assert len(files(folder)) >= 1
    assert KeptWork(folder).found()[0].description.startswith("N = 100,")
