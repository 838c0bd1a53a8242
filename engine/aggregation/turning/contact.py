"""The time of contact of two clusters that turn, of a cluster and a wall, and of a cluster and its own image.

Two points of two bodies that are Δ apart, with the relative velocity v, come together with an acceleration of at most
a = ω_A² |b_A| + ω_B² |b_B|, in space with a bound of ω² + |dω/dt| in place of ω². So two circles with a gap g, of
approach speed u, cannot touch before h = 2 g / (u + √(u² + 2 a g)). A search goes down both trees by such steps: boxes
of the trees give circles about them, which turn with the cluster. For two discs the steps converge as Newton's method
does.

Two discs touch when their gap is below a rounding error and they approach (the rule of Bannerman et al. 2014); if they
do not, the search looks at them again after the time in which they cannot come closer.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

from engine.aggregation.event_driven.broad_phase import place_at
from engine.aggregation.event_driven.clusters import ClusterArrays
from engine.aggregation.turning.bodies import centre
from engine.aggregation.turning.motion import BodyPose, Spin, around, turned
from engine.aggregation.turning.pose import angles_at, bending, posed
from engine.geometry.impact import disc_impact, push_pair
from engine.geometry.minimum_image import box_images, periods_of, periods_to_nearest, shifted, third_range
from engine.geometry.vectors import (
    Vector,
    absolute,
    box_sides,
    component,
    dot,
    every,
    high_corner,
    largest,
    low_corner,
    minus,
    place,
    plus,
    smallest,
    times,
    total,
    velocity,
)
from engine.kernels import inlined, inner
from engine.records import Record, Records

OPENS = 0.5
"""Two circles whose gap is below this share of their radii are opened rather than followed."""

ROUNDING = 1e-13
"""The greatest gap of a contact, as a share of the radii; where rounding is coarser, its size."""


@inlined
def safe_time(g: float, u: float, a: float) -> float:
    """For how long a gap g >= 0 that closes at the speed u, with an acceleration of at most a, cannot close."""
    root = sqrt(u * u + 2.0 * a * g)
    if u >= 0.0:
        return 2.0 * g / (u + root) if u + root > 0.0 else inf
    return (root - u) / a if a > 0.0 else inf


@inlined
def apart_until(d: Vector, v: Vector, sigma: float, g: float, u: float, a: float, longest: float) -> float:
    """For how long two circles at d and the relative velocity v cannot touch; see `safe_time`.

    As their paths bend by at most ½ a h² within the time h, they cannot touch either while circles larger by that,
    which fly straight, do not: h is doubled as long as this shows more. longest : more is not asked for.
    """
    h = safe_time(g, u, a)
    if a == 0.0:
        return disc_impact(d, v, sigma, 0.0, False) if u > 0.0 else inf
    while h < longest:
        more = sigma + 2.0 * a * h * h
        if more * more >= dot(d, d) or disc_impact(d, v, more, 0.0, False) < 2.0 * h:
            break
        h *= 2.0
    return h


@inlined
def circle_about(nodes: Records, discs: Records, least: float, k: int) -> tuple[Vector, float]:
    """Centre, in the frame of the cluster, and radius of the circle of a node: of its disc, or about all discs that fit
    into its box. nodes, discs : (M,) and (N,) records; least : the smallest radius."""
    node = nodes[k]
    if node.left < 0:
        disc = discs[~node.left]
        return place(disc), disc.radius
    low, high = low_corner(node), high_corner(node)
    half = minus(times(0.5, minus(high, low)), every(least, place(discs[0])))
    return times(0.5, plus(high, low)), least + sqrt(dot(half, half))


@inlined
def circle_of(st: ClusterArrays, k: int) -> tuple[Vector, float]:
    """`circle_about` of a node of the event-driven method."""
    return circle_about(st.nodes, st.discs, st.sim[0].smallest_radius, k)


@inlined
def length(a: Vector) -> float:
    """The length of a vector."""
    return sqrt(dot(a, a))


@inlined
def seen(
    a: Record,
    b: Record,
    pose_a: BodyPose,
    spin_a: Spin,
    pose_b: BodyPose,
    spin_b: Spin,
    apart: Vector,
    u: Vector,
    m: Vector,
    n: Vector,
) -> tuple[Vector, Vector, float]:
    """Of two points at m and n from the centres of mass in the frames of their bodies: the vector between them, their
    relative velocity, and the bound of the acceleration with which they come together.

    a, b : the bodies, in these poses and turning with these ω; apart, u : the vector between the centres of mass, and
        their relative velocity.
    """  # fmt: skip
    r, s = turned(pose_a, m), turned(pose_b, n)
    v = plus(u, minus(around(spin_b, s), around(spin_a, r)))
    return plus(apart, minus(s, r)), v, bending(a, m) + bending(b, n)


@inner
def disc_contact(
    st: ClusterArrays, one: int, two: int, i: int, j: int, d: Vector, u: Vector, now: float, limit: float
) -> float:
    """First contact of discs i and j of two clusters within `limit` from now: time from now or inf.

    The steps begin now and depend on nothing else, so that the bits do not depend on trees. d, u : from the centre of
    mass of the first cluster to that of the second, and their relative velocity.
    """
    a, b = st.clusters[one], st.clusters[two]
    angles_a, angles_b = angles_at(a, now, d), angles_at(b, now, d)
    m, n = minus(place(st.discs[i]), centre(a)), minus(place(st.discs[j]), centre(b))
    sigma = st.discs[i].radius + st.discs[j].radius
    near = max(ROUNDING * sigma, rounding_of(st, a, b, d))
    t = 0.0
    while t < limit:
        st.sim[0].disc_tests += 1
        st.sim[0].work += 4
        (pose_a, spin_a), (pose_b, spin_b) = posed(a, angles_a, t, d), posed(b, angles_b, t, d)
        apart, v, bend = seen(a, b, pose_a, spin_a, pose_b, spin_b, plus(d, times(t, u)), u, m, n)
        distance = length(apart)
        g = distance - sigma
        closing = -dot(v, apart) / distance if distance > 0.0 else 0.0
        later = t
        if g > near:
            later = t + apart_until(apart, v, sigma, g, closing, bend, limit - t)
        if later > t:
            t = later
        elif closing > 0.0:
            return float(t)
        elif bend == 0.0:
            break
        else:
            # they separate: until then they cannot have come back; nor, where they overlap, by as much as they do
            t += max(-2.0 * closing / bend, sqrt(2.0 * max(near, -g) / bend))
    return inf


@inlined
def rounding_of(st: ClusterArrays, a: Record, b: Record, d: Vector) -> float:
    """Four units in the last place of the largest coordinates of two clusters that are d apart (length)."""
    return float(8.9e-16 * (largest(absolute(d)) + a.reach + b.reach + largest(box_sides(st.sim[0]))))


@inner
def first_contact(st: ClusterArrays, one: int, two: int, d: Vector, now: float, limit: float) -> tuple[float, int, int]:
    """First contact of two clusters within `limit` from now: (time from now or inf, disc, disc).

    d : from the centre of mass of the first to that of an image of the second, now. Both may be the same cluster. Of
    contacts at one time, that of the discs with the lowest numbers is returned.
    """
    nodes, stack = st.nodes, st.node_pairs
    a, b = st.clusters[one], st.clusters[two]
    u = minus(velocity(b), velocity(a))
    angles_a, angles_b = angles_at(a, now, d), angles_at(b, now, d)
    centre_a, centre_b = centre(a), centre(b)
    best = limit
    bi = bj = -1
    visits = 0
    top = 0
    push_pair(stack[0], 0.0, one, two)
    while top >= 0:
        pair = stack[top]
        top -= 1
        t = pair.enter
        m = pair.a
        n = pair.b
        if t > best:
            continue
        left_m, left_n = nodes[m].left, nodes[n].left
        if left_m < 0 and left_n < 0:
            i, j = ~left_m, ~left_n
            t = disc_contact(st, one, two, i, j, d, u, now, limit)
            if t < best or (t == best and bi >= 0 and (i < bi or (i == bi and j < bj))):
                best, bi, bj = t, i, j
            continue
        place_m, radius_m = circle_of(st, m)
        place_n, radius_n = circle_of(st, n)
        place_m, place_n = minus(place_m, centre_a), minus(place_n, centre_b)
        sigma = radius_m + radius_n
        while t <= best:
            visits += 1
            (pose_a, spin_a), (pose_b, spin_b) = posed(a, angles_a, t, d), posed(b, angles_b, t, d)
            here = plus(d, times(t, u))
            apart, v, bend = seen(a, b, pose_a, spin_a, pose_b, spin_b, here, u, place_m, place_n)
            distance = length(apart)
            g = distance - sigma
            if g <= OPENS * sigma:
                break
            h = apart_until(apart, v, sigma, g, -dot(v, apart) / distance, bend, best - t)
            if t + h <= t:
                break
            t += h
        if t > best:
            continue
        m0, n0, m1, n1 = m, left_n, m, left_n + 1
        if left_n < 0 or (left_m >= 0 and radius_m >= radius_n):
            m0, n0, m1, n1 = left_m, n, left_m + 1, n
        t0 = t + until_near(st, a, b, pose_a, spin_a, pose_b, spin_b, here, u, m0, n0, best - t)
        t1 = t + until_near(st, a, b, pose_a, spin_a, pose_b, spin_b, here, u, m1, n1, best - t)
        if t0 < t1:
            # the earlier one continues
            t0, t1 = t1, t0
            m0, n0, m1, n1 = m1, n1, m0, n0
        if t0 <= best:
            top += 1
            push_pair(stack[top], t0, m0, n0)
        if t1 <= best:
            top += 1
            push_pair(stack[top], t1, m1, n1)
    sim = st.sim[0]
    sim.pair_walks += 1
    sim.node_visits += visits
    sim.work += 5 + 4 * visits
    if bi < 0:
        return inf, -1, -1
    return best, bi, bj


@inlined
def until_near(
    st: ClusterArrays,
    a: Record,
    b: Record,
    pose_a: BodyPose,
    spin_a: Spin,
    pose_b: BodyPose,
    spin_b: Spin,
    here: Vector,
    u: Vector,
    m: int,
    n: int,
    longest: float,
) -> float:
    """For how long the circles of nodes m and n cannot touch, 0 if they are near; see `seen` and `apart_until`."""
    place_m, radius_m = circle_of(st, m)
    place_n, radius_n = circle_of(st, n)
    sigma = radius_m + radius_n
    place_m, place_n = minus(place_m, centre(a)), minus(place_n, centre(b))
    apart, v, bend = seen(a, b, pose_a, spin_a, pose_b, spin_b, here, u, place_m, place_n)
    distance = length(apart)
    g = distance - sigma
    if g <= 0.0:
        return 0.0
    return apart_until(apart, v, sigma, g, -dot(v, apart) / distance, bend, longest)


@inner
def contact_of_images(st: ClusterArrays, one: int, two: int, now: float, limit: float) -> tuple[float, int, int]:
    """First contact of two clusters within `limit` from now, in whichever image it comes first; see `first_contact`."""
    a, b = st.clusters[one], st.clusters[two]
    sim = st.sim[0]
    d = minus(place_at(st, two, now), place_at(st, one, now))
    u = minus(velocity(b), velocity(a))
    sigma = a.reach + b.reach
    if is_nearest_only(sim, u, sigma, limit):
        d = nearest(sim, d)
        if circles_meet(d, u, sigma) < limit:
            return first_contact(st, one, two, d, now, limit)
        return inf, -1, -1
    first, last = images_within(sim, d, u, sigma, limit)
    kz0, kz1 = third_range(first, last)
    best, bi, bj = limit, -1, -1
    for kx in range(first[0], last[0] + 1):
        for ky in range(first[1], last[1] + 1):
            for kz in range(kz0, kz1):
                at = shifted(d, kx, ky, kz, box_sides(sim))
                if circles_meet(at, u, sigma) < best:
                    t, i, j = first_contact(st, one, two, at, now, best)
                    if t < best:
                        best, bi, bj = t, i, j
    if bi < 0:
        return inf, -1, -1
    return best, bi, bj


@inlined
def is_nearest_only(sim: Record, u: Vector, sigma: float, limit: float) -> bool:
    """Whether two circles can meet within `limit` only in their nearest images; see `images_within`."""
    return sim.periodic == 0 or sigma + limit * total(absolute(u)) < 0.5 * smallest(periods_of(sim))


@inlined
def nearest(sim: Record, d: Vector) -> Vector:
    """The vector d to the nearest image of what is there."""
    return minus(d, periods_to_nearest(d, periods_of(sim)))


@inlined
def images_within(sim: Record, d: Vector, u: Vector, sigma: float, limit: float) -> tuple[Vector, Vector]:
    """First and last periods, along each axis, by which a circle at d with the velocity u may be shifted so that it
    meets one at 0 within `limit`. sigma : the sum of their radii."""
    origin = every(0.0, u)
    reach = plus(every(sigma, u), times(limit, absolute(u)))
    return box_images(origin, origin, minus(d, reach), plus(d, reach), periods_of(sim))


@inlined
def circles_meet(d: Vector, u: Vector, sigma: float) -> float:
    """When two circles that fly straight meet, 0 if they overlap, inf for never."""
    if dot(d, d) <= sigma * sigma:
        return 0.0
    return disc_impact(d, u, sigma, 0.0, False)


@inlined
def is_opposite(kx: int, ky: int, kz: int) -> bool:
    """Whether an image, so many periods away, is the cluster itself or opposite to one that is looked at."""
    return not (kz > 0 or (kz == 0 and (ky > 0 or (ky == 0 and kx > 0))))


@inner
def own_image(st: ClusterArrays, c: int, now: float, limit: float) -> tuple[float, int]:
    """When within `limit` from now a cluster that turns meets an image of itself: (time from now or inf, disc)."""
    cluster = st.clusters[c]
    sim = st.sim[0]
    best, bi = limit, -1
    across = 2.0 * cluster.reach
    sides = box_sides(sim)
    origin = every(0.0, sides)
    span = every(across, sides)
    first, last = box_images(origin, origin, minus(origin, span), span, periods_of(sim))
    kz0, kz1 = third_range(first, last)
    for kx in range(first[0], last[0] + 1):
        for ky in range(first[1], last[1] + 1):
            for kz in range(kz0, kz1):
                if is_opposite(kx, ky, kz):
                    continue
                at = shifted(origin, kx, ky, kz, sides)
                if dot(at, at) <= across * across:
                    t, i, _ = first_contact(st, c, c, at, now, best)
                    if t < best:
                        best, bi = t, i
    if bi < 0:
        return inf, -1
    return best, bi


@inlined
def wall_gap(
    cluster: Record, angles: Any, t: float, room: float, axis: int, outward: float, v: Vector, b: Vector, radius: float
) -> tuple[float, float]:
    """The gap between a circle of a cluster and a wall at the time t after that of `angles`, and how fast it closes.

    room : from the centre of mass to the wall at the end of an axis (outward 1) or at its beginning (-1); v : of the
    cluster; b : from its centre of mass to that of the circle, in its frame.
    """
    pose, spin = posed(cluster, angles, t, b)
    r = turned(pose, b)
    approach = outward * component(v, axis)
    g = room - approach * t - outward * component(r, axis) - radius
    return g, approach + outward * component(around(spin, r), axis)


@inlined
def look_again(t: float, g: float, closing: float, bend: float, near: float, known: bool) -> float:
    """When to look again at a circle that has the gap g to a wall at the time t: t itself if it is there, inf if it
    does not come. near : the greatest gap of a contact; known : whether to be there, and not to approach, is enough."""
    if g > near:
        later = t + safe_time(g, closing, bend)
        if later > t:
            return later
    if known or closing > 0.0:
        return t
    if bend == 0.0:
        return inf
    # it moves away: until then it cannot have come back; nor, where it is beyond the wall, by as much as it is
    return t + max(-2.0 * closing / bend, sqrt(2.0 * max(near, -g) / bend))


@inner
def wall_contact(st: ClusterArrays, c: int, axis: int, outward: float, now: float, limit: float) -> tuple[float, int]:
    """When within `limit` from now a cluster meets a wall: (time from now or inf, disc).

    axis, outward : of the wall at the end of an axis (1.0) or at its beginning (-1.0). The cluster must be at `now`.
    """
    nodes, stack = st.nodes, st.node_pairs
    cluster = st.clusters[c]
    sim = st.sim[0]
    side = component(box_sides(sim), axis)
    x, v = component(place(cluster), axis), velocity(cluster)
    room = side - x if outward > 0.0 else x
    approach = outward * component(v, axis)
    rounding = 8.9e-16 * (cluster.reach + side)
    if room - cluster.reach > 0.0 and (approach <= 0.0 or room - cluster.reach >= approach * limit):
        return inf, -1
    angles, middle = angles_at(cluster, now, place(cluster)), centre(cluster)
    best, bi = limit, -1
    top = 0
    visits = 0
    push_pair(stack[0], 0.0, c, -1)
    while top >= 0:
        t = stack[top].enter
        k = stack[top].a
        top -= 1
        b, radius = circle_of(st, k)
        b = minus(b, middle)
        left = nodes[k].left
        near = max(ROUNDING * radius, rounding) if left < 0 else OPENS * radius
        bend = bending(cluster, b)
        if left < 0:
            # its steps begin now, so that the bits do not depend on trees
            t = 0.0
        there = False
        while t <= best and not there:
            visits += 1
            g, closing = wall_gap(cluster, angles, t, room, axis, outward, v, b, radius)
            later = look_again(t, g, closing, bend, near, left >= 0)
            there = later == t
            if later == inf:
                break
            t = later
        if there and left >= 0:
            push_pair(stack[top + 1], t, left, -1)
            push_pair(stack[top + 2], t, left + 1, -1)
            top += 2
        elif there and (t < best or (t == best and bi >= 0 and ~left < bi)):
            best, bi = t, ~left
    sim.work += 4 * visits
    sim.node_visits += visits
    if bi < 0:
        return inf, -1
    return best, bi
