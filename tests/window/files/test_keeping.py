"""Sessions in the real window: saved, opened again, recovered, asked about."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtWidgets import QMenu, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from aggviewer.extensions.export_dialogs.film_files import RecordingFiles
from aggviewer.extensions.gallery.welcome import CardButton, Welcome
from aggviewer.session import Session
from aggviewer.session.saved.autosave import Autosave, KeptWork
from aggviewer.session.saved.session_file import read_session
from aggviewer.systems.registry import view_of
from aggviewer.widgets import file_dialogs
from aggviewer.window.files import Opening, SessionFiles
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from tests.window.conftest import hold, part_of, window_again, window_with
from tests.window.watching import settled, state, time_shown, wait_for

window = window_again


def saved(window: MainWindow, qtbot: QtBot, path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(file_dialogs, "ask_save", lambda *_: path)
    window.commands.run("file.save_session")
    wait_for(qtbot, path.is_file)
    wait_for(qtbot, lambda: window.session.saving.saved_at is not None)
    return path


def frame_of(window: MainWindow, lane: int = 0) -> np.ndarray:
    return window.session._runner.lanes[lane].simulation.frame().positions.copy()


def test_a_session_goes_on_bit_for_bit(
    held: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held.session.set_speed(6.0)
    for _ in range(10):
        held.session.step_frame()
    settled(held, qtbot)
    held.session.view.color_by = "speed"
    held.plots.show_only(2)
    path = saved(held, qtbot, tmp_path / "a.aggsession", monkeypatch)
    clusters = held.session.status().clusters
    for _ in range(15):
        held.session.step_event()
    settled(held, qtbot)
    time, wanted = held.session.status().time, frame_of(held)
    held.session.view.color_by = "cluster"
    held.plots.show_only(None)
    held.session.restart()
    settled(held, qtbot)
    part_of(held, Opening).open(path)
    wait_for(qtbot, lambda: held.session.status().clusters == clusters or state(held) == "running")
    held.session.pause()
    wait_for(qtbot, lambda: held.session.view.color_by == "speed")
    assert held.plots.chosen == (2,)
    held.session.open(path, run=False)
    wait_for(qtbot, lambda: time_shown(held) == pytest.approx(1.0))
    for _ in range(15):
        held.session.step_event()
    settled(held, qtbot)
    assert held.session.status().time == time
    assert np.array_equal(frame_of(held), wanted)


def test_a_session_left_by_a_crash_is_offered(
    qapp: object, qtbot: QtBot, compiled: None, settings: WindowSettings, small: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "autosave"
    crashed = Session()
    kept = Autosave(crashed.notices, folder, every=0.0)
    crashed.saving.autosave = kept
    crashed.set_speed(60.0)
    crashed.open(small, run=False)
    for _ in range(3):
        crashed.step_frame()
    crashed.run()
    # at rest it was saved too
    wait_for(qtbot, lambda: kept.path is not None and kept.path.is_file() and read_session(kept.path).time > 2.0)
    crashed.saving.autosave = None  # it ends without a word
    crashed.close()
    kept.finish()
    assert kept._lock is not None
    kept._lock.release()
    kept._lock = kept._path = None  # what a clean end would remove
    kept.close()

    window = window_with(settings)
    session = window.session
    session.saving.autosave = Autosave(session.notices, folder)
    window.show()
    window.offer_kept_work()
    assert len(window.stage.toasts.toasts) == 1
    toast = window.stage.toasts.toasts[0]
    buttons = {button.text(): button for button in toast.findChildren(QPushButton)}
    assert set(buttons) == {"Recover", "Discard"}
    buttons["Recover"].click()
    wait_for(qtbot, lambda: session.status().count == 225 and session.status().time > 2.0)
    wait_for(qtbot, lambda: not list(folder.glob("*.aggsession")))
    window.close()
    window.deleteLater()


def worked(session: Session, seconds: float) -> None:
    """As if what runs had taken so long."""
    for lane in session._runner.lanes:
        lane.computing_time = seconds


@pytest.mark.slow
def test_a_run_that_took_long_is_kept_without_a_question_and_offered_again(
    qapp: object,
    qtbot: QtBot,
    compiled: None,
    settings: WindowSettings,
    small: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def asked(box: QMessageBox) -> int:
        raise AssertionError(f"nobody should be asked: {box.text()}")

    monkeypatch.setattr(QMessageBox, "exec", asked)

    made: list[MainWindow] = []

    def opened() -> MainWindow:
        window = window_with(settings, kept=KeptWork(tmp_path / "kept"), measuring_view_of=view_of)
        made.append(window)
        window.resize(1280, 800)
        window.show()
        return window

    def offered(window: MainWindow) -> dict[str, CardButton]:
        tiles = part_of(window, Welcome).shown
        return {} if tiles is None else {card.card.title: card for card in tiles.cards}

    window = opened()
    window.offer_kept_work()
    assert not offered(window)
    hold(window, small)
    for _ in range(30):
        window.session.step_event()
    settled(window, qtbot)
    time, wanted = window.session.status().time, frame_of(window)
    worked(window.session, 61.0)
    window.quit()
    assert len(list((tmp_path / "kept").glob("*"))) == 1

    window = opened()
    window.offer_kept_work()
    hold(window, small)  # it is offered beside what begins as usual
    buttons = offered(window)
    assert next(iter(buttons)) == "Continue where I left off"
    menu = QMenu()
    part_of(window, SessionFiles).fill_menu(menu)
    assert [action.text()[:25] for action in menu.actions()] == ["N = 225, event-driven, t "]
    buttons["Continue where I left off"].click()
    assert not offered(window)
    wait_for(qtbot, lambda: window.session.status().time == time)
    settled(window, qtbot)
    assert np.array_equal(frame_of(window), wanted)
    assert state(window) == "paused"
    assert window.session.history.undo_text == "Undo recovery"
    window.quit()
    assert len(list((tmp_path / "kept").glob("*"))) == 1, "as it was"
    for old in made:
        old.deleteLater()


def test_only_a_recording_is_asked_about(
    held: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[str] = []
    answers = ["Cancel", "Close"]

    def answered(box: QMessageBox) -> QMessageBox.StandardButton:
        asked.append(box.text())
        return QMessageBox.StandardButton[answers[len(asked) - 1]]

    monkeypatch.setattr(QMessageBox, "exec", answered)
    worked(held.session, 1000.0)
    assert part_of(held, RecordingFiles).may_close()
    assert not asked
    held.session.record(tmp_path / "a.gsd", 0.1)
    wait_for(qtbot, lambda: held.session.status().recording is not None)
    assert [part_of(held, RecordingFiles).may_close() for _ in answers] == [False, True]
    assert asked == ["A recording is being made."] * 2
