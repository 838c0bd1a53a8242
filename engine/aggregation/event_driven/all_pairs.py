"""The event-driven method with the search of the paper's appendix A: all pairs of discs at every event.

It finds the same events as the trees (`prediction`) in the same order, and carries them out with the same code
(`events`), but each event takes N (N - 1) / 2 times of impact. It serves for comparison: it keeps nothing from one
event to the next, so nothing can be out of date.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.aggregation.event_driven.broad_phase import NEVER
from engine.aggregation.event_driven.clusters import ClusterArrays
from engine.aggregation.event_driven.events import graft, turn_back, unite
from engine.aggregation.event_driven.loop import at_rest
from engine.aggregation.event_driven.registration import move_to, next_wall
from engine.geometry.impact import disc_impact
from engine.geometry.minimum_image import box_images, periods_along, periods_of, shifted, third_range
from engine.geometry.vectors import (
    Vector,
    absolute,
    box_sides,
    every,
    greatest,
    largest,
    minus,
    place,
    plus,
    put_place,
    put_velocity,
    smallest,
    times,
    velocity,
)
from engine.kernels import borrowed, inner, kernel
from engine.records import Records, in_space, record, zeros
from engine.slices import AT_CLUSTERS, AT_EVENTS, AT_TIME, NOTHING_MOVES, OUT_OF_WORK

INF = float("inf")

_PAIRS_A_UNIT = 4  # pairs of discs that are tested in a unit of work

SEARCH = record("f8 since wait", "i8 compared i j wall")
"""The progress of the search for the next event.

since : time of the last event, from which it looks ahead; wait : from then until the earliest event found so far;
compared : discs that have been compared with all later ones, -1 before the search; i, j : the discs that meet, -1 for
    none; wall : the cluster that meets a wall, -1 for none. Without any of these, the event is a horizon.
