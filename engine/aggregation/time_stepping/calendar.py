"""Until when each cluster may be left alone, so that a step touches only what can meet in it.

Between collisions clusters fly straight, so the time at which two of them first overlap follows from their box trees
(`first_overlap`). Each cluster answers for what it may meet until it is asked again: it stands in a queue with a lower
bound of the time of its next overlap, of its next wall, and of the end of what it has looked at. These are times, not
numbers of steps, so they hold whatever the length of the steps. A cluster whose time lies in a step is *awake* in it:
what it overlaps at the end is looked for, and its bound is found anew. All others are left alone; where they are
follows from their anchors when somebody asks.

Every pair is answered for: when a cluster is asked, it looks at all clusters that stand in the cells that it sweeps,
and each of these stands in the cells that it sweeps itself until it is asked again. A cluster whose velocity or shape
has changed is asked at once, and its answer covers what the others have said about it.

Steps in which many clusters are awake go through all discs instead, which is cheaper then. The results have the same
bits in both ways, also because new links, clusters at walls and contacts of a disc are put in order before they are
used.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.aggregation.time_stepping.arrays import ENTER, FLIGHT, MEET, NOWHERE, WAKE, Stepping
from engine.aggregation.time_stepping.cluster_grid import BIG_CELLS, clear_grid, enter_grid, leave_grid, search_grid
from engine.aggregation.time_stepping.cluster_trees import renew_tree
from engine.aggregation.time_stepping.first_overlap import MARGIN, first_overlap
from engine.aggregation.time_stepping.flight import (
    bring_cluster,
    flown,
    is_through_wall,
    order_hits,
    reflect_clusters,
    sort_all_discs,
)
from engine.aggregation.time_stepping.meeting import origin_at_end
from engine.geometry.event_heap import heap_remove, heap_set
from engine.kernels import borrowed, inlined, inner, kernel

TRAVEL = 0.8
"""How far a cluster may come before it is asked again, in cells of the grid."""
BIG_PATIENCE = 0.25
"""Share of the longest time after which a big cluster is asked again: the less time two large ones that are near each
other have, the fewer of their discs have to be compared."""
CROWD = 0.5
"""Share of the clusters that are awake from which on a step goes through all discs."""
LONGEST_PAUSE = 64


@inlined
def ask_again(st: Stepping, c: int) -> None:
    """Have the bound of cluster c found anew before the next step that uses the calendar."""
    if st.calendar[0].ready and st.entries[c].due == 0:
        st.entries[c].due = 1
        st.due[st.calendar[0].dues] = c
        st.calendar[0].dues += 1


@inner
def leave_calendar(st: Stepping, c: int) -> None:
    """Take a cluster that becomes part of another out of grid and queue."""
    calendar = st.calendar[0]
    if calendar.ready:
        leave_grid(st, c)
        calendar.queued = heap_remove(st.heap_key, st.heap_owner, st.heap_slot, calendar.queued, c)


@inner
def begin_grid(st: Stepping) -> None:
    """Begin a grid for the clusters that are left, and ask all of them."""
    calendar = st.calendar[0]
    for k in range(calendar.queued):
        st.heap_slot[st.heap_owner[k]] = -1
    calendar.queued = 0
    calendar.dues = 0
    clear_grid(st)
    for k in range(st.sim[0].clusters):
        c = st.live[k]
        st.entries[c].due = 0
        ask_again(st, c)
    st.sim[0].work += st.sim[0].clusters


@inner
def begin_calendar(st: Stepping) -> None:
    """Begin the calendar; its arrays are there, and hold nothing."""
    st.calendar[0].ready = 1
    st.calendar[0].free_pair = len(st.label)
    begin_grid(st)


@inlined
def time_to_wall(low: float, high: float, side: float, v: float, margin: float) -> float:
    """A bound of the time until a cluster that reaches from `low` to `high` is through a wall; now if it may be."""
    if low < margin or high > side - margin:
        return 0.0
    if v > 0.0:
        return (side - margin - high) / v
    if v < 0.0:
        return (low - margin) / -v
    return inf


@inner
def answer(st: Stepping, c: int) -> None:
    """Find until when cluster c may be left alone, from the last whole step on, and enter it in grid and queue."""
    renew_tree(st, c)
    sim = st.sim[0]
    calendar = st.calendar[0]
    cluster = st.clusters[c]
    entry = st.entries[c]
    root = st.nodes[c]
    now = sim.time
    vx = cluster.vx
    vy = cluster.vy
    x = cluster.x + vx * (now - cluster.time)
    y = cluster.y + vy * (now - cluster.time)
    speed = sqrt(vx * vx + vy * vy)
    limit = calendar.longest
    if entry.big >= 0:
        limit *= BIG_PATIENCE
    if speed * limit > TRAVEL * calendar.cell:
        limit = TRAVEL * calendar.cell / speed
    if not sim.periodic:
        margin = MARGIN * (sim.box_x + sim.box_y)
        limit = min(limit, time_to_wall(x + root.x_min, x + root.x_max, sim.box_x, vx, margin))
        limit = min(limit, time_to_wall(y + root.y_min, y + root.y_max, sim.box_y, vy, margin))
    slack = MARGIN * (sim.box_x + sim.box_y)
    x_min = x + root.x_min + min(0.0, vx * limit) - slack
    x_max = x + root.x_max + max(0.0, vx * limit) + slack
    y_min = y + root.y_min + min(0.0, vy * limit) - slack
    y_max = y + root.y_max + max(0.0, vy * limit) + slack
    enter_grid(st, c, x_min, y_min, x_max, y_max)
    entry.until = now + limit
    bound = limit
    for m in range(search_grid(st, x_min, y_min, x_max, y_max)):
        e = st.found[m]
        if e == c or st.entries[e].due:
            continue
        reach = min(bound, max(0.0, st.entries[e].until - now))
        found = first_overlap(st, c, e, now, reach)
        if found < reach:
            bound = found
    entry.due = 0
    calendar.queued = heap_set(
        st.heap_key, st.heap_owner, st.heap_slot, calendar.queued, c, now + calendar.late * bound
    )
    sim.work += 10


@inner
def through_walls(st: Stepping, c: int) -> None:
    """Put cluster c, which is awake, among those at walls if a disc of it has come through one."""
    sim = st.sim[0]
    root = st.nodes[c]
    x, y = origin_at_end(st, c)
    across = x + root.x_min < 0.0 or x + root.x_max > sim.box_x
    if not across and y + root.y_min >= 0.0 and y + root.y_max <= sim.box_y:
        return
    bring_cluster(st, c)
    i = c
    while True:
        if is_through_wall(st, st.pos, i):
            st.hit_c[sim.hits] = c
            sim.hits += 1
            return
        i = st.ring[i]
        if i == c:
            return


@inlined
def needs_buckets(st: Stepping) -> bool:
    """Whether there may be too few buckets to enter one cluster in the grid."""
    return bool(st.buckets.shape[0] - st.bucket_top[0] < 2 * BIG_CELLS)


@inner
def wake(st: Stepping, last_work: int) -> bool:
    """Answer for those that are due, and wake those whose time lies in the step. False: there is more to do."""
    calendar = st.calendar[0]
    sim = st.sim[0]
    while calendar.dues > 0:
        if sim.work >= last_work or needs_buckets(st):
            return False
        c = st.due[calendar.dues - 1]
        calendar.dues -= 1
        if st.seat[c] >= 0:
            answer(st, c)
    end = sim.time + sim.dt
    while calendar.queued > 0 and st.heap_key[0] <= end:
        c = st.heap_owner[0]
        calendar.queued = heap_remove(st.heap_key, st.heap_owner, st.heap_slot, calendar.queued, c)
        st.awake[calendar.awakes] = c
        calendar.awakes += 1
        entry = st.entries[c]
        entry.awake = 1
        entry.shift_x = entry.shift_y = 0.0
        sim.work += 2
        if not sim.periodic:
            through_walls(st, c)
    return True


@inner
def reflect_awake(st: Stepping) -> None:
    """Mirror the clusters that are through walls, as a step that goes through all discs does."""
    sim = st.sim[0]
    order_hits(st.hit_c, st.mark, sim.hits)
    sim.work += reflect_clusters(st, st.pos, st.hit_c, st.hit, 0, sim.hits)
    for k in range(sim.hits):
        c = st.hit_c[k]
        x, y = flown(st, c, sim.time + sim.dt)
        st.entries[c].shift_x = st.pos[c, 0] - x
        st.entries[c].shift_y = st.pos[c, 1] - y


@inner
def enter_at_end(st: Stepping, c: int) -> None:
    """Enter cluster c, which is awake, in the grid where it is at the end of the step."""
    x, y = origin_at_end(st, c)
    root = st.nodes[c]
    slack = MARGIN * (st.sim[0].box_x + st.sim[0].box_y)
    enter_grid(st, c, x + root.x_min - slack, y + root.y_min - slack, x + root.x_max + slack, y + root.y_max + slack)


@inner
def sleep(st: Stepping) -> None:
    """At the end of a step: ask those again that were awake in it."""
    calendar = st.calendar[0]
    for k in range(calendar.awakes):
        c = st.awake[k]
        entry = st.entries[c]
        entry.awake = 0
        entry.shift_x = entry.shift_y = 0.0
        if st.seat[c] >= 0:
            ask_again(st, c)
    calendar.awakes = 0
    calendar.sparse = 0


@inner
def back_to_all(st: Stepping) -> None:
    """Begin the flight of the step anew, through all discs."""
    sim = st.sim[0]
    for k in range(sim.hits):
        st.mark[st.hit_c[k]] = NOWHERE
    sim.hits = sim.fresh = 0
    sleep(st)
    sim.phase = FLIGHT
    sim.cursor = 0


@inner
def is_crowded(st: Stepping) -> bool:
    """Whether so many clusters are awake that the step had better go through all discs, and some after it."""
    calendar = st.calendar[0]
    if calendar.awakes <= CROWD * st.sim[0].clusters or calendar.awakes < 64:
        calendar.longest_pause = 0
        return False
    calendar.longest_pause = min(LONGEST_PAUSE, 2 * calendar.longest_pause + 1)
    calendar.pause = calendar.longest_pause
    return True


@inner
def wants_calendar(st: Stepping) -> bool:
    """Whether the next step is to touch only what can meet in it."""
    calendar = st.calendar[0]
    if calendar.on == 0 or st.sim[0].clusters > calendar.share * len(st.label):
        return False
    if calendar.pause > 0:
        calendar.pause -= 1
        return False
    return True


@kernel
def go_through_all(arrays: Stepping) -> None:
    """Bring the step under way into the form of one that goes through all discs; what follows has the same bits."""
    st = borrowed(arrays)
    if st.calendar[0].sparse == 0:
        return
    if st.sim[0].phase in (WAKE, ENTER, MEET):
        back_to_all(st)
        return
    n = len(st.label)
    for c in range(n):
        if st.seat[c] >= 0:
            bring_cluster(st, c)
    st.calendar[0].sparse = 0
    sort_all_discs(st)
