"""Whether the box trees of a checkpoint are trees: one for each cluster, over its discs and no others.

No walk is needed: as many inner nodes as there are pairs of siblings in use, each pair below exactly one of them, give
every node one parent; that all of them reach the root of their cluster leaves no circle.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.checkpoint_arrays import Arrays, finite, need, permutation, roots_of, within
from engine.aggregation.event_driven import clusters as cl
from engine.records import Records

_LOOSE = 1e-5  # boxes are rounded outwards to float32, each time that they are moved


def check_trees(arrays: Arrays, live: NDArray[np.int64]) -> None:
    """InputError unless the trees are whole; `live` (M,): the clusters."""
    count = len(arrays["label"])
    nodes = arrays["nodes"]
    pairs = count - len(live)
    need(int(arrays["si"][cl.PAIR_FREE]) == count + 2 * pairs, "the number of tree nodes does not fit")
    used = np.concatenate([live, np.arange(count, count + 2 * pairs)])
    child = nodes["left"][used].astype(np.int64)
    is_leaf = child < 0
    inner, below = used[~is_leaf], child[~is_leaf]
    leaf, disc = used[is_leaf], ~child[is_leaf]
    need(len(inner) == pairs, "a tree has too few discs")
    within(below, count, count + 2 * pairs, "a tree node")
    need(((below - count) % 2 == 0).all(), "a tree node is out of place")
    permutation((below - count) // 2, pairs, "a tree")
    permutation(disc, count, "the leaves of the trees")
    parent = np.arange(len(nodes))
    parent[below] = inner
    parent[below + 1] = inner
    root = roots_of(parent, "a tree")
    need(np.array_equal(root[leaf], arrays["label"][disc]), "a tree holds a disc of another cluster")
    need((root[used] < count).all(), "a tree goes in a circle")
    size = nodes["size"].astype(np.int64)
    need((size[leaf] == 1).all(), "the sizes of a tree do not fit")
    need((size[inner] == size[below] + size[below + 1]).all(), "the sizes of a tree do not fit")
    _check_boxes(nodes, arrays["discs"], inner, below, leaf, disc)
    built = arrays["ci"][live, cl.BUILT]
    need(((built >= 1) & (built <= size[live])).all(), "the sizes of a tree do not fit")


def _check_boxes(
    nodes: Records,
    discs: Records,
    inner: NDArray[np.int64],
    below: NDArray[np.int64],
    leaf: NDArray[np.int64],
    disc: NDArray[np.int64],
) -> None:
    """Boxes hold what is below them."""
    used = np.concatenate([inner, leaf])
    low, high = (np.stack([nodes["x" + end], nodes["y" + end]], axis=1).astype(np.float64) for end in ("_min", "_max"))
    finite(low[used], "the box of a tree node")
    finite(high[used], "the box of a tree node")
    x, r = np.stack([discs["x"], discs["y"]], axis=1)[disc], discs["radius"][disc, None]
    loose = _LOOSE * (np.abs(x) + r)
    need((low[leaf] <= x - r + loose).all() and (high[leaf] >= x + r - loose).all(), "a disc is outside of its box")
    loose = _LOOSE * (np.abs(low[inner]) + np.abs(high[inner]))
    for side in (below, below + 1):
        held = (low[inner] <= low[side] + loose) & (high[inner] >= high[side] - loose)
        need(held.all(), "a tree node is outside of its parent")
