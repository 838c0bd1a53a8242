"""The broad phase: a grid in which each cluster is entered with the box that it sweeps until its horizon."""

from __future__ import annotations

from math import sqrt

from engine.aggregation.event_driven.clusters import ClusterArrays, outer_high, outer_low
from engine.geometry.bucket_grid import (
    bucket_clear,
    cell_range,
    cells_along,
    cells_taken,
    choose_cells,
    collect_cells,
    fill_cells,
    first_cell,
    new_stamp,
    put_cells_taken,
    set_cells,
)
from engine.geometry.impact import box_entry, reciprocals
from engine.geometry.minimum_image import box_images, has_walls, periods_of, shifted, third_range
from engine.geometry.vectors import (
    Vector,
    absolute,
    box_sides,
    dot,
    every,
    is_zero,
    minus,
    place,
    plus,
    product,
    times,
    total,
    velocity,
)
from engine.kernels import inlined, inner
from engine.records import Record

INF = float("inf")
NEVER = 1e300  # horizon if nothing moves: finite, so that the swept distance is 0 and not 0 x inf


@inlined
def set_longest_horizon(sim: Record) -> None:
    """Compute the length of the horizons of small clusters in the present grid."""
    sim.longest_horizon = NEVER
    if sim.typical_speed > 0.0:
        sim.longest_horizon = sim.patience * sim.cell / sim.typical_speed


@inlined
def place_at(st: ClusterArrays, c: int, now: float) -> Vector:
    """The origin of a cluster's frame at a time."""
    cluster = st.clusters[c]
    return plus(place(cluster), times(now - cluster.time, velocity(cluster)))


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
    bucket_clear(st.buckets, st.bucket_top, product(cells_along(sim)))
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
        v = velocity(cluster)
        speed += sqrt(dot(v, v))
        spread += total(absolute(minus(v, velocity(first))))
        radius += st.discs[c].radius
        cluster.watchers = -1
        put_cells_taken(cluster, minus(cells_taken(cluster), cells_taken(cluster)))
        if cluster.big >= 0:
            cluster.big = -1
            cluster.trajectory += 1
    sim.bigs = 0
    sim.typical_speed = speed / m
    # without walls, nothing will ever happen if all have the same velocity
    sim.spread = INF if has_walls(sim.periodic) else spread
    set_longest_horizon(sim)
    sim.delta = 0.0
    if speed > 0.0:
        sim.delta = 1e-3 * (radius / m) / sim.typical_speed
    sim.cursor = 0
    sim.time = now


@inlined
def search_cells(st: ClusterArrays, c: int, first: Vector, taken: Vector) -> int:
    """Collect in `found` the small clusters in a block of cells, c left out; returns how many there are."""
    sim = st.sim[0]
    number = new_stamp(sim, st.stamp)
    st.stamp[c] = number
    count = collect_cells(st.buckets, sim, st.stamp, st.found, number, first, taken)
    sim.work += 2 * count + product(taken)
    return count


@inner
def search(st: ClusterArrays, c: int, low: Vector, high: Vector) -> int:
    """Collect in `found` the small clusters in the cells that a box covers, c left out; returns how many there are."""
    first, taken = cell_range(st.sim[0], low, high)
    return search_cells(st, c, first, taken)


@inlined
def search_own_cells(st: ClusterArrays, c: int) -> int:
    """Collect in `found` the other small clusters in the cells in which `c` is entered; returns how many there are."""
    cluster = st.clusters[c]
    return search_cells(st, c, first_cell(cluster), cells_taken(cluster))


@inlined
def enter_grid(st: ClusterArrays, c: int, low: Vector, high: Vector) -> int:
    """Enter `c` in the cells of a box and collect in `found` the clusters that are there; returns how many.

    -1, and nothing done, where the box covers so many cells that the cluster is to be a big one.
    """
    sim = st.sim[0]
    cluster = st.clusters[c]
    if not choose_cells(sim, cluster, sim.big_cells, low, high):
        return -1
    count = search_own_cells(st, c)
    fill_cells(st.buckets, st.bucket_top, sim, cluster, c)
    return count


@inlined
def box_meeting(
    st: ClusterArrays, c: int, x: Vector, other: int, u: Vector, w: float, now: float, limit: float
) -> float:
    """The time from now at which the boxes of two clusters may first overlap, in any image; inf if not within `limit`.

    x is the present place of c, u the velocity of `other` relative to it, uncertain by w.
    """
    own = st.clusters[c]
    them = st.clusters[other]
    sim = st.sim[0]
    d = minus(place_at(st, other, now), x)
    if is_zero(u) and w == 0.0:
        return INF
    low = minus(plus(d, outer_low(them)), outer_high(own))
    high = minus(plus(d, outer_high(them)), outer_low(own))
    sides = box_sides(sim)
    reach = times(limit, plus(absolute(u), every(w, u)))
    # of two points at 0 and between the differences of the edges
    origin = every(0.0, u)
    first, last = box_images(origin, origin, minus(low, reach), plus(high, reach), periods_of(sim))
    kz0, kz1 = third_range(first, last)
    q_low, q_high = minus(u, every(w, u)), plus(u, every(w, u))
    i_low, i_high = reciprocals(q_low), reciprocals(q_high)
    best = INF
    for kx in range(first[0], last[0] + 1):
        for ky in range(first[1], last[1] + 1):
            for kz in range(kz0, kz1):
                from_low, from_high = shifted(low, kx, ky, kz, sides), shifted(high, kx, ky, kz, sides)
                enter, leave = box_entry(from_low, from_high, q_low, q_high, i_low, i_high)
                if enter <= leave and enter < best:
                    best = enter
    if best >= limit:
        return INF
    return best
