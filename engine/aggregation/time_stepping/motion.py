"""Changes of motion at the end of a step: reflections (2.2) and merges (2.9), with new anchors, and their places."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.recent import note
from engine.aggregation.time_stepping.arrays import Stepping, put_wall_impulse, wall_impulse
from engine.aggregation.time_stepping.calendar import ask_again, leave_calendar
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.aggregation.time_stepping.cluster_search import join_trees, renew_tree
from engine.aggregation.time_stepping.flight import bring, position
from engine.aggregation.time_stepping.in_flight import flight_time, fly_turning, stops_within
from engine.aggregation.time_stepping.outermost import outermost
from engine.aggregation.time_stepping.pose import (
    anchored_pose,
    bent_facing,
    centre,
    face,
    flown_inertia,
    from_origin,
    further_turned,
    join_disc,
    move_disc,
    origin_at,
    turn_to,
    turning,
    unite,
    wrapped_facing,
)
from engine.aggregation.turning import top
from engine.aggregation.turning.contact import length
from engine.aggregation.turning.motion import turned
from engine.aggregation.turning.pose import (
    drop_spin_momentum,
    fastest,
    inertia,
    set_top,
    turning_energy,
    yielding,
)
from engine.geometry.box_tree import refit, store_leaf, translate_tree
from engine.geometry.minimum_image import folded, periods_of, periods_to_nearest, wraps
from engine.geometry.vectors import (
    Vector,
    absolute,
    box_sides,
    component,
    dot,
    greatest,
    high_corner,
    is_zero,
    low_corner,
    minus,
    momentum,
    over,
    place,
    plus,
    put_momentum,
    put_place,
    put_velocity,
    row_of,
    times,
    velocity,
    with_component,
)
from engine.kernels import inlined, inner
from engine.records import Record

FEW = 64
"""Clusters of no more discs are measured disc by disc."""


@inlined
def set_velocity(st: Stepping, c: int) -> None:
    """Compute the velocity of a cluster from its momentum and mass."""
    cluster = st.clusters[c]
    put_velocity(cluster, over(momentum(cluster), cluster.mass))


@inlined
def energy_of(cluster: Record, v: Vector) -> float:
    """The kinetic energy of a cluster that turns; v : its velocity."""
    if len(v) > 2:
        return float(0.5 * cluster.mass * dot(v, v) + turning_energy(cluster, v))
    p = momentum(cluster)
    return float(0.5 * (dot(p, p) / cluster.mass + cluster.spin_momentum * cluster.spin))


@inlined
def _speed_squared(turns: Vector, sim: Record, cluster: Record) -> float:
    """The square of the greatest speed of a point of a cluster; where clusters turn, add up energy and reach too."""
    v = velocity(cluster)
    if len(turns) > 0:
        swiftest = fastest(cluster, v)
        sim.energy += energy_of(cluster, v)
        if swiftest != 0.0:
            sim.widest = max(sim.widest, cluster.reach)
        speed = sqrt(dot(v, v)) + swiftest * cluster.arm
        return float(speed * speed)
    return dot(v, v)


@inlined
def _begin_sums(turns: Vector, sim: Record) -> None:
    if len(turns) > 0:
        sim.energy = sim.widest = 0.0


@inner
def find_fastest(st: Stepping) -> None:
    """Find max |V_k| for the adaptive step (3.3); where clusters turn, max |V_k| + |ω_k| |b|, energy and reach.

    In space |ω_k| is the greatest of the whole motion of the top, of which the step is only a part.
    """
    _begin_sums(turning(st.clusters[0]), st.sim[0])
    most = 0.0
    for k in range(st.sim[0].clusters):
        cluster = st.clusters[st.live[k]]
        most = max(most, _speed_squared(turning(cluster), st.sim[0], cluster))
    st.sim[0].fastest = most**0.5
    st.sim[0].work += st.sim[0].clusters // 8


@inner
def outermost_of_ring(st: Stepping, c: int, axis: int, outward: float) -> int:
    """The outermost disc of cluster c, see `outermost`, in a step over all discs."""
    pos = st.pos
    furthest = -np.inf
    at = c
    i = c
    while True:
        reach = outward * pos[i, axis] + st.radius[i]
        if reach > furthest or (reach == furthest and i < at):
            furthest = reach
            at = i
        st.sim[0].work += 1
        i = st.ring[i]
        if i == c:
            return at


@inner
def note_wall(st: Stepping, cal: Calendar, c: int, axis: int, before: float) -> None:
    """Record that a cluster is reflected in this step, at its outermost disc.

    axis : across the wall; before : its momentum along it until then.
    """
    outward = 1.0 if before > 0.0 else -1.0
    if st.sim[0].sparse:
        _, at = outermost(st, cal, c, axis, outward)
        bring(st, at)
    else:
        at = outermost_of_ring(st, c, axis, outward)
    wall = component(box_sides(st.sim[0]), axis) if outward > 0.0 else 0.0
    x = with_component(position(st, at), axis, wall)
    note(st.recent, st.recent_next, st.sim[0].time + st.sim[0].dt, x, at, -1)


@inlined
def rounded_step(st: Stepping, d: Vector) -> Vector:
    """A step to the nearest image, any number of periods away."""
    return minus(d, periods_to_nearest(d, periods_of(st.sim[0])))


@inlined
def note_link(st: Stepping, i: int, j: int) -> None:
    """Record that two discs have met, and where; their clusters merge at the end of this step."""
    d = rounded_step(st, minus(position(st, j), position(st, i)))
    part = st.radius[i] / (st.radius[i] + st.radius[j])
    time = st.sim[0].time + st.sim[0].dt
    note(st.recent, st.recent_next, time, plus(position(st, i), times(part, d)), i, j)


@inlined
def record_join(st: Stepping, i: int, j: int) -> None:
    """Append the merge of the clusters of discs i and j to the record."""
    join = st.joins[st.sim[0].merges]
    join.time = st.sim[0].time + st.sim[0].dt
    join.i = i
    join.j = j


@inner
def note_reflections(st: Stepping, cal: Calendar) -> None:
    """Record the walls that clusters have met in this step, before anything moves on."""
    for k in range(st.sim[0].hits):
        _note_reflection(turning(st.clusters[st.hit_c[k]]), st, cal, k)


@inner
def _note_reflection(turns: Vector, st: Stepping, cal: Calendar, k: int) -> None:
    c = st.hit_c[k]
    cluster = st.clusters[c]
    if len(turns) > 0:
        _, _, _, _, work = fly_turning(st, cal, c, flight_time(cluster, st.sim[0]), True)
        st.sim[0].work += work
        return
    v = velocity(cluster)
    for axis in range(len(v)):
        if st.hit[k, axis] != component(v, axis):
            note_wall(st, cal, c, axis, component(momentum(cluster), axis))


@inner
def bounce(st: Stepping, k: int) -> None:
    """Give the k-th cluster at walls its velocity after them; each changed component is an event."""
    _bounce(turning(st.clusters[st.hit_c[k]]), st, k)


@inlined
def take_spin(cluster: Record, hit: NDArray[np.float64], k: int, like: Vector) -> None:
    """Give a cluster that turns the angular momentum of row k of `hit`, (N, 3) or (N, 9), after its flight."""
    if len(like) > 2:
        top.put_spin_momentum(cluster, (hit[k, 3], hit[k, 4], hit[k, 5]))
    elif hit[k, 2] != cluster.spin:
        cluster.spin_momentum = cluster.flown_inertia * hit[k, 2]


@inner
def _bounce(turns: Vector, st: Stepping, k: int) -> None:
    sim = st.sim[0]
    c = st.hit_c[k]
    cluster = st.clusters[c]
    if len(turns) > 0:
        v = row_of(st.hit, k, velocity(cluster))
        take_spin(cluster, st.hit, k, v)
        if stops_within(cluster, sim, flight_time(cluster, sim)):
            mark_spanning(st, c)
        if not is_zero(minus(v, velocity(cluster))):
            p = times(cluster.mass, v)
            for axis in range(len(v)):
                if wraps(sim.periodic, axis):
                    p = with_component(p, axis, component(momentum(cluster), axis))
            put_momentum(cluster, p)
        set_velocity(st, c)
        set_spin(st, c)
        return
    v, p, given = velocity(cluster), momentum(cluster), wall_impulse(sim)
    for axis in range(len(v)):
        if st.hit[k, axis] != component(v, axis):
            before = component(p, axis)
            after = 0.0 if st.hit[k, axis] == 0.0 else -before
            p = with_component(p, axis, after)
            given = with_component(given, axis, component(given, axis) + (after - before))
            sim.energy -= 0.5 * (before * before - after * after) / cluster.mass
            sim.walls += 1
    put_momentum(cluster, p)
    put_wall_impulse(sim, given)
    set_velocity(st, c)


@inlined
def anchor(st: Stepping, cal: Calendar, c: int) -> None:
    """Anchor the frame of a cluster at its position at the end of the current step, without walls."""
    cluster = st.clusters[c]
    sim = st.sim[0]
    time = sim.time + sim.dt
    if cluster.time != time:
        turn_to(turning(cluster), st, c, time)
        put_place(cluster, folded(origin_at(cluster, time), periods_of(sim)))
        cluster.time = time
    if cal.control[0].ready:
        ask_again(st, cal, c)


@inlined
def take_place(st: Stepping, i: int) -> None:
    """Set the place of disc i to its position after the step; the frame of its cluster must be anchored."""
    cluster = st.clusters[st.label[i]]
    r = from_origin(anchored_pose(turning(cluster), cluster), centre(cluster), place(st.discs[i]))
    move_disc(st, i, rounded_step(st, minus(minus(position(st, i), place(cluster)), r)))


@inner
def anchor_reflected(st: Stepping, cal: Calendar, c: int) -> None:
    """`anchor` for a reflected cluster: its frame follows a disc that nothing else has moved."""
    _anchor_reflected(turning(st.clusters[c]), st, cal, c)


@inner
def _anchor_reflected(turns: Vector, st: Stepping, cal: Calendar, c: int) -> None:
    if len(turns) > 0:
        cluster, k, time = st.clusters[c], st.mark[c], st.sim[0].time + st.sim[0].dt
        turned_by = wrapped_facing(bent_facing(cluster, time, st.shift, k, place(cluster)))
        anchor(st, cal, c)
        put_place(cluster, plus(place(cluster), row_of(st.shift, k, place(cluster))))
        if cluster.undone != st.sim[0].steps:
            face(cluster, turned_by, time)
        return
    i = c
    while st.drift[i] > 0.0 and st.ring[i] != c:
        st.sim[0].work += 1
        i = st.ring[i]
    bring(st, i)
    anchor(st, cal, c)
    put_place(st.clusters[c], folded(minus(position(st, i), place(st.discs[i])), periods_of(st.sim[0])))


@inlined
def set_spin(st: Stepping, c: int) -> None:
    """Prepare how a cluster turns from its angular momentum, which one that spans the box does not keep."""
    cluster = st.clusters[c]
    if cluster.spans:
        drop_spin_momentum(cluster, place(cluster))
    _turn_anew(cluster, place(cluster))


@inlined
def _turn_anew(cluster: Record, like: Vector) -> None:
    if len(like) > 2:
        set_top(cluster, cluster.arm == 0.0)
    else:
        cluster.spin = cluster.spin_momentum / cluster.inertia


@inlined
def mark_spanning(st: Stepping, c: int) -> None:
    """Note that a cluster touches an image of itself: it turns no more."""
    st.sim[0].spanning += 1 - st.clusters[c].spans
    st.clusters[c].spans = 1


@inlined
def close_ring(turns: Vector, st: Stepping, i: int, j: int) -> None:
    """Find out whether the new link of two discs of one cluster joins it to an image of itself."""
    if len(turns) > 0:
        cluster = st.clusters[st.label[i]]
        between = turned(anchored_pose(turns, cluster), minus(place(st.discs[j]), place(st.discs[i])))
        if not is_zero(periods_to_nearest(between, periods_of(st.sim[0]))):
            mark_spanning(st, st.label[i])


@inner
def measure(st: Stepping, c: int) -> None:
    """Find how far a cluster that turns reaches from its centre of mass, disc by disc."""
    middle = centre(st.clusters[c])
    arm = reach = 0.0
    i = c
    while True:
        r = length(minus(place(st.discs[i]), middle))
        arm, reach = max(arm, r), max(reach, r + st.radius[i])
        st.sim[0].work += 1
        i = st.ring[i]
        if i == c:
            break
    st.clusters[c].arm, st.clusters[c].reach = arm, reach


@inner
def measure_tree(st: Stepping, cal: Calendar, c: int) -> None:
    """`measure` down the tree of the cluster."""
    middle = centre(st.clusters[c])
    arm = reach = 0.0
    renew_tree(st, cal, cal.row[c])
    stack, top = cal.ids, 0
    stack[0] = cal.row[c]
    while top >= 0:
        node = cal.nodes[stack[top]]
        top -= 1
        st.sim[0].work += 1
        left = node.left
        if left < 0:
            r = length(minus(place(st.discs[~left]), middle))
            arm, reach = max(arm, r), max(reach, r + st.radius[~left])
            continue
        corner = greatest(absolute(minus(high_corner(node), middle)), absolute(minus(low_corner(node), middle)))
        if length(corner) > arm:
            stack[top + 1], stack[top + 2] = left, left + 1
            top += 2
    st.clusters[c].arm, st.clusters[c].reach = arm, reach


@inlined
def energy_of_reshaping(cluster: Record, like: Vector) -> float:
    """How much energy a cluster that turns has gained since its flight, because it has another shape."""
    if len(like) > 2:
        pose, twist = anchored_pose(turning(cluster), cluster), top.spin_momentum(cluster)
        return 0.5 * (yielding(inertia(cluster), pose, twist) - yielding(flown_inertia(cluster), pose, twist))
    return float(0.5 * cluster.spin_momentum**2 * (1.0 / cluster.inertia - 1.0 / cluster.flown_inertia))


@inlined
def settle(turns: Vector, st: Stepping, cal: Calendar, c: int) -> None:
    """At the end of a step: give a cluster that has another shape the ω of its angular momentum.

    Reshaping keeps L, so it may raise the energy, which is added up.
    """
    if len(turns) > 0:
        cluster = st.clusters[c]
        if cluster.arm < 0.0:
            if cal.control[0].ready and cal.nodes[cal.row[c]].size > FEW:
                measure_tree(st, cal, c)
            else:
                measure(st, c)
            set_spin(st, c)
            rise = energy_of_reshaping(cluster, place(cluster))
            st.sim[0].raised += rise
            st.sim[0].reshaped += rise > 0.0


@inlined
def renew_turning(turns: Vector, st: Stepping, c: int) -> None:
    """What follows from the discs and the angular momentum of a cluster, where it turns."""
    if len(turns) > 0:
        measure(st, c)
        set_spin(st, c)


@inlined
def join_tree(pose: Vector, st: Stepping, cal: Calendar, c: int, d: int, origin: Vector) -> None:
    """Bring discs and tree of cluster d into the frame of cluster c, see `unite`."""
    row = cal.row[d]
    st.sim[0].work += 2 * cal.nodes[row].size
    if len(pose) > 0:
        # parents come before their children in the list
        order, count, at = cal.ids, 1, 0
        order[0] = row
        further = further_turned(pose, st, c, d)
        while at < count:
            left = cal.nodes[order[at]].left
            if left >= 0:
                order[count], order[count + 1] = left, left + 1
                count += 2
            else:
                join_disc(pose, st, ~left, further, c, origin)
                store_leaf(cal.nodes, st.discs, order[at], ~left)
            at += 1
        for at in range(count - 1, -1, -1):
            if cal.nodes[order[at]].left >= 0:
                refit(cal.nodes, order[at])
    else:
        translate_tree(cal.nodes, st.discs, st.label, cal.ids, row, origin, c)


@inlined
def merge(st: Stepping, cal: Calendar, c: int, d: int, i: int, j: int) -> None:
    """Join clusters c and d, whose discs i and j are linked (2.9).

    The heavier one keeps its name and its frame; of equal ones, that with the lower number.
    """
    sim = st.sim[0]
    if st.clusters[d].mass > st.clusters[c].mass or (st.clusters[d].mass == st.clusters[c].mass and d < c):
        c, d = d, c
        i, j = j, i
    anchor(st, cal, c)
    anchor(st, cal, d)
    planned = cal.control[0].ready
    if planned:
        renew_tree(st, cal, cal.row[c])
        renew_tree(st, cal, cal.row[d])
        leave_calendar(st, cal, d)
    keeps = st.clusters[c]
    goes = st.clusters[d]
    u = minus(velocity(goes), velocity(keeps))
    reduced = keeps.mass * goes.mass / (keeps.mass + goes.mass)
    sim.energy = max(0.0, sim.energy - 0.5 * reduced * dot(u, u))
    by = minus(place(goes), place(keeps))
    # the image in which the two discs touch
    there = from_origin(anchored_pose(turning(goes), goes), centre(goes), place(st.discs[j]))
    here = from_origin(anchored_pose(turning(keeps), keeps), centre(keeps), place(st.discs[i]))
    by = minus(by, periods_to_nearest(minus(plus(by, there), here), periods_of(sim)))
    origin, pose = unite(turning(keeps), st, c, d, by, u)
    keeps.mass += goes.mass
    put_momentum(keeps, plus(momentum(keeps), momentum(goes)))
    set_velocity(st, c)
    if planned:
        join_tree(pose, st, cal, c, d, origin)
        join_trees(st, cal, cal.row[c], cal.row[d])
    else:
        further = further_turned(pose, st, c, d)
        k = d
        while True:
            join_disc(pose, st, k, further, c, origin)
            sim.work += 1
            k = st.ring[k]
            if k == d:
                break
    st.ring[c], st.ring[d] = st.ring[d], st.ring[c]
    last = sim.clusters - 1
    moved = st.live[last]
    st.live[st.seat[d]] = moved
    st.seat[moved] = st.seat[d]
    st.seat[d] = -1
    sim.clusters = last
    sim.merges += 1
