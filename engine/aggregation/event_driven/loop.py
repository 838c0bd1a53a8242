"""From the initial state to the last event: the loop that takes events in order."""

from __future__ import annotations

from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.broad_phase import NEVER, lay_grid
from engine.aggregation.event_driven.clusters import Clusters
from engine.aggregation.event_driven.events import check, merge, rebuild_tree, reflect
from engine.aggregation.event_driven.prediction import look_again
from engine.aggregation.event_driven.registration import bring_to, extend_horizon, register, round_box, set_velocity
from engine.geometry.box_tree import insert_subtree, store_leaf
from engine.kernels import borrowed, inner, kernel

INF = float("inf")

# so many horizons a cluster mean that speeds have changed since the grid was laid: it is laid anew, with longer ones
_HORIZONS_PER_GRID = 64

# share of the energy at the start below which what moves is the rounding of momenta that have cancelled
_REST = 1e-30

# why `run` came back
AT_TIME, AT_CLUSTERS, AT_EVENTS, OUT_OF_WORK, BUCKETS_FULL, NOTHING_MOVES, WATCH_FULL = range(7)


@kernel
def start(arrays: Clusters) -> None:
    """Derive everything from discs, labels and the velocities in `cf` at the time NOW."""
    st = borrowed(arrays)
    n = st.label.shape[0]
    cf = st.cf
    ci = st.ci
    si = st.si
    sf = st.sf
    si[cl.PAIR_FREE] = n
    for i in range(n):
        c = st.label[i]
        m = st.discs[i].mass
        # every disc gives its own momentum; the discs of one cluster share the mean velocity from here on
        if i != c:
            cf[c, cl.MOMX] += m * cf[i, cl.VX]
            st.more[c, cl.MOMY] += m * cf[i, cl.VY]
        else:
            cf[c, cl.MOMX] += m * cf[c, cl.VX]
            st.more[c, cl.MOMY] += m * cf[c, cl.VY]
        cf[c, cl.MASS] += m
        ci[i, cl.LIVE] = -1
        ci[i, cl.BIG] = -1
        ci[i, cl.WATCHERS] = -1
    energy = 0.0
    for i in range(n):
        # frame of a cluster: the place of the disc that names it
        c = st.label[i]
        if c == i:
            cf[i, cl.T] = sf[cl.NOW]
            cf[i, cl.PX] = st.discs[i].x
            cf[i, cl.PY] = st.discs[i].y
            ci[i, cl.LIVE] = si[cl.M]
            st.live[si[cl.M]] = i
            si[cl.M] += 1
            set_velocity(st, i)
            energy += 0.5 * cf[i, cl.MASS] * (cf[i, cl.VX] * cf[i, cl.VX] + cf[i, cl.VY] * cf[i, cl.VY])
            cf[i, cl.BX0] = cf[i, cl.BY0] = INF
            cf[i, cl.BX1] = cf[i, cl.BY1] = -INF
    sf[cl.ENERGY] = sf[cl.ENERGY_REFERENCE] = energy
    st.log_f[0, 0] = sf[cl.NOW]
    st.log_f[0, 1] = energy
    for i in range(n):
        c = st.label[i]
        x = st.discs[i].x - cf[c, cl.PX]
        y = st.discs[i].y - cf[c, cl.PY]
        r = st.discs[i].radius
        cf[c, cl.BX0] = min(cf[c, cl.BX0], x - r)
        cf[c, cl.BY0] = min(cf[c, cl.BY0], y - r)
        cf[c, cl.BX1] = max(cf[c, cl.BX1], x + r)
        cf[c, cl.BY1] = max(cf[c, cl.BY1], y + r)
        round_box(st, c)
    for i in range(n):
        c = st.label[i]
        st.discs[i].x -= cf[c, cl.PX]
        st.discs[i].y -= cf[c, cl.PY]
        store_leaf(st.nodes, st.discs, i, i)
        ci[i, cl.BUILT] = 1
    for i in range(n):
        c = st.label[i]
        if c != i:
            insert_subtree(st.nodes, st.ids, c, i, si[cl.PAIR_FREE])
            si[cl.PAIR_FREE] += 2
    for k in range(si[cl.M]):
        rebuild_tree(st, st.live[k])
    lay_grid(st, sf[cl.NOW])


@inner
def _run(st: Clusters, until_time: float, until_clusters: int, max_events: int, max_work: int) -> int:
    """`run` with borrowed arrays."""
    si = st.si
    sf = st.sf
    cf = st.cf
    ci = st.ci
    last_work = si[cl.WORK] + max_work
    last_event = si[cl.MERGES] + si[cl.WALL_EVENTS] + max_events
    while True:
        if si[cl.M] <= until_clusters:
            return AT_CLUSTERS
        if si[cl.MERGES] + si[cl.WALL_EVENTS] >= last_event:
            return AT_EVENTS
        if si[cl.WORK] >= last_work:
            return OUT_OF_WORK
        if st.bucket.shape[0] - st.bucket_top[0] < 2 * si[cl.BIG_CELLS]:
            return BUCKETS_FULL
        if st.watch.shape[0] - si[cl.WATCH_TOP] < 2 * si[cl.M] + 512:
            return WATCH_FULL
        if si[cl.CURSOR] < si[cl.M]:
            register(st, st.live[si[cl.CURSOR]], sf[cl.NOW])
            si[cl.CURSOR] += 1
            continue
        if sf[cl.ENERGY] <= _REST * st.log_f[0, 1] or sf[cl.APART] == 0.0:
            return NOTHING_MOVES
        if si[cl.HEAP] == 0 or st.heap_key[0] >= NEVER:
            return NOTHING_MOVES
        t = st.heap_key[0]
        if t > until_time:
            sf[cl.NOW] = until_time
            return AT_TIME
        # rounding may put an event before the last one by a unit in the last place: time never runs backwards
        t = max(t, sf[cl.NOW])
        sf[cl.NOW] = t
        c = st.heap_owner[0]
        si[cl.WORK] += 10
        if cf[c, cl.PAIR_T] <= cf[c, cl.OWN_T]:
            d = ci[c, cl.PARTNER]
            if ci[d, cl.TRAJ] != ci[c, cl.PARTNER_TRAJ]:
                si[cl.STALE_EVENTS] += 1
                look_again(st, c, t)
            elif ci[c, cl.BOUND]:
                check(st, c, t)
            else:
                merge(st, c, d, ci[c, cl.DISC_I], ci[c, cl.DISC_J], t)
        elif ci[c, cl.OWN_KIND] == cl.OWN_WALL_X or ci[c, cl.OWN_KIND] == cl.OWN_WALL_Y:
            si[cl.WALL_EVENTS] += 1
            reflect(st, c, t)
        elif si[cl.HORIZON_EVENTS] - si[cl.GRID_HORIZONS] > _HORIZONS_PER_GRID * si[cl.M]:
            lay_grid(st, t)
        else:
            si[cl.HORIZON_EVENTS] += 1
            if ci[c, cl.BIG] >= 0:
                bring_to(st, c, t)
                extend_horizon(st, c, t)
            else:
                register(st, c, t)


@kernel
def run(st: Clusters, until_time: float, until_clusters: int, max_events: int, max_work: int) -> int:
    """Take events in order until one of the limits is reached; returns which (AT_TIME, ...).

    Where it is cut has no influence on what follows.
    """
    return _run(borrowed(st), until_time, until_clusters, max_events, max_work)
