"""Ctrl+Z in a real window: what it takes back, what the menu says, and whose key it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from aggviewer.session import Notice
from aggviewer.widgets.number_edit import NumberEdit, ValueSlider
from aggviewer.window.commands.help import GROUPS
from aggviewer.window.commands.palette import CommandPalette, side_of
from aggviewer.window.files import Opening
from aggviewer.window.main_window import MainWindow
from tests.waiting import nothing_put_off
from tests.window.conftest import JAM, hold, part_of, told
from tests.window.screen import turn
from tests.window.watching import settled, state, time_shown, wait_for

LEFT, CONTROL, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(window_again: MainWindow) -> MainWindow:
    """The window of all tests of this file."""
    return window_again


@pytest.fixture
def held(window: MainWindow, small: Path) -> MainWindow:
    """The window with the small scenario at its start, and nothing to be undone."""
    hold(window, small)
    told(window)
    window.session.history.forget()
    return window


def entries(window: MainWindow) -> list[str]:
    """What the Edit menu says of undo and redo, a dash before what cannot be used."""
    bar = window.menuBar()
    assert bar is not None
    menu = next(menu for menu in bar.findChildren(QMenu) if menu.title() == "&Edit")
    return [("" if action.isEnabled() else "-") + action.text() for action in menu.actions()[:2]]


def press_undo(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Z, CONTROL)
    settled(window, qtbot)


def press_redo(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Z, CONTROL | SHIFT)
    settled(window, qtbot)


def drag(slider: ValueSlider, start: int, path: list[int]) -> None:
    """The handle of a slider is taken and moved, in pixels."""
    y = slider.height() // 2
    QTest.mousePress(slider, LEFT, pos=QPoint(start, y))
    for x in path:
        QTest.mouseMove(slider, QPoint(x, y))
        nothing_put_off(slider.window().parameters)  # a restart while it is dragged
    QTest.mouseRelease(slider, LEFT, pos=QPoint(path[-1], y))


@pytest.mark.slow
def test_ctrl_z_after_the_drag_of_a_slider(held: MainWindow, qtbot: QtBot) -> None:
    assert entries(held) == ["-Undo", "-Redo"]
    for _ in range(5):
        held.session.step_event()
    settled(held, qtbot)
    time = held.session.status().time
    row = held.parameters.rows["discs.count"]
    slider = row.findChild(ValueSlider)
    assert slider is not None
    assert slider.isVisible()
    before = slider.width() * slider.value() // slider.maximum()
    drag(slider, before, [before + 10, before + 16, before + 22, before + 28])
    wait_for(qtbot, lambda: held.session.status().count not in (0, 225))
    settled(held, qtbot)
    wait_for(qtbot, lambda: not held.parameters.draft)
    count = held.session.status().count
    assert entries(held) == [f"Undo N = {count}", "-Redo"]
    press_undo(held, qtbot)
    status = held.session.status()
    assert (status.count, status.time, status.state) == (225, time, "paused")
    assert entries(held) == ["-Undo", f"Redo N = {count}"]
    wait_for(qtbot, lambda: row.findChildren(NumberEdit)[0].value == 225)
    press_redo(held, qtbot)
    assert held.session.status().count == count


def test_ctrl_z_after_r(held: MainWindow, qtbot: QtBot) -> None:
    for _ in range(30):
        held.session.step_event()
    settled(held, qtbot)
    time = held.session.status().time
    QTest.keyClick(held, Qt.Key.Key_R)
    settled(held, qtbot)
    assert time_shown(held) == 0.0
    assert entries(held)[0] == "Undo restart"
    press_undo(held, qtbot)
    assert time_shown(held) == time
    held.session.look_at(0.0)
    wait_for(qtbot, lambda: time_shown(held) == 0.0)
    assert held.session.status().past == 0.0


def test_ctrl_z_in_a_field_takes_back_what_is_typed(held: MainWindow, qtbot: QtBot) -> None:
    held.session.view.colormap = "magma"
    edit = held.parameters.rows["discs.volume_fraction"].findChildren(NumberEdit)[0]
    QTest.mouseClick(edit.findChildren(type(edit._line))[0], LEFT)
    wait_for(qtbot, edit.hasFocus)
    text = edit._line.text()
    edit._line.selectAll()
    QTest.keyClicks(edit, "0.3")
    assert edit._line.text() == "0.3"
    while edit._line.isUndoAvailable():
        QTest.keyClick(edit, Qt.Key.Key_Z, CONTROL)
    assert edit._line.text() == text
    assert held.session.view.colormap == "magma", "the key was the field's"
    QTest.keyClick(edit, Qt.Key.Key_Z, CONTROL)
    assert held.session.view.colormap == "viridis", "there is nothing typed any more: it is the window's"


def test_a_series_of_the_wheel_and_a_pan_are_one_step_each(held: MainWindow, qtbot: QtBot) -> None:
    canvas = held.canvas
    fitted = canvas.place
    for _ in range(4):
        turn(canvas, 120, at=QPointF(canvas.width() / 3, canvas.height() / 3))
    zoomed = canvas.place
    assert entries(held) == ["Undo zoom", "-Redo"]
    middle = QPoint(canvas.width() // 2, canvas.height() // 2)
    QTest.mousePress(canvas, LEFT, pos=middle)
    for k in range(1, 6):
        QTest.mouseMove(canvas, middle + QPoint(10 * k, 4 * k))
        QApplication.processEvents()
    QTest.mouseRelease(canvas, LEFT, pos=middle)
    panned = canvas.place
    assert panned != zoomed
    assert entries(held)[0] == "Undo moving the picture"
    QTest.keyClick(held, Qt.Key.Key_F)
    assert canvas.fitted
    assert entries(held)[0] == "Undo fit the box"
    QTest.keyClick(held, Qt.Key.Key_F)  # nothing moves: no step
    for place in (panned, zoomed, fitted):
        QTest.keyClick(held, Qt.Key.Key_Z, CONTROL)
        assert canvas.place == pytest.approx(place)
    assert entries(held) == ["-Undo", "Redo zoom"]
    for place in (zoomed, panned):
        QTest.keyClick(held, Qt.Key.Key_Z, CONTROL | SHIFT)
        assert canvas.place == pytest.approx(place)


def test_zooming_leaves_a_run_to_be_redone(held: MainWindow, qtbot: QtBot) -> None:
    held.session.restart()
    settled(held, qtbot)
    press_undo(held, qtbot)
    turn(held.canvas, 120)
    assert entries(held) == ["Undo zoom", "Redo restart"]
    press_redo(held, qtbot)
    assert entries(held) == ["Undo restart", "-Redo"]


def test_notches_of_the_wheel_are_one_step_while_they_follow_one_another(held: MainWindow) -> None:
    history, canvas = held.session.history, held.canvas

    def notch(milliseconds: int) -> int:
        canvas.about_to_move.emit("zoom", milliseconds)
        canvas.zoom(1.1)
        return len(history.steps)

    assert [notch(time) for time in (1000, 1600, 2200, 3000, 3100)] == [1, 1, 1, 2, 2]
    history.begin_gesture()
    canvas.about_to_move.emit("pan", 1)
    canvas.pan(20.0, 10.0)
    assert [notch(time) for time in (3200, 3300)] == [4, 4], "a drag lies between"
    assert history.undo_text == "Undo zoom"
    history.undo()
    assert history.undo_text == "Undo moving the picture"


def test_the_speed_is_taken_back(held: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(held, Qt.Key.Key_Plus)
    QTest.keyClick(held, Qt.Key.Key_A)
    wait_for(qtbot, lambda: held.session.status().fast)
    assert entries(held)[0] == "Undo playing fast"
    assert not held.transport.speed.isEnabled()
    press_undo(held, qtbot)
    assert entries(held)[0] == "Undo faster"
    assert (held.session.status().speed, held.transport.speed.number) == (4.0, 4.0)
    press_undo(held, qtbot)
    assert (held.session.status().speed, held.transport.speed.number) == (2.0, 2.0)
    assert entries(held) == ["-Undo", "Redo faster"]


def test_view_commands_are_named(held: MainWindow, qtbot: QtBot) -> None:
    for command, text in (
        ("view.color_by_speed", "Undo colour by speed"),
        ("view.background_white", "Undo background white"),
        ("view.show_legend", "Undo hiding the legend"),
        ("view.show_velocities", "Undo showing the velocities"),
        ("view.theme_light", "Undo theme light"),
    ):
        held.commands.run(command)
        assert entries(held)[0] == text
    for _ in range(5):
        held.commands.run("edit.undo")
    view = held.session.view
    assert (view.color_by, view.background, view.show_legend, view.theme) == ("cluster", "theme", True, "system")
    assert view.layers == ("forces",)


def test_the_bar_says_the_time_of_a_run_of_another_system_that_came_back(
    held: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    held.session.step_event()
    settled(held, qtbot)
    shown = held.transport.time.text()
    assert shown != "t = 0.00"
    (tmp_path / "jam.toml").write_text(JAM)
    hold(held, tmp_path / "jam.toml")
    assert held.transport.time.text() == "start"
    press_undo(held, qtbot)
    wait_for(qtbot, lambda: held.session.status().system == "aggregation" and time_shown(held) > 0.0)
    held.refresher.tell_status()  # that is told after the frame
    assert held.transport.time.text() == shown


def test_two_time_steps_are_one_step(held: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(held, Qt.Key.Key_C, SHIFT)
    wait_for(qtbot, lambda: len(held.session.status().lanes) == 2)
    settled(held, qtbot)
    assert entries(held)[0] == "Undo comparison of two time steps"
    press_undo(held, qtbot)
    wait_for(qtbot, lambda: [lane.method for lane in held.session.status().lanes] == ["event-driven"])
    assert entries(held)[0] == "-Undo"


def test_a_session_that_was_opened_brings_its_view_and_takes_it_along(
    held: MainWindow, qtbot: QtBot, tmp_path: Path, notices: list[Notice]
) -> None:
    path = tmp_path / "a.aggsession"
    held.session.view.color_by = "speed"
    held.session.save_session(path)
    wait_for(qtbot, path.is_file)
    held.session.view.color_by = "size"
    part_of(held, Opening).open(path)
    wait_for(qtbot, lambda: held.session.view.color_by == "speed")
    held.session.pause()
    settled(held, qtbot)
    assert entries(held)[0] == "Undo opening a.aggsession"
    press_undo(held, qtbot)
    assert held.session.view.color_by == "size"
    assert state(held) == "paused"


def test_the_palette_and_the_sheet_of_keys_list_them(held: MainWindow) -> None:
    held.session.view.color_by = "speed"
    QApplication.processEvents()
    part_of(held, CommandPalette).open()
    lines = part_of(held, CommandPalette).lines
    texts = [item.text() for item in lines]
    assert "Ctrl+Z" in [side_of(item) for item in lines if item.text() == "Undo colour by speed"]
    assert not any(text.startswith("Redo") for text in texts), "there is nothing to be redone"
    part_of(held, CommandPalette).close()
    assert "edit" in GROUPS
    assert [command.text for command in held.commands if command.id.startswith("edit.")][:2] == ["Undo", "Redo"]


def test_the_status_bar_says_how_a_restarted_run_comes_back(held: MainWindow, qtbot: QtBot) -> None:
    settled(held, qtbot)
    held.commands.run("run.restart")
    wait_for(qtbot, lambda: held.status.currentMessage() == "Restarted. Ctrl+Z brings the run back.")
    settled(held, qtbot)
    held.session.history.set_aside()  # for a lesson
    assert held.status.currentMessage() == "", "Ctrl+Z does not bring it back by now"
    held.session.history.bring_back()
    press_undo(held, qtbot)
    settled(held, qtbot)
    assert held.status.currentMessage() == ""
