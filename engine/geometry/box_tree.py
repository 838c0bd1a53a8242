"""Binary trees of axis-parallel boxes over the discs of a cluster, all clusters in one pool of nodes.

A node is 32 bytes: four float32 edges (rounded outwards) and two int32, seen through two views of the same memory,
`nf` (nodes, 8) float32 with columns x0, y0, x1, y1 and `ni` (nodes, 8) int32 with columns CHILD and SIZE.
Siblings are neighbours, so one expansion reads one cache line. CHILD >= 0 is the first of the two children;
CHILD < 0 is a leaf and ~CHILD its disc. Node k < N is the root of cluster k; pairs of siblings follow from N on, and
a merge takes exactly one pair, so 3 N - 2 nodes are always enough.
Discs are rows of `disc` (N, 4) float64: x, y in the frame of their cluster, radius, mass.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined, inner

CHILD = 4
SIZE = 5


def allocate_nodes(count: int) -> NDArray[np.float32]:
    """Memory for the trees of `count` discs, (3 count, 8) float32, with pairs of siblings on 64-byte lines."""
    rows = 3 * count + 2
    raw = np.zeros(rows * 8 + 16, np.float32)
    # nodes `count` and `count + 1` are the first pair: that boundary is what has to be aligned
    start = ((-(raw.ctypes.data + 32 * count)) % 64) // 4
    return raw[start : start + rows * 8].reshape(rows, 8)


@inlined
def store_box(nf: NDArray[np.float32], k: int, x0: float, y0: float, x1: float, y1: float, slack: float) -> None:
    """Write a box, rounded outwards to float32 and widened by `slack`."""
    nf[k, 0] = x0 - (abs(x0) * 1.2e-7 + slack)
    nf[k, 1] = y0 - (abs(y0) * 1.2e-7 + slack)
    nf[k, 2] = x1 + (abs(x1) * 1.2e-7 + slack)
    nf[k, 3] = y1 + (abs(y1) * 1.2e-7 + slack)


@inlined
def store_leaf(nf: NDArray[np.float32], ni: NDArray[np.int32], disc: NDArray[np.float64], k: int, i: int) -> None:
    """Make node `k` the leaf of disc `i`."""
    x, y, r = disc[i, 0], disc[i, 1], disc[i, 2]
    store_box(nf, k, x - r, y - r, x + r, y + r, 1e-7 * r)
    ni[k, CHILD] = ~i
    ni[k, SIZE] = 1


@inlined
def union_box(nf: NDArray[np.float32], k: int, a: int, b: int) -> None:
    """Box of node `k` := the smallest that holds those of `a` and `b`."""
    nf[k, 0] = min(nf[a, 0], nf[b, 0])
    nf[k, 1] = min(nf[a, 1], nf[b, 1])
    nf[k, 2] = max(nf[a, 2], nf[b, 2])
    nf[k, 3] = max(nf[a, 3], nf[b, 3])


@inlined
def half_perimeter(nf: NDArray[np.float32], k: int) -> float:
    """Width plus height of a node's box: the chance that a passing disc meets it."""
    return float((nf[k, 2] - nf[k, 0]) + (nf[k, 3] - nf[k, 1]))


@inlined
def union_perimeter(nf: NDArray[np.float32], a: int, b: int) -> float:
    """Width plus height of the box around two nodes."""
    return float(
        (max(nf[a, 2], nf[b, 2]) - min(nf[a, 0], nf[b, 0])) + (max(nf[a, 3], nf[b, 3]) - min(nf[a, 1], nf[b, 1]))
    )


@inner
def translate_tree(
    nf: NDArray[np.float32],
    ni: NDArray[np.int32],
    disc: NDArray[np.float64],
    label: NDArray[np.int32],
    stack: NDArray[np.int32],
    root: int,
    ox: float,
    oy: float,
    name: int,
) -> None:
    """Move a tree and its discs by (ox, oy) into the frame of cluster `name`, and label its discs so."""
    top = 0
    stack[0] = root
    while top >= 0:
        k = stack[top]
        top -= 1
        child = ni[k, CHILD]
        if child < 0:
            i = ~child
            disc[i, 0] += ox
            disc[i, 1] += oy
            label[i] = name
            store_leaf(nf, ni, disc, k, i)
        else:
            store_box(nf, k, nf[k, 0] + ox, nf[k, 1] + oy, nf[k, 2] + ox, nf[k, 3] + oy, 0.0)
            stack[top + 1] = child
            stack[top + 2] = child + 1
            top += 2


