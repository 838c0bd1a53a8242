"""Films taken from the real window."""

from __future__ import annotations

from pathlib import Path

import av
import pytest
from PyQt6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from aggviewer.session import Notice
from aggviewer.window.dialogs.film import FilmDialog
from aggviewer.window.dialogs.film_job import Films
from aggviewer.window.main_window import MainWindow
from tests.widgets.number_fields import enter
from tests.window.conftest import part_of, window_again
from tests.window.dialogs.test_export_film import untick
from tests.window.files.test_recording import recorded as recorded
from tests.window.files.test_recording import run_until
from tests.window.watching import state, wait_for

ACCEPTED = int(QDialog.DialogCode.Accepted)
SMALL_FILM = (320, 240)


window = window_again


def frames_in(path: Path) -> int:
    with av.open(str(path)) as film:
        return sum(1 for _ in film.decode(video=0))


def test_a_film_of_the_run_leaves_it_alone(
    held: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, notices: list[Notice]
) -> None:
    run_until(held, qtbot, 0.5)
    time = held.session.status().time

    path = tmp_path / "film.mp4"

    def choose(dialog: FilmDialog) -> int:
        dialog.file.line.setText(str(path))
        dialog.size_fields.value = SMALL_FILM
        untick(dialog.plots)
        enter(dialog.fps, 10)
        enter(dialog.times.speed, 2.0)
        enter(dialog.times.end, time + 1.0)
        return ACCEPTED

    monkeypatch.setattr(FilmDialog, "exec", choose)
    held.commands.run("file.film")
    assert part_of(held, Films).busy
    wait_for(qtbot, lambda: not part_of(held, Films).busy)
    assert frames_in(path) in (5, 6)
    assert held.session.status().time == time
    assert state(held) == "paused"


def test_a_film_of_a_recording_has_each_frame_once(
    held: MainWindow, qtbot: QtBot, recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held.session.open(recorded, run=False)
    wait_for(qtbot, lambda: held.transport.buttons["run.loop"].isVisible())
    path = tmp_path / "film.webm"

    def choose(dialog: FilmDialog) -> int:
        dialog.file.line.setText(str(path))
        dialog.size_fields.value = SMALL_FILM
        untick(dialog.plots)
        return ACCEPTED

    monkeypatch.setattr(FilmDialog, "exec", choose)
    held.commands.run("file.film")
    wait_for(qtbot, lambda: not part_of(held, Films).busy)
    assert frames_in(path) == len(held.session.played.times) > 10
