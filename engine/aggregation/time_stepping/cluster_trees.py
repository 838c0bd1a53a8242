"""The box trees of the clusters (`geometry.box_tree`): the calendar looks ahead with them, a step finds overlaps."""

from __future__ import annotations

from engine.aggregation.time_stepping.arrays import Stepping
from engine.geometry.box_tree import insert_subtree, refit, store_leaf
from engine.geometry.tree_build import build_tree
from engine.kernels import inlined, inner

GROWTH = 2.0
"""A tree is built anew when its cluster has grown by this factor."""


@inner
def build(st: Stepping, c: int) -> None:
    """Build the tree of cluster c, which has one, anew."""
    n = len(st.label)
    build_tree(st.nodes, st.discs, st.ids[:n], st.ids[n : 2 * n], st.jobs, st.ids[2 * n :], c)
    entry = st.entries[c]
    entry.built = st.nodes[c].size
    entry.dirty = 0
    st.sim[0].work += 4 * entry.built


@inner
def make_tree(st: Stepping, c: int) -> None:
    """Give cluster c a tree, if it has none: first a chain of its discs, from which one is built."""
    if st.entries[c].built:
        return
    calendar = st.calendar[0]
    k = c
    i = c
    while st.ring[i] != c:
        pair = calendar.free_pair
        calendar.free_pair = pair + 2
        st.nodes[k].left = pair
        st.nodes[pair].left = ~i
        k = pair + 1
        i = st.ring[i]
    st.nodes[k].left = ~i
    build(st, c)


@inlined
def forget_boxes(st: Stepping, c: int) -> None:
    """Note that discs of cluster c have other places than its tree knows."""
    if st.calendar[0].ready:
        st.entries[c].dirty = 1


@inner
def join_trees(st: Stepping, c: int, d: int) -> None:
    """Insert the tree of cluster d, which is in the frame of c already, into that of c."""
    calendar = st.calendar[0]
    insert_subtree(st.nodes, st.ids, c, d, calendar.free_pair)
    calendar.free_pair += 2
    st.entries[c].dirty |= st.entries[d].dirty
    st.sim[0].work += 20


@inner
def renew_tree(st: Stepping, c: int) -> None:
    """Bring the tree of cluster c up to date: its boxes, and where it has grown a lot how it branches."""
    entry = st.entries[c]
    if entry.built == 0:
        make_tree(st, c)
    elif st.nodes[c].size > GROWTH * entry.built:
        build(st, c)
    elif entry.dirty:
        # from the root downwards, every node before its children; then back
        order = st.ids
        order[0] = c
        count = 1
        at = 0
        while at < count:
            left = st.nodes[order[at]].left
            at += 1
            if left >= 0:
                order[count] = left
                order[count + 1] = left + 1
                count += 2
        for at in range(count - 1, -1, -1):
            k = order[at]
            left = st.nodes[k].left
            if left < 0:
                store_leaf(st.nodes, st.discs, k, ~left)
            else:
                refit(st.nodes, k)
        entry.dirty = 0
        st.sim[0].work += count // 2
