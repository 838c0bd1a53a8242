"""Ctrl+Z in a real window: what it takes back, what the menu says, and whose key it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from aggviewer.widgets.number_edit import NumberEdit, ValueSlider
from aggviewer.window.main_window import MainWindow
from tests.waiting import nothing_put_off
from tests.window.conftest import hold, told
from tests.window.screen import turn
from tests.window.watching import settled, wait_for

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
    places = (QPoint(canvas.width() // 2 + x, canvas.height() // 2) for x in range(0, 200, 5))
    middle = next(at for at in places if canvas.disc_at(at.x(), at.y()) is None)  # a disc would be thrown
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
