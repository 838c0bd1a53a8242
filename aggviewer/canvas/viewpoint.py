"""Where a canvas looks: the camera, how it is moved, and how far. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.scene import Scene
from engine.errors import InputError

Place = tuple[bool, float, float, float]
"""Where a canvas looks: whether the whole box is kept in view, the world point in the middle, pixels per world unit."""


class Viewpoint:
    """The camera on a scene, in a picture whose size may change. While `fitted` the whole box is kept in view.

    size() : of the picture, in pixels; below() : rows at its foot for the legend; changed() : called after every move.
    """

    def __init__(
        self,
        scene: Scene,
        size: Callable[[], tuple[float, float]],
        below: Callable[[], float],
        changed: Callable[[], None],
    ) -> None:
        self._scene = scene
        self._size = size
        self._below = below
        self._changed = changed
        self.camera = Camera()
        self.fitted = True

    def fit(self) -> None:
        """The whole box in view, also after later resizes, until the view is moved."""
        self.fitted = True
        self._set(Camera.fitting(self._box(), self._size(), self._below()))

    def zoom(self, factor: float, about: tuple[float, float] | None) -> None:
        """Enlarge by `factor` > 0, else InputError, about a pixel (None: the middle), within the limits."""
        if not factor > 0.0:
            raise InputError(f"a zoom factor must be above 0, not {factor}")
        low, high = self._scale_limits()
        scale = min(max(self.camera.scale * factor, low), high)
        width, height = self._size()
        x, y = about if about is not None else (width / 2, height / 2)
        self._move(self.camera.zoomed(scale / self.camera.scale, x, y))

    def pan(self, dx: float, dy: float) -> None:
        """Move the picture by (dx, dy) pixels, y down."""
        self._move(self.camera.panned(dx, dy))

    def show_rect(self, x: float, y: float, width: float, height: float) -> None:
        """This world rectangle (lower left corner and size) in view. InputError for an empty one."""
        if not (width > 0.0 and height > 0.0):
            raise InputError(f"a view must have a width and a height above 0, not {width} and {height}")
        self._move(Camera.showing(x, y, width, height, self._size(), self._below()))

    def show_as(self, other: Viewpoint) -> None:
        """The same middle and scale as another, or the whole box where the other one is fitted."""
        if other.fitted:
            self.fit()
        else:
            self._move(replace(other.camera.resized(*self._size()), below=self._below()))

    @property
    def place(self) -> Place:
        """Where it looks, to come back to."""
        return self.fitted, self.camera.x, self.camera.y, self.camera.scale

    def go_to(self, place: Place) -> None:
        """Look there again."""
        fitted, x, y, scale = place
        if fitted:
            self.fit()
        else:
            self._move(replace(self.camera, x=x, y=y, scale=scale))

    def resized(self) -> None:
        """The picture has another size: the fit is kept, else middle and scale."""
        if self.fitted:
            self.fit()
        else:
            self._set(replace(self.camera.resized(*self._size()), below=self._below()))

    def _box(self) -> tuple[float, float]:
        return float(self._scene.box[0]), float(self._scene.box[1])

    def _scale_limits(self) -> tuple[float, float]:
        """From the box at a twentieth of the picture to a mean disc as large as the picture."""
        size = self._size()
        fit = Camera.fitting(self._box(), size, self._below()).scale
        disc = self._scene.mean_radius or max(self._box())
        return fit / 20.0, max(min(size) / (2.0 * disc), fit)

    def _move(self, camera: Camera) -> None:
        self.fitted = False
        self._set(camera)

    def _set(self, camera: Camera) -> None:
        self.camera = camera
        self._changed()
