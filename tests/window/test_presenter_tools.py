"""What a teacher points and draws with: real mouse and keys in one window that presents."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QColor
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.lessons.source import find_lesson
from aggviewer.window.lesson.lessons import Lessons
from aggviewer.window.main_window import MainWindow
from aggviewer.window.presenting.marks import HALO, INK
from aggviewer.window.presenting.presenter import Presenter
from aggviewer.window.settings import WindowSettings
from tests.style.test_projector_theme import contrast
from tests.waiting import laid_out
from tests.window.conftest import part_of, wait_until

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def window(window_again: MainWindow) -> Iterator[MainWindow]:
    """The window of this file, presenting in its own theme: to change the style sheet takes a while."""
    part_of(window_again, WindowSettings).own_theme_to_present = True
    window_again.commands.run("view.presenter")
    laid_out(window_again)
    window_again.canvas.setFocus()
    yield window_again
    part_of(window_again, Lessons).leave()


@pytest.fixture
def presenter(window: MainWindow) -> Presenter:
    """Of the window."""
    return part_of(window, Presenter)


def drag(window: MainWindow, places: list[tuple[float, float]]) -> None:
    """Drag the mouse over the picture, through these shares of its width and height, as from the window system."""
    native, canvas = window.windowHandle(), window.canvas
    points = [canvas.mapTo(window, QPoint(round(x * canvas.width()), round(y * canvas.height()))) for x, y in places]
    QTest.mousePress(native, LEFT, pos=points[0])
    for point in points[1:]:
        QTest.mouseMove(native, point)
        QTest.qWait(5)
    QTest.mouseRelease(native, LEFT, pos=points[-1])


def color_at(window: MainWindow, widget: QWidget, place: QPoint) -> QColor:
    """Of a pixel on the screen."""
    QApplication.processEvents()
    screen = window.screen()
    assert screen is not None
    inside = widget.mapTo(window, place)
    return screen.grabWindow(int(window.winId()), inside.x(), inside.y(), 1, 1).toImage().pixelColor(0, 0)


def near(one: QColor, other: str) -> bool:
    """Whether two colours look the same."""
    two = QColor(other)
    return max(abs(one.red() - two.red()), abs(one.green() - two.green()), abs(one.blue() - two.blue())) < 24


ACROSS = [(0.3, 0.5), (0.4, 0.5), (0.5, 0.5), (0.6, 0.5)]


def test_without_the_pen_a_drag_moves_the_picture_and_with_it_it_draws(
    window: MainWindow, presenter: Presenter, qtbot: QtBot
) -> None:
    sheet, canvas = presenter.sheet, window.canvas
    before = canvas.place
    drag(window, ACROSS)
    assert canvas.place != before
    assert not sheet.strokes
    qtbot.keyClick(canvas, Qt.Key.Key_D)
    before = canvas.place
    drag(window, ACROSS)
    drag(window, [(0.3, 0.6), (0.6, 0.7)])
    assert canvas.place == before
    assert [len(stroke) for stroke in sheet.strokes] == [4, 2]
    on_line = QPoint(round(0.45 * canvas.width()), round(0.5 * canvas.height()))
    wait_until(lambda: near(color_at(window, canvas, on_line), INK))
    # the buttons of the bar are not covered: the pen is put down with one, and what is drawn stays
    button = next(one for one in presenter.teacher._buttons if one.defaultAction().objectName() == "presenter.pen")
    place = button.mapTo(window, button.rect().center())
    QTest.mouseClick(window.windowHandle(), LEFT, pos=place)
    assert not sheet.pen
    drag(window, ACROSS)
    assert canvas.place != before
    assert len(sheet.strokes) == 2


def test_strokes_go_one_by_one_or_all_and_with_the_mode(window: MainWindow, presenter: Presenter, qtbot: QtBot) -> None:
    sheet = presenter.sheet
    qtbot.keyClick(window.canvas, Qt.Key.Key_D)
    for _ in range(3):
        drag(window, ACROSS)
    qtbot.keyClick(window.canvas, Qt.Key.Key_Backspace)
    assert len(sheet.strokes) == 2
    qtbot.keyClick(window.canvas, Qt.Key.Key_Delete)
    assert sheet.strokes == []
    assert not window.commands.action("presenter.clear_strokes").isVisible()
    drag(window, ACROSS)
    presenter.pointer.switch(True)
    window.commands.run("view.presenter")
    assert (sheet.strokes, sheet.pen, sheet.isVisible(), presenter.pointer.isVisible()) == ([], False, False, False)
    for key in (Qt.Key.Key_D, Qt.Key.Key_O):  # keys of presenter mode alone
        qtbot.keyClick(window.canvas, key)
    assert (sheet.pen, presenter.pointer.on) == (False, False)


def test_strokes_vanish_with_the_next_step(window: MainWindow, presenter: Presenter, qtbot: QtBot) -> None:
    lessons = part_of(window, Lessons)
    lessons.begin(find_lesson("two-four-many"))
    assert lessons.player is not None
    lessons.player.again()
    wait_until(lambda: lessons.classroom.settled)
    window.canvas.setFocus()
    qtbot.keyClick(window.canvas, Qt.Key.Key_D)
    drag(window, ACROSS)
    window.resize(1100, 720)  # what is laid out anew is the same step
    wait_until(lambda: window.width() == 1100)
    laid_out(window)
    assert len(presenter.sheet.strokes) == 1
    qtbot.keyClick(window.canvas, Qt.Key.Key_PageDown)
    assert lessons.player.number == 1
    assert presenter.sheet.strokes == []
    assert presenter.sheet.pen  # the teacher goes on drawing


def test_the_ring_follows_the_mouse_and_lets_clicks_through(
    window: MainWindow, presenter: Presenter, qtbot: QtBot
) -> None:
    ring, canvas = presenter.pointer, window.canvas
    qtbot.keyClick(canvas, Qt.Key.Key_O)
    assert ring.isVisible()
    for widget in (canvas, window.plots, presenter.teacher):
        place = widget.mapTo(window, widget.rect().center())
        QTest.mouseMove(window.windowHandle(), place)
        wait_until(lambda place=place: (ring.geometry().center() - place).manhattanLength() <= 2)  # type: ignore[misc]
    before = canvas.place
    drag(window, ACROSS)
    assert canvas.place != before
    small = ring.width()
    assert small >= 2 * window.fontMetrics().height() * 0.7
    window.resize(1920, 1080)
    wait_until(lambda: ring.width() >= 64 > small)


def test_no_exported_picture_has_the_marks(window: MainWindow, presenter: Presenter, qtbot: QtBot) -> None:
    before = window.canvases.snapshot(300, 200)
    presenter.pointer.switch(True)
    qtbot.keyClick(window.canvas, Qt.Key.Key_D)
    drag(window, ACROSS)
    assert presenter.sheet.strokes
    assert np.array_equal(window.canvases.snapshot(300, 200), before)


def test_the_ink_is_read_from_the_last_row() -> None:
    assert contrast(QColor(INK), QColor(HALO)) > 7.0


def test_every_button_of_the_bar_has_a_name_and_is_reached_by_tab(window: MainWindow, presenter: Presenter) -> None:
    for button in presenter.teacher._buttons:
        assert button.accessibleName()
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
