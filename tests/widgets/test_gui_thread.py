"""What is said on any thread reaches the window on its own one, in order."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from psygnal import Signal
from PyQt6.QtCore import QEventLoop, QTimer
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.document.view import ViewModel
from aggviewer.widgets.gui_thread import GuiThread
from tests.waiting import PATIENCE


class Source:
    """Something with signals."""

    happened = Signal(str, int)
    ended = Signal()


@pytest.fixture
def gui_thread(qapp: QApplication) -> GuiThread:
    """One that nothing is connected to."""
    return GuiThread()


def elsewhere(call: Callable[[], object]) -> None:
    """Do it on another thread, and wait until it is done."""
    other = threading.Thread(target=call)
    other.start()
    other.join()


def all_told(gui_thread: GuiThread, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not gui_thread.busy)


def test_signals_of_another_thread_arrive_on_the_gui_thread_in_order(gui_thread: GuiThread, qtbot: QtBot) -> None:
    source = Source()
    calls: list[tuple[object, ...]] = []

    def note(*values: object) -> None:
        calls.append((threading.current_thread() is threading.main_thread(), *values))

    gui_thread.connect(source.happened, note)
    gui_thread.connect(source.ended, note)
    elsewhere(lambda: (source.happened.emit("one", 1), source.ended.emit()))
    assert calls == [], "queued until the event loop runs"
    assert gui_thread.busy
    all_told(gui_thread, qtbot)
    assert calls == [(True, "one", 1), (True,)]


def test_on_the_gui_thread_it_is_called_at_once_and_after_the_end_not_any_more(gui_thread: GuiThread) -> None:
    source, view = Source(), ViewModel()
    calls: list[object] = []

    gui_thread.connect(source.happened, lambda name, _number: calls.append(name))
    gui_thread.connect(view.events, lambda change: calls.append(change.args[0]))
    source.happened.emit("one", 1)
    view.theme = "dark"
    assert calls == ["one", "dark"]
    gui_thread.close()
    source.happened.emit("two", 2)
    view.theme = "light"
    assert calls == ["one", "dark"]


def test_calls_of_several_threads_come_in_the_order_in_which_they_were_asked_for(
    gui_thread: GuiThread, qtbot: QtBot
) -> None:
    source = Source()
    calls: list[str] = []
    gui_thread.connect(source.happened, lambda name, _number: calls.append(name))
    elsewhere(lambda: source.happened.emit("said", 1))
    gui_thread.later(calls.append, "asked here")
    elsewhere(lambda: gui_thread.later(calls.append, "answered"))
    elsewhere(lambda: source.happened.emit("said again", 2))
    assert calls == []
    all_told(gui_thread, qtbot)
    assert calls == ["said", "asked here", "answered", "said again"]


def test_all_that_wait_are_made_together_and_what_comes_meanwhile_later(gui_thread: GuiThread, qtbot: QtBot) -> None:
    calls: list[str] = []
    gui_thread.later(calls.append, "one")
    gui_thread.later(gui_thread.later, calls.append, "said meanwhile")
    gui_thread.later(calls.append, "last")
    all_told(gui_thread, qtbot)
    assert calls == ["one", "last", "said meanwhile"]


def test_an_error_goes_to_the_hook_and_what_follows_comes(gui_thread: GuiThread, qtbot: QtBot) -> None:
    calls: list[str] = []

    def fail() -> None:
        raise OSError("no room")

    for finish in (lambda: all_told(gui_thread, qtbot), gui_thread.finish):
        gui_thread.later(fail)
        gui_thread.later(calls.append, "after it")
        with qtbot.captureExceptions() as caught:
            finish()
        assert [kind for kind, _, _ in caught] == [OSError]
    assert calls == ["after it", "after it"]


def test_inside_a_call_nothing_is_told_before_its_turn(gui_thread: GuiThread, qtbot: QtBot) -> None:
    calls: list[str] = []

    def call() -> None:
        gui_thread.finish()
        calls.append("call")

    gui_thread.later(call)
    gui_thread.later(calls.append, "after it")
    all_told(gui_thread, qtbot)
    assert calls == ["call", "after it"]


def test_while_a_call_shows_a_dialog_the_others_come(gui_thread: GuiThread, qtbot: QtBot) -> None:
    calls: list[str] = []

    loop = QEventLoop()

    def ask() -> None:
        QTimer.singleShot(PATIENCE, loop.quit)  # where nobody answers
        loop.exec()
        calls.append("answered")

    def answer() -> None:
        calls.append("meanwhile")
        loop.quit()

    gui_thread.later(ask)
    gui_thread.later(answer)
    qtbot.waitUntil(lambda: len(calls) == 2)
    assert calls == ["meanwhile", "answered"]
    assert not gui_thread.busy


def test_closing_forgets_what_waits(gui_thread: GuiThread, qapp: QApplication) -> None:
    calls: list[str] = []

    def end() -> None:
        gui_thread.close()
        calls.append("closed")

    gui_thread.later(end)
    gui_thread.later(calls.append, "never")
    qapp.processEvents()
    assert calls == ["closed"]
    assert not gui_thread.busy
    gui_thread.later(calls.append, "never")
    elsewhere(lambda: gui_thread.later(calls.append, "never"))
    qapp.processEvents()
    assert calls == ["closed"]
