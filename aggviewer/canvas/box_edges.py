"""The edges of a box in space, as lines in pixels: those in front of what it holds, and those behind. No Qt."""

from __future__ import annotations

from itertools import product
from math import ceil, hypot, inf

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.camera import Camera
from aggviewer.canvas.pose import axes_of

Floats = NDArray[np.float64]

BEHIND = 0.55
"""Opacity of the edges behind."""

_DASH, _GAP = 5.0, 4.0  # pixels
_MOST = 2000  # dashes of an edge


def box_edges(box: Floats, camera: Camera, *, dashed: bool = False, unit: float = 1.0) -> tuple[Floats, Floats]:
    """The edges in front, (K, 4), and those behind, (J, 4): x and y of both ends in pixels.

    An edge is behind if the camera sees neither of its faces from outside. dashed : cut them into dashes, as for a
    periodic box; unit : pixels of the camera per pixel on the screen.
    """
    assert camera.pose is not None
    towards, eye = axes_of(camera.pose.turn)[2], camera.pose.eye
    middle = np.array([camera.x, camera.y, camera.pose.z])
    # along each axis, whether the lower and the upper face are seen from outside
    if eye == inf:
        faces = np.stack([towards < -1e-9, towards > 1e-9], axis=1)
    else:
        at = middle + eye * towards
        faces = np.stack([at < 0.0, at > box], axis=1)
    sides: tuple[list[Floats], list[Floats]] = [], []
    for along in range(3):
        one, other = (axis for axis in range(3) if axis != along)
        for low, high in product((0, 1), repeat=2):
            ends = np.zeros((2, 3))
            ends[1, along] = box[along]
            ends[:, one], ends[:, other] = low * box[one], high * box[other]
            behind = not (faces[one, low] or faces[other, high])
            sides[behind].append(camera.seen(ends)[0].ravel())
    near, far = (np.array(edges).reshape(-1, 4) for edges in sides)
    return (_dashes(near, unit), _dashes(far, unit)) if dashed else (near, far)


def _dashes(lines: Floats, unit: float) -> Floats:
    """The dashes of lines, evenly spread, so that each line begins and ends with one."""
    found = [np.zeros((0, 4))]
    for x, y, to_x, to_y in lines.tolist():
        count = min(max(ceil((hypot(to_x - x, to_y - y) / unit + _GAP) / (_DASH + _GAP)), 1), _MOST)
        step = 1.0 / (count - _GAP / (_DASH + _GAP))
        begin = step * np.arange(count)
        end = begin + step * _DASH / (_DASH + _GAP)
        place = np.stack([begin, begin, end, end], axis=1)
        found.append(np.array([x, y, x, y]) + place * np.array([to_x - x, to_y - y] * 2))
    return np.concatenate(found)
