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

from engine.aggregation.event_driven.broad_phase import NEVER
from engine.aggregation.event_driven.clusters import NEAR, WAYS, ClusterArrays
from engine.geometry.bucket_grid import cell_range, modulo
from engine.kernels import elements, inlined, inner, prefetch, prefetch_record
from engine.records import Record

MANY = 20_000
"""Number of discs; the data of fewer stay in the cache anyway."""

_THIRD_ROW = 5  # its first slot
_STEP = 3  # clusters that are registered between two steps for one of them


@inlined
def _prefetch_cells(st: ClusterArrays, x: int, y: int, columns: int, rows: int) -> None:
    """Prefetch a block of cells of the grid."""
    sim = st.sim[0]
    buckets = elements(st.buckets)
    for gy in range(y, y + rows):
        row = modulo(gy, sim.rows) * sim.columns
        for gx in range(x, x + columns):
            prefetch(buckets, row + modulo(gx, sim.columns))


@inlined
def _prefetch_event(st: ClusterArrays, c: int) -> None:
    """Prefetch what is known to take part in the event of `c`."""
    cluster = st.clusters[c]
    _prefetch_cells(st, cluster.grid_x, cluster.grid_y, cluster.grid_columns, cluster.grid_rows)
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
def _prefetch_way(
    st: ClusterArrays, way: Record, vx: float, vy: float, x_min: float, y_min: float, x_max: float, y_max: float
) -> None:
    """Prefetch the cells in which a box with this velocity will be entered, and store them in `way`."""
    sim = st.sim[0]
    dt = sim.longest_horizon
    speed = sqrt(vx * vx + vy * vy)
    if speed * dt > sim.travel * sim.cell:
        dt = sim.travel * sim.cell / speed
    cx, cy, columns, rows = cell_range(
        sim,
        x_min + min(0.0, vx * dt),
        y_min + min(0.0, vy * dt),
        x_max + max(0.0, vx * dt),
        y_max + max(0.0, vy * dt),
    )
    way.columns = 0
    way.rows = 0
    if columns * rows <= sim.big_cells:
        way.x = cx
        way.y = cy
        way.columns = columns
        way.rows = rows
        _prefetch_cells(st, cx, cy, columns, rows)


@inlined
def _prefetch_way_after(st: ClusterArrays, c: int) -> None:
    """Prefetch the cells in which the cluster that results from the next event, that of `c`, will be entered."""
    cluster = st.clusters[c]
    way = st.ways[0]
    way.columns = 0
    way.rows = 0
    t = min(cluster.impact_time, cluster.own_time)
    if t >= NEVER:
        return
    vx = cluster.vx
    vy = cluster.vy
    dt = t - cluster.time
    x = cluster.x + vx * dt
    y = cluster.y + vy * dt
    x_min = x + cluster.outer_x_min
    y_min = y + cluster.outer_y_min
    x_max = x + cluster.outer_x_max
    y_max = y + cluster.outer_y_max
    if cluster.impact_time == t:
        d = cluster.partner
        other = st.clusters[d]
        dt = t - other.time
        x = other.x + other.vx * dt
        y = other.y + other.vy * dt
        x_min = min(x_min, x + other.outer_x_min)
        y_min = min(y_min, y + other.outer_y_min)
        x_max = max(x_max, x + other.outer_x_max)
        y_max = max(y_max, y + other.outer_y_max)
        mass = cluster.mass + other.mass
        vx = (cluster.px + other.px) / mass
        vy = (cluster.py + other.py) / mass
        _prefetch_cells(st, other.grid_x, other.grid_y, other.grid_columns, other.grid_rows)
        _prefetch_place(st, d)
    _prefetch_way(st, way, vx, vy, x_min, y_min, x_max, y_max)


@inlined
def _prefetch_met(st: ClusterArrays, way: Record) -> None:
    """Prefetch the clusters in the cells that `_prefetch_way` has prefetched."""
    sim = st.sim[0]
    clusters = elements(st.clusters)
    nodes = elements(st.nodes)
    stamp = elements(st.stamp)
    discs = elements(st.discs)
    for gy in range(way.y, way.y + way.rows):
        row = modulo(gy, sim.rows) * sim.columns
        for gx in range(way.x, way.x + way.columns):
            bucket = st.buckets[row + modulo(gx, sim.columns)]
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
        dt = sim.time - cluster.time
        x = cluster.x + cluster.vx * dt
        y = cluster.y + cluster.vy * dt
        _prefetch_place(st, c)
        _prefetch_way(
            st,
            st.ways[(k + 2 * _STEP) & (WAYS - 1)],
            cluster.vx,
            cluster.vy,
            x + cluster.outer_x_min,
            y + cluster.outer_y_min,
            x + cluster.outer_x_max,
            y + cluster.outer_y_max,
        )
    if k >= _STEP and k + _STEP < sim.clusters:
        _prefetch_met(st, st.ways[(k + _STEP) & (WAYS - 1)])
