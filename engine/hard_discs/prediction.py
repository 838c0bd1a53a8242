"""Prediction of the next event of a disc: a collision with a neighbour, an impact at a wall, or leaving its shell.

Of a pair, it is enough that one disc holds the collision. A disc takes only collisions that come before the neighbour
is predicted in full the next time (`renewal`): it then finds the collision if it still takes place. Every collision of
a disc ends with its prediction in full, so that none is lost.

Leaving a shell changes no motion. The disc keeps the collision that it holds, however far away that is, and looks at
its new neighbours alone. Under gravity, where the time of a collision is only searched for up to a limit, it is
predicted in full.

**Times of impact** of two discs, or of a disc and a wall, follow the stable rule of Bannerman et al. (2014, equation
10). With an overlap function f, which is negative where there is an overlap, a collision takes place after the smallest
dt >= 0 with f <= 0 and f' < 0. So receding pairs never collide, overlapping pairs that approach collide at once
(stabilising events), and a grazing contact is not an event; there is no tolerance. All functions return dt, inf for
none, and compute roots in the form without cancellation. Discs in free flight, by far the most frequent case, are
processed eight at a time in `meetings`.
"""

from __future__ import annotations

from math import floor, sqrt
from typing import Any

import numpy as np

from engine.geometry.minimum_image import wraps
from engine.geometry.vectors import Vector, add_dot, dot, is_zero, minus, plus, times, with_component
from engine.hard_discs import discs as d
from engine.hard_discs.cells import find_across
from engine.hard_discs.discs import PLANE, DiscArrays
from engine.hard_discs.meetings import EIGHT, first_meeting, first_meeting_of_images
from engine.hard_discs.motion import (
    gravity,
    half_sides,
    held_along,
    motion_at,
    nearest,
    position,
    sides,
    spot,
    upper_image,
    velocity,
)
from engine.hard_discs.shells import neighbours
from engine.kernels import inlined, inner, whole

INF = float("inf")


@inlined
def _leave_shell(st: DiscArrays, i: int, v: Vector) -> float:
    """The time until disc i, with velocity v, leaves its shell; under gravity a lower bound of it."""
    away = minus(position(st, i), spot(st, i))
    s = st.state.shell_radius
    if st.state.gravity:
        left = max(s - sqrt(dot(away, away)), 0.0)
        speed = sqrt(dot(v, v))
        pulled = gravity(st, st.motion[i].flags)
        g = sqrt(dot(pulled, pulled))
        if speed == 0.0 and g == 0.0:
            return INF
        if left == 0.0:
            return 0.0
        # not before a disc that falls straight outwards
        soonest: float = 2.0 * left / (speed + sqrt(speed * speed + 2.0 * g * left))
        return soonest
    v2 = dot(v, v)
    if v2 == 0.0:
        return INF
    b = dot(away, v)
    left = s * s - away[0] * away[0] - away[1] * away[1]
    if len(st) > PLANE:
        left -= away[2] * away[2]
    left = max(left, 0.0)
    root = sqrt(b * b + v2 * left)
    # one division for both forms of the root, so that there is nothing to guess
    over = left if b > 0.0 else root - b
    under = root + b if b > 0.0 else v2
    dt: float = over / under
    return dt


@inlined
def _meet_walls(st: DiscArrays, i: int, limit: float) -> float:
    """The time until disc i meets a wall, and which one goes into `what`; `limit` where it meets none before."""
    x = position(st, i)
    v = velocity(st, i)
    box = sides(st)
    g = gravity(st, st.motion[i].flags)
    limit = _meet_walls_across(st, i, 0, x[0], v[0], box[0], g[0], limit)
    limit = _meet_walls_across(st, i, 1, x[1], v[1], box[1], g[1], limit)
    if len(st) > PLANE:
        limit = _meet_walls_across(st, i, 2, x[2], v[2], box[2], g[2], limit)
    return limit


@inlined
def _meet_walls_across(
    st: DiscArrays, i: int, axis: int, x: float, speed: float, side: float, g: float, limit: float
) -> float:
    """`_meet_walls` for the two walls across one axis; none where the box is periodic along it. x, speed, side, g :
    place, velocity, side of the box and gravity along this axis."""
    state = st.state
    if wraps(state.periodic, axis):
        return limit
    disc = st.motion[i]
    growth = state.growth_rate * disc.radius
    radius = disc.radius + growth * disc.time
    if state.gravity:
        low = plate_time(x - radius, speed - growth, g)
        high = plate_time(side - x - radius, -speed - growth, -g)
        # a disc at rest on this wall stays there until another one hits it
        if disc.flags & held_along(axis) and speed == 0.0:
            low = high = INF
    else:
        low = wall_time(x - radius, speed - growth)
        high = wall_time(side - x - radius, -speed - growth)
    if low < limit:
        limit = low
        st.entry[i].what = d.WALL_LEFT - 2 * axis
    if high < limit:
        limit = high
        st.entry[i].what = d.WALL_RIGHT - 2 * axis
    return limit


