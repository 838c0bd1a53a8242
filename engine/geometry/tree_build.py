"""A box tree built anew: what hanging one tree into another cannot do well is mended here from time to time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.box_tree import CHILD, SIZE, store_box, store_leaf
from engine.kernels import inlined, inner


@inlined
def partition(disc: NDArray[np.float64], ids: NDArray[np.int32], lo: int, hi: int, axis: int, cut: float) -> int:
    """Order ids[lo:hi] so that discs with centre below `cut` come first; returns where the others begin."""
    i = lo
    j = hi - 1
    while True:
        while i <= j and disc[ids[i], axis] < cut:
            i += 1
        while i <= j and disc[ids[j], axis] >= cut:
            j -= 1
        if i >= j:
            return i
        ids[i], ids[j] = ids[j], ids[i]


@inlined
def select_median(disc: NDArray[np.float64], ids: NDArray[np.int32], lo: int, hi: int, axis: int) -> int:
    """Order ids[lo:hi] about its middle by centre (Hoare's selection); returns the middle."""
    mid = (lo + hi) >> 1
    a = lo
    b = hi - 1
    while a < b:
        pivot = disc[ids[(a + b) >> 1], axis]
        i = a
        j = b
        while i <= j:
            while disc[ids[i], axis] < pivot:
                i += 1
            while disc[ids[j], axis] > pivot:
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


@inner
def build_tree(
    nf: NDArray[np.float32],
    ni: NDArray[np.int32],
    disc: NDArray[np.float64],
    ids: NDArray[np.int32],
    pairs: NDArray[np.int32],
    jobs: NDArray[np.int32],
    stack: NDArray[np.int32],
    root: int,
) -> None:
    """Build the tree at `root` anew from its own discs and pairs of nodes.

    Boxes are cut in the middle of their longer side, or at the median disc where that would leave less than an
    eighth on one side: the depth stays below 6 log2 n. Scratch: ids, pairs (N,), jobs (N, 3), stack (N,).
    """
    count = 0
    free = 0
    top = 0
    stack[0] = root
    while top >= 0:
        k = stack[top]
        top -= 1
        child = ni[k, CHILD]
        if child < 0:
            ids[count] = ~child
            count += 1
        else:
            pairs[free] = child
            free += 1
            stack[top + 1] = child
            stack[top + 2] = child + 1
            top += 2
    pairs[:free].sort()
    used = 0
    top = 0
    jobs[0, 0] = root
    jobs[0, 1] = 0
    jobs[0, 2] = count
    while top >= 0:
        k = jobs[top, 0]
        lo = jobs[top, 1]
        hi = jobs[top, 2]
        top -= 1
        if hi - lo == 1:
            store_leaf(nf, ni, disc, k, ids[lo])
            continue
        x0 = y0 = cx0 = cy0 = np.inf
        x1 = y1 = cx1 = cy1 = -np.inf
        for m in range(lo, hi):
            x, y, r = disc[ids[m], 0], disc[ids[m], 1], disc[ids[m], 2]
            x0, x1 = min(x0, x - r), max(x1, x + r)
            y0, y1 = min(y0, y - r), max(y1, y + r)
            cx0, cx1 = min(cx0, x), max(cx1, x)
            cy0, cy1 = min(cy0, y), max(cy1, y)
        axis = 0
        cut = 0.5 * (cx0 + cx1)
        if cy1 - cy0 > cx1 - cx0:
            axis = 1
            cut = 0.5 * (cy0 + cy1)
        mid = partition(disc, ids, lo, hi, axis, cut)
        least = (hi - lo) >> 3
        if mid - lo <= least or hi - mid <= least:
            mid = select_median(disc, ids, lo, hi, axis)
        pair = pairs[used]
        used += 1
        store_box(nf, k, x0, y0, x1, y1, 1e-7 * (x1 - x0 + y1 - y0))
        ni[k, CHILD] = pair
        ni[k, SIZE] = hi - lo
        jobs[top + 1, 0] = pair + 1
        jobs[top + 1, 1] = mid
        jobs[top + 1, 2] = hi
        jobs[top + 2, 0] = pair
        jobs[top + 2, 1] = lo
        jobs[top + 2, 2] = mid
        top += 2
