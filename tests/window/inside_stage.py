"""A window with nothing in it but the way into a time step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLineEdit, QMainWindow, QSlider, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.canvas import DiscCanvas, create_canvas
from aggviewer.document.view import ViewModel
from aggviewer.session.step.story import StepStory
from aggviewer.widgets.input_guard import InputGuard
from aggviewer.window.step_view.mode import StepMode
from engine import create
from engine.aggregation.time_stepping.simulation import TimeStepping
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
    inside: StepMode
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
    inside = StepMode(canvas, lambda time: stage.asked.append(time), lambda: stage.left.append(True), window)
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
    guard = InputGuard(qapp)
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
