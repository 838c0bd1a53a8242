"""Pace and past in the window: fast and without limit, the past played both ways, the line of time."""

from __future__ import annotations

from math import inf
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from aggviewer.canvas import image_surface
from aggviewer.session import Shown
from aggviewer.session.data import Timeline
from aggviewer.widgets.timeline import TimelineBar
from aggviewer.window.main_window import MainWindow
from tests.waiting import laid_out
from tests.window.conftest import SMALL, hold, window_again
from tests.window.watching import settled, state, time_shown, wait_for

window = window_again
FEW = 25  # discs


@pytest.fixture
def few(window: MainWindow, tmp_path: Path) -> MainWindow:
    """The window with few discs, held at their start: a fast run shows a frame for each of their merges."""
    (tmp_path / "few.toml").write_text(SMALL.replace("225", str(FEW)))
    hold(window, tmp_path / "few.toml")
    return window


def test_the_two_grades_without_a_pace(held: MainWindow, qtbot: QtBot) -> None:
    bar, action = held.transport, held.commands.action

    def graded() -> tuple[float, bool]:
        settled(held, qtbot)
        status = held.session.status()
        return status.speed, status.every_frame

    pace = bar.speed.number
    assert graded() == (pace, False)
    assert bar.fastest.defaultAction() is action("run.fastest")
    qtbot.keyClick(held, Qt.Key.Key_A)
    assert graded() == (inf, True)
    assert bar.value.text() == "fast"
    assert action("run.fastest").isChecked()
    assert not bar.speed.isEnabled()
    qtbot.keyClick(held, Qt.Key.Key_A, Qt.KeyboardModifier.ShiftModifier)
    assert graded() == (inf, False)
    assert bar.value.text() == "no limit"
    assert not action("run.fastest").isChecked()
    assert action("run.no_limit").isChecked()
    assert bar.fastest.defaultAction() is action("run.no_limit"), "the button shows what is on"
    qtbot.keyClick(held, Qt.Key.Key_A)
    assert graded() == (inf, True)
    qtbot.mouseClick(bar.fastest, Qt.MouseButton.LeftButton, pos=QPoint(6, bar.fastest.height() // 2))
    assert graded() == (pace, False)
    assert bar.speed.isEnabled()
    menu = bar.fastest.menu()
    assert menu is not None
    assert [entry.text() for entry in menu.actions()] == ["Fast", "No limit"]


def test_frames_that_are_painted_beside_the_gui_thread_are_not_copied_and_the_last_one_stays(
    few: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image_surface, "MOST_PAINTED_AT_ONCE", 10)
    lent: list[bool] = []
    scene = few.canvas.scene

    def look(lane: int, shown: Shown) -> None:
        lent.append(scene.positions is shown.frame.positions)

    few.refresher.frame_shown.connect(look)
    qtbot.keyClick(few, Qt.Key.Key_A)
    few.session.run()
    wait_for(qtbot, lambda: state(few) == "finished" and time_shown(few) == few.session.status().time)
    few.refresher.frame_shown.disconnect(look)
    assert len(lent) > 2
    assert all(lent), "no frame is copied"
    wait_for(qtbot, lambda: not few.canvas.busy)
    laid_out(few)
    beside = few.canvas.grab().toImage()
    monkeypatch.setattr(image_surface, "MOST_PAINTED_AT_ONCE", 100_000)
    drawn = few.canvas.frames_drawn
    few.canvas.pin("path", None)
    few.session.view.show_box = False
    few.session.view.show_box = True
    wait_for(qtbot, lambda: few.canvas.frames_drawn > drawn and not few.canvas.busy)
    assert few.canvas.grab().toImage() == beside


@pytest.fixture
def line(qtbot: QtBot) -> TimelineBar:
    made = TimelineBar()
    qtbot.addWidget(made)
    made.resize(900, 24)
    made.show_timeline(Timeline(2.0, 1002.0, 1002.0, np.array([12.0])))
    return made


def test_a_log_scale_gives_room_to_the_first_moments(line: TimelineBar) -> None:
    left, right = line.position_of(2.0), line.position_of(1002.0)
    even = line.position_of(12.0)
    assert even - left == pytest.approx(0.01 * (right - left), rel=1e-6)
    line.log = True
    assert line.position_of(12.0) - left == pytest.approx(0.5 * (right - left), rel=0.01)
    assert (line.position_of(2.0), line.position_of(1002.0)) == (left, right)
    for time in (2.0, 2.5, 7.0, 90.0, 900.0):
        assert line.time_at(line.position_of(time)) == pytest.approx(time, rel=1e-9)
    line.grab()  # with its decades
    line.show_timeline(Timeline(0.0, 0.0, 0.0, np.empty(0)))
    line.grab()
