"""Changes of motion at the end of a step: reflections (2.2) and merges (2.9), with new anchors, and their places."""

from __future__ import annotations

import numpy as np

from engine.aggregation.recent import note
from engine.aggregation.time_stepping.arrays import Stepping, put_wall_impulse, wall_impulse
from engine.aggregation.time_stepping.calendar import ask_again, leave_calendar
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.aggregation.time_stepping.cluster_search import join_trees, renew_tree
from engine.aggregation.time_stepping.flight import bring, position
from engine.aggregation.time_stepping.outermost import outermost
from engine.geometry.box_tree import translate_tree
from engine.geometry.minimum_image import periods_to_nearest
from engine.geometry.vectors import (
    Vector,
    box_sides,
    component,
    dot,
    folded,
    minus,
    momentum,
    over,
    place,
    plus,
    put_momentum,
    put_place,
    put_velocity,
    times,
    velocity,
    with_component,
)
from engine.kernels import inlined, inner


@inlined
def set_velocity(st: Stepping, c: int) -> None:
    """Compute the velocity of a cluster from its momentum and mass."""
    cluster = st.clusters[c]
    put_velocity(cluster, over(momentum(cluster), cluster.mass))


@inner
def find_fastest(st: Stepping) -> None:
    """Find max |V_k| for the adaptive step (3.3)."""
    fastest = 0.0
    for k in range(st.sim[0].clusters):
        v = velocity(st.clusters[st.live[k]])
        fastest = max(fastest, dot(v, v))
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

    axis : across the wall; before : its momentum along it until then.
    """
    outward = 1.0 if before > 0.0 else -1.0
    if st.sim[0].sparse:
        _, at = outermost(st, cal, c, axis, outward)
        bring(st, at)
    else:
        at = outermost_of_ring(st, c, axis, outward)
    wall = component(box_sides(st.sim[0]), axis) if outward > 0.0 else 0.0
    x = with_component(position(st, at), axis, wall)
    note(st.recent, st.recent_next, st.sim[0].time + st.sim[0].dt, x, at, -1)


@inlined
def rounded_step(st: Stepping, d: Vector) -> Vector:
    """A step to the nearest image, any number of periods away, where the box is periodic."""
    if st.sim[0].periodic:
        d = minus(d, periods_to_nearest(d, box_sides(st.sim[0])))
    return d


@inlined
def note_link(st: Stepping, i: int, j: int) -> None:
    """Record that two discs have met, and where; their clusters merge at the end of this step."""
    d = rounded_step(st, minus(position(st, j), position(st, i)))
    part = st.radius[i] / (st.radius[i] + st.radius[j])
    time = st.sim[0].time + st.sim[0].dt
    note(st.recent, st.recent_next, time, plus(position(st, i), times(part, d)), i, j)


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
        v = velocity(cluster)
        for axis in range(len(v)):
            if st.hit[k, axis] != component(v, axis):
                note_wall(st, cal, c, axis, component(momentum(cluster), axis))


@inner
def bounce(st: Stepping, k: int) -> None:
    """Give the k-th cluster at walls its velocity after them; each changed component is an event."""
    sim = st.sim[0]
    c = st.hit_c[k]
    cluster = st.clusters[c]
    v, p, given = velocity(cluster), momentum(cluster), wall_impulse(sim)
    for axis in range(len(v)):
        if st.hit[k, axis] != component(v, axis):
            before = component(p, axis)
            after = 0.0 if st.hit[k, axis] == 0.0 else -before
            p = with_component(p, axis, after)
            given = with_component(given, axis, component(given, axis) + (after - before))
            sim.energy -= 0.5 * (before * before - after * after) / cluster.mass
            sim.walls += 1
    put_momentum(cluster, p)
    put_wall_impulse(sim, given)
    set_velocity(st, c)


@inlined
def anchor(st: Stepping, cal: Calendar, c: int) -> None:
    """Anchor the frame of a cluster at its position at the end of the current step, without walls."""
    cluster = st.clusters[c]
    sim = st.sim[0]
    time = sim.time + sim.dt
    if cluster.time != time:
        x = plus(place(cluster), times(time - cluster.time, velocity(cluster)))
        if sim.periodic:
            x = folded(x, box_sides(sim))
        put_place(cluster, x)
        cluster.time = time
    if cal.control[0].ready:
        ask_again(st, cal, c)


@inlined
def take_place(st: Stepping, i: int) -> None:
    """Set the place of disc i to its position after the step; the frame of its cluster must be anchored."""
    disc = st.discs[i]
    cluster = st.clusters[st.label[i]]
    by = rounded_step(st, minus(minus(position(st, i), place(cluster)), place(disc)))
    put_place(disc, plus(place(disc), by))


@inner
def anchor_reflected(st: Stepping, cal: Calendar, c: int) -> None:
    """`anchor` for a reflected cluster: its frame follows a disc that nothing else has moved."""
    i = c
    while st.drift[i] > 0.0 and st.ring[i] != c:
        st.sim[0].work += 1
        i = st.ring[i]
    bring(st, i)
    anchor(st, cal, c)
    put_place(st.clusters[c], minus(position(st, i), place(st.discs[i])))


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
    u = minus(velocity(goes), velocity(keeps))
    reduced = keeps.mass * goes.mass / (keeps.mass + goes.mass)
    sim.energy = max(0.0, sim.energy - 0.5 * reduced * dot(u, u))
    by = minus(place(goes), place(keeps))
    if sim.periodic:
        # the image in which the two discs touch
        touching = minus(plus(by, place(st.discs[j])), place(st.discs[i]))
        by = minus(by, periods_to_nearest(touching, box_sides(sim)))
    keeps.mass += goes.mass
    put_momentum(keeps, plus(momentum(keeps), momentum(goes)))
    set_velocity(st, c)
    if planned:
        row = cal.row[d]
        translate_tree(cal.nodes, st.discs, st.label, cal.ids, row, by, c)
        sim.work += 2 * cal.nodes[row].size
        join_trees(st, cal, cal.row[c], row)
    else:
        k = d
        while True:
            put_place(st.discs[k], plus(place(st.discs[k]), by))
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
