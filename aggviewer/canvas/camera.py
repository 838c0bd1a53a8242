"""The camera of a canvas: the visible part of the plane or of space, moving and zooming within limits. How a camera in
space is turned is in `aggviewer.canvas.turning`. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import cos, hypot, pi, radians

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.scene import Scene
from aggviewer.canvas.turning import dragged, turned_around
from aggviewer.document.run import CameraPlace
from aggviewer.document.view import ViewModel
from engine.errors import InputError
from engine.plotting.projection import Direction, Pose, Quaternion, axes_of, ball_around, vertical_of

MARGIN = 8.0
"""Pixels on each side of a fitted box."""

_MOST_MARGIN = 0.05  # the same in a small picture, as a share of its width or height

_LEAST_SHARE = 0.6  # least size of a box beside the legend, as a share of its size without it; else no space is kept
_AT_ONCE = cos(radians(45.0) / 2)  # of half the angle beyond which a turn is a jump to another view
_MOST_OVER = 1.1  # scale of a box that is being turned, relative to the fit: beyond, too much of it would be cut off
_STEP = 0.3  # share of the way to the fit that a turned view goes at once
_THERE = 0.5  # pixels from the fit at which it has been reached
_SMALLEST = 1e-12  # world units across the picture: far below any disc, far above the resolution of a double


@dataclass(frozen=True)
class LegendRoom:
    """Space that a fitted view keeps free around the box, and for legend, scale bar and time: a column on the right or
    a strip at the bottom.

    right, foot : width of the column and height of the strip, in pixels; margin : on each side of the box, less in a
        small picture; tall : least height of the strip, for a legend that would otherwise lie over the box.
    """

    right: float = 0.0
    foot: float = 0.0
    margin: float = MARGIN
    tall: float = 0.0

    def times(self, ratio: float) -> LegendRoom:
        """The space in a picture with `ratio` times as many pixels across."""
        return LegendRoom(ratio * self.right, ratio * self.foot, ratio * self.margin, ratio * self.tall)

    def beside(self, box: tuple[float, float], pixels: tuple[float, float]) -> LegendRoom:
        """The space in a picture of a box: the column or the strip, whichever leaves the box larger. The strip is twice
        as high in a picture too narrow for two columns. A small picture has neither."""
        lines = 1.0 if pixels[0] >= 2.0 * self.right else 2.0
        nothing = replace(self, right=0.0, foot=0.0, tall=0.0)
        column, strip = replace(nothing, right=self.right), replace(nothing, foot=max(lines * self.foot, self.tall))
        beside, above, alone = (
            min(each / max(side, _SMALLEST) for each, side in zip(one.free(pixels), box, strict=True))
            for one in (column, strip, nothing)
        )  # the scales of the box
        if max(beside, above) < _LEAST_SHARE * alone:
            return nothing
        return column if beside >= above else strip

    def free(self, pixels: tuple[float, float]) -> tuple[float, float]:
        """Width and height left for the box, without the margins."""
        beside, below = (min(self.margin, _MOST_MARGIN * side) for side in pixels)
        return pixels[0] - beside - max(beside, self.right), pixels[1] - below - max(below, self.foot)


NO_ROOM = LegendRoom()
PLAIN_VIEW = ViewModel()
"""How a box in space is turned at first."""


def seen_sides(box: tuple[float, ...], view: ViewModel) -> tuple[float, float]:
    """The width and height that a fitted view shows of a box: its sides, or in space those of the box while it spins
    about its last axis, so that nothing grows or shrinks then."""
    return (box[0], box[1]) if len(box) == 2 else _swept_sides(box, view.turn, view.perspective)


def kept_free(room: LegendRoom, box: tuple[float, ...], pixels: tuple[float, float]) -> LegendRoom:
    """The space beside or below a box that is kept free in a fitted view. In space it is that of the first view, so
    that nothing moves when the box is turned."""
    return room.beside(seen_sides(box, PLAIN_VIEW), pixels)


def free_on_the_left(room: LegendRoom, box: tuple[float, ...], pixels: tuple[float, float]) -> float:
    """The width in pixels on the left of a box in a fitted view, in space of its first view, however it is turned."""
    fitted = Camera.fitting(box, pixels, room)
    if fitted.pose is None:
        return fitted.to_pixel(0.0, 0.0)[0]
    return float(fitted.seen(np.array(box) / 2)[0][0]) - ball_around(box, PLAIN_VIEW.perspective)[0] * fitted.scale


@dataclass(frozen=True)
class Camera:
    """A view of the plane, or of space, with equal scales on both axes of the picture; y points up in the world and
    down in pixels.

    x, y : world point in the centre of the picture; scale : pixels per world unit there, > 0;
    width, height : size of the picture in pixels, >= 1; pose : how it stands in space, None in the plane;
    pivot : the point in space about which it is turned, None for the one in the centre of the picture.
    """

    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    width: float = 1.0
    height: float = 1.0
    pose: Pose | None = None
    pivot: tuple[float, float, float] | None = None

    @staticmethod
    def showing(x: float, y: float, width: float, height: float, pixels: tuple[float, float]) -> Camera:
        """The camera that shows a world rectangle with lower left corner (x, y), centred, as large as `pixels` (w, h)
        allow."""
        w, h = max(pixels[0], 1.0), max(pixels[1], 1.0)
        scale = min(w / max(width, _SMALLEST), h / max(height, _SMALLEST))
        return Camera(x + width / 2, y + height / 2, scale, w, h)

    @staticmethod
    def fitting(
        box: tuple[float, ...], pixels: tuple[float, float], room: LegendRoom = NO_ROOM, view: ViewModel = PLAIN_VIEW
    ) -> Camera:
        """The camera that shows a box, from 0 to its sides, with a margin around it, as near to the centre as the
        legend allows. view : says how a box in space is turned."""
        w, h = max(pixels[0], 1.0), max(pixels[1], 1.0)
        kept = kept_free(room, box, (w, h))
        if len(box) > 2:
            return _fitting_in_space(box, (w, h), kept, view.turn, view.perspective).sliced(view.slab)
        fitted = Camera.showing(0.0, 0.0, box[0], box[1], kept.free((w, h))).resized(w, h)
        right, bottom = fitted.to_pixel(box[0], 0.0)
        return fitted.panned(min(0.0, w - kept.right - right), min(0.0, h - kept.foot - bottom))

    def seen(self, points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The pixels of world points (..., d), (..., 2), and how much perspective magnifies there, (...)."""
        if self.pose is None:
            places, magnified = points - (self.x, self.y), np.ones(points.shape[:-1])
        else:
            places, _, magnified = self.pose.seen(points, (self.x, self.y))
        return self.pixels(places), magnified

    def pixels(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """The pixels (..., 2) of places in the picture, in world units to the right and up from its middle."""
        x, y = self.width / 2 + places[..., 0] * self.scale, self.height / 2 - places[..., 1] * self.scale
        return np.stack([x, y], axis=-1)

    @property
    def middle(self) -> NDArray[np.float64]:
        """The world point in the middle of the picture, (d,)."""
        return np.array([self.x, self.y] if self.pose is None else [self.x, self.y, self.pose.z])

    def to_world(self, px: float, py: float) -> tuple[float, float]:
        """The point of the plane at a pixel position; whole numbers are corners of pixels."""
        return self.x + (px - self.width / 2) / self.scale, self.y - (py - self.height / 2) / self.scale

    def beside(self, point: NDArray[np.float64], px: float, py: float) -> NDArray[np.float64]:
        """The world point (d,) at a pixel, in space the one at the depth of `point`, (d,)."""
        places = np.array([(px - self.width / 2) / self.scale, (self.height / 2 - py) / self.scale])
        if self.pose is not None:
            _, depth, magnified = self.pose.seen(point, (self.x, self.y))
            places = np.append(places / magnified, depth) @ axes_of(self.pose.turn)
        return np.asarray(self.middle + places)

    def to_pixel(self, x: float, y: float) -> tuple[float, float]:
        """The pixel (x, y) of the widget at a point of the plane."""
        return self.width / 2 + (x - self.x) * self.scale, self.height / 2 - (y - self.y) * self.scale

    @property
    def rect(self) -> tuple[float, float, float, float]:
        """The rectangle of the plane in view: left, bottom, width, height."""
        w, h = self.width / self.scale, self.height / self.scale
        return self.x - w / 2, self.y - h / 2, w, h

    def panned(self, dx: float, dy: float) -> Camera:
        """The camera after moving the picture by (dx, dy) pixels."""
        across, up = -dx / self.scale, dy / self.scale
        if self.pose is None:
            return replace(self, x=self.x + across, y=self.y + up)
        axes = axes_of(self.pose.turn)
        x, y, z = (across * axes[0] + up * axes[1]).tolist()
        return replace(self, x=self.x + x, y=self.y + y, pose=replace(self.pose, z=self.pose.z + z))

    def centred(self, point: NDArray[np.float64]) -> Camera:
        """The camera with a world point (d,) in the middle of the picture, about which it is then turned."""
        x, y, *z = point.tolist()
        pose = self.pose if self.pose is None else replace(self.pose, z=z[0])
        return replace(self, x=x, y=y, pose=pose, pivot=None)

    def turned(self, degrees: float, up: Direction | None = None) -> Camera:
        """The camera after a box in space has been rotated about the vertical, or about its upright axis without one
        (`aggviewer.canvas.turning.turned_around`); the pivot stays where it is in the picture."""
        if self.pose is None or not degrees:
            return self
        return self.turned_to(turned_around(self.pose.turn, degrees, up))

    def turned_to(self, turn: Quaternion) -> Camera:
        """The camera with another turn of a box in space; the pivot stays where it is in the picture."""
        assert self.pose is not None
        pivot = self.middle if self.pivot is None else np.array(self.pivot)
        x, y, z = (pivot + axes_of(self.pose.turn) @ (self.middle - pivot) @ axes_of(turn)).tolist()
        return replace(self, x=x, y=y, pose=replace(self.pose, z=z, turn=turn))

    def zoomed(self, factor: float, px: float, py: float) -> Camera:
        """The camera zoomed by `factor` > 0; the world point at pixel (px, py) stays fixed, in space the one at the
        depth of the centre."""
        rest = 1.0 / factor - 1.0
        moved = self.panned(rest * (px - self.width / 2), rest * (py - self.height / 2))
        return replace(moved, scale=self.scale * factor)

    def sliced(self, slab: tuple[float, float]) -> Camera:
        """The camera with another slab, in space."""
        return self if self.pose is None else replace(self, pose=replace(self.pose, slab=slab))

    def resized(self, width: float, height: float) -> Camera:
        """The camera for another picture size, with the same centre and scale."""
        return replace(self, width=max(width, 1.0), height=max(height, 1.0))

    def magnified(self, ratio: float) -> Camera:
        """The camera of the same picture with `ratio` times as many pixels: from widget pixels to device pixels."""
        return replace(self, scale=self.scale * ratio, width=self.width * ratio, height=self.height * ratio)

    def rendered(self, width: int, height: int, foot: float = 0.0) -> Camera:
        """The camera of a picture of another size and aspect ratio that includes the world rectangle in view.

        foot : rows at the bottom that are kept free.
        """
        scale = self.scale * min(width / self.width, max(height - foot, 1.0) / self.height)
        seen = replace(self, scale=scale, width=float(width), height=float(height))
        return seen.panned(0.0, -foot / 2)

    def cropped(self, box: tuple[float, ...]) -> Camera:
        """The camera of the part of the picture that shows some of a box in the plane, with `MARGIN` around it; in
        space, or if the box is out of view, the whole picture."""
        left, bottom, width, height = self.rect
        margin = MARGIN / self.scale
        x0, x1 = max(left, -margin), min(left + width, box[0] + margin)
        y0, y1 = max(bottom, -margin), min(bottom + height, box[1] + margin)
        if self.pose is not None or x0 >= x1 or y0 >= y1:
            return self
        return Camera.showing(x0, y0, x1 - x0, y1 - y0, (self.scale * (x1 - x0), self.scale * (y1 - y0)))


class Viewpoint:
    """The camera of a picture whose size may change. While `fitted`, the whole box is kept in view. While it is being
    turned, its scale stays as it is, since a box that shrinks and grows is hard to follow, unless much of the box
    would leave the picture; `settle` then fits it.

    size() : returns the size of the picture in pixels; changed() : called after every move; room() : returns the space
        that a fit keeps free; view : says how a box in space is turned.
    """

    def __init__(
        self,
        scene: Scene,
        size: Callable[[], tuple[float, float]],
        changed: Callable[[], None],
        room: Callable[[], LegendRoom] = LegendRoom,
        view: ViewModel = PLAIN_VIEW,
    ) -> None:
        self._scene = scene
        self._view = view
        self._size = size
        self._changed = changed
        self._room = room
        self.camera = Camera()
        self.fitted = True
        self.turning = False

    def fit(self) -> None:
        """Show the whole box, even after later resizes, until the view is moved."""
        self.fitted, self.turning = True, False
        self._set(self._fitting())

    def refit(self) -> None:
        """Fit the view again if the legend needs more or less space than before."""
        if self.fitted and not self.turning and self._fitting() != self.camera:
            self.fit()

    def settle(self) -> None:
        """Move a view that was turned a part of the way to the fit."""
        wanted, seen = self._fitting(), self.camera
        if not self.turning or wanted.pose is None or seen.pose is None:
            return
        grows, moves = wanted.scale / seen.scale, wanted.middle - seen.middle
        across = abs(grows - 1.0) * hypot(seen.width, seen.height) / 2.0
        if max(across, float(np.hypot.reduce(moves)) * seen.scale) < _THERE:
            self.fit()
            return
        x, y, z = (seen.middle + _STEP * moves).tolist()
        self._set(replace(seen, x=x, y=y, scale=seen.scale * grows**_STEP, pose=replace(wanted.pose, z=z)))

    def _fitting(self) -> Camera:
        return Camera.fitting(self._scene.sides, self._size(), self._room(), self._view)

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
        self.set_place(other.place)

    @property
    def place(self) -> CameraPlace | None:
        """The present view as a value that can be kept; None if the whole box is shown."""
        if self.fitted:
            return None
        seen = self.camera
        return CameraPlace(x=seen.x, y=seen.y, scale=seen.scale, z=0.0 if seen.pose is None else seen.pose.z)

    def set_place(self, place: CameraPlace | None) -> None:
        """Show a view that was kept; None shows the whole box."""
        if place is None:
            self.fit()
        else:
            pose = pose_in(self._scene.sides, place.z, self._view)
            self._move(Camera(place.x, place.y, place.scale, pose=pose).resized(*self._size()))

    def resized(self) -> None:
        """Follow a change of the picture size: keep the fit, or else centre and scale."""
        if self.fitted:
            self.fit()
        else:
            self._set(self.camera.resized(*self._size()))

    def _scale_limits(self) -> tuple[float, float]:
        """The range of scales: from the box at a twentieth of the picture to a mean disc as large as the picture."""
        size = self._size()
        fit = Camera.fitting(self._scene.sides, size, view=self._view).scale
        disc = self._scene.mean_radius or max(self._scene.sides)
        return fit / 20.0, max(min(size) / (2.0 * disc), fit)

    def turned(self, start: tuple[float, float], end: tuple[float, float], *, free: bool = False) -> Quaternion:
        """The turn of the view after a drag from pixel to pixel: about the vertical if there is gravity, unless it is
        `free` (`aggviewer.canvas.turning.dragged`)."""
        up = None if free else vertical_of(self._scene.gravity)
        return dragged(self._view.turn, start, end, self._size(), up)

    def follow_view(self) -> None:
        """Take the turn, the projection and the slab of the view."""
        pose = self.camera.pose
        wanted = None if pose is None else pose_in(self._scene.sides, pose.z, self._view)
        if wanted is None or pose is None or wanted == pose:
            return
        if not self.fitted:
            self._set(replace(self.camera, pose=wanted))
        elif replace(wanted, turn=pose.turn, slab=pose.slab) != pose or not _near(wanted.turn, pose.turn):
            self.fit()
        else:
            self.turning = self.turning or wanted.turn != pose.turn
            turned = self.camera.turned_to(wanted.turn).sliced(wanted.slab)
            over = turned.scale / (_MOST_OVER * self._fitting().scale)
            at = turned.seen(np.array(self._scene.sides) / 2)[0]
            self._set(turned.zoomed(1.0 / over, *at.tolist()) if over > 1.0 else turned)

    def _move(self, camera: Camera) -> None:
        self.fitted = self.turning = False
        if camera.pose is not None:  # the middle stays in the box, and so the eye outside
            camera = camera.centred(np.clip(camera.middle, 0.0, self._scene.sides))
        self._set(camera)

    def _set(self, camera: Camera) -> None:
        self.camera = camera
        self._changed()


def _near(one: Quaternion, other: Quaternion) -> bool:
    """Whether a box may have been turned from one view to the other by hand, in one frame."""
    return abs(sum(part * another for part, another in zip(one, other, strict=True))) > _AT_ONCE


_RIM = 96  # points on a rim
_PASSES = 4  # of the fit in space: perspective changes a little as the legend moves the box from the centre


@lru_cache(maxsize=64)
def _rims(box: tuple[float, ...]) -> NDArray[np.float64]:
    """Points (K, 3) on both rims of the cylinder that a box in space sweeps when it spins about its last axis."""
    x, y, z = box
    around = np.linspace(0.0, 2.0 * pi, _RIM, endpoint=False)
    radius = hypot(x, y) / 2
    across = np.stack([x / 2 + radius * np.cos(around), y / 2 + radius * np.sin(around)], axis=1)
    return np.concatenate([np.insert(across, 2, height, axis=1) for height in (0.0, z)])


def _reach(box: tuple[float, ...], camera: Camera) -> tuple[tuple[float, float], tuple[float, float]]:
    """The lower left and the upper right corner of what a box in space sweeps when it spins about its last axis, in
    world units from the middle of the picture."""
    assert camera.pose is not None
    places, _, _ = camera.pose.seen(_rims(box), (camera.x, camera.y))
    (left, bottom), (right, top) = places.min(axis=0).tolist(), places.max(axis=0).tolist()
    return (left, bottom), (right, top)


def _facing(box: tuple[float, ...], turn: Quaternion, perspective: bool) -> Camera:
    """The camera with the middle of a box in space in the middle of the picture."""
    x, y, z = (side / 2 for side in box)
    return Camera(x, y, pose=Pose(z, turn, ball_around(box, perspective)[1]), pivot=(x, y, z))


@lru_cache(maxsize=64)
def _swept_sides(box: tuple[float, ...], turn: Quaternion, perspective: bool) -> tuple[float, float]:
    (left, bottom), (right, top) = _reach(box, _facing(box, turn, perspective))
    return right - left, top - bottom


@lru_cache(maxsize=64)
def _fitting_in_space(
    box: tuple[float, ...], pixels: tuple[float, float], kept: LegendRoom, turn: Quaternion, perspective: bool
) -> Camera:
    """The camera that shows all of a box in space in the pixels that the legend leaves, however it spins about its
    last axis, as near to the centre as the legend allows."""
    camera = _facing(box, turn, perspective).resized(*pixels)
    across, up = kept.free(pixels)
    for _ in range(_PASSES):
        (left, bottom), (right, top) = _reach(box, camera)
        scale = min(across / (right - left), up / (top - bottom))
        x = min(pixels[0] / 2, pixels[0] - kept.right - scale * (right - left) / 2)
        y = min(pixels[1] / 2, pixels[1] - kept.foot - scale * (top - bottom) / 2)
        at = camera.pixels(np.array([left + right, bottom + top]) * scale / camera.scale / 2)
        camera = replace(camera, scale=scale).panned(x - float(at[0]), y - float(at[1]))
    return camera


def pose_in(box: tuple[float, ...], z: float, view: ViewModel) -> Pose | None:
    """The pose of a camera with the turn, the projection and the slab of a view; None in the plane."""
    return None if len(box) < 3 else Pose(z, view.turn, ball_around(box, view.perspective)[1], view.slab)