@inlined
def copy_node(nf: NDArray[np.float32], ni: NDArray[np.int32], to: int, of: int) -> None:
    """Move the content of a node; its children need not know, nothing points upwards."""
    for c in range(4):
        nf[to, c] = nf[of, c]
    ni[to, CHILD] = ni[of, CHILD]
    ni[to, SIZE] = ni[of, SIZE]


@inlined
def swap_nodes(nf: NDArray[np.float32], ni: NDArray[np.int32], a: int, b: int) -> None:
    """Exchange the content of two nodes."""
    for c in range(4):
        nf[a, c], nf[b, c] = nf[b, c], nf[a, c]
    ni[a, CHILD], ni[b, CHILD] = ni[b, CHILD], ni[a, CHILD]
    ni[a, SIZE], ni[b, SIZE] = ni[b, SIZE], ni[a, SIZE]


@inlined
def refit(nf: NDArray[np.float32], ni: NDArray[np.int32], k: int) -> None:
    """Box and size of an inner node from its children."""
    c = ni[k, CHILD]
    union_box(nf, k, c, c + 1)
    ni[k, SIZE] = ni[c, SIZE] + ni[c + 1, SIZE]


@inlined
def rotate(nf: NDArray[np.float32], ni: NDArray[np.int32], k: int) -> None:
    """Exchange a child of `k` with a grandchild where that makes the child's box smaller."""
    left = ni[k, CHILD]
    best_gain = 0.0
    best_uncle = -1
    best_nephew = -1
    for side in range(2):
        uncle = left + side
        parent = left + 1 - side
        first = ni[parent, CHILD]
        if first < 0:
            continue
        now = half_perimeter(nf, parent)
        for which in range(2):
            nephew = first + which
            other = first + 1 - which
            gain = now - union_perimeter(nf, uncle, other)
            if gain > best_gain:
                best_gain = gain
                best_uncle = uncle
                best_nephew = nephew
    if best_uncle >= 0:
        swap_nodes(nf, ni, best_uncle, best_nephew)
        refit(nf, ni, left + 1 if best_uncle == left else left)


@inner
def hang_in(
    nf: NDArray[np.float32],
    ni: NDArray[np.int32],
    stack: NDArray[np.int32],
    root: int,
    guest: int,
    pair: int,
) -> None:
    """Put the tree at node `guest` into the tree at `root`, where it enlarges the boxes least.

    `pair` is the first of two free nodes. On the way down each box grows by the guest's; on the way back sister
    and niece change places where that helps (the rotations of a dynamic tree), which keeps the tree shallow.
    """
    k = root
    depth = 0
    size = ni[guest, SIZE]
    while True:
        child = ni[k, CHILD]
        if child < 0:
            break
        here = half_perimeter(nf, k)
        joined = union_perimeter(nf, k, guest)
        a = union_perimeter(nf, child, guest)
        b = union_perimeter(nf, child + 1, guest)
        # cost of a new parent at this place, and the least of going on below (Box2D's surface heuristic)
        inherited = joined - here
        cost_a = inherited + (a if ni[child, CHILD] < 0 else a - half_perimeter(nf, child))
        cost_b = inherited + (b if ni[child + 1, CHILD] < 0 else b - half_perimeter(nf, child + 1))
        if joined < cost_a and joined < cost_b:
            break
        stack[depth] = k
        depth += 1
        k = child if cost_a < cost_b else child + 1
    copy_node(nf, ni, pair, k)
    copy_node(nf, ni, pair + 1, guest)
    ni[k, CHILD] = pair
    refit(nf, ni, k)
    for d in range(depth - 1, -1, -1):
        k = stack[d]
        rotate(nf, ni, k)
        child = ni[k, CHILD]
        union_box(nf, k, child, child + 1)
        ni[k, SIZE] += size
