"""Loading what the next events need from memory while the present one is computed.

Successive events are scattered over the box, so with many discs nearly all data of an event are far away in memory: it
would wait for tens of loads, one after the other if an address depends on an earlier load. The first slots of the queue
tell which events come next, so their data are prefetched in steps, each of which uses what the step before has loaded:
the clusters in the third row of the heap; in the second row, some four events ahead, the partner and the cells of the
grid; of the event that comes next, the cells that it will enter; and as it begins, who stands in there. When a grid is
rebuilt, the clusters that are registered next are known, and their data are prefetched in the same way. No result
depends on anything computed here.
"""

from __future__ import annotations

from math import sqrt

from engine.aggregation.event_driven.broad_phase import NEVER, place_at
from engine.aggregation.event_driven.clusters import NEAR, WAYS, ClusterArrays, outer_high, outer_low
from engine.geometry.bucket_grid import (
    cell_range,
    cells_along,
    cells_taken,
    first_cell,
    modulo,
    put_cells_along,
    row_begin,
    rows_of,
)
from engine.geometry.vectors import (
    Vector,
    dot,
    every,
    greatest,
    least,
    minus,
    momentum,
    over,
    place,
    plus,
    product,
    put_place,
    times,
    velocity,
)
from engine.kernels import elements, inlined, inner, prefetch, prefetch_record
from engine.records import Record

MANY = 20_000
"""Number of discs; the data of fewer stay in the cache anyway."""

_THIRD_ROW = 5  # its first slot
_STEP = 3  # clusters that are registered between two steps for one of them


@inlined
def _prefetch_cells(st: ClusterArrays, first: Vector, taken: Vector) -> None:
    """Prefetch a block of cells of the grid."""
    numbers = cells_along(st.sim[0])
    buckets = elements(st.buckets)
    y, y_end, z, z_end = rows_of(first, taken)
    for gz in range(z, z_end):
        for gy in range(y, y_end):
            row = row_begin(numbers, gy, gz)
            for gx in range(first[0], first[0] + taken[0]):
                prefetch(buckets, row + modulo(gx, numbers[0]))


@inlined
def _prefetch_event(st: ClusterArrays, c: int) -> None:
    """Prefetch what is known to take part in the event of `c`."""
    cluster = st.clusters[c]
    _prefetch_cells(st, first_cell(cluster), cells_taken(cluster))
    if cluster.impact_time <= cluster.own_time:
        d = cluster.partner
        discs = elements(st.discs)
        prefetch_record(elements(st.clusters), d)
        nodes = elements(st.nodes)
        prefetch(nodes, d)
        # one of the two disappears, and its pair of nodes is used
        prefetch(nodes, st.label.shape[0] + 2 * c)
        prefetch(nodes, st.label.shape[0] + 2 * d)
        prefetch(elements(st.heap_slot), d)
        prefetch(discs, cluster.disc)
        prefetch(discs, cluster.partner_disc)


@inlined
def _prefetch_place(st: ClusterArrays, c: int) -> None:
    """Prefetch the entry of `c` in the queue and those below it."""
    at = st.heap_slot[c]
    if at >= 0:
        prefetch(elements(st.heap_key), at)
        prefetch(elements(st.heap_owner), at)
        prefetch(elements(st.heap_key), 4 * at + 1)


@inlined
def _prefetch_way(st: ClusterArrays, way: Record, v: Vector, low: Vector, high: Vector) -> None:
    """Prefetch the cells in which a box with this velocity will be entered, and store them in `way`."""
    sim = st.sim[0]
    dt = sim.longest_horizon
    speed = sqrt(dot(v, v))
    if speed * dt > sim.travel * sim.cell:
        dt = sim.travel * sim.cell / speed
    on, nowhere = times(dt, v), every(0.0, v)
    first, taken = cell_range(sim, plus(low, least(nowhere, on)), plus(high, greatest(nowhere, on)))
    put_cells_along(way, minus(taken, taken))
    if product(taken) <= sim.big_cells:
        put_place(way, first)
        put_cells_along(way, taken)
        _prefetch_cells(st, first, taken)


