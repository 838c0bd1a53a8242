"""Time of impact of two discs, or of a disc and a wall, by the stable rule of Bannerman et al. (2014, equation 10).

With an overlap function f, which is negative where there is an overlap, a collision takes place after the smallest dt
>= 0 with f <= 0 and f' < 0. So receding pairs never collide, overlapping pairs that approach collide at once
(stabilising events), and a grazing contact is not an event; there is no tolerance. All functions return dt, inf for
none, and compute roots in the form without cancellation.

Discs in free flight, by far the most frequent case, are processed eight at a time in `meetings`.
"""

from __future__ import annotations

from math import sqrt

from engine.geometry.vectors import Vector, add_dot, dot
from engine.kernels import inlined, inner

INF = float("inf")


@inlined
def growing_pair_time(d: Vector, u: Vector, sigma: float, alpha: float) -> float:
    """Two growing discs with relative position d and velocity u: f = |d + u t|² - (σ + α t)².

    sigma : σ, the sum of their radii; alpha : α >= 0, the rate at which that grows. Discs that recede more slowly than
        they grow still meet.
    """
    b = dot(d, u) - alpha * sigma
    c = dot(d, d) - sigma * sigma
    a = dot(u, u) - alpha * alpha
    if b >= 0.0 and a >= 0.0:
        return INF
    discriminant = b * b - a * c
    if c <= 0.0:
        if b < 0.0:
            return 0.0
        if discriminant <= 0.0:  # f is largest at b / -a, and even there they overlap
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
    """A disc and a wall: f = gap + speed t."""
    if speed >= 0.0:
        return INF
    if gap <= 0.0:
        return 0.0
    return gap / -speed


@inlined
def plate_time(gap: float, speed: float, g: float) -> float:
    """A disc and a wall with gravity, f = gap + speed t + g t² / 2 (Algorithm 2, the ball on a plate).

    A disc that rounding has left inside the wall, and that cannot climb out of it, collides at the peak of its flight.
    """
    if gap <= 0.0:
        if speed < 0.0:
            return 0.0
        if g >= 0.0:
            return INF
        peak = speed / -g
        if gap + 0.5 * speed * peak <= 0.0:
            return peak
        return peak + sqrt(speed * speed - 2.0 * g * gap) / -g
    if g == 0.0:
        return gap / -speed if speed < 0.0 else INF
    discriminant = speed * speed - 2.0 * g * gap
    if g > 0.0 and (speed >= 0.0 or discriminant <= 0.0):
        return INF
    if speed < 0.0:
        return 2.0 * gap / (sqrt(discriminant) - speed)
    return (speed + sqrt(discriminant)) / -g


@inlined
def _value(p0: float, p1: float, p2: float, p3: float, p4: float, t: float) -> float:
    """The polynomial p0 + p1 t + … + p4 t⁴."""
    return p0 + t * (p1 + t * (p2 + t * (p3 + t * p4)))


@inner
def _crossing(p0: float, p1: float, p2: float, p3: float, p4: float, low: float, high: float) -> float:
    """The sign change of a polynomial that is monotonic from `low` to `high`, by bisection to the last bit."""
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
def falling_pair_time(d: Vector, u: Vector, a: Vector, sigma: float, alpha: float, limit: float) -> float:
    """`growing_pair_time` with a relative acceleration a: one disc falls, the other is held by a wall.

    f = p0 + p1 t + … + p4 t⁴ is divided at its extrema into monotonic parts, in which a sign change is found by
    bisection. The search ends at `limit`, which is finite.
    """
    p0 = dot(d, d) - sigma * sigma
    far = limit * (sqrt(dot(u, u)) + alpha + 0.5 * limit * sqrt(dot(a, a)))
    if p0 > far * (far + 2.0 * sigma):
        return INF
    p1 = 2.0 * (dot(d, u) - alpha * sigma)
    p2 = add_dot(dot(u, u), d, a) - alpha * alpha
    p3 = dot(u, a)
    p4 = 0.25 * dot(a, a)
    # the roots of f'' / 2 = p2 + 3 p3 t + 6 p4 t², between which f' is monotonic
    first = second = 0.0
    inner = 9.0 * p3 * p3 - 24.0 * p4 * p2
    if inner > 0.0 and p4 > 0.0:
        first = min(max(0.0, (-3.0 * p3 - sqrt(inner)) / (12.0 * p4)), limit)
        second = min(max(0.0, (-3.0 * p3 + sqrt(inner)) / (12.0 * p4)), limit)
    left = 0.0
    at_left = p0
    begin = 0.0
    for part in range(4):
        # f is monotonic from `left` to `right`, the root of f' between `begin` and `end` or, in the last part, `limit`
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
