"""Binary trees of axis-parallel boxes over the discs of a cluster, all clusters in one pool of nodes.

Roots come first, a node for each cluster; pairs of siblings follow after them. A merge of two clusters takes exactly
one pair, so 2 N - 2 nodes beside the roots are always enough. Siblings are neighbours in memory, so a step down a tree
reads one cache line.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.vectors import (
    Vector,
    absolute,
    every,
    greatest,
    high_corner,
    least,
    low_corner,
    minus,
    place,
    plus,
    put_high_corner,
    put_low_corner,
    put_place,
    times,
)
from engine.kernels import elements, inlined, inner, prefetch
from engine.records import Record, Records, in_space, record, zeros

DISC = record("f8 x y radius mass")
SPACE_DISC = in_space(DISC)
"""A disc, and a sphere.

x, y, z : position of the centre in the frame of its cluster (length); radius (length); mass.
"""

NODE = record("f4 x_min y_min x_max y_max", "i4 left size", size=32)
SPACE_NODE = in_space(NODE, size=32)
"""A node of a tree, half a cache line, in the plane and in space.

x_min, y_min, x_max, y_max : edges of its box in the frame of its cluster, rounded outwards (length); left : the first
of its two children, `left` + 1 is the second; a leaf has the number of its disc there, as ~disc < 0; size : number of
discs below.
"""


def allocate_nodes(count: int, roots: int | None = None, dimensions: int = 2) -> Records:
    """Memory for the trees of `count` discs in `roots` clusters (None: single discs), with pairs of siblings on one
    cache line: (K,) of NODE or SPACE_NODE, K = 2 count + roots + 2."""
    roots = count if roots is None else roots
    return zeros(2 * count + roots + 2, SPACE_NODE if dimensions > 2 else NODE, first=roots)


@inlined
def widened(a: Vector, slack: float) -> Vector:
    """By how much a corner of a box is moved outwards: for the rounding to float32, and `slack`."""
    return plus(times(1.2e-7, absolute(a)), every(slack, a))


@inlined
def store_box(node: Record, low: Vector, high: Vector, slack: float) -> None:
    """Give a node a box, rounded outwards to float32 and widened by `slack`."""
    put_low_corner(node, minus(low, widened(low, slack)))
    put_high_corner(node, plus(high, widened(high, slack)))


@inlined
def store_leaf(nodes: Records, discs: Records, k: int, i: int) -> None:
    """Make node `k` the leaf of disc `i`. nodes : (K,) of NODE; discs : (N,) of DISC."""
    x = place(discs[i])
    r = discs[i].radius
    node = nodes[k]
    store_box(node, minus(x, every(r, x)), plus(x, every(r, x)), 1e-7 * r)
    node.left = ~i
    node.size = 1


@inlined
def union_box(node: Record, a: Record, b: Record) -> None:
    """Give `node` the smallest box that holds those of nodes `a` and `b`."""
    put_low_corner(node, least(low_corner(a), low_corner(b)))
    put_high_corner(node, greatest(high_corner(a), high_corner(b)))


@inlined
def half_surface(size: Vector) -> float:
    """Half the perimeter of a box in the plane, half the surface of one in space: the chance that a passing disc or
    sphere meets it is proportional to this."""
    if len(size) > 2:
        return float(size[0] * size[1] + size[1] * size[2] + size[2] * size[0])
    return float(size[0] + size[1])


@inlined
def node_surface(node: Record) -> float:
    """Half the surface of a node's box; see `half_surface`."""
    return half_surface(minus(high_corner(node), low_corner(node)))


@inlined
def union_surface(a: Record, b: Record) -> float:
    """Half the surface of the box around two nodes; see `half_surface`."""
    high = greatest(high_corner(a), high_corner(b))
    return half_surface(minus(high, least(low_corner(a), low_corner(b))))


@inlined
def prefetch_below(nodes: Records, discs: Records, k: int) -> None:
    """Prefetch what is below node `k`, its disc or its children. nodes : (K,) of NODE; discs : (N,) of DISC."""
    left = nodes[k].left
    if left < 0:
        prefetch(elements(discs), ~left)
    else:
        prefetch(elements(nodes), left)


AHEAD = 4
"""How many pairs of nodes ahead of a walk the data below them are prefetched."""


