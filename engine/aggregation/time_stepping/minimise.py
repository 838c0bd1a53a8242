"""The minimisation of a step: group after group, for the new links and for those that displacements make.

Part of the free flight is undone if a minimisation cannot bring clusters to contact (`undo`). Large steps let discs
pass through each other, and then there may be no positions at which all links are at contact (four discs that all
overlap each other; a disc caught between two of a rigid cluster). Such a flight is undone: every cluster that new links
join, directly or through others, goes back to where it was when the first of these links came to contact. A
`conserving` group then flies on along periodic axes with its common velocity, so that its centre of mass ends there as
without the undo; other groups stay there. Shapes are those of the last whole step. That link stays; the others are not
contacts and are dropped, and the next step finds later contacts.
"""

from __future__ import annotations

import numpy as np

from engine.aggregation.time_stepping import arrow_hurwicz as ah
from engine.aggregation.time_stepping.arrays import (
    AT_STEP,
    ENDED,
    FRESH_FULL,
    LINKS_FULL,
    NO_GROUP,
    UNDER_WAY,
    UNDONE_GROUP,
    Stepping,
    put_worst_place,
)
from engine.aggregation.time_stepping.arrow_hurwicz import (
    displacement,
    lower_limit,
    put_displacement,
    put_lower_limit,
    put_upper_limit,
    upper_limit,
)
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.aggregation.time_stepping.flight import (
    bring_cluster,
    flown,
    position,
    reflections,
    walls_of,
)
from engine.aggregation.time_stepping.groups import (
    close_group,
    displace,
    gather_clusters,
    link_contacts_of_body,
    move_group,
    start_group,
    wake_listed,
)
from engine.aggregation.time_stepping.in_flight import fly_turning
from engine.aggregation.time_stepping.links import (
    MOST_ROUNDS,
    drop_open_links,
    drop_stretched_links,
    insert_new_links,
    kept_residual,
    misses_contacts,
    overlap,
    set_slack,
)
from engine.aggregation.time_stepping.overlaps import to_nearest_image
from engine.aggregation.time_stepping.pose import (
    centre,
    facing_after,
    from_origin,
    origin_at,
    put_hit,
    put_offset,
    put_undone_facing,
    turning,
    wrapped_facing,
)
from engine.aggregation.turning.pose import between_walls, facing, pose_of_facing, put_facing
from engine.geometry.minimum_image import folded, has_walls, periods_of
from engine.geometry.vectors import (
    Vector,
    box_sides,
    every,
    greatest,
    least,
    less_square,
    minus,
    momentum,
    over,
    place,
    plus,
    put_row,
    row_of,
    times,
    velocity,
)
from engine.kernels import inlined, inner
from engine.records import Record
from engine.slices import OUT_OF_WORK


@inner
def close_minimisation(st: Stepping, cal: Calendar, status: int) -> None:
    """End the minimisation of a group: count its iterations, move its discs, or undo its flight."""
    sim = st.sim[0]
    group = st.group[0]
    sim.step_minimisations += 1
    sim.step_all_iterations += group.iterations
    sim.step_restarts += group.restarts
    failed = status == ah.NOT_CONVERGED
    sim.step_failed += failed
    if group.iterations > sim.step_iterations:
        sim.step_iterations = group.iterations
        put_worst_place(sim, position(st, st.member[0]))
    if failed and can_undo(st) and misses_contacts(st):
        undo(st, cal, st.fresh[sim.cursor].i)
        sim.by_cluster = 1
        sim.step_undone += 1
        sim.group_state = UNDONE_GROUP
    else:
        if failed:
            drop_open_links(st)
        elif group.residual > group.tolerance:
            drop_stretched_links(st)
        move_group(st)
        sim.group_state = ENDED
    sim.step_residual = max(sim.step_residual, kept_residual(st))
    sim.group_cursor = 0


