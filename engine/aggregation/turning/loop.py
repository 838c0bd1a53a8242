"""The event loop of clusters that turn, from the initial state to the last event, and the state at a given time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.event_driven.broad_phase import NEVER
from engine.aggregation.event_driven.clusters import ClusterArrays
from engine.aggregation.event_driven.loop import BUCKETS_FULL, at_rest, grow_trees
from engine.aggregation.event_driven.registration import set_velocity
from engine.aggregation.turning import bodies
from engine.aggregation.turning.bodies import centre, put_centre
from engine.aggregation.turning.events import (
    energy_of,
    merge,
    new_grid,
    reflect,
    set_reach,
    stop_turning,
)
from engine.aggregation.turning.motion import around
from engine.aggregation.turning.pose import (
    add_disc,
    begin_turning,
    first_spin,
    from_centre,
    move_to,
    pose_at,
    put_turning,
    set_again,
    set_spin,
)
from engine.aggregation.turning.prediction import extend_horizon, register, repredict
from engine.geometry.minimum_image import folded, periods_of
from engine.geometry.vectors import (
    every,
    minus,
    momentum,
    over,
    place,
    plus,
    put_momentum,
    put_place,
    put_row,
    times,
    velocity,
)
from engine.kernels import borrowed, inlined, kernel
from engine.slices import AT_CLUSTERS, AT_EVENTS, AT_TIME, NOTHING_MOVES, OUT_OF_WORK

_HORIZONS_PER_GRID = 64  # more horizons than this for each cluster: they are slow, and a new grid makes them longer


@inlined
def set_smallest_radius(st: ClusterArrays) -> None:
    """Find the smallest disc."""
    least = st.discs[0].radius
    for i in range(st.label.shape[0]):
        least = min(least, st.discs[i].radius)
    st.sim[0].smallest_radius = least


@kernel
def start(arrays: ClusterArrays) -> None:
    """Derive all data from the initial discs and labels.

    Velocity and ω of each disc are in the row of `clusters` with its number: a cluster has their momentum and angular
    momentum.
    """
    st = borrowed(arrays)
    n = st.label.shape[0]
    sim = st.sim[0]
    set_smallest_radius(st)
    for i in range(n):
        own = st.clusters[i]
        cluster = st.clusters[st.label[i]]
        m = st.discs[i].mass
        put_momentum(cluster, plus(momentum(cluster), times(m, velocity(own))))
        put_centre(cluster, plus(centre(cluster), times(m, place(st.discs[i]))))
        cluster.mass += m
        own.seat = -1
        own.big = -1
        own.watchers = -1
        own.wall_time = -1.0
        begin_turning(own, place(st.discs[i]))
    for i in range(n):
        if st.label[i] == i:
            cluster = st.clusters[i]
            cluster.time = sim.time
            put_centre(cluster, over(centre(cluster), cluster.mass))
            cluster.seat = sim.clusters
            st.live[sim.clusters] = i
            sim.clusters += 1
    for i in range(n):
        # about the centre of mass, before the velocities of the discs are forgotten
        c = st.label[i]
        cluster, disc = st.clusters[c], st.discs[i]
        r = minus(place(disc), centre(cluster))
        # as Σ m r = 0, the same as with the velocities themselves; 0 without rounding where these are the same
        v = minus(velocity(st.clusters[i]), velocity(cluster))
        add_disc(cluster, disc, r, v, first_spin(st.clusters[i], r))
    for k in range(sim.clusters):
        c = st.live[k]
        cluster = st.clusters[c]
        set_velocity(st, c)
        set_spin(st, c, place(st.discs[c]))
        put_place(cluster, centre(cluster))
        sim.energy += energy_of(st, c)
    for i in range(n):
        # the frame of a cluster has its origin at the disc that names it
        if st.label[i] != i:
            put_place(st.discs[i], minus(place(st.discs[i]), place(st.discs[st.label[i]])))
    for k in range(sim.clusters):
        c = st.live[k]
        put_centre(st.clusters[c], minus(centre(st.clusters[c]), place(st.discs[c])))
        put_place(st.discs[c], every(0.0, place(st.discs[c])))
        move_to(st, c, sim.time)
    sim.energy_reference = sim.energy
    st.log[0].time = sim.time
    st.log[0].kinetic_energy = sim.energy
    grow_trees(st)
    for k in range(sim.clusters):
        set_reach(st, st.live[k])
    new_grid(st, sim.time)


@kernel
def run(arrays: ClusterArrays, until_time: float, until_clusters: int, max_events: int, max_work: int) -> int:
    """Process events in order until one of the limits is reached, see `engine.aggregation.event_driven.loop.run`."""
    st = borrowed(arrays)
    sim = st.sim[0]
    last_work = sim.work + max_work
    last_event = sim.merges + sim.wall_events + max_events
    while True:
        if sim.clusters <= until_clusters:
            return AT_CLUSTERS
        if sim.merges + sim.wall_events >= last_event:
            return AT_EVENTS
        if sim.work >= last_work:
            return OUT_OF_WORK
        if st.buckets.shape[0] - st.bucket_top[0] < 2 * sim.big_cells:
            return BUCKETS_FULL
        if sim.cursor < sim.clusters:
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
        c = st.heap_owner[0]
        cluster = st.clusters[c]
        sim.work += 10
        if cluster.impact_time <= cluster.own_time:
            d = cluster.partner
            if st.clusters[d].trajectory != cluster.partner_trajectory:
                sim.stale_events += 1
                repredict(st, c, t)
            else:
                merge(st, cluster.disc, cluster.partner_disc, t)
        elif cluster.own_kind == bodies.OWN_IMAGE:
            stop_turning(st, c, t)
        elif cluster.own_kind != bodies.OWN_HORIZON:
            sim.wall_events += 1
            reflect(st, c, t)
        elif sim.horizon_events - sim.grid_horizons > _HORIZONS_PER_GRID * sim.clusters:
            new_grid(st, t)
        else:
            sim.horizon_events += 1
            if cluster.big >= 0:
                move_to(st, c, t)
                extend_horizon(st, c, t)
            else:
                register(st, c, t)


@kernel
def rebuild(arrays: ClusterArrays) -> None:
    """Build the box trees of all clusters, from the places of the discs in the frames of their clusters, and prepare
    their motion again."""
    st = borrowed(arrays)
    set_smallest_radius(st)
    grow_trees(st)
    for k in range(st.sim[0].clusters):
        set_again(st, st.live[k], place(st.discs[0]))


@kernel
def fill_frame(
    arrays: ClusterArrays,
    positions: NDArray[np.float64],
    velocities: NDArray[np.float64],
    cluster: NDArray[np.int32],
    last_merge: NDArray[np.float64],
    turned: NDArray[np.float64],
    spin: NDArray[np.float64],
    original: NDArray[np.int32],
    merged: NDArray[np.float64],
) -> None:
    """Write the state at the simulation's time, in the caller's order of discs.

    Parameters
    ----------
    arrays
        The whole state.
    positions, velocities : (N, d)
        Inside the box along periodic axes; and V + ω × r.
    cluster, last_merge : (N,)
        As in `engine.aggregation.event_driven.loop.fill_frame`.
    turned, spin : (N,), or (N, 4) and (N, 3)
        How far each disc is turned, an angle from -π to π or in space a unit quaternion, and ω of its cluster.
    original : (N,)
        The caller's number of each disc of the engine.
    """
    st = borrowed(arrays)
    sim = st.sim[0]
    now = sim.time
    for k in range(st.label.shape[0]):
        c = st.label[k]
        of = st.clusters[c]
        pose, omega = pose_at(of, now, place(st.discs[k]))
        r = from_centre(of, pose, place(st.discs[k]))
        x = folded(plus(plus(place(of), times(now - of.time, velocity(of))), r), periods_of(sim))
        i = original[k]
        put_row(positions, i, x)
        put_row(velocities, i, plus(velocity(of), around(omega, r)))
        cluster[i] = original[c]
        last_merge[i] = merged[c]
        put_turning(turned, spin, i, of, st.clusters[k], now, r)
