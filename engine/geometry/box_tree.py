"""Binary trees of axis-parallel boxes over the discs of a cluster, all clusters in one pool of nodes.

Roots come first, a node for each cluster; pairs of siblings follow after them. A merge of two clusters takes exactly
one pair, so 2 N - 2 nodes beside the roots are always enough. Siblings are neighbours in memory, so a step down a tree
reads one cache line.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import elements, inlined, inner, prefetch
from engine.records import Record, Records, record, zeros

DISC = record("f8 x y radius mass")
"""A disc.

x, y : position of the centre in the frame of its cluster (length); radius (length); mass.
"""

NODE = record("f4 x_min y_min x_max y_max", "i4 left size", size=32)
"""A node of a tree, half a cache line.

x_min, y_min, x_max, y_max : edges of its box in the frame of its cluster, rounded outwards (length); left : the first
of its two children, `left` + 1 is the second; a leaf has the number of its disc there, as ~disc < 0; size : number of
discs below.
"""


def allocate_nodes(count: int, roots: int | None = None) -> Records:
    """Memory for the trees of `count` discs in `roots` clusters (None: single discs), (2 count + roots + 2,) of NODE,
    with pairs of siblings on one cache line."""
    roots = count if roots is None else roots
    return zeros(2 * count + roots + 2, NODE, first=roots)


@inlined
def store_box(node: Record, x_min: float, y_min: float, x_max: float, y_max: float, slack: float) -> None:
    """Give a node a box, rounded outwards to float32 and widened by `slack`."""
    node.x_min = x_min - (abs(x_min) * 1.2e-7 + slack)
    node.y_min = y_min - (abs(y_min) * 1.2e-7 + slack)
    node.x_max = x_max + (abs(x_max) * 1.2e-7 + slack)
    node.y_max = y_max + (abs(y_max) * 1.2e-7 + slack)


@inlined
def store_leaf(nodes: Records, discs: Records, k: int, i: int) -> None:
    """Make node `k` the leaf of disc `i`."""
    disc = discs[i]
    x, y, r = disc.x, disc.y, disc.radius
    node = nodes[k]
    store_box(node, x - r, y - r, x + r, y + r, 1e-7 * r)
    node.left = ~i
    node.size = 1


@inlined
def union_box(node: Record, a: Record, b: Record) -> None:
    """Give `node` the smallest box that holds those of nodes `a` and `b`."""
    node.x_min = min(a.x_min, b.x_min)
    node.y_min = min(a.y_min, b.y_min)
    node.x_max = max(a.x_max, b.x_max)
    node.y_max = max(a.y_max, b.y_max)


@inlined
def half_perimeter(node: Record) -> float:
    """Width plus height of a node's box: the chance that a passing disc meets it is proportional to this."""
    return float((node.x_max - node.x_min) + (node.y_max - node.y_min))


@inlined
def union_perimeter(a: Record, b: Record) -> float:
    """Width plus height of the box around two nodes."""
    return float((max(a.x_max, b.x_max) - min(a.x_min, b.x_min)) + (max(a.y_max, b.y_max) - min(a.y_min, b.y_min)))


@inlined
def prefetch_below(nodes: Records, discs: Records, k: int) -> None:
    """Prefetch what is below node `k`, its disc or its children."""
    left = nodes[k].left
    if left < 0:
        prefetch(elements(discs), ~left)
    else:
        prefetch(elements(nodes), left)


AHEAD = 4
"""How many pairs of nodes ahead of a walk the data below them are prefetched."""


@inlined
def translate_node(
    nodes: Records, discs: Records, label: NDArray[np.int32], k: int, ox: float, oy: float, name: int
) -> int:
    """Move one node by (ox, oy), a leaf with its disc, which gets the label `name`.

    Returns the pair of its children, -1 for a leaf.
    """
    node = nodes[k]
    if node.left < 0:
        i = ~node.left
        disc = discs[i]
        disc.x += ox
        disc.y += oy
        label[i] = name
        store_leaf(nodes, discs, k, i)
        return -1
    store_box(node, node.x_min + ox, node.y_min + oy, node.x_max + ox, node.y_max + oy, 0.0)
    return int(node.left)


@inlined
def list_pair(nodes: Records, pairs: NDArray[np.int32], count: int, left: int) -> int:
    """Append a pair of nodes to a list, if there is one (`left` >= 0), and prefetch it; returns the new length."""
    if left < 0:
        return count
    pairs[count] = left
    prefetch(elements(nodes), left)
    return count + 1


@inlined
def prefetch_pair(nodes: Records, discs: Records, pairs: NDArray[np.int32], at: int, count: int) -> None:
    """Prefetch what is below a pair of nodes of a list."""
    if at < count:
        prefetch_below(nodes, discs, pairs[at])
        prefetch_below(nodes, discs, pairs[at] + 1)


