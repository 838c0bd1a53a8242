"""The edges of a box in space, as lines in pixels: those in front of what it holds, and those behind. No Qt."""

from __future__ import annotations

from math import ceil, hypot

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.camera import Camera
from engine.plotting.projection import edges_of

Floats = NDArray[np.float64]

BEHIND = 0.55
"""Opacity of the edges behind."""

_DASH, _GAP = 5.0, 4.0  # pixels
_MOST = 2000  # dashes of an edge


def box_edges(box: Floats, camera: Camera, *, dashed: bool = False, unit: float = 1.0) -> tuple[Floats, Floats]:
    """The edges in front, (K, 4), and those behind, (J, 4): x and y of both ends in pixels.

    dashed : cut them into dashes, as for a periodic box; unit : pixels of the camera per pixel on the screen.
    """
    assert camera.pose is not None
    far, near = (camera.seen(edges)[0].reshape(-1, 4) for edges in edges_of(box, camera.pose, (camera.x, camera.y)))
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
