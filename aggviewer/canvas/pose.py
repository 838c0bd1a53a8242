"""How a camera in space is turned; rotations are unit quaternions (w, x, y, z). No Qt."""

from __future__ import annotations

from math import cos, hypot, radians, sin, sqrt

import numpy as np

from aggviewer.document.view import ViewModel
from engine.plotting.projection import Pose, Turn, axes_of, ball_around


def times(first: Turn, second: Turn) -> Turn:
    """The rotation by `second`, then by `first`."""
    (a, b, c, d), (w, x, y, z) = first, second
    return (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )


def about(axis: tuple[float, float, float], degrees: float) -> Turn:
    """The rotation about an axis of length 1, counterclockwise seen from its tip."""
    half = radians(degrees) / 2.0
    x, y, z = (sin(half) * part for part in axis)
    return cos(half), x, y, z


_HALF = sqrt(0.5)
ALONG: dict[str, Turn] = {"x": (0.5, -0.5, -0.5, -0.5), "y": (_HALF, -_HALF, 0.0, 0.0), "z": (1.0, 0.0, 0.0, 0.0)}
"""The views along the axes: against x and with y, where z points up, and against z, where y does as in the plane."""


def dragged(turn: Turn, start: tuple[float, float], end: tuple[float, float], size: tuple[float, float]) -> Turn:
    """The turn after a drag from pixel to pixel of a picture, as if a ball that fills the picture were turned by hand
    (an arcball; outside the ball the picture rolls)."""
    (a, b, c), (x, y, z) = (_on_ball(pixel, size) for pixel in (start, end))
    moved = times((1.0 + a * x + b * y + c * z, b * z - c * y, c * x - a * z, a * y - b * x), turn)
    length = sqrt(sum(part * part for part in moved))
    return turn if length < 1e-6 else (moved[0] / length, moved[1] / length, moved[2] / length, moved[3] / length)


def _on_ball(pixel: tuple[float, float], size: tuple[float, float]) -> tuple[float, float, float]:
    """The point of the unit ball at a pixel; beside it, of the cone-like surface that continues it smoothly."""
    radius = max(0.45 * min(size), 1.0)
    x, y = (pixel[0] - size[0] / 2) / radius, (size[1] / 2 - pixel[1]) / radius
    away = hypot(x, y)
    z = sqrt(1.0 - away * away) if away < _HALF else 0.5 / away
    length = sqrt(away * away + z * z)
    return x / length, y / length, z / length


def turned_around(turn: Turn, degrees: float) -> Turn:
    """The turn after the box has been rotated about the one of its axes that points up most in the picture."""
    up = axes_of(turn)[1]
    axis = int(np.abs(up).argmax())
    one = [0.0, 0.0, 0.0]
    one[axis] = 1.0 if up[axis] > 0.0 else -1.0
    return times(turn, about((one[0], one[1], one[2]), degrees))


def pose_in(box: tuple[float, ...], z: float, view: ViewModel) -> Pose | None:
    """The pose of a camera with the turn, the projection and the slab of a view; None in the plane."""
    return None if len(box) < 3 else Pose(z, view.turn, ball_around(box, view.perspective)[1], view.slab)