@inlined
def predict(st: DiscArrays, i: int, t: float) -> int:
    """Predict disc i, which is up to date at t, in full: fills `event`, `renewal` and `what`.

    Returns how many neighbours it overlaps.
    """
    if st.state.gravity:
        return _predict_falling(st, i, t)
    return _predict_free(st, i, t)


@inlined
def _predict_free(st: DiscArrays, i: int, t: float) -> int:
    """As `predict`, for a box without gravity."""
    state = st.state
    found, begin, count = neighbours(st, i)
    state.pair_tests += count
    if state.growth_rate != 0.0:
        best, partner, stabilising, overlaps = _growing_meeting(st, i, t, found, begin, count)
    else:
        x, v = position(st, i), velocity(st, i)
        best, partner, stabilising, overlaps = _meeting(
            st, i, x, v, st.motion[i].flags & d.EDGE, t, found, begin, count
        )
        if st.motion[i].flags & d.ACROSS:
            best, partner, stabilising, more = _meeting_across(st, i, t, best, partner, stabilising)
            overlaps += more
    _store_event(st, i, t, best, partner, stabilising)
    return overlaps


@inlined
def _meeting(
    st: DiscArrays, i: int, x: Vector, v: Vector, edge: int, t: float, found: Any, begin: int, count: int
) -> tuple[float, int, int, int]:
    """The first collision of disc i, or of its image that is at x with the velocity v at t, with one of `count`
    neighbours, whose numbers begin at `begin`. edge : 0 where all of them are on the same side of the edges.

    Returns when, inf for none; the partner, NOTHING for none; STABILISING or 0; how many neighbours it overlaps.
    """
    motion = st.motion
    disc = motion[i]
    radius = disc.radius
    best = INF
    partner = whole(d.NOTHING)
    stabilising = whole(0)
    overlaps = whole(0)
    for k in range(0, count, EIGHT):
        if edge:
            when, j, over, more = first_meeting_of_images(
                motion, found, begin + k, count - k, i, x, v, radius, t, sides(st), half_sides(st)
            )
        else:
            when, j, over, more = first_meeting(motion, found, begin + k, count - k, i, x, v, radius, t)
        overlaps += more
        if when < best or (when == best and j < partner):
            best = when
            partner = j
            stabilising = over * d.STABILISING
    return best, partner, stabilising, overlaps


@inlined
def _meeting_across(
    st: DiscArrays, i: int, t: float, best: float, partner: int, stabilising: int
) -> tuple[float, int, int, int]:
    """The first collision of disc i, up to date at t, with a disc at the opposite edge along y, past which its image
    moves; the one found so far if that comes first.

    The discs it may meet are only known until its image has moved by `drift`: then it is predicted again (SHELL).
    """
    state = st.state
    overlaps = whole(0)
    if state.shear_rate != 0.0:
        again = t + state.drift / (abs(state.shear_rate) * state.ly)
        if again < best:
            best, partner, stabilising = again, whole(d.SHELL), whole(0)
    for turns in (-1, 1):
        there, _ = upper_image(st, turns, spot(st, i), velocity(st, i), t)
        reach = np.float64(st.place[i].radius) + state.largest_radius
        reach = reach * state.list_factor + state.list_pad + state.reach_slack
        if not -reach <= there[1] <= state.ly + reach:
            continue
        lx = state.lx
        count = find_across(st, i, turns, with_component(there, 0, there[0] - lx * floor(there[0] / lx)))
        state.pair_tests += count
        x, v = upper_image(st, turns, position(st, i), velocity(st, i), t)
        # the image may be any number of periods ahead
        x = with_component(x, 0, x[0] - lx * floor(x[0] / lx))
        when, j, over, more = _meeting(st, i, x, v, 1, t, st.found, whole(0), count)
        overlaps += more
        if when < best or (when == best and j >= 0 and j < partner):
            best, partner, stabilising = when, j, over
    return best, partner, stabilising, overlaps


