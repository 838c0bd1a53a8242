"""The Python console: opened by a person alone, with copies at hand, commands that are queued, and nothing left."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QTextEdit

from aggviewer.extensions.console.console import Console
from aggviewer.session import Notice
from aggviewer.window.main_window import MainWindow
from engine.selection import Selection
from tests.window.conftest import SMALL, hold, part_of, wait_until

pytest.importorskip("qtconsole")


@pytest.fixture
def window(window_again: MainWindow) -> MainWindow:
    """The window that all tests of this file share, with the small scenario held."""
    return window_again


@pytest.fixture(scope="module")
def opened(shared_window: MainWindow) -> Console:
    """The console of that window, made by its command; its thread stays until the window is closed."""
    shared_window.commands.run("view.console")
    found = part_of(shared_window, Console)
    wait_until(lambda: "In [" in text(found))
    return found


@pytest.fixture
def console(opened: Console, window: MainWindow) -> Iterator[Console]:
    """The console, in sight, with the focus."""
    assert opened.dock is not None
    if opened.dock.isHidden():
        opened.toggle()
    opened.prompt.setFocus()
    yield opened
    if not opened.dock.isHidden():
        opened.toggle()


def field_of(console: Console) -> QTextEdit:
    """The field that is typed in; another one, for long help, is hidden."""
    (field,) = [one for one in console.prompt.console.findChildren(QTextEdit) if not one.isHidden()]
    return field


def text(console: Console) -> str:
    """What stands in the console."""
    return field_of(console).toPlainText()


def do(console: Console, source: str, *, ends: bool = True) -> str:
    """Run a cell; what it says. ends : whether the console is there afterwards."""
    before = len(text(console))
    number = console.prompt.shell.execution_count
    console.prompt.execute(source)
    if not ends:
        return ""
    wait_until(lambda: text(console).rstrip().endswith(f"In [{number + 1}]:"))
    return text(console)[before:]


def at_hand(console: Console, name: str):
    return console.prompt.shell.user_ns[name]


def test_only_a_person_opens_it_and_nothing_of_it_is_left_when_the_window_is_closed(
    make_window: Callable[[], MainWindow], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    one = make_window()
    console = part_of(one, Console)
    # no file
    for line in ('console = "print(1)"', "view.console = true", "[console]\nopen = true"):
        path = tmp_path / "evil.toml"
        path.write_text(f"{SMALL}\n{line}\n")
        one.session.open(path)
        done = threading.Event()
        one.session.after_commands(done.set)
        wait_until(done.is_set)
        assert console.dock is None
    # not installed
    notices: list[Notice] = []
    one.session.notices.sent.connect(notices.append)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "qtconsole.inprocess", None)
        one.commands.run("view.console")
    assert console.dock is None
    wanted = "It needs qtconsole. Run pip install 'aggviewer[console]', then restart aggviewer."
    assert [notice.text for notice in notices] == [wanted]
    assert not one.commands.action("view.console").isChecked()
    # the process is as it was: only the thread of the console is there besides
    before = set(threading.enumerate())
    process = dict(os.environ), sys.modules["__main__"], sys.stdout, sys.stderr, sys.excepthook, sys.displayhook
    one.commands.run("view.console")
    before_prompt: list[bool] = []

    def quit_before_the_prompt() -> None:
        if not before_prompt:
            before_prompt.append("In [" not in text(console))
            QTimer.singleShot(0, lambda: console.prompt.execute("window.command('file.quit')"))

    field_of(console).textChanged.connect(quit_before_the_prompt)
    assert one.commands.action("view.console").isChecked()
    assert {thread.name for thread in set(threading.enumerate()) - before} <= {"IOPub"}
    now = dict(os.environ), sys.modules["__main__"], sys.stdout, sys.stderr, sys.excepthook, sys.displayhook
    assert now == process
    # closed from inside, by a cell that is there before the first prompt
    wait_until(lambda: not one.isVisible())
    assert before_prompt == [True]
    assert "IOPub" not in [thread.name for thread in set(threading.enumerate()) - before]
    now = dict(os.environ), sys.modules["__main__"], sys.stdout, sys.stderr, sys.excepthook, sys.displayhook
    assert now == process
    assert sys.gettrace() is None or "coverage" in sys.modules
    assert "aggviewer_console" not in sys.modules
    assert list(tmp_path.glob(".[ij]*")) == []  # .ipython, .jupyter


def test_frame_scenario_and_selection_are_fresh_copies(window: MainWindow, console: Console) -> None:
    shown = window.refresher.shown()
    assert shown is not None
    before = shown.frame.positions.copy(), shown.disc_set.radii.copy()
    assert "225" in do(console, "len(frame.positions)")
    do(console, "frame.positions[:] = 0.0; frame.velocities[:] = 7.0; frame.fields['cluster'][:] = 3; frame.time = 99")
    do(console, "frame.discs.radii[:] = 5.0")
    assert (at_hand(console, "frame").discs.radii == 5.0).all()
    after = window.refresher.shown()
    assert after is not None
    assert (after.frame.positions == before[0]).all()
    assert (after.disc_set.radii == before[1]).all()
    checkpoint = window.session.checkpoint()
    assert not any(
        (array == 7.0).all() for array in checkpoint.arrays.values() if array.size > 2 and array.dtype == float
    )
    do(console, "kept = frame.positions")  # another cell has another copy
    assert (at_hand(console, "kept") == before[0]).all()
    assert at_hand(console, "frame").time == 0.0
    assert not np.shares_memory(at_hand(console, "frame").positions, after.frame.positions)
    assert "225" in do(console, "scenario.discs.count")
    assert at_hand(console, "scenario") is not window.session.scenario
    window.session.marking.select(Selection.discs([3, 5], 225))
    assert "[3 5]" in do(console, "print(np.flatnonzero(selection))")
    assert "2, 2" in do(console, "frame.positions[selection].shape")
    window.session.marking.select(Selection.none(225))
    assert "False" in do(console, "bool(selection.any())")


@pytest.mark.slow
def test_commands_are_queued_and_the_run_goes_on_meanwhile(window: MainWindow, console: Console, small: Path) -> None:
    session = window.session
    do(console, "window.run()")
    wait_until(lambda: session.status().state == "running")
    do(console, "t = [frame.time]")
    wait_until(lambda: session.status().time > at_hand(console, "t")[0])
    do(console, "window.pause()")
    wait_until(lambda: session.status().state == "paused")
    before = session.status().time
    do(console, "window.step()")
    wait_until(lambda: session.status().time > before)
    goal = session.status().time + 0.5
    do(console, f"window.until({goal})")
    wait_until(lambda: session.status().state == "paused" and session.status().time >= goal)
    assert session.status().time == pytest.approx(goal)
    do(console, "window.select('radius > 0')")
    assert len(session.marking.value.selected) == 225
    do(console, "window.select('3, 17')")
    assert list(session.marking.value.selected.numbers) == [3, 17]
    do(console, "window.command('edit.select_none')")
    wait_until(lambda: not session.marking.value.selected)
    do(console, "window.load(scenario.with_values({'seed': 11}))")
    wait_until(lambda: session.scenario.seed == 11)
    do(console, f"window.open({str(small)!r})")
    wait_until(lambda: session.scenario.seed == 5)
    do(console, "window.set('aggregation.method', 'time-stepping')")
    wait_until(lambda: session.status().lanes and session.status().lanes[0].method == "time-stepping")
    hold(window, small)


WRONG = {
    "window.until(-1)": "until needs a time later than",
    "window.set('discs.count', 100)": "discs.count can only be set at the start",
    "window.set('discs.count', -1)": "discs.count must be",
    "window.open('nowhere')": "there is neither a file nor a bundled scenario nowhere",
    "window.command('no.such')": "there is no command no.such",
    "window.command('edit.select_none')": "edit.select_none cannot be used now: No disc is selected",
    "window.load(3)": "load needs a scenario",
    "window.select('speed >')": ".",
}


def test_mistakes_in_the_console_are_reported_in_a_sentence(window: MainWindow, console: Console) -> None:
    for typed, said in WRONG.items():
        answer = do(console, typed)
        assert said in answer, typed
        assert "Traceback" not in answer, typed


def test_errors_stay_in_the_console_and_a_cell_can_be_interrupted(window: MainWindow, console: Console) -> None:
    notices: list[Notice] = []
    window.session.notices.sent.connect(notices.append)
    assert "ZeroDivisionError" in do(console, "1 / 0")
    assert "SystemExit" in do(console, "raise SystemExit(3)") or window.isVisible()
    assert "to stdout" in do(console, "print('to stdout')")
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    assert "KeyboardInterrupt" in do(console, "while True: pass")
    assert "4" in do(console, "2 + 2")
    field = field_of(console)
    QTest.keyClick(field, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)  # with nothing selected
    assert "9" in do(console, "4 + 5")
    assert window.isVisible()
    window.session.notices.sent.disconnect(notices.append)
    assert notices == []