@inlined
def _prefetch_way_after(st: ClusterArrays, c: int) -> None:
    """Prefetch the cells in which the cluster that results from the next event, that of `c`, will be entered."""
    cluster = st.clusters[c]
    way = st.ways[0]
    put_cells_along(way, minus(cells_along(way), cells_along(way)))
    t = min(cluster.impact_time, cluster.own_time)
    if t >= NEVER:
        return
    v = velocity(cluster)
    x = place_at(st, c, t)
    low, high = plus(x, outer_low(cluster)), plus(x, outer_high(cluster))
    if cluster.impact_time == t:
        d = cluster.partner
        other = st.clusters[d]
        x = place_at(st, d, t)
        low, high = least(low, plus(x, outer_low(other))), greatest(high, plus(x, outer_high(other)))
        v = over(plus(momentum(cluster), momentum(other)), cluster.mass + other.mass)
        _prefetch_cells(st, first_cell(other), cells_taken(other))
        _prefetch_place(st, d)
    _prefetch_way(st, way, v, low, high)


@inlined
def _prefetch_met(st: ClusterArrays, way: Record) -> None:
    """Prefetch the clusters in the cells that `_prefetch_way` has prefetched."""
    numbers = cells_along(st.sim[0])
    clusters = elements(st.clusters)
    nodes = elements(st.nodes)
    stamp = elements(st.stamp)
    discs = elements(st.discs)
    first, taken = place(way), cells_along(way)
    y, y_end, z, z_end = rows_of(first, taken)
    for gz in range(z, z_end):
        for gy in range(y, y_end):
            row = row_begin(numbers, gy, gz)
            for gx in range(first[0], first[0] + taken[0]):
                bucket = st.buckets[row + modulo(gx, numbers[0])]
                owners = bucket.owners
                for m in range(bucket.count):
                    e = owners[m]
                    prefetch(clusters, e)
                    prefetch(nodes, e)
                    prefetch(stamp, e)
                    prefetch(discs, e)


@inner
def look_ahead(st: ClusterArrays) -> None:
    """Prefetch the data of the events in the first slots of the queue, whenever one has moved up."""
    sim = st.sim[0]
    near = st.near
    owner = st.heap_owner
    if near[0] != owner[0]:
        # unexpected: at least all at once
        near[0] = owner[0]
        _prefetch_way_after(st, owner[0])
    _prefetch_met(st, st.ways[0])
    if sim.queued < NEAR:
        return
    clusters = elements(st.clusters)
    nodes = elements(st.nodes)
    soonest = 1
    for k in range(1, _THIRD_ROW):
        if st.heap_key[k] < st.heap_key[soonest]:
            soonest = k
        c = owner[k]
        if near[k] != c:
            near[k] = c
            _prefetch_event(st, c)
    c = owner[soonest]
    if near[0] != c:
        near[0] = c
        _prefetch_way_after(st, c)
    for k in range(_THIRD_ROW, NEAR):
        c = owner[k]
        if near[k] != c:
            near[k] = c
            prefetch_record(clusters, c)
            prefetch(nodes, c)


@inner
def look_along(st: ClusterArrays) -> None:
    """Prefetch the data of the clusters that are registered next in a new grid."""
    sim = st.sim[0]
    k = sim.cursor
    if k + 3 * _STEP < sim.clusters:
        c = st.live[k + 3 * _STEP]
        prefetch_record(elements(st.clusters), c)
        prefetch(elements(st.nodes), c)
        prefetch(elements(st.heap_slot), c)
        prefetch(elements(st.stamp), c)
    if k + 2 * _STEP < sim.clusters:
        c = st.live[k + 2 * _STEP]
        cluster = st.clusters[c]
        x = place_at(st, c, sim.time)
        _prefetch_place(st, c)
        way = st.ways[(k + 2 * _STEP) & (WAYS - 1)]
        _prefetch_way(st, way, velocity(cluster), plus(x, outer_low(cluster)), plus(x, outer_high(cluster)))
    if k >= _STEP and k + _STEP < sim.clusters:
        _prefetch_met(st, st.ways[(k + _STEP) & (WAYS - 1)])
