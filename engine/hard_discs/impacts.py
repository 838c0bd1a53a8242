"""What an event does: two discs collide, a disc bounces off a wall."""

from __future__ import annotations

from math import sqrt

import numpy as np

from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs
from engine.hard_discs.prediction import pull_x, pull_y
from engine.kernels import inlined, whole

INF = float("inf")


@inlined
def mass_of(st: Discs, i: int) -> float:
    """Mass of disc i."""
    mass: float = st.mass[0] if st.si[d.EQUAL_MASSES] else st.mass[i]
    return mass


@inlined
def _note(st: Discs, t: float, i: int, j: int) -> None:
    k = (st.si[d.PAIRS] + st.si[d.WALLS]) & (d.RING - 1)
    st.ring_time[k] = t
    st.ring_pair[2 * k] = i
    st.ring_pair[2 * k + 1] = j


@inlined
def _keeps_energy(st: Discs, i: int, t: float) -> bool:
    """The contact-time rule: disc i had its last contact less than t_c ago."""
    return bool(t - st.rec[(i << 3) + d.LAST] < st.sf[d.CONTACT_TIME])


@inlined
def _count_separation(st: Discs, distance2: float, sigma: float) -> None:
    """(|r| - sigma) in units in the last place of sigma, from the difference of squares: the root would round."""
    unit = np.spacing(sigma)
    x = (distance2 - sigma * sigma) / (2.0 * sigma) / unit
    k = whole(min(max(round(x), -d.HISTOGRAM), d.HISTOGRAM))
    st.impacts[k + d.HISTOGRAM] += 1


@inlined
def collide(st: Discs, i: int, j: int, t: float) -> int:
    """Discs i and j, both up to date at t, exchange momentum (equation 5). -1: they do not approach, and nothing has
    happened; 1: they overlap; else 0."""
    rec = st.rec
    sf = st.sf
    si = st.si
    o = i << 3
    q = j << 3
    dx = rec[q + d.X] - rec[o + d.X]
    dy = rec[q + d.Y] - rec[o + d.Y]
    if si[d.PERIODIC]:
        if dx > sf[d.HALF_X]:
            dx -= sf[d.LX]
        elif dx < -sf[d.HALF_X]:
            dx += sf[d.LX]
        if dy > sf[d.HALF_Y]:
            dy -= sf[d.LY]
        elif dy < -sf[d.HALF_Y]:
            dy += sf[d.LY]
    r2 = dx * dx + dy * dy
    b = dx * (rec[q + d.VX] - rec[o + d.VX]) + dy * (rec[q + d.VY] - rec[o + d.VY])
    sigma = (rec[o + d.R] + rec[q + d.R]) * (1.0 + sf[d.GAMMA] * t)
    closing = b
    if sf[d.GAMMA] != 0.0:
        closing -= sf[d.GAMMA] * (rec[o + d.R] + rec[q + d.R]) * sqrt(r2)
    if closing >= 0.0 or r2 == 0.0:
        if not si[d.GRAVITY] or r2 == 0.0:
            return -1
        closing = 0.0  # one falls onto the other from rest: counted, so that it is seen that the clock stands
    restitution = sf[d.RESTITUTION]
    if sf[d.CONTACT_TIME] > 0.0 and (_keeps_energy(st, i, t) or _keeps_energy(st, j, t)):
        restitution = 1.0
    mi = mass_of(st, i)
    mj = mass_of(st, j)
    push = -(1.0 + restitution) * closing / r2
    share_i = 0.5
    share_j = 0.5
    if not si[d.EQUAL_MASSES]:
        share_i = mj / (mi + mj)
        share_j = mi / (mi + mj)
    rec[o + d.VX] -= share_i * push * dx
    rec[o + d.VY] -= share_i * push * dy
    rec[q + d.VX] += share_j * push * dx
    rec[q + d.VY] += share_j * push * dy
    rec[o + d.LAST] = t
    rec[q + d.LAST] = t
    st.ri[o + d.HITS] += 1
    st.ri[q + d.HITS] += 1
    sf[d.VIRIAL] += mi * share_i * push * r2
    sf[d.KINETIC_TIME] += sf[d.KINETIC] * (t - sf[d.KINETIC_SINCE])
    sf[d.KINETIC_SINCE] = t
    sf[d.KINETIC] += 0.5 * mi * share_i * push * (2.0 * b + push * r2)
    if si[d.COUNT_IMPACTS]:
        _count_separation(st, r2, sigma)
    if st.ri[o + d.FLAGS] & d.STABILISING:
        si[d.STABILISED] += 1
    if si[d.GRAVITY]:
        st.ri[o + d.FLAGS] &= ~d.BORNE
        st.ri[q + d.FLAGS] &= ~d.BORNE
    _note(st, t, i, j)
    si[d.PAIRS] += 1
    return 1 if r2 - sigma * sigma < 0.0 else 0


@inlined
def bounce(st: Discs, i: int, t: float) -> None:
    """Disc i, up to date at t, is reflected by the wall in WHAT.

    Pulled towards the wall, and with a rebound whose peak is less than a unit in the last place of the coordinate,
    it comes to rest there: its gap could not be told from 0.
    """
    rec = st.rec
    sf = st.sf
    o = i << 3
    wall = d.WALL_LEFT - st.ri[o + d.WHAT]
    axis = wall >> 1
    outwards = -1.0 if wall & 1 else 1.0  # away from the wall
    growth = sf[d.GAMMA] * rec[o + d.R]
    old = rec[o + d.VX + axis]
    speed = outwards * old - growth
    restitution = sf[d.WALL_RESTITUTION]
    if sf[d.CONTACT_TIME] > 0.0 and _keeps_energy(st, i, t):
        restitution = 1.0
    rebound = growth - restitution * min(speed, 0.0)
    if st.si[d.GRAVITY]:
        flags = st.ri[o + d.FLAGS]
        pull = outwards * (pull_x(st, flags) if axis == 0 else pull_y(st, flags))
        peak = rebound * rebound
        if pull < 0.0 and growth == 0.0 and peak <= -2.0 * pull * np.spacing(max(rec[o + axis], rec[o + d.R])):
            rebound = 0.0
            st.ri[o + d.FLAGS] = flags | (d.BORNE_X << axis)
    new = outwards * rebound
    rec[o + d.VX + axis] = new
    rec[o + d.LAST] = t
    st.ri[o + d.HITS] += 1
    sf[d.KINETIC_TIME] += sf[d.KINETIC] * (t - sf[d.KINETIC_SINCE])
    sf[d.KINETIC_SINCE] = t
    sf[d.KINETIC] += 0.5 * mass_of(st, i) * (new - old) * (new + old)
    _note(st, t, i, -1)
    st.si[d.WALLS] += 1
