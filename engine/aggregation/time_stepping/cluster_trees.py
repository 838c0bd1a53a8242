"""The box trees of the clusters (`geometry.box_tree`): the calendar looks ahead with them, a step finds overlaps."""

from __future__ import annotations

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.geometry.box_tree import insert_subtree, refit, store_leaf
from engine.geometry.tree_build import build_tree
from engine.kernels import inner

GROWTH = 2.0
"""A tree is built anew when its cluster has grown by this factor."""


@inner
def build(st: Stepping, cal: Calendar, c: int) -> None:
    """Build the tree of cluster c, which has one, anew."""
    n = len(st.label)
    build_tree(cal.nodes, st.discs, cal.ids[:n], cal.ids[n : 2 * n], cal.jobs, cal.ids[2 * n :], c)
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
    """Insert the tree of cluster d, which is in the frame of c already, into that of c."""
    control = cal.control[0]
    insert_subtree(cal.nodes, cal.ids, c, d, control.free_pair)
    control.free_pair += 2
    cal.entries[c].dirty |= cal.entries[d].dirty
    st.sim[0].work += 20


@inner
def renew_tree(st: Stepping, cal: Calendar, c: int) -> None:
    """Bring the tree of cluster c up to date: its boxes, and where it has grown a lot how it branches."""
    entry = cal.entries[c]
    if entry.built == 0:
        make_tree(st, cal, c)
    elif cal.nodes[c].size > GROWTH * entry.built:
        build(st, cal, c)
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
