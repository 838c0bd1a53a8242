"""Times of impact of moving discs and moving boxes.

Both take a growth rate `w` >= 0: the second body's velocity is only known to within `w`, so after a time t its discs
count as larger by w t. With w = 0 the results are exact, else lower bounds.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.geometry.vectors import Vector, cross_squared, dot, minus, times
from engine.kernels import inlined


@inlined
def disc_impact(d: Vector, u: Vector, sigma: float, w: float, receding: bool) -> float:
    """Time of impact of two discs or spheres, inf for none.

    d position and u velocity of the one relative to the other, sigma the sum of their radii. (A.5) in a form without
    cancellation, with the stable rule: overlapping discs that approach collide now, receding ones never. With
    `receding` all overlapping discs collide now.
    """
    c = dot(d, d) - sigma * sigma
    b = dot(d, u) - sigma * w
    a = dot(u, u) - w * w
    if c <= 0.0:
        # with an uncertain velocity (a < 0) the pair may still approach: the earliest possible time is now
        if b < 0.0 or a < 0.0 or receding:
            return 0.0
        return inf
    if b >= 0.0 and a >= 0.0:
        return inf
    # b² - a c, written so that it does not cancel for discs that are many diameters apart
    g = minus(times(sigma, u), times(w, d))
    discriminant = dot(g, g) - cross_squared(d, u)
    if discriminant < 0.0:
        return inf
    return c / (sqrt(discriminant) - b)


@inlined
def reciprocal(q: float) -> float:
    """1 / q, finite and huge for q = 0, so that edges at relative rest meet either now or never."""
    if abs(q) < 1e-300:
        return 1e300
    return 1.0 / q


@inlined
def reciprocals(q: Vector) -> Vector:
    """`reciprocal` of each component."""
    if len(q) > 2:
        return reciprocal(q[0]), reciprocal(q[1]), reciprocal(q[2])
    return reciprocal(q[0]), reciprocal(q[1])


@inlined
def _axis_entry(
    enter: float, leave: float, low: float, high: float, q_low: float, q_high: float, i_low: float, i_high: float
) -> tuple[float, float]:
    """The part of the times from `enter` to `leave` in which two boxes overlap along one axis, see `box_entry`."""
    t = -low * i_low
    if q_low < 0.0:
        enter = max(enter, t)
    else:
        leave = min(leave, t)
    t = -high * i_high
    if q_high > 0.0:
        enter = max(enter, t)
    else:
        # q_high <= 0; for 0 the reciprocal is positive and the sign of t is that of -high
        leave = min(leave, t if q_high < 0.0 else -t)
    return enter, leave


@inlined
def box_entry(
    low: Vector, high: Vector, q_low: Vector, q_high: Vector, i_low: Vector, i_high: Vector
) -> tuple[float, float]:
    """Interval of times (enter, leave) in which two boxes overlap, empty when enter > leave.

    The overlap in x is low + t q_low <= 0 and high + t q_high >= 0, where low = (lower edge of the second) - (upper
    edge of the first), high = (upper of the second) - (lower of the first), q_low = u_x - w and q_high = u_x + w;
    likewise along each axis. i_low and i_high are the `reciprocals` of q_low and q_high, the same for a whole walk.
    """
    enter, leave = _axis_entry(0.0, inf, low[0], high[0], q_low[0], q_high[0], i_low[0], i_high[0])
    enter, leave = _axis_entry(enter, leave, low[1], high[1], q_low[1], q_high[1], i_low[1], i_high[1])
    if len(low) > 2:
        enter, leave = _axis_entry(enter, leave, low[2], high[2], q_low[2], q_high[2], i_low[2], i_high[2])
    return enter, leave
