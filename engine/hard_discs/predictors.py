"""When two discs, or a disc and a wall, meet: the stable rule.

A collision happens after the smallest dt >= 0 with f <= 0 and f' < 0, where f < 0 means overlap. Receding pairs never
collide, overlapping pairs that approach collide at once, a glancing contact is no event; nowhere is there a tolerance.
All return dt, inf for never. Roots are taken in the form without cancellation.
"""

from __future__ import annotations

from math import sqrt

from engine.kernels import inlined, inner

INF = float("inf")


@inlined
def comes_within(b: float, c: float, within: float) -> bool:
    """Whether two discs can meet within this time, by the coefficients of `pair_time`: no root is below c / (-2 b).

    One comparison without a root: it dismisses nearly all neighbours, those that recede and those that come too late.
    """
    return c <= -2.0 * b * within and b < 0.0


@inlined
def pair_time(a: float, b: float, c: float) -> float:
    """Two discs: f = c + 2 b t + a t² is the square of their distance less that of the distance in contact.

    With their distance d, their relative velocity u and the sum of their radii σ: a = u², b = d·u, c = d² - σ².
    """
    if b >= 0.0:
        return INF
    if c <= 0.0:
        return 0.0
    discriminant = b * b - a * c
    if discriminant <= 0.0:
        return INF
    return c / (sqrt(discriminant) - b)


@inlined
def growing_pair_time(dx: float, dy: float, ux: float, uy: float, sigma: float, alpha: float) -> float:
    """Discs at (dx, dy) from each other that move at (ux, uy) relative to each other; sigma, the sum of their radii,
    grows at the rate alpha >= 0: discs that recede more slowly than they grow do meet.
    """
    b = dx * ux + dy * uy - alpha * sigma
    c = dx * dx + dy * dy - sigma * sigma
    a = ux * ux + uy * uy - alpha * alpha
    if b >= 0.0 and a >= 0.0:
        return INF
    discriminant = b * b - a * c
    if c <= 0.0:
        if b < 0.0:
            return 0.0
        if discriminant <= 0.0:  # the gap is largest at b / -a, and even there they overlap
            return b / -a
        return (sqrt(discriminant) + b) / -a
    if discriminant <= 0.0:
        return INF
    root = sqrt(discriminant)
    if b < 0.0:
        return c / (root - b)
    return (root + b) / -a


@inlined
def wall_time(gap: float, speed: float) -> float:
    """A disc whose gap to a wall changes at `speed`."""
    if speed >= 0.0:
        return INF
    if gap <= 0.0:
        return 0.0
    return gap / -speed


@inlined
def plate_time(gap: float, speed: float, pull: float) -> float:
    """A disc whose gap to a plate is gap + speed t + pull t^2 / 2.

    A disc that rounding has left inside the plate and that can no longer climb out of it collides at its peak.
    """
    if gap <= 0.0:
        if speed < 0.0:
            return 0.0
        if pull >= 0.0:
            return INF
        peak = speed / -pull
        if gap + 0.5 * speed * peak <= 0.0:
            return peak
        return peak + sqrt(speed * speed - 2.0 * pull * gap) / -pull
    if pull == 0.0:
        return gap / -speed if speed < 0.0 else INF
    discriminant = speed * speed - 2.0 * pull * gap
    if pull > 0.0 and (speed >= 0.0 or discriminant <= 0.0):
        return INF
    if speed < 0.0:
        return 2.0 * gap / (sqrt(discriminant) - speed)
    return (speed + sqrt(discriminant)) / -pull


@inlined
def _value(p0: float, p1: float, p2: float, p3: float, p4: float, t: float) -> float:
    return p0 + t * (p1 + t * (p2 + t * (p3 + t * p4)))


@inner
def _crossing(p0: float, p1: float, p2: float, p3: float, p4: float, low: float, high: float) -> float:
    """Where a polynomial that has different signs at `low` and `high`, and is monotonic between, changes sign."""
    above = _value(p0, p1, p2, p3, p4, low) > 0.0
    while True:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            return high
        if (_value(p0, p1, p2, p3, p4, middle) > 0.0) == above:
            low = middle
        else:
            high = middle


@inner
def falling_pair_time(
    dx: float, dy: float, ux: float, uy: float, ax: float, ay: float, sigma: float, alpha: float, limit: float
) -> float:
    """`growing_pair_time` under a relative acceleration (ax, ay): one of the two falls, the other is borne by a wall.

    f is of fourth degree; it is cut at its extrema into monotonic parts. Looked for up to `limit`, which is finite.
    """
    p0 = dx * dx + dy * dy - sigma * sigma
    far = limit * (sqrt(ux * ux + uy * uy) + alpha + 0.5 * limit * sqrt(ax * ax + ay * ay))
    if p0 > far * (far + 2.0 * sigma):
        return INF
    p1 = 2.0 * (dx * ux + dy * uy - alpha * sigma)
    p2 = ux * ux + uy * uy + dx * ax + dy * ay - alpha * alpha
    p3 = ux * ax + uy * ay
    p4 = 0.25 * (ax * ax + ay * ay)
    # roots of f'' / 2 = p2 + 3 p3 t + 6 p4 t^2
    first = second = 0.0
    inner = 9.0 * p3 * p3 - 24.0 * p4 * p2
    if inner > 0.0 and p4 > 0.0:
        first = min(max(0.0, (-3.0 * p3 - sqrt(inner)) / (12.0 * p4)), limit)
        second = min(max(0.0, (-3.0 * p3 + sqrt(inner)) / (12.0 * p4)), limit)
    left = 0.0
    at_left = p0
    begin = 0.0
    for part in range(4):
        # f' is monotonic from `begin` to `end`; f is so up to its root there, then from it on
        if part == 3:
            right = limit
        else:
            end = first if part == 0 else (second if part == 1 else limit)
            slope_begin = _value(p1, 2.0 * p2, 3.0 * p3, 4.0 * p4, 0.0, begin)
            slope_end = _value(p1, 2.0 * p2, 3.0 * p3, 4.0 * p4, 0.0, end)
            if end <= begin or (slope_begin > 0.0) == (slope_end > 0.0):
                begin = max(begin, end)
                continue
            right = _crossing(p1, 2.0 * p2, 3.0 * p3, 4.0 * p4, 0.0, begin, end)
            begin = end
        at_right = _value(p0, p1, p2, p3, p4, right)
        if at_right < at_left:
            if at_left <= 0.0:
                return left
            if at_right <= 0.0:
                return _crossing(p0, p1, p2, p3, p4, left, right)
        left = right
        at_left = at_right
    return INF