@inlined
def translate_node(nodes: Records, discs: Records, label: NDArray[np.int32], k: int, by: Vector, name: int) -> int:
    """Move one node by a vector, a leaf with its disc, which gets the label `name`.

    nodes : (K,) of NODE; discs : (N,) of DISC; label : (N,). Returns the pair of its children, -1 for a leaf.
    """
    node = nodes[k]
    if node.left < 0:
        i = ~node.left
        put_place(discs[i], plus(place(discs[i]), by))
        label[i] = name
        store_leaf(nodes, discs, k, i)
        return -1
    store_box(node, plus(low_corner(node), by), plus(high_corner(node), by), 0.0)
    return int(node.left)


@inlined
def list_pair(nodes: Records, pairs: NDArray[np.int32], count: int, left: int) -> int:
    """Append a pair of nodes to a list, if there is one (`left` >= 0), and prefetch it; returns the new length.

    nodes : (K,) of NODE; pairs : (n,), the list, of which the first `count` are in use.
    """
    if left < 0:
        return count
    pairs[count] = left
    prefetch(elements(nodes), left)
    return count + 1


@inlined
def prefetch_pair(nodes: Records, discs: Records, pairs: NDArray[np.int32], at: int, count: int) -> None:
    """Prefetch what is below pair number `at` of a list. nodes : (K,) of NODE; discs : (N,) of DISC; pairs : (n,), the
    list."""
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
    by: Vector,
    name: int,
) -> None:
    """Move a tree and its discs by a vector into the frame of cluster `name`, and label its discs so.

    Level by level, so that many loads from memory overlap.

    nodes : (K,) of NODE; discs : (N,) of DISC; label : (N,); pairs : (n,), scratch for all pairs of the tree.
    """
    count = list_pair(nodes, pairs, 0, translate_node(nodes, discs, label, root, by, name))
    at = 0
    while at < count:
        left = pairs[at]
        at += 1
        prefetch_pair(nodes, discs, pairs, at + AHEAD, count)
        count = list_pair(nodes, pairs, count, translate_node(nodes, discs, label, left, by, name))
        count = list_pair(nodes, pairs, count, translate_node(nodes, discs, label, left + 1, by, name))


@inlined
def copy_node(to: Record, of: Record) -> None:
    """Copy the content of a node. Nothing points upwards, so the children of `of` need not be changed."""
    put_low_corner(to, low_corner(of))
    put_high_corner(to, high_corner(of))
    to.left = of.left
    to.size = of.size


@inlined
def swap_nodes(a: Record, b: Record) -> None:
    """Exchange the content of two nodes."""
    low, high = low_corner(a), high_corner(a)
    put_low_corner(a, low_corner(b))
    put_high_corner(a, high_corner(b))
    put_low_corner(b, low)
    put_high_corner(b, high)
    a.left, b.left = b.left, a.left
    a.size, b.size = b.size, a.size


@inlined
def refit(nodes: Records, k: int) -> None:
    """Compute box and size of an inner node from its children. nodes : (K,) of NODE."""
    node = nodes[k]
    left, right = nodes[node.left], nodes[node.left + 1]
    union_box(node, left, right)
    node.size = left.size + right.size


@inlined
def rotate(nodes: Records, k: int) -> None:
    """Exchange a child of `k` with a grandchild if that makes the box of the other child smaller. nodes : (K,) of
    NODE."""
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
        now = node_surface(nodes[parent])
        for which in range(2):
            nephew = first + which
            other = first + 1 - which
            gain = now - union_surface(nodes[uncle], nodes[other])
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

    nodes : (K,) of NODE; stack : (n,), scratch for the nodes on the way down.
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
        here = node_surface(nodes[k])
        joined = union_surface(nodes[k], nodes[guest])
        a = union_surface(nodes[left], nodes[guest])
        b = union_surface(nodes[left + 1], nodes[guest])
        # cost of a new parent at this place, and the least cost of going on below
        inherited = joined - here
        cost_a = inherited + (a if nodes[left].left < 0 else a - node_surface(nodes[left]))
        cost_b = inherited + (b if nodes[left + 1].left < 0 else b - node_surface(nodes[left + 1]))
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
