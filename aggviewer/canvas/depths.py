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
_PIECE = 3.0  # pixels of a line that are seen or hidden together
_MOST_PIECES = 64  # of a line


class Depths:
    """How near the surfaces of a scene are in each pixel of a camera in space; made at first use."""

    def __init__(self, scene: Scene, camera: Camera, share: float = 1.0) -> None:
        """share : of their radii with which spheres are drawn."""
        self._scene = scene
        self._camera = camera
        self._share = share
        self._surface: NDArray[np.float32] | None = None

    def _near(self) -> NDArray[np.float32]:
        if self._surface is None:
            self._surface = self.surface(_COARSE)[0]
        return self._surface

    def surface(self, coarse: float) -> tuple[NDArray[np.float32], Floats]:
        """The depth of what is in front in each square of `coarse` pixels, (H, W), and the depths of the back and of
        the front of the box, (2,). Needs the kernels."""
        from aggviewer.canvas.kernels.sphere_kernels import paint_depths  # brings numba

        camera, found = self._camera, DiscsInView()
        count = found.find(self._scene, camera, share=self._share)
        made = np.full((ceil(camera.height / coarse), ceil(camera.width / coarse)), -np.inf, np.float32)
        where = np.array([camera.scale, camera.width / 2, camera.height / 2]) / coarse
        paint_depths(found.offset, found.radius, found.near, found.cut, count, where, found.depths, made)
        return made, found.depths

    def hidden(self, points: Floats, slack: float | Floats = 0.0, outside: float | Floats = 0.0) -> NDArray[np.bool_]:
        """Which points (K, 3) are more than `slack` behind a surface, or more than `outside` beyond the slab. Needs the
        kernels."""
        surface, camera = self._near(), self._camera
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
