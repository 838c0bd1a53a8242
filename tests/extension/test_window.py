"""The fourth system in the window: drawn, plotted, in menus and parameters panel, kept in a session and a recording."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QDialog, QMenu, QMenuBar
from pytestqt.qtbot import QtBot

from aggviewer.extensions.export_dialogs.export_dialog import ExportDialog
from aggviewer.extensions.export_dialogs.film_dialog import FilmDialog
from aggviewer.extensions.export_dialogs.film_job import Films
from aggviewer.session import Notice
from aggviewer.window.commands.palette import CommandPalette, side_of
from aggviewer.window.main_window import MainWindow
from engine.frame import Frame
from engine.plugins import PlugIn
from engine.scenario import Scenario
from tests.extensions.export_dialogs.export_dialog import in_export, press_export
from tests.widgets.number_fields import enter
from tests.window.conftest import hold, part_of, put_away, shown, wait_until
from tests.window.conftest import qapp as qapp
from tests.window.conftest import settings as settings
from tests.window.conftest import surface as surface


@pytest.fixture
def scenario(points: PlugIn, tmp_path: Path) -> Path:
    """A hundred points."""
    path = tmp_path / "points.toml"
    path.write_text(Scenario().with_values({"system": "points", "discs.count": 100}).to_toml())
    return path


@pytest.fixture
def window(qapp, settings, points: PlugIn, monkeypatch) -> Iterator[MainWindow]:
    """A window that was opened with the plug-in. What goes wrong in it fails the test."""
    made = [shown(settings)]
    notices: list[Notice] = []
    made[0].session.notices.sent.connect(notices.append)
    yield made[0]
    put_away(made)
    assert [notice for notice in notices if notice.level != "info"] == []


def run_to(window: MainWindow, time: float) -> None:
    """Let it run to a time, and pause."""
    window.session.set_speed(20.0)
    window.session.run()
    wait_until(lambda: window.session.status().time >= time)
    window.session.pause()
    wait_until(lambda: window.session.status().state == "paused")
    wait_until(lambda: frame_of(window).time == window.session.status().time)


def texts(menu: QMenu | QMenuBar) -> list[str]:
    """What can be chosen in a menu, with all menus in it."""
    found: list[str] = []
    for action in menu.actions():
        inner = action.menu()
        found += texts(inner) if inner is not None else [action.text()] * action.isVisible()
    return found


def frame_of(window: MainWindow) -> Frame:
    shown = window.refresher.shown(0)
    assert shown is not None
    return shown.frame


def found_in_palette(window: MainWindow, qtbot: QtBot, words: str) -> int:
    """How many commands the palette finds by these words; it stays open."""
    palette = part_of(window, CommandPalette)
    palette.open()
    qtbot.keyClicks(palette.field, words)
    return palette.list.count()


def menus_palette_and_parameters_panel_have_it_while_points_are_shown(
    window: MainWindow, scenario: Path, qtbot: QtBot
) -> None:
    """In a window that is empty at first."""
    palette, row = part_of(window, CommandPalette), window.parameters.form.rows["points.heat"]
    assert not {"Heat up", "Plot Impacts"} & set(texts(window.menuBar()))
    assert not row.isVisibleTo(window.parameters)
    assert found_in_palette(window, qtbot, "heat up") == 1
    grey = palette.list.item(0)
    assert grey is not None
    assert not grey.flags() & Qt.ItemFlag.ItemIsEnabled, "not for the system that runs"
    palette.close()
    hold(window, scenario)
    wait_until(lambda: {"Heat up", "Plot Impacts"} <= set(texts(window.menuBar())))
    wait_until(lambda: row.isVisibleTo(window.parameters))
    run_to(window, 1.0)
    before = frame_of(window).kinetic_energy
    assert found_in_palette(window, qtbot, "points fly") == 1  # by the words of its tool tip too
    palette.close()
    assert found_in_palette(window, qtbot, "heat up") == 1
    item = palette.list.item(0)
    assert item is not None
    assert (item.text(), side_of(item)) == ("Heat up", "Ctrl+Shift+H")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()
    window.session.step_frame()
    wait_until(lambda: frame_of(window).kinetic_energy == pytest.approx(4.0 * before))
    wait_until(lambda: row.editor.edit.value == 2.0)


def test_points_are_in_menus_plotted_recorded_saved_and_filmed(
    window: MainWindow, scenario: Path, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    menus_palette_and_parameters_panel_have_it_while_points_are_shown(window, scenario, qtbot)
    hold(window, scenario)
    assert window.session.status().system == "points"
    assert [window.top_bar.color_by.itemText(k) for k in range(window.top_bar.color_by.count())] == [
        "Impacts with walls",
        "Speed",
    ]
    recording = tmp_path / "points.gsd"
    window.session.record(recording, 2.0)
    run_to(window, 30.0)
    window.session.stop_recording()
    wait_until(lambda: window.session.status().recording is None)
    assert window.canvas.frames_drawn > 1
    (plot,) = window.plots.cards
    assert plot.title == "Impacts"
    wait_until(lambda: plot.shows_data and len(plot.drawings[0]["curve"].x) > 2)
    impacts = frame_of(window).fields["hits"].sum() // 100 * 100
    wait_until(lambda: plot.drawings[0]["curve"].y[-1] == impacts)

    # pictures and films
    window.session.view.color_by = "hits"
    wait_until(lambda: window.canvas.scene.coloring.label == "Impacts with walls")
    wait_until(lambda: window.canvases.ready)
    window.commands.run("file.snapshot")
    (snapshot,) = tmp_path.glob("*.png")
    assert QImage(str(snapshot)).width() > window.canvases.pixels[1], "the box, at twice its size"

    def as_vectors(dialog: ExportDialog) -> None:
        dialog.file.line.setText(str(tmp_path / "points.svg"))
        press_export(dialog)

    in_export(lambda: window.commands.run("file.snapshot_as"), as_vectors)
    assert "Impacts with walls" in (tmp_path / "points.svg").read_text(encoding="utf-8")

    time = window.session.status().time

    def of_ten_frames(dialog: FilmDialog) -> int:
        dialog.file.line.setText(str(tmp_path / "points.mp4"))
        enter(dialog.fps, 10)
        enter(dialog.times.speed, 20.0)
        enter(dialog.times.start, time)
        enter(dialog.times.end, time + 20.0)
        return int(QDialog.DialogCode.Accepted)

    monkeypatch.setattr(FilmDialog, "exec", of_ten_frames)
    window.commands.run("file.film")
    films = part_of(window, Films)
    assert films.busy
    wait_until(lambda: not films.busy)
    with av.open(str(tmp_path / "points.mp4")) as film:
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
    assert len(frames) in (10, 11)
    assert (frames[0] != frames[-1]).any()
    assert window.session.status().time == time  # the run itself goes on from where it was

    # files
    path = tmp_path / "points.aggsession"
    window.session.save_session(path)
    wait_until(path.is_file)
    time, positions = frame_of(window).time, frame_of(window).positions.copy()
    window.session.load(Scenario().with_values({"system": "points", "discs.count": 9}), run=False)
    wait_until(lambda: len(frame_of(window).positions) == 9)
    window.session.open(path, run=False)
    wait_until(lambda: len(frame_of(window).positions) == 100)
    assert frame_of(window).time == time
    np.testing.assert_array_equal(frame_of(window).positions, positions)
    window.session.open(recording, run=False)
    wait_until(lambda: (played := window.session.played_file) is not None and played.path == recording)
    assert len(window.session.played_file.times) >= 8
    assert window.session.status().system == "points"
