"""Toasts, the welcome tiles, the card of the first compile, the demonstration, numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, QSize, Qt
from PyQt6.QtGui import QImage, QResizeEvent
from PyQt6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.session import Notice, Preparation, Status
from aggviewer.window import demo
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from aggviewer.window.status_bar import state_text
from aggviewer.window.toasts import Messages, Toast, ToastStack
from tests.waiting import laid_out, nothing_put_off, wait_until
from tests.window.conftest import PATIENCE, hold, part_of, window_again

window = window_again


@pytest.fixture
def own(make_window: Callable[[], MainWindow], small: Path) -> MainWindow:
    """A window of one test alone, which closes it."""
    made = make_window()
    hold(made, small)
    return made


def test_an_info_goes_away_and_an_error_stays(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aggviewer.window.toasts._INFO_MS", 20)
    away = True
    monkeypatch.setattr(Toast, "isActiveWindow", lambda _toast: not away)
    part_of(window, Messages).show(Notice("error", "The simulation stopped", details="Traceback"))
    part_of(window, Messages).show(Notice("info", "Film exported", film="a.mp4"))
    part_of(window, Messages).show(Notice("info", "Saved"))
    stack = window.stage.toasts
    qtbot.waitUntil(lambda: stack.toasts[-1].notice.title != "Saved", timeout=PATIENCE)  # as long as the film would be
    assert [toast.notice.title for toast in stack.toasts[1:]] == ["Film exported"], "waits for who is away"
    away = False
    qtbot.waitUntil(lambda: len(window.stage.toasts.toasts) == 1, timeout=PATIENCE)
    nothing_put_off(window.stage.toasts)
    assert [toast.notice.level for toast in window.stage.toasts.toasts] == ["error"]


def test_a_message_about_the_same_key_replaces_the_older_one(window: MainWindow) -> None:
    for words in ("first", "second"):
        part_of(window, Messages).show(Notice("error", words, key="discs.count"))
    assert [toast.notice.title for toast in window.stage.toasts.toasts] == ["second"]


def test_never_more_than_four_messages(window: MainWindow) -> None:
    for number in range(9):
        part_of(window, Messages).show(Notice("error", f"error {number}"))
    assert [toast.notice.title for toast in window.stage.toasts.toasts] == [f"error {n}" for n in (5, 6, 7, 8)]


def test_a_message_is_seen_over_whatever_stands_in_the_place_of_the_picture(window: MainWindow) -> None:
    view = QWidget()
    window.stage.set_cover(view)
    try:
        part_of(window, Messages).show(Notice("error", "The file was not written"))
        nothing_put_off(window.stage.toasts)
        assert not window.stage.toasts.toasts[0].visibleRegion().isEmpty()
    finally:
        window.stage.set_cover(None)
        view.deleteLater()


def test_messages_for_experts_stay_away_while_a_lesson_is_open(window: MainWindow) -> None:
    messages = part_of(window, Messages)
    expert, error = Notice("info", "jammed: 288 contacts", expert=True), Notice("error", "The simulation stopped")
    messages.in_lesson = True
    try:
        messages.show(expert)
        messages.show(error)
        assert [toast.notice for toast in window.stage.toasts.toasts] == [error]
    finally:
        messages.in_lesson = False
    messages.show(expert)
    assert [toast.notice for toast in window.stage.toasts.toasts] == [error, expert]


def test_escape_dismisses_the_newest_message(window: MainWindow, qtbot: QtBot) -> None:
    part_of(window, Messages).show(Notice("error", "one"))
    part_of(window, Messages).show(Notice("error", "two"))
    window.canvas.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert [toast.notice.title for toast in window.stage.toasts.toasts] == ["one"]


@pytest.mark.extension("gallery")
def test_the_welcome_tiles_stay_until_they_are_dismissed_and_can_be_shown_again(
    make_window: Callable[[], MainWindow], settings: WindowSettings, qtbot: QtBot, small: Path
) -> None:
    from aggviewer.extensions.gallery.welcome import Welcome

    settings.welcome_dismissed = False
    window = make_window()
    welcome = part_of(window, Welcome)
    hold(window, small)
    box = window.canvas.camera
    assert welcome.shown is not None
    assert welcome.shown.isVisible()
    qtbot.mouseClick(window.canvas, Qt.MouseButton.LeftButton, pos=QPoint(40, 400))
    qtbot.keyClick(window.canvas, Qt.Key.Key_Space)
    qtbot.mouseClick(welcome.shown.cards[3], Qt.MouseButton.LeftButton)  # spheres, whose form has other rows
    wait_until(lambda: window.parameters.form.dimensions == 3)
    wait_until(welcome.shown.isVisible)
    assert window.parameters.form.isAncestorOf(welcome.shown)
    hold(window, small)
    qtbot.mouseClick(welcome.shown.close_button, Qt.MouseButton.LeftButton)
    assert welcome.shown is None
    assert settings.welcome_dismissed
    assert "Learn, Welcome" in window.stage.toasts.toasts[-1].notice.text
    laid_out(window)
    assert window.canvas.camera == box, "the picture stays where it is"
    window.commands.run("view.parameters")
    window.commands.run("help.welcome")
    assert welcome.shown is not None
    assert welcome.shown.isVisible()
    assert not settings.welcome_dismissed


def test_the_first_compile_shows_how_far_it_is(window: MainWindow) -> None:
    card = window.stage.preparation
    card.show_status(Status("compiling", preparation=Preparation(3, 7, "events")))
    assert card.isVisible()
    assert (card.bar.value(), card.bar.maximum()) == (3, 7)
    assert "events" in card.text.text()
    card.show_status(Status("running"))
    assert not card.isVisible()


def test_the_status_line_says_when_the_engine_is_slower_than_asked() -> None:
    slow = Status("running", speed=100.0, speed_reached=12.0, slow=True)
    assert state_text(slow) == "engine reaches 12 of 100 t/s"
    assert state_text(Status("running", speed=2.0, speed_reached=1e-9, slow=True)) == "engine reaches 0 of 2.0 t/s"
    assert state_text(Status("running", speed=2.0, speed_reached=2.0)) == "", "the transport shows that it runs"
    assert "t/s" in state_text(Status("running", speed=inf, speed_reached=2.0))


def test_the_demonstration_waits_for_the_engine_and_writes_window_snapshot_film_and_summary(
    own: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.session.run()
    qtbot.waitUntil(lambda: own.session.status().time > 0.0, timeout=PATIENCE)
    compiling = replace(own.session.status(), state="compiling", preparation=Preparation(1, 7, "events"))
    with monkeypatch.context() as patch:
        patch.setattr(own.session, "status", lambda: compiling)
        assert own.canvas.frames_drawn > 0, "the picture of the start is there meanwhile"
        running = demo.Demo(own, 0.0, tmp_path / "out", film=0.2)
        for _ in range(3):  # the first look would begin, the next one end
            running.check()
        assert not (tmp_path / "out").exists()
    for _ in range(2):
        running.check()
    assert not (tmp_path / "out").exists(), "nothing was measured yet"
    qtbot.waitUntil(lambda: (tmp_path / "out" / "summary.json").is_file() and own.isHidden(), timeout=PATIENCE)
    assert running.status == 0
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["scenario"]["discs"]["count"] == 225
    assert summary["time"] > 0.0
    assert summary["errors"] == []
    assert (tmp_path / "out" / "film.mp4").stat().st_size > 1000
    assert 0.0 < summary["indicators"]["contacts_relative"] < 1.0
    assert QImage(str(tmp_path / "out" / "window.png")).width() >= 1000


@pytest.mark.parametrize(("seconds", "folder"), [("", ""), ("3", ""), ("", "/tmp/x")])
def test_no_demonstration_unless_asked_for(monkeypatch: pytest.MonkeyPatch, seconds: str, folder: str) -> None:
    monkeypatch.setenv("AGGVIEWER_DEMO_SECONDS", seconds)
    monkeypatch.setenv("AGGVIEWER_DEMO_OUT", folder)
    assert demo.requested() is None


def test_a_stack_that_is_collected_with_its_window_hears_the_last_events_of_its_host(qtbot: QtBot) -> None:
    host = QWidget()
    qtbot.addWidget(host)
    stack = ToastStack(host, host.rect, lambda place: 0.0)
    vars(stack).clear()  # as the collector does while Qt still has the objects
    host.show()
    host.resize(300, 200)
    assert QApplication.sendEvent(host, QResizeEvent(QSize(300, 200), QSize(1, 1)))
