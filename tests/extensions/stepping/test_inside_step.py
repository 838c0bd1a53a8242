"""Inside one step: coming in and going out, the picture, what is said of it, and the plot of the residual."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QMainWindow, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.canvas import DiscCanvas, create_canvas
from aggviewer.document.view import ViewModel
from aggviewer.extensions.stepping.bar import TITLES
from aggviewer.extensions.stepping.mode import ONE_CLUSTER, SEARCHING, StepMode
from aggviewer.extensions.stepping.story import StepStory
from aggviewer.style.theme import DARK
from engine.plotting.colors import color_index
from tests.extensions.stepping.steps import simulation, story_of
from tests.waiting import laid_out


@dataclass
class Stage:
    """A window with a picture and the bar."""

    window: QMainWindow
    canvas: DiscCanvas
    inside: StepMode
    asked: list[float | None] = field(default_factory=list)
    left: list[bool] = field(default_factory=list)


@pytest.fixture
def stage(qapp: QApplication, qtbot: QtBot, compiled: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """In the view, waiting for a step; the simulation on the canvas is that of `simulation()`."""
    monkeypatch.setenv("AGGVIEWER_CANVAS", "painter")
    made = simulation()
    window, middle = QMainWindow(), QWidget()
    canvas = create_canvas(middle, ViewModel())
    inside = StepMode(canvas, lambda time: stage.asked.append(time), lambda: stage.left.append(True), window)
    inside.bar.plot.set_theme(DARK)
    stage = Stage(window, canvas, inside)
    layout = QVBoxLayout(middle)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(canvas, 1)
    layout.addWidget(inside.bar)
    window.setCentralWidget(middle)
    window.resize(1024, 700)
    window.show()
    qtbot.waitExposed(window)
    canvas.replace_discs(made.radii, made.box, made.periodic)
    inside.enter(canvas)
    yield stage
    inside.close()
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
    stage.inside.steps.move("first")
    assert not stage.inside.steps.playing
    return stage


def test_entering_asks_for_a_step_and_waits(stage: Stage) -> None:
    assert stage.inside.active
    assert stage.asked == [None]
    bar = stage.inside.bar
    assert bar.isVisible()
    assert bar.text.text() == SEARCHING
    assert bar.leave.isEnabled()
    assert not bar.transport.isEnabled()
    assert not bar.next_step.isEnabled()


def test_collisions_are_gone_through_in_both_directions(shown: Stage, qtbot: QtBot, colliding: StepStory) -> None:
    bar, canvas = shown.inside.bar, shown.canvas
    count = len(colliding.places)
    assert count > 3
    canvas.set_view_rect(0.0, 0.0, *(0.01 * colliding.box).tolist())
    shown.inside.show(colliding)
    assert bar.place.text() == f"Collision 1 of {count}"
    for name, k in (("next", 1), ("next", 2), ("previous", 1), ("previous", 0), ("previous", count - 1), ("next", 0)):
        qtbot.mouseClick(bar.transport.buttons[f"{name}_place"], Qt.MouseButton.LeftButton)
        assert bar.place.text() == f"Collision {k + 1} of {count}"
        assert (canvas.camera.x, canvas.camera.y) == pytest.approx(colliding.places[k].middle)
        left, bottom, width, height = canvas.camera.rect
        place = colliding.places[k]
        assert left <= place.x + 1e-9
        assert left + width >= place.x + place.width - 1e-9
        assert bottom <= place.y + 1e-9
        assert bottom + height >= place.y + place.height - 1e-9


def test_the_next_step_is_the_one_after_the_end_of_this_one(shown: Stage, qtbot: QtBot, colliding: StepStory) -> None:
    qtbot.mouseClick(shown.inside.bar.next_step, Qt.MouseButton.LeftButton)
    end = colliding.trace.time + colliding.trace.dt
    assert shown.asked == [None, end]
    made = simulation()
    made.advance(end)
    assert made.time == end
    assert made.trace_step().time == end


def test_leaving_takes_everything_away(shown: Stage) -> None:
    shown.inside.steps.toggle()
    shown.inside.leave()
    assert not shown.inside.steps.playing
    assert shown.inside.bar.isHidden()
    assert shown.canvas.scene.data("steps") is None
    assert shown.left == [True]
    shown.inside.leave()
    assert shown.left == [True]


def test_the_picture_is_the_story(shown: Stage, colliding: StepStory) -> None:
    scene = shown.canvas.scene
    for tick in (0, 30, colliding.chapters[2].first + 5, colliding.last):
        shown.inside.steps.go_to(tick)
        frame = colliding.at(tick)
        np.testing.assert_array_equal(scene.positions, frame.positions)
        np.testing.assert_array_equal(scene.scalar % 12, color_index(frame.cluster))
        assert scene.coloring.by == "cluster"
        assert scene.time == frame.time
        assert scene.data("steps") is not None
        assert ("overlap" in scene.data("steps").roles) == (len(frame.overlapping) > 0)
    shown.inside.steps.go_to(colliding.chapters[1].last)
    assert scene.data("steps").overlaps is not None
    np.testing.assert_array_equal(scene.data("steps").overlaps.pairs, colliding.trace.overlapping)


def test_without_a_step_the_reason_is_shown(shown: Stage) -> None:
    shown.inside.refuse(ONE_CLUSTER)
    bar = shown.inside.bar
    assert bar.text.text() == ONE_CLUSTER
    assert shown.canvas.scene.data("steps") is None
    assert not bar.next_step.isEnabled()
    assert bar.leave.isEnabled()
    shown.inside.steps.toggle()
    assert not shown.inside.steps.playing


def test_a_click_on_a_part_goes_to_its_start_and_says_what_happens_there(
    shown: Stage, qtbot: QtBot, colliding: StepStory
) -> None:
    bar = shown.inside.bar
    firsts = {TITLES[chapter.kind]: chapter.first for chapter in reversed(colliding.chapters)}
    assert list(bar.parts.buttons) == list(reversed(firsts))
    for title, button in bar.parts.buttons.items():
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert shown.inside.tick == firsts[title]
        assert [name for name, other in bar.parts.buttons.items() if other.isChecked()] == [title]
        assert bar.text.text().startswith(colliding.at(firsts[title]).text)


def test_iteration_round_and_residual_are_said_and_a_click_on_the_plot_goes_to_an_iteration(
    shown: Stage, qtbot: QtBot, colliding: StepStory
) -> None:
    bar, plot = shown.inside.bar, shown.inside.bar.plot
    shown.inside.steps.go_to(colliding.tick_of_iteration(3))
    first = next(chapter for chapter in colliding.chapters if chapter.kind == "minimisation")
    words = bar.text.text().splitlines()[-1]
    assert words.startswith(f"round 1 of 2, iteration 4 of {first.last - first.first} · residual ")
    assert bar.iteration == 3
    assert plot.drawn["now"].series.x.tolist() == [4.0]
    assert plot.drawn["rounds"].series.x.tolist() == [colliding.chapters[3].before + 0.5]
    laid_out(shown.window)
    middle = len(colliding.trace.residual) // 2
    scene = plot.getPlotItem().getViewBox().mapViewToScene(plot.readable.place_of("residual", middle))
    qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=plot.mapFromScene(scene))
    assert bar.iteration == middle
    assert shown.inside.tick == colliding.tick_of_iteration(middle)
    shown.inside.steps.move("first")
    assert "now" not in plot.drawn
