"""Finding overlaps at the end of a sparse step with the box trees of the clusters.

Overlaps are decided by the positions in `pos` alone, as in a step over all discs.
"""

from __future__ import annotations

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.calendar_arrays import Calendar, wall_shift
from engine.aggregation.time_stepping.cluster_search import search_grid
from engine.aggregation.time_stepping.flight import bring, link_overlapping, position, to_nearest_image
from engine.geometry.impact import opened, push_pair
from engine.geometry.minimum_image import box_images, shifted, third_range
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
    velocity,
)
from engine.kernels import inlined, inner

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
    cluster = st.clusters[entry.cluster]
    dt = st.sim[0].time + st.sim[0].dt - cluster.time
    return plus(plus(place(cluster), times(dt, velocity(cluster))), wall_shift(entry))


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
        root = cal.nodes[e]
        at = minus(x, origin_at_end(st, cal, e))
        first, last = box_images(
            sim.periodic, low_corner(root), high_corner(root), minus(at, around), plus(at, around), sides
        )
        kz0, kz1 = third_range(first, last)
        for kx in range(first[0], last[0] + 1):
            for ky in range(first[1], last[1] + 1):
                for kz in range(kz0, kz1):
                    count = touched_in_tree(st, cal, i, e, shifted(at, kx, ky, kz, sides), reach, count)
    return count


@inlined
def boxes_overlap(st: Stepping, cal: Calendar, a: int, b: int, d: Vector, slack: float) -> bool:
    """Whether the boxes of nodes a and b overlap, b's frame at d in a's."""
    one = cal.nodes[a]
    two = cal.nodes[b]
    margin = every(slack, d)
    if is_below(plus(high_corner(one), margin), plus(low_corner(two), d)):
        return False
    return not is_below(plus(high_corner(two), d), minus(low_corner(one), margin))


@inner
def link_between_trees(st: Stepping, cal: Calendar, a: int, b: int, d: Vector, slack: float) -> None:
    """Make new links of the discs of two trees that overlap, b's frame at d in a's."""
    stack = cal.node_pairs
    visits = 0
    top = -1
    if boxes_overlap(st, cal, a, b, d, slack):
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
            link_overlapping(st, i, j, minus(position(st, i), position(st, j)))
            continue
        a0, b0, a1, b1 = opened(one, two, a, b)
        if boxes_overlap(st, cal, a0, b0, d, slack):
            top += 1
            push_pair(stack[top], 0.0, a0, b0)
        if boxes_overlap(st, cal, a1, b1, d, slack):
            top += 1
            push_pair(stack[top], 0.0, a1, b1)
    st.sim[0].work += visits


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
    x = origin_at_end(st, cal, k)
    root = cal.nodes[k]
    low = minus(plus(x, low_corner(root)), margin)
    high = plus(plus(x, high_corner(root)), margin)
    for m in range(search_grid(st, cal, low, high)):
        e = cal.found[m]
        if e == k or (cal.entries[e].awake and e < k):
            continue
        d = minus(origin_at_end(st, cal, e), x)
        other = cal.nodes[e]
        first, last = box_images(
            sim.periodic, minus(low_corner(root), margin), plus(high_corner(root), margin),
            plus(d, low_corner(other)), plus(d, high_corner(other)), sides,
        )  # fmt: skip
        kz0, kz1 = third_range(first, last)
        for kx in range(first[0], last[0] + 1):
            for ky in range(first[1], last[1] + 1):
                for kz in range(kz0, kz1):
                    link_between_trees(st, cal, k, e, shifted(d, kx, ky, kz, sides), slack)
    if sim.fresh == len(st.fresh):
        sim.fresh = before
        return False
    return True
