"""The shared kernels against plain twins."""

from __future__ import annotations

import heapq

import mpmath
import numpy as np
import pytest

from engine.geometry import box_tree, event_heap, impact
from engine.geometry.box_tree import DISC, SPACE_DISC, allocate_nodes
from engine.geometry.impact import NODE_PAIR
from engine.geometry.impact import tree_impact as tree_impact_part
from engine.geometry.morton import morton_order
from engine.geometry.tree_build import JOB, KEPT, LARGE, PART, SPACE_PART
from engine.geometry.tree_build import build_tree as build_tree_part
from engine.geometry.vectors import minus, place, plus
from engine.kernels import kernel
from engine.records import along

(
    insert_subtree,
    store_leaf,
    translate_tree,
    heap_remove,
    heap_second_key,
    heap_set,
    box_entry,
    disc_impact,
    reciprocals,
) = (
    kernel(part.py_func)
    for part in (
        *(box_tree.insert_subtree, box_tree.store_leaf, box_tree.translate_tree),
        *(event_heap.heap_remove, event_heap.heap_second_key, event_heap.heap_set),
        *(impact.box_entry, impact.disc_impact, impact.reciprocals),
    )
)
build_tree, tree_impact = kernel(build_tree_part.py_func), kernel(tree_impact_part.py_func)


def test_event_heap_against_heapq():
    rng = np.random.default_rng(1)
    owners = 200
    key, owner, slot = np.zeros(owners), np.zeros(owners, np.int32), np.full(owners, -1, np.int32)
    n = 0
    current: dict[int, float] = {}
    for _ in range(8_000):
        o = int(rng.integers(owners))
        what = rng.random()
        if what < 0.7:
            t = float(rng.integers(50)) if rng.random() < 0.5 else float(rng.random() * 50)
            n = heap_set(key, owner, slot, n, o, t)
            current[o] = t
        elif what < 0.85:
            n = heap_remove(key, owner, slot, n, o)
            current.pop(o, None)
        elif n:
            first = (key[0], owner[0])
            assert first == min((t, o) for o, t in current.items())
            second = heap_second_key(key, n)
            assert second == (sorted(current.values())[1] if n > 1 else np.inf)
        assert n == len(current)
    order = []
    while n:
        order.append((key[0], int(owner[0])))
        n = heap_remove(key, owner, slot, n, owner[0])
    plain = [(t, o) for o, t in current.items()]
    heapq.heapify(plain)
    assert order == [heapq.heappop(plain) for _ in range(len(plain))]
    assert (slot == -1).all()


@pytest.mark.parametrize("dimensions", [2, 3])
def test_disc_impact_against_high_precision(dimensions):
    rng = np.random.default_rng(2)
    with mpmath.workdps(60):
        for k in range(2000 if dimensions == 2 else 800):
            d, u = rng.normal(size=dimensions) * 3, rng.normal(size=dimensions)
            sigma = rng.uniform(0.1, 1.5)
            if k % 4 == 0:
                # near-glancing: the impact parameter is sigma give or take a little
                offset = sigma * (1 + rng.choice([-1, 1]) * 10.0 ** -rng.uniform(1, 9))
                u, aside = np.linalg.qr(rng.normal(size=(dimensions, 2)))[0].T
                d = -3 * u + offset * aside
            a, b, c = (mpmath.fdot(map(mpmath.mpf, one), map(mpmath.mpf, two)) for one, two in ((u, u), (d, u), (d, d)))
            c -= mpmath.mpf(sigma) ** 2
            found = disc_impact(tuple(d), tuple(u), sigma, 0.0, False)
            if c <= 0:
                assert found == (0.0 if b < 0 else np.inf)
            elif b >= 0 or b * b - a * c < 0:
                if found != np.inf:
                    # only within rounding of grazing
                    assert abs(b * b - a * c) < 1e-12 * b * b
            else:
                exact = (-b - mpmath.sqrt(b * b - a * c)) / a
                # a grazing root is only as good as the square root of rounding
                tolerance = 1e-13 + 1e-15 * float(b * b / (b * b - a * c)) if b * b > a * c else 1e-6
                assert float(abs(found - exact) / exact) < tolerance


def test_growing_discs_bound_every_velocity_of_the_envelope():
    rng = np.random.default_rng(3)
    for _ in range(3000):
        dimensions = int(rng.integers(2, 4))
        d, u, way = rng.normal(size=(3, dimensions)) * [[3], [1], [1]]
        sigma, w = rng.uniform(0.1, 1.0), rng.uniform(0.01, 1.0)
        bound = disc_impact(tuple(d), tuple(u), sigma, w, False)
        other = u + way / np.linalg.norm(way) * w * np.sqrt(rng.random())
        exact = disc_impact(tuple(d), tuple(other), sigma, 0.0, False)
        assert bound <= exact * (1 + 1e-12)


