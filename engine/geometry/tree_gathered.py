"""Building a box tree anew at once, for trees that are spread over memory.

It makes the tree of `tree_build.build_tree`, whose boxes of nodes are wider by a few roundings, and cannot be done in
parts. The discs are gathered first, and cut up as a list of small records that is read from one end to the other; what
is left of it at each cut is soon short enough to stay in the cache.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.box_tree import AHEAD, list_pair, prefetch_pair, refit, store_leaf
from engine.geometry.tree_build import coordinate, is_uneven, middle_of_longer_side, push_job
from engine.kernels import inlined, inner
from engine.records import Record, Records, record

CENTRE = record("f4 x y", "i4 disc")
"""A disc of a tree that is being built: its centre in the frame of its cluster (length), and its number."""

_FEW = 256  # pairs of nodes; more are sorted by their digits, which is faster then


@inlined
def copy_centre(to: Record, of: Record) -> None:
    """Copy one entry of a list of discs."""
    to.x = of.x
    to.y = of.y
    to.disc = of.disc


@inlined
def partition(centres: Records, aside: int, lo: int, hi: int, axis: int, cut: float) -> int:
    """Order centres[lo:hi] so that discs below `cut` come first; returns where the others begin.

    Which side a disc belongs to cannot be foreseen, so there is no branch on it: each is written to both sides, and one
    of the two places is taken. The others wait behind centres[aside].
    """
    below = lo
    above = aside
    for m in range(lo, hi):
        centre = centres[m]
        is_below = 1 if coordinate(centre, axis) < cut else 0
        copy_centre(centres[above], centre)
        copy_centre(centres[below], centre)
        below += is_below
        above += 1 - is_below
    for k in range(above - aside):
        copy_centre(centres[below + k], centres[aside + k])
    return below


@inlined
def swap_centres(a: Record, b: Record) -> None:
    """Exchange two entries of a list of discs."""
    a.x, b.x = b.x, a.x
    a.y, b.y = b.y, a.y
    a.disc, b.disc = b.disc, a.disc


@inlined
def select_median(centres: Records, lo: int, hi: int, axis: int) -> int:
    """Order centres[lo:hi] about its middle (Hoare's selection); returns the middle."""
    mid = (lo + hi) >> 1
    a = lo
    b = hi - 1
    while a < b:
        pivot = coordinate(centres[(a + b) >> 1], axis)
        i = a
        j = b
        while i <= j:
            while coordinate(centres[i], axis) < pivot:
                i += 1
            while coordinate(centres[j], axis) > pivot:
                j -= 1
            if i <= j:
                swap_centres(centres[i], centres[j])
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
    """Sort the first `count` numbers, >= 0. Scratch: other, as long."""
    if count <= _FEW:
        numbers[:count].sort()
        return
    begins = np.empty(256, np.int64)
    # from the lowest digit to the highest; after an even number of digits the result is where it began
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
def gather_node(
    nodes: Records, discs: Records, centres: Records, pairs: NDArray[np.int32], k: int, count: int, free: int
) -> tuple[int, int]:
    """Append the disc or the pair of node `k` to the lists; returns how many discs and pairs there are then."""
    left = nodes[k].left
    if left >= 0:
        return count, list_pair(nodes, pairs, free, left)
    centre = centres[count]
    centre.x = discs[~left].x
    centre.y = discs[~left].y
    centre.disc = ~left
    return count + 1, free


@inner
def build_gathered_tree(
    nodes: Records,
    discs: Records,
    centres: Records,
    inner_nodes: NDArray[np.int32],
    pairs: NDArray[np.int32],
    jobs: Records,
    other: NDArray[np.int32],
    root: int,
) -> None:
    """Build the tree at `root` anew from its own discs and pairs of nodes.

    Boxes are cut in the middle of their longer side, or at the median disc where that would leave less than an
    eighth on one side: the depth stays below 6 log2 n. Scratch: centres (2 N,) of CENTRE, inner_nodes, pairs, other
    (N,), jobs (N,) of JOB.
    """
    count, free = gather_node(nodes, discs, centres, pairs, root, 0, 0)
    at = 0
    while at < free:
        # level by level, so that many loads from memory are under way at once
        left = pairs[at]
        at += 1
        prefetch_pair(nodes, discs, pairs, at + AHEAD, free)
        count, free = gather_node(nodes, discs, centres, pairs, left, count, free)
        count, free = gather_node(nodes, discs, centres, pairs, left + 1, count, free)
    sort_numbers(pairs, other, free)
    used = 0
    top = 0
    push_job(jobs[0], root, 0, count)
    while top >= 0:
        job = jobs[top]
        k = job.node
        begin = job.begin
        end = job.end
        top -= 1
        if end - begin == 1:
            store_leaf(nodes, discs, k, centres[begin].disc)
            continue
        x_min = y_min = np.float32(np.inf)
        x_max = y_max = np.float32(-np.inf)
        for m in range(begin, end):
            centre = centres[m]
            x_min, x_max = min(x_min, centre.x), max(x_max, centre.x)
            y_min, y_max = min(y_min, centre.y), max(y_max, centre.y)
        axis, cut = middle_of_longer_side(x_min, y_min, x_max, y_max)
        mid = partition(centres, count, begin, end, axis, cut)
        if is_uneven(begin, mid, end):
            mid = select_median(centres, begin, end, axis)
        pair = pairs[used]
        inner_nodes[used] = k
        used += 1
        nodes[k].left = pair
        push_job(jobs[top + 1], pair + 1, mid, end)
        push_job(jobs[top + 2], pair, begin, mid)
        top += 2
    for m in range(used - 1, -1, -1):
        # children come later in this list than their parents
        refit(nodes, inner_nodes[m])
