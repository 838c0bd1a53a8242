"""How soon clusters that turn may overlap each other, an image of themselves, or a wall: lower bounds for the calendar.

The trees of two clusters are walked down together with circles about their boxes, which turn with them; how long two
circles stay apart is bounded as in the event-driven method (`engine.aggregation.turning.contact`). Here discs that
overlap count even if they move apart, and nothing needs to be exact.
"""

from __future__ import annotations

from math import inf

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.aggregation.time_stepping.pose import centre, origin_at, pose_after
from engine.aggregation.turning.contact import (
    OPENS,
    apart_until,
    circle_about,
    circles_meet,
    images_within,
    is_nearest_only,
    is_opposite,
    length,
    nearest,
    safe_time,
    seen,
    wall_gap,
)
from engine.aggregation.turning.motion import BodyPose, Spin
from engine.aggregation.turning.pose import angles_at, bending
from engine.geometry.impact import disc_impact, push_pair, sum_of_sides
from engine.geometry.minimum_image import shifted, third_range, wraps
from engine.geometry.vectors import Vector, box_sides, component, dot, minus, plus, times, velocity
from engine.kernels import inlined, inner
from engine.records import Record


@inlined
def circle_of(st: Stepping, cal: Calendar, k: int) -> tuple[Vector, float]:
    """Centre, in the frame of the cluster, and radius of the circle about all discs that fit into the box of a node."""
    return circle_about(cal.nodes, st.discs, st.sim[0].smallest_radius, k)


@inlined
def until_near(
    st: Stepping,
    cal: Calendar,
    a: Record,
    b: Record,
    standing_a: tuple[BodyPose, Spin],
    standing_b: tuple[BodyPose, Spin],
    here: Vector,
    u: Vector,
    m: int,
    n: int,
    slack: float,
    longest: float,
) -> float:
    """For how long the circles of node m of cluster a and node n of cluster b do not come as near as `slack`: 0 if they
    are near.

    standing_a, standing_b, here, u : pose and ω of both, the vector between the centres of mass, and their relative
    velocity; longest : more is not asked for.
    """
    place_m, radius_m = circle_of(st, cal, m)
    place_n, radius_n = circle_of(st, cal, n)
    one, two = minus(place_m, centre(a)), minus(place_n, centre(b))
    apart, v, bend = seen(a, b, standing_a[0], standing_a[1], standing_b[0], standing_b[1], here, u, one, two)
    sigma = radius_m + radius_n + slack
    distance = length(apart)
    g = distance - sigma
    discs = cal.nodes[m].left < 0 and cal.nodes[n].left < 0
    if g <= (slack if discs else OPENS * sigma):
        return 0.0
    more = sigma + 0.5 * bend * longest * longest
    if more < distance and disc_impact(apart, v, more, 0.0, False) >= longest:
        return longest
    return apart_until(apart, v, sigma, g, -dot(v, apart) / distance, bend, longest)


@inner
def near_from(
    st: Stepping,
    cal: Calendar,
    k: int,
    e: int,
    d: Vector,
    u: Vector,
    now: float,
    slack: float,
    limit: float,
) -> float:
    """A lower bound of the time from now at which the trees at rows k and e come as near as `slack`; inf if not before
    `limit`.

    d, u : from the centre of mass of the first cluster to that of the second, now, and their relative velocity.
    """
    nodes, stack = cal.nodes, cal.node_pairs
    a, b = st.clusters[cal.entries[k].cluster], st.clusters[cal.entries[e].cluster]
    angles_a, angles_b = angles_at(a, now, d), angles_at(b, now, d)
    best, found = limit, False
    visits, top = 0, 0
    push_pair(stack[0], 0.0, k, e)
    then, one, two = 0.0, pose_after(a, angles_a, 0.0), pose_after(b, angles_b, 0.0)
    while top >= 0:
        t, m, n = stack[top].enter, stack[top].a, stack[top].b
        top -= 1
        if t >= best:
            continue
        if t != then:
            then, one, two = t, pose_after(a, angles_a, t), pose_after(b, angles_b, t)
        here = plus(d, times(t, u))
        discs = nodes[m].left < 0 and nodes[n].left < 0
        while discs and t < best:
            visits += 1
            h = until_near(st, cal, a, b, one, two, here, u, m, n, slack, best - t)
            if t + h <= t:
                break
            t += h
            then, one, two = t, pose_after(a, angles_a, t), pose_after(b, angles_b, t)
            here = plus(d, times(t, u))
        if t >= best:
            continue
        if discs:
            best, found = t, True
            continue
        left_m, left_n = nodes[m].left, nodes[n].left
        m0, n0, m1, n1 = m, left_n, m, left_n + 1
        if left_n < 0 or (left_m >= 0 and sum_of_sides(nodes[m]) >= sum_of_sides(nodes[n])):
            m0, n0, m1, n1 = left_m, n, left_m + 1, n
        t0 = t + until_near(st, cal, a, b, one, two, here, u, m0, n0, slack, best - t)
        t1 = t + until_near(st, cal, a, b, one, two, here, u, m1, n1, slack, best - t)
        visits += 2
        if t0 < t1:
            # the earlier one continues
            t0, t1, m0, n0, m1, n1 = t1, t0, m1, n1, m0, n0
        if t0 < best:
            top += 1
            push_pair(stack[top], t0, m0, n0)
        if t1 < best:
            top += 1
            push_pair(stack[top], t1, m1, n1)
    st.sim[0].work += 3 * visits
    return best if found else inf


