"""The bouncing ball in the real window: what is clicked and typed, and the place that it takes in a lesson."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.extensions.lessons.bouncing_ball.lesson import BallLesson, ball_colours
from aggviewer.extensions.lessons.bouncing_ball.picture import next_plate, plates
from aggviewer.extensions.lessons.classroom import OwnViews
from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.style.theme import DARK, LIGHT, Colors, WindowTheme
from aggviewer.window.main_window import MainWindow
from engine.hard_discs.ball import Drop, fall, sample
from tests.waiting import laid_out
from tests.window.conftest import PATIENCE, hold, part_of

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


def test_it_fits_on_a_small_screen_without_a_clipped_control(lesson: BallLesson) -> None:
    assert (lesson.width(), lesson.height()) == (1024, 700)
    for view in lesson.views.values():
        assert view.width() >= 190
    for button in (*lesson.sides.buttons.values(), *lesson.bases.buttons.values()):
        assert button.fontMetrics().horizontalAdvance(button.text()) <= button.width() - 6, button.text()
    for widget in (lesson.controls.store, lesson.controls.edits["plate"], lesson.transport.speed):
        right = widget.mapTo(lesson, QPoint(widget.width(), widget.height()))
        assert right.x() <= 1024 - 16
        assert widget.width() >= widget.minimumSizeHint().width()


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


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_the_balls_are_drawn_in_their_colours(lesson: BallLesson, theme: Colors) -> None:
    lesson.set_theme(theme)
    laid_out(lesson)
    for name, view in lesson.views.items():
        image = view.grab().toImage()
        colours = {image.pixelColor(x, y).name() for x in range(0, view.width(), 2) for y in range(0, view.height(), 2)}
        assert ball_colours(theme)[name] in colours


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


def test_keys_in_a_field_are_for_the_field(lesson: BallLesson, qtbot: QtBot) -> None:
    edit = lesson.controls.edits["plate"]
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(QApplication.focusWidget(), "0.3")
    press(qtbot, lesson, Qt.Key.Key_Left)
    press(qtbot, lesson, Qt.Key.Key_Return)
    assert lesson.story.drop.plate == 0.3
    assert lesson.steps.index == 0


def test_a_click_on_a_plate_or_an_arrow_takes_it_and_another_ball_is_counted_anew(
    lesson: BallLesson, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: lesson.samples is not None, timeout=PATIENCE)
    view = lesson.plates
    laid_out(lesson)
    scene = view.getPlotItem().getViewBox().mapViewToScene(view.readable.place_of("halted", 100))
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.mapFromScene(scene))
    taken = lesson.story.drop.plate
    assert taken in plates()
    assert lesson.controls.edits["plate"].value == taken
    assert lesson.story.naive.halted
    lesson.setFocus()
    press(qtbot, lesson, Qt.Key.Key_Down)
    assert lesson.story.drop.plate == next_plate(taken, 1)
    lesson.controls.edits["restitution"].edited.emit(0.7)
    assert "Counting" in view.empty_text
    qtbot.waitUntil(lambda: lesson.samples is not None, timeout=PATIENCE)
    mean = sample(plates(), "naive", Drop(restitution=0.7)).mean_events_at_halt
    assert f"after {mean:.0f} events" in view.value


@pytest.mark.slow
def test_in_a_lesson_it_stands_in_the_place_of_the_picture_and_the_command_opens_a_window_of_it(
    window_again: MainWindow, qtbot: QtBot
) -> None:
    window = window_again
    window.resize(1024, 700)
    hold(window, "lattice-100")
    lessons = part_of(window, Lessons)
    window.commands.run("lesson.bouncing-ball")
    qtbot.waitUntil(lambda: lessons.classroom.settled, timeout=PATIENCE)
    lesson = part_of(window, OwnViews).ball
    assert lesson is not None
    assert window.stage.cover is lesson
    assert lesson.isVisible()
    assert not window.transport.isVisible()
    assert not window.plots.isVisible()
    laid_out(window)
    assert (window.width(), window.height()) == (1024, 700)
    assert lesson.mapTo(window, QPoint(lesson.width(), 0)).x() <= 1024
    press(qtbot, lesson, Qt.Key.Key_Right)
    assert lesson.steps.index == 1
    assert lessons.classroom.situation().views["ball.event"] == 1.0
    press(qtbot, lesson, Qt.Key.Key_Escape)
    assert not lessons.on, "Esc leaves the lesson"
    assert window.stage.cover is None
    assert not lesson.isVisible()
    assert window.transport.isVisible()
    assert window.plots.isVisible()
    window.commands.run("view.bouncing_ball")
    assert lesson.isWindow()
    assert lesson.isVisible()
    assert lesson.table.isVisible()
    assert not lesson.isModal()
    QApplication.setActiveWindow(lesson)
    qtbot.waitUntil(lesson.isActiveWindow, timeout=PATIENCE)
    before = window.session.status().state
    lesson.setFocus()
    press(qtbot, lesson, Qt.Key.Key_Space)
    assert lesson.steps.playing
    assert window.session.status().state == before, "its keys are not the window's"
    press(qtbot, lesson, Qt.Key.Key_Escape)
    assert not lesson.isVisible()
    assert not lesson.steps.playing
    window.commands.run("view.bouncing_ball")
    assert part_of(window, OwnViews).ball is lesson
    style = lesson.views["naive"].drawn["ball"].style
    window.commands.run("view.theme_light" if part_of(window, WindowTheme).dark else "view.theme_dark")
    qtbot.waitUntil(lambda: lesson.views["naive"].drawn["ball"].style != style, timeout=PATIENCE)
    lesson.close()
    assert not lesson.steps.playing
