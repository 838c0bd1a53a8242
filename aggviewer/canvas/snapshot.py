"""The picture for a file: discs and overlays as in the window, of any size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtGui import QFont, QPainter

from aggviewer.canvas import warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.overlays import Overlays
from aggviewer.canvas.qt_images import from_qimage, to_qimage
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.scene import Scene
from aggviewer.session.view import ViewModel
from engine.errors import InputError

LARGEST = 32_767  # pixels on a side that Qt's images can have
_REFERENCE = (1400.0, 900.0)  # a picture of this size has overlays as large as in a window


def draw_snapshot(
    scene: Scene, camera: Camera, view: ViewModel, font: QFont, width: int, height: int, transparent: bool
) -> NDArray[np.uint8]:
    """What the camera sees as (height, width, 4) uint8 RGBA, straight alpha, of any size up to 32 767 on a side.

    Drawn by the kernels, so it is the same on every machine and needs no window. Waits for the kernels if need be.
    """
    if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
        raise InputError(f"a snapshot has 1 to {LARGEST} pixels on a side, not {width} x {height}")
    warmup.warm_up()
    ratio = max(1.0, min(width / _REFERENCE[0], height / _REFERENCE[1]))
    overlays = Overlays(view, font)
    camera = camera.rendered(width, height, ratio * overlays.room(scene, width / ratio, height / ratio))
    image = Raster().paint(scene, camera, view, pixel_ratio=ratio, transparent=transparent)
    picture = to_qimage(image)
    painter = QPainter(picture)
    painter.scale(ratio, ratio)
    overlays.paint(painter, scene, camera.magnified(1.0 / ratio))
    painter.end()
    return from_qimage(picture)
