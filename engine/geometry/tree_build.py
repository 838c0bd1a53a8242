"""Rebuilding a box tree, which is done from time to time because insertions alone degrade trees.

First the discs of a tree are listed as small records that are read sequentially. The list is divided in two
recursively, and the parts soon fit in the cache. Boxes are computed last, from the leaves upwards.

In a large tree into which others have been inserted, small subtrees are unchanged. They are kept and listed instead of
their discs, so that only the part of the tree above them is built: a tree of half a million discs takes some hundredths
of a second.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.box_tree import AHEAD, list_pair, prefetch_pair, refit, store_leaf
from engine.geometry.vectors import (
    component,
    greatest,
    high_corner,
    least,
    longest_axis,
    low_corner,
    minus,
    place,
    plus,
    put_place,
    times,
)
from engine.kernels import inlined, inner
from engine.records import Record, Records, in_space, record

PART = record("f4 x y", "i4 left")
SPACE_PART = in_space(PART)
"""A disc, or a kept subtree, of a tree that is being built, in the plane and in space.

x, y, z : its centre in the frame of the cluster (length); left : as in `box_tree.NODE`.
"""

JOB = record("i4 node begin end")
"""A part of a tree still to be built: its root, and its begin and end in the list of parts."""

LARGE = 4096
"""In trees of more discs than this, subtrees of up to KEPT discs are kept."""
KEPT = 32

_FEW = 256  # number of pairs of nodes above which radix sort is faster


@inlined
def coordinate(part: Record, axis: int) -> float:
    """The coordinate of a part along an axis."""
    return component(place(part), axis)


@inlined
def copy_part(to: Record, of: Record) -> None:
    """Copy an entry of a list of parts."""
    put_place(to, place(of))
    to.left = of.left


@inlined
def swap_parts(a: Record, b: Record) -> None:
    """Exchange two entries of a list of parts."""
    x = place(a)
    put_place(a, place(b))
    put_place(b, x)
    a.left, b.left = b.left, a.left


@inlined
def partition(parts: Records, aside: int, lo: int, hi: int, axis: int, cut: float) -> int:
    """Partition parts[lo:hi] so that those below `cut` come first; returns where the others begin.

    The side of a part is unpredictable, so there is no branch on it: each is written to both sides, and one of the two
    is kept. The others are stored behind parts[aside]. parts : (n,) of PART.
    """
    below = lo
    above = aside
    for m in range(lo, hi):
        part = parts[m]
        is_below = 1 if coordinate(part, axis) < cut else 0
        copy_part(parts[above], part)
        copy_part(parts[below], part)
        below += is_below
        above += 1 - is_below
    for k in range(above - aside):
        copy_part(parts[below + k], parts[aside + k])
    return below


@inlined
def select_median(parts: Records, lo: int, hi: int, axis: int) -> int:
    """Order parts[lo:hi] about its middle (Hoare's selection); returns the middle. parts : (n,) of PART."""
    mid = (lo + hi) >> 1
    a = lo
    b = hi - 1
    while a < b:
        pivot = coordinate(parts[(a + b) >> 1], axis)
        i = a
        j = b
        while i <= j:
            while coordinate(parts[i], axis) < pivot:
                i += 1
            while coordinate(parts[j], axis) > pivot:
                j -= 1
            if i <= j:
                swap_parts(parts[i], parts[j])
                i += 1
                j -= 1
        if mid <= j:
            b = j
        elif mid >= i:
            a = i
        else:
            break
    return mid


@inner
def sort_numbers(numbers: NDArray[np.int32], other: NDArray[np.int32], count: int) -> None:
    """Sort the first `count` numbers, >= 0. numbers, other : (n,), `other` is scratch."""
    if count <= _FEW:
        numbers[:count].sort()
        return
    begins = np.empty(256, np.int64)
    # from the lowest digit to the highest; after an even number of digits the result is in the original array
    for shift in range(0, 32, 8):
        begins[:] = 0
        for m in range(count):
            begins[(numbers[m] >> shift) & 255] += 1
        place = 0
        for digit in range(256):
            how_many = begins[digit]
            begins[digit] = place
            place += how_many
        for m in range(count):
            digit = (numbers[m] >> shift) & 255
            other[begins[digit]] = numbers[m]
            begins[digit] += 1
        numbers, other = other, numbers


@inlined
def list_disc(parts: Records, discs: Records, count: int, i: int) -> None:
    """Make disc `i` the part number `count` of the list. parts : (n,) of PART; discs : (N,) of DISC."""
    part = parts[count]
    put_place(part, place(discs[i]))
    part.left = ~i


@inlined
def list_node(
    nodes: Records, discs: Records, parts: Records, pairs: NDArray[np.int32], k: int, kept: int, count: int, free: int
) -> tuple[int, int]:
    """Append node `k` to the list of parts, or its pair of children to the list of pairs if it has more than `kept`
    discs; returns the new numbers of parts and pairs.

    nodes : (K,) of NODE; discs : (N,) of DISC; parts : (n,) of PART, `count` in use; pairs : (m,), `free` in use.
    """
    node = nodes[k]
    if node.size > kept:
        return count, list_pair(nodes, pairs, free, node.left)
    if node.left < 0:
        list_disc(parts, discs, count, ~node.left)
    else:
        part = parts[count]
        put_place(part, times(0.5, plus(low_corner(node), high_corner(node))))
        part.left = node.left
    return count + 1, free


@inlined
def push_job(job: Record, node: int, begin: int, end: int) -> None:
    """Note a part of a tree that is still to be built."""
    job.node = node
    job.begin = begin
    job.end = end


@inlined
def cut_job(
    nodes: Records,
    discs: Records,
    parts: Records,
    inner_nodes: NDArray[np.int32],
    pairs: NDArray[np.int32],
    jobs: Records,
    aside: int,
    top: int,
    used: int,
) -> tuple[int, int]:
    """Divide the list of jobs[top] in two, or finish its node if it has one part.

    The extent of the centres is cut in the middle of its longer side, or at the median if that would leave no more than
    an eighth on one side, so the depth stays below 6 log2 n. The node gets the next unused pair for its children,
    pairs[used], whose jobs replace its own, and is added to `inner_nodes`. Behind parts[aside] is scratch.

    nodes : (K,) of NODE; discs : (N,) of DISC; parts : (n,) of PART; inner_nodes, pairs : (m,); jobs : (k,) of JOB.
        Returns the place of the last job, -1 for none, and how many pairs are used.
    """
    job = jobs[top]
    k = job.node
    begin = job.begin
    end = job.end
    if end - begin == 1:
        left = parts[begin].left
        if left < 0:
            store_leaf(nodes, discs, k, ~left)
        else:
            nodes[k].left = left
            refit(nodes, k)
        return top - 1, used
    low = high = place(parts[begin])
    for m in range(begin + 1, end):
        low, high = least(low, place(parts[m])), greatest(high, place(parts[m]))
    axis = longest_axis(minus(high, low))
    cut = 0.5 * (component(low, axis) + component(high, axis))
    mid = partition(parts, aside, begin, end, axis, cut)
    fewest = (end - begin) >> 3
    if mid - begin <= fewest or end - mid <= fewest:
        mid = select_median(parts, begin, end, axis)
    pair = pairs[used]
    inner_nodes[used] = k
    nodes[k].left = pair
    push_job(jobs[top], pair + 1, mid, end)
    push_job(jobs[top + 1], pair, begin, mid)
    return top + 1, used + 1


@inlined
def refit_all(nodes: Records, inner_nodes: NDArray[np.int32], used: int) -> None:
    """Find the boxes of the inner nodes of a tree whose list has been cut to the end.

    nodes : (K,) of NODE; inner_nodes : (m,), of which the first `used` are taken, parents before children.
    """
    for m in range(used - 1, -1, -1):
        # children come after their parents in this list
        refit(nodes, inner_nodes[m])


@inner
def build_tree(
    nodes: Records,
    discs: Records,
    parts: Records,
    inner_nodes: NDArray[np.int32],
    pairs: NDArray[np.int32],
    jobs: Records,
    other: NDArray[np.int32],
    root: int,
) -> int:
    """Build the tree at `root` again from its own discs and pairs of nodes; returns of how many parts.

    Scratch: parts (2 N,) of PART, inner_nodes, pairs, other (N,), jobs (N,) of JOB.
    """
    kept = KEPT if nodes[root].size > LARGE else 1
    count, free = list_node(nodes, discs, parts, pairs, root, kept, 0, 0)
    at = 0
    while at < free:
        # level by level, so that many loads from memory overlap
        left = pairs[at]
        at += 1
        prefetch_pair(nodes, discs, pairs, at + AHEAD, free)
        count, free = list_node(nodes, discs, parts, pairs, left, kept, count, free)
        count, free = list_node(nodes, discs, parts, pairs, left + 1, kept, count, free)
    sort_numbers(pairs, other, free)
    push_job(jobs[0], root, 0, count)
    top = used = 0
    while top >= 0:
        top, used = cut_job(nodes, discs, parts, inner_nodes, pairs, jobs, count, top, used)
    refit_all(nodes, inner_nodes, used)
    return count
