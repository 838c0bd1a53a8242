"""Predicting which clusters meet next: the broad phase, and which cluster answers for which pair.

Small clusters are entered in a grid with the box that they sweep until their horizon. A cluster that covers many cells
is *big*: it is in a list with which every cluster is compared, and has no horizon in the grid.

The cluster that answers for a pair is: of two small or two big clusters, the one predicted last; of a small and a big
one, the small one. Each cluster keeps only the earliest impact that it answers for.

A big cluster absorbs small ones all the time, and its velocity changes a little each time. So that its neighbours need
not be repredicted each time, they use its *envelope*: its velocity stays within a circle, in space a ball, of radius
`envelope` about (`envelope_vx`, `envelope_vy`). The prediction is then a lower bound of the time of impact. When that
time is reached the pair is repredicted, with a gap that is smaller by the ratio of that radius to the approach speed,
until the impact itself is the next event of all. A pair so near that its bound is now (within `delta`) is predicted
with the exact velocity instead, and the small cluster is added to the big one's *watchers*, which are repredicted
whenever that velocity changes.
"""

from __future__ import annotations

from engine.aggregation.event_driven.broad_phase import box_meeting, place_at, search_own_cells
from engine.aggregation.event_driven.clusters import ClusterArrays, envelope_velocity
from engine.geometry.box_tree import prefetch_below
from engine.geometry.event_heap import heap_set
from engine.geometry.impact import impact_of_images
from engine.geometry.vectors import Vector, is_zero, minus, velocity
from engine.kernels import elements, inlined, inner, prefetch

INF = float("inf")


@inlined
def schedule(st: ClusterArrays, c: int) -> None:
    """Enter the cluster's earliest event, impact or own, in the queue."""
    cluster = st.clusters[c]
    key = min(cluster.impact_time, cluster.own_time)
    sim = st.sim[0]
    sim.queued = heap_set(st.heap_key, st.heap_owner, st.heap_slot, sim.queued, c, key)


@inlined
def set_impact(st: ClusterArrays, c: int, t: float, partner: int, i: int, j: int, bound: int) -> None:
    """Let `c` answer for an impact of disc i with disc j of `partner` at t."""
    cluster = st.clusters[c]
    cluster.impact_time = t
    cluster.partner = partner
    cluster.partner_trajectory = st.clusters[partner].trajectory
    cluster.disc = i
    cluster.partner_disc = j
    cluster.is_bound = bound


@inlined
def add_watcher(st: ClusterArrays, big: int, c: int) -> bool:
    """Let `c` be repredicted when the velocity of `big` changes; returns False, and does nothing, if the pool is
    full."""
    sim = st.sim[0]
    k = sim.free_watch
    if k >= 0:
        sim.free_watch = st.watches[k].next
    elif sim.used_watches == st.watches.shape[0]:
        return False
    else:
        k = sim.used_watches
        sim.used_watches = k + 1
    watch = st.watches[k]
    watch.cluster = c
    watch.evaluation = st.clusters[c].evaluation
    watch.next = st.clusters[big].watchers
    st.clusters[big].watchers = k
    return True


@inlined
def relative_envelope(st: ClusterArrays, a: int, b: int) -> tuple[Vector, float]:
    """Velocity of b relative to a, and its uncertainty while both stay within their envelopes."""
    one = st.clusters[a]
    two = st.clusters[b]
    v, w = velocity(one), velocity(two)
    if one.envelope > 0.0:
        v = envelope_velocity(one)
    if two.envelope > 0.0:
        w = envelope_velocity(two)
    return minus(w, v), one.envelope + two.envelope


@inner
def first_impact(
    st: ClusterArrays, owner: int, node: int, x: Vector, other: int, exact: bool, now: float, limit: float
) -> tuple[float, int, int]:
    """First impact within `limit` from now of a part of cluster `owner` with cluster `other`, in any periodic image.

    The part is the tree at `node`, its frame at x. exact : with the velocities that the two have, else with their
    envelopes, which for small clusters is the same. Returns (time from now or inf, disc of the part, disc of `other`).
    """
    own = st.clusters[owner]
    them = st.clusters[other]
    sim = st.sim[0]
    d = minus(place_at(st, other, now), x)
    u = minus(velocity(them), velocity(own))
    w = 0.0
    if not exact:
        u, w = relative_envelope(st, owner, other)
    if is_zero(u) and w == 0.0:
        return INF, -1, -1
    t, i, j, visits, tests, walks = impact_of_images(
        st.nodes, st.discs, st.node_pairs, sim, node, other, d, u, w, 0.0, limit
    )
    sim.pair_walks += walks
    sim.node_visits += visits
    sim.disc_tests += tests
    sim.work += visits + 5 * walks
    return t, i, j


@inner
def predict_pair(
    st: ClusterArrays,
    answering: int,
    watched: int,
    owner: int,
    node: int,
    x: Vector,
    other: int,
    now: float,
    limit: float,
) -> tuple[float, int, int, int]:
    """First impact of two clusters, or a bound of it: (time from now, disc, disc, 1 if it is a bound).

    If the bound would be now, `answering` becomes a watcher of `watched` and the result is exact.
    """
    t, i, j = first_impact(st, owner, node, x, other, False, now, limit)
    if st.clusters[owner].envelope + st.clusters[other].envelope == 0.0:
        return t, i, j, 0
    # if the pool is full within an event, a bound of now is sufficient: `run` enlarges the pool before the pair is
    # repredicted
    if t >= st.sim[0].delta or not add_watcher(st, watched, answering):
        return t, i, j, 1
    st.clusters[answering].watching = 1
    t, i, j = first_impact(st, owner, node, x, other, True, now, limit)
    return t, i, j, 0


