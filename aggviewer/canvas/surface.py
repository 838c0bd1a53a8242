"""The interface between a canvas and its drawing surfaces, and the trial that finds the faster of the two on this
machine, while the program is used."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import isfinite
from statistics import median
from typing import Protocol

from PyQt6.QtWidgets import QWidget

from aggviewer.canvas import warmup
from aggviewer.canvas.camera import Camera
from aggviewer.canvas.raster import Raster
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel


class Host(Protocol):
    """The canvas, as far as its surface knows it."""

    scene: Scene
    view: ViewModel
    trial: Trial | None

    @property
    def camera(self) -> Camera:
        """The present view, in pixels of the widget."""
        ...

    def load_kernels(self) -> None:
        """Load the kernels for the surface, which is repainted when they are ready."""
        ...

    def drawn(self) -> None:
        """Called after the surface has drawn the discs."""
        ...

    def painted(self) -> None:
        """A picture painted on another thread is ready and about to be drawn."""
        ...

    def failed(self, reason: str) -> None:
        """The surface can no longer draw and must be replaced."""
        ...


class Surface(Protocol):
    """The widget that draws the discs of a canvas, with OpenGL or in software."""

    widget: QWidget
    renderer: str

    @property
    def busy(self) -> bool:
        """Whether `wait_idle` would have to wait."""
        ...

    def refresh(self) -> bool:
        """Draw the scene with its new frame. True if it is first painted on another thread: the host is notified when
        that is done."""
        ...

    def wait_idle(self) -> None:
        """Wait until nothing reads the scene, before it changes."""
        ...

    def close(self) -> None:
        """Free the surface's resources. The canvas deletes the widget."""
        ...


LEAST_DISCS = 1000
"""The least number of discs: with fewer, both surfaces are fast enough."""

_FIRST = 3  # first pictures, which are not timed because shaders are compiled and memory is allocated
_ROUNDS = 7  # timed pictures of each surface
_WORTH = 0.6  # the painter is chosen if it takes less than this share of the time of OpenGL


@dataclass(frozen=True)
class DrawingTimes:
    """The times of both surfaces for a picture.

    renderer : of OpenGL; opengl, painter : milliseconds of a picture, medians, with OpenGL until the window is composed
    and on the screen; discs : in it.
    """

    renderer: str
    opengl: float
    painter: float
    discs: int

    @property
    def faster(self) -> str:
        """The faster surface, ``opengl`` or ``painter``. OpenGL is kept if both take about the same time, since it
        leaves the processor to the simulation."""
        return "painter" if self.painter < _WORTH * self.opengl else "opengl"

    def to_plain(self) -> dict[str, object]:
        """The times as plain values for the settings file."""
        return asdict(self)


def measured_from(plain: object) -> DrawingTimes | None:
    """The times from `DrawingTimes.to_plain`; None if the data are invalid."""
    if not isinstance(plain, dict):
        return None
    renderer, discs = plain.get("renderer"), plain.get("discs")
    times = [plain.get(name) for name in ("opengl", "painter")]
    good = [float(time) for time in times if isinstance(time, int | float) and isfinite(time) and time > 0.0]
    if not isinstance(renderer, str) or not isinstance(discs, int) or len(good) != 2:
        return None
    return DrawingTimes(renderer, good[0], good[1], discs)


class Trial:
    """Collects the times of pictures with many discs, first with OpenGL, then with the painter.

    told(DrawingTimes) : called once, when there are enough.
    """

    def __init__(self, told: Callable[[DrawingTimes], None]) -> None:
        self._report = told
        self._raster = Raster()
        self._opengl: list[float] = []
        self._painter: list[float] = []
        self.result: DrawingTimes | None = None

    def times_opengl(self, scene: Scene) -> bool:
        """Whether the next OpenGL picture should be timed."""
        return self._says_much(scene) and len(self._opengl) < _FIRST + _ROUNDS

    def times_painter(self, scene: Scene) -> bool:
        """Whether the trial needs the time that the painter takes for a picture (`time_painter`)."""
        return self._says_much(scene) and len(self._opengl) == _FIRST + _ROUNDS and self.result is None

    def opengl_took(self, seconds: float) -> None:
        """Add the time of an OpenGL picture until it was on the screen."""
        self._opengl.append(seconds)

    def time_painter(self, scene: Scene, camera: Camera, view: ViewModel, pixel_ratio: float, renderer: str) -> None:
        """Paint the same scene without showing it; after the last picture the result is reported.

        camera : in device pixels; pixel_ratio : device pixels per widget pixel; renderer : of OpenGL.
        """
        begin = time.perf_counter()
        self._raster.paint(scene, camera, view, pixel_ratio=pixel_ratio)
        self._painter.append(time.perf_counter() - begin)
        if len(self._painter) == _FIRST + _ROUNDS:
            opengl, painter = (round(1e3 * median(times[_FIRST:]), 2) for times in (self._opengl, self._painter))
            self.result = DrawingTimes(renderer, opengl, painter, scene.count)
            self._report(self.result)

    def _says_much(self, scene: Scene) -> bool:
        return scene.shown and scene.count >= LEAST_DISCS and warmup.ready()
