"""How the mouse, the keys and films turn a box in space: about the vertical if there is gravity, and otherwise freely.
Rotations are unit quaternions (w, x, y, z). No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, hypot, radians, sin, sqrt

import numpy as np

from engine.plotting.projection import Direction, Quaternion, axes_of, times, upright, vertical_of

_BALL = 0.45
"""The radius of the ball that a drag turns, as a share of the shorter side of the picture."""


def about(axis: Direction, degrees: float) -> Quaternion:
    """The rotation about an axis of length 1, counterclockwise seen from its tip."""
    half = radians(degrees) / 2.0
    x, y, z = (sin(half) * part for part in axis)
    return cos(half), x, y, z


_HALF = sqrt(0.5)
ALONG: dict[str, Quaternion] = {"x": (0.5, -0.5, -0.5, -0.5), "y": (_HALF, -_HALF, 0.0, 0.0), "z": (1.0, 0.0, 0.0, 0.0)}
"""The views along the axes: against x and with y, where z points up, and against z, where y does as in the plane."""


def along(axis: str, gravity: Sequence[float] = ()) -> Quaternion:
    """The view along an axis; gravity, with a number for each axis, points down in it unless it lies along the line of
    sight."""
    up = vertical_of(gravity)
    return ALONG[axis] if up is None or up == (0.0, 0.0, 1.0) else upright(ALONG[axis], up)


def dragged(
    turn: Quaternion,
    start: tuple[float, float],
    end: tuple[float, float],
    size: tuple[float, float],
    up: Direction | None = None,
) -> Quaternion:
    """The turn after a drag from pixel to pixel of a picture, as if a ball that fills the picture were turned by hand.

    up : the axis of the ball, which stays vertical in the picture (a turntable): a drag to the side turns the ball
        about it, and a drag up or down raises or lowers the eye, at most to a pole. A ball that is upside down stays
        so, up to a pole. None for a ball without an axis (an arcball; outside the ball the picture rolls).
    """
    radius = max(_BALL * min(size), 1.0)
    if up is not None:
        x, y, z = up
        down = float(axes_of(turn)[1] @ np.array(up)) < -1e-9
        return upright(turn, (-x, -y, -z) if down else up, (end[0] - start[0]) / radius, (end[1] - start[1]) / radius)
    (a, b, c), (x, y, z) = (_on_ball(pixel, size, radius) for pixel in (start, end))
    moved = times((1.0 + a * x + b * y + c * z, b * z - c * y, c * x - a * z, a * y - b * x), turn)
    length = sqrt(sum(part * part for part in moved))
    return turn if length < 1e-6 else (moved[0] / length, moved[1] / length, moved[2] / length, moved[3] / length)


def _on_ball(pixel: tuple[float, float], size: tuple[float, float], radius: float) -> Direction:
    """The point of the unit ball at a pixel; beside it, of the cone-like surface that continues it smoothly."""
    x, y = (pixel[0] - size[0] / 2) / radius, (size[1] / 2 - pixel[1]) / radius
    away = hypot(x, y)
    z = sqrt(1.0 - away * away) if away < _HALF else 0.5 / away
    length = sqrt(away * away + z * z)
    return x / length, y / length, z / length


def turned_around(turn: Quaternion, degrees: float, up: Direction | None = None) -> Quaternion:
    """The turn after the box has been rotated about the vertical or, without one, about the one of its axes that points
    up most in the picture."""
    if up is None:
        seen = axes_of(turn)[1]
        axis = int(np.abs(seen).argmax())
        one = [0.0, 0.0, 0.0]
        one[axis] = 1.0 if seen[axis] > 0.0 else -1.0
        up = one[0], one[1], one[2]
    return times(turn, about(up, degrees))
