"""A tree of merges as branches: a cluster keeps its branch as others join it, and the branch ends where it joins a
larger one.

Each leaf has a branch on its own row. A branch lies below the one it joins, and branches that join the same one are
ordered by time, so that connecting lines never cross. The rows of all branches that ever joined a branch lie directly
below it, so the lines of two branches with many leaves are many rows apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf, isinf
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import MergesFound
from aggviewer.style.numbers import simulation_time
from engine.arrays import Floats, Longs
from engine.words import BodyNames, body_names, count

if TYPE_CHECKING:
    from engine.merges import MergeTree


LEVELS = 9
"""Number of line widths for branches."""


@dataclass(frozen=True, eq=False)
class Branches:
    """The branches below a node of a tree, n of them; the number of a branch is its row.

    Parameters
    ----------
    tree, node : the tree, and the node at which these branches start.
    ends : (n,) times at which branches join others; inf for the first, the trunk.
    sizes : (n,) discs of each branch at its end.
    rows : (n,) rows occupied by each branch and all that joined it.
    into : (n,) the branch that each joins, -1 for the trunk.
    merge : (n,) the merge at which it joins, -1 for the trunk.
    first_sizes : (n,) discs of each branch at its start.
    steps : (n + 1,) where the merges of each branch start in the next three arrays.
    step_times, step_sizes, step_merges : (n - 1,) time, size afterwards and number of each merge on a branch.
    """

    tree: MergeTree
    node: int
    ends: Floats
    sizes: Longs
    rows: Longs
    into: Longs
    merge: Longs
    first_sizes: Longs
    steps: Longs
    step_times: Floats
    step_sizes: Longs
    step_merges: Longs

    @staticmethod
    def of(tree: MergeTree, node: int) -> Branches:
        """The branches below a node of the tree."""
        count, base = int(tree.leaf_counts[node]), int(tree.first[node])
        merges = tree.merges_of(node)
        one, two = tree.children[merges].T
        keeps, joins = tree.first[one] - base, tree.first[two] - base
        ends, sizes, rows = np.full(count, inf), np.full(count, tree.sizes[node]), np.full(count, count)
        into, merge = np.full(count, -1), np.full(count, -1)
        ends[joins], sizes[joins], rows[joins] = tree.time[merges], tree.sizes[two], tree.leaf_counts[two]
        into[joins], merge[joins] = keeps, merges
        own = merges[np.argsort(keeps, kind="stable")]
        return Branches(
            tree=tree,
            node=node,
            ends=ends,
            sizes=sizes,
            rows=rows,
            into=into,
            merge=merge,
            first_sizes=tree.sizes[tree.leaves_of(node)],
            steps=np.concatenate([[0], np.cumsum(np.bincount(keeps, minlength=count))]),
            step_times=tree.time[own],
            step_sizes=tree.sizes[tree.leaf_count + own],
            step_merges=own,
        )

    @property
    def count(self) -> int:
        """Number of branches, n."""
        return len(self.ends)

    @property
    def merges(self) -> Longs:
        """The numbers of all merges, (n - 1,), ascending."""
        return np.sort(self.step_merges)

    @property
    def last(self) -> float:
        """The time of the last merge, or the start time of the branches if there is none."""
        return float(self.step_times.max()) if len(self.step_times) else self.tree.since

    @property
    def gathers_early(self) -> bool:
        """Whether most merges are so early that a logarithmic axis shows more of them."""
        times = self.step_times
        return len(times) > 2 and self.tree.since == 0.0 and float(np.median(times)) < 0.2 * self.last

    def node_at(self, branch: int, time: float) -> int:
        """The node of the tree that a branch represents at a given time."""
        own = slice(self.steps[branch], self.steps[branch + 1])
        before = int(np.searchsorted(self.step_times[own], time, side="right"))
        if before:
            return self.tree.leaf_count + int(self.step_merges[own][before - 1])
        return int(self.tree.leaves_of(self.node)[branch])

    def branch_of(self, merge: int) -> int:
        """The branch that a merge lies on: that of the larger of the two clusters."""
        return int(self.tree.first[self.tree.leaf_count + merge] - self.tree.first[self.node])

    def next_merge(
        self, merges: Longs, merge: int, along: int, down: int, place: Callable[[Floats], Floats]
    ) -> int | None:
        """The merge that an arrow key moves to; the last one if `merge` cannot be reached.

        Parameters
        ----------
        merges : (k,), the merges that can be reached.
        merge : the merge with the keyboard focus.
        along : 1 for the next merge on the same branch (after the last one, the merge at which it ends); -1 for the
            previous one; else 0.
        down : 1 for the nearest merge on the next branch below, -1 for one above; else 0.
        place : converts times to positions on the axis, of the same shape.
        """
        merges = np.sort(merges)
        if merge not in merges:
            return int(merges[-1])
        branch_of = self.tree.first[self.tree.leaf_count + merges] - self.tree.first[self.node]
        own = self.branch_of(merge)
        if along:
            same = merges[branch_of == own]
            at = int(np.searchsorted(same, merge)) + along
            if 0 <= at < len(same):
                return int(same[at])
            return int(self.merge[own]) if along > 0 and self.into[own] >= 0 else None
        others = branch_of[branch_of > own] if down > 0 else branch_of[branch_of < own]
        if not len(others):
            return None
        there = merges[branch_of == (others.min() if down > 0 else others.max())]
        time = self.tree.time
        return int(there[np.argmin(np.abs(place(time[there]) - place(time[merge : merge + 1])))])

    def with_rows(self, least: float) -> Longs:
        """The branches that occupy at least this many rows, (k,), from top to bottom; always includes the trunk."""
        return np.flatnonzero((self.rows >= least) | (self.into < 0))

    @cached_property
    def pieces(self) -> tuple[Longs, Floats, Floats, Longs]:
        """The lines of all branches, split where they get thicker. For each of K pieces its branch, start and end time,
        and thickness level from 0 to `LEVELS` - 1, each (K,). The pieces of a branch are consecutive."""
        branch = np.repeat(np.arange(self.count), np.diff(self.steps) + 1)
        beginning = self.steps[:-1] + np.arange(self.count)  # where the pieces of each branch begin
        first = np.zeros(len(branch), bool)
        first[beginning] = True
        begin, size = np.full(len(branch), self.tree.since), np.empty(len(branch), np.int64)
        begin[~first], size[first], size[~first] = self.step_times, self.first_sizes, self.step_sizes
        level = np.rint((LEVELS - 1) * np.sqrt(size / self.sizes[0])).astype(np.int64)
        keep = first.copy()
        keep[1:] |= level[1:] != level[:-1]
        branch, begin, level, first = branch[keep], begin[keep], level[keep], first[keep]
        end = np.append(begin[1:], inf)
        last = np.append(first[1:], True)
        end[last] = self.ends
        return branch, begin, end, level

    def table(self) -> dict[str, NDArray[np.generic]]:
        """A table of all merges, columns of (n - 1,): time, the two clusters, and the two discs that touched."""
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


CLICK = "Click a merge, or any point of a branch, to look back to that moment."


class HistoryAsked(NamedTuple):
    """Whose history to show: the cluster of a disc in a lane. until : as of this time; inf for the present."""

    lane: int
    disc: int
    until: float = inf


class MergeHit(NamedTuple):
    """Something in the plot: a merge, or a branch at a time (`merge` is then -1)."""

    branch: int
    time: float
    merge: int = -1


@dataclass(frozen=True, eq=False)
class MergeHistoryShown:
    """A history ready to draw. asked, found : the request and the record it was made from; took : seconds needed."""

    request: HistoryAsked
    found: MergesFound
    tree: MergeTree
    branches: Branches
    took: float

    @staticmethod
    def of(asked: HistoryAsked, found: MergesFound) -> MergeHistoryShown | None:
        """The requested history; None if there is no record of merges. InputError for a damaged record."""
        if found.log is None or asked.disc >= found.disc_set.count:
            return None
        from engine.merges import merge_tree  # imports numba, which would slow down the start of the window

        begun = perf_counter()
        tree = merge_tree(found.log)
        branches = Branches.of(tree, tree.node_of(asked.disc, asked.until))
        return MergeHistoryShown(asked, found, tree, branches, perf_counter() - begun)

    def follows(self, before: MergeHistoryShown | None) -> bool:
        """Whether this is a continuation of an earlier history."""
        return before is not None and before.request is self.request and before.found.disc_set is self.found.disc_set

    def node_of(self, hit: MergeHit) -> int:
        """The tree node of something in the plot."""
        if hit.merge >= 0:
            return self.tree.leaf_count + hit.merge
        return self.branches.node_at(hit.branch, hit.time)

    # words

    @property
    def _names(self) -> BodyNames:
        """What the texts below call the discs."""
        return body_names(len(self.found.disc_set.box))

    def head(self, hidden: int) -> str:
        """A heading that says whose history it is. hidden : number of branches too small to draw."""
        tree, branches = self.tree, self.branches
        side = "" if self.found.lanes < 2 else ("Left: ", "Right: ")[self.found.lane]
        size, merges = int(tree.sizes[branches.node]), branches.count - 1
        words = f"{side}Cluster of {count(size)} {self._names.discs}"
        if size == 1:
            words = f"{side}{self._names.Disc} {count(self.request.disc)} alone"
        if merges:
            words += f": {count(merges)} merge{'s' if merges > 1 else ''}"
            words += f", the last at t = {simulation_time(branches.last)}"
        if not isinf(self.request.until):
            words += f"; as it was at t = {simulation_time(self.request.until)}"
        if hidden:
            words += f". {count(hidden)} small branch{'es' if hidden > 1 else ''} hidden; use the wheel to see more"
        if tree.since > 0.0:
            words += f". Merges before t = {simulation_time(tree.since)} are not recorded"
        return f"{words}."

    def without_merges(self) -> str:
        """Why there is nothing to draw; "" if there is something."""
        size, disc = int(self.tree.sizes[self.branches.node]), count(self.request.disc)
        if self.branches.count > 1:
            return ""
        names = self._names
        words = f"{names.Disc} {disc} has not merged yet"
        if size > 1:
            words = (
                f"The {count(size)} {names.discs} around {names.disc} {disc} have been one cluster from the start and "
                "have not merged yet"
            )
        return f"{words}. Its history starts with its first merge."

    def describe(self, hit: MergeHit) -> str:
        """A line that describes the merge or branch at a place of the plot."""
        if hit.merge >= 0:
            return self._merge(hit.merge)
        branches = self.branches
        words = f"t = {simulation_time(hit.time)}: {self._cluster(self.node_of(hit))}"
        end = branches.merge[hit.branch]
        if end < 0:
            return f"{words}, the largest part of this one."
        into = self._cluster(int(self.tree.children[end, 0]))
        return f"{words}, which joins {into} at t = {simulation_time(float(branches.ends[hit.branch]))}."

    def where(self, hit: MergeHit, shown: float | None, kept: float | None) -> str:
        """Describe what the picture shows after something was clicked.

        Parameters
        ----------
        shown : the time of the picture, None if there is none.
        kept : the earliest stored time, None if nothing is stored.
        """
        what = self._merge(hit.merge)
        if hit.merge < 0:
            what = f"t = {simulation_time(hit.time)}: {self._cluster(self.node_of(hit))}."
        if shown is None or kept is None:
            return what
        if kept > hit.time:
            begin = f"The stored frames start at t = {simulation_time(kept)}, which is shown"
            return f"{what} {begin}. Restart (R) to see this moment."
        if shown > hit.time:
            return what
        return f"{what} Shown: t = {simulation_time(shown)}, the last stored frame before it."

    def _cluster(self, node: int) -> str:
        size, names = int(self.tree.sizes[node]), self._names
        if size == 1:
            return f"{names.disc} {count(int(self.tree.discs_of(node)[0]))}"
        return f"a cluster of {count(size)} {names.discs}"

    def _merge(self, merge: int) -> str:
        tree = self.tree
        one, two = (self._cluster(int(node)) for node in tree.children[merge])
        i, j = (count(int(disc)) for disc in tree.pairs[merge])
        time = simulation_time(float(tree.time[merge]))
        return f"t = {time}: {one} and {two} met, at {self._names.discs} {i} and {j}."
