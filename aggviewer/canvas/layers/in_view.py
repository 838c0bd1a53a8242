"""Which part of the marks is in view, in pixels: culling, copies across a periodic edge, and a limit. No Qt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.scene import Scene

Floats = NDArray[np.float64]

MOST = 6000
"""Marks of a kind that are drawn at once; where more are in view, every second, third … is."""


def in_view(
    segments: Floats, scene: Scene, camera: Camera, margin: float = 0.0, most: int = MOST
) -> tuple[Floats, NDArray[np.int64]]:
    """Segments (K, 2, 2) in pixels: those that may be seen, at most `most`, with the place (K,) of each in the list.

    margin : pixels that a mark covers around its segment. Where the box is periodic, one that reaches over an edge
    comes a second time at the opposite one; both are to be clipped at the box.
    """
    index = np.arange(len(segments))
    if scene.periodic:
        segments, index = _with_copies(segments, index, scene, margin / camera.scale)
    pixels = to_pixels(segments, camera)
    seen = np.flatnonzero(_touches(pixels, camera, margin))
    seen = seen[:: max(1, -(-len(seen) // most))]
    return pixels[seen], index[seen]


def to_pixels(points: Floats, camera: Camera) -> Floats:
    """World points (..., 2) as pixels."""
    x = camera.width / 2 + (points[..., 0] - camera.x) * camera.scale
    y = camera.height / 2 - (points[..., 1] - camera.y) * camera.scale
    return np.stack([x, y], axis=-1)


def _touches(pixels: Floats, camera: Camera, margin: float) -> NDArray[np.bool_]:
    # reducing an axis of two is slow in numpy
    low, high = np.minimum(pixels[:, 0], pixels[:, 1]), np.maximum(pixels[:, 0], pixels[:, 1])
    seen = (high >= -margin) & (low <= (camera.width + margin, camera.height + margin))
    inside: NDArray[np.bool_] = seen[:, 0] & seen[:, 1]
    return inside


def _with_copies(
    segments: Floats, index: NDArray[np.int64], scene: Scene, margin: float
) -> tuple[Floats, NDArray[np.int64]]:
    """The segments, and for each axis copies of those that reach over an edge of the box."""
    for axis in range(2):
        side = float(scene.box[axis])
        start, end = segments[:, 0, axis], segments[:, 1, axis]
        over_low = np.minimum(start, end) < margin
        over_high = np.maximum(start, end) > side - margin
        step = np.zeros(2)
        step[axis] = side
        segments = np.concatenate([segments, segments[over_low] + step, segments[over_high] - step])
        index = np.concatenate([index, index[over_low], index[over_high]])
    return segments, index


def pair_segments(pairs: NDArray[np.int32], positions: Floats, box: Floats, periodic: bool) -> Floats:
    """(K, 2, 2) from the first disc of each pair to the nearest image of the second."""
    start = positions[pairs[:, 0]]
    between = positions[pairs[:, 1]] - start
    if periodic:
        between -= box * np.rint(between / box)
    return np.stack([start, start + between], axis=1)
