"""Discs picked in the real window: clicks at pixels, regions, conditions, and what is done with what is picked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QContextMenuEvent, QMouseEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel

from aggviewer.canvas.layers.regions import SELECTION
from aggviewer.extensions.export_dialogs.film_files import RecordingFiles
from aggviewer.window.commands.help import KeySheet
from aggviewer.window.main_window import MainWindow
from aggviewer.window.picking.controller import SelectionController
from engine.files import read
from engine.simulation import Stride
from tests.window.conftest import GAS, SMALL, hold, load, part_of, put_back, scenario_file, wait_until

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
SHIFT, CONTROL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)


@pytest.fixture
def held(all_compiled: None, shared_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    """Clusters of several discs, paused, nothing selected."""
    window = shared_window
    hold(window, scenario_file(tmp_path, SMALL))
    yield window
    window.commands.run("edit.select_none")
    window.commands.run("view.unhide")
    picks(window).following.stop()
    picks(window).paths.stop()
    picks(window)._use_tool(None)
    window.session.marking.clear_marks()
    put_back(window)


def picks(window: MainWindow) -> SelectionController:
    return part_of(window, SelectionController)


def numbers(window: MainWindow) -> list[int]:
    return picks(window).selected.numbers.tolist()


def hidden(window: MainWindow) -> list[int]:
    return window.session.marking.value.hidden.numbers.tolist()


def pixel(window: MainWindow, disc: int) -> QPoint:
    """Where a disc is on the canvas."""
    at = window.refresher.shown()
    assert at is not None
    x, y = window.canvas.camera.to_pixel(*at.frame.positions[disc])
    return QPoint(round(x), round(y))


def click(window: MainWindow, disc: int, how: Qt.KeyboardModifier = NONE) -> None:
    QTest.mouseClick(window.canvas, LEFT, how, pixel(window, disc))


def drag(window: MainWindow, corners: list[QPoint], how: Qt.KeyboardModifier = NONE) -> None:
    """QTest does not move with modifiers, nor with buttons down."""
    canvas = window.canvas
    kinds = [QEvent.Type.MouseButtonPress, *[QEvent.Type.MouseMove] * (len(corners) - 1)]
    for kind, corner in zip(kinds, corners, strict=True):
        send(window, kind, corner, how)
    send(window, QEvent.Type.MouseButtonRelease, corners[-1], how)
    QTest.qWait(1)
    assert canvas.gesture is None


def send(window: MainWindow, kind: QEvent.Type, at: QPoint, how: Qt.KeyboardModifier) -> None:
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else LEFT
    place = window.canvas.mapToGlobal(at).toPointF()
    QApplication.sendEvent(window.canvas, QMouseEvent(kind, QPointF(at), place, button, LEFT, how))


def merged(window: MainWindow, clusters: int) -> None:
    """Let it run until some discs have joined."""
    window.session.set_speed(100.0)
    window.session.hold_at(Stride(clusters=clusters))
    window.session.run()
    wait_until(lambda: window.session.status().state == "paused" and window.session.status().clusters <= clusters)
    wait_until(lambda: window.refresher.shown().frame.clusters <= clusters)


def note(window: MainWindow) -> str:
    return window.status._note


def test_clicks_select_discs_and_clusters(held: MainWindow) -> None:
    click(held, 7)
    assert numbers(held) == [7]
    hint = "Drag the disc to move or throw it, or its arrow to set the velocity"
    wait_until(lambda: note(held) == f"1 disc selected. {hint}")
    click(held, 30)
    assert numbers(held) == [30]
    click(held, 7, CONTROL)
    assert numbers(held) == [7, 30]
    click(held, 30, CONTROL)
    assert numbers(held) == [7]
    place = held.canvas.place
    QTest.mouseClick(held.canvas, LEFT, NONE, QPoint(2, 2))  # beside all discs: stays
    assert numbers(held) == [7]
    assert held.canvas.place == place
    merged(held, 60)
    frame = held.refresher.shown().frame
    sizes = np.bincount(frame.cluster)[frame.cluster]
    disc = int(sizes.argmax())
    assert sizes[disc] > 3
    click(held, disc, SHIFT)
    assert numbers(held) == np.flatnonzero(frame.cluster == frame.cluster[disc]).tolist()
    merged(held, 30)
    assert len(numbers(held)) == sizes[disc]  # still the same discs
    held.commands.run("edit.select_clusters")
    assert len(numbers(held)) >= sizes[disc]
    QTest.keyClick(held.canvas, Qt.Key.Key_Escape)
    assert numbers(held) == []
    assert note(held) == ""


def test_a_box_by_alt_and_a_lasso_by_its_tool(held: MainWindow) -> None:
    at = held.refresher.shown().frame.positions
    canvas = held.canvas
    left, top = pixel(held, 0), pixel(held, 0) + QPoint(120, -90)
    drag(held, [left, top], ALT)
    pixels = np.array([canvas.camera.to_pixel(*place) for place in at])
    low, high = (
        np.minimum((left.x(), left.y()), (top.x(), top.y())),
        np.maximum((left.x(), left.y()), (top.x(), top.y())),
    )
    inside = (pixels >= low).all(axis=1) & (pixels < high).all(axis=1)
    assert inside.sum() > 5
    assert set(numbers(held)) ^ set(np.flatnonzero(inside).tolist()) <= {0}  # the disc on the corner itself
    few = len(numbers(held))
    said: list[str] = []
    picks(held).noted.connect(said.append)
    held.commands.run("edit.select_lasso")
    assert said[-1] == f"Drag a lasso around discs. Esc to finish. {few} discs selected"
    assert canvas.cursor().shape() == Qt.CursorShape.CrossCursor
    triangle = [QPoint(100, 100), QPoint(300, 100), QPoint(100, 300), QPoint(100, 100)]
    drag(held, triangle, CONTROL)
    below = (pixels > 101).all(axis=1) & (pixels.sum(axis=1) < 398)
    assert below.sum() > 3
    assert set(np.flatnonzero(below).tolist()) <= set(numbers(held))
    assert len(numbers(held)) > few
    QTest.keyClick(canvas, Qt.Key.Key_Escape)  # the tool first, then the selection
    assert picks(held).tool is None
    assert "lasso" not in said[-1]
    shapes = Qt.CursorShape.ArrowCursor, Qt.CursorShape.OpenHandCursor  # the latter where the pointer is on a disc
    assert canvas.cursor().shape() in shapes
    assert numbers(held)
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert numbers(held) == []


def test_all_none_inverted_and_undone(held: MainWindow) -> None:
    click(held, 7)
    QTest.keyClick(held.canvas, Qt.Key.Key_I, CONTROL)
    assert len(numbers(held)) == 224
    assert 7 not in numbers(held)
    QTest.keyClick(held.canvas, Qt.Key.Key_A, CONTROL)
    assert len(numbers(held)) == 225
    assert held.session.history.undo_text == "Undo selecting 225 {discs}"
    QTest.keyClick(held.canvas, Qt.Key.Key_Z, CONTROL)
    QTest.keyClick(held.canvas, Qt.Key.Key_Z, CONTROL)
    assert numbers(held) == [7]
    QTest.keyClick(held.canvas, Qt.Key.Key_Z, CONTROL | SHIFT)
    assert len(numbers(held)) == 224


def test_discs_are_selected_by_typed_numbers_and_conditions(held: MainWindow) -> None:
    line = picks(held).line
    QTest.keyClick(held.canvas, Qt.Key.Key_Slash)
    wait_until(line.isVisible)
    for text, chosen in (("3, 17, 20-22", [3, 17, 20, 21, 22]), ("disc < 4 and x > 0", [0, 1, 2, 3])):
        line.open()
        line.field.setText(text)
        QTest.keyClick(line.field, Qt.Key.Key_Return)
        assert not line.isVisible()
        assert numbers(held) == chosen
    line.open()
    assert "speed" in line.words.text()
    for text, words in (
        ("sped > 1", "did you mean speed"),
        ("400", "there is no disc 400; discs are numbered 0 to 224"),
        ("9-3", "is in reverse order"),
        ("speed", "compare it"),
        ("", "the expression is empty"),
    ):
        line.field.setText(text)
        QTest.keyClick(line.field, Qt.Key.Key_Return)
        assert line.isVisible()
        assert words in line.words.text()
        lines = line.words.heightForWidth(line.words.width())
        assert line.words.height() <= lines + 2, "no empty lines around the words"
    assert numbers(held) == [0, 1, 2, 3]
    line.close()
    sheet = KeySheet(held.commands)
    keys = [label.text() for label in sheet.findChildren(QLabel)]
    sheet.close()
    assert {"Click", "Shift+click", "Ctrl+click", "Alt+drag", "Right-click", "Ctrl+A", "/"} <= set(keys)


def test_isolate_hide_and_show_all(held: MainWindow) -> None:
    click(held, 7)
    click(held, 30, CONTROL)
    held.commands.run("view.isolate")
    wait_until(lambda: np.isfinite(held.canvas.scene.positions[:, 0]).sum() == 2)
    assert len(hidden(held)) == 223
    assert note(held) == "2 discs selected, 223 discs hidden"
    assert held.canvas.disc_at(*_xy(pixel(held, 100))) is None
    assert held.canvas.disc_at(*_xy(pixel(held, 7))) == 7
    held.commands.run("edit.undo")
    wait_until(lambda: np.isfinite(held.canvas.scene.positions).all())
    held.commands.run("view.hide_discs")
    wait_until(lambda: np.isnan(held.canvas.scene.positions[:, 0]).sum() == 2)
    assert not held.commands.action("view.unhide").isVisible() or held.commands.action("view.unhide").isEnabled()
    held.commands.run("view.unhide")
    wait_until(lambda: np.isfinite(held.canvas.scene.positions).all())
    assert not held.commands.action("view.unhide").isEnabled()


def _xy(at: QPoint) -> tuple[float, float]:
    return float(at.x()), float(at.y())


def test_the_menu_of_a_disc(held: MainWindow) -> None:
    at = pixel(held, 12)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, held.canvas.mapToGlobal(at))
    QApplication.sendEvent(held.canvas, event)
    menu = picks(held)._menu
    assert menu is not None
    assert menu.isVisible()
    assert numbers(held) == [12]
    texts = [action.text() for action in menu.actions()]
    assert texts[0] == "Disc 12"
    assert not menu.actions()[0].isEnabled()
    assert {"Follow", "Isolate", "Hide", "Show all discs", "Colour by distance from this disc"} <= set(texts)
    next(action for action in menu.actions() if action.text().startswith("Colour by")).trigger()
    menu.close()
    assert held.session.view.color_by == "distance:12"
    wait_until(lambda: held.canvas.scene.coloring.by == "distance:12")
    assert held.canvas.scene.scalar[12] == 0.0
    assert held.top_bar.color_by.currentText() == "Distance from disc 12"
    assert held.session.history.undo_text == "Undo colour by distance from {disc} 12"
    held.session.view.color_by = "speed"
    assert held.top_bar.color_by.findText("Distance from disc 12") == -1
    assert held.top_bar.color_by.currentText() == "Speed"


def test_follow_a_disc_through_a_periodic_edge(held: MainWindow, tmp_path: Path) -> None:
    load(held, scenario_file(tmp_path, GAS), run=False)
    wait_until(lambda: picks(held).selected.count == 225 and held.refresher.shown().disc_set.periodic)
    held.session.set_speed(20.0)
    frame = held.refresher.shown().frame
    system = held.refresher.shown().disc_set
    way = np.where(frame.velocities > 0.0, system.box - frame.positions, -frame.positions)
    fastest = int((way / frame.velocities).min(axis=1).argmin())  # it crosses an edge soonest
    click(held, fastest)
    held.commands.run("view.follow")
    held.commands.run("view.paths")
    assert note(held).startswith(f"1 disc selected, following disc {fastest}; press Esc or drag to stop")
    crossed = []

    def look(_lane: int, shown: object) -> None:
        x, y = held.canvas.camera.x, held.canvas.camera.y
        at = held.refresher.shown().frame
        assert (x, y) == pytest.approx(tuple(at.positions[fastest]))
        crossed.append(at.fields["images"][fastest].any())

    held.refresher.frame_shown.connect(look)
    held.session.run()
    wait_until(lambda: any(crossed))
    held.session.pause()
    held.refresher.frame_shown.disconnect(look)
    scale = held.canvas.camera.scale
    held.canvas.about_to_move.emit("zoom", 1)
    held.canvas.zoom(2.0)  # goes on
    assert picks(held).following.disc == fastest
    assert held.canvas.camera.scale == pytest.approx(2.0 * scale)
    paths = held.canvas.scene.data("path")
    segments, late = paths.segments()
    assert len(segments) == len(late) > 0
    assert np.abs(segments[:, 1] - segments[:, 0]).max() < held.refresher.shown().disc_set.box.max() / 2
    held.session.run()  # in a paused run a drag would move the disc
    wait_until(lambda: held.session.status().state == "running")
    middle = QPoint(held.canvas.width() // 2, held.canvas.height() // 2)
    drag(held, [middle, middle + QPoint(40, 0)])
    assert picks(held).following.disc is None
    held.session.pause()
    before = held.canvas.place
    held.commands.run("view.follow")
    assert held.canvas.place != before
    QTest.keyClick(held.canvas, Qt.Key.Key_Escape)
    assert picks(held).following.disc is None
    assert held.canvas.place == pytest.approx(before)  # it is looked at as before
    assert numbers(held) == [fastest]  # only one thing at a time
    held.commands.run("view.follow")
    few = SMALL.replace("225", "16")
    click_count = picks(held).following.disc
    assert click_count == fastest
    load(held, scenario_file(tmp_path, few), run=False)  # the disc is gone, or another one
    wait_until(lambda: picks(held).selected.count == 16)
    assert numbers(held) == []
    assert not picks(held).paths.on


def test_a_selection_is_kept_in_sessions_and_cleared_by_another_run(held: MainWindow, tmp_path: Path) -> None:
    click(held, 7)
    held.commands.run("view.hide_discs")
    click(held, 30)
    path = tmp_path / "picked.aggsession"
    held.session.save_session(path)
    wait_until(path.is_file)
    held.session.restart()
    wait_until(lambda: held.session.status().time == 0.0 and held.session.status().state != "loading")
    assert (numbers(held), hidden(held)) == ([30], [7])
    held.session.restart(seed=77)
    wait_until(lambda: numbers(held) == [])
    assert hidden(held) == []
    load(held, path, run=False)
    wait_until(lambda: (numbers(held), hidden(held)) == ([30], [7]))
    wait_until(lambda: held.canvas.scene.pinned.get(SELECTION) is not None)
    assert np.isnan(held.canvas.scene.positions[7]).all()


def test_states_are_saved_with_the_selection_or_it_alone(
    held: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = part_of(held, RecordingFiles)
    path = tmp_path / "state.csv"
    monkeypatch.setattr(recording._chooser, "to_save", lambda *args: path)
    held.commands.run("file.save_state")
    wait_until(path.is_file)
    assert "selected" not in path.read_text().splitlines()[0]
    assert not held.commands.action("file.save_selected").isEnabled()
    click(held, 7)
    click(held, 30, CONTROL)
    path.unlink()
    held.commands.run("file.save_state")
    wait_until(path.is_file)
    assert np.flatnonzero(read(path)[0].fields["selected"]).tolist() == [7, 30]
    path.unlink()
    held.commands.run("file.save_selected")
    wait_until(path.is_file)
    (few,) = read(path)
    assert (few.positions == held.refresher.shown().frame.positions[[7, 30]]).all()
