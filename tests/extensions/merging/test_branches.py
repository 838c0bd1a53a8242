"""The branches of a tree of merges, and the words about it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from aggviewer.extensions.merging.branches import LEVELS, Branches, HistoryAsked, MergeHistoryShown, MergeHit
from engine.merges import MergeLog
from tests.extensions.merging.trees import branches_of, tree_of


@settings(max_examples=60)
@given(st.integers(2, 40), st.integers(0, 10_000), st.integers(1, 3))
def test_branches_are_the_clusters_that_keep_their_place(count: int, seed: int, left: int) -> None:
    tree = tree_of(count, seed, left=min(left, count))
    for root in tree.roots.tolist():
        branches = Branches.of(tree, root)
        discs = [tree.lowest[leaf] for leaf in tree.leaves_of(root)]
        assert branches.count == tree.leaf_counts[root]
        assert branches.sizes[0] == tree.sizes[root]
        assert np.array_equal(branches.merges, tree.merges_of(root))
        for branch, disc in enumerate(discs):
            for time in (0.0, *tree.time[tree.merges_of(root)]):
                node = branches.node_at(branch, time)
                if time < branches.ends[branch]:
                    assert tree.node_of(disc, time) == node  # the first disc of a branch is always in it
                    assert tree.sizes[node] <= branches.sizes[branch]
            if branch:
                into = branches.into[branch]
                assert into < branch
                assert branches.sizes[branch] <= branches.sizes[into]
                merge = branches.merge[branch]
                assert branches.ends[branch] == tree.time[merge]
                assert branches.branch_of(merge) == into


@settings(max_examples=60)
@given(st.integers(2, 60), st.integers(0, 10_000), st.integers(1, 12))
def test_lines_of_branches_never_cross(count: int, seed: int, least: int) -> None:
    """Where a branch joins another one, no branch between the two goes on."""
    branches = branches_of(count, seed)
    rows = branches.with_rows(least)
    assert rows[0] == 0
    place = {int(branch): row for row, branch in enumerate(rows)}
    for branch in rows[1:].tolist():
        above, below = place[int(branches.into[branch])], place[branch]
        between = rows[above + 1 : below]
        assert (branches.ends[between] <= branches.ends[branch]).all()
        assert (branches.ends[branch] <= branches.ends[rows[above]]).all()


def test_a_chain_has_one_branch_that_takes_up_all_others() -> None:
    branches = branches_of(30, chain=True)
    assert (branches.into[1:] == 0).all()
    assert (np.diff(branches.ends[1:]) >= 0.0).all()
    assert np.array_equal(branches.step_sizes, np.arange(2, 31))


@settings(max_examples=40)
@given(st.integers(2, 60), st.integers(0, 10_000))
def test_the_pieces_of_a_branch_go_from_its_beginning_to_its_end_and_get_thicker(count: int, seed: int) -> None:
    branches = branches_of(count, seed)
    branch, begin, end, level = branches.pieces
    for one in range(count):
        own = branch == one
        assert (begin[own][0], end[own][-1]) == (branches.tree.since, branches.ends[one])
        assert np.array_equal(begin[own][1:], end[own][:-1])
        assert (np.diff(level[own]) > 0).all()
    assert level.max() == LEVELS - 1


@settings(max_examples=40)
@given(st.integers(2, 60), st.integers(0, 10_000))
def test_keys_reach_merges_in_order(count: int, seed: int) -> None:
    branches = branches_of(count, seed)
    merges, last = branches.merges, int(branches.merges[-1])

    def go(merge: int, along: int, down: int) -> int | None:
        return branches.next_merge(merges, merge, along, down, np.asarray)

    assert go(-1, 0, 1) == last, "the keyboard is nowhere yet"
    for merge in merges.tolist():
        own = branches.branch_of(merge)
        later, earlier = go(merge, 1, 0), go(merge, -1, 0)
        assert (later is None) == (merge == last)
        assert later is None or (later > merge and branches.branch_of(later) in (own, branches.into[own]))
        assert earlier is None or (earlier < merge and branches.branch_of(earlier) == own)
        above, below = go(merge, 0, -1), go(merge, 0, 1)
        assert above is None or branches.branch_of(above) < own
        assert below is None or branches.branch_of(below) > own
        assert (above is None) == (own == 0)


# words


def history(pairs: list[tuple[int, int]], disc: int = 0, until: float = np.inf, lanes: int = 1) -> MergeHistoryShown:
    """The history of a disc of five, of which two met at each full second."""
    log = MergeLog(
        np.arange(1.0, 1.0 + len(pairs)), np.array(pairs, np.int32).reshape(-1, 2), np.arange(5, dtype=np.int32)
    )
    found: Any = SimpleNamespace(
        lane=lanes - 1, lanes=lanes, disc_set=SimpleNamespace(count=5, box=np.ones(2)), log=log
    )
    made = MergeHistoryShown.of(HistoryAsked(lanes - 1, disc, until), found)
    assert made is not None
    return made


def test_whose_history_it_is() -> None:
    pairs = [(0, 1), (2, 3), (0, 2)]
    assert history(pairs).head(0) == "Cluster of 4 discs: 3 merges, the last at t = 3.00."
    assert history(pairs, until=2.5).head(0) == (
        "Cluster of 2 discs: 1 merge, the last at t = 1.00; as it was at t = 2.50."
    )
    assert history(pairs, lanes=2).head(2) == (
        "Right: Cluster of 4 discs: 3 merges, the last at t = 3.00. 2 small branches hidden; use the wheel to see more."
    )
    alone = history(pairs, disc=4)
    assert alone.head(0) == "Disc 4 alone."
    assert alone.without_merges() == "Disc 4 has not merged yet. Its history starts with its first merge."
    assert history(pairs).without_merges() == ""


def test_branches_of_a_merge_tree_are_found_at_their_places() -> None:
    made = history([(0, 1), (2, 3), (1, 2)])
    merge = MergeHit(0, 3.0, 2)
    met = "t = 3.00: a cluster of 2 discs and a cluster of 2 discs met, at discs 1 and 2."
    assert made.describe(merge) == met
    branch = made.branches.branch_of(1)
    assert made.describe(MergeHit(branch, 2.5)) == (
        "t = 2.50: a cluster of 2 discs, which joins a cluster of 2 discs at t = 3.00."
    )
    assert made.describe(MergeHit(0, 0.5)) == "t = 0.50: disc 0, the largest part of this one."
    assert made.where(merge, None, None) == met
    assert made.where(merge, 2.9, 0.0) == f"{met} Shown: t = 2.90, the last stored frame before it."
    assert made.where(merge, 4.0, 4.0) == (
        f"{met} The stored frames start at t = 4.00, which is shown. Restart (R) to see this moment."
    )
    assert (
        made.where(MergeHit(0, 0.5), 0.4, 0.0) == "t = 0.50: disc 0. Shown: t = 0.40, the last stored frame before it."
    )


def test_a_history_goes_on_with_the_same_question_and_the_same_discs() -> None:
    first, second = history([(0, 1)]), history([(0, 1), (1, 2)])
    assert not second.follows(None)
    assert not second.follows(first), "other discs"
    asked = HistoryAsked(0, 0)
    before, after = (MergeHistoryShown.of(asked, first.found) for _ in range(2))
    assert after is not None
    assert after.follows(before)
