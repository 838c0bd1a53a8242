"""Files that could not be opened are not listed, and error messages go away with the next try."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QDialog, QMenu
from pytestqt.qtbot import QtBot

from aggviewer.extensions.export_dialogs import film_files
from aggviewer.extensions.export_dialogs.exports import Exports
from aggviewer.widgets import file_dialogs
from aggviewer.window.files import Opening
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from tests.window.conftest import part_of, told
from tests.window.watching import wait_for

BAD = {
    "broken.toml": "format = = 1",
    "none.toml": "format = 1\n[discs]\ncount = 0\n",
    "cut.csv": "x,y,vx,vy,radius,cluster\n1.0,2.0,0.1\n",
    "cut.gsd": "no trajectory",
    "cut.aggsession": "no session",
    "lesson.toml": "format = 1\ntitle = 3\n[[steps]]\n",
}


@pytest.fixture
def window(window_again: MainWindow) -> MainWindow:
    """The window of this file, with nothing opened before."""
    part_of(window_again, WindowSettings)._store.remove("files/recent")
    return window_again


def errors(window: MainWindow) -> list[str]:
    """The messages that are shown, but for good news."""
    return [toast.notice.title for toast in window.stage.toasts.toasts if toast.notice.level != "info"]


def listed(window: MainWindow) -> list[str]:
    """The menu of recent files."""
    menu = QMenu()
    part_of(window, Opening)._fill_recent(menu)
    return [action.text() for action in menu.actions()]


@pytest.mark.slow
def test_only_what_was_opened_is_listed_and_one_error_is_shown(held: MainWindow, tmp_path: Path, small: Path) -> None:
    opening = part_of(held, Opening)
    opening.open(small)
    told(held)
    assert listed(held) == ["small.toml"]
    for name, text in BAD.items():
        path = tmp_path / name
        path.write_text(text)
        opening.open(path)
        told(held)
        assert len(errors(held)) == 1, name
        told_of = [toast.notice for toast in held.stage.toasts.toasts]
        assert any(name in f"{notice.title} {notice.text}" for notice in told_of), "the file is named"
        assert listed(held) == ["small.toml"], name
        assert not any(row.message.text() for row in held.parameters.rows.values()), "no field is marked"
    opening.open(tmp_path / "there is no such file.gsd")
    told(held)
    assert listed(held) == ["small.toml"]
    opening.open(small)
    assert errors(held) == [], "another file is tried"
    told(held)
    assert errors(held) == []


def test_a_session_and_a_recording_are_listed_when_they_are_written(
    held: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def record(path: Path) -> Callable[[film_files.RecordDialog], int]:
        def accept(dialog: film_files.RecordDialog) -> int:
            dialog.file.line.setText(str(path))
            return int(QDialog.DialogCode.Accepted)

        return accept

    for command, suffix in (("file.save_session", "aggsession"), ("file.record", "gsd")):
        nowhere = tmp_path / "none" / f"a.{suffix}"
        monkeypatch.setattr(film_files.RecordDialog, "exec", record(nowhere))
        monkeypatch.setattr(file_dialogs, "ask_save", lambda *_, path=nowhere: path)
        before = listed(held)
        held.commands.run(command)
        told(held)
        wait_for(qtbot, lambda: len(errors(held)) == 1)
        assert listed(held) == before, command
        held.session.stop_recording()
        told(held)
        path = tmp_path / f"b.{suffix}"
        monkeypatch.setattr(film_files.RecordDialog, "exec", record(path))
        monkeypatch.setattr(file_dialogs, "ask_save", lambda *_, path=path: path)
        held.commands.run(command)
        assert errors(held) == [], "it is tried again"
        told(held)
        if command == "file.record":
            wait_for(qtbot, lambda: held.session.status().recording is not None)
            assert listed(held) == before, "it is not complete yet"
            held.session.stop_recording()
            told(held)
        wait_for(qtbot, lambda path=path: listed(held)[0] == path.name)  # type: ignore[misc]


def test_an_error_goes_with_the_next_try_of_the_same_and_stays_beside_others(
    held: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save(path: Path) -> None:
        monkeypatch.setattr(file_dialogs, "ask_save", lambda *_: path)
        held.commands.run("file.save_session")

    save(tmp_path / "none" / "a.aggsession")
    wait_for(qtbot, lambda: len(errors(held)) == 1)
    assert not part_of(held, Exports).write(tmp_path / "none" / "picture.png")
    assert len(errors(held)) == 2
    save(tmp_path / "nowhere" / "b.aggsession")
    wait_for(qtbot, lambda: "nowhere" in " ".join(errors(held)))
    assert len(errors(held)) == 2
    save(tmp_path / "c.aggsession")
    wait_for(qtbot, lambda: len(errors(held)) == 1)
    assert "picture" in errors(held)[0], "that of the picture stays"
    qtbot.keyClick(held, Qt.Key.Key_S)
    assert errors(held) == []
