"""The merge history of a disc's cluster, and its description in words. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from aggviewer.extensions.merging.branches import Branches
from aggviewer.session.data import MergesFound
from aggviewer.style.numbers import count, simulation_time
from aggviewer.style.things import named

if TYPE_CHECKING:
    from engine.merges import MergeTree

CLICK = "Click a merge, or a branch at any time, to look back at it."


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

    asked: HistoryAsked
    found: MergesFound
    tree: MergeTree
    branches: Branches
    took: float

    @staticmethod
    def of(asked: HistoryAsked, found: MergesFound) -> MergeHistoryShown | None:
        """The requested history; None if there is no record of merges. InputError for a damaged record."""
        if found.log is None or asked.disc >= found.system.count:
            return None
        from engine.merges import merge_tree  # imports numba, which would slow down the start of the window

        begun = perf_counter()
        tree = merge_tree(found.log)
        branches = Branches.of(tree, tree.node_of(asked.disc, asked.until))
        return MergeHistoryShown(asked, found, tree, branches, perf_counter() - begun)

    def follows(self, before: MergeHistoryShown | None) -> bool:
        """Whether this is a continuation of an earlier history."""
        return before is not None and before.asked is self.asked and before.found.system is self.found.system

    def node_of(self, hit: MergeHit) -> int:
        """The tree node of something in the plot."""
        if hit.merge >= 0:
            return self.tree.leaf_count + hit.merge
        return self.branches.node_at(hit.branch, hit.time)

    # words

    def named(self, text: str) -> str:
        """One of the texts below, which are about discs; in space the same about spheres."""
        return named(text, len(self.found.system.box))

    def head(self, hidden: int) -> str:
        """A heading that says whose history it is. hidden : number of branches too small to draw."""
        tree, branches = self.tree, self.branches
        side = "" if self.found.lanes < 2 else ("Left: ", "Right: ")[self.found.lane]
        size, merges = int(tree.sizes[branches.node]), branches.count - 1
        words = f"{side}Disc {count(self.asked.disc)} alone" if size == 1 else f"{side}Cluster of {count(size)} discs"
        if merges:
            words += f": {count(merges)} merge{'s' if merges > 1 else ''}"
            words += f", the last at t = {simulation_time(branches.last)}"
        if not isinf(self.asked.until):
            words += f"; as it was at t = {simulation_time(self.asked.until)}"
        if hidden:
            words += f". {count(hidden)} small branch{'es' if hidden > 1 else ''} hidden; use the wheel to see more"
        if tree.since > 0.0:
            words += f". Merges before t = {simulation_time(tree.since)} are not recorded"
        return f"{words}."

    def without_merges(self) -> str:
        """Why there is nothing to draw; "" if there is something."""
        size, disc = int(self.tree.sizes[self.branches.node]), count(self.asked.disc)
        if self.branches.count > 1:
            return ""
        words = f"Disc {disc} has not merged yet"
        if size > 1:
            words = (
                f"The {count(size)} discs around disc {disc} have been one cluster from the start and have not merged "
                "yet"
            )
        return f"{words}. Its history starts with its first merge."

    def told(self, hit: MergeHit) -> str:
        """Describe something in the plot."""
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
            begin = f"The stored past starts at t = {simulation_time(kept)}, shown here"
            return f"{what} {begin}: restart (R) to see it."
        if shown > hit.time:
            return what
        return f"{what} Shown: t = {simulation_time(shown)}, the last stored moment before it."

    def _cluster(self, node: int) -> str:
        size = int(self.tree.sizes[node])
        return f"disc {count(int(self.tree.discs_of(node)[0]))}" if size == 1 else f"a cluster of {count(size)} discs"

    def _merge(self, merge: int) -> str:
        tree = self.tree
        one, two = (self._cluster(int(node)) for node in tree.children[merge])
        i, j = (count(int(disc)) for disc in tree.pairs[merge])
        return f"t = {simulation_time(float(tree.time[merge]))}: {one} and {two} met, at discs {i} and {j}."
