"""The real window in the hands of a monkey: no traceback, nothing in the log above info, memory that does not grow.

AGGVIEWER_MONKEY_SECONDS sets how long the slow one plays (default 600), AGGVIEWER_MONKEY_SEED the seed.
What happens between two actions depends on the machine: a seed gives the same actions, not always the same run.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from time import monotonic

import pytest
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from aggviewer.cli.doctor import warm_all
from aggviewer.extensions.lessons.presenting.presenter import Presenter
from aggviewer.session.notices import log
from aggviewer.session.run.run import MOST_RUNS
from aggviewer.window.main_window import MainWindow
from tests.waiting import delete_now, nothing_put_off
from tests.window.conftest import part_of, told, wait_until
from tests.window.monkey import LEFT_ALONE, Log, Monkey, memory, tame
from tests.window.owner_watch import OwnerWatch
from tests.window.watching import state

pytestmark = pytest.mark.opengl

SEED = int(os.environ.get("AGGVIEWER_MONKEY_SEED", "1"))
LONG = float(os.environ.get("AGGVIEWER_MONKEY_SECONDS", "600"))
SHORT = 8.0  # seconds of a short game
PAST = 32  # MB for the past of a run: what is held on purpose is no leak
MOST_GROWTH = 150.0  # MB in the second half of a long game
MOST_WAIT = 300.0  # seconds until what is not needed any more has been given back


def play(window: MainWindow, seed: int, seconds: float) -> None:
    """Let a monkey play; fail with its last deeds."""
    watch = Log(window)
    log.addHandler(watch)
    monkey = Monkey(window, seed, seconds)
    kept_from = [window.commands.action(name) for name in LEFT_ALONE]
    for action in kept_from:
        action.blockSignals(True)  # a click in a menu or in the palette does nothing either
    try:
        wait_until(lambda: monkey.finished)
    finally:
        for action in kept_from:
            action.blockSignals(False)
        log.removeHandler(watch)
        watch.close()
    deeds = "\n".join(monkey.deeds)
    print(f"{monkey.count} actions")
    assert not watch.bad, f"seed {seed}: {watch.bad}\nafter\n{deeds}"
    assert window.isVisible(), deeds


def at_rest(window: MainWindow, scenario: Path) -> tuple[float, int]:
    """MB and widgets with a small scenario in a window that is as at its start."""
    if part_of(window, Presenter).on:
        part_of(window, Presenter).toggle()
    window.session.compare(None)
    window.stage.toasts.close()
    for dialog in QApplication.topLevelWidgets():
        if isinstance(dialog, QDialog):
            dialog.close()
    for card in window.plots._every:  # each is made when it is unfolded first, of a hundred widgets, and stays
        card.make()
    for _ in range(MOST_RUNS + 1):  # no run of the game is kept for undo: up to a gigabyte is, on purpose
        window.session.open(scenario, run=False)
        wait_until(lambda: state(window) == "paused" and window.session.status().count == 225)
    nothing_put_off(window.parameters)
    told(window)
    delete_now()
    return memory(), len(QApplication.allWidgets())


@pytest.fixture
def played(
    window: MainWindow, qtbot: QtBot, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> MainWindow:
    """A window that a monkey may have."""
    assert warm_all() == 0
    tame(monkeypatch, tmp_path, random.Random(SEED))
    monkeypatch.chdir(tmp_path)
    window.session.set_memory(PAST << 20)
    window.session.open(small, run=True)
    wait_until(lambda: state(window) != "empty")
    return window


@pytest.mark.slow
@pytest.mark.timeout(LONG + 600)
def test_a_monkey_finds_nothing_in_ten_minutes_and_leaves_no_memory_behind(played: MainWindow, small: Path) -> None:
    play(played, SEED, 0.5 * LONG)
    half, widgets = at_rest(played, small)
    play(played, SEED + 1, 0.5 * LONG)
    whole, more = at_rest(played, small)
    end = monotonic() + MOST_WAIT  # the last run may have had millions of discs, of which a copy is still measured
    while whole >= half + MOST_GROWTH and monotonic() < end:
        QTest.qWait(1000)
        whole = memory()
    print(f"{half:.0f} MB after half of the time, {whole:.0f} MB at the end; {widgets} and {more} widgets")
    assert whole < half + MOST_GROWTH
    assert more < widgets + 200


def test_a_monkey_changes_the_document_and_its_history_on_the_gui_thread_alone(
    played: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = OwnerWatch(played.session.document, monkeypatch)
    play(played, SEED, SHORT)
    told(played)
    assert not watch.wrong, "\n".join(watch.wrong)
