"""Autosaves: when they are due, that they cost little and harm nothing, and what is found after a crash."""

from __future__ import annotations

import errno
import os
import sys
import threading
import tracemalloc

import pytest

import engine
from aggviewer.document.document import Document
from aggviewer.document.view import ViewModel
from aggviewer.latest_job import CancelledError
from aggviewer.session.notices import Notices
from aggviewer.session.publisher import Publishers
from aggviewer.session.run.lanes import Lane, bytes_of
from aggviewer.session.run.run import Run, SessionRuns
from aggviewer.session.saved.autosave import Autosave
from aggviewer.session.saved.session_file import read_session, write_session
from aggviewer.session.saved.state import SessionState
from aggviewer.session.saving import Saving
from engine import Scenario
from tests.session.driving import PATIENCE, until
from tests.session.session_files import amid, assert_same, child, state_of


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def notices():
    found = Notices()
    found.list = []
    found.sent.connect(found.list.append)
    return found


@pytest.fixture
def autosave(tmp_path, notices, clock):
    made = Autosave(notices, tmp_path / "state", clock=clock)
    yield made
    made.close()


@pytest.fixture(scope="module")
def state():
    return state_of(amid("event-driven", "walls"))


def plain(time=0.0):
    """A state for tests that do not write it."""
    return SessionState([], [], time, 1, 1)


def left_behind(folder, pid=99999999):
    """What a program that crashed has left: its file, and a lock that nobody holds."""
    path = folder / f"autosave-{pid}.aggsession"
    folder.mkdir(parents=True, exist_ok=True)
    write_session(path, state_of(amid("event-driven", "walls"), saved_at=1e9 + pid))
    path.with_suffix(".lock").touch()
    return path


def test_an_autosave_is_due_every_minute(autosave, clock, state):
    assert not autosave.due()
    clock.now += 59.9
    assert not autosave.due()
    clock.now += 0.2
    assert autosave.due()
    autosave.offer(1, lambda: state)
    assert not autosave.due()
    assert autosave.finish()
    clock.now += 60.1
    assert autosave.due()


def test_an_unchanged_run_is_not_copied_again(autosave, clock, state):
    taken = []

    def take():
        taken.append(1)
        return state

    for mark in ("a", "a", "b", "b"):
        autosave.offer(mark, take)
        assert autosave.finish()
        clock.now += 61
        assert autosave.due()
    assert len(taken) == 2


def test_a_copy_that_takes_long_is_made_less_often(autosave, clock, state):
    def take():
        clock.now += 2.0
        return state

    autosave.offer(1, take)
    assert autosave.finish()
    clock.now += 190
    assert not autosave.due()
    clock.now += 10
    assert autosave.due()


def test_no_autosave_is_due_while_the_last_one_is_being_written(tmp_path, notices, clock):
    begun, go_on = threading.Event(), threading.Event()

    def write(path, state, cancelled):
        begun.set()
        assert go_on.wait(PATIENCE)

    autosave = Autosave(notices, tmp_path, clock=clock, write=write)
    autosave.offer(1, plain)
    assert begun.wait(PATIENCE)
    clock.now += 1000
    assert not autosave.due()
    go_on.set()
    assert autosave.finish()
    assert autosave.due()
    autosave.close()


def test_a_clean_end_leaves_nothing(autosave, state, tmp_path):
    autosave.offer(1, lambda: state)
    assert autosave.finish()
    assert len(list((tmp_path / "state").iterdir())) == 2
    autosave.close()
    assert list((tmp_path / "state").iterdir()) == []
    autosave.offer(2, lambda: state)
    autosave.close()
    assert list((tmp_path / "state").iterdir()) == []


def test_closing_ends_what_is_being_written(tmp_path, notices):
    begun = threading.Event()

    def write(path, state, cancelled):
        begun.set()
        until(cancelled)
        raise CancelledError

    autosave = Autosave(notices, tmp_path, write=write)
    autosave.offer(1, plain)
    assert begun.wait(PATIENCE)
    autosave.close()
    assert notices.list == []


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), MemoryError()])
def test_a_full_disk_is_told_once_and_it_goes_on(tmp_path, notices, clock, error, state):
    failing = [True]

    def write(path, state, cancelled):
        if failing[0]:
            raise error
        write_session(path, state, cancelled)

    autosave = Autosave(notices, tmp_path, clock=clock, write=write)
    for mark in range(3):
        autosave.offer(mark, lambda: state)
        assert autosave.finish()
        clock.now += 61
        assert autosave.due()
    assert [(notice.level, notice.title) for notice in notices.list] == [("warning", "Autosave is not working")]
    assert ("No space left" if isinstance(error, OSError) else "memory") in notices.list[0].text
    failing[0] = False  # the same state again: it has not been written yet
    autosave.offer(2, lambda: state)
    assert autosave.finish()
    assert autosave.path.is_file()
    autosave.close()


def test_a_run_that_is_too_large_is_not_copied_and_told_once(tmp_path, notices, clock, state):
    autosave = Autosave(notices, tmp_path / "state", clock=clock, most=1000)

    def take():
        raise AssertionError("copied")

    for mark in (1, 2):
        autosave.offer(mark, take, lambda: 1001)
    (told,) = notices.list
    assert told.level == "warning"
    assert autosave.path is None
    clock.now += 61
    assert autosave.due()
    autosave.offer(3, lambda: state, lambda: 1000)
    assert autosave.finish()
    assert autosave.path.is_file(), "a smaller one is saved"
    autosave.close()


