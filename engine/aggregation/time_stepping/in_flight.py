"""What clusters that turn meet in the flight of a step besides each other: walls, and images of themselves.

A cluster that is beyond a wall, or overlaps an image of itself, at the end of a flight has met it during the flight.
The time is found as in the event-driven method (`engine.aggregation.turning.contact`), and the rest of the flight goes
on from there: after a wall with the velocity and ω that its impulse leaves, after the contact with an image with ω = 0.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

from engine.aggregation.recent import note
from engine.aggregation.time_stepping.arrays import Stepping, put_wall_impulse, wall_impulse
from engine.aggregation.time_stepping.pose import centre, from_origin, origin_at, pose_flown, turning
from engine.aggregation.turning import top
from engine.aggregation.turning.contact import ROUNDING, length, look_again, safe_time, wall_gap
from engine.aggregation.turning.motion import Spin, around, cross, quaternion_of, turned
from engine.aggregation.turning.pose import (
    add_spin_momentum,
    angles_at,
    bending,
    between_walls,
    drop_spin_momentum,
    facing,
    fastest,
    inertia,
    no_spin,
    posed,
    put_facing,
    put_inertia,
    set_top,
    wall_push,
)
from engine.geometry.minimum_image import has_walls, periods_of, periods_to_nearest, wraps
from engine.geometry.vectors import (
    Vector,
    along_axis,
    box_sides,
    component,
    dot,
    high_corner,
    is_zero,
    low_corner,
    minus,
    place,
    plus,
    row_of,
    smallest,
    times,
    velocity,
)
from engine.kernels import inlined, inner
from engine.records import Record

MOST_REPEATS, MOST_IMPACTS = 64, 10_000
"""The most walls that a cluster meets in hardly any time, and in one flight, before it comes to rest, wedged in."""
NO_TIME = 1e-9  # of the time in which it would fly as far as it is wide


@inlined
def wall_time(
    body: Record, angles: Any, room: float, axis: int, outward: float, v: Vector, b: Vector, radius: float, limit: float
) -> float:
    """When within `limit` a disc meets a wall, inf if it does not: time from now; see `contact.wall_gap`."""
    bend = bending(body, b)
    near = max(ROUNDING * radius, 8.9e-16 * (room + length(b)))
    t = 0.0
    while t < limit:
        g, closing = wall_gap(body, angles, t, room, axis, outward, v, b, radius)
        later = look_again(t, g, closing, bend, near, False)
        if later == t:
            return t
        t = later
    return inf


@inlined
def can_meet(gap: float, outward: float, speed: float, swing: float, limit: float, side: float) -> bool:
    """Whether what is `gap` from a wall may meet it within `limit`. speed, swing : of its cluster along the axis, and
    what turning adds at most; side : of the box, for rounding."""
    return bool(gap <= max(0.0, outward * speed + swing) * limit + 1e-12 * side)


@inner
def meet_walls(
    st: Stepping,
    i: int,
    middle: Vector,
    x: Vector,
    v: Vector,
    body: Record,
    angles: Any,
    r: Vector,
    limit: float,
    first: tuple[float, int, int, float],
) -> tuple[float, int, int, float]:
    """The first wall that disc i, at r from the centre of mass x of its cluster, meets within `limit`, or `first` if
    that comes before: (time from now, disc, axis, outward). Of walls at one time that of the lowest disc is taken.

    v, body, angles : the velocity of its cluster, the record that says how it turns now, and how far it is turned.
    """
    b, radius, sides = minus(place(st.discs[i]), middle), st.radius[i], box_sides(st.sim[0])
    swing = fastest(body, b) * length(b)
    for axis in range(len(sides)):
        if wraps(st.sim[0].periodic, axis):
            continue
        side, speed = component(sides, axis), component(v, axis)
        for outward in (-1.0, 1.0):
            room = side - component(x, axis) if outward > 0.0 else component(x, axis)
            if can_meet(room - outward * component(r, axis) - radius, outward, speed, swing, first[0], side):
                t = wall_time(body, angles, room, axis, outward, v, b, radius, limit)
                if t < first[0] or (t == first[0] and 0 <= i < first[1]):
                    first = t, i, axis, outward
    return first


@inlined
def _next_in_tree(
    trees: Any, st: Stepping, c: int, x: Vector, v: Vector, body: Record, angles: Any, limit: float
) -> tuple[tuple[float, int, int, float], int]:
    first, work = (limit, -1, 0, 1.0), 0
    if len(trees) > 0:
        (pose, _), sides, middle = posed(body, angles, 0.0, x), box_sides(st.sim[0]), centre(st.clusters[c])
        stack, top = trees.ids, 0
        stack[0] = trees.row[c]
        while top >= 0:
            node = trees.nodes[stack[top]]
            top -= 1
            work += 1
            left = node.left
            if left < 0:
                r = turned(pose, minus(place(st.discs[~left]), middle))
                first = meet_walls(st, ~left, middle, x, v, body, angles, r, limit, first)
                continue
            low, high = times(0.5, low_corner(node)), times(0.5, high_corner(node))
            b, radius = minus(plus(low, high), middle), length(minus(high, low))
            r, swing = turned(pose, b), fastest(body, b) * (length(b) + radius)
            meets = False
            for axis in range(len(sides)):
                if wraps(st.sim[0].periodic, axis):
                    continue
                side, speed = component(sides, axis), component(v, axis)
                for outward in (-1.0, 1.0):
                    room = side - component(x, axis) if outward > 0.0 else component(x, axis)
                    gap = room - outward * component(r, axis) - radius
                    meets = meets or can_meet(gap, outward, speed, swing, first[0], side)
            if meets:
                stack[top + 1], stack[top + 2] = left, left + 1
                top += 2
    return first, work


@inlined
def _has_tree(trees: Any, st: Stepping, c: int) -> bool:
    if len(trees) > 0:
        return bool(st.sim[0].sparse and trees.entries[trees.row[c]].built)
    return False


@inner
def next_wall(
    st: Stepping, trees: Any, c: int, x: Vector, v: Vector, body: Record, angles: Any, limit: float
) -> tuple[float, int, int, float, int]:
    """The first wall that cluster c meets within `limit`: time from now, disc, -1 for none, axis, outward, work.

    body, angles : see `meet_walls`; trees : the calendar, whose trees are up to date in sparse steps; nothing where
    there is none.
    """
    if _has_tree(trees, st, c):
        first, work = _next_in_tree(trees, st, c, x, v, body, angles, limit)
        return first[0], first[1], first[2], first[3], work
    (pose, _), middle = posed(body, angles, 0.0, x), centre(st.clusters[c])
    first, work = (limit, -1, 0, 1.0), 0
    i = c
    while True:
        r = turned(pose, minus(place(st.discs[i]), middle))
        first = meet_walls(st, i, middle, x, v, body, angles, r, limit, first)
        work += 2
        i = st.ring[i]
        if i == c:
            return first[0], first[1], first[2], first[3], work


@inlined
def lift_off(body: Record, cluster: Record, time: float, like: Vector) -> Any:
    """Let `body` turn as a cluster does; returns how far it is turned at a time."""
    after = time - cluster.time
    body.mass, body.reach, body.spans = cluster.mass, cluster.reach, cluster.spans
    put_inertia(body, inertia(cluster))
    if len(like) > 2:
        put_facing(body, facing(cluster))
        top.put_spin_momentum(body, top.spin_momentum(cluster))
        set_top(body, cluster.alone)
        return body.wobble + body.wobble_rate * after, body.phase + body.phase_rate * after
    body.spin = cluster.spin
    return cluster.angle + cluster.spin * after


@inlined
def turned_on(body: Record, angles: Any, t: float, like: Vector) -> Any:
    """How far a body is turned after the time t."""
    if len(like) > 2:
        return angles[0] + body.wobble_rate * t, angles[1] + body.phase_rate * t
    return angles + body.spin * t


@inlined
def struck(body: Record, angles: Any, twist: Spin, rests: bool, like: Vector) -> Any:
    """Let a body turn on with another angular momentum, `twist` more or where it `rests` none; returns how far it is
    turned then, as angles of its new motion."""
    if len(like) > 2:
        pose, _ = top.top_at(body, angles[0], angles[1])
        put_facing(body, quaternion_of(pose))
        if rests:
            drop_spin_momentum(body, like)
        else:
            add_spin_momentum(body, twist, like)
        set_top(body, body.alone)
        return body.wobble, body.phase
    body.spin = 0.0 if rests else body.spin + twist / body.inertia
    return angles


@inlined
def landed(body: Record, angles: Any, rests: bool, like: Vector) -> tuple[Vector, Vector]:
    """How a body is turned, as `facing`, and how it turns: (ω,), in space L and ω; zeros where it `rests`."""
    if len(like) > 2:
        pose, omega = top.top_at(body, angles[0], angles[1])
        whole = top.spin_momentum(body)
        if rests:
            whole, omega = no_spin(like), no_spin(like)
        return quaternion_of(pose), (whole[0], whole[1], whole[2], omega[0], omega[1], omega[2])
    return (angles,), (0.0 if rests else body.spin,)


@inlined
def repeats_after(body: Record, v: Vector, t: float, repeats: int) -> int:
    """How often a body has met walls in hardly any time, if it meets one after the time t. v : its velocity."""
    speed = sqrt(dot(v, v)) + fastest(body, v) * body.reach
    return 0 if t * speed > NO_TIME * body.reach else repeats + 1


@inlined
def reflected(
    st: Stepping,
    c: int,
    i: int,
    axis: int,
    outward: float,
    body: Record,
    angles: Any,
    x: Vector,
    v: Vector,
    wedged: bool,
) -> tuple[Any, Vector, Vector, Vector]:
    """Let a body that turns as cluster c, at x with the velocity v, bounce off the wall that its disc i has reached.

    wedged : whether it comes to rest, but for a flight along periodic axes. Returns how far it is turned, as angles of
        its new motion, its velocity, the impulse of the wall, and where that acts.
    """
    pose, omega = posed(body, angles, 0.0, x)
    a = turned(pose, minus(place(st.discs[i]), centre(st.clusters[c])))
    normal = along_axis(outward, axis, a)
    push = between_walls(times(-body.mass, v), st.sim[0].periodic)
    if not wedged:
        push = wall_push(body, pose, v, omega, a, normal)
    angles = struck(body, angles, cross(a, push), wedged or body.spans != 0, x)
    return angles, plus(v, times(1.0 / body.mass, push)), push, plus(plus(x, a), times(st.radius[i], normal))


@inlined
def flight_time(cluster: Record, sim: Record) -> float:
    """How long the flight of a cluster lasts in this step."""
    return float(cluster.undone_at if cluster.undone == sim.steps else sim.dt)


@inlined
def stops_within(cluster: Record, sim: Record, duration: float) -> bool:
    """Whether a cluster meets an image of itself within `duration` of this step, and turns no more."""
    return bool(cluster.imaged == sim.steps and cluster.image_time < duration)


@inner
def fly_turning(
    st: Stepping, trees: Any, c: int, duration: float, noted: bool
) -> tuple[Vector, Vector, Vector, Vector, int]:
    """The flight of cluster c, which turns and is listed in `hit_c`, from the last whole step on.

    trees : see `next_wall`; noted : whether walls are recorded and counted. Returns, after `duration`: its centre of
        mass, how it is turned, its velocity, how it turns (`landed`), and the work done.
    """
    cluster, sim, body = st.clusters[c], st.sim[0], st.flying[0]
    x, v = origin_at(cluster, sim.time), velocity(cluster)
    angles = lift_off(body, cluster, sim.time, x)
    stops = stops_within(cluster, sim, duration)
    until = cluster.image_time if stops else duration
    if not has_walls(sim.periodic):
        turned_by, turn = landed(body, turned_on(body, angles, until, x), stops, x)
        return plus(x, times(duration, v)), turned_by, v, turn, 4
    now, work = 0.0, 0
    repeats = 0
    for impact in range(MOST_IMPACTS):
        t, i, axis, outward, done = next_wall(st, trees, c, x, v, body, angles, until - now)
        work += done
        if i < 0 and not stops:
            break
        now += t
        x, angles = plus(x, times(t, v)), turned_on(body, angles, t, x)
        if i < 0:
            angles = struck(body, angles, no_spin(x), True, x)
            stops, until, body.spans = False, duration, 1
            continue
        repeats = repeats_after(body, v, t, repeats)
        wedged = repeats > MOST_REPEATS or impact == MOST_IMPACTS - 1
        angles, v, push, contact = reflected(st, c, i, axis, outward, body, angles, x, v, wedged)
        if noted:
            put_wall_impulse(sim, plus(wall_impulse(sim), push))
            sim.walls += 1
            note(st.recent, st.recent_next, sim.time + now, contact, i, -1)
    turned_by, turn = landed(body, turned_on(body, angles, duration - now, x), False, x)
    return plus(x, times(duration - now, v)), turned_by, v, turn, work


@inlined
def may_meet_itself(st: Stepping, c: int) -> bool:
    """Whether cluster c turns and is so long that it may touch an image of itself."""
    cluster, sim = st.clusters[c], st.sim[0]
    period = smallest(periods_of(sim))
    if 2.0 * sim.widest < period:
        return False
    return bool(fastest(cluster, box_sides(sim)) != 0.0 and 2.0 * cluster.reach >= period)


@inlined
def note_own_image(turns: Vector, st: Stepping, i: int, j: int) -> None:
    """Two discs of one cluster are near each other at the end of the flight: find out whether they overlap in another
    image than their own, and when in the flight they have met there."""
    if len(turns) > 0 and may_meet_itself(st, st.label[i]):
        _own_image(st, i, j)


@inner
def _own_image(st: Stepping, i: int, j: int) -> None:
    c = st.label[i]
    cluster, sim = st.clusters[c], st.sim[0]
    if sim.again:
        return
    sides = box_sides(sim)
    middle = centre(cluster)
    pose = pose_flown(turning(cluster), st, c)
    between = minus(from_origin(pose, middle, place(st.discs[j])), from_origin(pose, middle, place(st.discs[i])))
    away = periods_to_nearest(between, periods_of(sim))
    apart = minus(row_of(st.pos, j, sides), row_of(st.pos, i, sides))
    apart = minus(apart, periods_to_nearest(apart, periods_of(sim)))
    sigma = st.radius[i] + st.radius[j]
    if is_zero(away) or dot(apart, apart) >= sigma * sigma:
        return
    b = minus(place(st.discs[j]), place(st.discs[i]))
    near = max(ROUNDING * sigma, 8.9e-16 * smallest(sides))
    if st.mark[c] < 0:
        t = touch_time(cluster, angles_at(cluster, sim.time, b), b, away, sigma, near, sim.dt)
    else:
        t = _touch_time_between_walls(st, c, b, away, sigma, near)
    if cluster.imaged != sim.steps:
        cluster.imaged = sim.steps
        cluster.image_time = t
        if st.mark[c] < 0:
            st.hit_c[sim.hits] = c
            sim.hits += 1
        sim.imaged += 1
    cluster.image_time = min(cluster.image_time, t)


@inlined
def touch_time(body: Record, angles: Any, b: Vector, away: Vector, sigma: float, near: float, limit: float) -> float:
    """When within `limit` two discs of a body touch in different images, `limit` if they do not: time from now.

    b, away : from the first to the second in the frame of the body, and to the image that the second is of; sigma :
        the sum of their radii; near : the greatest gap of a contact.
    """
    bend = bending(body, b)
    t = 0.0
    while t < limit:
        pose, spin = posed(body, angles, t, b)
        r = turned(pose, b)
        d = minus(r, away)
        distance = length(d)
        if distance - sigma <= near:
            break
        step = safe_time(distance - sigma, -dot(around(spin, r), d) / distance, bend)
        if t + step <= t:
            break
        t += step
    return min(t, limit)


@inner
def _touch_time_between_walls(st: Stepping, c: int, b: Vector, away: Vector, sigma: float, near: float) -> float:
    """`touch_time` within the step, of discs of a cluster whose flight walls bend."""
    cluster, sim, body = st.clusters[c], st.sim[0], st.flying[0]
    x, v = origin_at(cluster, sim.time), velocity(cluster)
    angles = lift_off(body, cluster, sim.time, x)
    now, repeats = 0.0, 0
    for _ in range(MOST_IMPACTS):
        t, i, axis, outward, _ = next_wall(st, (), c, x, v, body, angles, sim.dt - now)
        touch = touch_time(body, angles, b, away, sigma, near, t)
        now += touch
        if i < 0 or touch < t:
            break
        repeats = repeats_after(body, v, t, repeats)
        x, angles = plus(x, times(t, v)), turned_on(body, angles, t, x)
        angles, v, _, _ = reflected(st, c, i, axis, outward, body, angles, x, v, repeats > MOST_REPEATS)
    return now
