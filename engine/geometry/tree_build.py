"""Building a box tree anew, which is done from time to time: insertions alone make trees worse than need be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.box_tree import store_box, store_leaf
from engine.kernels import inlined, inner
from engine.records import Record, Records, record

JOB = record("i4 node begin end")
"""A part of a tree still to be built: its root, and where its discs begin and end in the list of discs."""


Number = float | np.float32


@inlined
def coordinate(centre: Record, axis: int) -> float:
    """x of a disc or of another record with a centre, or y where `axis` is 1."""
    return float(centre.x if axis == 0 else centre.y)


@inlined
def middle_of_longer_side(x_min: Number, y_min: Number, x_max: Number, y_max: Number) -> tuple[int, float]:
    """Where a box is to be cut in two: the axis of its longer side, 0 for x and 1 for y, and the middle of that."""
    if y_max - y_min > x_max - x_min:
        return 1, 0.5 * (float(y_min) + float(y_max))
    return 0, 0.5 * (float(x_min) + float(x_max))


@inlined
def is_uneven(begin: int, mid: int, end: int) -> bool:
    """Whether a cut at `mid` leaves no more than an eighth of begin..end on one side."""
    least = (end - begin) >> 3
    return mid - begin <= least or end - mid <= least


@inlined
def partition(discs: Records, ids: NDArray[np.int32], lo: int, hi: int, axis: int, cut: float) -> int:
    """Order ids[lo:hi] so that discs with centre below `cut` come first; returns where the others begin."""
    i = lo
    j = hi - 1
    while True:
        while i <= j and coordinate(discs[ids[i]], axis) < cut:
            i += 1
        while i <= j and coordinate(discs[ids[j]], axis) >= cut:
            j -= 1
        if i >= j:
            return i
        ids[i], ids[j] = ids[j], ids[i]


@inlined
def select_median(discs: Records, ids: NDArray[np.int32], lo: int, hi: int, axis: int) -> int:
    """Order ids[lo:hi] about its middle by centre (Hoare's selection); returns the middle."""
    mid = (lo + hi) >> 1
    a = lo
    b = hi - 1
    while a < b:
        pivot = coordinate(discs[ids[(a + b) >> 1]], axis)
        i = a
        j = b
        while i <= j:
            while coordinate(discs[ids[i]], axis) < pivot:
                i += 1
            while coordinate(discs[ids[j]], axis) > pivot:
                j -= 1
            if i <= j:
                ids[i], ids[j] = ids[j], ids[i]
                i += 1
                j -= 1
        if mid <= j:
            b = j
        elif mid >= i:
            a = i
        else:
            break
    return mid


@inlined
def push_job(job: Record, node: int, begin: int, end: int) -> None:
    """Note a part of a tree that is still to be built."""
    job.node = node
    job.begin = begin
    job.end = end


@inlined
def cut_in_two(
    discs: Records,
    ids: NDArray[np.int32],
    begin: int,
    end: int,
    x_min: float,
    y_min: float,
    x_max: float,
    y_max: float,
) -> int:
    """Order ids[begin:end] in two parts, and return where the second begins.

    The extent of the centres is cut in the middle of its longer side, or at the median where that would leave less than
    an eighth on one side.
    """
    axis, cut = middle_of_longer_side(x_min, y_min, x_max, y_max)
    mid = partition(discs, ids, begin, end, axis, cut)
    if is_uneven(begin, mid, end):
        mid = select_median(discs, ids, begin, end, axis)
    return int(mid)


@inlined
def build_node(nodes: Records, discs: Records, ids: NDArray[np.int32], jobs: Records, top: int, pair: int) -> int:
    """Build the node of jobs[top], with `pair` for its children, whose jobs are put in its place.

    Returns the place of the last job then: `top` - 1 where the node is a leaf, which needs no pair, else `top` + 1.
    """
    job = jobs[top]
    k = job.node
    begin = job.begin
    end = job.end
    if end - begin == 1:
        store_leaf(nodes, discs, k, ids[begin])
        return top - 1
    x_min = y_min = cx_min = cy_min = np.inf
    x_max = y_max = cx_max = cy_max = -np.inf
    for m in range(begin, end):
        disc = discs[ids[m]]
        x, y, r = disc.x, disc.y, disc.radius
        x_min, x_max = min(x_min, x - r), max(x_max, x + r)
        y_min, y_max = min(y_min, y - r), max(y_max, y + r)
        cx_min, cx_max = min(cx_min, x), max(cx_max, x)
        cy_min, cy_max = min(cy_min, y), max(cy_max, y)
    mid = cut_in_two(discs, ids, begin, end, cx_min, cy_min, cx_max, cy_max)
    node = nodes[k]
    store_box(node, x_min, y_min, x_max, y_max, 1e-7 * (x_max - x_min + y_max - y_min))
    node.left = pair
    node.size = end - begin
    push_job(jobs[top], pair + 1, mid, end)
    push_job(jobs[top + 1], pair, begin, mid)
    return top + 1


@inner
def build_tree(
    nodes: Records,
    discs: Records,
    ids: NDArray[np.int32],
    pairs: NDArray[np.int32],
    jobs: Records,
    stack: NDArray[np.int32],
    root: int,
) -> None:
    """Build the tree at `root` anew from its own discs and pairs of nodes.

    Boxes are cut in the middle of their longer side, or at the median disc where that would leave less than an
    eighth on one side: the depth stays below 6 log2 n. Scratch: ids, pairs (N,), jobs (N,) of JOB, stack (N,).
    """
    count = 0
    free = 0
    top = 0
    stack[0] = root
    while top >= 0:
        left = nodes[stack[top]].left
        top -= 1
        if left < 0:
            ids[count] = ~left
            count += 1
        else:
            pairs[free] = left
            free += 1
            stack[top + 1] = left
            stack[top + 2] = left + 1
            top += 2
    pairs[:free].sort()
    used = 0
    top = 0
    push_job(jobs[0], root, 0, count)
    while top >= 0:
        longer = build_node(nodes, discs, ids, jobs, top, pairs[used])
        used += longer > top
        top = longer
