"""Presenter mode: what is seen, and how large it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt, QTimer
from PyQt6.QtGui import QContextMenuEvent, QFontInfo
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDockWidget, QLabel, QMainWindow, QScrollArea, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.document.run import Anchor, Mark
from aggviewer.extensions.lessons.answers import Measurement
from aggviewer.extensions.lessons.bouncing_ball.lesson import BallLesson
from aggviewer.extensions.lessons.lessons import Lessons
from aggviewer.extensions.lessons.model import LessonStep
from aggviewer.extensions.lessons.player import EnsembleResult
from aggviewer.extensions.lessons.presenting.presenter import Presenter
from aggviewer.extensions.lessons.source import bundled, find_lesson
from aggviewer.extensions.lessons.tasks import QuestionCard
from aggviewer.extensions.measuring.controller import MarkController
from aggviewer.session import Notice
from aggviewer.style.theme import DARK, PROJECTOR, WindowTheme
from aggviewer.widgets.docks import keep_layout
from aggviewer.window.main_window import MainWindow
from aggviewer.window.stage import Stage
from tests.extensions.lessons.presenting.presenter_mode import begin_lesson, toggle, window
from tests.extensions.lessons.window.learner import answer_to
from tests.waiting import delete_now, laid_out
from tests.window.conftest import GAS, hold, part_of, wait_until
from tests.window.watching import compare

__all__ = ["window"]

LEAST = 24  # pixels of the smallest text in a window of 1920 × 1080


# how large


def pixels_of(window: MainWindow) -> dict[str, float]:
    """Of every text that is seen: widgets, axes of plots, what lies over the picture."""
    found = {
        f"{type(widget).__name__} {widget.objectName()} {number}": float(QFontInfo(widget.font()).pixelSize())
        for number, widget in enumerate(window.findChildren(QWidget))
        if widget.isVisible()
    }
    for card in window.plots.cards:
        for view in card.views if card.isVisible() else ():
            for name in ("bottom", "left"):
                axis = view.getPlotItem().getAxis(name)
                found[f"{card.title} {name}"] = QFontInfo(axis.style["tickFont"]).pixelSize()
                label = axis.label.document().firstBlock().begin().fragment()
                if axis.label.isVisible() and label.isValid():
                    found[f"{card.title} {name} label"] = QFontInfo(label.charFormat().font()).pixelSize()
            if "<small>" in view._text.text():
                found[f"{card.title} small"] = 5 / 6 * QFontInfo(view._text.font()).pixelSize()
    for number, canvas in enumerate(window.canvases.canvases):
        found[f"picture {number}"] = QFontInfo(canvas._overlay._overlays.font).pixelSize()
        assert canvas.covered()  # time, scale bar and legend have a place
    return found


def small_text(window: MainWindow) -> dict[str, float]:
    """Every text that cannot be read from the last row."""
    return {name: size for name, size in pixels_of(window).items() if size < LEAST}


def test_no_text_is_too_small_for_the_last_row(window: MainWindow) -> None:
    window.resize(1920, 1080)
    part_of(window, Presenter).tools.teacher.choose("discs.volume_fraction")
    window.session.marking.add(Mark(kind="text", anchors=(Anchor(x=1.0, y=1.0),), text="hop"))
    window.session.marking.add(Mark(kind="rectangle", anchors=(Anchor(x=1.0, y=1.0), Anchor(x=2.0, y=2.0))))
    window.commands.run("measure.list")
    toggle(window)
    window.plots.focus_plot(1)
    table = part_of(window, MarkController).panel.list
    assert table.isVisible()
    line = table.fontMetrics().height()
    assert all(table.rowHeight(row) >= line for row in range(2)), "no letter is cut"
    assert table.viewport().height() >= 2 * line
    assert small_text(window) == {}
    player = begin_lesson(window).player
    assert player is not None
    assert small_text(window) == {}
    for _ in player.lesson.step[1:]:
        player.skip()
        laid_out(window)
        assert small_text(window) == {}


@pytest.mark.slow
def test_widgets_made_while_presenting_have_large_type(
    window: MainWindow, small: Path, tmp_path: Path, all_compiled: None
) -> None:
    """The second picture of a comparison, and the plots of a system that has not been shown before."""
    usual = QFontInfo(window.font()).pixelSize()
    window.resize(1920, 1080)
    toggle(window)
    compare(window)
    laid_out(window)
    assert small_text(window) == {}
    (tmp_path / "gas.toml").write_text(GAS)
    hold(window, tmp_path / "gas.toml")
    wait_until(lambda: window.plots.kind == "hard-discs")
    wait_until(lambda: all(card.has_body for card in window.plots.cards if card.seen))
    laid_out(window)
    assert small_text(window) == {}
    before = window.font()
    window.session.restart(12)
    wait_until(lambda: window.session.scenario is not None and window.session.scenario.seed == 12)
    laid_out(window)
    assert window.font() == before, "all have it: they are not given it again, which takes a while"
    toggle(window)
    assert QFontInfo(window.plots.cards[0].font()).pixelSize() == usual
    hold(window, small)


# what is there


def test_two_plots_at_most_and_a_key_brings_one_beside_the_other(window: MainWindow, qtbot: QtBot) -> None:
    toggle(window)
    assert window.plots.seen == (4,)
    qtbot.keyClick(window, Qt.Key.Key_1)
    assert window.plots.seen == (4, 1)
    qtbot.keyClick(window, Qt.Key.Key_2)
    assert window.plots.seen == (1, 2)
    qtbot.keyClick(window, Qt.Key.Key_1)
    assert window.plots.seen == (2,)
    qtbot.keyClick(window, Qt.Key.Key_2)  # never none
    assert window.plots.seen == (2,)


@pytest.mark.slow
def test_the_theme_stays_unless_the_teacher_wants_the_projectors(window: MainWindow) -> None:
    """Also of a view that a lesson brings meanwhile, which is read from the last row."""
    theme, lessons = part_of(window, WindowTheme), part_of(window, Lessons)
    window.resize(1920, 1080)
    toggle(window)
    assert theme.colors == DARK
    window.commands.run("view.presenter_theme")
    assert theme.colors == PROJECTOR
    assert window.session.view.theme == "dark"
    lessons.begin(find_lesson("bouncing-ball"))
    assert lessons.player is not None
    lessons.player.start_over()
    wait_until(lambda: lessons.classroom.settled and window.stage.cover is not None)
    ball = window.stage.cover
    assert ball is not None
    wait_until(lambda: QFontInfo(ball.font()).pixelSize() >= LEAST)
    shown = [one for one in window.findChildren(QWidget) if one.isVisible()]
    small = {repr(one): size for one in shown if (size := QFontInfo(one.font()).pixelSize()) < LEAST}
    assert small == {}
    text = {one.palette().windowText().color().name() for one in ball.findChildren(QLabel) if one.isVisible()}
    assert PROJECTOR.text in text, "it was made while the projector's theme was on"
    assert text <= {PROJECTOR.text, PROJECTOR.muted}
    assert part_of(window, Presenter).tools.teacher.isVisible(), "the tools are there"
    assert isinstance(ball, BallLesson)
    ball.setFocus()
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_Right)
    assert (ball.steps.index, lessons.player.number) == (1, 0), "the arrows are those of the ball"
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_PageDown)
    assert lessons.player.number == 1


def test_the_teachers_parameter_is_chosen_in_the_parameters_panel_and_changes_the_run(window: MainWindow) -> None:
    teacher = part_of(window, Presenter).tools.teacher
    menu = teacher.menu_of("discs.count")
    action = menu.actions()[0]
    assert (action.text(), action.isChecked()) == ("Show in presenter", False)
    action.trigger()
    assert teacher.menu_of("discs.count").actions()[0].isChecked()
    assert teacher.isHidden()
    toggle(window)
    assert teacher.isVisible()
    assert teacher.control is not None
    row = teacher.control.row
    row.edited.emit("discs.count", 0)
    laid_out(window)
    assert row.message.isVisible()
    assert row.message.visibleRegion().boundingRect() == row.message.rect(), "whole, above its field"
    row.edited.emit("discs.count", 64)
    assert not row.message.isVisible()
    wait_until(lambda: window.session.status().count == 64)
    teacher.choices.aboutToShow.emit()
    fraction = next(action for action in teacher.choices.actions() if action.text() == "Volume fraction")
    fraction.trigger()
    assert teacher.control.key == "discs.volume_fraction"
    row = teacher.control.row
    large = QFontInfo(window.font()).pixelSize()
    assert {QFontInfo(one.font()).pixelSize() for one in (row.label, row.editor.focus_widget)} == {large}
    assert row.editor.slider.width() > 4 * large, "it can be dragged"
    window.resize(1920, 1080)
    laid_out(window)
    assert QFontInfo(row.label.font()).pixelSize() == QFontInfo(window.font()).pixelSize() > large
    teacher.choose("hard_discs.restitution")
    assert teacher.control.key in teacher.offered(), "these discs bounce off nothing: they have another parameter"


def test_a_right_click_on_a_parameter_asks_for_its_menu(window: MainWindow, qtbot: QtBot) -> None:
    asked: list[str] = []
    window.parameters.form.menu_asked.connect(lambda key, place: asked.append(key))
    label = window.parameters.rows["discs.count"].label
    reason = QContextMenuEvent.Reason.Mouse
    middle = label.rect().center()
    QApplication.sendEvent(label, QContextMenuEvent(reason, middle, label.mapToGlobal(middle)))
    assert asked == ["discs.count"]
    popup = QApplication.activePopupWidget()
    assert popup is not None
    popup.close()


def test_a_deleted_scroll_area_is_left_alone(qtbot: QtBot) -> None:
    window, dock, page = QMainWindow(), QDockWidget(), QScrollArea()
    qtbot.addWidget(window)
    dock.setObjectName("dock")
    dock.setWidget(page)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    bring_back = keep_layout(window)
    page.deleteLater()
    delete_now()
    bring_back()
    assert not any(timer.isActive() for timer in window.findChildren(QTimer)), "the window may be closed now"
    QApplication.processEvents()  # panels are scrolled after the layout


# lessons


LEAST_BOX = 560  # pixels of the height of the box, in a window of 1280 × 720
QUICK = "losing-energy"  # the lesson whose steps are looked at in `make test` too; it takes a second for each step


def steps_as_presented(window: MainWindow, name: str) -> Iterator[LessonStep]:
    """Each step of a lesson as a class sees it in the end: answered, measured and explained."""
    lessons = part_of(window, Lessons)
    lessons.begin(find_lesson(name))
    player = lessons.player
    assert player is not None
    player.start_over()
    plots = False
    while True:
        wait_until(lambda: lessons.classroom.settled)
        step = player.step
        if step.set is not None and step.set.plots is not None:
            plots = bool(step.set.plots)
        if plots and not window.plots.seen:  # those of the system that a skipped task would have begun
            window.plots.show_only(1)
        if step.predict is not None:
            player.answers[step.predict.id] = answer_to(player.found, step.predict, right=False)
        if step.measure is not None:
            player.busy = None
            player.measured[player.number] = Measurement(step.measure.expected or 0.0)
            if step.measure.ensemble is not None:
                points = (Measurement(0.5, 0.01),) * max(1, len(step.measure.ensemble.values))
                player.studies[player.number] = EnsembleResult(points)
        player.done.add(player.number)
        player.changed.emit()
        laid_out(window)
        part_of(window, Presenter).layout.place()
        laid_out(window)
        yield step
        if player.last:
            return
        player.forward()


@pytest.mark.parametrize(
    "name", [pytest.param(one.name, marks=[] if one.name == QUICK else pytest.mark.slow) for one in bundled()]
)
def test_in_every_step_of_a_lesson_the_box_is_large_and_the_text_does_not_scroll(window: MainWindow, name: str) -> None:
    window.resize(1280, 720)
    toggle(window)
    page, low, scrolls = part_of(window, Lessons).panel.page, {}, {}

    def height() -> float:
        box = window.canvas.scene.box  # in space its corners go around when it is turned
        return float(box[1] if len(box) == 2 else np.linalg.norm(box)) * window.canvas.camera.scale

    for step in steps_as_presented(window, name):
        if len(window.canvases.canvases) == 1:
            high = height()
        else:  # two pictures are as high once text and plot are put away, by a key each
            keys = ["presenter.text"] + ["view.plots"] * window.plots.isVisible()
            for key in keys:
                window.commands.run(key)
            laid_out(window)
            high = height()
            for key in keys:
                window.commands.run(key)
            laid_out(window)
        if window.stage.cover is None and high < LEAST_BOX:
            low[step.title] = high
        bar = page.verticalScrollBar()
        assert bar is not None
        if bar.maximum() > 0:
            scrolls[step.title] = bar.maximum()
    assert (low, scrolls) == ({}, {})
    assert (window.width(), window.height()) == (1280, 720)


def test_the_controls_hide_when_nobody_moves_and_come_back(window: MainWindow) -> None:
    toggle(window)
    controls, canvas = part_of(window, Presenter).layout.controls, window.canvas
    assert window.transport.isVisible()
    high = canvas.height()
    assert high == window.stage.height(), "they lie over the picture"
    native = window.windowHandle()
    QTest.mouseMove(native, QPoint(5, 5))
    controls.resting.start(1)
    wait_until(lambda: not window.transport.isVisible())
    assert not part_of(window, Presenter).tools.teacher.isVisible()
    assert canvas.height() == high
    QTest.mouseMove(native, QPoint(50, 50))
    wait_until(window.transport.isVisible)
    controls.resting.start(1)
    wait_until(lambda: not window.transport.isVisible())
    QTest.keyClick(native, Qt.Key.Key_F)
    QTest.qWait(1)
    assert not window.transport.isVisible(), "keys work without the controls"
    QTest.keyClick(native, Qt.Key.Key_Tab)
    wait_until(window.transport.isVisible)
    window.canvas.setFocus()


def test_text_is_beside_one_picture_or_two_and_a_key_hides_it(window: MainWindow) -> None:
    window.resize(1280, 720)
    lessons = begin_lesson(window)
    panel, player = lessons.panel, lessons.player
    assert player is not None
    toggle(window)
    column = part_of(window, Presenter).layout.column

    def side_by_side() -> bool:
        laid_out(window)
        seen = column.width() if column.isVisible() else 0
        return window.canvas.height() >= 640 and window.canvases.width() + seen == 1280

    assert side_by_side()
    window.commands.run("presenter.text")
    assert side_by_side()
    assert not panel.isVisible()
    window.commands.run("presenter.text")
    player.forward()
    panel.task.field.setText("0.25")  # type: ignore[union-attr]
    compare(window)
    assert side_by_side()
    assert window.canvas.width() > 440, "two pictures need the width more than the text does"
    assert panel.task.field.text() == "0.25", "what is being answered stays"  # type: ignore[union-attr]
    window.commands.run("presenter.text")
    assert side_by_side()
    assert not column.isVisible()


def test_a_message_stands_below_the_text_where_it_covers_nothing(window: MainWindow) -> None:
    begin_lesson(window)
    toggle(window)
    toasts, column = part_of(window, Stage).toasts, part_of(window, Presenter).layout.column
    toasts.show(Notice("error", "It did not work", "Nothing was changed."))
    laid_out(window)
    (toast,) = toasts.toasts
    assert toast.isVisible()
    assert column.isAncestorOf(toast)
    labels = toast.findChildren(QLabel)
    assert {QFontInfo(label.font()).pixelSize() for label in labels} == {QFontInfo(window.font()).pixelSize()}
    toggle(window)
    assert {QFontInfo(label.font()).pixelSize() for label in labels} == {QFontInfo(window.font()).pixelSize()}
    assert toast.isVisible()
    assert window.stage.picture.rect().contains(toast.geometry()), "over the picture again"
    toasts.close()


def test_a_lesson_is_answered_in_presenter_mode_and_gone_through(window: MainWindow) -> None:
    lessons = begin_lesson(window)
    player, panel = lessons.player, lessons.panel
    assert player is not None
    player.forward()
    panel.task.field.setText("0.25")  # type: ignore[union-attr]
    toggle(window)
    teacher = part_of(window, Presenter).tools.teacher
    assert teacher.control is not None
    assert teacher.control.key == player.lesson.presenter == "discs.count"
    assert panel.task.field.text() == "0.25", "what is being answered stays"  # type: ignore[union-attr]
    panel.task.button.click()  # type: ignore[union-attr]
    assert player.answers == {"speed": 0.25}
    panel.next_button.click()
    assert player.number == 2
    panel.back_button.click()
    assert player.number == 1
    panel.task.field.setText("0.1")  # type: ignore[union-attr]
    toggle(window)
    assert panel.task.field.text() == "0.1"  # type: ignore[union-attr]
    assert panel.next_button.isVisible(), "the buttons are below the text again"


# keys and clickers


def test_a_full_stop_blanks_the_screen_and_any_key_brings_it_back(window: MainWindow, qtbot: QtBot) -> None:
    blank = part_of(window, Presenter).tools.blank
    toggle(window)
    for end in (Qt.Key.Key_Period, Qt.Key.Key_P):
        qtbot.keyClick(window.canvas, Qt.Key.Key_Period)
        assert blank.isVisible()
        assert blank.size() == window.size()
        assert blank.grab().toImage().pixelColor(50, 50).name() == "#000000"
        qtbot.keyClick(window.canvas, end)
        assert not blank.isVisible()
        assert part_of(window, Presenter).on  # the key did nothing else
    toggle(window)
    qtbot.keyClick(window.canvas, Qt.Key.Key_Period)  # a single frame, as ever
    assert not blank.isVisible()


def test_a_clicker_goes_through_a_lesson(window: MainWindow, qtbot: QtBot) -> None:
    player = begin_lesson(window).player
    assert player is not None
    toggle(window)

    def press(key: Qt.Key) -> int:
        window.canvas.setFocus()
        qtbot.keyClick(window.canvas, key)
        return player.number

    for on, back in ((Qt.Key.Key_PageDown, Qt.Key.Key_PageUp), (Qt.Key.Key_Right, Qt.Key.Key_Left)):
        assert [press(on), press(on), press(on)] == [1, 1, 2], "an open question is left by the second press"
        assert player.skipped == {1}, "the task is not done"
        assert [press(back), press(back)] == [1, 0]
    page = part_of(window, Lessons).panel.page
    page.widget().setMinimumHeight(3 * page.height())
    wait_until(lambda: page.verticalScrollBar().maximum() > 0)
    assert press(Qt.Key.Key_PageDown) == 0, "a long text is read to its end first"
    assert page.verticalScrollBar().value() > 0


def test_a_clicker_works_while_a_field_has_the_focus(window: MainWindow) -> None:
    lessons, presenter = begin_lesson(window), part_of(window, Presenter)
    player, blank = lessons.player, presenter.tools.blank
    assert player is not None
    native, key = window.windowHandle(), Qt.Key
    QTest.keyClick(native, key.Key_F5)
    laid_out(window)
    assert presenter.on
    QTest.keyClick(native, key.Key_PageDown)
    task = lessons.panel.task
    assert isinstance(task, QuestionCard)
    wait_until(task.field.hasFocus)
    QTest.keyClicks(task.field, "0.2")
    QTest.keyClick(native, key.Key_Left)
    assert (task.field.text(), task.field.cursorPosition()) == ("0.2", 2), "what the field needs"
    QTest.keyClick(native, key.Key_B)
    assert blank.isVisible()
    QTest.keyClick(native, key.Key_B)
    assert not blank.isVisible()
    QTest.keyClick(native, key.Key_F5)
    assert presenter.on, "it does not end what has begun"
    QTest.keyClick(native, key.Key_PageUp)
    assert player.number == 0
    QTest.keyClick(native, key.Key_PageDown)
    wait_until(lambda: QApplication.focusWidget() is not window.canvas)
    QTest.keyClick(native, key.Key_Escape)
    assert not presenter.on
    assert lessons.on


@pytest.mark.slow
def test_presenter_mode_starts_no_timer_after_its_end(window: MainWindow) -> None:
    presenter = part_of(window, Presenter)

    def waiting() -> bool:
        timers = [*presenter.findChildren(QTimer), *presenter.layout.findChildren(QTimer)]
        return any(timer.isActive() for timer in timers)

    stage = part_of(window, Stage)
    stage.covered.emit(True)
    assert not waiting(), "not presenting"
    toggle(window)
    stage.covered.emit(False)
    assert waiting()
    presenter.close()
    assert not waiting()
    stage.covered.emit(False)
    toggle(window)
    assert not waiting()


# what a teacher points with


@pytest.mark.slow
def test_the_ring_follows_the_mouse_and_lets_clicks_through(window: MainWindow, qtbot: QtBot) -> None:
    toggle(window)
    window.canvas.setFocus()
    tools, canvas = part_of(window, Presenter).tools, window.canvas
    ring = tools.pointer
    before = window.canvases.snapshot(300, 200)
    qtbot.keyClick(canvas, Qt.Key.Key_O)
    assert ring.isVisible()
    assert np.array_equal(window.canvases.snapshot(300, 200), before), "it is in no saved picture"
    for widget in (canvas, window.plots, tools.teacher):
        place = widget.mapTo(window, widget.rect().center())
        QTest.mouseMove(window.windowHandle(), place)
        wait_until(lambda place=place: (ring.geometry().center() - place).manhattanLength() <= 2)  # type: ignore[misc]
    looked_at, native = canvas.place, window.windowHandle()
    middle = canvas.rect().center()
    places = (middle + QPoint(right, 0) for right in range(canvas.width() // 4))
    ground = next(place for place in places if canvas.disc_at(place.x(), place.y()) is None)  # a disc would be dragged
    begin = canvas.mapTo(window, ground)
    QTest.mousePress(native, Qt.MouseButton.LeftButton, pos=begin)
    for right in (40, 80, 120):
        QTest.mouseMove(native, begin + QPoint(right, 0))
        QApplication.processEvents()
    QTest.mouseRelease(native, Qt.MouseButton.LeftButton, pos=begin + QPoint(120, 0))
    assert canvas.place != looked_at
    small = ring.width()
    assert small >= 2 * window.fontMetrics().height() * 0.7
    window.resize(1920, 1080)
    wait_until(lambda: ring.width() >= 64 > small)
    for button in tools.teacher.findChildren(QToolButton):
        assert button.accessibleName()
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    tips = [button.toolTip() for button in tools.teacher.findChildren(QToolButton)]
    assert window.commands.action("view.flash_contacts").toolTip() in tips, "a layer with an icon has a button"
    window.commands.run("view.presenter")
    assert not ring.on
    qtbot.keyClick(canvas, Qt.Key.Key_O)
    assert not ring.on, "its key is one of presenter mode alone"