def test_box_entry_against_sampling():
    rng = np.random.default_rng(4)
    times = np.linspace(0, 5, 2001)
    for k in range(400):
        axes = 2 + k // 2 % 2
        a, b = rng.normal(size=(2, axes)), rng.normal(size=(2, axes))
        a.sort(axis=0)
        b.sort(axis=0)
        b += rng.normal(size=axes) * 2
        u = rng.normal(size=axes) * (rng.random(axes) < 0.8)
        w = 0.0 if k % 2 else rng.uniform(0, 0.5)
        low = b[0] - a[1]
        high = b[1] - a[0]
        q = tuple(u - w), tuple(u + w)
        enter, leave = box_entry(tuple(low), tuple(high), *q, *(reciprocals(x) for x in q))
        meets = np.ones(len(times), bool)
        for d in range(axes):
            meets &= (low[d] + times * (u[d] - w) <= 0) & (high[d] + times * (u[d] + w) >= 0)
        inside = (times >= enter) & (times <= leave)
        edge = np.minimum(np.abs(times - enter), np.abs(times - leave)) < 1e-9
        assert (inside == meets)[~edge].all()


@kernel
def first_of_all_pairs(discs, ia, ib, offset, u, slack):
    """Time, disc and disc of the first impact, from all pairs; slack : as in `tree_impact`."""
    best, first, second = np.inf, -1, -1
    for p in ia:
        for q in ib:
            apart = minus(plus(place(discs[q]), offset), place(discs[p]))
            sigma = discs[p].radius + discs[q].radius + slack
            t = impact.disc_impact(apart, u, sigma, 0.0, slack > 0.0)
            if t < best:
                best, first, second = t, p, q
    return best, first, second


class Trees:
    """Two clusters of discs or spheres with their trees, as the engine keeps them."""

    def __init__(self, sizes, rng, build, dimensions=2):
        n = sum(sizes)
        self.dimensions, self.axes = dimensions, along("", dimensions)
        self.discs = np.zeros(n, DISC if dimensions == 2 else SPACE_DISC)
        for axis, values in zip(self.axes, (rng.normal(size=(n, dimensions)) * np.sqrt(n)).T, strict=True):
            self.discs[axis] = values
        self.discs["radius"] = rng.uniform(0.2, 1.0, n)
        self.nodes = allocate_nodes(n, dimensions=dimensions)
        self.scratch = np.zeros(3 * n + 24, np.int32)
        pair = n
        self.roots = []
        first = 0
        for size in sizes:
            ids = np.arange(first, first + size)
            for i in ids:
                store_leaf(self.nodes, self.discs, i, i)
                if i > first:
                    insert_subtree(self.nodes, self.scratch, first, i, pair)
                    pair += 2
            if build and size > 1:
                self.build(first)
            self.roots.append((first, ids))
            first += size

    def build(self, root):
        """Build the tree at `root` anew; returns of how many parts."""
        n, s = len(self.discs), self.scratch
        parts, jobs = np.zeros(2 * n, PART if self.dimensions == 2 else SPACE_PART), np.zeros(n + 8, JOB)
        return build_tree(self.nodes, self.discs, parts, s[:n], s[n : 2 * n], jobs, s[2 * n :], root)

    def places(self):
        """(N, d)"""
        return np.stack([self.discs[axis] for axis in self.axes], axis=1)

    def corners(self, k):
        """The lowest and the highest corner of a node's box."""
        low, high = (np.array([self.nodes[k][axis + end] for axis in self.axes], float) for end in ("_min", "_max"))
        return low, high

    def check(self, root, ids):
        found = []

        def walk(k):
            low, high = self.corners(k)
            child, size_here = (int(self.nodes[k][name]) for name in ("left", "size"))
            if child < 0:
                i = ~child
                found.append(i)
                x, r = self.places()[i], self.discs["radius"][i]
                assert (low <= x - r).all()
                assert (high >= x + r).all()
                assert size_here == 1
                return 1
            for c in (child, child + 1):
                inner_low, inner_high = self.corners(c)
                assert (low <= inner_low).all()
                assert (high >= inner_high).all()
            size = walk(child) + walk(child + 1)
            assert size_here == size
            return size

        walk(root)
        assert sorted(found) == list(ids)


@pytest.mark.parametrize("build", [False, True])
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("sizes", [(1, 1), (2, 5), (40, 17), (200, 90)])
def test_trees_hold_their_discs_and_meet_when_their_discs_do(sizes, build, dimensions):
    rng = np.random.default_rng(sum(sizes))
    for _ in range(5 if sum(sizes) < 100 else 1):
        trees = Trees(sizes, rng, build, dimensions)
        for root, ids in trees.roots:
            trees.check(root, ids)
        (a, ia), (b, ib) = trees.roots
        offset = rng.normal(size=dimensions) * 4 * np.sqrt(sum(sizes))
        u = tuple(-offset / np.linalg.norm(offset) + rng.normal(size=dimensions) * 0.3)
        offset = tuple(offset)
        n = sum(sizes)
        walk = (trees.nodes, trees.discs, np.zeros(n + 8, NODE_PAIR), a, b, offset, u, 0.0)
        for slack in (0.0, 0.1):
            t, i, j, _, _ = tree_impact(*walk, slack, 1e9)
            best = first_of_all_pairs(trees.discs, ia, ib, offset, u, slack)
            assert t == best[0]
            if t > 0 and np.isfinite(t):
                assert (i, j) == best[1:]


