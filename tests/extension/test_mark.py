"""A kind of measurements that a plug-in adds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.measures import state_of, words_of
from aggviewer.session.marks import kinds
from aggviewer.session.marks.kinds import State, kind_of, readings_of
from aggviewer.session.marks.model import Anchor, Mark
from aggviewer.window.main_window import MainWindow
from aggviewer.window.measuring.measuring import Measuring
from engine import plugins
from tests.canvas.test_measures import inked, pixel, place, scene_with
from tests.window.conftest import SMALL, hold, part_of, put_away, shown
from tests.window.conftest import qapp as qapp
from tests.window.conftest import settings as settings
from tests.window.conftest import surface as surface

TRIANGLE = """
PLUG_POINTS = 1


def triangle():
    import numpy as np
    from aggviewer.session.marks.kinds import Kind, Reading, digits

    def outline(mark, places, state):
        a, b, c = places
        return [np.array([a, b, c, a])]

    def readings(mark, places, state):
        a, b, c = places
        if mark.text == "fail":
            raise RuntimeError("no area today")
        (x, y), (u, v) = b - a, c - a
        return [Reading("Area", "A", 0.5 * abs(x * v - y * u), "length²")]

    def in_picture(readings):
        return f"A = {digits(readings[0].value)}" if readings else ""

    hints = "Click a corner", "Click the next corner", "Click the last corner"
    return Kind("triangle", "Triangle", "Its area", "mdi6.triangle-outline", hints, outline, readings, in_picture)


def register(points):
    points.mark("triangle", triangle)
"""

MARK = Mark(kind="triangle", anchors=tuple(Anchor(x=x, y=y) for x, y in ((2.0, 2.0), (6.0, 2.0), (2.0, 5.0))))
STATE = State(np.zeros((1, 2)), np.ones(1), np.full(2, 10.0), False, 2.0)


@pytest.fixture
def plug_in(tmp_path: Path) -> plugins.PlugIn:
    path = tmp_path / "triangle.py"
    path.write_text(TRIANGLE, encoding="utf-8")
    return plugins.load_file(path)


def test_it_is_measured_and_drawn_by_its_own_lines(plug_in: plugins.PlugIn) -> None:
    assert (plug_in.problem, plug_in.adds) == ("", ("mark triangle",))
    assert [kind.name for kind in kinds.kinds()][-2:] == ["arrow", "triangle"]
    assert [(each.symbol, each.value) for each in readings_of(MARK, STATE)] == [("A", 6.0)]
    drawn = scene_with(MARK, periodic=False)
    assert words_of(MARK, state_of(drawn)) == "A = 6.000"
    found = inked(drawn)
    assert all(found[pixel(x, y)] for x, y in ((4.0, 2.0), (2.0, 3.5), (4.0, 3.5)))
    assert not found[pixel(3.0, 2.5)]
    short = Mark(kind="triangle", anchors=(place(1.0, 1.0),))
    assert kind_of(short) is None
    assert not inked(scene_with(short), Camera.showing(0.0, 0.0, 8.0, 6.0, (400, 300))).any()


def test_without_the_plug_in_its_marks_stay_and_draw_nothing() -> None:
    assert kind_of(MARK) is None
    assert not inked(scene_with(MARK, periodic=False)).any()


def test_one_that_fails_is_said_once_and_others_go_on(
    plug_in: plugins.PlugIn, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    failing = MARK.model_copy(update={"text": "fail"})
    for _ in range(3):
        assert readings_of(failing, STATE) == ()
    assert [record.message for record in caplog.records] == ["marks of the kind triangle cannot be measured"]
    assert readings_of(MARK, STATE)[0].value == 6.0
    path = tmp_path / "again.py"
    path.write_text(TRIANGLE.replace('Kind("triangle"', 'Kind("text"'), encoding="utf-8")
    again = plugins.load_file(path)
    assert len(kinds.kinds()) == 8
    known = next(known for known in plugins.known() if known.source == again.source)
    assert known.notice == "the plug-in again.py is left out: its mark fails: there is a kind of marks text already"


@pytest.fixture
def window(qapp, settings, plug_in: plugins.PlugIn, tmp_path: Path) -> Iterator[MainWindow]:
    made = [shown(settings)]
    path = tmp_path / "s.toml"
    path.write_text(SMALL)
    hold(made[0], path)
    yield made[0]
    put_away(made)


def test_it_has_a_tool_of_its_own_in_the_window(window: MainWindow) -> None:
    window.commands.run("measure.triangle")
    bar = part_of(window, Measuring).bar
    assert bar.hint.text().startswith("Click a corner")
    side = window.refresher.shown().system.box[0]
    for x, y in ((0.2, 0.2), (0.8, 0.2), (0.2, 0.7)):
        column, row = window.canvas.camera.to_pixel(x * side, y * side)
        control = Qt.KeyboardModifier.ControlModifier
        QTest.mouseClick(window.canvas, Qt.MouseButton.LeftButton, control, QPoint(round(column), round(row)))
    [mark] = window.session.marking.value
    assert mark.kind == "triangle"
    assert bar.list.item(0, 1).text() == "Triangle"
    area = readings_of(mark, state_of(window.canvas.scene))[0].value
    assert area == pytest.approx(0.15 * side**2, rel=0.05)
    assert bar.list.item(0, 2).text() == f"A = {kinds.digits(area)} length²"
