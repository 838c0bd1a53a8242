"""Trees of merges that a test makes up."""

from __future__ import annotations

import numpy as np

from aggviewer.extensions.merging.branches import Branches
from engine.merges import MergeLog, MergeTree, merge_tree


def tree_of(count: int, seed: int, *, left: int = 1, chain: bool = False) -> MergeTree:
    """Discs that merge at random, or one after the other into the same cluster, until so many clusters are left."""
    rng = np.random.default_rng(seed)
    pairs = np.zeros((count - left, 2), np.int32)
    if chain:
        pairs[:, 1] = rng.permutation(count - 1)[: count - left] + 1
    else:
        clusters = list(range(count))  # a disc of each
        for k in range(count - left):
            i, j = rng.choice(len(clusters), 2, replace=False)
            pairs[k] = clusters[i], clusters[j]
            clusters[max(i, j)] = clusters[-1]
            clusters.pop()
    time = np.sort(rng.exponential(1.0, count - left)) ** 3
    return merge_tree(MergeLog(time, pairs, np.arange(count, dtype=np.int32)))


def branches_of(count: int, seed: int = 1, **how: bool) -> Branches:
    tree = tree_of(count, seed, **how)
    return Branches.of(tree, len(tree.parent) - 1)