@inner
def return_to_overlap(st: Stepping) -> bool:
    """Return to a new link whose discs overlap again because a later group has not converged; False if there is
    none."""
    if st.sim[0].step_failed == 0 or st.sim[0].step_rounds >= MOST_ROUNDS:
        return False
    for k in range(st.sim[0].fresh):
        if overlap(st, st.fresh[k].i, st.fresh[k].j) > st.group[0].tolerance:
            set_slack(st, st.fresh[k].row, 0)
            st.sim[0].cursor = k
            st.sim[0].by_cluster = st.sim[0].rigid
            return True
    return False


@inner
def minimise(st: Stepping, cal: Calendar, last_work: int, iterations: int) -> int:
    """Minimise one group after the other until all new links, including those made by displacements, are at contact.

    Parameters
    ----------
    last_work
        Return when this much work is done.
    iterations
        Return after this many iterations, and at the end of each group, for tracing a step. 0: before the first one.

    Returns
    -------
    int
        AT_STEP when all is done, OUT_OF_WORK, or FRESH_FULL or LINKS_FULL if an array was too short.
    """
    sim = st.sim[0]
    if iterations <= 0:
        return OUT_OF_WORK
    while True:
        if not insert_new_links(st):
            return LINKS_FULL
        if sim.group_state == UNDER_WAY:
            while True:
                status = ah.iterate(st.bodies, st.group_links, st.wake, st.group[0])
                sim.work += 1 + (st.group[0].links + st.group[0].bodies) // 2
                if status == ah.GOES_ON:
                    wake_listed(st)
                else:
                    close_minimisation(st, cal, status)
                    break
                iterations -= 1
                if sim.work >= last_work or iterations <= 0:
                    return OUT_OF_WORK
            if iterations <= 1:
                return OUT_OF_WORK
        if sim.group_state >= ENDED:
            while sim.group_cursor < st.group[0].bodies:
                if not link_contacts_of_body(st, cal, sim.group_cursor, sim.group_state == UNDONE_GROUP):
                    return FRESH_FULL if sim.fresh == len(st.fresh) else LINKS_FULL
                sim.group_cursor += 1
            close_group(st)
            sim.group_state = NO_GROUP
            new = st.fresh[sim.cursor]
            caught = sim.by_cluster and overlap(st, new.i, new.j) > st.group[0].tolerance
            sim.by_cluster = sim.rigid and not caught
            if caught:
                set_slack(st, new.row, 0)
            else:
                sim.cursor += 1
        if sim.cursor == sim.round_end:
            if sim.cursor == sim.fresh and not return_to_overlap(st):
                return AT_STEP
            sim.round_end = sim.fresh
            sim.step_rounds += 1
        if sim.work >= last_work:
            return OUT_OF_WORK
        sim.work += 2
        new = st.fresh[sim.cursor]
        i = new.i
        j = new.j
        if st.links[new.row].slack or abs(overlap(st, i, j)) <= st.group[0].tolerance:
            sim.cursor += 1
            continue
        start_group(st, i, j)
        sim.group_state = UNDER_WAY


SAMPLES = 32  # number of times in the step at which the first overlap is searched for
BISECTIONS = 40  # of the time between two of them
FARTHEST = 4.0
"""Longest flight of a step, in largest radii, whose flights are undone at once: a longer one moves discs so far back
that many others must be compared."""
LONG_FLIGHT_ROUNDS = 20
"""Number of rounds of a step after which longer flights are undone too: a disc that ended inside a cluster is pushed
from one of its discs to the next, and would stay there."""


@inner
def can_undo(st: Stepping) -> bool:
    """Whether flights of this step may be undone: they are short or nothing else helps, and there are not too many
    rounds."""
    far = st.sim[0].fastest * st.sim[0].dt > FARTHEST * st.sim[0].largest_radius
    rounds = st.sim[0].step_rounds
    return rounds < MOST_ROUNDS and (not far or rounds > LONG_FLIGHT_ROUNDS)


