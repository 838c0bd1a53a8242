"""Where a canvas looks: mouse and wheel, what moves the view and what does not; the disc under the pointer."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QMouseEvent, QWheelEvent
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aggviewer.canvas import DiscCanvas, in_view
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.scene import Scene
from engine.boundary import Periodic
from engine.errors import InputError

from .conftest import EVERY_BOX, PLAIN, MakeCanvas, grabbed
from .drawing import BOTH, show


@BOTH
def test_frames_do_not_move_the_view_and_a_resize_keeps_its_middle(
    qtbot: QtBot, make_canvas: MakeCanvas, kind: str
) -> None:
    canvas = make_canvas(kind)
    show(canvas, [[6.0, 4.5]])
    canvas.zoom(3.0, (100.0, 80.0))
    camera = canvas.camera
    canvas.show_frame(np.array([[1.0, 1.0]]), np.ones(1, np.float32), PLAIN, 2.0)
    grabbed(qtbot, canvas)
    assert canvas.camera == camera
    canvas.resize(500, 420)
    qtbot.waitUntil(lambda: canvas.camera.width == 500)
    assert (canvas.camera.x, canvas.camera.y, canvas.camera.scale) == (camera.x, camera.y, camera.scale)
    canvas.fit()
    canvas.resize(600, 500)
    qtbot.waitUntil(lambda: canvas.camera.width == 600)
    assert canvas.camera.to_world(300, 250) == pytest.approx((6.0, 4.5))


def move_pointer(canvas: DiscCanvas, x: float, y: float, button: Qt.MouseButton = Qt.MouseButton.NoButton) -> None:
    """As Qt tells it, wherever the real pointer of the display is."""
    here = QPointF(x, y)
    there = QPointF(canvas.mapToGlobal(here.toPoint()))
    none = Qt.MouseButton.NoButton
    event = QMouseEvent(QEvent.Type.MouseMove, here, there, none, button, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(canvas, event)


def test_mouse_pans_zooms_about_the_pointer_and_fits(qtbot: QtBot, make_canvas: MakeCanvas) -> None:
    canvas = make_canvas("painter")
    show(canvas, [[6.0, 4.5]])
    fitted = canvas.camera
    pointer = QPointF(90.0, 70.0)
    under = canvas.camera.to_world(90.0, 70.0)
    wheel = QWheelEvent(
        pointer,
        QPointF(canvas.mapToGlobal(QPoint(90, 70))),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas, wheel)
    assert canvas.camera.scale > 1.2 * fitted.scale
    assert canvas.camera.to_world(90.0, 70.0) == pytest.approx(under)
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=QPoint(90, 70))
    move_pointer(canvas, 130.0, 95.0, Qt.MouseButton.LeftButton)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=QPoint(130, 95))
    assert canvas.camera.to_world(130.0, 95.0) == pytest.approx(under)
    qtbot.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(90, 70))
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=QPoint(90, 70))
    assert canvas.camera == fitted


def test_zoom_stops_at_both_ends_and_refuses_nonsense(make_canvas: MakeCanvas) -> None:
    canvas = make_canvas("painter")
    show(canvas, [[6.0, 4.5]])
    canvas.zoom(1e12)
    assert 2.0 * canvas.camera.scale <= 300.0 + 1e-6
    canvas.zoom(1e-12)
    assert 9.0 * canvas.camera.scale >= 10.0
    for factor in (0.0, -1.0, float("nan")):
        with pytest.raises(InputError):
            canvas.zoom(factor)
    with pytest.raises(InputError):
        canvas.set_view_rect(0.0, 0.0, 0.0, 1.0)
    canvas.set_view_rect(2.0, 3.0, 4.0, 1.0)
    assert canvas.camera.rect[0] == pytest.approx(2.0)
    assert canvas.camera.to_world(200, 150) == pytest.approx((4.0, 3.5))


def test_hover_names_the_disc_under_the_pointer(qtbot: QtBot, make_canvas: MakeCanvas) -> None:
    canvas = make_canvas("painter")
    show(canvas, [[2.0, 2.0], [6.0, 4.5]])
    px, py = canvas.camera.to_pixel(6.0, 4.5)
    assert canvas.disc_at(px, py) == 1
    assert canvas.disc_at(px + 1.5 * canvas.camera.scale, py) is None
    with qtbot.waitSignal(canvas.hovered) as heard:
        move_pointer(canvas, px, py)
    assert heard.args == [1]
    with qtbot.waitSignal(canvas.hovered) as heard:  # the disc moves away, the pointer rests
        canvas.show_frame(np.array([[2.0, 2.0], [10.0, 7.0]]), np.ones(2, np.float32), PLAIN, 3.0)
    assert heard.args == [-1]
    with qtbot.waitSignal(canvas.hovered):
        canvas.show_frame(np.array([[2.0, 2.0], [6.0, 4.5]]), np.ones(2, np.float32), PLAIN, 3.0)
    with qtbot.waitSignal(canvas.hovered) as heard:
        QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))
    assert heard.args == [-1]


def test_another_system_keeps_the_view_or_is_fitted(make_canvas: MakeCanvas) -> None:
    canvas = make_canvas("painter")
    show(canvas, [[6.0, 4.5]])
    canvas.zoom(5.0, (100.0, 80.0))
    camera = canvas.camera
    canvas.replace_discs(np.full(7, 0.5), np.array([12.0, 9.0]), True)
    assert canvas.camera == camera
    canvas.set_place(None)
    canvas.replace_discs(np.full(7, 0.5), np.array([12.0, 10.0]), True)
    assert canvas.camera.to_world(200, 150) == pytest.approx((6.0, 5.0))


@EVERY_BOX
@pytest.mark.parametrize("place", [(50.0, 50.0, 8.0), (3.0, 97.0, 8.0), (50.0, 50.0, 400.0), (-30.0, 20.0, 5.0)])
def test_of_many_marks_the_same_are_found_as_of_few(
    periodic: Periodic, place: tuple[float, float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    scene = Scene()
    scene.replace_discs(np.ones(1), np.full(2, 100.0), periodic)
    start = rng.random((8000, 2)) * 100.0
    segments = np.stack([start, start + rng.normal(0.0, 2.0, (8000, 2))], axis=1)
    x, y, reach = place
    camera = Camera(x, y, 300.0 / reach, 600.0, 400.0)
    few = []
    for many in (10**9, 100):
        monkeypatch.setattr(in_view, "_MANY", many)
        pixels, index = in_view.in_view(segments, scene, camera, margin=5.0, most=10**6)
        order = np.lexsort((pixels[:, 0, 0], index))
        few.append((index[order], pixels[order]))
    assert few[0][0].tolist() == few[1][0].tolist()
    np.testing.assert_allclose(few[0][1], few[1][1])
