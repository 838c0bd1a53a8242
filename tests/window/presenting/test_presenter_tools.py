"""What a teacher points with: real mouse and keys in one window that presents."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QColor
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from aggviewer.window.main_window import MainWindow
from aggviewer.window.presenting.pointer import HALO, INK
from aggviewer.window.presenting.presenter import Presenter
from aggviewer.window.settings import WindowSettings
from tests.style.test_projector_theme import contrast
from tests.waiting import laid_out
from tests.window.conftest import part_of, wait_until

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def window(window_again: MainWindow) -> MainWindow:
    """The window of this file, presenting in its own theme: to change the style sheet takes a while."""
    part_of(window_again, WindowSettings).own_theme_to_present = True
    window_again.commands.run("view.presenter")
    laid_out(window_again)
    window_again.canvas.setFocus()
    return window_again


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
        QApplication.processEvents()
    QTest.mouseRelease(native, LEFT, pos=points[-1])


ACROSS = [(0.3, 0.5), (0.4, 0.5), (0.5, 0.5), (0.6, 0.5)]


def test_the_ring_follows_the_mouse_and_lets_clicks_through(
    window: MainWindow, presenter: Presenter, qtbot: QtBot
) -> None:
    ring, canvas = presenter.tools.pointer, window.canvas
    qtbot.keyClick(canvas, Qt.Key.Key_O)
    assert ring.isVisible()
    for widget in (canvas, window.plots, presenter.tools.teacher):
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


def test_the_ring_is_a_part_of_presenter_mode_and_of_no_saved_picture(
    window: MainWindow, presenter: Presenter, qtbot: QtBot
) -> None:
    before = window.canvases.snapshot(300, 200)
    qtbot.keyClick(window.canvas, Qt.Key.Key_O)
    assert np.array_equal(window.canvases.snapshot(300, 200), before)
    window.commands.run("view.presenter")
    assert not presenter.tools.pointer.on
    qtbot.keyClick(window.canvas, Qt.Key.Key_O)
    assert not presenter.tools.pointer.on, "its key is one of presenter mode alone"


def test_the_ring_is_read_from_the_last_row() -> None:
    assert contrast(QColor(INK), QColor(HALO)) > 7.0


def test_every_button_of_the_bar_has_a_name_and_is_reached_by_tab(window: MainWindow, presenter: Presenter) -> None:
    for button in presenter.tools.teacher.findChildren(QToolButton):
        assert button.accessibleName()
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