@pytest.mark.parametrize("most", [0, 1 << 40])
def test_the_memory_that_an_autosave_takes(tmp_path, notices, clock, most):
    """The whole way from the session: beyond the limit next to nothing, within it no more than the run has."""
    written = []
    autosave = Autosave(notices, tmp_path, clock=clock, most=most, write=lambda path, state, stop: written.append(1))
    scenario = Scenario().with_values({"discs.count": 20_000})
    simulation = engine.create(scenario)
    publishers = Publishers(None, ViewModel(), notices, lambda: None, lambda lane: None, lambda: None)
    lane = Lane(scenario, simulation, publishers.publisher_of(0))
    publishers.close()
    runs = SessionRuns()
    runs.now.present = Run([lane])
    saving = Saving(runs, Document(), notices, autosave)
    lane.simulation.checkpoint()
    clock.now += 61
    size = bytes_of(lane.simulation)
    tracemalloc.start()
    saving.keep_safe()
    assert autosave.finish()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    autosave.close()
    assert size > 8e6
    assert len(written) == (most > 0)
    assert peak < (size if most else 0.02 * size)


def test_a_folder_that_cannot_be_made_is_told(tmp_path, notices, state):
    (tmp_path / "file").touch()
    autosave = Autosave(notices, tmp_path / "file" / "state")
    assert autosave.found() == []
    autosave.offer(1, lambda: state)
    assert autosave.finish()
    autosave.close()
    assert len(notices.list) == 1


def test_an_error_that_nobody_expects_does_not_end_it(tmp_path, notices):
    autosave = Autosave(notices, tmp_path, write=lambda *_: 1 / 0)
    for mark in range(2):
        autosave.offer(mark, plain)
        assert autosave.finish()
    autosave.close()
    assert {notice.level for notice in notices.list} == {"error"}


def test_autosaves_of_crashed_programs_are_found(autosave, state, tmp_path):
    folder = tmp_path / "state"
    assert autosave.found() == []
    older, newer = left_behind(folder, 99999998), left_behind(folder)
    (folder / "autosave-7.aggsession").write_bytes(b"nothing of the kind")
    autosave.offer(1, lambda: state)
    assert autosave.finish()
    found = autosave.found()
    assert [one.path for one in found] == [newer, older]
    assert found[0].saved_at == 1e9 + 99999999
    assert found[0].description.startswith("N = 120, event-driven, t = ")
    autosave.discard(newer)
    assert [one.path for one in autosave.found()] == [older]
    assert not newer.with_suffix(".lock").exists()
    autosave.discard(tmp_path / "other.aggsession")
    autosave.discard(autosave.path)
    assert autosave.path.exists()


def test_a_half_written_autosave_is_removed_if_its_program_has_ended_whatever_its_date(autosave, state, tmp_path):
    autosave.offer(1, lambda: state)
    assert autosave.finish()
    half = autosave.path.with_name(f".{autosave.path.name}.{os.getpid()}.partial")
    half.touch()
    os.utime(half, (0.0, 0.0))
    left = tmp_path / "state" / ".autosave-000007-1.aggsession.1.partial"
    left.touch()
    Autosave(Notices(), tmp_path / "state").found()
    assert half.exists(), "its program still writes it"
    assert not left.exists()
    half.unlink()


def test_two_programs_in_one_process_have_files_of_their_own(autosave, state, notices, tmp_path):
    """Process numbers are not unique where several containers share a home."""
    other = Autosave(notices, tmp_path / "state")
    for one in (autosave, other):
        one.offer(1, lambda: state)
        assert one.finish()
    assert other.path.name == f"autosave-000002-{os.getpid()}.aggsession"
    assert autosave.found() == other.found() == []
    other.discard(autosave.path)
    assert autosave.path.exists()
    other.close()
    assert autosave.path.exists()


def test_one_that_had_our_number_is_not_written_over(autosave, state, tmp_path):
    old = left_behind(tmp_path / "state", os.getpid())
    whole = old.read_bytes()
    autosave.offer(1, lambda: state)
    assert autosave.finish()
    assert autosave.path != old
    assert old.read_bytes() == whole
    assert [one.path for one in autosave.found()] == [old]


CHILD = """
import sys
from pathlib import Path
from aggviewer.session.saved.autosave import Autosave
from aggviewer.session.notices import Notices
from aggviewer.session.saving import Saving
from engine import Scenario
from tests.session.session_files import amid, state_of

autosave = Autosave(Notices(), Path(sys.argv[1]))
autosave.offer(1, lambda: state_of(amid("rigid", "periodic")))
assert autosave.finish()
print("saved", flush=True)
sys.stdin.readline()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_a_program_that_is_killed_is_recovered_but_not_while_it_runs(tmp_path, notices):
    with child(CHILD, tmp_path) as process:
        autosave = Autosave(notices, tmp_path)
        assert autosave.found() == []
    (found,) = autosave.found()
    assert found.path.name == f"autosave-000001-{process.pid}.aggsession"
    import engine

    again = engine.restore(read_session(found.path).lanes[0])
    first = amid("rigid", "periodic")
    first.advance(until_clusters=20)
    again.advance(until_clusters=20)
    assert_same(first, again)
    autosave.discard(found.path)
    assert list(tmp_path.iterdir()) == []
    autosave.close()
