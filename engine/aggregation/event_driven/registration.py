"""Registering a cluster: its walls, its horizon and its place in the broad phase."""

from __future__ import annotations

from math import sqrt

from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.broad_phase import enter_grid, search
from engine.aggregation.event_driven.clusters import ClusterArrays
from engine.aggregation.event_driven.prediction import predict, predict_for_neighbours
from engine.geometry.bucket_grid import add_big, leave_cells
from engine.kernels import inlined, inner

INF = float("inf")


@inlined
def move_to(st: ClusterArrays, c: int, now: float) -> None:
    """Move the origin of a cluster's frame to `now`, and back into a periodic box."""
    cluster = st.clusters[c]
    dt = now - cluster.time
    x = cluster.x + cluster.vx * dt
    y = cluster.y + cluster.vy * dt
    sim = st.sim[0]
    if sim.periodic:
        x -= sim.box_x * (x // sim.box_x)
        y -= sim.box_y * (y // sim.box_y)
    cluster.x = x
    cluster.y = y
    cluster.time = now


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
    if sim.periodic:
        return
    vx = cluster.vx
    vy = cluster.vy
    tx = INF
    ty = INF
    if vx > 0.0:
        tx = max(0.0, (sim.box_x - (cluster.x + cluster.x_max)) / vx)
    elif vx < 0.0:
        tx = max(0.0, (cluster.x + cluster.x_min) / -vx)
    if vy > 0.0:
        ty = max(0.0, (sim.box_y - (cluster.y + cluster.y_max)) / vy)
    elif vy < 0.0:
        ty = max(0.0, (cluster.y + cluster.y_min) / -vy)
    if tx < INF or ty < INF:
        cluster.own_time = now + min(tx, ty)
        cluster.own_kind = cl.OWN_WALL_X if tx <= ty else cl.OWN_WALL_Y


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
    cluster.outer_x_min = cluster.x_min - (abs(cluster.x_min) * 1.2e-7 + slack)
    cluster.outer_y_min = cluster.y_min - (abs(cluster.y_min) * 1.2e-7 + slack)
    cluster.outer_x_max = cluster.x_max + (abs(cluster.x_max) * 1.2e-7 + slack)
    cluster.outer_y_max = cluster.y_max + (abs(cluster.y_max) * 1.2e-7 + slack)


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
def swept_box(st: ClusterArrays, c: int) -> tuple[float, float, float, float]:
    """The box that a small cluster sweeps from its reference until its own event: least x and y, greatest x and y."""
    cluster = st.clusters[c]
    vx = cluster.vx
    vy = cluster.vy
    dt = cluster.own_time - cluster.time
    return (
        cluster.x + cluster.x_min + min(0.0, vx * dt),
        cluster.y + cluster.y_min + min(0.0, vy * dt),
        cluster.x + cluster.x_max + max(0.0, vx * dt),
        cluster.y + cluster.y_max + max(0.0, vy * dt),
    )


@inner
def register(st: ClusterArrays, c: int, now: float) -> None:
    """Enter cluster `c` in the broad phase from `now` on and find its impacts.

    Before, `trajectory` must have been incremented if the velocity has changed.
    """
    cluster = st.clusters[c]
    sim = st.sim[0]
    move_to(st, c, now)
    next_wall(st, c, now)
    vx = cluster.vx
    vy = cluster.vy
    speed = sqrt(vx * vx + vy * vy)
    cell = sim.cell
    if cluster.big < 0:
        duration = sim.longest_horizon
        if speed * duration > sim.travel * cell:
            duration = sim.travel * cell / speed
        set_horizon(st, c, now + duration)
        cluster.envelope = 0.0
        x_min, y_min, x_max, y_max = swept_box(st, c)
        leave_cells(st.buckets, sim, cluster, c)
        count = enter_grid(st, c, x_min, y_min, x_max, y_max)
        if count >= 0:
            predict(st, c, now, count)
            return
        add_big(st.bigs, sim, cluster, c)
    # a big cluster gets a new envelope, which invalidates predictions with the old one
    sim.big_registrations += 1
    cluster.trajectory += 1
    cluster.envelope_vx = vx
    cluster.envelope_vy = vy
    cluster.envelope = sim.envelope * sim.typical_speed
    extend_horizon(st, c, now)
    predict_near_part(st, c, c, cluster.x, cluster.y, now)


@inner
def predict_near_part(st: ClusterArrays, big: int, part: int, x: float, y: float, now: float) -> None:
    """Let all small clusters near the tree at node `part`, now at (x, y), answer for it as a part of `big`."""
    cluster = st.clusters[big]
    sim = st.sim[0]
    tree = st.nodes[part]
    ex = cluster.envelope_vx * sim.longest_horizon
    ey = cluster.envelope_vy * sim.longest_horizon
    w = cluster.envelope * sim.longest_horizon
    x_min = x + tree.x_min + min(0.0, ex) - w
    x_max = x + tree.x_max + max(0.0, ex) + w
    y_min = y + tree.y_min + min(0.0, ey) - w
    y_max = y + tree.y_max + max(0.0, ey) + w
    count = search(st, big, x_min, y_min, x_max, y_max)
    predict_for_neighbours(st, big, part, x, y, now, count)


@inlined
def set_velocity(st: ClusterArrays, c: int) -> None:
    """Compute the velocity from momentum and mass."""
    cluster = st.clusters[c]
    cluster.vx = cluster.px / cluster.mass
    cluster.vy = cluster.py / cluster.mass