def test_with_slack_what_touches_meets_now_also_at_rest_and_receding():
    trees = Trees((1, 1), np.random.default_rng(1), False)
    trees.discs["x"], trees.discs["y"], trees.discs["radius"] = [0.0, 1.0], 0.0, 0.5 + 1e-12
    for i in range(2):
        store_leaf(trees.nodes, trees.discs, i, i)
    walk = (trees.nodes, trees.discs, np.zeros(10, NODE_PAIR), 0, 1)
    for u in ((0.0, 0.0), (1.0, 0.0)):
        assert tree_impact(*walk, (0.0, 0.0), u, 0.0, 0.0, 1e9)[0] == np.inf
        assert tree_impact(*walk, (0.0, 0.0), u, 0.0, 1e-9, 1e9)[0] == 0.0
        assert tree_impact(*walk, (1e-6, 0.0), u, 0.0, 1e-9, 1e9)[0] == np.inf


def test_a_translated_tree_still_holds_its_discs():
    rng = np.random.default_rng(8)
    trees = Trees((60, 1), rng, True)
    root, ids = trees.roots[0]
    label = np.zeros(61, np.int32)
    before = trees.places()[ids]
    total = np.zeros(2)
    for _ in range(30):
        step = rng.normal(size=2) * 1000
        total += step
        translate_tree(trees.nodes, trees.discs, label, trees.scratch, root, tuple(step), 7)
        trees.check(root, ids)
    np.testing.assert_allclose(trees.places()[ids], before + total, atol=1e-9)
    assert (label[ids] == 7).all()


def extents(trees, root):
    """Half the perimeters of all boxes of a tree, summed, without those of its discs."""
    node = trees.nodes[root]
    if node["left"] < 0:
        return 0.0
    below = sum(extents(trees, node["left"] + side) for side in range(2))
    return float(node["x_max"] - node["x_min"] + node["y_max"] - node["y_min"]) + below


@pytest.mark.parametrize("size", [200, LARGE, LARGE + 1, pytest.param(3 * LARGE, marks=pytest.mark.slow)])
def test_a_tree_that_is_built_anew_has_the_nodes_and_discs_it_had(size):
    trees = Trees((size, 3), np.random.default_rng(size), False)
    root, ids = trees.roots[0]
    used = set(node_numbers(trees, root))
    before = extents(trees, root)
    small = {tuple(sorted(discs)) for discs in largest_subtrees(trees, root, KEPT)}
    parts = trees.build(root)
    trees.check(root, ids)
    trees.check(*trees.roots[1])
    assert set(node_numbers(trees, root)) == used
    assert extents(trees, root) < 1.02 * before
    if size > LARGE:  # small subtrees are parts of the new tree as they are
        assert parts == len(small)
        assert small <= {tuple(sorted(discs)) for discs in subtrees(trees, root)}
    else:
        assert parts == size


def subtrees(trees, k):
    """The discs below each node of a tree, the root first."""
    left = int(trees.nodes[k]["left"])
    if left < 0:
        return [[~left]]
    one, two = subtrees(trees, left), subtrees(trees, left + 1)
    return [one[0] + two[0], *one, *two]


def largest_subtrees(trees, k, most):
    """The discs of each subtree of at most so many discs, without those that are in another."""
    if trees.nodes[k]["size"] <= most:
        return [subtrees(trees, k)[0]]
    left = int(trees.nodes[k]["left"])
    return largest_subtrees(trees, left, most) + largest_subtrees(trees, left + 1, most)


def node_numbers(trees, root):
    """The numbers of all nodes of a tree."""
    yield root
    left = int(trees.nodes[root]["left"])
    if left >= 0:
        yield from node_numbers(trees, left)
        yield from node_numbers(trees, left + 1)


def test_morton_order_is_a_permutation_that_keeps_neighbours_together():
    rng = np.random.default_rng(9)
    x = rng.uniform(0, 10, (4000, 2))
    order = morton_order(x, np.array([10.0, 10.0]))
    assert sorted(order) == list(range(4000))
    steps = np.linalg.norm(np.diff(x[order], axis=0), axis=1)
    assert np.median(steps) < 0.4


def test_overlapping_discs_that_recede_meet_now_where_all_that_overlap_do():
    """They recede at 0.1: known to 0.05 they never meet, known to 0.5 they may approach already."""
    u = (0.1, 0.0)
    assert disc_impact((1.9, 0.0), u, 2.0, 0.05, False) == np.inf
    assert disc_impact((1.9, 0.0), u, 2.0, 0.5, False) == 0.0
    assert disc_impact((1.9, 0.0), u, 2.0, 0.05, True) == 0.0
    assert disc_impact((2.0, 0.0), u, 2.0, 0.0, True) == 0.0  # touching
    assert disc_impact((2.1, 0.0), u, 2.0, 0.05, True) == np.inf
