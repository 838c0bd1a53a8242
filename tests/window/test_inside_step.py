"""The mode inside one step: the bar, the keys, the picture, coming in and going out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLineEdit, QMainWindow, QSlider, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.canvas import DiscCanvas, create_canvas
from aggviewer.session.coloring import color_index
from aggviewer.session.step_story import StepStory
from aggviewer.session.tracing import NO_STEPS
from aggviewer.session.view import ViewModel
from aggviewer.window.inside_step import ONE_CLUSTER, SEARCHING, InsideStep, reason_against
from aggviewer.window.keys import KeyGuard
from aggviewer.window.theme import DARK, LIGHT
from engine import create
from engine.aggregation.time_stepping import TimeStepping
from engine.scenario import Scenario
from tests.window.conftest import PATIENCE

SCENARIO = """
format = 1
seed = 5
[discs]
count = {count}
volume_fraction = 0.2
[aggregation]
method = "time-stepping"
[aggregation.time_stepping]
fraction = 1.0
"""


def simulation(count: int = 225, time: float = 1.0) -> TimeStepping:
    made = create(Scenario.from_toml(SCENARIO.format(count=count)))
    made.advance(time)
    assert isinstance(made, TimeStepping)
    return made


def story_of(made: TimeStepping) -> StepStory:
    return StepStory(made.trace_step(), made.radii, made.box, made.periodic)


@dataclass
class Stage:
    """A window with a picture, a field, a slider, and a command on each key of the mode."""

    window: QMainWindow
    canvas: DiscCanvas
    inside: InsideStep
    view: ViewModel
    field: QLineEdit
    slider: QSlider
    asked: list[float | None] = field(default_factory=list)
    left: list[bool] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)


@pytest.fixture
def stage(qapp: QApplication, qtbot: QtBot, compiled: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """In the mode, waiting for a step; the simulation on the canvas is that of `simulation()`."""
    monkeypatch.setenv("AGGVIEWER_CANVAS", "painter")
    made = simulation()
    window, middle = QMainWindow(), QWidget()
    view = ViewModel()
    canvas = create_canvas(middle, view)
    inside = InsideStep(canvas, lambda time: stage.asked.append(time), lambda: stage.left.append(True), window)
    stage = Stage(window, canvas, inside, view, QLineEdit(), QSlider(Qt.Orientation.Horizontal))
    layout = QVBoxLayout(middle)
    layout.setContentsMargins(0, 0, 0, 0)
    for widget in (canvas, inside.bar, stage.field, stage.slider):
        layout.addWidget(widget)
    layout.setStretch(0, 1)
    window.setCentralWidget(middle)
    for key in ("Space", "Left", "Right", "Home", "End", "Escape"):
        action = QAction(key, window)
        action.setShortcut(QKeySequence(key))
        action.triggered.connect(lambda _checked, key=key: stage.commands.append(key))
        window.addAction(action)
    guard = KeyGuard(qapp)
    window.resize(1024, 700)
    window.show()
    qtbot.waitExposed(window)
    QApplication.setActiveWindow(window)
    qtbot.waitUntil(window.isActiveWindow, timeout=PATIENCE)
    canvas.set_system(made.radii, made.box, made.periodic)
    inside.enter(inside._canvas)
    yield stage
    inside.close()
    guard.close()
    canvas.close()
    window.close()
    window.deleteLater()


@pytest.fixture(scope="module")
def colliding() -> StepStory:
    """A step with two rounds."""
    return story_of(simulation())


@pytest.fixture
def shown(stage: Stage, colliding: StepStory) -> Stage:
    """The step is shown, paused at its start."""
    stage.inside.show(colliding)
    stage.inside.move("first")
    assert not stage.inside.playing
    return stage


def press(stage: Stage, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(QApplication.focusWidget() or stage.window, key)


def test_entering_asks_for_a_step_and_waits(stage: Stage) -> None:
    assert stage.inside.active
    assert stage.asked == [None]
    bar = stage.inside.bar
    assert bar.isVisible()
    assert bar.reading.text.text() == SEARCHING
    assert bar.leave.isEnabled()
    assert not any(button.isEnabled() for button in bar.buttons.values())
    assert not bar.next_step.isEnabled()


def test_a_step_plays_to_its_end_tick_by_tick_and_starts_again(
    stage: Stage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, colliding: StepStory
) -> None:
    ticks: list[int] = []
    show_frame = stage.inside.bar.show_frame
    monkeypatch.setattr(
        stage.inside.bar, "show_frame", lambda tick, frame: (ticks.append(tick), show_frame(tick, frame))
    )
    stage.inside.bar.speed.number = 60.0
    stage.inside.show(colliding)
    assert stage.inside.playing
    qtbot.waitUntil(lambda: not stage.inside.playing, timeout=PATIENCE)
    assert ticks == list(range(colliding.last + 1))
    stage.inside.toggle()
    assert stage.inside.tick == 0
    assert stage.inside.playing
    stage.inside.toggle()
    assert not stage.inside.playing


def test_the_speed_is_that_of_the_clock(shown: Stage) -> None:
    shown.inside.bar.speed.number = 5.0
    assert shown.inside._timer.interval() == 200
    assert shown.inside.bar._speed_value.text() == "5 /s"


def test_the_keys_of_the_mode_go_to_it_and_come_back_afterwards(shown: Stage, colliding: StepStory) -> None:
    inside = shown.inside
    shown.canvas.setFocus()
    press(shown, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left)
    assert inside.tick == 1
    press(shown, Qt.Key.Key_End)
    assert inside.tick == colliding.last
    press(shown, Qt.Key.Key_Home)
    assert inside.tick == 0
    press(shown, Qt.Key.Key_Left)
    assert inside.tick == 0
    press(shown, Qt.Key.Key_Space)
    assert inside.playing
    press(shown, Qt.Key.Key_Space)
    assert not inside.playing
    assert shown.commands == []
    press(shown, Qt.Key.Key_Escape)
    assert not inside.active
    assert shown.left == [True]
    assert shown.commands == []
    press(shown, Qt.Key.Key_Space, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_Escape)
    assert shown.commands == ["Space", "Right", "Home", "Escape"]


def test_fields_and_sliders_keep_their_keys(shown: Stage) -> None:
    shown.field.setFocus()
    press(shown, Qt.Key.Key_A, Qt.Key.Key_Space, Qt.Key.Key_B, Qt.Key.Key_Home)
    assert shown.field.text() == "a b"
    assert shown.field.cursorPosition() == 0
    assert not shown.inside.playing
    shown.slider.setFocus()
    press(shown, Qt.Key.Key_Right, Qt.Key.Key_Right)
    assert shown.slider.value() == 2
    press(shown, Qt.Key.Key_End)
    assert shown.commands == ["End"]  # left to the window
    assert shown.inside.tick == 0


def test_return_presses_a_button_that_has_the_focus(shown: Stage) -> None:
    button = shown.inside.bar.buttons["forward"]
    button.setFocus()
    press(shown, Qt.Key.Key_Return)
    assert shown.inside.tick == 1


def test_buttons_and_slider_move_through_the_step(shown: Stage, qtbot: QtBot, colliding: StepStory) -> None:
    bar, inside = shown.inside.bar, shown.inside
    left = Qt.MouseButton.LeftButton
    qtbot.mouseClick(bar.buttons["last"], left)
    assert inside.tick == bar.slider.value() == colliding.last
    assert not bar.buttons["forward"].isEnabled()
    qtbot.mouseClick(bar.buttons["back"], left)
    assert inside.tick == colliding.last - 1
    qtbot.mouseClick(bar.buttons["first"], left)
    assert inside.tick == bar.slider.value() == 0
    assert not bar.buttons["back"].isEnabled()
    bar.slider.setValue(17)
    assert inside.tick == 17
    qtbot.mouseClick(bar.buttons["play"], left)
    assert inside.playing
    bar.slider.setValue(40)
    assert not inside.playing
    middle = bar.slider.rect().center()
    qtbot.mouseClick(bar.slider, left, pos=middle)
    assert inside.tick == pytest.approx(colliding.last / 2, abs=2)


def test_a_click_on_a_chapter_goes_to_its_start(shown: Stage, qtbot: QtBot, colliding: StepStory) -> None:
    bar = shown.inside.bar
    assert [button.text() for button in bar.strip.buttons] == [chapter.title for chapter in colliding.chapters]
    for chapter, button in zip(colliding.chapters, bar.strip.buttons, strict=True):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert shown.inside.tick == chapter.first
        assert [other.isChecked() for other in bar.strip.buttons] == [other is button for other in bar.strip.buttons]
        assert bar.reading.text.text() == colliding.at(chapter.first).text
    qtbot.mouseClick(bar.strip.buttons[-1], Qt.MouseButton.LeftButton)
    assert bar.strip.buttons[-1].isChecked()  # a second click does not switch it off


def test_many_rounds_share_a_button(shown: Stage, colliding: StepStory) -> None:
    trace = colliding.trace
    rounds = np.repeat(np.arange(1, 8), -(-len(trace.round) // 7))[: len(trace.round)]
    many = StepStory(
        type(trace)(**{**trace.__dict__, "round": rounds}), colliding.radii, colliding.box, colliding.periodic
    )
    assert len(many.chapters) == 10
    shown.inside.show(many)
    buttons = shown.inside.bar.strip.buttons
    assert len(buttons) == 4
    shown.inside.go_to(many.chapters[4].first)
    assert buttons[2].isChecked()
    assert "3 of 7" in buttons[2].text()


def test_iteration_and_residual_are_shown_and_the_curve_is_a_way_there(
    shown: Stage, qtbot: QtBot, colliding: StepStory
) -> None:
    bar = shown.inside.bar
    shown.inside.go_to(colliding.tick_of_iteration(3))
    first = next(chapter for chapter in colliding.chapters if chapter.kind == "minimisation")
    assert bar.reading.numbers.text().startswith(f"iteration 4 of {first.last - first.first}\nresidual ")
    assert bar.reading.curve._cursor == 3
    qtbot.mouseClick(bar.reading.curve, Qt.MouseButton.LeftButton, pos=bar.reading.curve.rect().center())
    middle = shown.inside.tick
    assert abs(middle - colliding.tick_of_iteration(len(colliding.trace.residual) // 2)) <= 2
    shown.inside.move("first")
    assert bar.reading.curve._cursor is None


def test_the_picture_is_the_story(shown: Stage, colliding: StepStory) -> None:
    scene = shown.canvas.scene
    for tick in (0, 30, colliding.chapters[2].first + 5, colliding.last):
        shown.inside.go_to(tick)
        frame = colliding.at(tick)
        np.testing.assert_array_equal(scene.positions, frame.positions)
        np.testing.assert_array_equal(scene.scalar % 12, color_index(frame.cluster))
        assert scene.coloring.by == "cluster"
        assert scene.time == frame.time
        assert scene.marks is not None
        assert ("overlap" in scene.marks.roles) == (len(frame.overlapping) > 0)
    shown.inside.go_to(colliding.chapters[1].last)
    assert scene.marks.overlaps is not None
    np.testing.assert_array_equal(scene.marks.overlaps.pairs, colliding.trace.overlapping)


def test_collisions_are_gone_through_in_both_directions(shown: Stage, qtbot: QtBot, colliding: StepStory) -> None:
    bar, canvas = shown.inside.bar, shown.canvas
    count = len(colliding.places)
    assert count > 3
    canvas.set_view_rect(0.0, 0.0, *(0.01 * colliding.box).tolist())
    shown.inside.show(colliding)
    assert bar.place.text() == f"Collision 1 of {count}"
    for name, k in (("next", 1), ("next", 2), ("previous", 1), ("previous", 0), ("previous", count - 1), ("next", 0)):
        qtbot.mouseClick(bar.buttons[f"{name}_place"], Qt.MouseButton.LeftButton)
        assert bar.place.text() == f"Collision {k + 1} of {count}"
        assert (canvas.camera.x, canvas.camera.y) == pytest.approx(colliding.places[k].middle)
        left, bottom, width, height = canvas.camera.rect
        place = colliding.places[k]
        assert left <= place.x + 1e-9
        assert left + width >= place.x + place.width - 1e-9
        assert bottom <= place.y + 1e-9
        assert bottom + height >= place.y + place.height - 1e-9


def test_small_discs_bring_the_view_to_a_collision_and_leaving_brings_it_back(stage: Stage) -> None:
    made = simulation(count=2500)
    stage.inside.leave()
    stage.canvas.set_system(made.radii, made.box, made.periodic)
    stage.canvas.fit()
    fitted = stage.canvas.camera
    story = story_of(made)
    stage.inside.enter(stage.canvas)
    stage.inside.show(story)
    assert (stage.canvas.camera.x, stage.canvas.camera.y) == pytest.approx(story.places[0].middle)
    assert 2.0 * made.radii[0] * stage.canvas.camera.scale > 16.0
    stage.inside.leave()
    assert stage.canvas.fitted
    assert stage.canvas.camera.scale == pytest.approx(fitted.scale, rel=0.5)  # the bar has given its room back
    stage.canvas.zoom(3.0, (100.0, 100.0))
    before = stage.canvas.camera
    stage.inside.enter(stage.canvas)
    stage.inside.show(story)
    stage.inside.go_to_collision(1)
    stage.inside.leave()
    after = stage.canvas.camera
    assert (after.x, after.y) == pytest.approx((before.x, before.y))


def test_large_discs_leave_the_view_alone(shown: Stage, colliding: StepStory) -> None:
    shown.canvas.set_view_rect(0.0, 0.0, *colliding.box.tolist())
    shown.canvas.zoom(1.2)
    before = shown.canvas.camera
    shown.inside.show(colliding)
    assert shown.canvas.camera == before


def test_the_next_step_is_the_one_after_the_end_of_this_one(shown: Stage, qtbot: QtBot, colliding: StepStory) -> None:
    qtbot.mouseClick(shown.inside.bar.next_step, Qt.MouseButton.LeftButton)
    end = colliding.trace.time + colliding.trace.dt
    assert shown.asked == [None, end]
    made = simulation()
    made.advance(end)
    assert made.time == end
    assert made.trace_step().time == end


def test_leaving_takes_everything_away(shown: Stage) -> None:
    shown.inside.toggle()
    shown.inside.leave()
    assert not shown.inside.playing
    assert shown.inside.bar.isHidden()
    assert shown.canvas.scene.marks is None
    assert shown.left == [True]
    shown.inside.leave()
    assert shown.left == [True]


def test_a_step_that_comes_after_leaving_is_not_shown(stage: Stage, colliding: StepStory) -> None:
    stage.inside.leave()
    stage.inside.show(colliding)
    stage.inside.refuse(ONE_CLUSTER)
    assert stage.canvas.scene.marks is None
    assert not stage.canvas.scene.shown
    assert stage.inside.bar.isHidden()


def test_where_there_is_no_such_step_the_reason_is_said(shown: Stage) -> None:
    shown.inside.refuse(ONE_CLUSTER)
    bar = shown.inside.bar
    assert bar.reading.text.text() == ONE_CLUSTER
    assert shown.canvas.scene.marks is None
    assert not bar.next_step.isEnabled()
    assert bar.leave.isEnabled()
    press(shown, Qt.Key.Key_Space, Qt.Key.Key_Right)
    assert not shown.inside.playing


def test_a_step_without_a_collision_has_two_chapters_and_no_curve(stage: Stage) -> None:
    made = simulation(time=0.0)
    story = story_of(made)
    assert not story.collides
    stage.inside.show(story)
    bar = stage.inside.bar
    assert [button.text() for button in bar.strip.buttons] == ["Free flight", "New velocities"]
    assert bar.place.text() == "No collision"
    assert not bar.buttons["next_place"].isEnabled()
    stage.inside.move("last")
    assert bar.reading.text.text().startswith("Nothing overlaps")
    assert bar.reading.numbers.text() == ""


def test_the_reasons_against() -> None:
    assert reason_against("event-driven", 100) == NO_STEPS
    assert reason_against("time-stepping", 1) == ONE_CLUSTER
    assert reason_against("time-stepping", 2) == ""


@pytest.mark.parametrize("width", [400, 470, 720, 1024])
def test_nothing_is_clipped_in_a_narrow_window(shown: Stage, qtbot: QtBot, colliding: StepStory, width: int) -> None:
    shown.window.resize(width, 700)
    bar = shown.inside.bar
    qtbot.waitUntil(lambda: shown.window.width() == width)
    shown.inside.go_to_collision(1)
    QApplication.processEvents()
    for chapter in colliding.chapters:
        shown.inside.go_to(chapter.last)
        QApplication.processEvents()
        assert bar.reading.text.heightForWidth(bar.reading.text.width()) <= bar.reading.text.height(), chapter.title
    for button in bar.strip.buttons:
        assert button.fontMetrics().horizontalAdvance(button.text()) <= button.width() - 6, button.text()
    assert bar.place.sizeHint().width() <= bar.place.width()
    inside = [widget for widget in bar.findChildren(QWidget) if widget.isVisible() and widget.parent() is bar]
    assert all(bar.rect().contains(widget.geometry()) for widget in inside)


def test_the_theme_can_change(shown: Stage) -> None:
    pictures: list[object] = []
    for colors, dark in ((DARK, True), (LIGHT, False)):
        shown.inside.set_colors(colors, dark)
        pictures.append(shown.inside.bar.buttons["first"].icon().pixmap(20).toImage())
    assert pictures[0] != pictures[1]
