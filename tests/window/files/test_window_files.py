"""Snapshots, files that are dropped or opened, scenarios that are saved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from PyQt6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PyQt6.QtGui import QDragEnterEvent, QDropEvent
from pytestqt.qtbot import QtBot

from aggviewer.session import Notice
from aggviewer.widgets import file_dialogs
from aggviewer.window.files import Opening, dropped_file
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from engine.files import formats
from tests.window.conftest import part_of, window_again
from tests.window.watching import time_shown, wait_for

window = window_again


@pytest.mark.extension("export_dialogs")
def test_the_key_s_writes_a_snapshot_and_offers_its_folder(
    held: MainWindow, qtbot: QtBot, tmp_path: Path, notices: list[Notice]
) -> None:
    qtbot.keyClick(held, Qt.Key.Key_S)
    written = list(tmp_path.glob("aggviewer *.png"))
    assert len(written) == 1
    assert (notices[-1].level, notices[-1].folder) == ("info", str(tmp_path))
    qtbot.keyClick(held, Qt.Key.Key_S)
    assert len(list(tmp_path.glob("aggviewer *.png"))) == 2, "nothing is written over"


def entered(window: MainWindow, data: QMimeData) -> bool:
    """Whether the window takes what a person drags into it."""
    event = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    event.ignore()
    window.dragEnterEvent(event)
    return event.isAccepted()


def test_a_file_that_is_dropped_opens(held: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("format = 1\n[discs]\ncount = 81\n")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "notes.txt")), QUrl.fromLocalFile(str(other))])
    assert entered(held, data)
    notes = QMimeData()
    notes.setUrls([QUrl.fromLocalFile("/tmp/notes.txt")])
    assert not entered(held, notes), "what cannot be opened is not taken"
    held.dropEvent(
        QDropEvent(
            QPointF(5, 5),
            Qt.DropAction.CopyAction,
            data,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
    )
    wait_for(qtbot, lambda: held.canvas.scene.count == 81)
    wait_for(qtbot, lambda: part_of(held, WindowSettings).recent[:1] == [other.resolve()])


def test_a_bad_file_at_the_start_is_told_and_the_default_runs(
    make_window: Callable[[], MainWindow], qtbot: QtBot, tmp_path: Path
) -> None:
    window = make_window()
    path = tmp_path / "cut.csv"
    path.write_text("x,y,vx,vy,radius,cluster\n1.0,2.0,0.1\n")
    window.open_first([str(path)], "lattice-100")
    wait_for(qtbot, lambda: window.canvas.scene.count == 100)
    wait_for(qtbot, lambda: time_shown(window) > 0.0)
    assert [toast.notice.level for toast in window.stage.toasts.toasts] == ["error"]
    assert part_of(window, WindowSettings).recent == [], "it is not listed"
    part_of(window, Opening).open_bundled("lattice-400")
    assert not window.stage.toasts.toasts, "the person has gone on to something else"


def _not_called(*_: object) -> NoReturn:
    raise AssertionError


def test_file_dialogs_and_drops_follow_the_registry_of_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats.FORMATS, "parts", formats.known())
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile("/no/t.one"), QUrl.fromLocalFile("/no/t.csv")])
    assert dropped_file(dropped) == Path("/no/t.csv")
    assert file_dialogs.recording_formats() == {".gsd": "GSD"}
    assert file_dialogs.state_filter() == (
        "GSD, for OVITO, freud and HOOMD (*.gsd);;Extended XYZ (*.xyz);;LAMMPS dump (*.dump);;Table (*.csv)"
    )

    formats.register(
        formats.Format(
            "one",
            "First",
            (".one", ".uno"),
            reads=_not_called,
            writes=_not_called,
            written_as=(".uno",),
            records=_not_called,
        )
    )

    assert dropped_file(dropped) == Path("/no/t.one")
    assert "States and recordings (*.gsd *.xyz *.extxyz *.dump *.lammpstrj" in file_dialogs.open_filter()
    assert "*.csv *.one *.uno);;All" in file_dialogs.open_filter()
    assert file_dialogs.state_filter().endswith(";;Table (*.csv);;First (*.uno)")
    assert file_dialogs.recording_formats() == {".gsd": "GSD", ".one": "one"}
