"""What spheres hide of lines and points in space. No Qt."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.in_view import DiscsInView, to_pixels
from aggviewer.canvas.scene import Scene

Floats = NDArray[np.float64]

_COARSE = 2.0  # pixels of the picture per pixel of the depths
_INSIDE = 1.5  # pixels from the outline of a sphere to the place that tells whether it is seen
_PIECE = 3.0  # pixels of a line that are seen or hidden together
_MOST_PIECES = 64  # of a line


class Depths:
    """How near the surfaces of a scene are in each pixel of a camera in space; made at first use."""

    def __init__(self, scene: Scene, camera: Camera, share: float = 1.0, *, compiled: bool = True) -> None:
        """share : of their radii with which spheres are drawn; compiled : whether the kernels are ready."""
        self._scene = scene
        self._camera = camera
        self._share = share
        self._compiled = compiled
        self._found: DiscsInView | None = None
        self._count = 0
        self._front: tuple[NDArray[np.float32], NDArray[np.int32]] | None = None

    @property
    def _spheres(self) -> tuple[DiscsInView, int]:
        """The spheres in view, and their number."""
        if self._found is None:
            self._found = DiscsInView()
            self._count = self._found.find(self._scene, self._camera, compiled=self._compiled, share=self._share)
        return self._found, self._count

    def _near(self) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        if self._front is None:
            self._front = self.front(_COARSE)
        return self._front

    def front(self, coarse: float) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """What is in front in each square of `coarse` pixels: its depth, (H, W), -inf for nothing, and the place of the
        sphere among those in view, (H, W), -1 for none. Needs the kernels."""
        from aggviewer.canvas.sphere_kernels import paint_depths  # brings numba

        camera, (found, count) = self._camera, self._spheres
        assert camera.pose is not None
        shape = ceil(camera.height / coarse), ceil(camera.width / coarse)
        surface, number = np.full(shape, -np.inf, np.float32), np.full(shape, -1, np.int32)
        where = np.array([camera.scale, camera.width / 2, camera.height / 2]) / coarse
        planes = np.array([*camera.pose.depths(self._scene.box, (camera.x, camera.y))[2:], camera.pose.eye])
        paint_depths(found.offset, found.radius, found.depth, found.cut, count, where, planes, surface, number)
        return surface, number

    def rims(self, discs: NDArray[np.int64], around: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """The outlines of those of the spheres `discs` (K,) that are in view.

        Returns
        -------
        places, radii : (M, 2) and (M,), in pixels.
        seen : (M, around), which of so many equal parts of each outline no other sphere hides, counterclockwise from
            the right; for one part, whether none hides the middle. All are while the kernels are not ready.
        """
        found, count = self._spheres
        which = np.flatnonzero(np.isin(found.number[:count], discs))
        places, radii = (part[which] for part in found.outlines(self._camera, count))
        if not self._compiled:
            return places, radii, np.ones((len(which), around), np.bool_)
        number = self._near()[1]
        angles = 2.0 * np.pi * (np.arange(around) + 0.5) / around
        inside = (np.maximum(radii - _INSIDE, 0.0) * (around > 1))[:, np.newaxis, np.newaxis]
        points = places[:, np.newaxis] + inside * np.stack([np.cos(angles), -np.sin(angles)], axis=1)
        column, row = np.moveaxis(np.floor(points / _COARSE).astype(np.int64), -1, 0)
        rows, columns = number.shape
        front = number[row.clip(0, rows - 1), column.clip(0, columns - 1)]
        return places, radii, front <= which[:, np.newaxis]

    def hidden(self, points: Floats, slack: float | Floats = 0.0, outside: float | Floats = 0.0) -> NDArray[np.bool_]:
        """Which points (K, 3) are more than `slack` behind a surface, or more than `outside` beyond the slab. Needs the
        kernels."""
        (surface, _), camera = self._near(), self._camera
        assert camera.pose is not None
        middle = camera.x, camera.y
        _, depth, _ = camera.pose.seen(points, middle)
        column, row = np.floor(to_pixels(points, camera) / _COARSE).astype(np.int64).T
        inside = (row >= 0) & (row < surface.shape[0]) & (column >= 0) & (column < surface.shape[1])
        found: NDArray[np.bool_] = camera.pose.beyond_slab(depth, self._scene.box, middle) > outside
        found[inside] |= surface[row[inside], column[inside]] > (depth + slack)[inside]
        return found

    def within_slab(self, segments: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """The parts of segments (K, 2, 3) inside the slab, and the segment of each."""
        camera, pose = self._camera, self._camera.pose
        assert pose is not None
        middle = camera.x, camera.y
        depth, (_, _, low, high) = pose.seen(segments, middle)[1], pose.depths(self._scene.box, middle)
        start, step = depth[:, 0], depth[:, 1] - depth[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):  # NaN: the segment lies across, in the slab or outside
            ends = np.sort([(low - start) / step, (high - start) / step], axis=0)
        across = (step == 0.0) & (start >= low) & (start <= high)
        first, last = (
            np.where(across, share, np.clip(end, 0.0, 1.0)) for share, end in zip((0.0, 1.0), ends, strict=True)
        )
        own = np.flatnonzero(first < last)
        begin, along = segments[own, 0], segments[own, 1] - segments[own, 0]
        return np.stack([begin + share[own, np.newaxis] * along for share in (first, last)], axis=1), own

    def visible(self, segments: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """The pieces of segments (K, 2, 3) that are not hidden, and the segment of each."""
        pixels = to_pixels(segments, self._camera)
        length = np.hypot(*(pixels[:, 1] - pixels[:, 0]).T)
        pieces = np.clip(np.ceil(length / _PIECE), 1, _MOST_PIECES).astype(np.int64)
        which = np.repeat(np.arange(len(segments)), pieces)
        number = np.arange(len(which)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        start, step = segments[which, 0], (segments[which, 1] - segments[which, 0]) / pieces[which, np.newaxis]
        seen = ~self.hidden(start + (number[:, np.newaxis] + 0.5) * step)
        # pieces that follow one another are one line again
        begins = seen & ((number == 0) | ~np.roll(seen, 1))
        ends = seen & ((number == pieces[which] - 1) | ~np.roll(seen, -1))
        first, last = number[begins, np.newaxis], number[ends, np.newaxis] + 1
        own = which[begins]
        found = np.stack([start[begins] + first * step[begins], start[begins] + last * step[begins]], axis=1)
        return found, own
