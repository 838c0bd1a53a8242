"""Images along each axis of a box: which axes are periodic, and differences of coordinates to the nearest image.

Kernels are given the boundary of a box as a number (`engine.boundary.Periodic.code`), or as its *periods*: along each
axis its side, or infinity between walls. With an infinite period a difference is that of the coordinates themselves.

Three forms, for different ranges of the coordinates. They differ in the last bit, and if two images are equally near,
so replacing one by another changes the results of a run. They are for kernels; the same for whole numpy arrays is
``delta - side * np.rint(delta / side)`` (`engine.files.contacts`) or `engine.geometry.pairs.distances`. Extended
objects may meet in several images, which `images` finds.
"""

from __future__ import annotations

from math import floor

import numpy as np

from engine.geometry.vectors import Vector, box_sides
from engine.kernels import inlined
from engine.records import Record

NO_PERIOD = np.inf
"""The period along an axis with walls."""


@inlined
def wraps(periodic: int, axis: int) -> bool:
    """Whether a box is periodic along an axis. periodic : the number for all its axes."""
    return periodic & (1 | 2 << axis) != 0


@inlined
def has_walls(periodic: int) -> bool:
    """Whether there are walls along some axis."""
    return periodic != 1


@inlined
def periods_along(periodic: int, sides: Vector) -> Vector:
    """The period along each axis of a box with these sides."""
    x = sides[0] if wraps(periodic, 0) else NO_PERIOD
    y = sides[1] if wraps(periodic, 1) else NO_PERIOD
    if len(sides) > 2:
        return x, y, sides[2] if wraps(periodic, 2) else NO_PERIOD
    return x, y


@inlined
def periods_of(box: Record) -> Vector:
    """`periods_along` of a record with the fields `periodic`, `box_x`, `box_y` and in space `box_z`."""
    return periods_along(box.periodic, box_sides(box))


@inlined
def nearest_image(delta: float, side: float, half: float) -> float:
    """The difference `delta` of two coordinates to the nearest image, at most one period away.

    side : the period; half : half of it. Points in the box are never farther apart than a period, so no division is
        needed.
    """
    if delta > half:
        return delta - side
    if delta < -half:
        return delta + side
    return delta


@inlined
def nearest_of(d: Vector, periods: Vector) -> Vector:
    """`nearest_image` along each axis."""
    x = nearest_image(d[0], periods[0], 0.5 * periods[0])
    y = nearest_image(d[1], periods[1], 0.5 * periods[1])
    if len(d) > 2:
        return x, y, nearest_image(d[2], periods[2], 0.5 * periods[2])
    return x, y


@inlined
def periods_between(delta: float, period: float) -> float:
    """The number of periods to the nearest image."""
    return float(np.rint(delta / period))


@inlined
def _to_nearest(delta: float, period: float) -> float:
    if period == NO_PERIOD:
        return 0.0
    return period * periods_between(delta, period)


@inlined
def rounded_image(delta: float, period: float) -> float:
    """The difference `delta` of two coordinates to the nearest image, any number of periods away."""
    return delta - _to_nearest(delta, period)


@inlined
def axis_distance(one: float, two: float, period: float) -> float:
    """The distance of two coordinates, both in the box, to the nearest image: without a branch, for searches.

    period : side of the box, infinite between walls.
    """
    distance = abs(one - two)
    return min(distance, period - distance)


@inlined
def images(low: float, high: float, other_low: float, other_high: float, period: float) -> tuple[int, int]:
    """First and last number of periods by which the second interval may be shifted to meet the first."""
    if period == NO_PERIOD:
        return 0, 0
    return int(-((other_high - low) // period)), int((high - other_low) // period)


@inlined
def periods_to_nearest(delta: Vector, periods: Vector) -> Vector:
    """What has to be taken off a difference of two places so that it is the one to the nearest image."""
    x = _to_nearest(delta[0], periods[0])
    y = _to_nearest(delta[1], periods[1])
    if len(delta) > 2:
        return x, y, _to_nearest(delta[2], periods[2])
    return x, y


@inlined
def box_images(
    low: Vector, high: Vector, other_low: Vector, other_high: Vector, periods: Vector
) -> tuple[Vector, Vector]:
    """First and last numbers of periods, along each axis, by which the second box may be shifted to meet the first."""
    x0, x1 = images(low[0], high[0], other_low[0], other_high[0], periods[0])
    y0, y1 = images(low[1], high[1], other_low[1], other_high[1], periods[1])
    if len(low) > 2:
        z0, z1 = images(low[2], high[2], other_low[2], other_high[2], periods[2])
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
    """A place moved by so many sides of the box along each axis."""
    x = a[0] + kx * sides[0]
    y = a[1] + ky * sides[1]
    if len(a) > 2:
        return x, y, a[2] + kz * sides[2]
    return x, y


@inlined
def folded(a: Vector, periods: Vector) -> Vector:
    """The image of a place in the box, as `into_box` but for the last bit; one in the box keeps its bits."""
    x, y = _folded_along(a[0], periods[0]), _folded_along(a[1], periods[1])
    if len(a) > 2:
        return x, y, _folded_along(a[2], periods[2])
    return x, y


@inlined
def _folded_along(x: float, period: float) -> float:
    if (x < 0.0 or x >= period) and period != NO_PERIOD:
        return x - period * floor(x / period)
    return x


@inlined
def into_box(a: Vector, periods: Vector) -> Vector:
    """The image of a place in the box."""
    x, y = _into_box_along(a[0], periods[0]), _into_box_along(a[1], periods[1])
    if len(a) > 2:
        return x, y, _into_box_along(a[2], periods[2])
    return x, y


@inlined
def _into_box_along(x: float, period: float) -> float:
    if period == NO_PERIOD:
        return x
    return x - period * (x // period)
