from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from aggviewer.session.notices import Notice, Notices


@pytest.fixture
def notices(tmp_path: Path) -> Iterator[Notices]:
    made = Notices()
    made.install(tmp_path)
    yield made
    made.uninstall()


def collect(notices: Notices) -> list[Notice]:
    got: list[Notice] = []
    notices.sent.connect(got.append)
    return got


def raised() -> ValueError:
    try:
        raise ValueError("the reason")
    except ValueError as error:
        return error


def test_an_exception_of_the_interpreter_becomes_a_notice_and_a_log_entry(notices: Notices, tmp_path: Path) -> None:
    got = collect(notices)
    error = raised()
    sys.excepthook(ValueError, error, error.__traceback__)
    assert [n.level for n in got] == ["error"]
    assert "the reason" in got[0].text
    assert "Traceback" in got[0].details
    assert "the reason" in (tmp_path / "aggviewer.log").read_text()


def test_an_exception_in_a_thread_becomes_a_notice(notices: Notices) -> None:
    got = collect(notices)

    def fail() -> None:
        raise ValueError("in a thread")

    thread = threading.Thread(target=fail, name="some-thread")
    thread.start()
    thread.join()
    assert [("some-thread" in n.title, n.text) for n in got] == [(True, "ValueError: in a thread")]


def test_the_same_failure_again_and_again_is_told_once(tmp_path: Path) -> None:
    now = [0.0]
    notices = Notices(clock=lambda: now[0])
    got = collect(notices)
    error = raised()
    for _ in range(100):
        now[0] += 0.016
        notices.unexpected("It failed", error)
    assert len(got) == 1
    now[0] += 60.0
    notices.unexpected("It failed", error)
    assert len(got) == 2


def test_a_message_about_input_is_told_each_time() -> None:
    notices = Notices(clock=lambda: 0.0)
    got = collect(notices)
    for _ in range(2):
        notices.send(Notice("error", "discs.count must be at least 1", key="discs.count"))
    assert len(got) == 2


def test_a_listener_that_fails_does_not_reach_the_sender() -> None:
    notices = Notices()

    def listener(notice: Notice) -> None:
        raise RuntimeError("listener")

    notices.sent.connect(listener)
    notices.send(Notice("info", "Saved"))


def test_ctrl_c_is_left_to_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[object] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: left.append(kind))
    notices = Notices()
    notices.install(tmp_path)
    try:
        got = collect(notices)
        sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    finally:
        notices.uninstall()
    assert (got, left) == ([], [KeyboardInterrupt])


def test_uninstall_gives_the_hooks_back(tmp_path: Path) -> None:
    before = sys.excepthook, threading.excepthook
    notices = Notices()
    notices.install(tmp_path)
    assert sys.excepthook != before[0]
    notices.uninstall()
    assert (sys.excepthook, threading.excepthook) == before


def test_a_log_folder_that_cannot_be_made_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    notices = Notices()
    notices.install(tmp_path / "file" / "below")
    try:
        got = collect(notices)
        notices.send(Notice("info", "Saved"))
        assert len(got) == 1
    finally:
        notices.uninstall()
