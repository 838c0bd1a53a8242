"""The branches of a tree of merges, how they are laid out, and what is found under the mouse."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PyQt6.QtCore import QPointF, QSize
from PyQt6.QtGui import QFont, QImage, QPainter

from aggviewer.merging.branches import Branches
from aggviewer.merging.drawing import ROW, Drawing, Scale, Seen, scale_of, wants_log
from aggviewer.style.theme import DARK
from engine.merges import MergeLog, MergeTree, merge_tree

SIZE = QSize(900, 240)


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


def drawn(branches: Branches, *, log: bool = False, seen: Seen | None = None) -> Drawing:
    return Drawing(branches, scale_of(branches, log), seen or Seen(), SIZE.width(), SIZE.height(), QFont())


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
                    assert branches.sizes_at(branch, np.array([time]))[0] == tree.sizes[node]
            if branch:
                into = branches.into[branch]
                assert into < branch
                assert branches.sizes[branch] <= branches.sizes[into]
                merge = branches.merge[branch]
                assert branches.ends[branch] == tree.time[merge]
                assert (branches.branch_of(merge), branches.joining(merge)) == (into, branch)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(2, 60), st.integers(0, 10_000), st.integers(1, 12))
def test_lines_of_branches_never_cross(count: int, seed: int, least: int) -> None:
    """Where a branch joins another one, no branch between the two goes on."""
    branches = branches_of(count, seed)
    rows = branches.of_size(least)
    assert rows[0] == 0
    place = {int(branch): row for row, branch in enumerate(rows)}
    for branch in rows[1:].tolist():
        above, below = place[int(branches.into[branch])], place[branch]
        between = rows[above + 1 : below]
        assert (branches.ends[between] <= branches.ends[branch]).all()
        assert (branches.ends[branch] <= branches.ends[rows[above]]).all()


@pytest.mark.parametrize("rows", [1, 2, 7, 20, 60, 100])
def test_as_many_branches_as_there_is_room_for(rows: int) -> None:
    branches = branches_of(60)
    least = branches.smallest(rows)
    shown = branches.of_size(least)
    assert 1 <= len(shown) <= rows
    assert (np.sort(branches.sizes)[::-1][: len(shown)] >= least).all()
    assert least == 1 or len(branches.of_size(least - 1)) > rows


def test_a_chain_has_one_branch_that_takes_up_all_others() -> None:
    branches = branches_of(30, chain=True)
    assert (branches.into[1:] == 0).all()
    assert (np.diff(branches.ends[1:]) >= 0.0).all()
    assert np.array_equal(branches.sizes_at(0, np.append(0.0, branches.ends[1:])), np.arange(1, 31))


def test_the_axis_of_time() -> None:
    branches = branches_of(80)
    assert wants_log(branches)
    times = branches.step_times
    for log in (False, True):
        scale = scale_of(branches, log)
        assert scale.log == log
        shares = scale.share(times)
        assert (shares < 1.0).all()
        inside = times[times > scale.low]
        np.testing.assert_allclose(scale.time(scale.share(inside)), inside, rtol=1e-9)
        ticks = scale.ticks(0.0, 1.0, 8)
        assert 2 <= len(ticks) <= 9
        assert all(scale.low <= tick <= scale.high * (1 + 1e-12) for tick in ticks)
        assert ticks == sorted(ticks)
    assert Scale(False, 0.0, 1.0).ticks(0.0, 1.0, 5) == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert Scale(True, 0.1, 100.0).ticks(0.0, 1.0, 5) == pytest.approx([0.1, 1.0, 10.0, 100.0])
    narrow = Scale(True, 10.0, 12.0).ticks(0.0, 1.0, 4)
    assert len(narrow) >= 2
    at_once = merge_tree(MergeLog(np.zeros(2), np.array([[0, 1], [1, 2]], np.int32), np.arange(3, dtype=np.int32)))
    scale = scale_of(Branches.of(at_once, 4), True)
    assert not scale.log
    assert scale.high > scale.low


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("log", [False, True])
def test_what_is_under_the_mouse(log: bool) -> None:
    branches = branches_of(500, 3)
    drawing = drawn(branches, log=log)
    assert len(drawing.rows) * drawing.pitch <= drawing.room + 1e-9
    assert drawing.least > 1
    places = [drawing.place(int(merge)) for merge in drawing.shown_merges]
    for merge, place in zip(drawing.shown_merges.tolist(), places, strict=True):
        assert place is not None
        hit = drawing.hit(place)
        assert hit is not None
        # of two merges at the same pixel either may be found
        found = drawing.place(hit.merge)
        assert found is not None
        assert (found - place).manhattanLength() < 1.0
        if (found - place).manhattanLength() > 0.0:
            continue
        assert hit.time == branches.tree.time[merge]
    row = len(drawing.rows) - 1
    branch = int(drawing.rows[row])
    x, y = drawing.left + 0.25 * (float(drawing.x(branches.ends[branch])) - drawing.left), float(drawing.y(row))
    hit = drawing.hit(QPointF(x, y))
    assert hit is not None
    assert (hit.branch, hit.merge) == (branch, -1)
    assert float(drawing.x(hit.time)) == pytest.approx(x, abs=1e-6)
    assert drawing.hit(QPointF(drawing.right - 1.0, y)) is None or branches.ends[branch] > drawing.scale.high
    assert drawing.hit(QPointF(2.0, y)) is None
    hidden = next(merge for merge in branches.merges.tolist() if merge not in drawing.shown_merges)
    assert drawing.place(hidden) is None


@pytest.mark.usefixtures("qapp")
def test_more_detail_shows_smaller_branches_up_to_all_of_them() -> None:
    branches = branches_of(500, 3)
    before = drawn(branches)
    for detail in (2.0, 5.0, before.most_detail):
        drawing = drawn(branches, seen=Seen(detail=detail))
        assert drawing.least <= before.least
        assert len(drawing.rows) > len(before.rows)
        assert drawing.pitch >= ROW - 1e-9
        before = drawing
    assert (before.least, len(before.rows)) == (1, 500)


def calls(work: Callable[[], object]) -> int:
    """How many functions a piece of work calls, of Python and of C: a machine that is busy makes no more of them."""
    count = 0

    def called(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def painted(drawing: Drawing) -> QImage:
    image = QImage(SIZE, QImage.Format.Format_RGB32)
    image.fill(0)
    with QPainter(image) as page:
        drawing.paint(page, DARK, now=1.0, chosen=drawing.branches.node, hot=-1, focus=-1)
    return image


@pytest.mark.usefixtures("qapp")
def test_a_hundred_thousand_discs_are_put_in_order_and_painted_with_as_many_calls_as_ten_thousand() -> None:
    """Nothing is done for each disc in Python."""
    took: list[tuple[int, int]] = []
    for count in (10_000, 100_000):
        rng = np.random.default_rng(2)
        # cluster k and one before it, so that there are large and small ones
        pairs = np.stack([np.arange(1, count), rng.integers(0, np.arange(1, count))], axis=1).astype(np.int32)
        log = MergeLog(np.sort(rng.exponential(1.0, count - 1)), pairs, np.arange(count, dtype=np.int32))
        tree = merge_tree(log)
        seen = Seen(detail=drawn(Branches.of(tree, len(tree.parent) - 1)).most_detail, top=1000.0)

        def make(log: MergeLog = log, seen: Seen = seen) -> Drawing:
            tree = merge_tree(log)
            return drawn(Branches.of(tree, len(tree.parent) - 1), seen=seen)

        drawing = make()
        assert len(drawing.rows) == count
        painted(drawing)  # computes the layout
        again = replace(drawing)
        took.append((calls(make), calls(lambda again=again: painted(again))))
    (small, small_paint), (large, large_paint) = took
    assert large < 2 * small
    assert large_paint < 2 * small_paint


@pytest.mark.usefixtures("qapp")
def test_what_stands_at_the_same_pixels_is_painted_once() -> None:
    """A chain of 20 000 merges on one branch, seen from its top: as many dots and lines as there are pixels."""

    class Counting(QPainter):
        lines = dots = 0

        def drawLine(self, *args: object) -> None:
            self.lines += 1

        def drawEllipse(self, *args: object) -> None:
            self.dots += 1

    branches = branches_of(20_000, chain=True)
    for top in (0.0, 4000.0):
        drawing = drawn(branches, log=True, seen=Seen(detail=1e9, top=top))
        assert len(drawing.rows) == 20_000
        image = QImage(SIZE, QImage.Format.Format_RGB32)
        with Counting(image) as page:
            drawing.paint(page, DARK, now=None)
        most = SIZE.width() + 2 * len(drawing._rows_in_view()) + 20  # and the axis
        assert 20 < page.lines <= most
        assert page.dots <= most
        assert (page.dots > 20) == (top == 0.0)


@pytest.mark.usefixtures("qapp")
def test_the_chosen_part_has_the_accent() -> None:
    branches = branches_of(40, 4)
    drawing = drawn(branches)
    image = painted(drawing)
    accent = int(DARK.accent.removeprefix("#"), 16)
    row = float(drawing.y(0))
    x = 0.5 * (drawing.left + float(drawing.x(branches.last)))
    assert image.pixel(round(x), round(row)) & 0xFFFFFF == accent
    beyond = round(float(drawing.x(branches.last)) + 12.0)
    assert image.pixel(beyond, round(row)) & 0xFFFFFF == int(DARK.muted.removeprefix("#"), 16)