"""

FLYING = record("f8 x y vx vy radius", "i8 cluster")
SPACE_FLYING = in_space(FLYING)
"""A disc at the last event: place (length), velocity, radius (length), cluster."""


class Pairs(NamedTuple):
    """The data of a search for the next event. Checkpoints do not contain it: a search can be restarted."""

    search: Records  # (1,) of SEARCH
    discs: Records  # (N,) of FLYING


class AllPairs:
    """The search of one simulation, see `engine.aggregation.event_driven.simulation.SearchEvents`."""

    def __init__(self, count: int, dimensions: int) -> None:
        self._pairs = Pairs(zeros(1, SEARCH), zeros(count, SPACE_FLYING if dimensions > 2 else FLYING))
        self._pairs.search["compared"] = -1

    def __call__(
        self, arrays: ClusterArrays, until_time: float, until_clusters: int, max_events: int, max_work: int
    ) -> int:
        """Take events in order until one of the limits is reached, see `loop.run`."""
        return int(run(arrays, self._pairs, until_time, until_clusters, max_events, max_work))


@inner
def begin_search(st: ClusterArrays, ps: Pairs) -> bool:
    """Move all clusters to the last event, store the positions of their discs, and find the first wall.

    In a periodic box the search looks ahead only up to a horizon, until which two discs approach by at most half a
    side: otherwise infinitely many images could meet. Returns False if nothing will ever meet.
    """
    sim = st.sim[0]
    search = ps.search[0]
    now = 0.0
    for k in range(sim.clusters):
        now = max(now, st.clusters[st.live[k]].time)
    search.since = now
    search.wait = INF
    search.i = search.j = search.wall = -1
    first = st.clusters[st.live[0]]
    spread = every(0.0, velocity(first))
    for k in range(sim.clusters):
        c = st.live[k]
        cluster = st.clusters[c]
        if cluster.time < now:
            move_to(st, c, now)
        next_wall(st, c, now)
        if cluster.own_time - now < search.wait:
            search.wait = cluster.own_time - now
            search.wall = c
        spread = greatest(spread, absolute(minus(velocity(cluster), velocity(first))))
    if sim.periodic and largest(spread) == 0.0 and search.wait == INF:
        return False
    if sim.periodic and largest(spread) > 0.0:
        farthest = 0.25 * smallest(periods_of(sim)) / largest(spread)
        if farthest < search.wait:
            search.wait = farthest
            search.wall = -1
    for i in range(st.label.shape[0]):
        c = st.label[i]
        cluster = st.clusters[c]
        disc = st.discs[i]
        flying = ps.discs[i]
        put_place(flying, plus(place(cluster), place(disc)))
        put_velocity(flying, velocity(cluster))
        flying.radius = disc.radius
        flying.cluster = c
    search.compared = 0
    return True


@inner
def compare_with_later(ps: Pairs, i: int, periodic: int, sides: Vector) -> None:
    """Find the first impact of disc i with later discs, if it precedes the earliest event found so far.

    Along the periodic axes of the box all images of the other discs that are near enough to be met in time are
    considered.
    """
    search = ps.search[0]
    best = search.wait
    first = -1
    one = ps.discs[i]
    x, v = place(one), velocity(one)
    origin = every(0.0, x)
    radius = one.radius
    cluster = one.cluster
    for j in range(i + 1, ps.discs.shape[0]):
        two = ps.discs[j]
        if two.cluster == cluster:
            continue
        d, u = minus(place(two), x), minus(velocity(two), v)
        sigma = radius + two.radius
        if not periodic:
            t = disc_impact(d, u, sigma, 0.0, False)
            if t < best:
                best = t
                first = j
            continue
        reach = plus(every(sigma, u), times(best, absolute(u)))
        k_first, k_last = box_images(origin, origin, minus(d, reach), plus(d, reach), periods_along(periodic, sides))
        kz0, kz1 = third_range(k_first, k_last)
        for kx in range(k_first[0], k_last[0] + 1):
            for ky in range(k_first[1], k_last[1] + 1):
                for kz in range(kz0, kz1):
                    t = disc_impact(shifted(d, kx, ky, kz, sides), u, sigma, 0.0, False)
                    if t < best:
                        best = t
                        first = j
    if first >= 0:
        search.wait = best
        search.i = i
        search.j = first


@kernel
def run(
    arrays: ClusterArrays, pairs: Pairs, until_time: float, until_clusters: int, max_events: int, max_work: int
) -> int:
    """Take events in order until one of the limits is reached, as `loop.run`. A search may be cut between two discs.

    Returns
    -------
    int
        Why it returned: a status of `engine.slices`.
    """
    st = borrowed(arrays)
    ps = borrowed(pairs)
    sim = st.sim[0]
    search = ps.search[0]
    n = st.label.shape[0]
    last_work = sim.work + max_work
    last_event = sim.merges + sim.wall_events + max_events
    while True:
        if sim.clusters <= until_clusters:
            return AT_CLUSTERS
        if sim.merges + sim.wall_events >= last_event:
            return AT_EVENTS
        if at_rest(st) or (search.compared < 0 and not begin_search(st, ps)):
            return NOTHING_MOVES
        while search.compared < n:
            if sim.work >= last_work:
                return OUT_OF_WORK
            i = search.compared
            compare_with_later(ps, i, sim.periodic, box_sides(sim))
            sim.work += 1 + (n - i) // _PAIRS_A_UNIT
            search.compared = i + 1
        t = search.since + search.wait
        if t >= NEVER:
            return NOTHING_MOVES
        if t > until_time:
            sim.time = until_time
            return AT_TIME
        # rounding may put an event before the last one by a unit in the last place: time never runs backwards
        t = max(t, sim.time)
        sim.time = t
        sim.disc_tests += n * (n - 1) // 2
        search.compared = -1
        if search.i >= 0:
            c, d, _ = unite(st, ps.discs[search.i].cluster, ps.discs[search.j].cluster, search.i, search.j, t)
            graft(st, c, d)
        elif search.wall >= 0:
            sim.wall_events += 1
            turn_back(st, search.wall, t)
        else:
            sim.horizon_events += 1
            move_to(st, st.live[0], t)
