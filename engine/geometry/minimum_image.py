"""Differences of coordinates to the nearest image in a periodic box, along one axis.

Three forms, each for what is known of the coordinates. They agree but for the last bit where two images are equally
near, so that none can stand in for another without changing what a run computes.
"""

from __future__ import annotations

import numpy as np

from engine.kernels import inlined


@inlined
def nearest_image(delta: float, side: float, half: float) -> float:
    """The difference `delta` of two coordinates to the nearest image, where one period brings it there.

    side : of the box; half : of that. Places in the box are never farther apart than a period: no division is needed.
    """
    if delta > half:
        return delta - side
    if delta < -half:
        return delta + side
    return delta


@inlined
def periods_between(delta: float, side: float) -> float:
    """How many periods the nearest image is away, a whole number."""
    return float(np.rint(delta / side))


@inlined
def rounded_image(delta: float, side: float) -> float:
    """The difference `delta` of two coordinates to the nearest image, however many periods away."""
    return delta - side * periods_between(delta, side)


@inlined
def axis_distance(one: float, two: float, period: float) -> float:
    """The distance of two coordinates, both in the box, to the nearest image: without a branch, for searches.

    period : side of the box, infinite between walls.
    """
    distance = abs(one - two)
    return min(distance, period - distance)
