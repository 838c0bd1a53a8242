"""Work in turns of the event loop."""

from __future__ import annotations

from collections.abc import Generator

from PyQt6.QtCore import QTimer
from PyQt6.QtTest import QTest
from pytestqt.qtbot import QtBot

from aggviewer.turns import Turns, in_turns, wait_in_turns

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
