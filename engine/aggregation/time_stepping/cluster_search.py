"""How clusters are found: box trees over the discs of each, and the grid in which each is entered.

The box trees (`geometry.box_tree`) are used by the calendar to look ahead and by steps to find overlaps. The first tree
of a cluster is built in slices, and later only the upper part of a large one (`geometry.tree_build`), so that a window
never has to wait.

In the grid each cluster is entered with the box that it sweeps. Every search finds the big clusters too
(`geometry.bucket_grid`).
"""

from __future__ import annotations

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.geometry.box_tree import insert_subtree, refit, store_leaf
from engine.geometry.bucket_grid import (
    add_big,
    cell_range,
    cells_taken,
    choose_cells,
    collect_cells,
    fill_cells,
    leave_cells,
    new_stamp,
    remove_big,
)
from engine.geometry.tree_build import build_tree, cut_job, list_disc, push_job, refit_all
from engine.geometry.vectors import Vector, every, high_corner, is_below, low_corner, minus, plus, product
from engine.kernels import inlined, inner
from engine.slices import NO_LIMIT

GROWTH = 2.0
"""A tree is rebuilt when its cluster has grown by this factor."""
SMALL = 256
"""In trees of at most this many discs all boxes are recomputed after discs have moved, in larger ones only those of
moved discs."""


@inner
def rebuild(st: Stepping, cal: Calendar, k: int) -> None:
    """Build the tree of row k, whose boxes are up to date, again."""
    n = len(st.label)
    entry = cal.entries[k]
    entry.built = cal.nodes[k].size
    inner_nodes, pairs, other = cal.ids[:n], cal.ids[n : 2 * n], cal.ids[2 * n :]
    parts = build_tree(cal.nodes, st.discs, cal.parts, inner_nodes, pairs, cal.jobs, other, k)
    st.sim[0].work += entry.built // 8 + 4 * parts


@inner
def begin_tree(cal: Calendar, k: int) -> None:
    """Start building the first tree of row k, see `go_on_with_tree`."""
    control = cal.control[0]
    control.building = 1
    control.tree = k
    control.next_disc = cal.entries[k].cluster
    control.tree_discs = control.tree_pairs = 0
    control.tree_jobs = -1


@inner
def go_on_with_tree(st: Stepping, cal: Calendar, last_work: int) -> bool:
    """Continue building the tree for a limited amount of work. False if it is not finished.

    Nothing else may use the scratch of trees meanwhile. The pairs of its nodes are consecutive; they count as used only
    when it is finished, so a tree can be abandoned.
    """
    control = cal.control[0]
    sim = st.sim[0]
    n = len(st.label)
    k = control.tree
    c = cal.entries[k].cluster
    inner_nodes, pairs = cal.ids[:n], cal.ids[n : 2 * n]
    if control.tree_jobs < 0:  # its discs are still being listed
        i = control.next_disc
        while True:
            list_disc(cal.parts, st.discs, control.tree_discs, i)
            pairs[control.tree_discs] = control.free_pair + 2 * control.tree_discs
            control.tree_discs += 1
            sim.work += 1
            i = st.ring[i]
            if i == c:
                break
            if sim.work >= last_work:
                control.next_disc = i
                return False
        push_job(cal.jobs[0], k, 0, control.tree_discs)
        control.tree_jobs = 1
    while control.tree_jobs > 0:
        if sim.work >= last_work:
            return False
        job = cal.jobs[control.tree_jobs - 1]
        sim.work += (job.end - job.begin) // 4
        top, control.tree_pairs = cut_job(
            cal.nodes, st.discs, cal.parts, inner_nodes, pairs, cal.jobs,
            control.tree_discs, control.tree_jobs - 1, control.tree_pairs,
        )  # fmt: skip
        control.tree_jobs = top + 1
    refit_all(cal.nodes, inner_nodes, control.tree_pairs)
    sim.work += control.tree_pairs // 2
    control.free_pair += 2 * control.tree_pairs
    control.building = 0
    cal.entries[k].built = control.tree_discs
    cal.entries[k].dirty = 0
    return True


