"""Presenter mode: what is seen, and how large it is."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QFontInfo
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDockWidget, QMainWindow, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.document.run import Anchor, Mark
from aggviewer.extensions.lessons.presenting.presenter import Presenter
from aggviewer.extensions.lessons.tasks import QuestionCard
from aggviewer.extensions.measuring.controller import MarkController
from aggviewer.widgets.docks import keep_layout
from aggviewer.window.main_window import MainWindow
from aggviewer.window.stage import Stage
from tests.extensions.lessons.presenting.presenter_mode import begin_lesson, toggle, window
from tests.waiting import delete_now, laid_out
from tests.window.conftest import part_of, wait_until

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
    part_of(window, Presenter).tools.bar.choose("discs.volume_fraction")
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


# what is there


def test_the_teachers_parameter_is_chosen_in_the_parameters_panel_and_changes_the_run(window: MainWindow) -> None:
    bar = part_of(window, Presenter).tools.bar
    menu = bar.menu_of("discs.count")
    action = menu.actions()[0]
    assert (action.text(), action.isChecked()) == ("Show in presenter", False)
    action.trigger()
    assert bar.menu_of("discs.count").actions()[0].isChecked()
    assert bar.isHidden()
    toggle(window)
    assert bar.isVisible()
    assert bar.control is not None
    row = bar.control.row
    row.edited.emit("discs.count", 0)
    laid_out(window)
    assert row.message.isVisible()
    assert row.message.visibleRegion().boundingRect() == row.message.rect(), "whole, above its field"
    row.edited.emit("discs.count", 64)
    assert not row.message.isVisible()
    wait_until(lambda: window.session.status().count == 64)
    bar.choices.aboutToShow.emit()
    fraction = next(action for action in bar.choices.actions() if action.text() == "Volume fraction")
    fraction.trigger()
    assert bar.control.key == "discs.volume_fraction"
    row = bar.control.row
    large = QFontInfo(window.font()).pixelSize()
    assert {QFontInfo(one.font()).pixelSize() for one in (row.label, row.editor.focus_widget)} == {large}
    assert row.editor.slider.width() > 4 * large, "it can be dragged"
    window.resize(1920, 1080)
    laid_out(window)
    assert QFontInfo(row.label.font()).pixelSize() == QFontInfo(window.font()).pixelSize() > large
    bar.choose("hard_discs.restitution")
    assert bar.control.key in bar.offered(), "these discs bounce off nothing: they have another parameter"


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


def test_a_lesson_is_answered_in_presenter_mode_and_gone_through(window: MainWindow) -> None:
    lessons = begin_lesson(window)
    player, panel = lessons.player, lessons.panel
    assert player is not None
    player.forward()
    panel.task.field.setText("0.25")  # type: ignore[union-attr]
    toggle(window)
    bar = part_of(window, Presenter).tools.bar
    assert bar.control is not None
    assert bar.control.key == player.lesson.presenter == "discs.count"
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
    QTest.keyClick(native, key.Key_Period)
    assert blank.isVisible(), "nobody types a number: it is the clicker's key"
    QTest.keyClick(native, key.Key_Period)
    QTest.mouseClick(task.field, Qt.MouseButton.LeftButton)
    QTest.keyClicks(task.field, ".5")
    assert (task.field.text(), blank.isVisible()) == (".5", False), "who clicks into the field wants to type"
    task.field.clear()
    task.field.clearFocus()
    task.field.setFocus()
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


def test_a_column_without_room_for_the_text_gives_it_none(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    panel, given = begin_lesson(window).panel, list[int]()
    toggle(window)
    monkeypatch.setattr(panel, "setFixedHeight", given.append)
    part_of(window, Presenter).layout._share_height(True, 0)
    assert given == [0], "Qt warns of a negative height"
