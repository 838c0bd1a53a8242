"""What the session has said reaches the window before what relies on it: frames, commands, answers to lessons."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.extensions.export_dialogs import film_files
from aggviewer.extensions.export_dialogs.film_dialog import FilmDialog
from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.extensions.stepping.mode import StepView
from aggviewer.widgets.gui_thread import GuiThread
from aggviewer.window.canvases import Canvases
from aggviewer.window.main_window import MainWindow
from aggviewer.window.run_display import Comparing
from tests.window.conftest import PATIENCE, SMALL, hold, part_of, wait_until, window_again

window = window_again


def test_the_window_knows_the_run_before_it_shows_a_frame(window: MainWindow) -> None:
    order: list[str] = []
    window.refresher.takes_no_frames = True
    window.refresher.frame_shown.connect(lambda lane, one: order.append("frame"))
    before = window.session.status().time
    window.session.step_frame()
    wait_until(lambda: window.session.status().time > before)
    part_of(window, GuiThread).later(order.append, "said")
    window.refresher.takes_no_frames = False
    wait_until(lambda: "frame" in order)
    assert order[0] == "said"


def test_a_command_finds_a_window_that_knows_the_present_run(window: MainWindow, qtbot: QtBot) -> None:
    gui_thread = part_of(window, GuiThread)
    said: list[str] = []
    gui_thread.later(said.append, "command")
    window.commands.run("view.fit")
    assert said == ["command"]
    gui_thread.later(said.append, "key")
    qtbot.keyClick(window.canvas, Qt.Key.Key_F)
    assert said == ["command", "key"]
    gui_thread.later(said.append, "click")
    qtbot.mouseClick(window.plots, Qt.MouseButton.LeftButton)
    assert said == ["command", "key", "click"]


def test_inside_a_step_the_picture_has_the_discs_that_run(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text(SMALL.replace("225", "100") + '[aggregation]\nmethod = "time-stepping"\n')
    assert window.canvas.scene.count == 225
    window.refresher._timer.stop()  # late, as on a busy machine
    window.session.open(tmp_path / "other.toml", run=False)
    wait_until(lambda: window.session.status().count == 100 and window.session.status().state == "paused")
    assert window.canvas.scene.count == 225
    window.commands.run("method.inside")
    assert window.canvas.scene.count == 100
    window.refresher._timer.start()
    wait_until(lambda: part_of(window, StepView).mode.story is not None)


def test_an_answer_to_a_lesson_comes_after_what_was_said_before(window: MainWindow, tmp_path: Path) -> None:
    classroom = part_of(window, Lessons).classroom
    (tmp_path / "other.toml").write_text(SMALL.replace("225", "100"))
    counts: list[int] = []
    window.session.open(tmp_path / "other.toml", run=False)
    classroom.after_commands(lambda: counts.append(part_of(window, Comparing).scenarios[0].discs.count))
    wait_until(lambda: bool(counts))
    assert counts == [100]


def test_the_film_dialog_lets_the_window_go_on_while_it_waits(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(film_files, "_PATIENCE", 60.0)
    free, freed = threading.Event(), []
    window.session._worker.post(lambda: freed.append(free.wait(PATIENCE)))

    def leave() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, FilmDialog):
            dialog.reject()
        else:
            QTimer.singleShot(5, leave)

    QTimer.singleShot(0, leave)
    QTimer.singleShot(20, free.set)  # the window has to go on for this
    window.commands.run("file.film")
    assert freed == [True]


def test_threads_are_told_to_end_before_the_widgets_are_closed(
    make_window: Any, small: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    hold(window, small)
    closing: list[bool] = []
    usual = Canvases.close

    def close(self: Canvases) -> bool:
        closing.append(window.session._worker.closing)
        return usual(self)

    monkeypatch.setattr(Canvases, "close", close)
    window.close()
    assert closing == [True]