@inner
def join_trees(st: Stepping, cal: Calendar, k: int, m: int) -> None:
    """Insert the tree of row m, which is in the frame of that of row k already, into that; both must be up to date."""
    control = cal.control[0]
    insert_subtree(cal.nodes, cal.ids, k, m, control.free_pair)
    control.free_pair += 2
    st.sim[0].work += 20
    if cal.nodes[k].size > GROWTH * cal.entries[k].built:
        rebuild(st, cal, k)


@inner
def move_leaf(st: Stepping, cal: Calendar, c: int, i: int, x: Vector) -> None:
    """Update the tree of cluster c for its disc i, which was at x in its frame before."""
    root = cal.row[c]
    entry = cal.entries[root]
    if entry.built == 0:
        return
    if cal.nodes[root].size <= SMALL or entry.dirty:
        entry.dirty = 1
        return
    # one path after the other down to a leaf whose box contains the old position of the disc
    r = every(st.radius[i], x)
    ways = cal.ids
    path = cal.ids[2 * len(st.label) :]
    ways[0] = root
    ways[1] = 0
    top = 0
    while top >= 0:
        k = ways[2 * top]
        depth = ways[2 * top + 1]
        top -= 1
        st.sim[0].work += 1
        node = cal.nodes[k]
        if is_below(minus(x, r), low_corner(node)) or is_below(high_corner(node), plus(x, r)):
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
def renew_tree(st: Stepping, cal: Calendar, row: int) -> None:
    """Build the tree of the cluster of a row if it has none, and update its boxes."""
    entry = cal.entries[row]
    if entry.built == 0:
        begin_tree(cal, row)
        go_on_with_tree(st, cal, NO_LIMIT)
    elif entry.dirty:
        # from the root downwards, every node before its children; then back
        order = cal.ids
        order[0] = row
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


BIG_CELLS, SPACE_BIG_CELLS = 32, 96
"""A cluster that covers more cells than this, in the plane and in space, is big."""


@inlined
def most_cells(like: Vector) -> int:
    """The most cells that a small cluster covers; the number of components of `like` says in which dimension."""
    return SPACE_BIG_CELLS if len(like) > 2 else BIG_CELLS


@inner
def leave_grid(cal: Calendar, k: int) -> None:
    """Remove the cluster of row k from its cells, or from the list of big ones."""
    grid = cal.control[0]
    remove_big(cal.bigs, grid, cal.entries, k)
    leave_cells(cal.buckets, grid, cal.entries[k], k)


@inner
def enter_grid(st: Stepping, cal: Calendar, k: int, low: Vector, high: Vector) -> None:
    """Enter the cluster of row k in the cells that a box covers, or in the list of big ones if there are too many
    cells."""
    leave_grid(cal, k)
    entry = cal.entries[k]
    grid = cal.control[0]
    if not choose_cells(grid, entry, most_cells(low), low, high):
        add_big(cal.bigs, grid, entry, k)
        return
    fill_cells(cal.buckets, cal.bucket_top, grid, entry, k)
    st.sim[0].work += product(cells_taken(entry))


@inner
def search_grid(st: Stepping, cal: Calendar, low: Vector, high: Vector) -> int:
    """Collect in `found` the rows of clusters that may be in a box, big ones included; returns how many there are."""
    grid = cal.control[0]
    first, taken = cell_range(grid, low, high)
    number = new_stamp(grid, cal.stamp)
    count = collect_cells(cal.buckets, grid, cal.stamp, cal.found, number, first, taken)
    for m in range(grid.bigs):
        cal.found[count] = cal.bigs[m]
        count += 1
    st.sim[0].work += 2 * count + product(taken)
    return count
