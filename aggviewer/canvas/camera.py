"""The camera of a canvas: the visible part of the plane, and moving and zooming within limits. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from aggviewer.canvas.scene import Scene
from aggviewer.document.run import CameraPlace
from engine.errors import InputError

MARGIN = 0.025
"""Margin on each side of a fitted box, as a share of the picture."""

_LEAST_SHARE = 0.6  # least size of a box beside the legend, as a share of its size without it; else no space is kept
_SMALLEST = 1e-12  # world units across the picture: far below any disc, far above the resolution of a double


@dataclass(frozen=True)
class LegendRoom:
    """Space that a fitted view keeps free for legend, scale bar and time: a column on the right or a strip at the
    bottom.

    right, foot : width of the column and height of the strip, in pixels.
    """

    right: float = 0.0
    foot: float = 0.0

    def times(self, ratio: float) -> LegendRoom:
        """The space in a picture with `ratio` times as many pixels across."""
        return LegendRoom(ratio * self.right, ratio * self.foot)

    def beside(self, box: tuple[float, float], pixels: tuple[float, float]) -> LegendRoom:
        """The space in a picture of a box: the column or the strip, whichever leaves the box larger. The strip is twice
        as high in a picture too narrow for two columns. A small picture has neither."""
        lines = 1.0 if pixels[0] >= 2.0 * self.right else 2.0
        column, strip, nothing = LegendRoom(self.right), LegendRoom(foot=lines * self.foot), LegendRoom()
        beside, above, alone = (
            min(each / max(side, _SMALLEST) for each, side in zip(one.free(pixels), box, strict=True))
            for one in (column, strip, nothing)
        )  # the scales of the box
        if max(beside, above) < _LEAST_SHARE * alone:
            return nothing
        return column if beside >= above else strip

    def free(self, pixels: tuple[float, float]) -> tuple[float, float]:
        """Width and height left for the box, without the margins."""
        width, height = pixels
        across = (1.0 - MARGIN) * width - max(MARGIN * width, self.right)
        return across, (1.0 - MARGIN) * height - max(MARGIN * height, self.foot)


NO_ROOM = LegendRoom()


@dataclass(frozen=True)
class Camera:
    """A view of the plane with equal scales on both axes; y points up in the world and down in pixels.

    x, y : world point in the centre of the picture; scale : pixels per world unit, > 0;
    width, height : size of the picture in pixels, >= 1.
    """

    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    width: float = 1.0
    height: float = 1.0

    @staticmethod
    def showing(x: float, y: float, width: float, height: float, pixels: tuple[float, float]) -> Camera:
        """The camera that shows a world rectangle with lower left corner (x, y), centred, as large as `pixels` (w, h)
        allow."""
        w, h = max(pixels[0], 1.0), max(pixels[1], 1.0)
        scale = min(w / max(width, _SMALLEST), h / max(height, _SMALLEST))
        return Camera(x + width / 2, y + height / 2, scale, w, h)

    @staticmethod
    def fitting(box: tuple[float, float], pixels: tuple[float, float], room: LegendRoom = NO_ROOM) -> Camera:
        """The camera that shows the box [0, L_x] x [0, L_y] with `MARGIN` around it, as near to the centre as the
        legend allows."""
        w, h = max(pixels[0], 1.0), max(pixels[1], 1.0)
        kept = room.beside(box, (w, h))
        fitted = Camera.showing(0.0, 0.0, box[0], box[1], kept.free((w, h))).resized(w, h)
        right, bottom = fitted.to_pixel(box[0], 0.0)
        return fitted.panned(min(0.0, w - kept.right - right), min(0.0, h - kept.foot - bottom))

    def to_world(self, px: float, py: float) -> tuple[float, float]:
        """The world point at a pixel position; whole numbers are corners of pixels."""
        return self.x + (px - self.width / 2) / self.scale, self.y - (py - self.height / 2) / self.scale

    def to_pixel(self, x: float, y: float) -> tuple[float, float]:
        """The pixel at a world point."""
        return self.width / 2 + (x - self.x) * self.scale, self.height / 2 - (y - self.y) * self.scale

    @property
    def rect(self) -> tuple[float, float, float, float]:
        """The world rectangle in view: left, bottom, width, height."""
        w, h = self.width / self.scale, self.height / self.scale
        return self.x - w / 2, self.y - h / 2, w, h

    def panned(self, dx: float, dy: float) -> Camera:
        """The camera after moving the picture by (dx, dy) pixels."""
        return replace(self, x=self.x - dx / self.scale, y=self.y + dy / self.scale)

    def zoomed(self, factor: float, px: float, py: float) -> Camera:
        """The camera zoomed by `factor` > 0; the world point at pixel (px, py) stays fixed."""
        x, y = self.to_world(px, py)
        return replace(self, x=x + (self.x - x) / factor, y=y + (self.y - y) / factor, scale=self.scale * factor)

    def resized(self, width: float, height: float) -> Camera:
        """The camera for another picture size, with the same centre and scale."""
        return replace(self, width=max(width, 1.0), height=max(height, 1.0))

    def magnified(self, ratio: float) -> Camera:
        """The camera of the same picture with `ratio` times as many pixels: from widget pixels to device pixels."""
        return Camera(self.x, self.y, self.scale * ratio, self.width * ratio, self.height * ratio)

    def rendered(self, width: int, height: int, foot: float = 0.0) -> Camera:
        """The camera of a picture of another size and aspect ratio that includes the world rectangle in view.

        foot : rows at the bottom that are kept free.
        """
        scale = self.scale * min(width / self.width, max(height - foot, 1.0) / self.height)
        return Camera(self.x, self.y - foot / (2 * scale), scale, float(width), float(height))


class Viewpoint:
    """The camera of a picture whose size may change. While `fitted`, the whole box is kept in view.

    size() : returns the size of the picture in pixels; changed() : called after every move; room() : returns the space
        that a fit keeps free.
    """

    def __init__(
        self,
        scene: Scene,
        size: Callable[[], tuple[float, float]],
        changed: Callable[[], None],
        room: Callable[[], LegendRoom] = LegendRoom,
    ) -> None:
        self._scene = scene
        self._size = size
        self._changed = changed
        self._room = room
        self.camera = Camera()
        self.fitted = True

    def fit(self) -> None:
        """Show the whole box, even after later resizes, until the view is moved."""
        self.fitted = True
        self._set(self._fitting())

    def refit(self) -> None:
        """Fit the view again if the legend needs more or less space than before."""
        if self.fitted and self._fitting() != self.camera:
            self.fit()

    def _fitting(self) -> Camera:
        return Camera.fitting(self._scene.sides, self._size(), self._room())

    def zoom(self, factor: float, about: tuple[float, float] | None) -> None:
        """Zoom by `factor` > 0 (else InputError) about a pixel (None: the centre), within the limits."""
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
        """Show this world rectangle (lower left corner and size). InputError if it is empty."""
        if not (width > 0.0 and height > 0.0):
            raise InputError(f"a view must have a width and a height above 0, not {width} and {height}")
        self._move(Camera.showing(x, y, width, height, self._size()))

    def show_as(self, other: Viewpoint) -> None:
        """Take the centre and scale of another viewpoint, or the whole box if that is fitted."""
        self.go_to(other.place)

    @property
    def place(self) -> CameraPlace | None:
        """The present view; None for the whole box."""
        return None if self.fitted else CameraPlace(x=self.camera.x, y=self.camera.y, scale=self.camera.scale)

    def go_to(self, place: CameraPlace | None) -> None:
        """Look there; None for the whole box."""
        if place is None:
            self.fit()
        else:
            self._move(replace(self.camera.resized(*self._size()), x=place.x, y=place.y, scale=place.scale))

    def resized(self) -> None:
        """Follow a change of the picture size: keep the fit, or else centre and scale."""
        if self.fitted:
            self.fit()
        else:
            self._set(self.camera.resized(*self._size()))

    def _scale_limits(self) -> tuple[float, float]:
        """The range of scales: from the box at a twentieth of the picture to a mean disc as large as the picture."""
        size = self._size()
        fit = Camera.fitting(self._scene.sides, size).scale
        disc = self._scene.mean_radius or max(self._scene.sides)
        return fit / 20.0, max(min(size) / (2.0 * disc), fit)

    def _move(self, camera: Camera) -> None:
        self.fitted = False
        self._set(camera)

    def _set(self, camera: Camera) -> None:
        self.camera = camera
        self._changed()
