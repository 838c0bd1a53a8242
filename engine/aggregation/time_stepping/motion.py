"""Changes of motion at the end of a step: reflections (2.2) and merges (2.9), with new anchors, and their places."""

from __future__ import annotations

from math import floor

import numpy as np

from engine.aggregation.recent import note
from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.calendar import ask_again, leave_calendar
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.aggregation.time_stepping.cluster_trees import join_trees, renew_tree
from engine.aggregation.time_stepping.flight import bring
from engine.aggregation.time_stepping.outermost import outermost
from engine.geometry.box_tree import translate_tree
from engine.geometry.minimum_image import periods_between, rounded_image
from engine.kernels import inlined, inner


@inlined
def set_velocity(st: Stepping, c: int) -> None:
    """Compute the velocity of a cluster from its momentum and mass."""
    cluster = st.clusters[c]
    cluster.vx = cluster.px / cluster.mass
    cluster.vy = cluster.py / cluster.mass


@inner
def find_fastest(st: Stepping) -> None:
    """Find max |V_k| for the adaptive step (3.3)."""
    fastest = 0.0
    for k in range(st.sim[0].clusters):
        c = st.live[k]
        fastest = max(fastest, st.clusters[c].vx ** 2 + st.clusters[c].vy ** 2)
    st.sim[0].fastest = fastest**0.5
    st.sim[0].work += st.sim[0].clusters // 8


@inner
def outermost_of_ring(st: Stepping, c: int, axis: int, outward: float) -> int:
    """The outermost disc of cluster c, see `outermost`, in a step over all discs."""
    pos = st.pos
    furthest = -np.inf
    at = c
    i = c
    while True:
        reach = outward * pos[i, axis] + st.radius[i]
        if reach > furthest or (reach == furthest and i < at):
            furthest = reach
            at = i
        st.sim[0].work += 1
        i = st.ring[i]
        if i == c:
            return at


@inner
def note_wall(st: Stepping, cal: Calendar, c: int, axis: int, before: float) -> None:
    """Record that a cluster is reflected in this step, at its outermost disc.

    axis : 0 for a wall at the left or right, 1 for one below or above; before : its momentum along it until then.
    """
    outward = 1.0 if before > 0.0 else -1.0
    if st.sim[0].sparse:
        _, at = outermost(st, cal, c, axis, outward)
        bring(st, at)
    else:
        at = outermost_of_ring(st, c, axis, outward)
    pos = st.pos
    x = pos[at, 0]
    y = pos[at, 1]
    if axis == 0:
        x = st.sim[0].box_x if outward > 0.0 else 0.0
    else:
        y = st.sim[0].box_y if outward > 0.0 else 0.0
    note(st.recent, st.recent_next, st.sim[0].time + st.sim[0].dt, (x, y), at, -1)


@inlined
def note_link(st: Stepping, i: int, j: int) -> None:
    """Record that two discs have met, and where; their clusters merge at the end of this step."""
    pos = st.pos
    dx = pos[j, 0] - pos[i, 0]
    dy = pos[j, 1] - pos[i, 1]
    if st.sim[0].periodic:
        dx = rounded_image(dx, st.sim[0].box_x)
        dy = rounded_image(dy, st.sim[0].box_y)
    part = st.radius[i] / (st.radius[i] + st.radius[j])
    time = st.sim[0].time + st.sim[0].dt
    note(st.recent, st.recent_next, time, (pos[i, 0] + part * dx, pos[i, 1] + part * dy), i, j)


@inlined
def record_join(st: Stepping, i: int, j: int) -> None:
    """Append the merge of the clusters of discs i and j to the record."""
    join = st.joins[st.sim[0].merges]
    join.time = st.sim[0].time + st.sim[0].dt
    join.i = i
    join.j = j


@inner
def note_reflections(st: Stepping, cal: Calendar) -> None:
    """Record the walls that clusters have met in this step, before anything moves on."""
    for k in range(st.sim[0].hits):
        c = st.hit_c[k]
        cluster = st.clusters[c]
        if st.hit[k, 0] != cluster.vx:
            note_wall(st, cal, c, 0, cluster.px)
        if st.hit[k, 1] != cluster.vy:
            note_wall(st, cal, c, 1, cluster.py)


