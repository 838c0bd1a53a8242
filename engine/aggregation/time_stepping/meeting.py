"""Finding overlaps at the end of a sparse step with the box trees of the clusters.

Overlaps are decided by the positions in `pos` alone, as in a step over all discs.
"""

from __future__ import annotations

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.aggregation.time_stepping.cluster_grid import search_grid
from engine.aggregation.time_stepping.flight import bring, link_overlapping, to_nearest_image
from engine.geometry.minimum_image import images
from engine.geometry.tree_impact import opened, push_pair
from engine.kernels import inlined, inner

SLACK = 1e-9
"""Enlargement of boxes for the rounding of positions, as a share of the box."""


@inlined
def vector_between(st: Stepping, i: int, j: int) -> tuple[float, float]:
    """X_i - X_j at the end of the current step, to the nearest image."""
    pos = st.pos
    return to_nearest_image(st, pos[i, 0] - pos[j, 0], pos[i, 1] - pos[j, 1])


@inlined
def note_overlapping(st: Stepping, i: int, j: int, count: int) -> int:
    """Add disc j to `touched` if disc i overlaps it; returns the new number.

    The `count` discs are sorted and unique, so that the results do not depend on how they are found.
    """
    if j == i:
        return count
    sigma = st.radius[i] + st.radius[j]
    dx, dy = vector_between(st, i, j)
    if sigma * sigma - dx * dx - dy * dy <= 0.0:
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
def origin_at_end(st: Stepping, cal: Calendar, k: int) -> tuple[float, float]:
    """Origin of the frame of the cluster of row k at the end of the current step, walls included."""
    entry = cal.entries[k]
    cluster = st.clusters[entry.cluster]
    dt = st.sim[0].time + st.sim[0].dt - cluster.time
    return cluster.x + cluster.vx * dt + entry.shift_x, cluster.y + cluster.vy * dt + entry.shift_y


@inner
def touched_in_tree(
    st: Stepping, cal: Calendar, i: int, root: int, x: float, y: float, reach: float, count: int
) -> int:
    """Add the discs of a tree that disc i overlaps to `touched`; (x, y) is its position in the frame of the tree."""
    stack = cal.ids
    stack[0] = root
    top = 0
    visits = 0
    while top >= 0:
        node = cal.nodes[stack[top]]
        top -= 1
        visits += 1
        if node.x_min > x + reach or node.x_max < x - reach or node.y_min > y + reach or node.y_max < y - reach:
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
    reach = st.radius[i] + sim.drift + SLACK * (sim.box_x + sim.box_y)
    x = st.pos[i, 0]
    y = st.pos[i, 1]
    count = 0
    for m in range(search_grid(st, cal, (x - reach, y - reach), (x + reach, y + reach))):
        e = cal.found[m]
        ox, oy = origin_at_end(st, cal, e)
        root = cal.nodes[e]
        at_x = x - ox
        at_y = y - oy
        kx0, kx1 = images(sim.periodic, root.x_min, root.x_max, at_x - reach, at_x + reach, sim.box_x)
        ky0, ky1 = images(sim.periodic, root.y_min, root.y_max, at_y - reach, at_y + reach, sim.box_y)
        for kx in range(kx0, kx1 + 1):
            for ky in range(ky0, ky1 + 1):
                count = touched_in_tree(st, cal, i, e, at_x + kx * sim.box_x, at_y + ky * sim.box_y, reach, count)
    return count


@inlined
def boxes_overlap(st: Stepping, cal: Calendar, a: int, b: int, dx: float, dy: float, slack: float) -> bool:
    """Whether the boxes of nodes a and b overlap, b's frame at (dx, dy) in a's."""
    one = cal.nodes[a]
    two = cal.nodes[b]
    across = two.x_min + dx <= one.x_max + slack and two.x_max + dx >= one.x_min - slack
    return bool(across and two.y_min + dy <= one.y_max + slack and two.y_max + dy >= one.y_min - slack)


@inner
def link_between_trees(st: Stepping, cal: Calendar, a: int, b: int, dx: float, dy: float, slack: float) -> None:
    """Make new links of the discs of two trees that overlap, b's frame at (dx, dy) in a's."""
    stack = cal.node_pairs
    visits = 0
    top = -1
    if boxes_overlap(st, cal, a, b, dx, dy, slack):
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
            link_overlapping(st, i, j, st.pos[i, 0] - st.pos[j, 0], st.pos[i, 1] - st.pos[j, 1])
            continue
        a0, b0, a1, b1 = opened(one, two, a, b)
        if boxes_overlap(st, cal, a0, b0, dx, dy, slack):
            top += 1
            push_pair(stack[top], 0.0, a0, b0)
        if boxes_overlap(st, cal, a1, b1, dx, dy, slack):
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
    slack = SLACK * (sim.box_x + sim.box_y)
    x, y = origin_at_end(st, cal, k)
    root = cal.nodes[k]
    low = x + root.x_min - slack, y + root.y_min - slack
    high = x + root.x_max + slack, y + root.y_max + slack
    for m in range(search_grid(st, cal, low, high)):
        e = cal.found[m]
        if e == k or (cal.entries[e].awake and e < k):
            continue
        ox, oy = origin_at_end(st, cal, e)
        dx = ox - x
        dy = oy - y
        other = cal.nodes[e]
        kx0, kx1 = images(
            sim.periodic, root.x_min - slack, root.x_max + slack, dx + other.x_min, dx + other.x_max, sim.box_x
        )
        ky0, ky1 = images(
            sim.periodic, root.y_min - slack, root.y_max + slack, dy + other.y_min, dy + other.y_max, sim.box_y
        )
        for kx in range(kx0, kx1 + 1):
            for ky in range(ky0, ky1 + 1):
                link_between_trees(st, cal, k, e, dx + kx * sim.box_x, dy + ky * sim.box_y, slack)
    if sim.fresh == len(st.fresh):
        sim.fresh = before
        return False
    return True
