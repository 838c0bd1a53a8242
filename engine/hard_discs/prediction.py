"""The next event of a disc: with a neighbour, with a wall, or the end of its shell.

Of a pair one disc suffices: a disc takes only those meetings that come before the neighbour's own event, for then the
neighbour is predicted again and sees to the pair. Every event of a disc ends in a prediction, so none is lost.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

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
    pull: float = 0.0 if flags & d.BORNE_X else st.sf[d.GX]
    return pull


@inlined
def pull_y(st: Discs, flags: int) -> float:
    """Acceleration along y of a disc with these flags."""
    pull: float = 0.0 if flags & d.BORNE_Y else st.sf[d.GY]
    return pull


@inlined
def bring_to(st: Discs, i: int, t: float) -> None:
    """Position and velocity of disc i at the time t."""
    o = i << 3
    dt = t - st.rec[o + d.T]
    st.rec[o + d.T] = t
    if st.si[d.GRAVITY]:
        flags = st.ri[o + d.FLAGS]
        gx = pull_x(st, flags)
        gy = pull_y(st, flags)
        st.rec[o + d.X] += dt * (st.rec[o + d.VX] + 0.5 * gx * dt)
        st.rec[o + d.Y] += dt * (st.rec[o + d.VY] + 0.5 * gy * dt)
        st.rec[o + d.VX] += gx * dt
        st.rec[o + d.VY] += gy * dt
    else:
        st.rec[o + d.X] += dt * st.rec[o + d.VX]
        st.rec[o + d.Y] += dt * st.rec[o + d.VY]


@inlined
def _nearest(delta: float, side: float, half: float) -> float:
    if delta > half:
        return delta - side
    if delta < -half:
        return delta + side
    return delta


@inlined
def _leave_shell(st: Discs, i: int, ux: float, uy: float) -> float:
    """When disc i leaves its shell, from now. Under gravity not after that."""
    o = i << 3
    x = st.rec[o + d.X] - np.float64(st.ref[2 * i])
    y = st.rec[o + d.Y] - np.float64(st.ref[2 * i + 1])
    s = st.sf[d.SHELL_RADIUS]
    if st.si[d.GRAVITY]:
        left = max(s - sqrt(x * x + y * y), 0.0)
        speed = sqrt(ux * ux + uy * uy)
        flags = st.ri[o + d.FLAGS]
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
    """The first wall that disc i meets before `limit` goes into WHAT; returns dt or `limit`."""
    o = i << 3
    sf = st.sf
    growth = sf[d.GAMMA] * st.rec[o + d.R]
    radius = st.rec[o + d.R] + growth * st.rec[o + d.T]
    flags = st.ri[o + d.FLAGS]
    for axis in range(2):
        x = st.rec[o + axis]
        speed = st.rec[o + d.VX + axis]
        if st.si[d.GRAVITY]:
            pull = pull_x(st, flags) if axis == 0 else pull_y(st, flags)
            low = plate_time(x - radius, speed - growth, pull)
            high = plate_time(sf[d.LX + axis] - x - radius, -speed - growth, -pull)
            # held by this wall: nothing until something hits it
            if flags & (d.BORNE_X << axis) and speed == 0.0:
                low = high = INF
        else:
            low = wall_time(x - radius, speed - growth)
            high = wall_time(sf[d.LX + axis] - x - radius, -speed - growth)
        if low < limit:
            limit = low
            st.ri[o + d.WHAT] = d.WALL_LEFT - 2 * axis
        if high < limit:
            limit = high
            st.ri[o + d.WHAT] = d.WALL_RIGHT - 2 * axis
    return limit


@inlined
def predict(st: Discs, i: int, t: float) -> int:
    """EVENT and WHAT of disc i, which is up to date at t and stands in no queue; returns the overlaps it has."""
    if st.si[d.GRAVITY]:
        return _predict_falling(st, i, t)
    return _predict_free(st, i, t)


@inlined
def _predict_free(st: Discs, i: int, t: float) -> int:
    rec = st.rec
    ri = st.ri
    sf = st.sf
    o = i << 3
    x = rec[o + d.X]
    y = rec[o + d.Y]
    ux = rec[o + d.VX]
    uy = rec[o + d.VY]
    radius = rec[o + d.R]
    gamma = sf[d.GAMMA]
    growth = 1.0 + gamma * t
    flags = ri[o + d.FLAGS]
    edge = flags & d.EDGE
    lx = sf[d.LX]
    ly = sf[d.LY]
    hx = sf[d.HALF_X]
    hy = sf[d.HALF_Y]
    best = t + _leave_shell(st, i, ux, uy)
    partner = whole(d.SHELL) if best < INF else whole(d.NOTHING)
    stabilising = 0
    overlaps = 0
    start = whole(np.uint32(ri[o + d.START]))
    length = whole(np.uint32(ri[o + d.LENGTH]))
    st.si[d.TESTS] += length
    for k in range(start, start + length):
        j = whole(st.pool[k])
        q = j << 3
        dt = t - rec[q + d.T]
        wx = rec[q + d.VX]
        wy = rec[q + d.VY]
        dx = rec[q + d.X] + wx * dt - x
        dy = rec[q + d.Y] + wy * dt - y
        if edge:
            dx = _nearest(dx, lx, hx)
            dy = _nearest(dy, ly, hy)
        wx -= ux
        wy -= uy
        sigma = radius + rec[q + d.R]
        b = dx * wx + dy * wy  # computed below the branch it costs a third of the speed
        if gamma != 0.0:
            alpha = gamma * sigma
            sigma *= growth
            if dx * dx + dy * dy < sigma * sigma:
                overlaps += 1
            limit = min(best, rec[q + d.EVENT])
            when = t + growing_pair_time(dx, dy, wx, wy, sigma, alpha)
            if when < limit or (when == limit and limit == best and j < partner):
                best = when
                partner = j
                stabilising = d.STABILISING if dx * dx + dy * dy < sigma * sigma else 0
            continue
        c = dx * dx + dy * dy - sigma * sigma
        if c < 0.0:
            overlaps += 1
        limit = min(best, rec[q + d.EVENT])
        if comes_within(b, c, limit - t):
            when = t + pair_time(wx * wx + wy * wy, b, c)
            if when < limit or (when == limit and limit == best and j < partner):
                best = when
                partner = j
                stabilising = d.STABILISING if c < 0.0 else 0
    if flags & d.NEAR_WALLS:
        ri[o + d.WHAT] = partner
        dt = _meet_walls(st, i, best - t)
        if ri[o + d.WHAT] != partner:
            best = t + dt
            partner = whole(ri[o + d.WHAT])
            stabilising = 0
    _settle(st, i, best, partner, stabilising)
    return overlaps


@inlined
def _settle(st: Discs, i: int, when: float, what: int, stabilising: int) -> None:
    o = i << 3
    st.rec[o + d.EVENT] = when
    st.ri[o + d.WHAT] = what
    if what >= 0:
        st.ri[o + d.PARTNER_HITS] = st.ri[(what << 3) + d.HITS]
        st.ri[o + d.FLAGS] = (st.ri[o + d.FLAGS] & ~d.STABILISING) | stabilising


@inlined
def _predict_falling(st: Discs, i: int, t: float) -> int:
    """`predict` under gravity, which only walls enclose: relative motion is straight but where one of the two is
    borne by a wall."""
    rec = st.rec
    ri = st.ri
    sf = st.sf
    o = i << 3
    x = rec[o + d.X]
    y = rec[o + d.Y]
    ux = rec[o + d.VX]
    uy = rec[o + d.VY]
    flags = ri[o + d.FLAGS]
    gx = pull_x(st, flags)
    gy = pull_y(st, flags)
    gamma = sf[d.GAMMA]
    best = t + _leave_shell(st, i, ux, uy)
    partner = whole(d.SHELL) if best < INF else whole(d.NOTHING)
    stabilising = 0
    overlaps = 0
    start = whole(ri[o + d.START])
    for k in range(start, start + whole(ri[o + d.LENGTH])):
        j = whole(st.pool[k])
        q = j << 3
        others = ri[q + d.FLAGS]
        ax = pull_x(st, others)
        ay = pull_y(st, others)
        dt = t - rec[q + d.T]
        dx = rec[q + d.X] + dt * (rec[q + d.VX] + 0.5 * ax * dt) - x
        dy = rec[q + d.Y] + dt * (rec[q + d.VY] + 0.5 * ay * dt) - y
        wx = rec[q + d.VX] + ax * dt - ux
        wy = rec[q + d.VY] + ay * dt - uy
        ax -= gx
        ay -= gy
        sigma = rec[o + d.R] + rec[q + d.R]
        alpha = gamma * sigma
        sigma *= 1.0 + gamma * t
        overlap = dx * dx + dy * dy < sigma * sigma
        overlaps += overlap
        limit = min(best, rec[q + d.EVENT])
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
        ri[o + d.WHAT] = partner
        dt = _meet_walls(st, i, best - t)
        if ri[o + d.WHAT] != partner:
            best = t + dt
            partner = whole(ri[o + d.WHAT])
            stabilising = 0
    _settle(st, i, best, partner, stabilising)
    return overlaps
