"""The event loop, from the initial state to the last event, and the state at a given time.

At the end is what builds the derived data: box trees, the grid, the queue, the lists of watchers. The results of a run
do not depend on their layout. They are built at the start and when a checkpoint, which does not contain them, is
restored.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.broad_phase import NEVER, build_grid, set_longest_horizon
from engine.aggregation.event_driven.clusters import ClusterArrays
from engine.aggregation.event_driven.events import check_bound, merge, pair_of, rebuild_tree, reflect
from engine.aggregation.event_driven.lookahead import MANY, look_ahead, look_along
from engine.aggregation.event_driven.prediction import add_watcher, repredict, schedule
from engine.aggregation.event_driven.registration import (
    extend_horizon,
    move_to,
    register,
    round_box_outwards,
    set_velocity,
    swept_box,
)
from engine.geometry.box_tree import insert_subtree, store_leaf
from engine.geometry.bucket_grid import bucket_clear, cells_along, choose_cells, fill_cells, set_cells
from engine.geometry.minimum_image import NO_PERIOD, periods_of
from engine.geometry.vectors import (
    Vector,
    dot,
    every,
    greatest,
    high_corner,
    least,
    low_corner,
    minus,
    momentum,
    place,
    plus,
    product,
    put_high_corner,
    put_low_corner,
    put_momentum,
    put_place,
    put_row,
    times,
    velocity,
)
from engine.kernels import borrowed, elements, inlined, inner, kernel, pointer, prefetch, whole
from engine.slices import AT_CLUSTERS, AT_EVENTS, AT_TIME, FIRST_OF_ITS_OWN, NOTHING_MOVES, OUT_OF_WORK

INF = float("inf")

# If clusters have reached more horizons than this since the grid was built, they have become slow compared with the
# horizons: a new grid makes these longer.
_HORIZONS_PER_GRID = 64

# Share of the initial energy below which velocities are only rounding errors of momenta that have cancelled.
_REST = 1e-30

_AHEAD = 24  # discs between the one that is prefetched and the one that is written

BUCKETS_FULL, WATCHES_FULL = range(FIRST_OF_ITS_OWN, FIRST_OF_ITS_OWN + 2)
"""Statuses of `run`, in addition to those of `engine.slices`: the grid or the pool of watchers is too short."""


@kernel
def start(arrays: ClusterArrays) -> None:
    """Derive all data from the initial discs and labels.

    The velocity of each disc is in the row of `clusters` with its number.
    """
    st = borrowed(arrays)
    n = st.label.shape[0]
    sim = st.sim[0]
    for i in range(n):
        # the momentum of a cluster is the sum over its discs, which share the mean velocity from here on
        own = st.clusters[i]
        cluster = st.clusters[st.label[i]]
        m = st.discs[i].mass
        put_momentum(cluster, plus(momentum(cluster), times(m, velocity(own))))
        cluster.mass += m
        own.seat = -1
        own.big = -1
        own.watchers = -1
    energy = 0.0
    for i in range(n):
        # the frame of a cluster has its origin at the disc that names it
        if st.label[i] == i:
            cluster = st.clusters[i]
            cluster.time = sim.time
            put_place(cluster, place(st.discs[i]))
            cluster.seat = sim.clusters
            st.live[sim.clusters] = i
            sim.clusters += 1
            set_velocity(st, i)
            v = velocity(cluster)
            energy += 0.5 * cluster.mass * dot(v, v)
            put_low_corner(cluster, every(INF, v))
            put_high_corner(cluster, every(-INF, v))
    sim.energy = sim.energy_reference = energy
    st.log[0].time = sim.time
    st.log[0].kinetic_energy = energy
    for i in range(n):
        cluster = st.clusters[st.label[i]]
        disc = st.discs[i]
        x = minus(place(disc), place(cluster))
        r = every(disc.radius, x)
        put_low_corner(cluster, least(low_corner(cluster), minus(x, r)))
        put_high_corner(cluster, greatest(high_corner(cluster), plus(x, r)))
        round_box_outwards(st, st.label[i])
    for i in range(n):
        cluster = st.clusters[st.label[i]]
        disc = st.discs[i]
        put_place(disc, minus(place(disc), place(cluster)))
    grow_trees(st)
    build_grid(st, sim.time)


@inlined
def at_rest(st: ClusterArrays) -> bool:
    """Whether the remaining velocities are only rounding errors of momenta that have cancelled."""
    return bool(st.sim[0].energy <= _REST * st.log[0].kinetic_energy)


@kernel
def run(arrays: ClusterArrays, until_time: float, until_clusters: int, max_events: int, max_work: int) -> int:
    """Process events in order until one of the limits is reached. Interruptions have no influence on the results.

    Parameters
    ----------
    arrays
        The whole state.
    until_time
        Simulation time.
    until_clusters
        Number of clusters.
    max_events
        Merges and reflections.
    max_work
        Units of work of about ten nanoseconds.

    Returns
    -------
    int
        Why it returned: a status of `engine.slices`, BUCKETS_FULL or WATCHES_FULL.
    """
    st = borrowed(arrays)
    sim = st.sim[0]
    last_work = sim.work + max_work
    last_event = sim.merges + sim.wall_events + max_events
    many = st.label.shape[0] >= MANY
    while True:
        if sim.clusters <= until_clusters:
            return AT_CLUSTERS
        if sim.merges + sim.wall_events >= last_event:
            return AT_EVENTS
        if sim.work >= last_work:
            return OUT_OF_WORK
        if st.buckets.shape[0] - st.bucket_top[0] < 2 * sim.big_cells:
            return BUCKETS_FULL
        if st.watches.shape[0] - sim.used_watches < 2 * sim.clusters + 512:
            return WATCHES_FULL
        if sim.cursor < sim.clusters:
            if many and sim.grid_builds > 1:
                # the first time they are in memory order
                look_along(st)
            register(st, st.live[sim.cursor], sim.time)
            sim.cursor += 1
            continue
        if at_rest(st) or sim.spread == 0.0:
            return NOTHING_MOVES
        if sim.queued == 0 or st.heap_key[0] >= NEVER:
            return NOTHING_MOVES
        t = st.heap_key[0]
        if t > until_time:
            sim.time = until_time
            return AT_TIME
        # rounding may put an event before the last one by a unit in the last place: time never runs backwards
        t = max(t, sim.time)
        sim.time = t
        if many:
            look_ahead(st)
        c = st.heap_owner[0]
        cluster = st.clusters[c]
        sim.work += 10
        if cluster.impact_time <= cluster.own_time:
            d = cluster.partner
            if st.clusters[d].trajectory != cluster.partner_trajectory:
                sim.stale_events += 1
                repredict(st, c, t)
            elif cluster.is_bound:
                check_bound(st, c, t)
            else:
                merge(st, c, d, cluster.disc, cluster.partner_disc, t)
        elif cluster.own_kind != cl.OWN_HORIZON:
            sim.wall_events += 1
            reflect(st, c, t)
        elif sim.horizon_events - sim.grid_horizons > _HORIZONS_PER_GRID * sim.clusters:
            build_grid(st, t)
        else:
            sim.horizon_events += 1
            if cluster.big >= 0:
                move_to(st, c, t)
                extend_horizon(st, c, t)
            else:
                register(st, c, t)


@inlined
def _wrapped(x: float, period: float) -> float:
    """The image of a coordinate in the box."""
    # most are well inside, so that no division is needed
    if not 0.0 < x < 0.99 * period and period != NO_PERIOD:
        x -= period * np.floor(x / period)
    return x


@inlined
def wrapped(x: Vector, periods: Vector) -> Vector:
    """The image of a place that lies in the box."""
    if len(x) > 2:
        return _wrapped(x[0], periods[0]), _wrapped(x[1], periods[1]), _wrapped(x[2], periods[2])
    return _wrapped(x[0], periods[0]), _wrapped(x[1], periods[1])


@kernel
def fill_frame(
    arrays: ClusterArrays,
    positions: NDArray[np.float64],
    velocities: NDArray[np.float64],
    cluster: NDArray[np.int32],
    last_merge: NDArray[np.float64],
    original: NDArray[np.int32],
    merged: NDArray[np.float64],
) -> None:
    """Write the state at the simulation's time, in the caller's order of discs.

    Parameters
    ----------
    arrays
        The whole state.
    positions, velocities : (N, d)
        X = origin of the cluster's frame + V (t - its time) + place in the frame, inside a periodic box; and V.
    cluster : (N,)
        The cluster of each disc, by the caller's number of the disc that names it.
    last_merge : (N,)
        The time of the last merge of each disc's cluster, which `merged` (N,) has by its name.
    original : (N,)
        The caller's number of each disc of the engine, which keeps discs in a spatial order.
    """
    st = borrowed(arrays)
    sim = st.sim[0]
    now = sim.time
    periods = periods_of(sim)
    count = st.label.shape[0]
    axes = positions.shape[1]
    # neighbours in this order may be anywhere in the caller's: they are prefetched
    clusters = elements(st.clusters)
    at, speed, name, last = pointer(positions), pointer(velocities), pointer(cluster), pointer(last_merge)
    for k in range(count):
        later = min(k + _AHEAD, count - 1)
        ahead = whole(original[later])
        prefetch(clusters, whole(st.label[later]))
        prefetch(at, axes * ahead)
        prefetch(name, ahead)
        prefetch(speed, axes * ahead)
        prefetch(last, ahead)
        c = st.label[k]
        of = clusters[c]
        x = wrapped(plus(plus(place(of), times(now - of.time, velocity(of))), place(st.discs[k])), periods)
        i = original[k]
        put_row(positions, i, x)
        cluster[i] = original[c]
        put_row(velocities, i, velocity(of))
        last_merge[i] = merged[c]


@inner
def grow_trees(st: ClusterArrays) -> None:
    """Build the box trees of all clusters, from the places of the discs in the frames of their clusters."""
    n = st.label.shape[0]
    for i in range(n):
        store_leaf(st.nodes, st.discs, i, i)
        st.clusters[i].built = 1
    for i in range(n):
        c = st.label[i]
        if c != i:
            insert_subtree(st.nodes, st.ids, c, i, pair_of(st, i))
    for k in range(st.sim[0].clusters):
        rebuild_tree(st, st.live[k])


@kernel
def build_trees(arrays: ClusterArrays) -> None:
    """Build the box trees of all clusters, and the boxes of clusters that neighbours read."""
    st = borrowed(arrays)
    grow_trees(st)
    for k in range(st.sim[0].clusters):
        round_box_outwards(st, st.live[k])


@kernel
def build_lists(arrays: ClusterArrays, bigs: NDArray[np.int32], watchers: NDArray[np.int32]) -> None:
    """Let clusters (K,) watch big ones (K,), queue the events of the entered clusters, and empty the grid."""
    st = borrowed(arrays)
    sim = st.sim[0]
    for k in range(len(bigs)):
        add_watcher(st, bigs[k], watchers[k])
    for k in range(sim.cursor):
        schedule(st, st.live[k])
    set_cells(sim, sim.grid_clusters)
    set_longest_horizon(sim)
    bucket_clear(st.buckets, st.bucket_top, product(cells_along(sim)))


@kernel
def enter_cells(arrays: ClusterArrays, begin: int) -> int:
    """Enter in the grid the small clusters among the first `cursor` of the list, starting at `begin`.

    Returns the number of the first cluster that was not entered: below `cursor` if the grid is full.
    """
    st = borrowed(arrays)
    sim = st.sim[0]
    for k in range(begin, sim.cursor):
        c = st.live[k]
        cluster = st.clusters[c]
        if cluster.big >= 0:
            continue
        if st.buckets.shape[0] - st.bucket_top[0] < sim.big_cells:
            return k
        low, high = swept_box(st, c)
        if choose_cells(sim, cluster, sim.big_cells, low, high):
            fill_cells(st.buckets, st.bucket_top, sim, cluster, c)
    return int(sim.cursor)
