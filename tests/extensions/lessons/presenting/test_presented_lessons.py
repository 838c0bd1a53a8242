"""Lessons in front of a class: how large the picture is in each step, and what the next press of a clicker does."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QPoint, QRect, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QWidget

from aggviewer.canvas.camera import seen_sides
from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.extensions.lessons.presenting.presenter import Presenter
from aggviewer.extensions.lessons.source import bundled, find_lesson
from aggviewer.window.main_window import MainWindow
from tests.extensions.lessons.presenting.presenter_mode import begin_lesson, toggle, window
from tests.waiting import laid_out
from tests.window.conftest import part_of, wait_until

__all__ = ["window"]

LEAST = 560
"""Pixels of the box in a window of 1280 × 720."""


def box_side(window: MainWindow) -> float:
    """Pixels of a side of the box."""
    canvas = window.canvas
    return min(seen_sides(canvas.scene.sides, window.session.view)) * canvas.camera.scale


def place_of(widget: QWidget) -> QRect:
    """Where it is in its window."""
    return QRect(widget.mapTo(widget.window(), QPoint(0, 0)), widget.size())


@pytest.mark.slow
def test_the_box_has_560_pixels_in_each_step_of_each_lesson_and_nothing_covers_it(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    for call in (
        "load",
        "compare",
        "set_parameter",
    ):  # the discs of the steps change nothing, and building them is slow
        monkeypatch.setattr(window.session, call, lambda *_values, **_how: None)
    window.resize(1280, 720)
    toggle(window)
    lessons, bar = part_of(window, Lessons), part_of(window, Presenter).tools.bar
    small: dict[str, float] = {}
    steps = 0
    for found in bundled():
        lessons.begin(find_lesson(found.name))
        player = lessons.player
        assert player is not None
        player.start_over()
        while not player.ended:
            for _ in range(3):  # the layout follows after the events of a step, and once more after its texts
                QApplication.processEvents()
            steps += 1
            picture = place_of(window.stage.ground)
            around = [place_of(widget) for widget in (lessons.panel.page, lessons.panel.foot, bar)]
            assert not any(picture.intersects(one) for one in around), (player.step.title, picture, around)
            if window.stage.cover is None and box_side(window) < LEAST:
                small[f"{found.name}: {player.step.title}"] = box_side(window)
            player.skip()
    assert small == {}
    assert steps > 100


def test_a_clicker_alone_gives_a_lesson_and_the_button_says_what_its_next_press_does(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    lessons = begin_lesson(window)
    window.resize(1280, 720)
    toggle(window)
    player, panel, said = lessons.player, lessons.panel, list[str]()
    assert player is not None
    while not player.ended:
        laid_out(window)
        wait_until(lambda: player.press not in ("running", "measuring", "waiting"))
        panel.tell_press()
        assert box_side(window) >= LEAST
        assert not (panel.skip_button.isVisible() and player.press == "next"), "one button goes on"
        said.append(panel.next_button.text())
        begins = player.press == "run"
        QTest.keyClick(window.windowHandle(), Qt.Key.Key_PageDown)
        wait_until(lambda begins=begins: not begins or player.press != "run")  # the run has begun
    assert [words for words in said if words != "Read on"] == (
        ["Next", "Next", "Run", "Next", "Next", "Run", "Next", "Next", "Next", "Next", "Run", "Next", "Next", "Next"]
    )
    assert set(player.measured) == {3, 6, 9}, "all that the lesson measures"
    assert player.skipped_titles == []
    assert panel.next_button.text() == "Done"
    scrolls = iter([True, False])  # a last page that is longer than the window
    monkeypatch.setattr(panel, "read_on", lambda: next(scrolls))
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_PageDown)
    assert lessons.on, "it was scrolled"
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_PageDown)
    assert not lessons.on


@pytest.mark.slow
def test_show_removes_the_rattler_of_the_lesson_and_then_waits_for_the_run(window: MainWindow) -> None:
    lessons = part_of(window, Lessons)
    lessons.begin(find_lesson("stuck"))
    player, panel = lessons.player, lessons.panel
    assert player is not None
    toggle(window)
    player.start_over()
    while player.step.title != "Without the rattler":
        player.skip()
    wait_until(lambda: panel.next_button.text() == "Show", seconds=60)
    panel.next_button.click()
    wait_until(lambda: player.complete, seconds=60)
    assert panel.next_button.text() == "Next"
    toggle(window)
    player.repeat()
    wait_until(lambda: player.press == "skip")
