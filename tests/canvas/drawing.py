"""Few discs and many, on both surfaces, and what lies over them alone."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from PyQt6.QtGui import QImage, QPainter

from aggviewer.canvas import DiscCanvas
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.layers.primitives import Flat, Primitive, Text
from aggviewer.canvas.overlays import Overlays
from aggviewer.canvas.qt_drawing import from_qimage
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from engine.boundary import Periodic

from .conftest import PLAIN


class Noted:
    """A target of overlays that keeps what is drawn on it."""

    def __init__(self) -> None:
        self.primitives: list[Primitive] = []
        self.flats: list[Flat] = []

    def layer(self, primitives: Iterable[Primitive], *, cut: bool, opacity: float) -> None:
        """Keep the primitives of a layer."""
        self.primitives += primitives

    def screen(self, primitives: Iterable[Flat]) -> None:
        """Keep primitives in pixels."""
        self.flats += primitives

    @property
    def texts(self) -> list[str]:
        """All text beside the layers."""
        return [flat.text for flat in self.flats if isinstance(flat, Text)]


BOTH = pytest.mark.parametrize("kind", ["opengl", "painter"])


def overlays_of(view: ViewModel, scene: Scene, camera: Camera, ratio: float = 1.0) -> np.ndarray:
    """What lies over the discs, over nothing: (H, W, 4) in device pixels, `ratio` for each pixel of the camera."""
    size = round(camera.width * ratio), round(camera.height * ratio)
    picture = QImage(*size, QImage.Format.Format_RGBA8888_Premultiplied)
    picture.setDevicePixelRatio(ratio)
    picture.fill(0)
    with QPainter(picture) as painter:
        Overlays(view, painter.font()).paint(painter, scene, camera)
    return from_qimage(picture)


def show(
    canvas: DiscCanvas,
    positions: list[list[float]],
    radius: float = 1.0,
    *,
    periodic: bool = False,
    value: float = 1.0,
) -> None:
    """Discs of the top colour, or that of another value, in a box of 12 x 9: with a 400 x 300 canvas some 30 pixels a
    unit."""
    canvas.replace_discs(np.full(len(positions), radius), np.array([12.0, 9.0]), periodic)
    canvas.show_frame(np.array(positions), np.full(len(positions), value, np.float32), PLAIN, 1.5)


def crowd(
    canvas: DiscCanvas, count: int, seed: int = 0, *, unequal: bool = False, periodic: Periodic | bool = False
) -> None:
    """Discs on a jittered lattice that do not overlap, of all colours."""
    rng = np.random.default_rng(seed)
    side = int(np.ceil(np.sqrt(count)))
    cell = np.arange(count)
    positions = np.c_[cell % side + 0.5, cell // side + 0.5] + rng.uniform(-0.15, 0.15, (count, 2))
    positions[0] = 0.02, 0.5 * side  # across an edge
    radii = rng.uniform(0.1, 0.33, count) if unequal else np.full(count, 0.3)
    canvas.replace_discs(radii, np.array([side, side], float), periodic)
    canvas.show_frame(positions, rng.random(count, np.float32), PLAIN, 0.0)