@inner
def keep_extent(st: Stepping, k: int) -> None:
    """Store the extent of cluster k of the group at the last whole step in the fields of its limits."""
    _keep_extent(turning(st.clusters[st.member[k]]), st, k)


@inlined
def _keep_extent(turns: Vector, st: Stepping, k: int) -> None:
    if len(turns) > 0:
        return
    c = st.member[k]
    sides = box_sides(st.sim[0])
    low, high = every(np.inf, sides), every(-np.inf, sides)
    i = c
    while True:
        x = flown(st, i, st.sim[0].time)
        r = every(st.radius[i], x)
        low, high = least(low, minus(x, r)), greatest(high, plus(x, r))
        st.sim[0].work += 1
        i = st.ring[i]
        if i == c:
            break
    put_lower_limit(st.bodies[k], low)
    put_upper_limit(st.bodies[k], high)


@inlined
def _fly_body(turns: Vector, st: Stepping, cal: Calendar, k: int, c: int, dt: float) -> Vector:
    """How far body k of the group, cluster c, is moved `dt` after the last whole step."""
    cluster = st.clusters[c]
    v = velocity(cluster)
    by = times(dt, v)
    if len(turns) > 0:
        now = st.sim[0].time + dt
        if st.mark[c] >= 0:
            x, turned_by, v, turn, work = fly_turning(st, cal, c, dt, False)
            st.sim[0].work += work
            by = minus(x, origin_at(cluster, st.sim[0].time))
            put_hit(st.hit, st.mark[c], v, turn)
        else:
            turned_by = facing_after(cluster, now, v)
        put_facing(st.bodies[k], turned_by)
        return by
    if has_walls(st.sim[0].periodic):
        low, high = plus(lower_limit(st.bodies[k]), by), plus(upper_limit(st.bodies[k]), by)
        back, v = reflections(low, high, walls_of(st.sim[0])[1], v)
        by = plus(by, back)
        if st.mark[c] >= 0:
            put_row(st.hit, st.mark[c], v)
    return by


@inlined
def _place_of(turns: Vector, st: Stepping, body: Record, i: int) -> Vector:
    """Where disc i of a body of the group is, whose flight is undone."""
    time = st.sim[0].time
    if len(turns) > 0:
        cluster = st.clusters[st.label[i]]
        r = from_origin(pose_of_facing(facing(body)), centre(cluster), place(st.discs[i]))
        return folded(plus(plus(origin_at(cluster, time), displacement(body)), r), periods_of(st.sim[0]))
    return plus(flown(st, i, time), displacement(body))


@inlined
def _link_vector(turns: Vector, st: Stepping, a: Record, b: Record, i: int, j: int) -> Vector:
    """From disc j of body b to disc i of body a of the group, in some image."""
    if len(turns) > 0:
        return minus(_place_of(turns, st, a, i), _place_of(turns, st, b, j))
    time = st.sim[0].time
    return minus(minus(plus(flown(st, i, time), displacement(a)), flown(st, j, time)), displacement(b))


@inlined
def _note_undone(turns: Vector, st: Stepping, k: int, late: float) -> None:
    """Keep what the undone flight of body k of the group leaves: the angle of its cluster, and how far its centre of
    mass is from where it would have flown. late : when the flight ends, from the last whole step."""
    if len(turns) > 0:
        c = st.member[k]
        cluster, sim = st.clusters[c], st.sim[0]
        cluster.undone, cluster.undone_at = sim.steps, late
        put_undone_facing(cluster, wrapped_facing(facing(st.bodies[k])))
        end = times(sim.dt, velocity(cluster))
        if st.mark[c] >= 0:
            end = plus(end, row_of(st.shift, st.mark[c], end))
        put_offset(cluster, minus(end, displacement(st.bodies[k])))


