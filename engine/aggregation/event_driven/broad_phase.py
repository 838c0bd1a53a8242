"""The broad phase: a grid in which each cluster is entered with the box that it sweeps until its horizon."""

from __future__ import annotations

from math import sqrt

from engine.aggregation.event_driven.clusters import ClusterArrays
from engine.geometry.bucket_grid import (
    bucket_clear,
    cell_range,
    choose_cells,
    collect_cells,
    fill_cells,
    new_stamp,
    set_cells,
)
from engine.geometry.minimum_image import images
from engine.geometry.swept import box_entry, reciprocal
from engine.kernels import inlined, inner
from engine.records import Record

INF = float("inf")
NEVER = 1e300  # horizon if nothing moves: finite, so that the swept distance is 0 and not 0 x inf


def find_longest_horizon(sim: Record) -> None:
    """Compute the length of the horizons of small clusters in the present grid."""
    sim.longest_horizon = NEVER
    if sim.typical_speed > 0.0:
        sim.longest_horizon = sim.patience * sim.cell / sim.typical_speed


set_longest_horizon = inlined(find_longest_horizon)


@inner
def build_grid(st: ClusterArrays, now: float) -> None:
    """Empty the broad phase and start a grid with one cluster per cell on average.

    All clusters are then entered by `register`, one after the other (`cursor`), so that a slice may end in between.
    """
    sim = st.sim[0]
    m = sim.clusters
    sim.grid_builds += 1
    sim.grid_clusters = m
    set_cells(sim, m)
    bucket_clear(st.buckets, st.bucket_top, sim.columns * sim.rows)
    sim.grid_horizons = sim.horizon_events
    sim.free_watch = -1
    sim.used_watches = 0
    speed = 0.0
    radius = 0.0
    spread = 0.0
    first = st.clusters[st.live[0]]
    for k in range(m):
        c = st.live[k]
        cluster = st.clusters[c]
        speed += sqrt(cluster.vx * cluster.vx + cluster.vy * cluster.vy)
        spread += abs(cluster.vx - first.vx) + abs(cluster.vy - first.vy)
        radius += st.discs[c].radius
        cluster.watchers = -1
        cluster.grid_columns = 0
        cluster.grid_rows = 0
        if cluster.big >= 0:
            cluster.big = -1
            cluster.trajectory += 1
    sim.bigs = 0
    sim.typical_speed = speed / m
    # without walls, nothing will ever happen if all have the same velocity
    sim.spread = spread if sim.periodic else INF
    set_longest_horizon(sim)
    sim.delta = 0.0
    if speed > 0.0:
        sim.delta = 1e-3 * (radius / m) / sim.typical_speed
    sim.cursor = 0
    sim.time = now


@inlined
def search_cells(st: ClusterArrays, c: int, cx: int, cy: int, columns: int, rows: int) -> int:
    """Collect in `found` the small clusters in a block of cells, c left out; returns how many there are."""
    sim = st.sim[0]
    number = new_stamp(sim, st.stamp)
    st.stamp[c] = number
    count = collect_cells(st.buckets, sim, st.stamp, st.found, number, cx, cy, columns, rows)
    sim.work += 2 * count + columns * rows
    return count


@inner
def search(st: ClusterArrays, c: int, x_min: float, y_min: float, x_max: float, y_max: float) -> int:
    """Collect in `found` the small clusters in the cells that a box covers, c left out; returns how many there are."""
    cx, cy, columns, rows = cell_range(st.sim[0], x_min, y_min, x_max, y_max)
    return search_cells(st, c, cx, cy, columns, rows)


@inlined
def search_own_cells(st: ClusterArrays, c: int) -> int:
    """Collect in `found` the other small clusters in the cells in which `c` is entered; returns how many there are."""
    cluster = st.clusters[c]
    return search_cells(st, c, cluster.grid_x, cluster.grid_y, cluster.grid_columns, cluster.grid_rows)


@inlined
def enter_grid(st: ClusterArrays, c: int, x_min: float, y_min: float, x_max: float, y_max: float) -> int:
    """Enter `c` in the cells of a box and collect in `found` the clusters that are there; returns how many.

    -1, and nothing done, where the box covers so many cells that the cluster is to be a big one.
    """
    sim = st.sim[0]
    cluster = st.clusters[c]
    if not choose_cells(sim, cluster, sim.big_cells, x_min, y_min, x_max, y_max):
        return -1
    count = search_own_cells(st, c)
    fill_cells(st.buckets, st.bucket_top, sim, cluster, c)
    return count


@inlined
def box_meeting(
    st: ClusterArrays, c: int, x: float, y: float, other: int, ux: float, uy: float, w: float, now: float, limit: float
) -> float:
    """The time from now at which the boxes of two clusters may first overlap, in any image; inf if not within `limit`.

    (x, y) is the present place of c, (ux, uy) the velocity of `other` relative to it, uncertain by w.
    """
    own = st.clusters[c]
    them = st.clusters[other]
    sim = st.sim[0]
    dt = now - them.time
    dx = them.x + them.vx * dt - x
    dy = them.y + them.vy * dt - y
    if ux == 0.0 and uy == 0.0 and w == 0.0:
        return INF
    x_low = dx + them.outer_x_min - own.outer_x_max
    x_high = dx + them.outer_x_max - own.outer_x_min
    y_low = dy + them.outer_y_min - own.outer_y_max
    y_high = dy + them.outer_y_max - own.outer_y_min
    lx = sim.box_x
    ly = sim.box_y
    reach_x = (abs(ux) + w) * limit
    reach_y = (abs(uy) + w) * limit
    # of two points at 0 and between the differences of the edges
    kx0, kx1 = images(sim.periodic, 0.0, 0.0, x_low - reach_x, x_high + reach_x, lx)
    ky0, ky1 = images(sim.periodic, 0.0, 0.0, y_low - reach_y, y_high + reach_y, ly)
    qxl = ux - w
    qxh = ux + w
    qyl = uy - w
    qyh = uy + w
    ixl = reciprocal(qxl)
    ixh = reciprocal(qxh)
    iyl = reciprocal(qyl)
    iyh = reciprocal(qyh)
    best = INF
    for kx in range(kx0, kx1 + 1):
        for ky in range(ky0, ky1 + 1):
            enter, leave = box_entry(
                x_low + kx * lx, x_high + kx * lx, y_low + ky * ly, y_high + ky * ly,
                qxl, qxh, qyl, qyh, ixl, ixh, iyl, iyh,
            )  # fmt: skip
            if enter <= leave and enter < best:
                best = enter
    if best >= limit:
        return INF
    return best
