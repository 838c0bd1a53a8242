"""The faster of the two surfaces: how it is found, and how the painter draws before the kernels are there and beside
the GUI thread."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PyQt6.QtGui import QPaintEvent
from pytestqt.qtbot import QtBot

from aggviewer.canvas import create, create_canvas, image_surface, warmup
from aggviewer.canvas.qt_drawing import from_qimage
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.surface import DrawingTimes, Trial, measured_from
from aggviewer.document.view import ViewModel
from engine.boundary import Periodic

from .conftest import PLAIN, MakeCanvas, grabbed
from .drawing import crowd

PATIENCE = 60_000  # milliseconds; only a machine that hangs waits so long


def measured(opengl: float, painter: float) -> DrawingTimes:
    return DrawingTimes("OpenGL 4.5, of a test", opengl, painter, 10_000)


def test_the_painter_is_taken_where_it_is_clearly_faster() -> None:
    assert measured(20.0, 8.0).faster == "painter"
    assert measured(2.0, 8.0).faster == "opengl"
    assert measured(10.0, 9.0).faster == "opengl", "else the processor is left to the simulation"


@pytest.mark.parametrize(
    "plain",
    [None, [], "painter", {}, {"renderer": 1, "opengl": 1.0, "painter": 1.0, "discs": 5}]
    + [{"renderer": "", "opengl": bad, "painter": 1.0, "discs": 5} for bad in (0.0, -1.0, float("nan"), "1", None)],
)
def test_drawing_times_that_cannot_be_read_count_as_not_measured(plain: object) -> None:
    assert measured_from(plain) is None


@pytest.mark.parametrize(("worth", "winner"), [(0.0, "OpenGL"), (1e9, "Software")])
def test_the_canvas_times_both_and_goes_on_with_the_faster_one(
    qtbot: QtBot, make_canvas: MakeCanvas, monkeypatch: pytest.MonkeyPatch, worth: float, winner: str
) -> None:
    monkeypatch.setattr("aggviewer.canvas.surface._WORTH", worth)
    canvas = make_canvas("opengl")
    told: list[DrawingTimes] = []
    canvas.trial = Trial(told.append)
    crowd(canvas, 500)
    for _ in range(30):
        grabbed(qtbot, canvas)
    assert not told, "so few discs say little"
    crowd(canvas, 2000)
    expected = grabbed(qtbot, canvas)
    while not told:
        grabbed(qtbot, canvas)
    for _ in range(5):
        grabbed(qtbot, canvas)
    (found,) = told
    assert found.discs == 2000
    assert found.renderer.startswith("OpenGL ")
    assert 0.0 < found.opengl < PATIENCE
    assert 0.0 < found.painter < PATIENCE
    qtbot.waitUntil(lambda: canvas.renderer.startswith(winner))
    assert canvas.notice == "", "nothing has failed"
    assert np.abs(grabbed(qtbot, canvas).astype(int) - expected).mean() < 2.0


def test_a_surface_that_is_asked_for_is_used_without_timing(monkeypatch: pytest.MonkeyPatch, view: ViewModel) -> None:
    monkeypatch.setattr(create, "software_opengl", lambda: "")
    for variable, surface, timed, start in (
        ("", "painter", False, "Software"),
        ("", "opengl", False, "OpenGL"),
        ("painter", "opengl", False, "Software"),
        ("opengl", "painter", False, "OpenGL"),
        ("opengl", "", False, "OpenGL"),
        ("", "", True, "OpenGL"),
    ):
        monkeypatch.setenv("AGGVIEWER_CANVAS", variable)
        canvas = create_canvas(None, view, surface, lambda _: None)
        if start == "Software" or not canvas.notice:
            assert canvas.renderer.startswith(start)
            assert (canvas.trial is not None) == timed
        canvas.close()
        canvas.deleteLater()


def test_a_canvas_draws_without_opengl_that_the_processor_computes(
    monkeypatch: pytest.MonkeyPatch, view: ViewModel
) -> None:
    monkeypatch.delenv("AGGVIEWER_CANVAS", raising=False)
    monkeypatch.setattr(create, "missing_opengl", lambda: "")
    for renderer, software in (
        ("llvmpipe (LLVM 15.0.6, 256 bits)", True),
        ("SwiftShader Device (LLVM 10.0.0)", True),
        ("Software Rasterizer", True),
        ("D3D12 (Microsoft Basic Render Driver)", True),
        ("Mesa Intel(R) UHD Graphics 620 (KBL GT2)", False),
        ("NVIDIA GeForce RTX 3060/PCIe/SSE2", False),
        ("AMD Radeon RX 6600 (radeonsi, navi23, LLVM 15.0.7)", False),
    ):
        named = SimpleNamespace(glGetString=lambda number, renderer=renderer: renderer if number == 0x1F01 else "4.5")
        with monkeypatch.context() as patch:
            patch.setattr(create, "_context", lambda: nullcontext(object()))
            patch.setattr("PyQt6.QtOpenGL.QOpenGLVersionFunctionsFactory.get", lambda profile, context, to=named: to)
            assert create.software_opengl() == (renderer if software else "")
            if software:
                canvas = create_canvas(None, view, "", lambda _: None)
                assert canvas.renderer.startswith("Software")
                assert (canvas.software, canvas.trial, canvas.notice) == (renderer, None, "")
                canvas.close()
                canvas.deleteLater()
    with monkeypatch.context() as patch:
        patch.setattr(create, "_context", lambda: nullcontext(None))
        assert create.software_opengl() == ""


# before the kernels are there


@pytest.mark.parametrize("zoom", [1.0, 8.0])
@pytest.mark.parametrize("periodic", [False, True, Periodic((False, True))])
def test_qt_paints_the_same_discs_before_the_kernels_are_there(
    qtbot: QtBot, make_canvas: MakeCanvas, monkeypatch: pytest.MonkeyPatch, periodic: Periodic | bool, zoom: float
) -> None:
    canvas = make_canvas("painter")
    crowd(canvas, 400, unequal=True, periodic=periodic)
    canvas.zoom(zoom, (60.0, 150.0))  # at an edge of the box
    expected = grabbed(qtbot, canvas).astype(int)
    with monkeypatch.context() as patch:
        patch.setattr(warmup, "_ready", threading.Event())
        patch.setattr(warmup, "start", lambda: None)
        without = grabbed(qtbot, canvas).astype(int)
    assert expected.max() > 60
    assert not np.array_equal(without, expected)
    difference = np.abs(without - expected)
    assert difference.mean() < 2.0
    assert np.percentile(difference, 99) < 48


# beside the GUI thread


def test_many_discs_are_painted_beside_the_gui_thread(
    qtbot: QtBot, make_canvas: MakeCanvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = make_canvas("painter")
    crowd(canvas, 3000, periodic=True)
    painted_on: list[threading.Thread] = []
    paint = Raster.paint

    def watched(self: Raster, *args: Any, **names: Any) -> np.ndarray:
        painted_on.append(threading.current_thread())
        return paint(self, *args, **names)

    monkeypatch.setattr(Raster, "paint", watched)
    expected = grabbed(qtbot, canvas)
    assert set(painted_on) == {threading.main_thread()}
    painted_on.clear()
    monkeypatch.setattr(image_surface, "MOST_PAINTED_AT_ONCE", 1000)
    np.testing.assert_array_equal(grabbed(qtbot, canvas), expected)
    assert painted_on
    assert threading.main_thread() not in painted_on
    # the view moves: the old picture goes along at once, and the right one follows
    drawn = canvas.frames_drawn
    canvas.pan(40.0, 0.0)
    at_once = from_qimage(canvas.grab().toImage())[..., :3]
    np.testing.assert_array_equal(at_once[:200, 40:], expected[:200, :-40])
    qtbot.waitUntil(lambda: canvas.frames_drawn > drawn, timeout=PATIENCE)
    moved = from_qimage(canvas.grab().toImage())[..., :3]
    monkeypatch.setattr(image_surface, "MOST_PAINTED_AT_ONCE", 10_000)
    np.testing.assert_array_equal(grabbed(qtbot, canvas), moved)


def test_a_frame_never_changes_while_it_is_painted(
    qtbot: QtBot, make_canvas: MakeCanvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image_surface, "MOST_PAINTED_AT_ONCE", 1000)
    canvas = make_canvas("painter")
    crowd(canvas, 2000)
    grabbed(qtbot, canvas)
    begun, go_on = threading.Event(), threading.Event()
    seen: list[np.ndarray] = []
    surface = canvas._surface
    assert isinstance(surface, image_surface.ImageSurface)
    paint = surface._image._raster.paint

    def slowly(*args: object, **names: object) -> np.ndarray:
        begun.set()
        assert go_on.wait(60.0)
        seen.append(canvas.scene.positions.copy())
        return paint(*args, **names)  # type: ignore[arg-type]

    monkeypatch.setattr(surface._image._raster, "paint", slowly)
    first = canvas.scene.positions.copy()
    canvas.zoom(1.1)
    qtbot.waitUntil(begun.is_set, timeout=PATIENCE)
    threading.Timer(0.05, go_on.set).start()
    canvas.show_frame(first + 0.01, np.zeros(2000, np.float32), PLAIN, 1.0)
    np.testing.assert_array_equal(seen[0], first)
    drawn = canvas.frames_drawn
    qtbot.waitUntil(lambda: canvas.frames_drawn > drawn, timeout=PATIENCE)


def test_the_next_frame_may_come_before_the_last_one_is_drawn(
    qtbot: QtBot, make_canvas: MakeCanvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image_surface, "MOST_PAINTED_AT_ONCE", 1000)
    canvas = make_canvas("painter")
    crowd(canvas, 2000)
    grabbed(qtbot, canvas)
    surface = canvas._surface
    assert isinstance(surface, image_surface.ImageSurface)
    painted: list[int] = []
    drawings: list[int] = []
    paint = surface._image.paintEvent

    def counted(event: QPaintEvent) -> None:
        drawings.append(1)
        paint(event)

    monkeypatch.setattr(surface._image, "paintEvent", counted)
    first, drawn = canvas.scene.positions.copy(), canvas.frames_drawn

    def on_painted() -> None:
        painted.append(canvas.frames_drawn - drawn)
        if len(painted) < 5:
            canvas.show_frame(first + 0.01 * len(painted), np.zeros(2000, np.float32), PLAIN, float(len(painted)))

    canvas.has_painted.connect(on_painted)
    canvas.show_frame(first + 0.1, np.zeros(2000, np.float32), PLAIN, 1.0)
    qtbot.waitUntil(lambda: len(painted) == 5 and not canvas.busy, timeout=PATIENCE)
    assert painted[0] == 0, "it is told as soon as the picture is painted"
    qtbot.waitUntil(lambda: canvas.frames_drawn > drawn, timeout=PATIENCE)
    assert len(drawings) <= 6, "no picture is drawn twice"
    shown = from_qimage(canvas.grab().toImage())[..., :3]
    monkeypatch.setattr(image_surface, "MOST_PAINTED_AT_ONCE", 10_000)
    np.testing.assert_array_equal(grabbed(qtbot, canvas), shown)
