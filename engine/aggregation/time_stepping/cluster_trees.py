"""The box trees of the clusters (`geometry.box_tree`): the calendar looks ahead with them, a step finds overlaps."""

from __future__ import annotations

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.geometry.box_tree import insert_subtree, refit, store_leaf
from engine.geometry.tree_build import build_tree
from engine.kernels import inner

GROWTH = 2.0
"""A tree is built anew when its cluster has grown by this factor."""
SMALL = 256
"""Of a tree of so many discs or fewer all boxes are found anew where discs have moved, of larger ones those of each."""


@inner
def build(st: Stepping, cal: Calendar, c: int) -> None:
    """Build the tree of cluster c, which has one, anew."""
    n = len(st.label)
    build_tree(cal.nodes, st.discs, cal.centres, cal.ids[:n], cal.ids[n : 2 * n], cal.jobs, cal.ids[2 * n :], c)
    entry = cal.entries[c]
    entry.built = cal.nodes[c].size
    entry.dirty = 0
    st.sim[0].work += 4 * entry.built


@inner
def make_tree(st: Stepping, cal: Calendar, c: int) -> None:
    """Give cluster c a tree, if it has none: first a chain of its discs, from which one is built."""
    if cal.entries[c].built:
        return
    control = cal.control[0]
    k = c
    i = c
    while st.ring[i] != c:
        pair = control.free_pair
        control.free_pair = pair + 2
        cal.nodes[k].left = pair
        cal.nodes[pair].left = ~i
        k = pair + 1
        i = st.ring[i]
    cal.nodes[k].left = ~i
    build(st, cal, c)


@inner
def join_trees(st: Stepping, cal: Calendar, c: int, d: int) -> None:
    """Insert the tree of cluster d, which is in the frame of c already, into that of c; both must be up to date."""
    control = cal.control[0]
    insert_subtree(cal.nodes, cal.ids, c, d, control.free_pair)
    control.free_pair += 2
    st.sim[0].work += 20
    if cal.nodes[c].size > GROWTH * cal.entries[c].built:
        build(st, cal, c)


@inner
def move_leaf(st: Stepping, cal: Calendar, c: int, i: int, x: float, y: float) -> None:
    """Bring the tree of cluster c up to date for disc i of it, which was at (x, y) in its frame until now."""
    entry = cal.entries[c]
    if entry.built == 0:
        return
    if cal.nodes[c].size <= SMALL or entry.dirty:
        entry.dirty = 1
        return
    # one way after the other down to a leaf whose box holds the disc where it was
    r = st.radius[i]
    ways = cal.ids
    path = cal.ids[2 * len(st.label) :]
    ways[0] = c
    ways[1] = 0
    top = 0
    while top >= 0:
        k = ways[2 * top]
        depth = ways[2 * top + 1]
        top -= 1
        st.sim[0].work += 1
        node = cal.nodes[k]
        if node.x_min > x - r or node.x_max < x + r or node.y_min > y - r or node.y_max < y + r:
            continue
        left = node.left
        if left >= 0:
            path[depth] = k
            for side in range(2):
                top += 1
                ways[2 * top] = left + side
                ways[2 * top + 1] = depth + 1
        elif left == ~i:
            store_leaf(cal.nodes, st.discs, k, i)
            for above in range(depth - 1, -1, -1):
                refit(cal.nodes, path[above])
            return
    entry.dirty = 1


@inner
def renew_tree(st: Stepping, cal: Calendar, c: int) -> None:
    """Give cluster c a tree if it has none, and let its boxes be those of its discs."""
    entry = cal.entries[c]
    if entry.built == 0:
        make_tree(st, cal, c)
    elif entry.dirty:
        # from the root downwards, every node before its children; then back
        order = cal.ids
        order[0] = c
        count = 1
        at = 0
        while at < count:
            left = cal.nodes[order[at]].left
            at += 1
            if left >= 0:
                order[count] = left
                order[count + 1] = left + 1
                count += 2
        for at in range(count - 1, -1, -1):
            k = order[at]
            left = cal.nodes[k].left
            if left < 0:
                store_leaf(cal.nodes, st.discs, k, ~left)
            else:
                refit(cal.nodes, k)
        entry.dirty = 0
        st.sim[0].work += count // 2
