"""Registering a cluster: its walls, its horizon and its place in the broad phase."""

from __future__ import annotations

from math import sqrt

from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.broad_phase import enter_grid, place_at, search
from engine.aggregation.event_driven.clusters import (
    ClusterArrays,
    envelope_velocity,
    put_envelope_velocity,
    put_outer_high,
    put_outer_low,
)
from engine.aggregation.event_driven.prediction import predict, predict_for_neighbours
from engine.geometry.box_tree import widened
from engine.geometry.bucket_grid import add_big, leave_cells
from engine.geometry.minimum_image import has_walls, into_box, periods_of, wraps
from engine.geometry.vectors import (
    Vector,
    box_sides,
    component,
    dot,
    every,
    greatest,
    high_corner,
    least,
    low_corner,
    minus,
    momentum,
    over,
    place,
    plus,
    put_place,
    put_velocity,
    times,
    velocity,
)
from engine.kernels import inlined, inner

INF = float("inf")


@inlined
def move_to(st: ClusterArrays, c: int, now: float) -> None:
    """Move the origin of a cluster's frame to `now`, and back into the box along periodic axes."""
    put_place(st.clusters[c], into_box(place_at(st, c, now), periods_of(st.sim[0])))
    st.clusters[c].time = now


@inlined
def next_wall(st: ClusterArrays, c: int, now: float) -> None:
    """Let the cluster's own event be its next wall, if it flies towards one. Its reference must be at `now`.

    If rounding has put it beyond a wall, it is reflected at once if it moves outwards, and not at all if it moves
    inwards.
    """
    cluster = st.clusters[c]
    sim = st.sim[0]
    cluster.own_time = INF
    cluster.own_kind = cl.OWN_HORIZON
    if not has_walls(sim.periodic):
        return
    v = velocity(cluster)
    low = plus(place(cluster), low_corner(cluster))
    gap = minus(box_sides(sim), plus(place(cluster), high_corner(cluster)))
    wait = INF
    for axis in range(len(v)):
        speed = component(v, axis)
        t = INF
        if wraps(sim.periodic, axis):
            continue
        if speed > 0.0:
            t = max(0.0, component(gap, axis) / speed)
        elif speed < 0.0:
            t = max(0.0, component(low, axis) / -speed)
        if t < wait:
            wait = t
            cluster.own_kind = cl.OWN_WALL_X + axis
    if wait < INF:
        cluster.own_time = now + wait


@inlined
def set_horizon(st: ClusterArrays, c: int, t: float) -> None:
    """Let the cluster be re-registered at `t`, unless it meets a wall before."""
    cluster = st.clusters[c]
    if t < cluster.own_time:
        cluster.own_time = t
        cluster.own_kind = cl.OWN_HORIZON


@inlined
def round_box_outwards(st: ClusterArrays, c: int) -> None:
    """Compute the box of a cluster for its neighbours, rounded outwards from the exact one."""
    cluster = st.clusters[c]
    slack = 1e-7 * (cluster.x_max - cluster.x_min)
    low, high = low_corner(cluster), high_corner(cluster)
    put_outer_low(cluster, minus(low, widened(low, slack)))
    put_outer_high(cluster, plus(high, widened(high, slack)))


@inner
def extend_horizon(st: ClusterArrays, c: int, now: float) -> None:
    """Let a big cluster find its impacts with the other big ones until a new horizon. Its reference must be at `now`.

    The horizon is short: nearly all discs of two interlocked clusters are near each other, and the shorter the time,
    the fewer of them have to be compared to find which meet first.
    """
    cluster = st.clusters[c]
    sim = st.sim[0]
    cluster.horizon = now + sim.longest_horizon * (sim.big_patience / sim.patience)
    next_wall(st, c, now)
    set_horizon(st, c, cluster.horizon)
    predict(st, c, now, 0)


@inlined
def swept_box(st: ClusterArrays, c: int) -> tuple[Vector, Vector]:
    """The box that a small cluster sweeps from its reference until its own event: its lowest and highest corner."""
    cluster = st.clusters[c]
    x = place(cluster)
    way = times(cluster.own_time - cluster.time, velocity(cluster))
    nowhere = every(0.0, way)
    low = plus(plus(x, low_corner(cluster)), least(nowhere, way))
    return low, plus(plus(x, high_corner(cluster)), greatest(nowhere, way))


@inner
def register(st: ClusterArrays, c: int, now: float) -> None:
    """Enter cluster `c` in the broad phase from `now` on and find its impacts.

    Before, `trajectory` must have been incremented if the velocity has changed.
    """
    cluster = st.clusters[c]
    sim = st.sim[0]
    move_to(st, c, now)
    next_wall(st, c, now)
    v = velocity(cluster)
    speed = sqrt(dot(v, v))
    cell = sim.cell
    if cluster.big < 0:
        duration = sim.longest_horizon
        if speed * duration > sim.travel * cell:
            duration = sim.travel * cell / speed
        set_horizon(st, c, now + duration)
        cluster.envelope = 0.0
        low, high = swept_box(st, c)
        leave_cells(st.buckets, sim, cluster, c)
        count = enter_grid(st, c, low, high)
        if count >= 0:
            predict(st, c, now, count)
            return
        add_big(st.bigs, sim, cluster, c)
    # a big cluster gets a new envelope, which invalidates predictions with the old one
    sim.big_registrations += 1
    cluster.trajectory += 1
    put_envelope_velocity(cluster, v)
    cluster.envelope = sim.envelope * sim.typical_speed
    extend_horizon(st, c, now)
    predict_near_part(st, c, c, place(cluster), now)


@inner
def predict_near_part(st: ClusterArrays, big: int, part: int, x: Vector, now: float) -> None:
    """Let all small clusters near the tree at node `part`, now at x, answer for it as a part of `big`."""
    cluster = st.clusters[big]
    sim = st.sim[0]
    tree = st.nodes[part]
    way = times(sim.longest_horizon, envelope_velocity(cluster))
    w = every(cluster.envelope * sim.longest_horizon, way)
    nowhere = every(0.0, way)
    low = minus(plus(plus(x, low_corner(tree)), least(nowhere, way)), w)
    high = plus(plus(plus(x, high_corner(tree)), greatest(nowhere, way)), w)
    count = search(st, big, low, high)
    predict_for_neighbours(st, big, part, x, now, count)


@inlined
def set_velocity(st: ClusterArrays, c: int) -> None:
    """Compute the velocity from momentum and mass."""
    cluster = st.clusters[c]
    put_velocity(cluster, over(momentum(cluster), cluster.mass))
