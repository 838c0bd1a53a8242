"""Which cluster meets which next: the broad phase, and who answers for which pair.

Small clusters are entered in a grid with the box that they sweep until their horizon. A cluster that covers many cells
is *big*: it stands in a list that everyone looks through, and has no horizon.

Who answers: of two small clusters the one that was looked at last; of a small and a big one the small one; of two big
ones the one looked at last. Everybody keeps only the earliest impact that it answers for.

A big cluster takes up small ones all the time, and each time its velocity changes a little. So that not all its
neighbours must be looked at again each time, they predict with its *envelope*: its velocity stays within W of (EX, EY).
What they keep is then a bound (BOUND): no impact before. When that time comes the pair is looked at again, with the
remaining gap smaller by the ratio of W to the speed of approach, until the impact itself is the next event of all.
A pair so near that its bound is now (within DELTA) is predicted with the exact velocity instead, and the small
cluster is entered among the big one's *watchers*, to be looked at again whenever that velocity changes.
"""

from __future__ import annotations

from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.broad_phase import box_meeting, search_own_cells
from engine.aggregation.event_driven.clusters import Clusters
from engine.geometry.event_heap import heap_set
from engine.geometry.tree_impact import tree_impact
from engine.kernels import inlined, inner

INF = float("inf")


@inlined
def schedule(st: Clusters, c: int) -> None:
    """Enter the cluster's earliest event, impact or own, in the queue."""
    key = min(st.cf[c, cl.PAIR_T], st.cf[c, cl.OWN_T])
    st.si[cl.HEAP] = heap_set(st.heap_key, st.heap_owner, st.heap_slot, st.si[cl.HEAP], c, key)


@inlined
def set_impact(st: Clusters, c: int, t: float, partner: int, i: int, j: int, bound: int) -> None:
    """Let `c` answer for an impact of disc i with disc j of `partner` at t."""
    st.cf[c, cl.PAIR_T] = t
    ci = st.ci
    ci[c, cl.PARTNER] = partner
    ci[c, cl.PARTNER_TRAJ] = ci[partner, cl.TRAJ]
    ci[c, cl.DISC_I] = i
    ci[c, cl.DISC_J] = j
    ci[c, cl.BOUND] = bound


@inlined
def add_watcher(st: Clusters, big: int, c: int) -> bool:
    """Have `c` looked at again when the velocity of `big` changes; False, and nothing done, where the pool is full."""
    si = st.si
    k = si[cl.WATCH_FREE]
    if k >= 0:
        si[cl.WATCH_FREE] = st.watch[k, cl.W_NEXT]
    elif si[cl.WATCH_TOP] == st.watch.shape[0]:
        return False
    else:
        k = si[cl.WATCH_TOP]
        si[cl.WATCH_TOP] = k + 1
    st.watch[k, cl.W_CLUSTER] = c
    st.watch[k, cl.W_EVAL] = st.ci[c, cl.EVAL]
    st.watch[k, cl.W_NEXT] = st.ci[big, cl.WATCHERS]
    st.ci[big, cl.WATCHERS] = k
    return True


@inlined
def envelope(st: Clusters, a: int, b: int) -> tuple[float, float, float]:
    """Velocity of b relative to a, and how far from it the pair may come while both keep to their envelopes."""
    cf = st.cf
    avx = cf[a, cl.VX]
    avy = cf[a, cl.VY]
    bvx = cf[b, cl.VX]
    bvy = cf[b, cl.VY]
    if cf[a, cl.W] > 0.0:
        avx = st.more[a, cl.EX]
        avy = st.more[a, cl.EY]
    if cf[b, cl.W] > 0.0:
        bvx = st.more[b, cl.EX]
        bvy = st.more[b, cl.EY]
    return bvx - avx, bvy - avy, cf[a, cl.W] + cf[b, cl.W]


