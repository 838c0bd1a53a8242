"""The minimum image along one axis of a periodic box: differences of coordinates to the nearest image.

Three forms, for different ranges of the coordinates. They differ in the last bit, and if two images are equally near,
so replacing one by another changes the results of a run. They are for kernels; the same for whole numpy arrays is
``delta - side * np.rint(delta / side)`` (`engine.files.contacts`) or `engine.geometry.pairs.distances`. Extended
objects may meet in several images, which `images` finds.
"""

from __future__ import annotations

import numpy as np

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
