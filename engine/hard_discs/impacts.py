"""Collisions: two discs exchange momentum, a disc is reflected by a wall."""

from __future__ import annotations

from math import sqrt

import numpy as np

from engine.geometry.vectors import Vector, component, dot, largest, minus, over, plus, times, with_component
from engine.hard_discs import discs as d
from engine.hard_discs.discs import DiscArrays
from engine.hard_discs.motion import (
    apart,
    gravity,
    held_along,
    position,
    put_velocity,
    put_velocity_along,
    sides,
    velocity,
)
from engine.kernels import inlined, inner, whole

INF = float("inf")


@inlined
def mass_of(st: DiscArrays, i: int) -> float:
    """Mass of disc i."""
    mass: float = st.mass[0] if st.state.equal_masses else st.mass[i]
    return mass


@inlined
def _record_contact(st: DiscArrays, t: float, i: int, j: int) -> None:
    """Keep a collision as one of the newest; j = -1 for a wall."""
    k = (st.state.pair_collisions + st.state.wall_collisions) & (d.RING - 1)
    contact = st.newest[k]
    contact.time = t
    contact.one = i
    contact.other = j


@inlined
def _took_part(st: DiscArrays, i: int, first: int, end: int) -> bool:
    """Whether disc i took part in one of the collisions `first` to `end` - 1; always true for a wall, i = -1."""
    for k in range(first, end):
        contact = st.newest[k & (d.RING - 1)]
        if contact.one == i or contact.other == i:
            return True
    return i < 0


@inlined
def _speed_apart(st: DiscArrays, i: int, j: int) -> float:
    """The speed at which discs i and j, both up to date, approach or recede."""
    delta, u, _ = apart(st, i, j)
    along = abs(dot(delta, u))
    return float(along / sqrt(dot(delta, delta)))


@inner
def has_collapsed(st: DiscArrays, i: int, j: int) -> bool:
    """Whether discs i and j, which have just collided, have collapsed with a few others.

    That is so if n >= D + 2 of the newest collisions are between D <= 5 discs, follow each other within rounding of the
    clock, and leave i and j a relative speed that is only rounding. A line of three discs loses all relative motion in
    so few collisions, so the check over many collisions never sees it. Not used under gravity, where collisions
    continue, nor with a contact time, which prevents a collapse.
    """
    state = st.state
    elastic = state.restitution == 1.0 and state.wall_restitution == 1.0
    if elastic or state.gravity or state.contact_time > 0.0 or state.collapsed:
        return False
    end = state.pair_collisions + state.wall_collisions
    discs = 0
    later = state.now
    for n in range(1, min(d.STALL_BACK, end) + 1):
        k = end - n
        contact = st.newest[k & (d.RING - 1)]
        if later - contact.time > state.stall_bound:
            return False
        later = contact.time
        discs += not _took_part(st, contact.one, k + 1, end)
        discs += not _took_part(st, contact.other, k + 1, end)
        if discs > d.FEW:
            return False
        if n >= discs + 2:
            # the bound is 64 units in the last place of the time that the typical speed takes through the box
            typical = 2.0**-46 * largest(sides(st)) / state.stall_bound
            return bool(_speed_apart(st, i, j) <= d.AT_REST * typical)
    return False


@inlined
def _within_contact_time(st: DiscArrays, i: int, t: float) -> bool:
    """Whether disc i had its last contact less than t_c ago: its collision then keeps the energy."""
    return bool(t - st.entry[i].last_contact < st.state.contact_time)


@inlined
def _count_separation(st: DiscArrays, distance2: float, sigma: float) -> None:
    """Count the separation at impact, |r| - σ in units in the last place of σ.

    |r| - σ ≈ (r² - σ²) / (2 σ): the rounding of a square root would be as large as the separation itself.
    """
    unit = np.spacing(sigma)
    x = (distance2 - sigma * sigma) / (2.0 * sigma) / unit
    k = whole(min(max(round(x), -d.HISTOGRAM), d.HISTOGRAM))
    st.impacts[k + d.HISTOGRAM] += 1


@inlined
def _add_virial(st: DiscArrays, pushed: float, delta: Vector) -> None:
    """Add what a collision transfers, the momentum `pushed` times `delta`, to the parts of the virial."""
    state = st.state
    state.virial_xx += pushed * delta[0] * delta[0]
    state.virial_yy += pushed * delta[1] * delta[1]
    state.virial_xy += pushed * delta[0] * delta[1]
    if len(delta) > 2:
        state.virial_zz += pushed * delta[2] * delta[2]


