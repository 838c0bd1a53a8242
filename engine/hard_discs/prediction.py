"""Prediction of the next event of a disc: a collision with a neighbour, an impact at a wall, or leaving its shell.

Of a pair, it is enough that one disc holds the collision. A disc takes only collisions that come before the neighbour
is predicted in full the next time (`renewal`): it then finds the collision if it still takes place. Every collision of
a disc ends with its prediction in full, so that none is lost.

Leaving a shell changes no motion. The disc keeps the collision that it holds, however far away that is, and looks at
its new neighbours alone. Under gravity, where the time of a collision is only searched for up to a limit, it is
predicted in full.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from engine.geometry.minimum_image import nearest_image
from engine.hard_discs import discs as d
from engine.hard_discs.discs import DiscArrays
from engine.hard_discs.meetings import EIGHT, first_meeting, first_meeting_of_images
from engine.hard_discs.predictors import falling_pair_time, growing_pair_time, plate_time, wall_time
from engine.hard_discs.shells import neighbours
from engine.kernels import inlined, whole

INF = float("inf")


@inlined
def gravity_x(st: DiscArrays, flags: int) -> float:
    """Acceleration along x of a disc with these flags."""
    g: float = 0.0 if flags & d.HELD_X else st.state.gx
    return g


@inlined
def gravity_y(st: DiscArrays, flags: int) -> float:
    """Acceleration along y of a disc with these flags."""
    g: float = 0.0 if flags & d.HELD_Y else st.state.gy
    return g


@inlined
def motion_at(st: DiscArrays, i: int, t: float) -> tuple[float, float, float, float]:
    """Position and velocity (x, y, vx, vy) of disc i at time t, in free flight or free fall."""
    disc = st.motion[i]
    dt = t - disc.time
    if st.state.gravity:
        flags = st.motion[i].flags
        gx = gravity_x(st, flags)
        gy = gravity_y(st, flags)
        x = disc.x + dt * (disc.vx + 0.5 * gx * dt)
        y = disc.y + dt * (disc.vy + 0.5 * gy * dt)
        return x, y, disc.vx + gx * dt, disc.vy + gy * dt
    return disc.x + dt * disc.vx, disc.y + dt * disc.vy, disc.vx, disc.vy


@inlined
def move_to(st: DiscArrays, i: int, t: float) -> None:
    """Bring disc i to the time t."""
    disc = st.motion[i]
    disc.x, disc.y, disc.vx, disc.vy = motion_at(st, i, t)
    disc.time = t


@inlined
def _leave_shell(st: DiscArrays, i: int, ux: float, uy: float) -> float:
    """The time until disc i leaves its shell; under gravity a lower bound of it."""
    x = st.motion[i].x - np.float64(st.place[i].x)
    y = st.motion[i].y - np.float64(st.place[i].y)
    s = st.state.shell_radius
    if st.state.gravity:
        left = max(s - sqrt(x * x + y * y), 0.0)
        speed = sqrt(ux * ux + uy * uy)
        flags = st.motion[i].flags
        gx = gravity_x(st, flags)
        gy = gravity_y(st, flags)
        g = sqrt(gx * gx + gy * gy)
        if speed == 0.0 and g == 0.0:
            return INF
        if left == 0.0:
            return 0.0
        # not before a disc that falls straight outwards
        soonest: float = 2.0 * left / (speed + sqrt(speed * speed + 2.0 * g * left))
        return soonest
    v2 = ux * ux + uy * uy
    if v2 == 0.0:
        return INF
    b = x * ux + y * uy
    left = max(s * s - x * x - y * y, 0.0)
    root = sqrt(b * b + v2 * left)
    # one division for both forms of the root, so that there is nothing to guess
    over = left if b > 0.0 else root - b
    under = root + b if b > 0.0 else v2
    dt: float = over / under
    return dt


@inlined
def _meet_walls(st: DiscArrays, i: int, limit: float) -> float:
    """The time until disc i meets a wall, and which one goes into `what`; `limit` where it meets none before."""
    state = st.state
    disc = st.motion[i]
    growth = state.growth_rate * disc.radius
    radius = disc.radius + growth * disc.time
    flags = st.motion[i].flags
    for axis in range(2):
        x = disc.x if axis == 0 else disc.y
        speed = disc.vx if axis == 0 else disc.vy
        side = state.lx if axis == 0 else state.ly
        if state.gravity:
            g = gravity_x(st, flags) if axis == 0 else gravity_y(st, flags)
            low = plate_time(x - radius, speed - growth, g)
            high = plate_time(side - x - radius, -speed - growth, -g)
            # a disc at rest on this wall stays there until another one hits it
            if flags & (d.HELD_X << axis) and speed == 0.0:
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
    """`predict` without gravity."""
    state = st.state
    found, begin, count = neighbours(st, i)
    state.pair_tests += count
    if state.growth_rate != 0.0:
        best, partner, stabilising, overlaps = _growing_meeting(st, i, t, found, begin, count)
    else:
        best, partner, stabilising, overlaps = _meeting(st, i, t, found, begin, count)
    _store_event(st, i, t, best, partner, stabilising)
    return overlaps


@inlined
def _meeting(st: DiscArrays, i: int, t: float, found: Any, begin: int, count: int) -> tuple[float, int, int, int]:
    """The first collision of disc i, up to date at t, with one of `count` neighbours, whose numbers begin at `begin`.

    Returns when, inf for none; the partner, NOTHING for none; STABILISING or 0; how many neighbours it overlaps.
    """
    state = st.state
    motion = st.motion
    disc = motion[i]
    x = disc.x
    y = disc.y
    vx = disc.vx
    vy = disc.vy
    radius = disc.radius
    best = INF
    partner = whole(d.NOTHING)
    stabilising = whole(0)
    overlaps = whole(0)
    edge = disc.flags & d.EDGE
    for k in range(0, count, EIGHT):
        if edge:
            sides = state.lx, state.ly, state.half_x, state.half_y
            when, j, over, more = first_meeting_of_images(
                motion, found, begin + k, count - k, i, x, y, vx, vy, radius, t, *sides
            )
        else:
            when, j, over, more = first_meeting(motion, found, begin + k, count - k, i, x, y, vx, vy, radius, t)
        overlaps += more
        if when < best or (when == best and j < partner):
            best = when
            partner = j
            stabilising = over * d.STABILISING
    return best, partner, stabilising, overlaps


@inlined
def _growing_meeting(
    st: DiscArrays, i: int, t: float, found: Any, begin: int, count: int
) -> tuple[float, int, int, int]:
    """`_meeting` where radii grow."""
    state = st.state
    disc = st.motion[i]
    x = disc.x
    y = disc.y
    gamma = state.growth_rate
    edge = disc.flags & d.EDGE
    best = INF
    partner = whole(d.NOTHING)
    stabilising = whole(0)
    overlaps = whole(0)
    for k in range(begin, begin + count):
        j = whole(found[k])
        other = st.motion[j]
        dt = t - other.time
        dx = other.x + other.vx * dt - x
        dy = other.y + other.vy * dt - y
        if edge:
            dx = nearest_image(dx, state.lx, state.half_x)
            dy = nearest_image(dy, state.ly, state.half_y)
        sigma = disc.radius + other.radius
        alpha = gamma * sigma
        sigma *= 1.0 + gamma * t
        overlap = dx * dx + dy * dy < sigma * sigma
        overlaps += overlap
        limit = min(best, other.renewal)
        when = t + growing_pair_time(dx, dy, other.vx - disc.vx, other.vy - disc.vy, sigma, alpha)
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
    entry.event = min(when, t + _leave_shell(st, i, disc.vx, disc.vy))
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
        when, j, _, _ = _meeting(st, i, t, st.found, whole(0), fresh)
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
    entry.event = min(disc.renewal, t + _leave_shell(st, i, disc.vx, disc.vy))


@inlined
def _predict_falling(st: DiscArrays, i: int, t: float) -> int:
    """`predict` under gravity, and so between walls.

    Gravity falls out of the relative motion of two discs, which is a straight line, unless one of them is held by a
    wall.
    """
    motion = st.motion
    state = st.state
    disc = motion[i]
    x = disc.x
    y = disc.y
    ux = disc.vx
    uy = disc.vy
    gx = gravity_x(st, disc.flags)
    gy = gravity_y(st, disc.flags)
    gamma = state.growth_rate
    best = t + _leave_shell(st, i, ux, uy)
    partner = whole(d.SHELL) if best < INF else whole(d.NOTHING)
    stabilising = 0
    overlaps = 0
    found, first, length = neighbours(st, i)
    for k in range(first, first + length):
        j = whole(found[k])
        other = motion[j]
        dx, dy, wx, wy = motion_at(st, j, t)
        dx -= x
        dy -= y
        wx -= ux
        wy -= uy
        ax = gravity_x(st, st.motion[j].flags) - gx
        ay = gravity_y(st, st.motion[j].flags) - gy
        sigma = disc.radius + other.radius
        alpha = gamma * sigma
        sigma *= 1.0 + gamma * t
        overlap = dx * dx + dy * dy < sigma * sigma
        overlaps += overlap
        limit = min(best, other.renewal)
        if ax == 0.0 and ay == 0.0:
            when = t + growing_pair_time(dx, dy, wx, wy, sigma, alpha)
        elif limit < INF:
            when = t + falling_pair_time(dx, dy, wx, wy, ax, ay, sigma, alpha, max(limit - t, 0.0))
        else:
            when = INF
        if when < limit or (when == limit and limit == best and j < partner):
            best = when
            partner = j
            stabilising = d.STABILISING if overlap else 0
    _store_event(st, i, t, best, partner, stabilising)
    return overlaps
