"""A disc dragged and thrown in the real window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.velocities import THROW, ThrowArrow
from aggviewer.canvas.scene import Scene
from aggviewer.session import Notice
from aggviewer.session.data import DiscSet
from aggviewer.window.main_window import MainWindow
from aggviewer.window.picking.throwing import DragDisc, usual_speed
from engine.boundary import Periodic
from engine.frame import Frame
from engine.scenario import Scenario
from tests.window.conftest import SMALL, hold, put_back, scenario_file, wait_until

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton


@pytest.fixture
def held(all_compiled: None, shared_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    window = shared_window
    hold(window, scenario_file(tmp_path, SMALL))
    wait_until(lambda: window.canvas.ready)
    yield window
    window.commands.run("edit.select_none")
    put_back(window)


def send(window: MainWindow, kind: QEvent.Type, at: QPoint, held: Qt.MouseButton = LEFT) -> None:
    button = NONE if kind == QEvent.Type.MouseMove else LEFT
    place = window.canvas.mapToGlobal(at).toPointF()
    modifiers = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window.canvas, QMouseEvent(kind, QPointF(at), place, button, held, modifiers))


def pixel(window: MainWindow, place: np.ndarray) -> QPoint:
    x, y = window.canvas.camera.to_pixel(*place.tolist())
    return QPoint(round(x), round(y))


def positions(window: MainWindow) -> np.ndarray:
    shown = window.refresher.shown()
    assert shown is not None
    return shown.frame.positions.copy()


def test_a_disc_is_dragged_put_back_thrown_and_aimed(held: MainWindow) -> None:
    window, canvas = held, held.canvas
    disc, before = 5, positions(held)
    place, at = canvas.place, pixel(held, before[5])
    goal = at + QPoint(9, 6)
    send(window, QEvent.Type.MouseMove, at, NONE)
    assert canvas.cursor().shape() == Qt.CursorShape.OpenHandCursor
    send(window, QEvent.Type.MouseButtonPress, at)
    assert canvas.cursor().shape() == Qt.CursorShape.ClosedHandCursor
    send(window, QEvent.Type.MouseMove, goal)
    assert not np.array_equal(canvas.scene.positions[disc], before[disc])
    window.context.notify(Notice("info", "A message"))
    window.commands.run("view.leave")  # Esc: what the hand holds comes before messages
    assert np.array_equal(canvas.scene.positions, before)
    window.stage.toasts.dismiss_last()
    send(window, QEvent.Type.MouseButtonRelease, goal)
    assert canvas.place == place  # the picture has not moved
    assert window.session.history.undo_text != "Undo throwing a disc"

    for kind, to in (("Press", at), ("", goal), ("Release", goal)):
        send(window, getattr(QEvent.Type, f"MouseButton{kind}") if kind else QEvent.Type.MouseMove, to)
    wait_until(lambda: not np.array_equal(positions(window)[disc], before[disc]))
    assert window.session.history.undo_text in ("Undo throwing a disc", "Undo stopping a disc")  # of a slow computer
    moved = positions(window)
    assert np.hypot(*(np.array(canvas.camera.to_pixel(*moved[disc])) - [goal.x(), goal.y()])) < 2.0

    QTest.mouseClick(canvas, LEFT, pos=pixel(window, moved[disc]))  # a click selects as ever
    wait_until(lambda: isinstance(canvas.scene.data(THROW), ThrowArrow))
    arrow = canvas.scene.data(THROW)
    tip = pixel(window, arrow.tip(canvas.scene, window.session.view, canvas.camera))
    wanted = pixel(window, moved[disc]) + QPoint(0, -60)
    for kind, to in (("Press", tip), ("", wanted), ("Release", wanted)):
        send(window, getattr(QEvent.Type, f"MouseButton{kind}") if kind else QEvent.Type.MouseMove, to)
    wait_until(lambda: (aimed := canvas.scene.data(THROW)) is not None and aimed.velocity[1] > 0.0)
    wait_until(lambda: window.refresher.shown().frame.velocities[disc][1] > 0.0)
    assert np.array_equal(positions(window), moved)
    assert abs(window.refresher.shown().frame.velocities[disc][0]) < 0.1

    for _ in range(3):  # the arrow, the selection, the throw
        window.commands.run("edit.undo")
    wait_until(lambda: np.array_equal(positions(window), before))


def drag(path: list[tuple[float, float, float]], periodic: Periodic | None = None) -> list[tuple[float, ...]]:
    """What is asked for after a disc at (2, 5) was dragged along a path of (seconds, x, y), at one unit of length a
    second and within a pixel of 0.1: place and velocity, or nothing if it was put back. periodic : of the box, None
    for periodic edges."""
    scenario = Scenario.from_values({"discs": {"count": 4}})
    positions = np.array([[2.0, 5.0], [5.0, 2.0], [5.0, 8.0], [8.0, 5.0]])
    frame = Frame(0.0, positions, np.ones((4, 2)), {"cluster": np.arange(4, dtype=np.int32)}, 4, 4.0)
    discs = DiscSet(
        scenario,
        np.full(4, 0.5),
        np.ones(4),
        np.array([10.0, 10.0]),
        Periodic.of(True if periodic is None else periodic, 2),
        4,
    )
    shown: Any = SimpleNamespace(frame=frame, discs=discs, disc_set=discs)
    now, asked = [0.0], []

    def done(place: np.ndarray, velocity: np.ndarray) -> None:
        asked.append((*place.round(9).tolist(), *velocity.round(9).tolist()))

    gesture = DragDisc(
        0,
        np.array([2.0, 5.0]),
        lambda: shown,
        lambda at: np.array([at.x(), at.y()]),
        1.0,
        100.0,
        lambda *_: None,
        done,
        lambda: asked.append(()),
        0.1,
        lambda: now[0],
    )
    for now[0], x, y in path:
        gesture.move(QPointF(x, y))
    now[0] += 0.05
    gesture.release(Qt.KeyboardModifier.NoModifier)
    return asked


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ([(1.0, 3.0, 5.0), (2.0, 2.0, 5.05), (3.0, 2.0, 5.05)], ()),
        ([(1.0, 3.0, 5.0), (2.0, 3.0, 5.0)], (3.0, 5.0, 0.0, 0.0)),
        ([(1.0, 3.0, 5.0), (1.03, 2.0, 5.0)], (2.0, 5.0, -12.5, 0.0)),
    ],
)
def test_a_disc_that_rests_where_it_was_keeps_its_velocity(path: list[Any], asked: tuple[float, ...]) -> None:
    assert drag(path) == [asked]


@pytest.mark.parametrize(
    ("periodic", "place"),
    [
        ((True, False), (9.0, 9.5)),
        ((False, True), (0.5, 1.0)),
        ((True, True), (9.0, 1.0)),
        ((False, False), (0.5, 9.5)),
    ],
)
def test_walls_stop_a_disc_that_is_dragged_and_periodic_edges_do_not(
    periodic: tuple[bool, bool], place: tuple[float, float]
) -> None:
    ((x, y, *_),) = drag([(1.0, 2.0, 7.0), (2.0, -1.0, 11.0)], Periodic(periodic))
    assert (x, y) == pytest.approx(place, abs=1e-3)


@pytest.mark.parametrize(
    ("speed", "gravity", "pace", "fastest"),
    [
        (1.0, (), 2.0, (10.0, 10.0)),  # a gas: ten times the usual speed
        (1.0, (), 0.01, (10.0, 10.0)),  # in slow motion, which is slow for throws as well
        (0.1, (0.0, -1.0), 2.0, (4.0, 40.0)),  # a heap nearly at rest: to the top of the box at least
        (1e-3, (), 2.0, (5.0, 50.0)),  # a cold gas: across the box in a second at least
    ],
)
def test_a_throw_is_seen_to_move_whatever_the_other_discs_do(
    speed: float, gravity: tuple[float, ...], pace: float, fastest: tuple[float, float]
) -> None:
    frame: Any = SimpleNamespace(kinetic_energy=0.5 * speed**2 * 4)
    shown: Any = SimpleNamespace(frame=frame, discs=SimpleNamespace(masses=np.ones(4)))
    scene = Scene(box=np.array([10.0, 10.0]), of_frame={"gravity": gravity})
    found = 10.0 * usual_speed(shown, scene, Camera.fitting((10.0, 10.0), (500.0, 500.0)), pace)
    assert fastest[0] * (1.0 - 1e-9) <= found <= fastest[1] * (1.0 + 1e-9)


def test_while_it_runs_a_drag_moves_the_picture(held: MainWindow) -> None:
    window, canvas = held, held.canvas
    place = canvas.place
    window.session.set_speed(1e-3)
    window.session.run()
    wait_until(lambda: window.session.status().state == "running")
    at = pixel(window, positions(window)[5])
    send(window, QEvent.Type.MouseButtonPress, at)
    send(window, QEvent.Type.MouseMove, at + QPoint(30, 0))
    send(window, QEvent.Type.MouseButtonRelease, at + QPoint(30, 0))
    assert canvas.place != place
    assert window.session.history.undo_text == "Undo moving the picture"
