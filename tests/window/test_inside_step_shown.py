"""What is seen inside a time step: the picture, its view, numbers and words, in windows of any width."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from aggviewer.session.load.tracing import NO_STEPS
from aggviewer.session.publish.cluster_colors import color_index
from aggviewer.session.step.story import StepStory
from aggviewer.window.step_view.mode import ONE_CLUSTER, reason_against
from tests.waiting import laid_out
from tests.window.inside_stage import Stage, press, simulation, story_of
from tests.window.inside_stage import colliding as colliding
from tests.window.inside_stage import shown as shown
from tests.window.inside_stage import stage as stage


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
    assert bar.reading.curve.cursor == 3
    middle, curve = len(colliding.trace.residual) // 2, bar.reading.curve
    scene = curve.getPlotItem().getViewBox().mapViewToScene(curve.place_of("residual", middle))
    qtbot.mouseClick(curve.viewport(), Qt.MouseButton.LeftButton, pos=curve.mapFromScene(scene))
    assert bar.reading.curve.cursor == middle
    assert shown.inside.tick == colliding.tick_of_iteration(middle)
    shown.inside.move("first")
    assert bar.reading.curve.cursor is None


def test_the_picture_is_the_story(shown: Stage, colliding: StepStory) -> None:
    scene = shown.canvas.scene
    for tick in (0, 30, colliding.chapters[2].first + 5, colliding.last):
        shown.inside.go_to(tick)
        frame = colliding.at(tick)
        np.testing.assert_array_equal(scene.positions, frame.positions)
        np.testing.assert_array_equal(scene.scalar % 12, color_index(frame.cluster))
        assert scene.coloring.by == "cluster"
        assert scene.time == frame.time
        assert scene.data("steps") is not None
        assert ("overlap" in scene.data("steps").roles) == (len(frame.overlapping) > 0)
    shown.inside.go_to(colliding.chapters[1].last)
    assert scene.data("steps").overlaps is not None
    np.testing.assert_array_equal(scene.data("steps").overlaps.pairs, colliding.trace.overlapping)


def test_small_discs_bring_the_view_to_a_collision_and_leaving_brings_it_back(stage: Stage) -> None:
    made = simulation(count=2500)
    stage.inside.leave()
    stage.canvas.set_system(made.radii, made.box, made.periodic)
    stage.canvas.fit()
    fitted = stage.canvas.camera
    story = story_of(made)
    stage.inside.enter(stage.canvas)
    stage.inside.show(story)
    assert stage.canvas.camera.middle == pytest.approx(story.places[0].middle)
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
    shown.canvas.zoom(1.5)
    before = shown.canvas.camera
    shown.inside.show(colliding)
    assert shown.canvas.camera == before


def test_where_there_is_no_such_step_the_reason_is_said(shown: Stage) -> None:
    shown.inside.refuse(ONE_CLUSTER)
    bar = shown.inside.bar
    assert bar.reading.text.text() == ONE_CLUSTER
    assert shown.canvas.scene.data("steps") is None
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
    shown.inside.go_to_collision(1)
    laid_out(shown.window)
    assert shown.window.width() == width
    for chapter in colliding.chapters:
        shown.inside.go_to(chapter.last)
        text = bar.reading.text  # it takes its place in two steps: first the width, then the height that follows
        qtbot.waitUntil(lambda text=text: text.heightForWidth(text.width()) <= text.height())  # type: ignore[misc]
    for button in bar.strip.buttons:
        assert button.fontMetrics().horizontalAdvance(button.text()) <= button.width() - 6, button.text()
    assert bar.place.sizeHint().width() <= bar.place.width()
    inside = [widget for widget in bar.findChildren(QWidget) if widget.isVisible() and widget.parent() is bar]
    assert all(bar.rect().contains(widget.geometry()) for widget in inside)
