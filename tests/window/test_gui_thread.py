"""Signals of the session reach the window on its own thread."""

from __future__ import annotations

import threading

from psygnal import Signal
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.session.view import ViewModel
from aggviewer.window.gui_thread import GuiThread


class Source:
    """Something with signals."""

    happened = Signal(str, int)
    ended = Signal()


def test_what_another_thread_emits_is_called_on_the_gui_thread_in_order(qapp: QApplication, qtbot: QtBot) -> None:
    source, gui_thread = Source(), GuiThread()
    calls: list[tuple[object, ...]] = []

    def note(*values: object) -> None:
        calls.append((threading.current_thread() is threading.main_thread(), *values))

    gui_thread.connect(source.happened, note)
    gui_thread.connect(source.ended, note)
    emits = threading.Thread(target=lambda: (source.happened.emit("one", 1), source.ended.emit()))
    emits.start()
    emits.join()
    assert calls == [], "queued until the event loop runs"
    qtbot.waitUntil(lambda: len(calls) == 2)
    assert calls == [(True, "one", 1), (True,)]


def test_on_the_gui_thread_it_is_called_at_once_and_after_the_end_not_any_more(qapp: QApplication) -> None:
    source, view, gui_thread = Source(), ViewModel(), GuiThread()
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
