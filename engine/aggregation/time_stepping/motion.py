"""What changes velocities at the end of a step: reflections (2.2) and merges (2.9); and where they happened."""

from __future__ import annotations

import numpy as np

from engine.aggregation.recent import note
from engine.aggregation.time_stepping.arrays import Stepping
from engine.geometry.minimum_image import rounded_image
from engine.kernels import inlined, inner


@inlined
def set_velocity(st: Stepping, c: int) -> None:
    """Compute the velocity of a cluster from its momentum and mass."""
    cluster = st.clusters[c]
    cluster.vx = cluster.px / cluster.mass
    cluster.vy = cluster.py / cluster.mass


@inner
def find_fastest(st: Stepping) -> None:
    """Find max |V_k|, which the adaptive step goes by (3.3)."""
    fastest = 0.0
    for k in range(st.sim[0].clusters):
        c = st.live[k]
        fastest = max(fastest, st.clusters[c].vx ** 2 + st.clusters[c].vy ** 2)
    st.sim[0].fastest = fastest**0.5
    st.sim[0].work += st.sim[0].clusters // 8


@inner
def note_wall(st: Stepping, c: int, axis: int, before: float) -> None:
    """Note that a cluster has been reflected in this step, at the outermost of its discs.

    axis : 0 for a wall at the left or right, 1 for one below or above; before : its momentum along it until then.
    """
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
    """Note that two discs have met whose clusters merge at the end of this step, and where."""
    pos = st.pos[1 - st.sim[0].which]
    dx = pos[j, 0] - pos[i, 0]
    dy = pos[j, 1] - pos[i, 1]
    if st.sim[0].periodic:
        dx = rounded_image(dx, st.sim[0].box_x)
        dy = rounded_image(dy, st.sim[0].box_y)
    part = st.radius[i] / (st.radius[i] + st.radius[j])
    time = st.sim[0].time + st.sim[0].dt
    note(st.recent, st.recent_next, time, pos[i, 0] + part * dx, pos[i, 1] + part * dy, i, j)


@inlined
def record_join(st: Stepping, i: int, j: int) -> None:
    """Write the merge that comes next, of the clusters of discs i and j, into the record."""
    join = st.joins[st.sim[0].merges]
    join.time = st.sim[0].time + st.sim[0].dt
    join.i = i
    join.j = j


@inner
def bounce(st: Stepping, c: int, vx: float, vy: float) -> None:
    """Give a cluster the velocity (vx, vy) that walls have left it; each component that has changed is an event."""
    sim = st.sim[0]
    cluster = st.clusters[c]
    if vx != cluster.vx:
        before = cluster.px
        cluster.px = 0.0 if vx == 0.0 else -before
        sim.impulse_x += cluster.px - before
        sim.energy -= 0.5 * (before * before - cluster.px**2) / cluster.mass
        sim.walls += 1
        note_wall(st, c, 0, before)
    if vy != cluster.vy:
        before = cluster.py
        cluster.py = 0.0 if vy == 0.0 else -before
        sim.impulse_y += cluster.py - before
        sim.energy -= 0.5 * (before * before - cluster.py**2) / cluster.mass
        sim.walls += 1
        note_wall(st, c, 1, before)
    set_velocity(st, c)


@inner
def merge(st: Stepping, c: int, d: int) -> None:
    """Let clusters c and d move on as one (2.9). The heavier one keeps its name, of equal ones the lower number."""
    sim = st.sim[0]
    if st.clusters[d].mass > st.clusters[c].mass or (st.clusters[d].mass == st.clusters[c].mass and d < c):
        c, d = d, c
    keeps = st.clusters[c]
    goes = st.clusters[d]
    ux = goes.vx - keeps.vx
    uy = goes.vy - keeps.vy
    reduced = keeps.mass * goes.mass / (keeps.mass + goes.mass)
    sim.energy = max(0.0, sim.energy - 0.5 * reduced * (ux * ux + uy * uy))
    keeps.mass += goes.mass
    keeps.px += goes.px
    keeps.py += goes.py
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
