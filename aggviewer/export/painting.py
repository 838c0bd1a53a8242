"""Paints a state with everything that lies over it into an image: one for all pictures and films."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtGui import QFont, QImage, QPainter

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.overlays import Overlays
from aggviewer.canvas.qt_images import pixels_of
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.scene import Scene
from aggviewer.session.view import ViewModel
from engine.errors import InputError

_REFERENCE = (1400.0, 900.0)  # a picture of this size has text and lines as large as in a window
_TEXT_PIXELS = 13


@dataclass(frozen=True)
class Over:
    """What lies over the discs."""

    legend: bool = True
    scale_bar: bool = True
    time: bool = True
    box: bool = True

    @staticmethod
    def of(view: ViewModel) -> Over:
        """What `view` shows."""
        return Over(view.show_legend, view.show_scale_bar, view.show_time, view.show_box)

    def on(self, view: ViewModel) -> ViewModel:
        """A copy of `view` that shows this; the view itself may change meanwhile, and on another thread."""
        shown = {
            "show_legend": self.legend,
            "show_scale_bar": self.scale_bar,
            "show_time": self.time,
            "show_box": self.box,
        }
        return ViewModel(**(view.model_dump() | shown))


def magnification(width: float, height: float) -> float:
    """How much larger than in a window text and lines are; they never get smaller."""
    return max(1.0, min(width / _REFERENCE[0], height / _REFERENCE[1]))


def picture_font() -> QFont:
    """The font of texts in pictures, the same size whatever the screen."""
    font = QFont()
    font.setPixelSize(_TEXT_PIXELS)
    return font


class Painter:
    """Paints one scene after another with buffers that are kept. Any thread, one at a time; needs `gui.ensure_gui`."""

    def __init__(self, view: ViewModel) -> None:
        self._view = view
        self._raster = Raster()
        self._overlays = Overlays(view, picture_font())
        self._picture = QImage()

    def looking(self, scene: Scene, camera: Camera, size: tuple[int, int]) -> Camera:
        """What `camera` sees, in a picture of `size` with room for its legend at the foot."""
        ratio = magnification(*size)
        return camera.rendered(*size, ratio * self._overlays.room(scene, size[0] / ratio, size[1] / ratio))

    def paint(self, scene: Scene, camera: Camera) -> NDArray[np.uint8]:
        """(H, W, 4) uint8 RGBA over the background of the view, newly made. `camera` : in pixels of the image."""
        return pixels_of(self.image(scene, camera)).copy()

    def image(self, scene: Scene, camera: Camera, *, transparent: bool = False) -> QImage:
        """RGBA with premultiplied alpha; painted over by the next call."""
        width, height = int(camera.width), int(camera.height)
        if (self._picture.width(), self._picture.height()) != (width, height):
            self._picture = QImage(width, height, QImage.Format.Format_RGBA8888_Premultiplied)
            if self._picture.isNull():
                raise InputError(f"there is no memory for a picture of {width} x {height} pixels", "size")
        pixels = pixels_of(self._picture)
        ratio = magnification(width, height)
        self._raster.paint(scene, camera, self._view, pixel_ratio=ratio, transparent=transparent, out=pixels)
        painter = QPainter(self._picture)
        self.paint_overlays(painter, scene, camera)
        painter.end()
        return self._picture

    def paint_overlays(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Box, marks, scale bar, legend and time alone, on a painter whose unit is a pixel of `camera`."""
        ratio = magnification(camera.width, camera.height)
        painter.save()
        painter.scale(ratio, ratio)
        self._overlays.paint(painter, scene, camera.magnified(1.0 / ratio))
        painter.restore()