@inner
def impact(
    st: Clusters, owner: int, node: int, x: float, y: float, other: int, exact: bool, now: float, limit: float
) -> tuple[float, int, int]:
    """First impact within `limit` from now of a part of cluster `owner` with cluster `other`, in any periodic image.

    The part is the tree at `node`, its frame at (x, y). exact : with the velocities that the two have, else with their
    envelopes, which for small clusters is the same. Returns (time from now or inf, disc of the part, disc of `other`).
    """
    cf = st.cf
    dt = now - cf[other, cl.T]
    dx = cf[other, cl.PX] + cf[other, cl.VX] * dt - x
    dy = cf[other, cl.PY] + cf[other, cl.VY] * dt - y
    ux = cf[other, cl.VX] - cf[owner, cl.VX]
    uy = cf[other, cl.VY] - cf[owner, cl.VY]
    w = 0.0
    if not exact:
        ux, uy, w = envelope(st, owner, other)
    if ux == 0.0 and uy == 0.0 and w == 0.0:
        return INF, -1, -1
    best = limit
    bi = -1
    bj = -1
    kx0 = kx1 = ky0 = ky1 = 0
    lx = st.sf[cl.LX]
    ly = st.sf[cl.LY]
    if st.si[cl.PERIODIC]:
        # images whose boxes may touch: the second's box swept over `limit` against the first's
        part = st.nodes[node]
        reach_x = (abs(ux) + w) * limit
        reach_y = (abs(uy) + w) * limit
        kx0 = int(-((dx + cf[other, cl.BX1] + reach_x - part.x_min) // lx))
        kx1 = int((part.x_max - (dx + cf[other, cl.BX0] - reach_x)) // lx)
        ky0 = int(-((dy + cf[other, cl.BY1] + reach_y - part.y_min) // ly))
        ky1 = int((part.y_max - (dy + cf[other, cl.BY0] - reach_y)) // ly)
    for kx in range(kx0, kx1 + 1):
        for ky in range(ky0, ky1 + 1):
            t, i, j, visits, tests = tree_impact(
                st.nodes, st.discs, st.node_pairs, node, other, dx + kx * lx, dy + ky * ly, ux, uy, w, best
            )
            st.si[cl.PAIR_WALKS] += 1
            st.si[cl.NODE_VISITS] += visits
            st.si[cl.DISC_TESTS] += tests
            st.si[cl.WORK] += visits + 5
            if t < best:
                best = t
                bi = i
                bj = j
    if bi < 0:
        return INF, -1, -1
    return best, bi, bj


@inner
def predict(
    st: Clusters,
    answering: int,
    watched: int,
    owner: int,
    node: int,
    x: float,
    y: float,
    other: int,
    now: float,
    limit: float,
) -> tuple[float, int, int, int]:
    """`impact`, or a bound of it: (time from now, disc, disc, 1 where it is a bound).

    Where the bound would be now, `answering` is made a watcher of `watched` and the answer is exact.
    """
    t, i, j = impact(st, owner, node, x, y, other, False, now, limit)
    if st.cf[owner, cl.W] + st.cf[other, cl.W] == 0.0:
        return t, i, j, 0
    # with the pool full in the midst of an event a bound of now will do: `run` makes room before it is looked at again
    if t >= st.sf[cl.DELTA] or not add_watcher(st, watched, answering):
        return t, i, j, 1
    st.ci[answering, cl.WATCHING] = 1
    t, i, j = impact(st, owner, node, x, y, other, True, now, limit)
    return t, i, j, 0


@inlined
def answers_until(st: Clusters, c: int) -> float:
    """Until when a cluster has to know its impacts: its own event, but a big one may be reflected in between."""
    if st.ci[c, cl.BIG] >= 0:
        return float(st.more[c, cl.HORIZON])
    return float(st.cf[c, cl.OWN_T])


@inner
def look_among(st: Clusters, c: int, now: float, count: int, limit: float, but: int) -> None:
    """Let `c` answer for its earliest impact within `limit` from now with those in `found[:count]` and the big
    clusters, `but` one left out, and enter its earliest event in the queue.

    Candidates are taken in the order in which their boxes meet, so that the best time so far bounds the rest.
    """
    cf = st.cf
    ci = st.ci
    found = st.found
    found_t = st.found_t
    dt = now - cf[c, cl.T]
    x = cf[c, cl.PX] + cf[c, cl.VX] * dt
    y = cf[c, cl.PY] + cf[c, cl.VY] * dt
    # read what is far away in memory at once rather than one after the other: the loads overlap
    touched = 0.0
    for m in range(count):
        touched += cf[found[m], cl.OWN_T] + st.nodes[found[m]].x_min
    st.node_pairs[0].enter = touched
    kept = 0
    total = count + st.si[cl.BIGS]
    for m in range(total):
        other = found[m] if m < count else st.bigs[m - count]
        if other in (c, but):
            continue
        reach = limit if m >= count else min(limit, cf[other, cl.OWN_T] - now)
        ux = cf[other, cl.VX] - cf[c, cl.VX]
        uy = cf[other, cl.VY] - cf[c, cl.VY]
        w = 0.0
        if m >= count:
            # reading the envelope of a small cluster would cost a cache line for nothing
            ux, uy, w = envelope(st, c, other)
        t = box_meeting(st, c, x, y, other, ux, uy, w, now, reach)
        if t == INF:
            continue
        at = kept
        while at > 0 and found_t[at - 1] > t:
            found_t[at] = found_t[at - 1]
            found[at] = found[at - 1]
            at -= 1
        found_t[at] = t
        found[at] = other
        kept += 1
    st.si[cl.WORK] += total
    best = limit
    for m in range(kept):
        if found_t[m] >= best:
            break
        other = found[m]
        reach = best if ci[other, cl.BIG] >= 0 else min(best, cf[other, cl.OWN_T] - now)
        t, i, j, bound = predict(st, c, other, c, c, x, y, other, now, reach)
        if t < best:
            best = t
            set_impact(st, c, now + t, other, i, j, bound)
    schedule(st, c)


@inlined
def begin_to_look(st: Clusters, c: int) -> None:
    """Forget what `c` answers for, and void its entries among the watchers of big clusters."""
    st.ci[c, cl.EVAL] += 1
    st.ci[c, cl.WATCHING] = 0
    st.cf[c, cl.PAIR_T] = INF


@inner
def look_at(st: Clusters, c: int, now: float, count: int) -> None:
    """Find the earliest impact that `c` answers for, among `found[:count]` and the big clusters, and schedule it."""
    begin_to_look(st, c)
    look_among(st, c, now, count, answers_until(st, c) - now, c)


@inner
def look_again(st: Clusters, c: int, now: float) -> None:
    """`look_at` for a cluster whose entry in the grid still holds."""
    count = 0
    if st.ci[c, cl.BIG] < 0:
        count = search_own_cells(st, c)
    look_at(st, c, now, count)


@inner
def look_before(st: Clusters, c: int, now: float, t: float, partner: int, i: int, j: int) -> None:
    """Let `c` answer for the impact with `partner` at t from now, or for an earlier one with anybody else.

    A bound hides the impacts after it, and this one may lie behind them.
    """
    count = 0
    if st.ci[c, cl.BIG] < 0:
        count = search_own_cells(st, c)
    begin_to_look(st, c)
    set_impact(st, c, now + t, partner, i, j, 0)
    look_among(st, c, now, count, t, partner)


@inner
def offer(st: Clusters, big: int, part: int, x: float, y: float, now: float, count: int) -> None:
    """Have the small clusters in `found[:count]` answer for an impact with the tree at node `part` of `big`.

    (x, y) is where the part's frame is now. An impact later than the earliest that the small one has is dropped.
    """
    cf = st.cf
    for m in range(count):
        c = st.found[m]
        if c in (part, big):
            continue
        limit = min(cf[c, cl.PAIR_T], cf[c, cl.OWN_T]) - now
        t, i, j, bound = predict(st, c, big, big, part, x, y, c, now, limit)
        if t < limit:
            set_impact(st, c, now + t, big, j, i, bound)
            schedule(st, c)


@inner
def offer_to_bigs(st: Clusters, big: int, part: int, x: float, y: float, now: float) -> None:
    """Let `big` answer for impacts of its new part with the other big clusters, if earlier than what it has."""
    cf = st.cf
    for m in range(st.si[cl.BIGS]):
        other = st.bigs[m]
        if other == big:
            continue
        limit = min(cf[big, cl.PAIR_T], answers_until(st, big)) - now
        t, i, j, bound = predict(st, big, other, big, part, x, y, other, now, limit)
        if t < limit:
            set_impact(st, big, now + t, other, i, j, bound)
