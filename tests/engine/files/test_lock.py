"""Locks, and what happens on file systems that have none: what needs them says so at once and leaves nothing."""

from __future__ import annotations

import errno
import fcntl
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

import pytest

from aggviewer.session.notices import Notice, Notices
from aggviewer.session.saved.autosave import Autosave, KeptWork
from engine.errors import InputError
from engine.files.writing import Lock, lock_if_possible, locked_folder
from tests.cli.conftest import Call, call
from tests.session.session_files import amid, state_of

__all__ = ["call"]

MISSING = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL)
STUDY = (
    'title = "t"\nscenario = "lattice-100"\n[seeds]\ncount = 1\n[stop]\nuntil_events = 1\n'
    '[[vary]]\nkey = "discs.count"\nvalues = [16]\n[measure]\nquantities = ["sim_time"]\n'
)


def without(monkeypatch: pytest.MonkeyPatch, code: int, *kinds: str) -> None:
    """A file system without these ways to lock a file."""

    def refuse(*_: object) -> NoReturn:
        raise OSError(code, "not here")

    for kind in kinds:
        monkeypatch.setattr(fcntl, kind, refuse)


@pytest.mark.parametrize("code", MISSING)
def test_a_lock_that_cannot_be_taken_leaves_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int) -> None:
    without(monkeypatch, code, "flock")
    with pytest.raises(OSError, match=str(code)):
        Lock(tmp_path / "a.lock")
    assert lock_if_possible(tmp_path / "a.lock") is None
    assert lock_if_possible(tmp_path / "a.lock", wait=True) is None
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_waits_is_taken_when_the_other_one_is_released(tmp_path: Path) -> None:
    first = Lock(tmp_path / "a.lock")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(lock_if_possible, tmp_path / "a.lock", wait=True)
        with pytest.raises(TimeoutError):
            waiting.result(0.2)
        first.release()
        second = waiting.result(60.0)
    assert second.taken
    second.release()
    assert list(tmp_path.iterdir()) == []


def test_another_error_is_no_missing_lock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without(monkeypatch, errno.EIO, "flock")
    with pytest.raises(OSError, match="not here"):
        lock_if_possible(tmp_path / "a.lock")


@pytest.mark.parametrize("kinds", [("flock",), ("lockf",), ("flock", "lockf")])
@pytest.mark.parametrize("code", MISSING)
def test_a_folder_whose_files_must_be_locked_is_refused_and_not_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int, kinds: tuple[str, ...]
) -> None:
    without(monkeypatch, code, *kinds)
    with (
        pytest.raises(
            InputError, match="file system without file locks, which are needed here; use a folder on a local"
        ),
        locked_folder(tmp_path / "a" / "b", needed=True),
    ):
        pass
    assert list(tmp_path.iterdir()) == []
    with locked_folder(tmp_path / "a" / "b"):  # a run needs none
        pass
    (tmp_path / "a" / "b" / "mine").touch()
    with pytest.raises(InputError), locked_folder(tmp_path / "a" / "b", needed=True):
        pass
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["mine"]


@pytest.mark.parametrize("kind", ["flock", "lockf"])
def test_a_study_without_locks_ends_at_once_with_a_sentence_and_leaves_nothing(
    call: Call, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    without(monkeypatch, errno.ENOLCK, kind)
    done = call("study", tmp_path / "study.toml", "--out", tmp_path / "results", "--workers", "1")
    assert done.status == 2
    (sentence,) = done.err.splitlines()
    assert "use a folder on a local disk" in sentence
    assert str(tmp_path / "results") in sentence
    assert [path.name for path in tmp_path.iterdir()] == ["study.toml"]


def test_autosaves_say_that_they_need_locks_and_kept_work_needs_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    without(monkeypatch, errno.ENOLCK, "flock", "lockf")
    notices, told = Notices(), list[Notice]()
    notices.sent.connect(told.append)
    state = state_of(amid("event-driven", "walls"))
    autosave = Autosave(notices, tmp_path / "autosave")
    autosave.offer(1, lambda: state)
    assert autosave.finish()
    autosave.close()
    assert list((tmp_path / "autosave").iterdir()) == []
    (notice,) = told
    assert "file system without file locks; XDG_STATE_HOME can name a local folder" in notice.text
    (kept,) = KeptWork(tmp_path / "kept").keep([state])
    assert list((tmp_path / "kept").iterdir()) == [kept]
    assert [one.path for one in KeptWork(tmp_path / "kept").found()] == [kept]
