"""Building only the upper part of a box tree anew, which costs a tenth of building all of it.

A tree into which others have been inserted is good below, where each of its parts still is what it was, and worse above
them. Subtrees of few discs are kept as they are, and the nodes above these are found anew.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.box_tree import copy_node
from engine.geometry.tree_build import cut_in_two, push_job
from engine.kernels import inner
from engine.records import Records, record

KEPT_DISCS = 32
"""Subtrees of so many discs and fewer are kept."""

PART = record("f8 x y", "f4 x_min y_min x_max y_max", "i4 left size")
"""A subtree that is kept: the centre of its box, and a copy of its node (see `box_tree.NODE`)."""


@inner
def regroup_tree(
    nodes: Records,
    parts: Records,
    ids: NDArray[np.int32],
    pairs: NDArray[np.int32],
    jobs: Records,
    stack: NDArray[np.int32],
    root: int,
) -> int:
    """Build the nodes of the tree at `root` above its small subtrees anew; returns how many of these there are.

    Scratch: parts (N,) of PART, ids, pairs (N,), jobs (N,) of JOB, stack (N,).
    """
    count = 0
    free = 0
    top = 0
    stack[0] = root
    while top >= 0:
        node = nodes[stack[top]]
        top -= 1
        left = node.left
        if node.size <= KEPT_DISCS:
            part = parts[count]
            copy_node(part, node)
            part.x = 0.5 * (node.x_min + node.x_max)
            part.y = 0.5 * (node.y_min + node.y_max)
            ids[count] = count
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
        job = jobs[top]
        node = nodes[job.node]
        begin = job.begin
        end = job.end
        top -= 1
        if end - begin == 1:
            copy_node(node, parts[ids[begin]])
            continue
        x_min = y_min = cx_min = cy_min = np.inf
        x_max = y_max = cx_max = cy_max = -np.inf
        size = 0
        for m in range(begin, end):
            part = parts[ids[m]]
            x_min, x_max = min(x_min, part.x_min), max(x_max, part.x_max)
            y_min, y_max = min(y_min, part.y_min), max(y_max, part.y_max)
            cx_min, cx_max = min(cx_min, part.x), max(cx_max, part.x)
            cy_min, cy_max = min(cy_min, part.y), max(cy_max, part.y)
            size += part.size
        mid = cut_in_two(parts, ids, begin, end, cx_min, cy_min, cx_max, cy_max)
        pair = pairs[used]
        used += 1
        node.x_min = x_min
        node.y_min = y_min
        node.x_max = x_max
        node.y_max = y_max
        node.left = pair
        node.size = size
        push_job(jobs[top + 1], pair + 1, mid, end)
        push_job(jobs[top + 2], pair, begin, mid)
        top += 2
    return count
