"""How a camera stands in space: rotations as unit quaternions (w, x, y, z), and the projection. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import cos, hypot, inf, radians, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from aggviewer.document.view import Turn, ViewModel

Floats = NDArray[np.float64]

EYE = 6.0
"""With perspective, the distance from the eye to the middle of the picture, in half diagonals of the box."""

CLOSEST = 0.1
"""How near to the eye a point is still drawn in its place, as a share of that distance."""


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


@lru_cache(maxsize=64)
def axes_of(turn: Turn) -> Floats:
    """The axes of the camera in the world, one in each row (3, 3): to the right, up, and towards the viewer."""
    w, x, y, z = (part / sqrt(sum(each * each for each in turn)) for part in turn)
    axes = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    axes.setflags(write=False)
    return axes


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


@dataclass(frozen=True)
class Pose:
    """How a camera stands in space.

    z : third coordinate of the point in the middle of the picture; turn : of the camera; eye : distance of the eye from
    that point in world units, inf for a parallel projection.
    """

    z: float
    turn: Turn
    eye: float = inf

    def seen(self, points: Floats, middle: tuple[float, float]) -> tuple[Floats, Floats, Floats]:
        """The places of world points (..., 3) for this camera, in world units from the middle of the picture.

        middle : x and y of the point there.

        Returns
        -------
        places : (..., 2), to the right and up, magnified by perspective.
        depth : (...), towards the viewer.
        magnified : (...), by perspective; 1 at the depth of the middle.
        """
        from_middle = (points - (*middle, self.z)) @ axes_of(self.turn).T
        depth = from_middle[..., 2]
        nearness = np.ones_like(depth) if self.eye == inf else 1.0 / np.maximum(1.0 - depth / self.eye, CLOSEST)
        return from_middle[..., :2] * nearness[..., np.newaxis], depth, nearness


def ball_around(box: tuple[float, ...], perspective: bool) -> tuple[float, float]:
    """Half the diagonal of a box as large as it appears, and the distance of the eye."""
    half = sqrt(sum(side * side for side in box)) / 2.0
    return (half * EYE / sqrt(EYE * EYE - 1.0), EYE * half) if perspective else (half, inf)


def reach(box: Floats, turn: Turn) -> float:
    """How far the box reaches from its middle towards the viewer."""
    return float(np.abs(axes_of(turn)[2]) @ box) / 2.0


def pose_in(box: tuple[float, ...], z: float, view: ViewModel) -> Pose | None:
    """The pose of a camera with the turn and projection of a view; None in the plane."""
    return None if len(box) < 3 else Pose(z, view.turn, ball_around(box, view.perspective)[1])
