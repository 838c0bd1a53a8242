"""The bouncing ball in the real window: what is clicked and typed, and the place that it takes in a lesson."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.extensions.lessons.bouncing_ball.lesson import BallLesson
from engine.hard_discs.ball import Drop, fall
from tests.window.conftest import PATIENCE

HALTS = 0.1  # the plate that the lesson begins with
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def lesson(qapp: QApplication, qtbot: QtBot) -> Iterator[BallLesson]:
    """The lesson, shown and active."""
    made = BallLesson()
    made.resize(1024, 700)
    made.show()
    qtbot.waitExposed(made)
    QApplication.setActiveWindow(made)
    qtbot.waitUntil(made.isActiveWindow, timeout=PATIENCE)
    yield made
    made.close()
    assert not made.steps.playing
    made.deleteLater()


def press(qtbot: QtBot, lesson: BallLesson, key: Qt.Key) -> None:
    qtbot.keyClick(QApplication.focusWidget() or lesson, key)


def test_keys_buttons_balls_and_rows_are_followed(lesson: BallLesson, qtbot: QtBot) -> None:
    press(qtbot, lesson, Qt.Key.Key_Right)
    press(qtbot, lesson, Qt.Key.Key_Right)
    assert lesson.steps.index == lesson.table.currentRow() == 2
    assert lesson.transport.time.text() == f"Event 2 of {lesson.story.last}"
    press(qtbot, lesson, Qt.Key.Key_R)
    assert lesson.steps.index == 0
    qtbot.mouseClick(lesson.views["stable"].viewport(), LEFT)
    qtbot.waitUntil(lambda: lesson.sides.buttons["Stable"].isChecked(), timeout=PATIENCE)
    assert lesson.table.rowCount() == len(lesson.story.stable.events)
    press(qtbot, lesson, Qt.Key.Key_Right)
    assert lesson.steps.index == 1, "with a ball clicked, too"
    qtbot.mouseClick(lesson.sides.buttons["Naive"], LEFT)
    press(qtbot, lesson, Qt.Key.Key_Right)
    assert lesson.steps.index == 2
    assert lesson.table.rowCount() == len(lesson.story.naive.events)
    index = lesson.table.model().index(4, 1)
    lesson.table.scrollTo(index)
    qtbot.mouseClick(lesson.table.viewport(), LEFT, pos=lesson.table.visualRect(index).center())
    assert lesson.steps.index == 4
    assert "exact" in lesson.digits.text()
    qtbot.mouseClick(lesson.bases.buttons["Binary"], LEFT)
    assert "0.1001100110011" in lesson.digits.text()
    lesson.transport.buttons["forward"].click()
    assert lesson.steps.index == 5


def test_the_balls_move_between_two_events(lesson: BallLesson) -> None:
    lesson.transport.speed.number = 2.0
    lesson.steps.go_to(1)
    before = lesson.views["naive"].drawn["ball"].series.y[0]
    lesson.steps.player.longest = 1.0
    lesson.steps.play()
    lesson.steps.player.start(0.0)
    lesson.steps.advance(0.25)  # half of a flight: the peak
    assert lesson.share == 0.5
    assert lesson.views["naive"].drawn["ball"].series.y[0] > before


def test_controls_choose_another_ball_and_refuse_with_the_reason(lesson: BallLesson, qtbot: QtBot) -> None:
    lesson.steps.go_to(3)
    lesson.controls.edits["restitution"].edited.emit(0.7)
    assert lesson.story.drop.restitution == 0.7
    assert lesson.steps.index == 0
    assert lesson.controls.slider.value() == 70
    qtbot.mouseDClick(lesson.controls.slider, LEFT)
    assert lesson.controls.edits["restitution"].value == 0.5
    lesson.controls.edits["restitution"].edited.emit(0.7)
    lesson.controls.edits["drop"].edited.emit(2.0)
    assert lesson.story.naive == fall(Drop(HALTS, 2.0, 0.7), "naive", 1000)
    lesson.controls.edits["restitution"].edited.emit(1.5)
    assert "0 to 0.95" in lesson.words.text()
    assert lesson.story.drop.restitution == 0.7
    assert lesson.controls.edits["restitution"].value == 0.7
    lesson.controls.edits["plate"].edited.emit("abc")
    assert "abc" in lesson.words.text()
    before = lesson.story.drop.plate
    lesson.controls.dice.click()
    assert 0.0 <= lesson.story.drop.plate < 1.0
    assert lesson.story.drop.plate != before
    assert "abc" not in lesson.words.text()
    lesson.controls.store.setFocus()
    qtbot.keyClick(lesson.controls.store, Qt.Key.Key_Down)
    assert lesson.story.stable.detection == "gap"
