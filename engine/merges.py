"""The history of merges of a simulation as a tree: which clusters became which, and when.

A leaf is a cluster at the beginning, in most runs a single disc. A merge is a node with two children, the clusters that
became one. A cluster that there is now is a root.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Longs
from engine.errors import InputError
from engine.kernels import kernel


@dataclass(frozen=True, eq=False)
class MergeLog:
    """The merges of a run in their order.

    Parameters
    ----------
    time : (K,) float64, the simulation time of each merge. It does not decrease.
    pairs : (K, 2) int32, the two discs that touched.
    leaves : (N,) int32, the cluster of each disc where the log begins; discs with the same number belong together.
    since : the simulation time at which the log begins: 0, or later where the file of a session does not know what
        happened before.
    """

    time: Floats
    pairs: NDArray[np.int32]
    leaves: NDArray[np.int32]
    since: float = 0.0

    def followed_by(self, later: MergeLog) -> MergeLog:
        """This log with that of the method that carried on the run appended."""
        time, pairs = np.concatenate([self.time, later.time]), np.concatenate([self.pairs, later.pairs])
        return MergeLog(time, pairs, self.leaves, self.since)


@dataclass(frozen=True, eq=False)
class MergeTree:
    """Trees of merges, one for each cluster that there is at the end.

    Node m < n is a leaf, node n + k is the cluster that merge k has made. Merges are in the order of time, so that a
    node has a larger number than its children. See `merge_tree`.

    Parameters
    ----------
    leaf : (N,) int64, the leaf of each disc. Leaves are numbered in the order of their lowest discs.
    time, pairs : of each merge, see `MergeLog`.
    since : the simulation time of the leaves.
    children : (K, 2) int64, the two nodes that became one; the first one has at least as many discs.
    parent : (n + K,) int64, -1 for a root.
    sizes : (n + K,) int64, the number of discs of each node.
    leaf_counts : (n + K,) int64, the number of leaves below each node; 1 for a leaf.
    order : (n,) int64, the leaves in such an order that those below one node stand side by side.
    first : (n + K,) int64, where in `order` the leaves below a node begin.
    """

    leaf: Longs
    time: Floats
    pairs: NDArray[np.int32]
    since: float
    children: Longs
    parent: Longs
    sizes: Longs
    leaf_counts: Longs
    order: Longs
    first: Longs

    @property
    def leaf_count(self) -> int:
        """The number of leaves n."""
        return len(self.order)

    @property
    def roots(self) -> Longs:
        """The nodes that are clusters at the end, (k,), ascending."""
        return np.flatnonzero(self.parent < 0)

    def time_of(self, node: int) -> float:
        """The time at which the cluster of a node came to be, by a merge or at the start of the tree."""
        return self.since if node < self.leaf_count else float(self.time[node - self.leaf_count])

    def node_of(self, disc: int, until: float = inf) -> int:
        """The cluster that a disc belonged to at a time, right after the merges at that time."""
        node = int(self.leaf[disc])
        while (above := int(self.parent[node])) >= 0 and self.time_of(above) <= until:
            node = above
        return node

    def leaves_of(self, node: int) -> Longs:
        """The leaves below a node, (n,), n = leaf_counts[node]: the clusters at the start that became its cluster. A
        view, in the order in which a tree without crossings shows them."""
        begin = self.first[node]
        return self.order[begin : begin + self.leaf_counts[node]]

    def discs_of(self, node: int) -> Longs:
        """The numbers of the discs that the cluster of a node consists of, (n,), ascending. O(N)."""
        place = self.first[self.leaf]  # of the leaf of each disc
        begin = self.first[node]
        return np.flatnonzero((place >= begin) & (place < begin + self.leaf_counts[node]))

    def merges_of(self, node: int) -> Longs:
        """The merges below a node and its own, (n - 1,) for n leaves, ascending."""
        begin = self.first[node]
        place = self.first[self.leaf_count :]
        inside = (place >= begin) & (place < begin + self.leaf_counts[node])
        inside[max(node - self.leaf_count + 1, 0) :] = False  # later merges, among them those above the node
        return np.flatnonzero(inside)

    @cached_property
    def lowest(self) -> Longs:
        """The lowest disc of each leaf, (n,)."""
        return np.unique(self.leaf, return_index=True)[1]

    def linkage(self, node: int | None = None) -> Floats:
        """The merges as a linkage matrix of ``scipy.cluster.hierarchy``, such as ``dendrogram`` draws.

        Parameters
        ----------
        node : the tree below this node alone, whose leaves are then numbered from 0 in the order of `leaves_of`; None
            for all merges of the run.

        Returns
        -------
        (K, 4) float64. A row is a merge: the two nodes, the time since the log begins, the number of leaves.
        """
        count = self.leaf_count
        if node is None:
            merges, number = np.arange(len(self.time)), np.arange(len(self.parent))
        else:
            merges, leaves = self.merges_of(node), self.leaves_of(node)
            number = np.zeros(len(self.parent), np.int64)
            number[leaves] = np.arange(len(leaves))
            number[count + merges] = len(leaves) + np.arange(len(merges))
        pair = np.sort(number[self.children[merges]], axis=1)
        return np.column_stack([pair, self.time[merges] - self.since, self.leaf_counts[count + merges]]).astype(float)

    def newick(self, node: int) -> str:
        """The tree below a node in the Newick format, which programs for phylogenetic trees read.

        A leaf is named by its lowest disc, ``d12``; the number after a colon is how long a cluster lasted. What has no
        merges above it lasts 0.
        """
        text: list[str] = []
        coming: list[int | str] = [";", ":0", node]  # what is written next stands at the end
        while coming:
            part = coming.pop()
            if isinstance(part, str):
                text.append(part)
            elif part < self.leaf_count:
                text.append(f"d{self.lowest[part]}")
            else:
                time, (one, two) = self.time_of(part), self.children[part - self.leaf_count].tolist()
                lasted = [f":{time - self.time_of(child):.12g}" for child in (one, two)]
                coming += [")", lasted[1], two, ",", lasted[0], one, "("]
        return "".join(text)


def merge_tree(log: MergeLog) -> MergeTree:
    """The trees of a log of merges. O(K) but for the sorting of the leaves.

    Raises
    ------
    InputError
        The log is not one of merges: its discs belong to one cluster already.
    """
    _, lowest, label = np.unique(log.leaves, return_index=True, return_inverse=True)
    rank = np.empty(len(lowest), np.int64)
    rank[np.argsort(lowest)] = np.arange(len(lowest))
    leaf = rank[label]
    count, merges = len(lowest), len(log.time)
    nodes = count + merges
    children = np.zeros((merges, 2), np.int64)
    parent = np.full(nodes, -1, np.int64)
    sizes, leaf_counts, first = (np.zeros(nodes, np.int64) for _ in range(3))
    sizes[:count] = np.bincount(leaf, minlength=count)
    leaf_counts[:count] = 1
    one, two = np.ascontiguousarray(leaf[log.pairs].reshape(merges, 2).T)
    if link_merges(one, two, children, parent, sizes, leaf_counts, first) < merges:
        raise InputError("the record of merges is damaged: two discs of one cluster merge")
    order = np.empty(count, np.int64)
    order[first[:count]] = np.arange(count)
    return MergeTree(leaf, log.time, log.pairs, log.since, children, parent, sizes, leaf_counts, order, first)


@kernel
def link_merges(
    one: Longs, two: Longs, children: NDArray[np.int64], parent: Longs, sizes: Longs, leaf_counts: Longs, first: Longs
) -> int:
    """Fill in what `MergeTree` says of its nodes. Returns the number of merges, fewer where a merge joins nothing.

    Parameters
    ----------
    one, two : (K,), the leaves of the two discs of each merge.
    children : (K, 2); parent : (n + K,), -1 at first; sizes, leaf_counts : (n + K,), known of the leaves; first :
        (n + K,).
    """
    merges = len(one)
    count = len(parent) - merges
    # a forest over the leaves in which every tree is a cluster so far, with its node at the root
    above = np.arange(count)
    node = np.arange(count)
    for k in range(merges):
        a = one[k]
        while above[a] != a:
            above[a] = above[above[a]]
            a = above[a]
        b = two[k]
        while above[b] != b:
            above[b] = above[above[b]]
            b = above[b]
        if a == b:
            return k
        u = node[a]
        v = node[b]
        if sizes[v] > sizes[u] or (sizes[v] == sizes[u] and v < u):
            u, v = v, u
        if leaf_counts[node[a]] < leaf_counts[node[b]]:
            a, b = b, a
        above[b] = a
        node[a] = count + k
        children[k, 0] = u
        children[k, 1] = v
        parent[u] = count + k
        parent[v] = count + k
        sizes[count + k] = sizes[u] + sizes[v]
        leaf_counts[count + k] = leaf_counts[u] + leaf_counts[v]
    place = 0
    for m in range(count + merges):
        if parent[m] < 0:
            first[m] = place
            place += leaf_counts[m]
    for k in range(merges - 1, -1, -1):
        u = children[k, 0]
        first[u] = first[count + k]
        first[children[k, 1]] = first[count + k] + leaf_counts[u]
    return merges