@inner
def bounce(st: Stepping, c: int, vx: float, vy: float) -> None:
    """Set the velocity (vx, vy) of a cluster after walls; each changed component is an event."""
    sim = st.sim[0]
    cluster = st.clusters[c]
    if vx != cluster.vx:
        before = cluster.px
        cluster.px = 0.0 if vx == 0.0 else -before
        sim.impulse_x += cluster.px - before
        sim.energy -= 0.5 * (before * before - cluster.px**2) / cluster.mass
        sim.walls += 1
    if vy != cluster.vy:
        before = cluster.py
        cluster.py = 0.0 if vy == 0.0 else -before
        sim.impulse_y += cluster.py - before
        sim.energy -= 0.5 * (before * before - cluster.py**2) / cluster.mass
        sim.walls += 1
    set_velocity(st, c)


@inlined
def anchor(st: Stepping, cal: Calendar, c: int) -> None:
    """Anchor the frame of a cluster at its position at the end of the current step, without walls."""
    cluster = st.clusters[c]
    sim = st.sim[0]
    time = sim.time + sim.dt
    if cluster.time != time:
        dt = time - cluster.time
        x = cluster.x + cluster.vx * dt
        y = cluster.y + cluster.vy * dt
        if sim.periodic:
            x -= sim.box_x * floor(x / sim.box_x)
            y -= sim.box_y * floor(y / sim.box_y)
        cluster.x = x
        cluster.y = y
        cluster.time = time
    if cal.control[0].ready:
        ask_again(st, cal, c)


@inlined
def take_place(st: Stepping, i: int) -> None:
    """Set the place of disc i to its position after the step; the frame of its cluster must be anchored."""
    disc = st.discs[i]
    cluster = st.clusters[st.label[i]]
    dx = st.pos[i, 0] - cluster.x - disc.x
    dy = st.pos[i, 1] - cluster.y - disc.y
    if st.sim[0].periodic:
        dx = rounded_image(dx, st.sim[0].box_x)
        dy = rounded_image(dy, st.sim[0].box_y)
    disc.x += dx
    disc.y += dy


@inner
def anchor_reflected(st: Stepping, cal: Calendar, c: int) -> None:
    """`anchor` for a reflected cluster: its frame follows a disc that nothing else has moved."""
    i = c
    while st.drift[i] > 0.0 and st.ring[i] != c:
        st.sim[0].work += 1
        i = st.ring[i]
    bring(st, i)
    anchor(st, cal, c)
    cluster = st.clusters[c]
    cluster.x = st.pos[i, 0] - st.discs[i].x
    cluster.y = st.pos[i, 1] - st.discs[i].y


@inlined
def merge(st: Stepping, cal: Calendar, c: int, d: int, i: int, j: int) -> None:
    """Join clusters c and d, whose discs i and j are linked (2.9).

    The heavier one keeps its name and its frame; of equal ones, that with the lower number.
    """
    sim = st.sim[0]
    if st.clusters[d].mass > st.clusters[c].mass or (st.clusters[d].mass == st.clusters[c].mass and d < c):
        c, d = d, c
        i, j = j, i
    anchor(st, cal, c)
    anchor(st, cal, d)
    planned = cal.control[0].ready
    if planned:
        renew_tree(st, cal, cal.row[c])
        renew_tree(st, cal, cal.row[d])
        leave_calendar(st, cal, d)
    keeps = st.clusters[c]
    goes = st.clusters[d]
    ux = goes.vx - keeps.vx
    uy = goes.vy - keeps.vy
    reduced = keeps.mass * goes.mass / (keeps.mass + goes.mass)
    sim.energy = max(0.0, sim.energy - 0.5 * reduced * (ux * ux + uy * uy))
    ox = goes.x - keeps.x
    oy = goes.y - keeps.y
    if sim.periodic:
        # the image in which the two discs touch
        ox -= sim.box_x * periods_between(ox + st.discs[j].x - st.discs[i].x, sim.box_x)
        oy -= sim.box_y * periods_between(oy + st.discs[j].y - st.discs[i].y, sim.box_y)
    keeps.mass += goes.mass
    keeps.px += goes.px
    keeps.py += goes.py
    set_velocity(st, c)
    if planned:
        row = cal.row[d]
        translate_tree(cal.nodes, st.discs, st.label, cal.ids, row, (ox, oy), c)
        sim.work += 2 * cal.nodes[row].size
        join_trees(st, cal, cal.row[c], row)
    else:
        k = d
        while True:
            st.discs[k].x += ox
            st.discs[k].y += oy
            st.label[k] = c
            sim.work += 1
            k = st.ring[k]
            if k == d:
                break
    st.ring[c], st.ring[d] = st.ring[d], st.ring[c]
    last = sim.clusters - 1
    moved = st.live[last]
    st.live[st.seat[d]] = moved
    st.seat[moved] = st.seat[d]
    st.seat[d] = -1
    sim.clusters = last
    sim.merges += 1