@inlined
def answers_until(st: ClusterArrays, c: int) -> float:
    """The time up to which a cluster must know its impacts: its own event, but a big one may be reflected in
    between."""
    cluster = st.clusters[c]
    if cluster.big >= 0:
        return float(cluster.horizon)
    return float(cluster.own_time)


@inner
def predict_among(st: ClusterArrays, c: int, now: float, count: int, limit: float, but: int) -> None:
    """Let `c` answer for its earliest impact within `limit` from now with the clusters in `found[:count]` and the big
    ones, except `but`, and enter its earliest event in the queue.

    Candidates are taken in the order in which their boxes meet, so that the best time so far bounds the rest.
    """
    found = st.found
    found_time = st.found_time
    own = st.clusters[c]
    x = place_at(st, c, now)
    # read distant memory at once rather than one after the other, so that the loads overlap
    nodes = elements(st.nodes)
    for m in range(count):
        # all at once, without a branch that would wait for the one before
        prefetch(nodes, max(nodes[found[m]].left, 0))
    kept = 0
    total = count + st.sim[0].bigs
    for m in range(total):
        other = found[m] if m < count else st.bigs[m - count]
        if other in (c, but):
            continue
        them = st.clusters[other]
        reach = limit if m >= count else min(limit, them.own_time - now)
        u = minus(velocity(them), velocity(own))
        w = 0.0
        if m >= count:
            # reading the envelope of a small cluster would cost a cache line for nothing
            u, w = relative_envelope(st, c, other)
        t = box_meeting(st, c, x, other, u, w, now, reach)
        if t == INF:
            continue
        # at equal times small clusters by name, then big ones in list order: the cells of the grid have no order
        at = kept
        while at > 0 and (found_time[at - 1] > t or (m < count and found_time[at - 1] == t and found[at - 1] > other)):
            found_time[at] = found_time[at - 1]
            found[at] = found[at - 1]
            at -= 1
        found_time[at] = t
        found[at] = other
        kept += 1
    st.sim[0].work += total
    for m in range(kept):
        left = nodes[found[m]].left
        if left >= 0:
            prefetch_below(st.nodes, st.discs, left)
            prefetch_below(st.nodes, st.discs, left + 1)
    best = limit
    for m in range(kept):
        if found_time[m] >= best:
            break
        other = found[m]
        them = st.clusters[other]
        reach = best if them.big >= 0 else min(best, them.own_time - now)
        t, i, j, bound = predict_pair(st, c, other, c, c, x, other, now, reach)
        if t < best:
            best = t
            set_impact(st, c, now + t, other, i, j, bound)
    schedule(st, c)


@inlined
def forget_predictions(st: ClusterArrays, c: int) -> None:
    """Delete the prediction of `c`, and invalidate its entries among the watchers of big clusters."""
    cluster = st.clusters[c]
    cluster.evaluation += 1
    cluster.watching = 0
    cluster.impact_time = INF


@inner
def predict(st: ClusterArrays, c: int, now: float, count: int) -> None:
    """Find the earliest impact that `c` answers for, among `found[:count]` and the big clusters, and schedule it."""
    forget_predictions(st, c)
    predict_among(st, c, now, count, answers_until(st, c) - now, c)


@inner
def repredict(st: ClusterArrays, c: int, now: float) -> None:
    """Repredict and reschedule a cluster whose entry in the grid is still valid."""
    count = 0
    if st.clusters[c].big < 0:
        count = search_own_cells(st, c)
    predict(st, c, now, count)


@inner
def repredict_before(st: ClusterArrays, c: int, now: float, t: float, partner: int, i: int, j: int) -> None:
    """Let `c` answer for the impact with `partner` at t from now, or for an earlier one with another cluster.

    While `c` had a bound it kept no later impacts, and one of those may come before t.
    """
    count = 0
    if st.clusters[c].big < 0:
        count = search_own_cells(st, c)
    forget_predictions(st, c)
    set_impact(st, c, now + t, partner, i, j, 0)
    predict_among(st, c, now, count, t, partner)


@inner
def predict_for_neighbours(st: ClusterArrays, big: int, part: int, x: Vector, now: float, count: int) -> None:
    """Let the small clusters in `found[:count]` answer for an impact with the tree at node `part` of `big`.

    x is the present origin of the part's frame. An impact later than the small cluster's earliest one is dropped.
    """
    for m in range(count):
        c = st.found[m]
        if c in (part, big):
            continue
        cluster = st.clusters[c]
        limit = min(cluster.impact_time, cluster.own_time) - now
        t, i, j, bound = predict_pair(st, c, big, big, part, x, c, now, limit)
        if t < limit:
            set_impact(st, c, now + t, big, j, i, bound)
            schedule(st, c)


@inner
def predict_with_bigs(st: ClusterArrays, big: int, part: int, x: Vector, now: float) -> None:
    """Let `big` answer for impacts of its new part with the other big clusters, if earlier than what it has."""
    for m in range(st.sim[0].bigs):
        other = st.bigs[m]
        if other == big:
            continue
        limit = min(st.clusters[big].impact_time, answers_until(st, big)) - now
        t, i, j, bound = predict_pair(st, big, other, big, part, x, other, now, limit)
        if t < limit:
            set_impact(st, big, now + t, other, i, j, bound)