@inner
def translate_tree(
    nodes: Records,
    discs: Records,
    label: NDArray[np.int32],
    pairs: NDArray[np.int32],
    root: int,
    ox: float,
    oy: float,
    name: int,
) -> None:
    """Move a tree and its discs by (ox, oy) into the frame of cluster `name`, and label its discs so.

    Level by level, so that many loads from memory overlap. Scratch: pairs, as many as the tree has.
    """
    count = list_pair(nodes, pairs, 0, translate_node(nodes, discs, label, root, ox, oy, name))
    at = 0
    while at < count:
        left = pairs[at]
        at += 1
        prefetch_pair(nodes, discs, pairs, at + AHEAD, count)
        count = list_pair(nodes, pairs, count, translate_node(nodes, discs, label, left, ox, oy, name))
        count = list_pair(nodes, pairs, count, translate_node(nodes, discs, label, left + 1, ox, oy, name))


@inlined
def copy_node(to: Record, of: Record) -> None:
    """Copy the content of a node. Nothing points upwards, so the children of `of` need not be changed."""
    to.x_min = of.x_min
    to.y_min = of.y_min
    to.x_max = of.x_max
    to.y_max = of.y_max
    to.left = of.left
    to.size = of.size


@inlined
def swap_nodes(a: Record, b: Record) -> None:
    """Exchange the content of two nodes."""
    a.x_min, b.x_min = b.x_min, a.x_min
    a.y_min, b.y_min = b.y_min, a.y_min
    a.x_max, b.x_max = b.x_max, a.x_max
    a.y_max, b.y_max = b.y_max, a.y_max
    a.left, b.left = b.left, a.left
    a.size, b.size = b.size, a.size


@inlined
def refit(nodes: Records, k: int) -> None:
    """Compute box and size of an inner node from its children."""
    node = nodes[k]
    left, right = nodes[node.left], nodes[node.left + 1]
    union_box(node, left, right)
    node.size = left.size + right.size


@inlined
def rotate(nodes: Records, k: int) -> None:
    """Exchange a child of `k` with a grandchild if that makes the box of the other child smaller."""
    left = nodes[k].left
    best_gain = 0.0
    best_uncle = -1
    best_nephew = -1
    for side in range(2):
        uncle = left + side
        parent = left + 1 - side
        first = nodes[parent].left
        if first < 0:
            continue
        now = half_perimeter(nodes[parent])
        for which in range(2):
            nephew = first + which
            other = first + 1 - which
            gain = now - union_perimeter(nodes[uncle], nodes[other])
            if gain > best_gain:
                best_gain = gain
                best_uncle = uncle
                best_nephew = nephew
    if best_uncle >= 0:
        swap_nodes(nodes[best_uncle], nodes[best_nephew])
        refit(nodes, left + 1 if best_uncle == left else left)


@inner
def insert_subtree(nodes: Records, stack: NDArray[np.int32], root: int, guest: int, pair: int) -> None:
    """Insert the tree at node `guest` into the tree at `root`, where it enlarges the boxes least.

    `pair` is the first of two free nodes. On the way down the cheapest place is chosen by the surface heuristic of
    Box2D. On the way back the boxes are enlarged, and a child and a grandchild are exchanged if that helps (rotations
    of a dynamic tree), which keeps the tree shallow.
    """
    k = root
    depth = 0
    size = nodes[guest].size
    while True:
        left = nodes[k].left
        if left < 0:
            break
        # one of the two pairs below is read on the way down, the other one on the way back
        prefetch(elements(nodes), max(nodes[left].left, 0))
        prefetch(elements(nodes), max(nodes[left + 1].left, 0))
        here = half_perimeter(nodes[k])
        joined = union_perimeter(nodes[k], nodes[guest])
        a = union_perimeter(nodes[left], nodes[guest])
        b = union_perimeter(nodes[left + 1], nodes[guest])
        # cost of a new parent at this place, and the least cost of going on below
        inherited = joined - here
        cost_a = inherited + (a if nodes[left].left < 0 else a - half_perimeter(nodes[left]))
        cost_b = inherited + (b if nodes[left + 1].left < 0 else b - half_perimeter(nodes[left + 1]))
        if joined < cost_a and joined < cost_b:
            break
        stack[depth] = k
        depth += 1
        k = left if cost_a < cost_b else left + 1
    copy_node(nodes[pair], nodes[k])
    copy_node(nodes[pair + 1], nodes[guest])
    nodes[k].left = pair
    refit(nodes, k)
    for d in range(depth - 1, -1, -1):
        k = stack[d]
        rotate(nodes, k)
        node = nodes[k]
        union_box(node, nodes[node.left], nodes[node.left + 1])
        node.size += size