@inner
def near_images(st: Stepping, cal: Calendar, k: int, e: int, now: float, slack: float, limit: float) -> float:
    """A lower bound of the time from now at which the clusters of rows k and e overlap, in any image; inf if not before
    `limit`. For k = e, of the time at which the cluster overlaps an image of itself."""
    sim = st.sim[0]
    a, b = st.clusters[cal.entries[k].cluster], st.clusters[cal.entries[e].cluster]
    d, u = minus(origin_at(b, now), origin_at(a, now)), minus(velocity(b), velocity(a))
    sigma = a.reach + b.reach + slack
    if k != e and is_nearest_only(sim, u, sigma, limit):
        d = nearest(sim, d)
        return near_from(st, cal, k, e, d, u, now, slack, limit) if circles_meet(d, u, sigma) < limit else inf
    first, last = images_within(sim, d, u, sigma, limit)
    kz0, kz1 = third_range(first, last)
    best = limit
    for kx in range(first[0], last[0] + 1):
        for ky in range(first[1], last[1] + 1):
            for kz in range(kz0, kz1):
                if k == e and is_opposite(kx, ky, kz):
                    continue
                at = shifted(d, kx, ky, kz, box_sides(sim))
                if circles_meet(at, u, sigma) < best:
                    best = min(best, near_from(st, cal, k, e, at, u, now, slack, best))
    return best if best < limit else inf


@inlined
def circles_near(st: Stepping, cal: Calendar, k: int, e: int, now: float) -> float:
    """When, from now, the circles of the clusters of rows k and e meet in the image that is nearest now, else inf."""
    a, b = st.clusters[cal.entries[k].cluster], st.clusters[cal.entries[e].cluster]
    d = nearest(st.sim[0], minus(origin_at(b, now), origin_at(a, now)))
    return float(circles_meet(d, minus(velocity(b), velocity(a)), a.reach + b.reach))


@inner
def near_walls(st: Stepping, cal: Calendar, k: int, now: float, slack: float, limit: float) -> float:
    """A lower bound of the time from now at which the cluster of row k is as near as `slack` to a wall, `limit` if it
    is not before."""
    nodes, stack = cal.nodes, cal.node_pairs
    cluster = st.clusters[cal.entries[k].cluster]
    x, v, middle = origin_at(cluster, now), velocity(cluster), centre(cluster)
    sides, angles = box_sides(st.sim[0]), angles_at(cluster, now, x)
    best, visits = limit, 0
    for axis in range(len(sides)):
        if wraps(st.sim[0].periodic, axis):
            continue
        for outward in (-1.0, 1.0):
            room = component(sides, axis) - component(x, axis) if outward > 0.0 else component(x, axis)
            approach = outward * component(v, axis)
            if room - cluster.reach - slack > max(0.0, approach * best):
                continue
            top = 0
            push_pair(stack[0], 0.0, k, -1)
            while top >= 0:
                t, m = stack[top].enter, stack[top].a
                top -= 1
                left = nodes[m].left
                b, radius = circle_of(st, cal, m)
                b = minus(b, middle)
                bend = bending(cluster, b)
                while t < best:
                    visits += 1
                    g, closing = wall_gap(cluster, angles, t, room, axis, outward, v, b, radius)
                    g -= slack
                    if g <= (slack if left < 0 else OPENS * radius):
                        break
                    h = safe_time(g, closing, bend)
                    if t + h <= t:
                        break
                    t += h
                if t < best:
                    if left < 0:
                        best = t
                    else:
                        push_pair(stack[top + 1], t, left, -1)
                        push_pair(stack[top + 2], t, left + 1, -1)
                        top += 2
    st.sim[0].work += 4 * visits
    return best
