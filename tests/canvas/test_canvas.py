"""The widget, looked at: on both surfaces where there is OpenGL, on the image surface elsewhere."""

from __future__ import annotations

import subprocess
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QSize, QTimer
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from aggviewer.canvas import DiscCanvas, colors, create_canvas, disc_kernels
from aggviewer.canvas.picture import Painter
from aggviewer.canvas.surface import Host, Surface
from aggviewer.document.view import ViewModel
from engine.boundary import Periodic
from engine.errors import InputError

from .conftest import PLAIN, MakeCanvas, grabbed
from .drawing import BOTH, crowd, show


@BOTH
def test_a_disc_is_where_it_should_be(qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel, kind: str) -> None:
    canvas = make_canvas(kind)
    show(canvas, [[6.0, 4.5], [1.0, 8.0]])
    picture = grabbed(qtbot, canvas)
    color = colors.table(PLAIN, view)[255, :3]
    ratio, radius = canvas.devicePixelRatioF(), canvas.camera.scale
    for x, y in ((6.0, 4.5), (1.0, 8.0)):
        px, py = canvas.camera.to_pixel(x, y)
        for dx, dy in ((0, 0), (0.8, 0), (-0.8, 0), (0, 0.8), (0, -0.8), (0.55, 0.55)):
            at = picture[int((py + dy * radius) * ratio), int((px + dx * radius) * ratio)]
            np.testing.assert_allclose(at.astype(int), color, atol=1)
        for dx, dy in ((1.15, 0), (0, 1.15), (0.85, 0.85), (-0.85, 0.85)):
            assert not picture[int((py + dy * radius) * ratio), int((px + dx * radius) * ratio)].any()
    bright = picture.max(2) / color.max()
    assert bright.sum() == pytest.approx(2 * np.pi * (radius * ratio) ** 2, rel=0.05)
    assert ((bright > 0.05) & (bright < 0.5)).sum() > 2 * np.pi * radius * ratio * 0.3  # the soft edge


@pytest.mark.parametrize(
    ("count", "zoom", "periodic", "unequal"),
    [
        (49, 1.0, True, True),
        (49, 1.0, Periodic((True, False)), True),
        (3000, 12.0, True, False),
        (60_000, 1.0, False, True),
    ],
)
def test_both_surfaces_show_the_same(
    qtbot: QtBot, make_canvas: MakeCanvas, count: int, zoom: float, periodic: Periodic | bool, unequal: bool
) -> None:
    pictures = []
    for kind in ("opengl", "painter"):
        canvas = make_canvas(kind)
        crowd(canvas, count, unequal=unequal, periodic=periodic)
        canvas.zoom(zoom, (120.0, 150.0))
        pictures.append(grabbed(qtbot, canvas).astype(int))
    assert pictures[0].max() > 60
    difference = np.abs(pictures[0] - pictures[1])
    assert difference.mean() < 2.0
    assert np.percentile(difference, 99) < 48  # edges of neighbours that share a pixel


@BOTH
def test_a_snapshot_has_any_size_and_shows_the_view(
    qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel, kind: str
) -> None:
    canvas = make_canvas(kind)
    show(canvas, [[6.0, 4.5], [1.0, 8.0]])
    image = canvas.snapshot(1920, 1080)
    assert image.shape == (1080, 1920, 4)
    assert image.dtype == np.uint8
    camera = Painter(view).fitting(canvas.scene.sides, (1920, 1080))
    color = colors.table(PLAIN, view)[255]
    for x, y in ((6.0, 4.5), (1.0, 8.0)):
        px, py = camera.to_pixel(x, y)
        np.testing.assert_array_equal(image[int(py), int(px)], color)
    bright = (image[..., :3].max(2) > 100).sum()
    assert bright == pytest.approx(2 * np.pi * camera.scale**2, rel=0.02)
    small = canvas.snapshot(400, 300)
    if canvas.devicePixelRatioF() == 1.0:
        difference = np.abs(small[..., :3].astype(int) - grabbed(qtbot, canvas))
        assert difference.mean() < 0.5  # what the window shows
    for width, height in ((0, 100), (100, 40_000)):
        with pytest.raises(InputError, match="pixels"):
            canvas.snapshot(width, height)


