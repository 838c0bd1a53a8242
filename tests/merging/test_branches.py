"""The branches of a tree of merges, their plot and files."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PyQt6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from aggviewer.merging.branches import LEVELS, Branches
from aggviewer.merging.files import write
from aggviewer.merging.item import ROW, MergeAxis, MergeHit
from aggviewer.merging.plot import MergePlot
from engine.errors import InputError
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


@settings(max_examples=60, deadline=None, derandomize=True)
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


@settings(max_examples=60, deadline=None, derandomize=True)
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


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(2, 60), st.integers(0, 10_000), st.integers(1, 12))
def test_branches_with_many_rows_are_as_many_rows_apart(count: int, seed: int, least: int) -> None:
    branches = branches_of(count, seed)
    assert branches.rows[0] == count
    shown = branches.with_rows(least)
    assert shown[0] == 0
    assert (np.diff(shown) >= least).all()
    assert len(branches.with_rows(1)) == count


def test_a_chain_has_one_branch_that_takes_up_all_others() -> None:
    branches = branches_of(30, chain=True)
    assert (branches.into[1:] == 0).all()
    assert (np.diff(branches.ends[1:]) >= 0.0).all()
    assert np.array_equal(branches.step_sizes, np.arange(2, 31))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(2, 60), st.integers(0, 10_000))
def test_the_pieces_of_a_branch_go_from_its_beginning_to_its_end_and_get_thicker(count: int, seed: int) -> None:
    branches = branches_of(count, seed)
    branch, begin, end, level = branches.pieces()
    for one in range(count):
        own = branch == one
        assert (begin[own][0], end[own][-1]) == (branches.tree.since, branches.ends[one])
        assert np.array_equal(begin[own][1:], end[own][:-1])
        assert (np.diff(level[own]) > 0).all()
    assert level.max() == LEVELS - 1


def test_the_axis_of_time() -> None:
    branches = branches_of(80)
    assert branches.gathers_early
    times = branches.step_times
    for log in (False, True):
        axis = MergeAxis.of(branches, log)
        assert axis.log == log
        inside = times[times > axis.low]
        np.testing.assert_allclose([axis.time(x) for x in axis.place(inside)], inside, rtol=1e-9)
        assert axis.low <= inside.min() < inside.max() < axis.high
    at_once = merge_tree(MergeLog(np.zeros(2), np.array([[0, 1], [1, 2]], np.int32), np.arange(3, dtype=np.int32)))
    axis = MergeAxis.of(Branches.of(at_once, 4), True)
    assert not axis.log
    assert axis.high > axis.low


@pytest.fixture
def plot(qtbot: QtBot) -> MergePlot:
    made = MergePlot()
    qtbot.addWidget(made)
    made.resize(900, 240)
    made.show()
    return made


@pytest.mark.parametrize("log", [False, True])
def test_what_is_at_a_place_of_the_plot(plot: MergePlot, log: bool) -> None:
    branches = branches_of(500, 3)
    plot.show_branches(branches, log)
    tree = plot.tree
    assert 2 < len(tree.shown) < 100
    for merge in tree.shown_merges.tolist():
        hit = tree.hit(tree.place(merge))
        assert hit is not None
        assert tree.place(hit.merge) == tree.place(merge)  # of two merges at one place either may be found
    branch = int(tree.shown[-1])
    x = 0.5 * (tree.boundingRect().left() + float(tree.axis.place(branches.ends[branch])))
    hit = tree.hit(QPointF(x, branch))
    assert hit == MergeHit(branch, tree.axis.time(x))
    assert tree.hit(QPointF(tree.boundingRect().right(), branch)) is None
    nowhere = plot.plotItem.vb.mapToView(QPointF(10.0, 0.5))
    assert tree.hit(nowhere) is None
    before = len(tree.shown)
    for _ in range(40):
        plot.zoom(1.25)
    assert len(tree.shown) > before
    plot.show_all()
    assert len(tree.shown) == before


def test_a_hundred_thousand_discs_have_few_pieces_to_be_painted(plot: MergePlot) -> None:
    count = 100_000
    rng = np.random.default_rng(2)
    pairs = np.stack([np.arange(1, count), rng.integers(0, np.arange(1, count))], axis=1).astype(np.int32)
    log = MergeLog(np.sort(rng.exponential(1.0, count - 1)), pairs, np.arange(count, dtype=np.int32))
    tree = merge_tree(log)
    branches = Branches.of(tree, len(tree.parent) - 1)
    plot.show_branches(branches, True)
    assert 1 <= len(plot.tree.shown) <= 240 / ROW + 1
    assert np.isin(branches.pieces()[0], plot.tree.shown).sum() <= LEVELS * len(plot.tree.shown)


def test_pictures_and_tables_are_written(plot: MergePlot, tmp_path: Path) -> None:
    branches = branches_of(60)
    plot.show_branches(branches, True)
    begins = {".svg": b"<?xml", ".pdf": b"%PDF", ".png": b"\x89PNG", ".nwk": b"(", ".csv": b"time"}
    for ending, first in begins.items():
        path = tmp_path / f"merges{ending}"
        write(path, branches, plot.tree.axis, plot.seen)
        assert path.read_bytes().startswith(first)
    assert len(re.findall(r"d\d+:", (tmp_path / "merges.nwk").read_text())) == 60
    with pytest.raises(InputError, match=r"must end in one of \.csv"):
        write(tmp_path / "merges.txt", branches, plot.tree.axis, plot.seen)
