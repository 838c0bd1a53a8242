"""What an event does: two discs collide, a disc bounces off a wall."""

from __future__ import annotations

from math import sqrt

import numpy as np

from engine.geometry.minimum_image import nearest_image
from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs
from engine.hard_discs.prediction import pull_x, pull_y
from engine.kernels import inlined, whole

INF = float("inf")


@inlined
def mass_of(st: Discs, i: int) -> float:
    """Mass of disc i."""
    mass: float = st.mass[0] if st.state.equal_masses else st.mass[i]
    return mass


@inlined
def _note(st: Discs, t: float, i: int, j: int) -> None:
    k = (st.state.pair_collisions + st.state.wall_collisions) & (d.RING - 1)
    contact = st.newest[k]
    contact.time = t
    contact.one = i
    contact.other = j


@inlined
def _keeps_energy(st: Discs, i: int, t: float) -> bool:
    """The contact-time rule: disc i had its last contact less than t_c ago."""
    return bool(t - st.motion[i].last_contact < st.state.contact_time)


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
    state = st.state
    one = st.motion[i]
    other = st.motion[j]
    entry = st.entry[i]
    dx = other.x - one.x
    dy = other.y - one.y
    if state.periodic:
        dx = nearest_image(dx, state.lx, state.half_x)
        dy = nearest_image(dy, state.ly, state.half_y)
    r2 = dx * dx + dy * dy
    b = dx * (other.vx - one.vx) + dy * (other.vy - one.vy)
    sigma = (one.radius + other.radius) * (1.0 + state.growth_rate * t)
    closing = b
    if state.growth_rate != 0.0:
        closing -= state.growth_rate * (one.radius + other.radius) * sqrt(r2)
    if closing >= 0.0 or r2 == 0.0:
        if not state.gravity or r2 == 0.0:
            return -1
        closing = 0.0  # one falls onto the other from rest: counted, so that it is seen that the clock stands
    restitution = state.restitution
    if state.contact_time > 0.0 and (_keeps_energy(st, i, t) or _keeps_energy(st, j, t)):
        restitution = 1.0
    mi = mass_of(st, i)
    mj = mass_of(st, j)
    push = -(1.0 + restitution) * closing / r2
    share_i = 0.5
    share_j = 0.5
    if not state.equal_masses:
        share_i = mj / (mi + mj)
        share_j = mi / (mi + mj)
    one.vx -= share_i * push * dx
    one.vy -= share_i * push * dy
    other.vx += share_j * push * dx
    other.vy += share_j * push * dy
    one.last_contact = t
    other.last_contact = t
    entry.hits += 1
    st.entry[j].hits += 1
    state.virial += mi * share_i * push * r2
    state.kinetic_integral += state.kinetic_energy * (t - state.kinetic_since)
    state.kinetic_since = t
    state.kinetic_energy += 0.5 * mi * share_i * push * (2.0 * b + push * r2)
    if state.count_impacts:
        _count_separation(st, r2, sigma)
    if entry.flags & d.STABILISING:
        state.stabilising_events += 1
    if state.gravity:
        entry.flags &= ~d.BORNE
        st.entry[j].flags &= ~d.BORNE
    _note(st, t, i, j)
    state.pair_collisions += 1
    return 1 if r2 - sigma * sigma < 0.0 else 0


@inlined
def bounce(st: Discs, i: int, t: float) -> None:
    """Disc i, up to date at t, is reflected by the wall in `what`.

    Pulled towards the wall, and with a rebound whose peak is less than a unit in the last place of the coordinate,
    it comes to rest there: its gap could not be told from 0.
    """
    state = st.state
    disc = st.motion[i]
    entry = st.entry[i]
    wall = d.WALL_LEFT - entry.what
    axis = wall >> 1
    outwards = -1.0 if wall & 1 else 1.0  # away from the wall
    growth = state.growth_rate * disc.radius
    old = disc.vx if axis == 0 else disc.vy
    speed = outwards * old - growth
    restitution = state.wall_restitution
    if state.contact_time > 0.0 and _keeps_energy(st, i, t):
        restitution = 1.0
    rebound = growth - restitution * min(speed, 0.0)
    if state.gravity:
        flags = entry.flags
        pull = outwards * (pull_x(st, flags) if axis == 0 else pull_y(st, flags))
        place = disc.x if axis == 0 else disc.y
        peak = rebound * rebound
        if pull < 0.0 and growth == 0.0 and peak <= -2.0 * pull * np.spacing(max(place, disc.radius)):
            rebound = 0.0
            entry.flags = flags | (d.BORNE_X << axis)
    new = outwards * rebound
    if axis == 0:
        disc.vx = new
    else:
        disc.vy = new
    disc.last_contact = t
    entry.hits += 1
    state.kinetic_integral += state.kinetic_energy * (t - state.kinetic_since)
    state.kinetic_since = t
    state.kinetic_energy += 0.5 * mass_of(st, i) * (new - old) * (new + old)
    _note(st, t, i, -1)
    state.wall_collisions += 1
