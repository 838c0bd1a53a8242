"""Films taken from the real window."""

from __future__ import annotations

from pathlib import Path

import av
import pytest
from PyQt6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from aggviewer.export.spec import GIF
from aggviewer.extensions.export_dialogs.film_dialog import FilmDialog
from aggviewer.extensions.export_dialogs.film_job import Films
from aggviewer.session import Notice
from aggviewer.window.main_window import MainWindow
from tests.extensions.export_dialogs.test_export_film import untick
from tests.extensions.export_dialogs.test_recording import recorded as recorded
from tests.extensions.export_dialogs.test_recording import run_until
from tests.widgets.number_fields import enter
from tests.window.conftest import PATIENCE, part_of, window_again
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


def test_the_window_films_from_its_past(
    held: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = held.session
    for _ in range(4):
        before = session.status().time
        session.step_frame()
        qtbot.waitUntil(lambda before=before: session.status().time > before, timeout=PATIENCE)
    present = session.status().time
    past = session.ask(lambda run: run.past.frames_of(0))
    assert past[0].time == 0.0
    assert len(past) >= 4

    def accept(dialog: FilmDialog) -> int:
        assert dialog.times.start.low == 0.0
        dialog.file.line.setText(str(tmp_path / "film.gif"))
        assert dialog.form is GIF
        dialog.size_fields.value = (160, 120)
        untick(dialog.plots)
        enter(dialog.fps, 10.0)
        enter(dialog.times.speed, 2.5 * past[1].time)
        enter(dialog.times.start, 0.0)
        enter(dialog.times.end, session.status().time + past[1].time)
        assert "the run is recomputed, which takes about a second" in dialog.note.text()
        return 1

    monkeypatch.setattr(FilmDialog, "exec", accept)
    held.commands.run("file.film")
    qtbot.waitUntil(lambda: (tmp_path / "film.gif").exists(), timeout=PATIENCE)
    with av.open(str(tmp_path / "film.gif")) as film:
        pictures = [frame.to_ndarray(format="rgb24").tobytes() for frame in film.decode(video=0)]
    assert len(pictures) >= 4.0 * present / past[1].time > len(past), "four for each first interval"
    assert len(set(pictures)) == len(pictures), "no state is shown twice"
    assert session.status().time == present
