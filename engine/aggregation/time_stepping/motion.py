"""How clusters get their velocities: walls and joining (2.2), (2.9); and how far they reach."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.recent import note
from engine.aggregation.time_stepping.arrays import Stepping
from engine.geometry.minimum_image import rounded_image
from engine.kernels import inlined, inner


@inlined
def set_velocity(st: Stepping, c: int) -> None:
    """Velocity of a cluster from its momentum."""
    st.clusters[c].vx = st.clusters[c].px / st.clusters[c].mass
    st.clusters[c].vy = st.clusters[c].py / st.clusters[c].mass


@inlined
def extent(st: Stepping, pos: NDArray[np.float64], c: int) -> tuple[float, float, float, float, float]:
    """Extent of cluster c at the places `pos` (N, 2): low and high x, low and high y; and its least radius."""
    x0 = y0 = least = np.inf
    x1 = y1 = -np.inf
    i = c
    while True:
        r = st.radius[i]
        x0 = min(x0, pos[i, 0] - r)
        x1 = max(x1, pos[i, 0] + r)
        y0 = min(y0, pos[i, 1] - r)
        y1 = max(y1, pos[i, 1] + r)
        least = min(least, r)
        st.sim[0].work += 1
        i = st.ring[i]
        if i == c:
            return x0, x1, y0, y1, least


@inner
def find_fastest(st: Stepping) -> None:
    """max |V_k| over the clusters, for the adaptive step (3.3)."""
    fastest = 0.0
    for k in range(st.sim[0].clusters):
        c = st.live[k]
        fastest = max(fastest, st.clusters[c].vx ** 2 + st.clusters[c].vy ** 2)
    st.sim[0].fastest = fastest**0.5
    st.sim[0].work += st.sim[0].clusters // 8


@inner
def note_wall(st: Stepping, c: int, axis: int, before: float) -> None:
    """Keep where a cluster has touched a wall at the end of this step: at the outermost of its discs. before : its
    momentum along `axis` until then."""
    pos = st.pos[1 - st.sim[0].which]
    outward = 1.0 if before > 0.0 else -1.0
    furthest = -np.inf
    at = c
    i = c
    while True:
        reach = outward * pos[i, axis] + st.radius[i]
        if reach > furthest:
            furthest = reach
            at = i
        st.sim[0].work += 1
        i = st.ring[i]
        if i == c:
            break
    x = pos[at, 0]
    y = pos[at, 1]
    if axis == 0:
        x = st.sim[0].box_x if outward > 0.0 else 0.0
    else:
        y = st.sim[0].box_y if outward > 0.0 else 0.0
    note(st.recent, st.recent_next, st.sim[0].time + st.sim[0].dt, x, y, at, -1)


@inner
def note_link(st: Stepping, i: int, j: int) -> None:
    """Keep where two discs have met that join their clusters, at the end of this step."""
    pos = st.pos[1 - st.sim[0].which]
    dx = pos[j, 0] - pos[i, 0]
    dy = pos[j, 1] - pos[i, 1]
    if st.sim[0].periodic:
        dx = rounded_image(dx, st.sim[0].box_x)
        dy = rounded_image(dy, st.sim[0].box_y)
    part = st.radius[i] / (st.radius[i] + st.radius[j])
    time = st.sim[0].time + st.sim[0].dt
    note(st.recent, st.recent_next, time, pos[i, 0] + part * dx, pos[i, 1] + part * dy, i, j)


@inner
def bounce(st: Stepping, c: int, vx: float, vy: float) -> None:
    """Give a cluster the velocity that a wall has left it; counts one event per component turned round."""
    clusters = st.clusters
    sim = st.sim[0]
    mass = clusters[c].mass
    if vx != clusters[c].vx:
        before = clusters[c].px
        clusters[c].px = 0.0 if vx == 0.0 else -before
        sim.impulse_x += clusters[c].px - before
        sim.energy -= 0.5 * (before * before - clusters[c].px ** 2) / mass
        st.sim[0].walls += 1
        note_wall(st, c, 0, before)
    if vy != clusters[c].vy:
        before = clusters[c].py
        clusters[c].py = 0.0 if vy == 0.0 else -before
        sim.impulse_y += clusters[c].py - before
        sim.energy -= 0.5 * (before * before - clusters[c].py ** 2) / mass
        st.sim[0].walls += 1
        note_wall(st, c, 1, before)
    set_velocity(st, c)


@inner
def join(st: Stepping, c: int, d: int) -> None:
    """Clusters c and d move on as one (2.9); the heavier one keeps its name."""
    clusters = st.clusters
    sim = st.sim[0]
    if clusters[d].mass > clusters[c].mass or (clusters[d].mass == clusters[c].mass and d < c):
        c, d = d, c
    ux = clusters[d].vx - clusters[c].vx
    uy = clusters[d].vy - clusters[c].vy
    reduced = clusters[c].mass * clusters[d].mass / (clusters[c].mass + clusters[d].mass)
    st.sim[0].energy = max(0.0, st.sim[0].energy - 0.5 * reduced * (ux * ux + uy * uy))
    clusters[c].mass += clusters[d].mass
    clusters[c].px += clusters[d].px
    clusters[c].py += clusters[d].py
    set_velocity(st, c)
    i = d
    while True:
        st.label[i] = c
        sim.work += 1
        i = st.ring[i]
        if i == d:
            break
    st.ring[c], st.ring[d] = st.ring[d], st.ring[c]
    last = sim.clusters - 1
    moved = st.live[last]
    st.live[st.seat[d]] = moved
    st.seat[moved] = st.seat[d]
    st.seat[d] = -1
    sim.clusters = last
    sim.merges += 1
