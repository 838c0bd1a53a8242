"""Paints a state with its overlays into an image: for snapshots, pictures, films and the clipboard.

Uses only QtGui; needs no window and no display.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtGui import QFont, QGuiApplication, QImage, QPainter

from aggviewer.canvas import warmup
from aggviewer.canvas.camera import Camera, LegendRoom
from aggviewer.canvas.overlays import Overlays
from aggviewer.canvas.qt_drawing import pixels_of
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.names import OFFSCREEN
from engine.errors import InputError

LARGEST = 32_767
"""The largest side of Qt's images in pixels."""

_REFERENCE = (1400.0, 900.0)  # at this size, text and lines are as large as in a window
_TEXT_PIXELS = 13
_made: list[QGuiApplication] = []  # keeps Qt's application alive


def ensure_gui() -> None:
    """Create Qt's application, which fonts need, if there is none. It does not open a display. Main thread."""
    if QGuiApplication.instance() is None:
        _made.append(QGuiApplication([sys.argv[0], *(OFFSCREEN if sys.platform == "linux" else ())]))


@dataclass(frozen=True)
class Over:
    """Which overlays a picture shows."""

    legend: bool = True
    scale_bar: bool = True
    time: bool = True
    box: bool = True
    axes: bool = True
    gravity: bool = True
    selection: bool = False

    @staticmethod
    def of(view: ViewModel) -> Over:
        """The overlays that are shown in pictures of `view`."""
        return Over(
            legend=view.show_legend,
            scale_bar=view.show_scale_bar,
            time=view.show_time,
            box=view.show_box,
            axes=view.show_axes,
            gravity=view.show_gravity,
            selection=view.selection_in_pictures,
        )

    @staticmethod
    def missing(scene: Scene) -> tuple[str, ...]:
        """The overlays that pictures of a scene never have, by name: axes in the plane, gravity without gravity."""
        return ("axes",) * (scene.dimensions < 3) + ("gravity",) * (not any(scene.gravity))

    def applied_to(self, view: ViewModel) -> ViewModel:
        """A copy of `view` with these overlays, so that the view itself may change, even on another thread."""
        shown = {
            "show_legend": self.legend,
            "show_scale_bar": self.scale_bar,
            "show_time": self.time,
            "show_box": self.box,
            "show_axes": self.axes,
            "show_gravity": self.gravity,
            "show_selection": self.selection,
        }
        return ViewModel(**(view.model_dump() | shown))


def magnification(width: float, height: float) -> float:
    """The size of text and lines in a picture of this size, relative to a window; at least 1."""
    return max(1.0, min(width / _REFERENCE[0], height / _REFERENCE[1]))


class Painter:
    """Paints scenes with reusable buffers. Any thread, one at a time; needs `ensure_gui`.

    Parameters
    ----------
    view : colours, background, and overlays.
    font : of the text; by default the application's, of the same size on any screen.
    ratio : size of text and lines relative to a window; by default `magnification`.
    strip : see `Overlays`.

    Attributes
    ----------
    overlays : what is drawn over the discs.
    """

    def __init__(
        self, view: ViewModel, font: QFont | None = None, ratio: float | None = None, *, strip: bool = False
    ) -> None:
        if font is None:
            font = QFont()
            font.setPixelSize(_TEXT_PIXELS)
        self._view = view
        self._ratio = ratio
        self._raster = Raster()
        self.overlays = Overlays(view, font, strip=strip)
        self._picture = QImage()

    def fitting(self, box: tuple[float, ...], size: tuple[int, int]) -> Camera:
        """The whole box in a picture of so many pixels, with room for the legend."""
        return Camera.fitting(box, size, self.room(size), self._view)

    def room(self, size: tuple[float, float]) -> LegendRoom:
        """What a fitted view of so many pixels keeps free for the legend."""
        return self.overlays.room().times(self.magnification(*size))

    def foot(self, scene: Scene, camera: Camera) -> float:
        """The height of the legend at the bottom of a picture if it would cover the box; else 0."""
        ratio = self.magnification(camera.width, camera.height)
        return ratio * self.overlays.foot(scene, camera.magnified(1.0 / ratio))

    def paint(self, scene: Scene, camera: Camera) -> NDArray[np.uint8]:
        """(H, W, 4) uint8 RGBA over the background of the view, newly made. camera : in pixels of the image."""
        return pixels_of(self.image(scene, camera)).copy()

    def image(self, scene: Scene, camera: Camera, *, transparent: bool = False, bare: bool = False) -> QImage:
        """RGBA with premultiplied alpha; overwritten by the next call. transparent : without background; bare : without
        text, and without the box and what is in the corners (`Overlays.draw_frame`)."""
        width, height = int(camera.width), int(camera.height)
        if (self._picture.width(), self._picture.height()) != (width, height):
            self._picture = QImage(width, height, QImage.Format.Format_RGBA8888_Premultiplied)
            if self._picture.isNull():
                raise InputError(f"not enough memory for a picture of {width} × {height} pixels", "size")
        pixels = pixels_of(self._picture)
        ratio = self.magnification(width, height)
        self._raster.paint(scene, camera, self._view, pixel_ratio=ratio, transparent=transparent, out=pixels)
        if not warmup.ready():
            warmup.warm_up()
        with QPainter(self._picture) as painter:  # always ended: Qt crashes if the image is deleted before the painter
            painter.scale(ratio, ratio)
            seen = camera.magnified(1.0 / ratio)
            self.overlays.paint(painter, scene, seen, pixels, grounds=not transparent, bare=bare)
        return self._picture

    def magnification(self, width: float, height: float) -> float:
        """The size of text and lines in a picture of this size, relative to a window."""
        return magnification(width, height) if self._ratio is None else self._ratio
