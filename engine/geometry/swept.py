"""Times of impact of moving discs and moving boxes.

Both take a growth rate `w` >= 0: the second body's velocity is only known to within `w`, so after a time t its discs
count as larger by w t. With w = 0 the results are exact, else lower bounds.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.kernels import inlined


@inlined
def disc_impact(dx: float, dy: float, ux: float, uy: float, sigma: float, w: float, receding: bool) -> float:
    """Time of impact of two discs, inf for none.

    (dx, dy) position and (ux, uy) velocity of the one relative to the other, sigma the sum of their radii. (A.5) in a
    form without cancellation, with the stable rule: overlapping discs that approach collide now, receding ones never.
    With `receding` all overlapping discs collide now.
    """
    c = dx * dx + dy * dy - sigma * sigma
    b = dx * ux + dy * uy - sigma * w
    a = ux * ux + uy * uy - w * w
    if c <= 0.0:
        # with an uncertain velocity (a < 0) the pair may still approach: the earliest possible time is now
        if b < 0.0 or a < 0.0 or receding:
            return 0.0
        return inf
    if b >= 0.0 and a >= 0.0:
        return inf
    # b² - a c, written so that it does not cancel for discs that are many diameters apart
    gx = sigma * ux - w * dx
    gy = sigma * uy - w * dy
    cross = dx * uy - dy * ux
    disc = gx * gx + gy * gy - cross * cross
    if disc < 0.0:
        return inf
    return c / (sqrt(disc) - b)


@inlined
def reciprocal(q: float) -> float:
    """1 / q, finite and huge for q = 0, so that edges at relative rest meet either now or never."""
    if abs(q) < 1e-300:
        return 1e300
    return 1.0 / q


@inlined
def box_entry(
    x_low: float,
    x_high: float,
    y_low: float,
    y_high: float,
    qx_low: float,
    qx_high: float,
    qy_low: float,
    qy_high: float,
    ix_low: float,
    ix_high: float,
    iy_low: float,
    iy_high: float,
) -> tuple[float, float]:
    """Interval of times (enter, leave) in which two boxes overlap, empty when enter > leave.

    The overlap in x is x_low + t qx_low <= 0 and x_high + t qx_high >= 0, where x_low = (lower edge of the second) -
    (upper edge of the first), x_high = (upper of the second) - (lower of the first), qx_low = u_x - w and
    qx_high = u_x + w; likewise in y. The i.. are `reciprocal` of the q.., the same for a whole walk.
    """
    enter = 0.0
    leave = inf
    t = -x_low * ix_low
    if qx_low < 0.0:
        enter = max(enter, t)
    else:
        leave = min(leave, t)
    t = -x_high * ix_high
    if qx_high > 0.0:
        enter = max(enter, t)
    else:
        # qx_high <= 0; for 0 the reciprocal is positive and the sign of t is that of -x_high
        leave = min(leave, t if qx_high < 0.0 else -t)
    t = -y_low * iy_low
    if qy_low < 0.0:
        enter = max(enter, t)
    else:
        leave = min(leave, t)
    t = -y_high * iy_high
    if qy_high > 0.0:
        enter = max(enter, t)
    else:
        leave = min(leave, t if qy_high < 0.0 else -t)
    return enter, leave
