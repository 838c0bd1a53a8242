"""The lesson about the bouncing ball on real widgets: what it shows is what engine.hard_discs.ball says."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from math import inf

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QFontMetrics
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.lessons.bouncing_ball import numbers
from aggviewer.lessons.bouncing_ball.explanation import explain
from aggviewer.lessons.bouncing_ball.lesson import BallLesson
from aggviewer.lessons.bouncing_ball.model import BallStory
from aggviewer.lessons.bouncing_ball.origins import COUNT, plates
from aggviewer.lessons.bouncing_ball.table import HEADINGS, SAME
from aggviewer.lessons.bouncing_ball.view import RULES
from aggviewer.lessons.own_views import OwnViews
from aggviewer.style.theme import WindowTheme, style_sheet, tabular
from aggviewer.window.lesson.lessons import Lessons
from aggviewer.window.main_window import MainWindow
from engine.hard_discs.ball import Drop, exact_impacts, fall, sample
from tests.waiting import laid_out
from tests.window.conftest import PATIENCE, hold, part_of

HALTS = 0.1  # the plate that the lesson begins with


@pytest.fixture
def lesson(qapp: QApplication, qtbot: QtBot) -> Iterator[BallLesson]:
    """The lesson, shown and active."""
    made = BallLesson()
    made.set_dark(True)
    made.resize(1024, 700)
    made.show()
    qtbot.waitExposed(made)
    QApplication.setActiveWindow(made)
    qtbot.waitUntil(made.isActiveWindow, timeout=PATIENCE)
    yield made
    made.close()
    assert not made.steps.playing
    made.deleteLater()


def cell(lesson: BallLesson, row: int, heading: str, role: int = Qt.ItemDataRole.DisplayRole) -> object:
    model = lesson.table.model()
    return model.data(model.index(row, HEADINGS.index(heading)), role)


def press(qtbot: QtBot, lesson: BallLesson, key: Qt.Key) -> None:
    qtbot.keyClick(QApplication.focusWidget() or lesson, key)


def play_on(lesson: BallLesson, seconds: float) -> None:
    """Play for some seconds of a clock of its own."""
    lesson.steps.player.longest = inf
    lesson.steps.player.start(0.0)
    lesson.steps.advance(seconds)


def test_it_fits_on_a_small_screen_without_a_clipped_control(lesson):
    assert (lesson.width(), lesson.height()) == (1024, 700)
    for view in lesson.views.values():
        assert view.width() >= 190
    for widget in (lesson.controls.store, lesson.controls.plate, lesson.transport.speed, *lesson.sides.values()):
        right = widget.mapTo(lesson, QPoint(widget.width(), widget.height()))
        assert right.x() <= 1024 - 16
        assert widget.width() >= widget.minimumSizeHint().width()


def test_the_table_is_the_fall_of_the_engine(lesson):
    for name, detection in (("naive", "naive"), ("stable", "stable")):
        lesson.sides[name].click()
        found = fall(Drop(HALTS), detection)
        assert lesson.table.model().rowCount() == len(found.events)
        assert [cell(lesson, k, "Event") for k in range(len(found.events))] == [event.kind for event in found.events]
        for row, event in enumerate(found.events[1:], 1):
            # cut to fifteen places, so at most one unit in them below
            shown = Decimal(str(cell(lesson, row, "t")))
            assert 0 <= Decimal(event.time) - shown < Decimal("1e-15")
            assert cell(lesson, row, "f in ulp") == numbers.in_ulps(event.gap_ulps)


def test_only_wrong_digits_are_marked(lesson):
    exact = exact_impacts(Drop(HALTS), 27)
    for row in (5, 20, 27):
        text, same = str(cell(lesson, row, "t")), cell(lesson, row, "t", SAME)
        off = abs(Fraction(fall(Drop(HALTS), "naive").events[row].time) - exact[row - 1].time)
        places = same - text.index(".") - 1
        # right by less than half of the last right digit, and not by half of the next
        assert 2 * off < Fraction(1, 10**places)
        assert same == len(text) or 2 * off >= Fraction(1, 10 ** (places + 1))
    assert cell(lesson, 1, "t", SAME) == len(str(cell(lesson, 1, "t")))  # the first impact is exact: t = 1
    assert cell(lesson, 27, "v after", SAME) == 0  # 6e-9 where 7e-9 is right


def test_right_and_left_go_by_events(lesson, qtbot):
    press(qtbot, lesson, Qt.Key.Key_Right)
    press(qtbot, lesson, Qt.Key.Key_Right)
    assert lesson.steps.index == 2
    assert lesson.table.currentIndex().row() == 2
    assert lesson.transport.time.text() == f"Event 2 of {lesson.story.last}"
    press(qtbot, lesson, Qt.Key.Key_Left)
    assert lesson.steps.index == 1
    press(qtbot, lesson, Qt.Key.Key_End)
    assert lesson.steps.index == lesson.story.last
    assert not lesson.transport.buttons["forward"].isEnabled()
    press(qtbot, lesson, Qt.Key.Key_R)
    assert (lesson.steps.index, lesson.share) == (0, 0.0)


def test_space_plays_and_pauses_and_begins_again_at_the_end(lesson, qtbot):
    press(qtbot, lesson, Qt.Key.Key_Space)
    assert lesson.steps.playing
    qtbot.waitUntil(lambda: lesson.share > 0.0 or lesson.steps.index > 0, timeout=PATIENCE)
    press(qtbot, lesson, Qt.Key.Key_Space)
    assert not lesson.steps.playing
    lesson.steps.go_to(lesson.story.last)
    lesson.transport.run_button.click()
    assert lesson.steps.playing
    assert lesson.steps.index == 0
    play_on(lesson, 1e6)
    assert not lesson.steps.playing
    assert lesson.steps.index == lesson.story.last


def test_the_balls_fly_from_event_to_event(lesson):
    lesson.transport.speed.number = 2.0
    lesson.steps.go_to(1)
    event = lesson.story.naive.events[1]
    play_on(lesson, 0.25)  # half of a flight: the peak
    shown = lesson.story.shown(lesson.story.naive, 1, lesson.share)
    assert lesson.share == 0.5
    assert shown.gap == pytest.approx(event.rebound, rel=1e-9)
    assert shown.peak == pytest.approx(shown.gap)
    assert shown.gap < shown.top
    end = lesson.story.shown(lesson.story.naive, 1, 1.0)
    assert end.gap == pytest.approx(0.0, abs=1e-15)
    assert end.top == pytest.approx(lesson.story.shown(lesson.story.naive, 2, 0.0).top)


def test_at_the_halt_naive_falls_through_and_stable_is_held(lesson):
    halt = len(lesson.story.naive.events) - 1
    lesson.steps.go_to(halt)
    argument = lesson.story.naive.events[halt].argument
    assert argument < 0
    assert numbers.short(argument, 2) in lesson.words.text()
    assert "no event is found" in lesson.words.text()
    assert "peak" in lesson.words.text()
    assert lesson.views["naive"].state() == "no next event"
    assert lesson.views["stable"].state() == "stopped"
    assert lesson.story.shown(lesson.story.naive, halt, 0.99).gap < -lesson.story.shown(lesson.story.naive, halt, 0).top
    lesson.steps.move("forward")
    assert lesson.views["naive"].state() == "fell through"
    assert lesson.views["stable"].state() == "at rest"
    assert "At rest at t = 2.99999996978 after 28 events" in lesson.words.text()


def test_a_click_on_a_ball_a_row_and_a_button_is_followed(lesson, qtbot):
    qtbot.mouseClick(lesson.views["stable"], Qt.MouseButton.LeftButton)
    assert lesson.sides["stable"].isChecked()
    assert lesson.table.model().rowCount() == len(lesson.story.stable.events)
    index = lesson.table.model().index(4, 1)
    lesson.table.scrollTo(index)
    qtbot.mouseClick(lesson.table.viewport(), Qt.MouseButton.LeftButton, pos=lesson.table.visualRect(index).center())
    assert lesson.steps.index == 4
    lesson.transport.buttons["forward"].click()
    assert lesson.steps.index == 5


def test_digits_in_every_base_are_those_of_the_float(lesson, qtbot):
    lesson.steps.go_to(20)
    event, exact = lesson.story.naive.events[20], lesson.story.exact(20)
    assert exact is not None
    for name, base in (("Decimal", 10), ("Hex", 16), ("Binary", 2)):
        qtbot.mouseClick(lesson.digits.bases[name], Qt.MouseButton.LeftButton)
        rows = lesson.digits.lines()
        assert [row.whose for row in rows] == ["exact", "naive", "stable"] * 3
        for row, value in ((rows[0], lesson.story.contact), (rows[1], Fraction(event.position)), (rows[7], event.time)):
            whole, places = row.digits.split(".")
            read = int(whole, base) + Fraction(int(places, base), base ** len(places))
            assert 0 <= Fraction(value) - read < Fraction(1, base ** len(places))
        assert rows[1].same < len(rows[1].digits)  # 0.1 and the contact are no floats


def test_a_stored_gap_touches_exactly_where_the_height_does_not(lesson, qtbot):
    lesson.steps.go_to(10)
    line = lesson.digits.lines()[2]
    assert line.same < len(line.digits)
    lesson.controls.store.setFocus()
    qtbot.keyClick(lesson.controls.store, Qt.Key.Key_Down)
    assert lesson.story.stable.detection == "gap"
    assert lesson.steps.index == 0
    lesson.steps.go_to(10)
    line = lesson.digits.lines()[2]
    assert line.same == len(line.digits)


def test_controls_choose_another_ball_and_refuse_with_the_reason(lesson, qtbot):
    lesson.steps.go_to(3)
    lesson.controls.restitution.edited.emit(0.7)
    assert lesson.story.drop.restitution == 0.7
    assert lesson.steps.index == 0
    assert lesson.controls.slider.value() == 70
    qtbot.mouseDClick(lesson.controls.slider, Qt.MouseButton.LeftButton)
    assert lesson.controls.restitution.value == 0.5
    lesson.controls.restitution.edited.emit(0.7)
    lesson.controls.fall_height.edited.emit(2.0)
    assert lesson.story.naive == fall(Drop(HALTS, 2.0, 0.7), "naive", 1000)
    lesson.controls.restitution.edited.emit(1.5)
    assert "0 to 0.95" in lesson.words.text()
    assert lesson.story.drop.restitution == 0.7
    assert lesson.controls.restitution.value == 0.7
    lesson.controls.plate.edited.emit("abc")
    assert "abc" in lesson.words.text()
    before = lesson.story.drop.plate
    lesson.controls.dice.click()
    assert 0.0 <= lesson.story.drop.plate < 1.0
    assert lesson.story.drop.plate != before
    assert "abc" not in lesson.words.text()


def test_keys_in_a_field_are_for_the_field(lesson, qtbot):
    edit = lesson.controls.plate
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(QApplication.focusWidget(), "0.3")
    press(qtbot, lesson, Qt.Key.Key_Left)
    press(qtbot, lesson, Qt.Key.Key_Return)
    assert lesson.story.drop.plate == 0.3
    assert lesson.steps.index == 0


def test_the_strip_counts_as_the_engine_does_and_a_click_takes_a_plate(lesson, qtbot):
    qtbot.waitUntil(lambda: lesson.strip.counted, timeout=PATIENCE)
    naive = sample(plates(), "naive", Drop(HALTS))
    words = " ".join(text for _, text in lesson.strip.words())
    assert f"{naive.halted.sum()} halt, on average after {naive.mean_events_at_halt:.0f} events" in words
    assert "stable: none halts, all come to rest" in words
    assert 450 < naive.halted.sum() < 550
    for kind in ("halted", "rest", "endless"):
        index = next(k for k in range(COUNT) if lesson.strip.kind(k) == kind)
        qtbot.mouseClick(lesson.strip, Qt.MouseButton.LeftButton, pos=QPointF(lesson.strip.place(index)).toPoint())
        assert lesson.story.drop.plate in plates()
        assert lesson.controls.plate.value == lesson.story.drop.plate
    lesson.strip.chosen.emit(float(plates()[np.flatnonzero(naive.halted)[0]]))
    assert lesson.story.naive.halted
    at = lesson.story.drop.plate
    lesson.strip.setFocus()
    qtbot.keyClick(lesson.strip, Qt.Key.Key_Down)
    assert lesson.story.drop.plate == plates()[np.flatnonzero(plates() == at)[0] + 1]


def test_another_restitution_is_counted_anew(lesson, qtbot):
    qtbot.waitUntil(lambda: lesson.strip.counted, timeout=PATIENCE)
    lesson.controls.restitution.edited.emit(0.7)
    assert not lesson.strip.counted
    assert "Counting" in lesson.strip.words()[0][1]
    qtbot.waitUntil(lambda: lesson.strip.counted, timeout=PATIENCE)
    mean = sample(plates(), "naive", Drop(restitution=0.7)).mean_events_at_halt
    assert f"after {mean:.0f} events" in " ".join(text for _, text in lesson.strip.words())


@pytest.mark.parametrize("dark", [True, False])
def test_balls_are_drawn_in_their_colours(lesson, dark):
    lesson.set_dark(dark)
    QApplication.processEvents()
    for view in lesson.views.values():
        image = view.grab().toImage()
        colors = {image.pixelColor(x, y).name() for x in range(90, view.width() - 20, 2) for y in range(40, 400, 2)}
        assert len(colors) > 20  # a shaded disc, not an empty card


def test_every_event_of_many_stories_has_words():
    for plate in plates()[::100].tolist():
        for stored in ("stable", "gap"):
            for restitution in (0.0, 0.5):
                story = BallStory(Drop(plate, restitution=restitution), stored)
                for number in range(story.last + 1):
                    words = explain(story, number)
                    assert words.naive
                    assert words.both != bool(words.stable)
                    assert "nan" not in words.naive + words.stable
                    for one in (story.naive, story.stable):
                        for share in (0.0, 0.3, 0.99):
                            shown = story.shown(one, number, share)
                            assert np.isfinite(shown.gap)
                            assert shown.top > 0.0


def test_numbers_to_the_last_digit():
    assert numbers.fixed(Fraction(0.1), 10, 20) == "0.10000000000000000555"
    assert numbers.fixed(Fraction(-5, 2), 2, 3) == "−10.100"
    assert numbers.fixed(Fraction(255), 16, 1) == "ff.0"
    assert [numbers.exponent_of(Fraction(10) ** k) for k in (-30, -1, 0, 1, 30)] == [-30, -1, 0, 1, 30]
    assert numbers.exponent_of(Fraction(999, 1000)) == -1
    assert numbers.exponent_of(Fraction(1, 1024), 2) == -10
    for text, exact, right in (("1.2500", "1.2500", 6), ("1.2504", "1.2500", 5), ("1.2506", "1.2500", 4)):
        assert numbers.right_characters(text, Fraction(text), Fraction(exact), 10) == right
    for text, exact, right in (("1.9999", "2.0000", 5), ("1.3", "1.5", 1), ("3.0", "1.5", 0)):
        assert numbers.right_characters(text, Fraction(text), Fraction(exact), 10) == right
    assert numbers.right_characters("0.111", Fraction(7, 8), Fraction(7, 8), 2) == 5
    assert (numbers.in_ulps(0.001), numbers.in_ulps(-0.25), numbers.in_ulps(123.4)) == ("0", "−0.25", "+123")
    assert numbers.short(-3.1e-17, 2) == "−3.1·10⁻¹⁷"


def test_a_window_that_goes_while_its_theme_comes_leaves_the_sheet_of_it(make_window):
    window: MainWindow = make_window()
    window.commands.run("view.theme_light" if part_of(window, WindowTheme).dark else "view.theme_dark")
    window.close()  # whoever put it away would find a timer that goes on
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    assert application.styleSheet() == style_sheet(part_of(window, WindowTheme).colors)


def test_the_command_opens_it_and_it_goes_with_the_window(make_window, qtbot):
    window: MainWindow = make_window()
    action = window.commands.action("view.bouncing_ball")
    action.trigger()
    lesson = part_of(window, OwnViews).ball
    assert lesson is not None
    assert lesson.isVisible()
    assert not lesson.isModal()
    first = lesson.views["naive"].grab().toImage()
    window.commands.run("view.theme_light" if part_of(window, WindowTheme).dark else "view.theme_dark")
    qtbot.waitUntil(lambda: lesson.views["naive"].grab().toImage() != first, timeout=PATIENCE)  # it comes in two turns
    lesson.steps.toggle()
    lesson.close()
    assert not lesson.steps.playing
    window.commands.run("view.bouncing_ball")
    assert part_of(window, OwnViews).ball is lesson
    assert lesson.isVisible()
    lesson.steps.toggle()
    window.close()
    assert not lesson.isVisible()
    assert not lesson.steps.playing


def test_in_a_lesson_it_stands_in_the_place_of_the_picture(make_window, qtbot):
    window: MainWindow = make_window()
    window.resize(1024, 700)
    hold(window, "lattice-100")
    lessons = part_of(window, Lessons)
    window.commands.run("lesson.bouncing-ball")
    qtbot.waitUntil(lambda: lessons.classroom.settled, timeout=PATIENCE)
    lesson = part_of(window, OwnViews).ball
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


def test_its_rules_are_written_from_the_start(lesson):
    for naive, view in ((True, lesson.views["naive"]), (False, lesson.views["stable"])):
        words = RULES[naive]
        room = view.width() - 24
        assert QFontMetrics(tabular(view.font(), 0.85)).horizontalAdvance(words) <= room, words


def test_escape_closes_it_and_its_keys_are_not_the_window_s(make_window, qtbot):
    window: MainWindow = make_window()
    window.commands.run("view.bouncing_ball")
    lesson = part_of(window, OwnViews).ball
    assert lesson is not None
    QApplication.setActiveWindow(lesson)
    qtbot.waitUntil(lesson.isActiveWindow, timeout=PATIENCE)
    before = window.session.status().state
    lesson.setFocus()
    press(qtbot, lesson, Qt.Key.Key_Space)
    assert lesson.steps.playing
    assert window.session.status().state == before
    press(qtbot, lesson, Qt.Key.Key_Escape)
    assert not lesson.isVisible()
