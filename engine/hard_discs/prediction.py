"""The next event of a disc: with a neighbour, with a wall, or the end of its shell.

Of a pair one disc suffices: a disc takes only those meetings that come before the neighbour's own event, for then the
neighbour is predicted again and sees to the pair. Every event of a disc ends in a prediction, so none is lost.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from engine.geometry.minimum_image import nearest_image
from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs
from engine.hard_discs.predictors import (
    comes_within,
    falling_pair_time,
    growing_pair_time,
    pair_time,
    plate_time,
    wall_time,
)
from engine.kernels import inlined, whole

INF = float("inf")


@inlined
def pull_x(st: Discs, flags: int) -> float:
    """Acceleration along x of a disc with these flags."""
    pull: float = 0.0 if flags & d.BORNE_X else st.state.gx
    return pull


@inlined
def pull_y(st: Discs, flags: int) -> float:
    """Acceleration along y of a disc with these flags."""
    pull: float = 0.0 if flags & d.BORNE_Y else st.state.gy
    return pull


@inlined
def bring_to(st: Discs, i: int, t: float) -> None:
    """Position and velocity of disc i at the time t."""
    disc = st.motion[i]
    dt = t - disc.time
    disc.time = t
    if st.state.gravity:
        flags = st.entry[i].flags
        gx = pull_x(st, flags)
        gy = pull_y(st, flags)
        disc.x += dt * (disc.vx + 0.5 * gx * dt)
        disc.y += dt * (disc.vy + 0.5 * gy * dt)
        disc.vx += gx * dt
        disc.vy += gy * dt
    else:
        disc.x += dt * disc.vx
        disc.y += dt * disc.vy


@inlined
def _leave_shell(st: Discs, i: int, ux: float, uy: float) -> float:
    """When disc i leaves its shell, from now. Under gravity not after that."""
    x = st.motion[i].x - np.float64(st.reference[i].x)
    y = st.motion[i].y - np.float64(st.reference[i].y)
    s = st.state.shell_radius
    if st.state.gravity:
        left = max(s - sqrt(x * x + y * y), 0.0)
        speed = sqrt(ux * ux + uy * uy)
        flags = st.entry[i].flags
        gx = pull_x(st, flags)
        gy = pull_y(st, flags)
        pull = sqrt(gx * gx + gy * gy)
        if speed == 0.0 and pull == 0.0:
            return INF
        if left == 0.0:
            return 0.0
        soonest: float = 2.0 * left / (speed + sqrt(speed * speed + 2.0 * pull * left))
        return soonest
    v2 = ux * ux + uy * uy
    if v2 == 0.0:
        return INF
    b = x * ux + y * uy
    left = max(s * s - x * x - y * y, 0.0)
    root = sqrt(b * b + v2 * left)
    dt: float = left / (root + b) if b > 0.0 else (root - b) / v2
    return dt


@inlined
def _meet_walls(st: Discs, i: int, limit: float) -> float:
    """The first wall that disc i meets before `limit` goes into `what`; returns dt or `limit`."""
    state = st.state
    disc = st.motion[i]
    growth = state.growth_rate * disc.radius
    radius = disc.radius + growth * disc.time
    flags = st.entry[i].flags
    for axis in range(2):
        x = disc.x if axis == 0 else disc.y
        speed = disc.vx if axis == 0 else disc.vy
        side = state.lx if axis == 0 else state.ly
        if state.gravity:
            pull = pull_x(st, flags) if axis == 0 else pull_y(st, flags)
            low = plate_time(x - radius, speed - growth, pull)
            high = plate_time(side - x - radius, -speed - growth, -pull)
            # held by this wall: nothing until something hits it
            if flags & (d.BORNE_X << axis) and speed == 0.0:
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
def predict(st: Discs, i: int, t: float) -> int:
    """Fill `event` and `what` of disc i, which is up to date at t and in no queue; returns the overlaps it has."""
    if st.state.gravity:
        return _predict_falling(st, i, t)
    return _predict_free(st, i, t)


@inlined
def _predict_free(st: Discs, i: int, t: float) -> int:
    motion = st.motion
    state = st.state
    disc = motion[i]
    entry = st.entry[i]
    x = disc.x
    y = disc.y
    ux = disc.vx
    uy = disc.vy
    radius = disc.radius
    gamma = state.growth_rate
    growth = 1.0 + gamma * t
    flags = entry.flags
    edge = flags & d.EDGE
    lx = state.lx
    ly = state.ly
    hx = state.half_x
    hy = state.half_y
    best = t + _leave_shell(st, i, ux, uy)
    partner = whole(d.SHELL) if best < INF else whole(d.NOTHING)
    stabilising = 0
    overlaps = 0
    start = whole(np.uint32(entry.start))
    length = whole(np.uint32(entry.length))
    state.pair_tests += length
    for k in range(start, start + length):
        j = whole(st.pool[k])
        other = motion[j]
        dt = t - other.time
        wx = other.vx
        wy = other.vy
        dx = other.x + wx * dt - x
        dy = other.y + wy * dt - y
        if edge:
            dx = nearest_image(dx, lx, hx)
            dy = nearest_image(dy, ly, hy)
        wx -= ux
        wy -= uy
        sigma = radius + other.radius
        b = dx * wx + dy * wy  # computed below the branch it costs a third of the speed
        if gamma != 0.0:
            alpha = gamma * sigma
            sigma *= growth
            if dx * dx + dy * dy < sigma * sigma:
                overlaps += 1
            limit = min(best, other.event)
            when = t + growing_pair_time(dx, dy, wx, wy, sigma, alpha)
            if when < limit or (when == limit and limit == best and j < partner):
                best = when
                partner = j
                stabilising = d.STABILISING if dx * dx + dy * dy < sigma * sigma else 0
            continue
        c = dx * dx + dy * dy - sigma * sigma
        if c < 0.0:
            overlaps += 1
        limit = min(best, other.event)
        if comes_within(b, c, limit - t):
            when = t + pair_time(wx * wx + wy * wy, b, c)
            if when < limit or (when == limit and limit == best and j < partner):
                best = when
                partner = j
                stabilising = d.STABILISING if c < 0.0 else 0
    if flags & d.NEAR_WALLS:
        entry.what = partner
        dt = _meet_walls(st, i, best - t)
        if entry.what != partner:
            best = t + dt
            partner = whole(entry.what)
            stabilising = 0
    _settle(st, i, best, partner, stabilising)
    return overlaps


@inlined
def _settle(st: Discs, i: int, when: float, what: int, stabilising: int) -> None:
    st.motion[i].event = when
    entry = st.entry[i]
    entry.what = what
    if what >= 0:
        entry.partner_hits = st.entry[what].hits
        entry.flags = (entry.flags & ~d.STABILISING) | stabilising


@inlined
def _predict_falling(st: Discs, i: int, t: float) -> int:
    """`predict` under gravity, which only walls enclose: relative motion is straight but where one of the two is
    borne by a wall."""
    motion = st.motion
    state = st.state
    disc = motion[i]
    entry = st.entry[i]
    x = disc.x
    y = disc.y
    ux = disc.vx
    uy = disc.vy
    flags = entry.flags
    gx = pull_x(st, flags)
    gy = pull_y(st, flags)
    gamma = state.growth_rate
    best = t + _leave_shell(st, i, ux, uy)
    partner = whole(d.SHELL) if best < INF else whole(d.NOTHING)
    stabilising = 0
    overlaps = 0
    start = whole(entry.start)
    for k in range(start, start + whole(entry.length)):
        j = whole(st.pool[k])
        other = motion[j]
        others = st.entry[j].flags
        ax = pull_x(st, others)
        ay = pull_y(st, others)
        dt = t - other.time
        dx = other.x + dt * (other.vx + 0.5 * ax * dt) - x
        dy = other.y + dt * (other.vy + 0.5 * ay * dt) - y
        wx = other.vx + ax * dt - ux
        wy = other.vy + ay * dt - uy
        ax -= gx
        ay -= gy
        sigma = disc.radius + other.radius
        alpha = gamma * sigma
        sigma *= 1.0 + gamma * t
        overlap = dx * dx + dy * dy < sigma * sigma
        overlaps += overlap
        limit = min(best, other.event)
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
    if flags & d.NEAR_WALLS:
        entry.what = partner
        dt = _meet_walls(st, i, best - t)
        if entry.what != partner:
            best = t + dt
            partner = whole(entry.what)
            stabilising = 0
    _settle(st, i, best, partner, stabilising)
    return overlaps