def test_the_view_model_repaints_and_a_closed_canvas_does_not_listen(
    qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = make_canvas("painter")
    show(canvas, [[6.0, 4.5]])
    grabbed(qtbot, canvas)
    before = canvas.frames_drawn
    view.background = "white"
    qtbot.waitUntil(lambda: canvas.frames_drawn > before)
    assert grabbed(qtbot, canvas)[2, 2].tolist() == [255, 255, 255]
    assert canvas.fps > 0.0
    canvas.close()
    canvas.close()

    def heard() -> None:
        raise AssertionError("a closed canvas has listened")

    monkeypatch.setattr(canvas, "_refresh", heard)
    view.background = "black"


@pytest.mark.parametrize("kind", ["opengl"])
def test_opengl_that_fails_is_replaced_with_a_plain_sentence(
    qtbot: QtBot, make_canvas: MakeCanvas, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = make_canvas(kind)
    assert canvas.notice == ""
    qtbot.waitUntil(lambda: canvas.renderer.startswith("OpenGL "))

    def broken(*_: object) -> None:
        raise RuntimeError("the driver went away")

    show(canvas, [[6.0, 4.5]])
    monkeypatch.setattr("aggviewer.canvas.gl_surface.GLDiscs.draw", broken)
    canvas._refresh()
    qtbot.waitUntil(lambda: canvas.notice != "")
    assert "the driver went away" in canvas.notice
    qtbot.waitUntil(lambda: canvas.renderer.startswith("Software"))
    assert grabbed(qtbot, canvas).max() > 60


def test_without_opengl_the_canvas_says_so_and_works(
    qtbot: QtBot, view: ViewModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AGGVIEWER_CANVAS", raising=False)
    monkeypatch.setattr("aggviewer.canvas.create.missing_opengl", lambda: "no OpenGL context could be created")
    canvas = create_canvas(None, view)
    assert canvas.notice == "Software rendering instead of OpenGL: no OpenGL context could be created."
    canvas.close()
    monkeypatch.setenv("AGGVIEWER_CANVAS", "opengl")  # without a fallback the picture would be black
    canvas = create_canvas(None, view)
    assert canvas.notice == "Software rendering instead of OpenGL: no OpenGL context could be created."
    canvas.close()
    monkeypatch.setenv("AGGVIEWER_CANVAS", "crayon")
    with pytest.raises(InputError, match="opengl or painter"):
        create_canvas(None, view)


@BOTH
def test_no_kernel_is_compiled_while_the_window_is_in_use(
    qtbot: QtBot, make_canvas: MakeCanvas, view: ViewModel, kind: str
) -> None:
    every = [disc_kernels.gather, disc_kernels.paint, disc_kernels.resolve, disc_kernels.pick]
    canvas = make_canvas(kind)
    for count, unequal, periodic in ((50, True, True), (50, False, False), (30_000, True, False)):
        crowd(canvas, count, unequal=unequal, periodic=periodic)
        for view.background in ("black", "white"):
            grabbed(qtbot, canvas)
            canvas.snapshot(64, 48)
            canvas.snapshot(64, 48, transparent=True)
        canvas.disc_at(50.0, 50.0)
    assert [len(kernel.signatures) for kernel in every] == [1, 1, 1, 1], "those of the warm-up"


def test_a_surface_that_cannot_be_made_leaves_nothing_behind(qtbot: QtBot, view: ViewModel) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)

    def fails(host: Host, widget: QWidget) -> Surface:
        event = QResizeEvent(QSize(300, 200), QSize(1, 1))
        QApplication.sendEvent(widget, event)  # as a native window does that has a parent from then on
        raise RuntimeError("no OpenGL")

    with pytest.raises(RuntimeError, match="no OpenGL"):
        DiscCanvas(parent, view, fails)
    assert parent.findChildren(DiscCanvas) == []


@pytest.mark.parametrize("kind", ["opengl", "painter"])
def test_a_canvas_neither_asks_other_programs_nor_handles_events_on_its_way_out(
    qtbot: QtBot, make_canvas: MakeCanvas, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The window stands still as long as either of them takes."""
    asked: list[object] = []
    usual = subprocess.Popen

    def popen(*arguments: Any, **options: Any) -> Any:
        asked.append(arguments)
        return usual(*arguments, **options)

    monkeypatch.setattr(subprocess, "Popen", popen)
    canvas = make_canvas(kind)
    show(canvas, [[6.0, 4.5], [1.0, 8.0]])
    qtbot.waitUntil(lambda: canvas.frames_drawn > 0)
    others: list[str] = []
    QTimer.singleShot(0, lambda: others.append("had its turn"))
    canvas.close()
    assert others == []
    assert asked == []
