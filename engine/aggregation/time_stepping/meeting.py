"""Finding overlaps at the end of a sparse step with the box trees of the clusters.

Overlaps are decided by the positions in `pos` alone, as in a step over all discs.
"""

from __future__ import annotations

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.calendar_arrays import Calendar, wall_shift
from engine.aggregation.time_stepping.cluster_search import search_grid
from engine.aggregation.time_stepping.flight import bring, position
from engine.aggregation.time_stepping.in_flight import may_meet_itself, note_own_image
from engine.aggregation.time_stepping.overlaps import link_overlapping, to_nearest_image
from engine.aggregation.time_stepping.pose import (
    centre,
    into_frame,
    origin_at,
    pose_between,
    pose_flown,
    turning,
)
from engine.aggregation.turning.contact import is_opposite
from engine.aggregation.turning.motion import extent_of, turned
from engine.aggregation.turning.pose import no_turn
from engine.geometry.impact import opened, push_pair
from engine.geometry.minimum_image import box_images, periods_of, shifted, third_range
from engine.geometry.vectors import (
    Vector,
    box_sides,
    every,
    high_corner,
    is_below,
    less_square,
    low_corner,
    minus,
    place,
    plus,
    times,
    total,
)
from engine.kernels import inlined, inner
from engine.records import Record

SLACK = 1e-9
"""Enlargement of boxes for the rounding of positions, as a share of the box."""


@inlined
def vector_between(st: Stepping, i: int, j: int) -> Vector:
    """X_i - X_j at the end of the current step, to the nearest image."""
    return to_nearest_image(st, minus(position(st, i), position(st, j)))


@inlined
def note_overlapping(st: Stepping, i: int, j: int, count: int) -> int:
    """Add disc j to `touched` if disc i overlaps it; returns the new number.

    The `count` discs are sorted and unique, so that the results do not depend on how they are found.
    """
    if j == i:
        return count
    sigma = st.radius[i] + st.radius[j]
    if less_square(sigma * sigma, vector_between(st, i, j)) <= 0.0:
        return count
    touched = st.touched
    at = count
    while at > 0 and touched[at - 1] > j:
        at -= 1
    if at > 0 and touched[at - 1] == j:
        return count
    for k in range(count, at, -1):
        touched[k] = touched[k - 1]
    touched[at] = j
    return count + 1


@inlined
def origin_at_end(st: Stepping, cal: Calendar, k: int) -> Vector:
    """Origin of the frame of the cluster of row k at the end of the current step, walls included."""
    entry = cal.entries[k]
    return plus(origin_at(st.clusters[entry.cluster], st.sim[0].time + st.sim[0].dt), wall_shift(entry))


@inlined
def pose_at_end(st: Stepping, cal: Calendar, k: int) -> Vector:
    """Pose of the cluster of row k at the end of the current step, walls included; nothing where it does not turn."""
    c = cal.entries[k].cluster
    return pose_flown(turning(st.clusters[c]), st, c)


@inlined
def _corners(turns: Vector, cluster: Record, root: Record) -> tuple[Vector, Vector]:
    if len(turns) > 0:
        reach = every(cluster.reach, place(cluster))
        return times(-1.0, reach), reach
    return low_corner(root), high_corner(root)


@inlined
def corners(st: Stepping, cal: Calendar, k: int) -> tuple[Vector, Vector]:
    """The low and the high corner of what holds the cluster of row k, however it is turned, from its origin."""
    cluster = st.clusters[cal.entries[k].cluster]
    return _corners(turning(cluster), cluster, cal.nodes[k])


@inner
def touched_in_tree(st: Stepping, cal: Calendar, i: int, root: int, x: Vector, reach: float, count: int) -> int:
    """Add the discs of a tree that disc i overlaps to `touched`; x is its position in the frame of the tree."""
    low, high = minus(x, every(reach, x)), plus(x, every(reach, x))
    stack = cal.ids
    stack[0] = root
    top = 0
    visits = 0
    while top >= 0:
        node = cal.nodes[stack[top]]
        top -= 1
        visits += 1
        if is_below(high, low_corner(node)) or is_below(high_corner(node), low):
            continue
        left = node.left
        if left < 0:
            bring(st, ~left)
            st.sim[0].looked += 1
            count = note_overlapping(st, i, ~left, count)
        else:
            stack[top + 1] = left
            stack[top + 2] = left + 1
            top += 2
    st.sim[0].work += visits
    return count


@inner
def overlapping_in_trees(st: Stepping, cal: Calendar, i: int) -> int:
    """Collect the discs that disc i overlaps in `touched`; returns how many there are."""
    sim = st.sim[0]
    # discs displaced by the minimisation may be this far from their positions in the trees
    sides = box_sides(sim)
    reach = st.radius[i] + sim.drift + SLACK * total(sides)
    around = every(reach, sides)
    x = position(st, i)
    count = 0
    for m in range(search_grid(st, cal, minus(x, around), plus(x, around))):
        e = cal.found[m]
        low, high = corners(st, cal, e)
        at = minus(x, origin_at_end(st, cal, e))
        pose, middle = pose_at_end(st, cal, e), centre(st.clusters[cal.entries[e].cluster])
        first, last = box_images(low, high, minus(at, around), plus(at, around), periods_of(sim))
        kz0, kz1 = third_range(first, last)
        for kx in range(first[0], last[0] + 1):
            for ky in range(first[1], last[1] + 1):
                for kz in range(kz0, kz1):
                    there = into_frame(pose, middle, shifted(at, kx, ky, kz, sides))
                    count = touched_in_tree(st, cal, i, e, there, reach, count)
    return count