@inner
def fly_group(st: Stepping, cal: Calendar, dt: float) -> float:
    """Move the clusters of the group for `dt` from the last whole step, walls included.

    Their displacements and the residuals of their links follow; returns the largest φ / s of a link.
    """
    bodies = st.bodies
    for k in range(st.group[0].bodies):
        c = st.member[k]
        put_displacement(bodies[k], _fly_body(turning(st.clusters[c]), st, cal, k, c, dt))
    deepest = -np.inf
    for k in range(st.group[0].links):
        link = st.group_links[k]
        i = st.links[link.row].i
        j = st.links[link.row].j
        d = _link_vector(turning(st.clusters[st.label[i]]), st, bodies[link.a], bodies[link.b], i, j)
        link.phi = less_square(link.sigma2, to_nearest_image(st, d)) * link.per_s
        deepest = max(deepest, link.phi)
    return float(deepest)


@inner
def fly_to_first_contact(st: Stepping, cal: Calendar) -> None:
    """Move the clusters up to the first time at which a link of the group is at contact, to within rounding."""
    dt = st.sim[0].dt
    early = 0.0
    late = 0.0
    if fly_group(st, cal, 0.0) <= 0.0:
        late = dt
        for sample in range(1, SAMPLES + 1):
            now = dt * sample / SAMPLES
            if fly_group(st, cal, now) > 0.0:
                late = now
                break
            early = now
        if early < late:
            for _ in range(BISECTIONS):
                middle = 0.5 * (early + late)
                if fly_group(st, cal, middle) > 0.0:
                    late = middle
                else:
                    early = middle
    fly_group(st, cal, late)
    for k in range(st.group[0].bodies):
        _note_undone(turning(st.clusters[st.member[k]]), st, k, late)
    if st.group[0].conserving:
        fly_on_together(st, dt - late)


@inner
def fly_on_together(st: Stepping, dt: float) -> None:
    """Move the clusters of the group along periodic axes for `dt` with their mean velocity (2.9)."""
    mass = 0.0
    together = every(0.0, box_sides(st.sim[0]))
    for k in range(st.group[0].bodies):
        cluster = st.clusters[st.member[k]]
        mass += cluster.mass
        together = plus(together, momentum(cluster))
    by = times(dt, over(together, mass))
    by = minus(by, between_walls(by, st.sim[0].periodic))
    for k in range(st.group[0].bodies):
        put_displacement(st.bodies[k], plus(displacement(st.bodies[k]), by))


@inner
def update_links(st: Stepping) -> None:
    """Drop the new links of clusters that were moved back if they are not at contact; restore older ones."""
    tolerance = st.group[0].tolerance
    for k in range(st.sim[0].inserted):
        i = st.fresh[k].i
        j = st.fresh[k].j
        if st.place[st.label[i]] >= 0 and st.place[st.label[j]] >= 0 and overlap(st, i, j) < -tolerance:
            set_slack(st, st.fresh[k].row, 1)
    for k in range(st.group[0].bodies):
        c = st.member[k]
        i = c
        while True:
            row = st.head[i]
            while row >= 0:
                first = st.links[row].i == i
                j = st.links[row].j if first else st.links[row].i
                if st.links[row].slack and st.label[j] == c and abs(overlap(st, i, j)) <= tolerance:
                    set_slack(st, row, 0)
                row = st.links[row].next_i if first else st.links[row].next_j
            i = st.ring[i]
            if i == c:
                break


@inner
def undo(st: Stepping, cal: Calendar, i: int) -> None:
    """Undo the flight of all clusters that new links join to that of disc i; they form the group.

    They may then overlap others: new contacts must be searched for around all of their discs.
    """
    close_group(st)
    gather_clusters(st, st.label[i])
    for k in range(st.group[0].bodies):
        keep_extent(st, k)
    fly_to_first_contact(st, cal)
    for k in range(st.group[0].bodies):
        c = st.member[k]
        bring_cluster(st, c)
        j = c
        while True:
            there = _place_of(turning(st.clusters[c]), st, st.bodies[k], j)
            displace(st, j, to_nearest_image(st, minus(there, position(st, j))))
            st.sim[0].work += 1
            j = st.ring[j]
            if j == c:
                break
    update_links(st)
