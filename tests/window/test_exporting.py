"""Pictures, films and plots taken from the real window."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import av
import pytest
from PyQt6.QtGui import QGuiApplication, QImage
from PyQt6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from aggviewer.plots.plot_menu import plot_menu
from aggviewer.session import Notice
from aggviewer.window.dialogs.film import FilmDialog
from aggviewer.window.dialogs.film_job import Films
from aggviewer.window.dialogs.picture import PictureDialog
from aggviewer.window.files import file_dialogs
from aggviewer.window.main_window import MainWindow
from aggviewer.window.panels.side_panels import SidePanels
from aggviewer.window.settings import WindowSettings
from tests.fields import enter
from tests.window.conftest import part_of, window_again
from tests.window.test_recording import recorded as recorded
from tests.window.test_recording import run_until
from tests.window.watching import state, wait_for

ACCEPTED = int(QDialog.DialogCode.Accepted)


window = window_again


def frames_in(path: Path) -> int:
    with av.open(str(path)) as film:
        return sum(1 for _ in film.decode(video=0))


def ask(monkeypatch: pytest.MonkeyPatch, path: Path) -> Path:
    monkeypatch.setattr(file_dialogs, "ask_save", lambda *_: path)
    return path


def test_a_picture_as_vectors(held: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def choose(dialog: PictureDialog) -> int:
        dialog.formats.setCurrentIndex(dialog.formats.findData(".svg"))
        return ACCEPTED

    monkeypatch.setattr(PictureDialog, "exec", choose)
    path = ask(monkeypatch, tmp_path / "discs.svg")
    held.commands.run("file.snapshot_as")
    assert path.read_text().lstrip().startswith("<?xml")


def test_the_next_snapshot_is_as_large(
    held: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choose(dialog: PictureDialog) -> int:
        dialog.size_fields.value = (320, 200)
        return ACCEPTED

    monkeypatch.setattr(PictureDialog, "exec", choose)
    ask(monkeypatch, tmp_path / "first.png")
    held.commands.run("file.snapshot_as")
    assert part_of(held, WindowSettings).snapshot_size == (320, 200)
    held.commands.run("file.snapshot")
    sizes = {(image.width(), image.height()) for image in map(QImage, map(str, tmp_path.glob("*.png")))}
    assert sizes == {(320, 200)}


def test_the_picture_is_copied(held: MainWindow, qtbot: QtBot) -> None:
    held.commands.run("file.copy")
    clipboard = QGuiApplication.clipboard()
    assert clipboard is not None
    assert clipboard.image().width() == held.canvases.pixels[0]


def test_a_film_of_the_run_leaves_it_alone(
    held: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, notices: list[Notice]
) -> None:
    run_until(held, qtbot, 0.5)
    time = held.session.status().time

    def choose(dialog: FilmDialog) -> int:
        enter(dialog.fps, 10)
        enter(dialog.speed, 2.0)
        enter(dialog.end, time + 4.0)
        return ACCEPTED

    monkeypatch.setattr(FilmDialog, "exec", choose)
    path = ask(monkeypatch, tmp_path / "film.mp4")
    held.commands.run("file.film")
    assert part_of(held, Films).busy
    wait_for(qtbot, lambda: not part_of(held, Films).busy)
    assert frames_in(path) in (20, 21)
    assert held.session.status().time == time
    assert state(held) == "paused"


def test_a_film_of_a_recording_has_each_frame_once(
    held: MainWindow, qtbot: QtBot, recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held.session.open(recorded, run=False)
    wait_for(qtbot, lambda: held.transport.buttons["run.loop"].isVisible())
    monkeypatch.setattr(FilmDialog, "exec", lambda dialog: ACCEPTED)
    path = ask(monkeypatch, tmp_path / "film.webm")
    held.commands.run("file.film")
    wait_for(qtbot, lambda: not part_of(held, Films).busy)
    assert frames_in(path) == len(held.session.replay.times) > 10


def test_plots_are_saved_with_their_data(
    held: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_until(held, qtbot, 0.5)
    wait_for(qtbot, lambda: not held.plots.cards[0].view.empty_text)
    part_of(held, SidePanels).focus_plot(1)
    path = ask(monkeypatch, tmp_path / "boxes.svg")
    held.commands.run("file.plots")
    assert path.read_text().lstrip().startswith("<?xml")
    with path.with_suffix(".csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert len(rows) > 10
    assert "N(ε)" in "".join(rows[0])


def test_one_plot_is_copied_and_saved_from_its_menu(
    held: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_for(qtbot, lambda: not held.plots.cards[0].view.empty_text)
    card = held.plots.cards[0]
    ask(monkeypatch, tmp_path / "one.svg")
    for text in ("Copy data", "Save plot…"):
        menu = plot_menu(card, 0)
        next(action for action in menu.actions() if action.text() == text).trigger()
    clipboard = QGuiApplication.clipboard()
    assert clipboard is not None
    table = list(csv.reader(clipboard.text().splitlines()))
    assert table[0] == list(card.table())
    assert [float(row[0]) for row in table[1:] if row[0]] == card.table()[table[0][0]].tolist()
    assert any(toast.notice.title == f"Data of {card.title} copied" for toast in held.stage.toasts.toasts)
    assert (tmp_path / "one.svg").read_text().lstrip().startswith("<?xml")
    with (tmp_path / "one.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == table


def test_plots_that_are_hidden_are_said_to_be_hidden(
    held: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(monkeypatch, tmp_path / "plots.svg")
    held.commands.run("view.plots")
    held.commands.run("file.plots")
    [toast] = held.stage.toasts.toasts
    assert toast.notice.title == "The plots are hidden"


def test_nothing_is_told_before_there_is_a_picture(make_window: Callable[[], MainWindow]) -> None:
    window = make_window()
    for name in ("file.film", "file.snapshot_as", "file.plots"):
        window.commands.run(name)
    assert len(window.stage.toasts.toasts) == 3