@inlined
def corners_in(pose: Vector, node: Record, d: Vector) -> tuple[Vector, Vector]:
    """The low and the high corner of what holds a node, in a frame in which its own is at d with a pose."""
    low, high = low_corner(node), high_corner(node)
    if len(pose) > 0:
        low, high = times(0.5, low), times(0.5, high)
        middle, half = plus(low, high), minus(high, low)
        half = extent_of(pose, half)
        middle = turned(pose, middle)
        low, high = minus(middle, half), plus(middle, half)
    return plus(low, d), plus(high, d)


@inlined
def boxes_overlap(st: Stepping, cal: Calendar, a: int, b: int, d: Vector, pose: Vector, slack: float) -> bool:
    """Whether the boxes of nodes a and b overlap, b's frame at d in a's, with a pose there."""
    one = cal.nodes[a]
    margin = every(slack, d)
    low, high = corners_in(pose, cal.nodes[b], d)
    if is_below(plus(high_corner(one), margin), low):
        return False
    return not is_below(high, minus(low_corner(one), margin))


@inlined
def _link_discs(pose: Vector, st: Stepping, i: int, j: int) -> None:
    if len(pose) > 0 and st.label[i] == st.label[j]:
        note_own_image(pose, st, i, j)
    else:
        link_overlapping(st, i, j, minus(position(st, i), position(st, j)))


@inner
def link_between_trees(st: Stepping, cal: Calendar, a: int, b: int, d: Vector, pose: Vector, slack: float) -> None:
    """Make new links of the discs of two trees that overlap, b's frame at d in a's, with a pose there."""
    stack = cal.node_pairs
    visits = 0
    top = -1
    if boxes_overlap(st, cal, a, b, d, pose, slack):
        top = 0
        push_pair(stack[0], 0.0, a, b)
    while top >= 0:
        a = stack[top].a
        b = stack[top].b
        top -= 1
        visits += 1
        one = cal.nodes[a]
        two = cal.nodes[b]
        left_a = one.left
        left_b = two.left
        if left_a < 0 and left_b < 0:
            i = ~left_a
            j = ~left_b
            bring(st, i)
            bring(st, j)
            st.sim[0].looked += 1
            _link_discs(pose, st, i, j)
            continue
        a0, b0, a1, b1 = opened(one, two, a, b)
        if boxes_overlap(st, cal, a0, b0, d, pose, slack):
            top += 1
            push_pair(stack[top], 0.0, a0, b0)
        if boxes_overlap(st, cal, a1, b1, d, pose, slack):
            top += 1
            push_pair(stack[top], 0.0, a1, b1)
    st.sim[0].work += visits


@inlined
def frame_in(pose: Vector, between: Vector, middle: Vector, away: Vector, d: Vector) -> Vector:
    """The origin of one frame in another one, whose pose is `pose`: d is from the origin of the motion of the latter's
    cluster to that of the other; between : see `pose_between`; middle, away : the centres of both clusters."""
    if len(pose) > 0:
        return minus(into_frame(pose, middle, d), turned(between, away))
    return d


@inner
def _meet_own_images(turns: Vector, st: Stepping, cal: Calendar, k: int, slack: float) -> None:
    if len(turns) > 0:
        c = cal.entries[k].cluster
        sides = box_sides(st.sim[0])
        if may_meet_itself(st, c) and st.sim[0].again == 0:
            pose, middle, reach = pose_at_end(st, cal, k), centre(st.clusters[c]), every(st.clusters[c].reach, sides)
            none, alike = every(0.0, sides), no_turn(sides)
            first, last = box_images(times(-1.0, reach), reach, times(-1.0, reach), reach, periods_of(st.sim[0]))
            kz0, kz1 = third_range(first, last)
            for kx in range(first[0], last[0] + 1):
                for ky in range(first[1], last[1] + 1):
                    for kz in range(kz0, kz1):
                        if not is_opposite(kx, ky, kz):
                            at = frame_in(pose, alike, middle, middle, shifted(none, kx, ky, kz, sides))
                            link_between_trees(st, cal, k, k, at, alike, slack)


@inner
def meet(st: Stepping, cal: Calendar, k: int) -> bool:
    """Make new links of the discs of the awake cluster of row k with overlapping discs of others.

    Of two awake clusters the one of the lower row does it. False if `fresh` was too short: enlarge it and repeat.
    """
    sim = st.sim[0]
    before = sim.fresh
    sides = box_sides(sim)
    slack = SLACK * total(sides)
    margin = every(slack, sides)
    x, pose, middle = origin_at_end(st, cal, k), pose_at_end(st, cal, k), centre(st.clusters[cal.entries[k].cluster])
    low, high = corners(st, cal, k)
    for m in range(search_grid(st, cal, minus(plus(x, low), margin), plus(plus(x, high), margin))):
        e = cal.found[m]
        if e == k or (cal.entries[e].awake and e < k):
            continue
        d = minus(origin_at_end(st, cal, e), x)
        other_low, other_high = corners(st, cal, e)
        first, last = box_images(
            minus(low, margin), plus(high, margin), plus(d, other_low), plus(d, other_high), periods_of(sim)
        )
        between, away = pose_between(pose, pose_at_end(st, cal, e)), centre(st.clusters[cal.entries[e].cluster])
        kz0, kz1 = third_range(first, last)
        for kx in range(first[0], last[0] + 1):
            for ky in range(first[1], last[1] + 1):
                for kz in range(kz0, kz1):
                    at = frame_in(pose, between, middle, away, shifted(d, kx, ky, kz, sides))
                    link_between_trees(st, cal, k, e, at, between, slack)
    _meet_own_images(turning(st.clusters[cal.entries[k].cluster]), st, cal, k, slack)
    if sim.fresh == len(st.fresh):
        sim.fresh = before
        return False
    return True