@inlined
def collide(st: DiscArrays, i: int, j: int, t: float) -> int:
    """Discs i and j, both up to date at t, exchange momentum (Bannerman et al. 2014, equation 5).

    Returns 1 where they overlap, 0 where they do not, and -1 where they do not approach: then nothing has changed.
    """
    state = st.state
    one = st.motion[i]
    other = st.motion[j]
    entry = st.entry[i]
    delta, u, turns = apart(st, i, j)
    r2 = dot(delta, delta)
    vi = velocity(st, i)
    vj = velocity(st, j)
    b = dot(delta, u)
    sigma = (one.radius + other.radius) * (1.0 + state.growth_rate * t)
    closing = b
    if state.growth_rate != 0.0:
        closing -= state.growth_rate * (one.radius + other.radius) * sqrt(r2)
    if closing >= 0.0 or r2 == 0.0:
        if not state.gravity or r2 == 0.0:
            return -1
        closing = 0.0  # one falls from rest onto the other: counted as a collision, so that a collapse is noticed
    restitution = state.restitution
    if state.contact_time > 0.0 and (_within_contact_time(st, i, t) or _within_contact_time(st, j, t)):
        restitution = 1.0
    mi = mass_of(st, i)
    mj = mass_of(st, j)
    per_r2 = 1.0 / r2
    push = -(1.0 + restitution) * closing * per_r2
    share_i = 0.5
    share_j = 0.5
    if not state.equal_masses:
        share_i = mj / (mi + mj)
        share_j = mi / (mi + mj)
    # If the same two discs collide again and again, each collision would change the energy by a rounding error of the
    # same sign. So the rounding errors of relative velocity and momentum are corrected here.
    impulse = times(push, delta)
    new_vi = minus(vi, times(share_i, impulse))
    new_vj = plus(vj, times(share_j, impulse))
    w = minus(new_vj, new_vi)
    if turns != 0:
        w = with_component(w, 0, w[0] + turns * (state.shear_rate * state.ly))
    w = plus(w, times(restitution, u))
    missing = ((1.0 + restitution) * (b - closing) - dot(delta, w)) * per_r2
    more = times(missing, delta)
    if not state.equal_masses:
        gained = over(plus(times(mi, minus(new_vi, vi)), times(mj, minus(new_vj, vj))), mi + mj)
        new_vi = minus(new_vi, gained)
        new_vj = minus(new_vj, gained)
    put_velocity(st, i, minus(new_vi, times(share_i, more)))
    put_velocity(st, j, plus(new_vj, times(share_j, more)))
    entry.last_contact = t
    st.entry[j].last_contact = t
    one.hits += 1
    st.motion[j].hits += 1
    state.virial += mi * share_i * push * r2
    if state.sheared:
        _add_virial(st, mi * share_i * push, delta)
    state.kinetic_integral += state.kinetic_energy * (t - state.kinetic_since)
    state.kinetic_since = t
    state.kinetic_energy += 0.5 * mi * share_i * push * (2.0 * b + push * r2)
    if state.count_impacts:
        _count_separation(st, r2, sigma)
    if one.flags & d.STABILISING:
        state.stabilising_events += 1
    if state.gravity:
        one.flags &= ~d.HELD
        st.motion[j].flags &= ~d.HELD
    _record_contact(st, t, i, j)
    state.pair_collisions += 1
    return 1 if r2 - sigma * sigma < 0.0 else 0


@inlined
def _add_push(st: DiscArrays, wall: int, push: float) -> None:
    """Add to the momentum that a wall has taken; wall : its number, 0 for the left one."""
    state = st.state
    if wall == 0:
        state.push_left += push
    elif wall == 1:
        state.push_right += push
    elif wall == 2:
        state.push_bottom += push
    elif wall == 3:
        state.push_top += push
    elif wall == 4:
        state.push_front += push
    else:
        state.push_back += push


@inlined
def bounce(st: DiscArrays, i: int, t: float) -> None:
    """Disc i, up to date at t, is reflected by the wall that is in `what`.

    Where gravity pulls it towards the wall and it would rebound by less than one unit in the last place of its
    coordinate, it comes to rest on the wall: floating point cannot tell such a gap from 0.
    """
    state = st.state
    disc = st.motion[i]
    entry = st.entry[i]
    wall = d.WALL_LEFT - entry.what
    axis = wall >> 1
    outwards = -1.0 if wall & 1 else 1.0  # away from the wall
    growth = state.growth_rate * disc.radius
    old = component(velocity(st, i), axis)
    speed = outwards * old - growth
    restitution = state.wall_restitution
    if state.contact_time > 0.0 and _within_contact_time(st, i, t):
        restitution = 1.0
    rebound = growth - restitution * min(speed, 0.0)
    if state.gravity:
        flags = disc.flags
        g = outwards * component(gravity(st, flags), axis)
        place = component(position(st, i), axis)
        # it would rise by v² / (2 |g|)
        if g < 0.0 and growth == 0.0 and rebound * rebound <= -2.0 * g * np.spacing(max(place, disc.radius)):
            rebound = 0.0
            disc.flags = flags | held_along(axis)
    new = outwards * rebound
    put_velocity_along(st, i, axis, new)
    _add_push(st, wall, mass_of(st, i) * abs(new - old))
    entry.last_contact = t
    disc.hits += 1
    state.kinetic_integral += state.kinetic_energy * (t - state.kinetic_since)
    state.kinetic_since = t
    state.kinetic_energy += 0.5 * mass_of(st, i) * (new - old) * (new + old)
    _record_contact(st, t, i, -1)
    state.wall_collisions += 1
