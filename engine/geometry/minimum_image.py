"""The minimum image along one axis of a periodic box: differences of coordinates to the nearest image.

Three forms, for different ranges of the coordinates. They differ in the last bit, and if two images are equally near,
so replacing one by another changes the results of a run. They are for kernels; the same for whole numpy arrays is
``delta - side * np.rint(delta / side)`` (`engine.files.contacts`) or `engine.geometry.pairs.distances`. Extended
objects may meet in several images, which `images` finds.
"""

from __future__ import annotations

import numpy as np

from engine.geometry.vectors import Vector
from engine.kernels import inlined


@inlined
def nearest_image(delta: float, side: float, half: float) -> float:
    """The difference `delta` of two coordinates to the nearest image, at most one period away.

    side : of the box; half : half of it. Points in the box are never farther apart than a period, so no division is
        needed.
    """
    if delta > half:
        return delta - side
    if delta < -half:
        return delta + side
    return delta


@inlined
def nearest_of(d: Vector, sides: Vector) -> Vector:
    """`nearest_image` along each axis."""
    x = nearest_image(d[0], sides[0], 0.5 * sides[0])
    y = nearest_image(d[1], sides[1], 0.5 * sides[1])
    if len(d) > 2:
        return x, y, nearest_image(d[2], sides[2], 0.5 * sides[2])
    return x, y


@inlined
def periods_between(delta: float, side: float) -> float:
    """The number of periods to the nearest image."""
    return float(np.rint(delta / side))


@inlined
def rounded_image(delta: float, side: float) -> float:
    """The difference `delta` of two coordinates to the nearest image, any number of periods away."""
    return delta - side * periods_between(delta, side)


@inlined
def axis_distance(one: float, two: float, period: float) -> float:
    """The distance of two coordinates, both in the box, to the nearest image: without a branch, for searches.

    period : side of the box, infinite between walls.
    """
    distance = abs(one - two)
    return min(distance, period - distance)


@inlined
def images(periodic: int, low: float, high: float, other_low: float, other_high: float, side: float) -> tuple[int, int]:
    """First and last number of periods by which the second interval may be shifted to meet the first."""
    if not periodic:
        return 0, 0
    return int(-((other_high - low) // side)), int((high - other_low) // side)


@inlined
def periods_to_nearest(delta: Vector, sides: Vector) -> Vector:
    """What has to be taken off a difference of two places so that it is the one to the nearest image."""
    x = sides[0] * periods_between(delta[0], sides[0])
    y = sides[1] * periods_between(delta[1], sides[1])
    if len(delta) > 2:
        return x, y, sides[2] * periods_between(delta[2], sides[2])
    return x, y


@inlined
def box_images(
    periodic: int, low: Vector, high: Vector, other_low: Vector, other_high: Vector, sides: Vector
) -> tuple[Vector, Vector]:
    """First and last numbers of periods, along each axis, by which the second box may be shifted to meet the first."""
    x0, x1 = images(periodic, low[0], high[0], other_low[0], other_high[0], sides[0])
    y0, y1 = images(periodic, low[1], high[1], other_low[1], other_high[1], sides[1])
    if len(low) > 2:
        z0, z1 = images(periodic, low[2], high[2], other_low[2], other_high[2], sides[2])
        return (x0, y0, z0), (x1, y1, z1)
    return (x0, y0), (x1, y1)


@inlined
def third_range(first: Vector, last: Vector) -> tuple[int, int]:
    """The third of the numbers `first`, and that of `last` and one more, for a loop; 0 and 1 in the plane."""
    if len(first) > 2:
        return first[2], last[2] + 1
    return 0, 1


@inlined
def shifted(a: Vector, kx: int, ky: int, kz: int, sides: Vector) -> Vector:
    """A place moved by so many periods along each axis."""
    x = a[0] + kx * sides[0]
    y = a[1] + ky * sides[1]
    if len(a) > 2:
        return x, y, a[2] + kz * sides[2]
    return x, y
