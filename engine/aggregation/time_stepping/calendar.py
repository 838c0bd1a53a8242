"""The times up to which clusters can be skipped, so that a step only processes what can meet in it.

Between collisions clusters fly straight, so the time at which two of them first overlap follows from their box trees
(`geometry.impact`). Each cluster has a lower bound, in a queue, of the time of its next overlap, of its next wall,
and of the end of its search range. These are times, not numbers of steps, so they hold for steps of any length. A
cluster whose time lies in a step is *awake* in it: its overlaps at the end of the step are searched for, and its bound
is recomputed. All others are skipped; their positions follow from their anchors when needed.

Every pair is covered: a cluster checks all clusters that are entered in the cells that it sweeps, and each of these is
entered in the cells that it sweeps itself until its next check. A cluster whose velocity or shape has changed is
checked at once, which replaces the others' bounds for it.

Steps in which many clusters are awake process all discs instead, which is then cheaper. The results are the same bit
for bit, because new links, clusters at walls and contacts of a disc are sorted before they are used.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.aggregation.time_stepping.arrays import FLIGHT, NOWHERE, Stepping
from engine.aggregation.time_stepping.calendar_arrays import Calendar, put_wall_shift
from engine.aggregation.time_stepping.cluster_search import (
    begin_tree,
    enter_grid,
    go_on_with_tree,
    leave_grid,
    most_cells,
    renew_tree,
    search_grid,
)
from engine.aggregation.time_stepping.flight import bend_flight, order_hits, reflections, walls_of
from engine.aggregation.time_stepping.in_flight import may_meet_itself
from engine.aggregation.time_stepping.look_ahead import circles_near, near_images, near_walls
from engine.aggregation.time_stepping.meeting import corners, origin_at_end
from engine.aggregation.time_stepping.outermost import is_through_walls, outermost
from engine.aggregation.time_stepping.pose import origin_at, turning
from engine.aggregation.turning.pose import fastest
from engine.geometry.bucket_grid import bucket_clear, cells_along, put_cells_taken, set_cells
from engine.geometry.event_heap import heap_remove, heap_set
from engine.geometry.impact import impact_of_images
from engine.geometry.minimum_image import has_walls, wraps
from engine.geometry.vectors import (
    Vector,
    box_sides,
    component,
    dot,
    every,
    greatest,
    least,
    minus,
    plus,
    product,
    put_box_sides,
    put_row,
    row_of,
    times,
    total,
    velocity,
    with_component,
)
from engine.kernels import inlined, inner

TRAVEL = 0.8
"""How far a cluster may move before its next check, in cells of the grid."""
PATIENCE = 8.0
"""Cells that a cluster of typical speed passes before its bound is renewed in any case."""
BIG_PATIENCE = 0.25
"""Time between checks of a big cluster, as a share of the longest: the shorter it is, the fewer discs of two large
clusters near each other must be compared."""
LONGEST_TURN = 12.0
"""How far a cluster may turn before its next check, in radians: a search ends, also where nothing meets."""
MARGIN = 1e-9
"""Relative safety margin of lengths: rounding must not put an overlap or a wall before its bound."""
CROWD = 0.5
"""Share of awake clusters from which a step processes all discs."""
LONGEST_PAUSE = 64


@inlined
def ask_row_again(cal: Calendar, k: int) -> None:
    """Let the bound of the cluster of row k be recomputed before the next step that uses the calendar."""
    if cal.entries[k].due == 0:
        cal.entries[k].due = 1
        cal.due[cal.control[0].dues] = k
        cal.control[0].dues += 1


@inlined
def ask_again(st: Stepping, cal: Calendar, c: int) -> None:
    """Let the bound of cluster c be recomputed before the next step that uses the calendar, which must exist."""
    ask_row_again(cal, cal.row[c])


@inner
def leave_calendar(st: Stepping, cal: Calendar, c: int) -> None:
    """Remove a cluster that merges into another one from grid and queue."""
    control = cal.control[0]
    if control.ready:
        k = cal.row[c]
        leave_grid(cal, k)
        control.queued = heap_remove(cal.heap_key, cal.heap_owner, cal.heap_slot, control.queued, k)


@inner
def begin_grid(st: Stepping, cal: Calendar) -> None:
    """Start a grid for the remaining clusters, and mark all of them for a check."""
    control = cal.control[0]
    sim = st.sim[0]
    for k in range(control.queued):
        cal.heap_slot[cal.heap_owner[k]] = -1
    control.queued = control.dues = control.bigs = 0
    control.clusters = sim.clusters
    control.periodic = sim.periodic
    put_box_sides(control, box_sides(sim))
    set_cells(control, control.clusters)
    numbers = cells_along(control)
    bucket_clear(cal.buckets, cal.bucket_top, product(numbers))
    speed = 0.0
    for k in range(len(cal.entries)):
        entry = cal.entries[k]
        entry.due = 0
        if st.seat[entry.cluster] >= 0:
            v = velocity(st.clusters[entry.cluster])
            speed += sqrt(dot(v, v))
            entry.big = -1
            put_cells_taken(entry, minus(numbers, numbers))
            ask_row_again(cal, k)
    control.longest = PATIENCE * control.cell * control.clusters / speed if speed > 0.0 else inf
    sim.work += sim.clusters


@inner
def begin_calendar(st: Stepping, cal: Calendar) -> None:
    """Start the calendar in its allocated, empty arrays."""
    cal.control[0].ready = 1
    cal.control[0].free_pair = len(cal.entries)
    begin_grid(st, cal)


@inlined
def time_to_wall(low: float, high: float, side: float, v: float, margin: float) -> float:
    """A lower bound of the time until a cluster that extends from `low` to `high` crosses a wall; 0 if it may do so
    now."""
    if low < margin or high > side - margin:
        return 0.0
    if v > 0.0:
        return (side - margin - high) / v
    if v < 0.0:
        return (low - margin) / -v
    return inf


@inner
def first_overlap(st: Stepping, cal: Calendar, k: int, e: int, now: float, limit: float) -> float:
    """A lower bound of the time from now at which the clusters of rows k and e overlap, in any image; inf if not before
    `limit`.

    Both fly straight until then; their trees must be up to date. Existing overlaps count too, even if they recede: a
    minimisation may leave small overlaps, which the next step must detect.
    """
    sim = st.sim[0]
    slack = MARGIN * (2.0 * sim.largest_radius + 1e-4 * total(box_sides(sim)))
    return _first_overlap(turning(st.clusters[cal.entries[k].cluster]), st, cal, k, e, now, slack, limit)


@inlined
def _first_overlap(
    turns: Vector, st: Stepping, cal: Calendar, k: int, e: int, now: float, slack: float, limit: float
) -> float:
    if len(turns) > 0:
        return near_images(st, cal, k, e, now, slack, limit)
    sim = st.sim[0]
    own = st.clusters[cal.entries[k].cluster]
    them = st.clusters[cal.entries[e].cluster]
    d = minus(origin_at(them, now), origin_at(own, now))
    u = minus(velocity(them), velocity(own))
    t, _, _, visits, _, _ = impact_of_images(cal.nodes, st.discs, cal.node_pairs, sim, k, e, d, u, 0.0, slack, limit)
    sim.work += visits
    return float(t)


@inner
def _until_alone(
    turns: Vector,
    st: Stepping,
    cal: Calendar,
    k: int,
    low: Vector,
    high: Vector,
    v: Vector,
    limit: float,
    margin: float,
) -> float:
    """A lower bound of the time until the cluster of row k, between the corners `low` and `high`, meets a wall, or
    where it turns an image of itself; `limit` if it is not before."""
    sim = st.sim[0]
    if len(turns) > 0:
        swiftest = fastest(st.clusters[cal.entries[k].cluster], v)
        if swiftest != 0.0:
            limit = min(limit, LONGEST_TURN / swiftest)
        if may_meet_itself(st, cal.entries[k].cluster):
            limit = min(limit, near_images(st, cal, k, k, sim.time, margin, limit))
        return near_walls(st, cal, k, sim.time, margin, limit)
    sides = box_sides(sim)
    for axis in range(len(sides)):
        if not wraps(sim.periodic, axis):
            side, along = component(sides, axis), component(v, axis)
            limit = min(limit, time_to_wall(component(low, axis), component(high, axis), side, along, margin))
    return limit


@inlined
def soonest_first(turns: Vector, st: Stepping, cal: Calendar, k: int, count: int, now: float, limit: float) -> None:
    """Where clusters turn: put the one whose circle that of row k meets first at the beginning of `found`, because its
    time bounds the rest."""
    if len(turns) > 0:
        best, first = limit, 0
        for m in range(count):
            e = cal.found[m]
            if e != k and cal.entries[e].due == 0:
                t = circles_near(st, cal, k, e, now)
                if t < best:
                    best, first = t, m
        cal.found[0], cal.found[first] = cal.found[first], cal.found[0]


@inner
def answer(st: Stepping, cal: Calendar, k: int) -> None:
    """Find the time up to which the cluster of row k can be skipped, from the last whole step on, and enter it in grid
    and queue."""
    renew_tree(st, cal, k)
    sim = st.sim[0]
    control = cal.control[0]
    entry = cal.entries[k]
    cluster = st.clusters[entry.cluster]
    now = sim.time
    v = velocity(cluster)
    sides = box_sides(sim)
    x = origin_at(cluster, now)
    low, high = corners(st, cal, k)
    low, high = plus(x, low), plus(x, high)
    speed = sqrt(dot(v, v))
    limit = control.longest
    if entry.big >= 0:
        limit *= BIG_PATIENCE
    if speed * limit > TRAVEL * control.cell:
        limit = TRAVEL * control.cell / speed
    margin = MARGIN * total(sides)
    limit = _until_alone(turning(cluster), st, cal, k, low, high, v, limit, margin)
    none, slack, way = every(0.0, v), every(margin, v), times(limit, v)
    low, high = minus(plus(low, least(none, way)), slack), plus(plus(high, greatest(none, way)), slack)
    enter_grid(st, cal, k, low, high)
    entry.until = now + limit
    bound = limit
    before = sim.work
    count = search_grid(st, cal, low, high)
    soonest_first(turning(cluster), st, cal, k, count, now, limit)
    for m in range(count):
        e = cal.found[m]
        if e == k or cal.entries[e].due:
            continue
        reach = min(bound, max(0.0, cal.entries[e].until - now))
        bound = min(bound, first_overlap(st, cal, k, e, now, reach))
    entry.due = 0
    control.queued = heap_set(
        cal.heap_key, cal.heap_owner, cal.heap_slot, control.queued, k, now + control.late * bound
    )
    # neighbours are scattered in memory: a unit of this work takes three times as long as others
    sim.work += 10 + 2 * (sim.work - before)


@inlined
def needs_buckets(st: Stepping, cal: Calendar) -> bool:
    """Whether there may be too few buckets to enter another cluster in the grid."""
    return bool(cal.buckets.shape[0] - cal.bucket_top[0] < 2 * most_cells(box_sides(st.sim[0])))


@inner
def wake_clusters(st: Stepping, cal: Calendar, last_work: int) -> bool:
    """Check the clusters that are due, and wake those whose time lies in the step. False if there is more to do."""
    control = cal.control[0]
    sim = st.sim[0]
    while control.dues > 0:
        if sim.work >= last_work or needs_buckets(st, cal):
            return False
        k = cal.due[control.dues - 1]
        lives = st.seat[cal.entries[k].cluster] >= 0
        if lives and cal.entries[k].built == 0:
            if control.building == 0:
                begin_tree(cal, k)
            if not go_on_with_tree(st, cal, last_work):
                return False
        control.dues -= 1
        if lives:
            answer(st, cal, k)
    end = sim.time + sim.dt
    while control.queued > 0 and cal.heap_key[0] <= end:
        k = cal.heap_owner[0]
        control.queued = heap_remove(cal.heap_key, cal.heap_owner, cal.heap_slot, control.queued, k)
        cal.awake[control.awakes] = k
        control.awakes += 1
        entry = cal.entries[k]
        entry.awake = 1
        put_wall_shift(entry, every(0.0, box_sides(sim)))
        sim.work += 2
        if has_walls(sim.periodic) and is_through_walls(st, cal, k):
            st.hit_c[sim.hits] = entry.cluster
            sim.hits += 1
    return True


@inner
def reflect_awake(st: Stepping, cal: Calendar) -> None:
    """Reflect the clusters that have crossed walls, as in a step over all discs.

    Their discs are reflected when their positions are needed.
    """
    sim = st.sim[0]
    order_hits(st.hit_c, st.mark, sim.hits)
    st.shift[: sim.hits] = 0.0
    for k in range(sim.hits):
        _reflect(turning(st.clusters[st.hit_c[k]]), st, cal, k)


@inner
def _reflect(turns: Vector, st: Stepping, cal: Calendar, k: int) -> None:
    c = st.hit_c[k]
    cluster = st.clusters[c]
    entry = cal.entries[cal.row[c]]
    sides = box_sides(st.sim[0])
    if len(turns) > 0:
        st.sim[0].work += bend_flight(st, cal, k, c, st.hit, st.shift, st.sim[0].time + st.sim[0].dt)
        put_wall_shift(entry, row_of(st.shift, k, sides))
    else:
        low, high = sides, sides
        for axis in range(len(sides)):
            if wraps(st.sim[0].periodic, axis):
                continue
            upper, _ = outermost(st, cal, c, axis, 1.0)
            lower, _ = outermost(st, cal, c, axis, -1.0)
            low, high = with_component(low, axis, -lower), with_component(high, axis, upper)
        shift, v = reflections(low, high, walls_of(st.sim[0])[1], velocity(cluster))
        put_wall_shift(entry, shift)
        put_row(st.shift, k, shift)
        put_row(st.hit, k, v)


@inner
def enter_at_end(st: Stepping, cal: Calendar, k: int) -> None:
    """Enter the cluster of row k, which is awake, in the grid where it is at the end of the step."""
    x = origin_at_end(st, cal, k)
    low, high = corners(st, cal, k)
    slack = every(MARGIN * total(box_sides(st.sim[0])), x)
    enter_grid(st, cal, k, minus(plus(x, low), slack), plus(plus(x, high), slack))


@inner
def sleep(st: Stepping, cal: Calendar) -> None:
    """At the end of a step: mark the awake clusters for a check."""
    control = cal.control[0]
    for m in range(control.awakes):
        k = cal.awake[m]
        entry = cal.entries[k]
        entry.awake = 0
        put_wall_shift(entry, every(0.0, box_sides(st.sim[0])))
        if st.seat[entry.cluster] >= 0:
            ask_row_again(cal, k)
    control.awakes = 0
    st.sim[0].sparse = 0


@inner
def back_to_all(st: Stepping, cal: Calendar) -> None:
    """Restart the flight of the step, over all discs."""
    sim = st.sim[0]
    for k in range(sim.hits):
        st.mark[st.hit_c[k]] = NOWHERE
    sim.hits = sim.fresh = 0
    cal.control[0].building = 0
    sleep(st, cal)
    sim.phase = FLIGHT
    sim.cursor = 0


@inner
def is_crowded(st: Stepping, cal: Calendar) -> bool:
    """Whether so many clusters are awake that this step, and some after it, should process all discs."""
    control = cal.control[0]
    if control.awakes <= CROWD * st.sim[0].clusters or control.awakes < 64:
        control.longest_pause = 0
        return False
    control.longest_pause = min(LONGEST_PAUSE, 2 * control.longest_pause + 1)
    control.pause = control.longest_pause
    return True


@inner
def wants_calendar(st: Stepping, cal: Calendar) -> bool:
    """Whether the next step should only process what can meet in it."""
    control = cal.control[0]
    if control.on == 0 or st.sim[0].clusters > control.share * len(st.label):
        return False
    if control.pause > 0:
        control.pause -= 1
        return False
    return True