@inlined
def _growing_meeting(
    st: DiscArrays, i: int, t: float, found: Any, begin: int, count: int
) -> tuple[float, int, int, int]:
    """As `_meeting`, for discs whose radii grow."""
    state = st.state
    disc = st.motion[i]
    x = position(st, i)
    v = velocity(st, i)
    gamma = state.growth_rate
    edge = disc.flags & d.EDGE
    best = INF
    partner = whole(d.NOTHING)
    stabilising = whole(0)
    overlaps = whole(0)
    for k in range(begin, begin + count):
        j = whole(found[k])
        other = st.motion[j]
        w = velocity(st, j)
        delta = minus(plus(position(st, j), times(t - other.time, w)), x)
        if edge:
            delta = nearest(st, delta)
        sigma = disc.radius + other.radius
        alpha = gamma * sigma
        sigma *= 1.0 + gamma * t
        overlap = dot(delta, delta) < sigma * sigma
        overlaps += overlap
        limit = min(best, other.renewal)
        when = t + growing_pair_time(delta, minus(w, v), sigma, alpha)
        if when < limit or (when == limit and limit == best and j < partner):
            best = when
            partner = j
            stabilising = whole(d.STABILISING if overlap else 0)
    return best, partner, stabilising, overlaps


@inlined
def _store_event(st: DiscArrays, i: int, t: float, when: float, what: int, stabilising: int) -> None:
    """Note when disc i is predicted in full and why, or an impact at a wall before that; and when it leaves its shell.

    Where `when` is infinite nothing happens to it but that it leaves its shell.
    """
    disc = st.motion[i]
    entry = st.entry[i]
    entry.what = what
    if disc.flags & d.NEAR_WALLS:
        dt = _meet_walls(st, i, when - t)
        if entry.what != what:
            when = t + dt
    disc.renewal = when
    entry.event = min(when, t + _leave_shell(st, i, velocity(st, i)))
    if entry.what >= 0:
        entry.partner_hits = st.motion[what].hits
        disc.flags = (disc.flags & ~d.STABILISING) | stabilising


@inlined
def predict_with(st: DiscArrays, i: int, t: float, fresh: int) -> None:
    """Predict disc i, up to date at t, which has a new shell: with its new neighbours, and when it leaves the shell.

    fresh : how many of `found` are new neighbours. It keeps the collision that it holds, if none comes before it.
    """
    state = st.state
    disc = st.motion[i]
    entry = st.entry[i]
    state.pair_tests += fresh
    if state.growth_rate != 0.0:
        when, j, _, _ = _growing_meeting(st, i, t, st.found, whole(0), fresh)
    else:
        x, v = position(st, i), velocity(st, i)
        when, j, _, _ = _meeting(st, i, x, v, disc.flags & d.EDGE, t, st.found, whole(0), fresh)
    if when < disc.renewal or (when == disc.renewal and j >= 0 and j < entry.what):
        # discs that are new to each other are apart: no stabilising event
        disc.renewal = when
        entry.what = j
        entry.partner_hits = st.motion[j].hits
        disc.flags &= ~d.STABILISING
    if disc.flags & d.NEAR_WALLS:
        held = entry.what
        dt = _meet_walls(st, i, disc.renewal - t)
        if entry.what != held:
            disc.renewal = t + dt
    entry.event = min(disc.renewal, t + _leave_shell(st, i, velocity(st, i)))


@inlined
def _predict_falling(st: DiscArrays, i: int, t: float) -> int:
    """`predict` under gravity, along which there are walls.

    Gravity falls out of the relative motion of two discs, which is a straight line, unless one of them is held by a
    wall.
    """
    motion = st.motion
    state = st.state
    disc = motion[i]
    x = position(st, i)
    v = velocity(st, i)
    g = gravity(st, disc.flags)
    edge = disc.flags & d.EDGE
    gamma = state.growth_rate
    best = t + _leave_shell(st, i, v)
    partner = whole(d.SHELL) if best < INF else whole(d.NOTHING)
    stabilising = 0
    overlaps = 0
    found, first, length = neighbours(st, i)
    for k in range(first, first + length):
        j = whole(found[k])
        other = motion[j]
        there, w = motion_at(st, j, t)
        delta = minus(there, x)
        if edge:
            delta = nearest(st, delta)
        w = minus(w, v)
        a = minus(gravity(st, other.flags), g)
        sigma = disc.radius + other.radius
        alpha = gamma * sigma
        sigma *= 1.0 + gamma * t
        overlap = dot(delta, delta) < sigma * sigma
        overlaps += overlap
        limit = min(best, other.renewal)
        if is_zero(a):
            when = t + growing_pair_time(delta, w, sigma, alpha)
        elif limit < INF:
            when = t + falling_pair_time(delta, w, a, sigma, alpha, max(limit - t, 0.0))
        else:
            when = INF
        if when < limit or (when == limit and limit == best and j < partner):
            best = when
            partner = j
            stabilising = d.STABILISING if overlap else 0
    _store_event(st, i, t, best, partner, stabilising)
    return overlaps


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
    """When a disc meets a wall: the root of the distance f = gap + speed t."""
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
