"""The picture, its time, the numbers and the line about the disc under the pointer belong to the same moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.session.coloring import Coloring
from aggviewer.session.data import Timeline
from aggviewer.style import numbers
from aggviewer.systems.registry import view_of
from aggviewer.widgets.timeline import TimelineBar
from aggviewer.window.main_window import MainWindow
from engine.jamming.system import JammingSystem
from engine.system import Clock
from engine.words import count
from tests.canvas.drawing import Noted
from tests.window.conftest import window_again
from tests.window.watching import compare, settled, wait_for

window = window_again

if TYPE_CHECKING:
    pass

COUNT = 4
ITERATIONS = JammingSystem.clock
PLAIN = Coloring("speed", "Speed", "", (0.0, 1.0))


def test_looking_back_shows_one_moment_in_all_places(held: MainWindow, qtbot: QtBot) -> None:
    compare(held)
    held.session.set_speed(20.0)
    for _ in range(4):
        held.session.step_frame()
    settled(held, qtbot)
    present = held.session.status().time
    held.session.look_at(present / 3.0)
    wait_for(qtbot, lambda: (now := held.refresher.shown()) is not None and now.frame.time < present / 2.0)
    frame = held.refresher.shown()
    assert frame is not None
    assert held.transport.time.text() == numbers.moment(frame.frame.time, view_of("aggregation").clock)
    for number, header in enumerate(held.canvases.headers):
        frame = held.refresher.shown(number)
        assert frame is not None
        words = f"M = {count(frame.frame.clusters)}"
        wait_for(qtbot, lambda header=header, words=words: words in header.state.toolTip())  # with the next status


@pytest.mark.parametrize("shown", [8.54, 1078.49])
def test_the_end_of_the_timeline_is_of_the_moment_in_the_picture(
    shown: float, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = TimelineBar()
    qtbot.addWidget(line)
    line.resize(900, 24)
    said: list[float] = []
    monkeypatch.setattr(line, "_text_of", lambda time: said.append(time) or "")

    def ends(timeline: Timeline) -> list[float]:
        said.clear()
        line.show_timeline(timeline)
        line.grab()
        return list(said)

    line.show_moment(shown)
    for status in (shown - 0.3, shown + 0.3):  # which is told from time to time, and of the present
        assert ends(Timeline(0.0, status, status, np.empty(0))) == [0.0, shown]
        assert line.time_at(line.width()) == status, "a click at the end asks for the present"
    assert ends(Timeline(0.0, 2000.0, shown, np.empty(0))) == [0.0, 2000.0], "looking back"
    assert ends(Timeline(0.0, 2000.0, 2000.0, np.empty(0), replay=True)) == [0.0, 2000.0], "a recording"


@pytest.mark.parametrize(
    ("time", "clock"), [(12.4, numbers.TIME), (1078.49, numbers.TIME), (2.5e6, numbers.TIME), (1204.0, ITERATIONS)]
)
def test_the_time_in_the_picture_is_written_as_below_it(time: float, clock: Clock, qtbot: QtBot) -> None:
    scene = Scene()
    scene.replace_discs(np.ones(COUNT), np.full(2, 20.0), True, clock=clock)
    scene.set_frame(np.ones((COUNT, 2)), np.zeros(COUNT, np.float32), PLAIN, time)
    noted = Noted()
    Painter(ViewModel()).overlays.draw(noted, scene, Camera(10.0, 10.0, 15.0, 600.0, 400.0))
    assert numbers.moment(time, clock) in noted.texts
