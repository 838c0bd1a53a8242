"""A tree of merges as branches: a cluster that others join keeps its branch, whose end is where it joins a larger one.

There is one branch for each leaf. Branches stand in such an order that one which joins another is below it, and those
that join the same one are in the order of time: lines that join them never cross.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from engine.merges import MergeTree

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Branches:
    """The branches below a node of a tree, n of them.

    Parameters
    ----------
    tree, node : what is below which node.
    ends : (n,) times at which branches join others; inf for the first one, the trunk.
    sizes : (n,) discs of each branch at its end.
    into : (n,) the branch that each one joins, -1 for the trunk.
    merge : (n,) the merge in which it does, -1 for the trunk.
    first_sizes : (n,) discs of each branch at its beginning.
    steps : (n + 1,) where in the following three the merges of each branch begin.
    step_times, step_sizes, step_merges : (n - 1,) time, discs afterwards and number of each merge on a branch.
    """

    tree: MergeTree
    node: int
    ends: Floats
    sizes: Longs
    into: Longs
    merge: Longs
    first_sizes: Longs
    steps: Longs
    step_times: Floats
    step_sizes: Longs
    step_merges: Longs

    @staticmethod
    def of(tree: MergeTree, node: int) -> Branches:
        """Those below a node."""
        count, base = int(tree.leaf_counts[node]), int(tree.first[node])
        merges = tree.merges_of(node)
        one, two = tree.children[merges].T
        keeps, joins = tree.first[one] - base, tree.first[two] - base
        ends, sizes = np.full(count, inf), np.full(count, tree.sizes[node])
        into, merge = np.full(count, -1), np.full(count, -1)
        ends[joins], sizes[joins], into[joins], merge[joins] = tree.time[merges], tree.sizes[two], keeps, merges
        order = np.argsort(keeps, kind="stable")
        steps = np.concatenate([[0], np.cumsum(np.bincount(keeps, minlength=count))])
        own = merges[order]
        return Branches(
            tree=tree,
            node=node,
            ends=ends,
            sizes=sizes,
            into=into,
            merge=merge,
            first_sizes=tree.sizes[tree.leaves_of(node)],
            steps=steps,
            step_times=tree.time[own],
            step_sizes=tree.sizes[tree.leaf_count + own],
            step_merges=own,
        )

    @property
    def count(self) -> int:
        """n."""
        return len(self.ends)

    @property
    def merges(self) -> Longs:
        """All merges, ascending."""
        return np.sort(self.step_merges)

    @property
    def begin(self) -> float:
        """The time at which all branches begin."""
        return self.tree.since

    @property
    def last(self) -> float:
        """The time of the last merge; that of the beginning where there is none."""
        return float(self.step_times.max()) if len(self.step_times) else self.begin

    @cached_property
    def _descending(self) -> Longs:
        return np.sort(self.sizes)[::-1]

    def smallest(self, rows: int) -> int:
        """The size from which branches are shown, so that there are at most so many of them."""
        return 1 if rows >= self.count else int(self._descending[max(rows, 1)]) + 1

    def of_size(self, least: int) -> Longs:
        """The branches of at least so many discs, in their order; the trunk is always one of them."""
        return np.flatnonzero((self.sizes >= least) | (self.into < 0))

    def sizes_at(self, branch: int, times: Floats) -> Longs:
        """The discs of a branch at some times."""
        own = slice(self.steps[branch], self.steps[branch + 1])
        sizes = np.concatenate([self.first_sizes[branch : branch + 1], self.step_sizes[own]])
        found: Longs = sizes[np.searchsorted(self.step_times[own], times, side="right")]
        return found

    def node_at(self, branch: int, time: float) -> int:
        """The node of the tree that a branch is at a time."""
        own = slice(self.steps[branch], self.steps[branch + 1])
        before = int(np.searchsorted(self.step_times[own], time, side="right"))
        if before:
            return self.tree.leaf_count + int(self.step_merges[own][before - 1])
        return int(self.tree.leaves_of(self.node)[branch])

    def branch_of(self, merge: int) -> int:
        """The branch that a merge is on: that of the larger of its two clusters."""
        return int(self.tree.first[self.tree.leaf_count + merge] - self.tree.first[self.node])

    def joining(self, merge: int) -> int:
        """The branch that ends in a merge."""
        return int(self.tree.first[self.tree.children[merge, 1]] - self.tree.first[self.node])

    def table(self) -> dict[str, NDArray[np.generic]]:
        """All merges for a file, each with its time, its two clusters and the two discs that touched."""
        tree, merges = self.tree, self.merges
        one, two = tree.children[merges].T
        return {
            "time t": tree.time[merges],
            "discs of the larger cluster": tree.sizes[one],
            "discs of the smaller cluster": tree.sizes[two],
            "discs together": tree.sizes[one] + tree.sizes[two],
            "disc i in contact": tree.pairs[merges, 0],
            "disc j in contact": tree.pairs[merges, 1],
            "node": tree.leaf_count + merges,
            "node of the larger cluster": one,
            "node of the smaller cluster": two,
        }
