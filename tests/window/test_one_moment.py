"""The picture, its time, the numbers and the line about the disc under the pointer belong to the same moment."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from pytestqt.qtbot import QtBot

from aggviewer.session import LaneStatus, Shown, Status, SystemInfo
from aggviewer.session.publish.coloring import Coloring
from aggviewer.style import numbers
from aggviewer.systems.registry import view_of
from aggviewer.window.bars.status_bar import WindowStatusBar, describe
from aggviewer.window.hovering import Hovering
from aggviewer.window.main_window import MainWindow
from engine.frame import Frame
from engine.scenario import Scenario
from tests.window.watching import compare, settled, wait_for

COUNT = 4
PLAIN = Coloring("speed", "Speed", "", (0.0, 1.0))
SYSTEM = SystemInfo(Scenario(), np.ones(COUNT), np.ones(COUNT), np.full(2, 20.0), True, COUNT)


def shown(time: float, cluster: list[int]) -> Shown:
    fields = {"cluster": np.array(cluster, np.int32)}
    frame = Frame(time, np.ones((COUNT, 2)), np.zeros((COUNT, 2)), fields, len(set(cluster)), 0.0)
    return Shown(SYSTEM, frame, np.zeros(COUNT, np.float32), PLAIN)


class Bar:
    """As much of the status bar as says something of a disc."""

    text = ""

    def show_hover(self, shown: Shown | None, disc: int) -> None:
        self.text = describe(shown, disc)


def test_what_is_said_of_a_disc_follows_the_frames() -> None:
    bar = Bar()
    on_screen = [shown(0.0, [0, 1, 2, 3])]
    hovering = Hovering(cast("WindowStatusBar", bar), lambda lane: on_screen[-1])
    hovering.on_hover(0, 2)
    assert "cluster size 1 disc" in bar.text
    on_screen.append(shown(1.0, [1, 1, 1, 1]))
    hovering.on_frame(1)  # of the picture beside it
    assert "cluster size 1 disc" in bar.text
    hovering.on_frame(0)
    assert "cluster size 4 discs" in bar.text
    hovering.on_hover(0, -1)
    hovering.on_frame(0)
    assert bar.text == ""


def test_the_numbers_are_those_of_the_frame_and_not_of_the_present() -> None:
    lanes = (LaneStatus("aggregation", "event-driven", 9.0, 1),)
    status = Status("paused", "aggregation", 9.0, 1, COUNT, lanes=lanes, past=1.0)
    found = view_of("aggregation").readings(status, shown(1.0, [0, 0, 2, 3]))
    assert (found.moment, found.state.text) == (1.0, "M = 3")
    before = view_of("aggregation").readings(status, None)
    assert (before.moment, before.state.text) == (9.0, "M = 1")


def seen(window: MainWindow) -> tuple[Any, ...]:
    frame = window.refresher.shown()
    assert frame is not None
    clock = view_of("aggregation").clock
    return (
        window.status.time.text(),
        window.transport.time.text(),
        window.status.clusters.text(),
        numbers.moment(frame.frame.time, clock),
        f"M = {numbers.count(frame.frame.clusters)}",
    )


def test_looking_back_shows_one_moment_in_all_places(held: MainWindow, qtbot: QtBot) -> None:
    compare(held)
    held.session.set_speed(6.0)
    for _ in range(12):
        held.session.step_frame()
    settled(held, qtbot)
    present = held.session.status().time
    held.session.look_at(present / 3.0)
    wait_for(qtbot, lambda: (now := held.refresher.shown()) is not None and now.frame.time < present / 2.0)
    status, transport, clusters, time, count = seen(held)
    assert status == transport == time
    assert clusters == count
    for number, header in enumerate(held.canvases.headers):
        frame = held.refresher.shown(number)
        assert frame is not None
        assert f"M = {numbers.count(frame.frame.clusters)}" in header.state.toolTip()
