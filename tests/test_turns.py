"""Work in turns of the event loop."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from PyQt6 import sip
from PyQt6.QtCore import QEventLoop, QObject, QTimer
from PyQt6.QtGui import QPaintEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from aggviewer.turns import OwnTurn, Turns, in_turns, rested, wait_in_turns

ENDLESS = 10**12  # steps: no machine makes them all


def counted(done: list[str], name: str, steps: int) -> Generator[None, None, None]:
    try:
        for step in range(steps):
            done.append(f"{name}{step}")
            yield
        done.append(f"{name} ended")
    finally:
        done.append(f"{name} closed")


def test_one_step_a_turn_and_others_in_between(qtbot: QtBot) -> None:
    done: list[str] = []
    turns = Turns()
    other = QTimer()
    other.timeout.connect(lambda: done.append("-"))
    other.start(0)
    turns.start(counted(done, "a", 3))
    assert done == []  # not in the turn that asks for it
    assert turns.busy
    qtbot.waitUntil(lambda: not turns.busy)
    other.stop()
    assert [one for one in done if one != "-"] == ["a0", "a1", "a2", "a ended", "a closed"]
    for step in range(1, 3):
        assert "-" in done[done.index(f"a{step - 1}") : done.index(f"a{step}")]


def test_other_work_takes_the_place_of_what_is_under_way(qtbot: QtBot) -> None:
    done: list[str] = []
    turns = Turns()
    turns.start(counted(done, "a", ENDLESS))
    qtbot.waitUntil(lambda: "a1" in done)
    turns.start(counted(done, "b", 2))
    assert done[-1] == "a closed"
    del done[:]
    qtbot.waitUntil(lambda: not turns.busy)
    assert done == ["b0", "b1", "b ended", "b closed"]


def test_a_step_may_begin_other_work(qtbot: QtBot) -> None:
    done: list[str] = []
    turns = Turns()

    def first() -> Generator[None, None, None]:
        try:
            turns.start(counted(done, "b", 1))
            yield
            done.append("never")
        finally:
            done.append("first closed")

    turns.start(first())
    qtbot.waitUntil(lambda: not turns.busy)
    assert done == ["first closed", "b0", "b ended", "b closed"]


def test_work_that_fails_is_over(qtbot: QtBot) -> None:
    turns = Turns()

    def failing() -> Generator[None, None, None]:
        yield
        raise OSError("no room")

    turns.start(failing())
    with qtbot.captureExceptions() as caught:
        qtbot.waitUntil(lambda: not turns.busy)
    assert [kind for kind, _, _ in caught] == [OSError]


def test_what_is_left_can_be_done_at_once(qtbot: QtBot) -> None:
    done: list[str] = []
    turns = Turns()
    turns.start(counted(done, "a", 3))
    turns.finish()
    assert done == ["a0", "a1", "a2", "a ended", "a closed"]
    turns.finish()
    QTest.qWait(5)
    assert not turns.busy


class Painted(QWidget):
    """Notes when it is painted."""

    def __init__(self, done: list[str]) -> None:
        super().__init__()
        self._done = done

    def paintEvent(self, event: QPaintEvent | None) -> None:
        self._done.append("painted")


def test_calls_that_take_long_come_one_a_turn_and_after_what_has_changed_is_painted(qtbot: QtBot) -> None:
    done: list[str] = []
    widget = Painted(done)
    qtbot.addWidget(widget)
    widget.show()
    qtbot.waitUntil(lambda: "painted" in done)
    beat = QTimer()
    beat.timeout.connect(lambda: done.append("beat"))  # once in each turn
    beat.start(0)
    turns, other = Turns(), OwnTurn(lambda: (done.append("other"), widget.update()))

    def steps() -> Generator[None, None, None]:
        for step in range(4):
            done.append(f"step {step}")
            widget.update()
            other.ask()
            yield

    turns.start(steps())
    qtbot.waitUntil(lambda: not turns.busy and not other.asked)
    beat.stop()
    for step in range(3):
        here, there = done.index(f"step {step}"), done.index(f"step {step + 1}")
        between = here + 1 + done[here + 1 : there].index("other")
        for first, last in ((here, between), (between, there)):
            assert "beat" in done[first:last]
            assert "painted" in done[first:last]


def test_a_call_is_made_once_however_often_it_is_asked_for_and_not_after_it_is_stopped(qtbot: QtBot) -> None:
    done: list[str] = []
    first, second = OwnTurn(lambda: done.append("first")), OwnTurn(lambda: done.append("second"))
    for turn in (first, second, first):
        turn.ask()
    assert done == []
    qtbot.waitUntil(lambda: not first.asked and not second.asked)
    assert done == ["first", "second"]
    first.ask()
    first.stop()
    second.ask()
    qtbot.waitUntil(lambda: not second.asked)
    QTest.qWait(5)
    assert done == ["first", "second", "second"]
    first.ask()
    first.stop()  # and asked for again while it still stands in the line
    first.ask()
    qtbot.waitUntil(lambda: not first.asked)
    QTest.qWait(5)
    assert done == ["first", "second", "second", "first"]


def test_others_have_their_turns_while_a_call_shows_a_dialog_and_after_one_that_fails(qtbot: QtBot) -> None:
    done: list[str] = []
    inside = QEventLoop()

    def dialog() -> None:
        done.append("shown")
        inside.exec()
        done.append("left")

    def fails() -> None:
        raise OSError("no room")

    turns = [OwnTurn(dialog), OwnTurn(lambda: (done.append("beside"), inside.quit()))]
    for turn in turns:
        turn.ask()
    qtbot.waitUntil(lambda: "left" in done)
    assert done == ["shown", "beside", "left"]
    turns = [OwnTurn(fails), OwnTurn(lambda: done.append("after"))]
    for turn in turns:
        turn.ask()
    with qtbot.captureExceptions() as caught:
        qtbot.waitUntil(lambda: "after" in done)
    assert [kind for kind, _, _ in caught] == [OSError]


def test_a_call_of_something_that_is_gone_is_not_made(qtbot: QtBot) -> None:
    done: list[str] = []
    owner = QObject()
    gone, there = OwnTurn(lambda: done.append("gone"), owner), OwnTurn(lambda: done.append("there"))
    gone.ask()
    there.ask()
    sip.delete(owner)
    qtbot.waitUntil(lambda: not there.asked)
    assert done == ["there"]


def test_small_pieces_fill_a_hundredth_of_a_second_and_then_there_is_a_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(ENDLESS))
    monkeypatch.setattr("aggviewer.turns.perf_counter", lambda: 0.004 * next(clock))
    done: list[int] = []

    def pieces() -> Generator[None, None, None]:
        for piece in range(7):
            done.append(piece)
            yield

    rests = [len(done) for _ in rested(pieces())]
    assert rests == [3, 6, 7]


def test_timers_run_while_something_is_waited_for(qtbot: QtBot) -> None:
    there: list[bool] = []
    QTimer.singleShot(0, lambda: there.append(True))
    assert wait_in_turns(lambda seconds: bool(there), 60.0)
    assert not wait_in_turns(lambda seconds: False, 0.0)
    beats: list[int] = []
    timer = QTimer()
    timer.timeout.connect(lambda: beats.append(1))
    timer.start(0)
    in_turns(range(3))
    assert len(beats) >= 3
