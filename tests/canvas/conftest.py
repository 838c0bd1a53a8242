"""Pictures with few discs whose every pixel is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest
from PyQt6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from aggviewer.canvas import DiscCanvas, create_canvas, warm_up
from aggviewer.canvas.create import missing_opengl
from aggviewer.canvas.qt_drawing import from_qimage
from aggviewer.document.view import ViewModel
from aggviewer.session.coloring import Coloring
from engine.boundary import Periodic
from engine.frame import Frame

PLAIN = Coloring("speed", "Speed", "length / time", (0.0, 1.0))

MakeCanvas = Callable[..., DiscCanvas]

EVERY_BOX = pytest.mark.parametrize(
    "periodic", [Periodic(axes) for axes in product((False, True), repeat=2)], ids=lambda periodic: periodic.words
)
"""Boxes of the plane: walls, periodic edges, and one of both for each axis."""


@pytest.fixture(scope="session", autouse=True)
def kernels(qapp: object) -> None:
    """Fonts need Qt's application, and no test waits for a compiler."""
    warm_up()


@pytest.fixture
def view() -> ViewModel:
    """A black background with nothing over the discs."""
    return ViewModel(background="black", show_scale_bar=False, show_legend=False, show_time=False, show_box=False)


@pytest.fixture
def make_canvas(qtbot: QtBot, view: ViewModel, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeCanvas]:
    """Make a shown canvas of a kind and size; closed at the end."""
    made: list[DiscCanvas] = []

    def make(kind: str = "painter", width: int = 400, height: int = 300) -> DiscCanvas:
        if kind == "opengl" and missing_opengl():
            pytest.skip(f"OpenGL: {missing_opengl()} ({QGuiApplication.platformName()})")
        monkeypatch.setenv("AGGVIEWER_CANVAS", kind)
        canvas = create_canvas(None, view)
        made.append(canvas)
        canvas.resize(width, height)
        canvas.show()
        qtbot.waitExposed(canvas)
        qtbot.waitUntil(lambda: (canvas.width(), canvas.height()) == (width, height))
        return canvas

    yield make
    for canvas in made:
        canvas.close()
        canvas.deleteLater()


def grabbed(qtbot: QtBot, canvas: DiscCanvas) -> np.ndarray:
    """What is on the widget now, (H, W, 3) uint8 in device pixels, after a repaint of the discs."""
    before = canvas.frames_drawn
    canvas._refresh()
    qtbot.waitUntil(lambda: canvas.frames_drawn > before)
    return from_qimage(canvas.grab().toImage())[..., :3]


def frame(cluster: list[int], speed: float = 1.0) -> Frame:
    """A frame whose positions do not matter."""
    count = len(cluster)
    velocities = np.zeros((count, 2))
    velocities[:, 0] = speed
    return Frame(
        0.0, np.zeros((count, 2)), velocities, {"cluster": np.array(cluster, np.int32)}, len(set(cluster)), 1.0
    )
