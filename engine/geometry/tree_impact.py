"""Time of impact of two rigid, translating clusters: a walk down both of their box trees, for each image."""

from __future__ import annotations

from math import inf

from engine.geometry.box_tree import prefetch_below
from engine.geometry.minimum_image import images
from engine.geometry.swept import box_entry, disc_impact, reciprocal
from engine.kernels import inlined, inner
from engine.records import Record, Records, record

NODE_PAIR = record("f8 enter", "i4 a b")
"""Two nodes whose boxes meet: when they begin to overlap (time from now), and their numbers."""


@inlined
def push_pair(pair: Record, enter: float, a: int, b: int) -> None:
    """Push two nodes that are still to be visited."""
    pair.enter = enter
    pair.a = a
    pair.b = b


@inlined
def opened(one: Record, two: Record, a: int, b: int) -> tuple[int, int, int, int]:
    """The two pairs of nodes (a0, b0), (a1, b1) below the pair a, b, not both of which are discs: the node with the
    larger of their boxes, `one` and `two`, is opened."""
    left_a = one.left
    left_b = two.left
    if left_a < 0 or (
        left_b >= 0 and two.x_max - two.x_min + two.y_max - two.y_min > one.x_max - one.x_min + one.y_max - one.y_min
    ):
        return a, left_b, a, left_b + 1
    return left_a, b, left_a + 1, b


@inlined
def boxes_meet(
    one: Record,
    two: Record,
    dx: float,
    dy: float,
    slack: float,
    qx_low: float,
    qx_high: float,
    qy_low: float,
    qy_high: float,
    ix_low: float,
    ix_high: float,
    iy_low: float,
    iy_high: float,
) -> tuple[float, float]:
    """Interval of times (enter, leave) in which the boxes of two nodes, larger by `slack`, overlap.

    (dx, dy): origin of the second node's frame in that of the first; the other arguments are those of `box_entry`.
    """
    return box_entry(
        two.x_min + dx - one.x_max - slack, two.x_max + dx - one.x_min + slack,
        two.y_min + dy - one.y_max - slack, two.y_max + dy - one.y_min + slack,
        qx_low, qx_high, qy_low, qy_high, ix_low, ix_high, iy_low, iy_high,
    )  # fmt: skip


@inner
def tree_impact(
    nodes: Records,
    discs: Records,
    stack: Records,
    a: int,
    b: int,
    dx: float,
    dy: float,
    ux: float,
    uy: float,
    w: float,
    slack: float,
    limit: float,
) -> tuple[float, int, int, int, int]:
    """First impact of the trees at nodes `a` and `b` before `limit`, or with slack a lower bound of it.

    (dx, dy), (ux, uy): origin and velocity of b's frame relative to a's; `w` as in `swept`. slack : 0, or the distance
    (length) up to which discs count as touching; those that are as near meet now, receding ones too. Returns (time or
    inf, disc of a, disc of b, pairs of nodes visited, pairs of discs tested). Pairs of nodes are processed nearest in
    time first and dropped if they cannot meet before the best time so far. Of simultaneous impacts, that of the discs
    with the lowest numbers is returned, independent of how the trees are built. Scratch: stack (K,) of NODE_PAIR, K at
    least the depth of both trees.
    """
    if ux == 0.0 and uy == 0.0 and w == 0.0 and slack == 0.0:
        return inf, -1, -1, 0, 0
    qxl = ux - w
    qxh = ux + w
    qyl = uy - w
    qyh = uy + w
    ixl = reciprocal(qxl)
    ixh = reciprocal(qxh)
    iyl = reciprocal(qyl)
    iyh = reciprocal(qyh)
    best = limit
    bi = -1
    bj = -1
    visits = 0
    tests = 0
    enter, leave = boxes_meet(nodes[a], nodes[b], dx, dy, slack, qxl, qxh, qyl, qyh, ixl, ixh, iyl, iyh)
    if enter > leave or enter >= best:
        return inf, -1, -1, 1, 0
    top = 0
    push_pair(stack[0], enter, a, b)
    while top >= 0:
        pair = stack[top]
        top -= 1
        if pair.enter > best:
            continue
        a = pair.a
        b = pair.b
        visits += 1
        one = nodes[a]
        two = nodes[b]
        left_a = one.left
        left_b = two.left
        if left_a < 0 and left_b < 0:
            i = ~left_a
            j = ~left_b
            tests += 1
            p = discs[i]
            q = discs[j]
            sigma = p.radius + q.radius + slack
            t = disc_impact(q.x + dx - p.x, q.y + dy - p.y, ux, uy, sigma, w, slack > 0.0)
            if t < best or (t == best and bi >= 0 and (i < bi or (i == bi and j < bj))):
                best = t
                bi = i
                bj = j
                if best <= 0.0 and w + slack > 0.0:
                    # a bound that cannot be lower: its discs do not matter
                    break
            continue
        a0, b0, a1, b1 = opened(one, two, a, b)
        e0, l0 = boxes_meet(nodes[a0], nodes[b0], dx, dy, slack, qxl, qxh, qyl, qyh, ixl, ixh, iyl, iyh)
        e1, l1 = boxes_meet(nodes[a1], nodes[b1], dx, dy, slack, qxl, qxh, qyl, qyh, ixl, ixh, iyl, iyh)
        meet0 = e0 <= l0 and e0 <= best
        meet1 = e1 <= l1 and e1 <= best
        if meet0 and meet1 and e0 < e1:
            # the nearer one continues top
            a0, a1 = a1, a0
            b0, b1 = b1, b0
            e0, e1 = e1, e0
        if meet0:
            top += 1
            push_pair(stack[top], e0, a0, b0)
            prefetch_below(nodes, discs, a0)
            prefetch_below(nodes, discs, b0)
        if meet1:
            top += 1
            push_pair(stack[top], e1, a1, b1)
            prefetch_below(nodes, discs, a1)
            prefetch_below(nodes, discs, b1)
    if bi < 0:
        return inf, -1, -1, visits, tests
    return best, bi, bj, visits, tests


@inlined
def impact_of_images(
    nodes: Records,
    discs: Records,
    stack: Records,
    box: Record,
    a: int,
    b: int,
    dx: float,
    dy: float,
    ux: float,
    uy: float,
    w: float,
    slack: float,
    limit: float,
) -> tuple[float, int, int, int, int, int]:
    """First impact before `limit` of the tree at `a` with that at `b`, in whichever image it comes first.

    box : a record with `periodic`, `box_x` and `box_y`; the other arguments are those of `tree_impact`.
    Returns (time or inf, disc of a, disc of b, pairs of nodes visited, pairs of discs tested, images looked at).
    """
    one = nodes[a]
    two = nodes[b]
    reach_x = (abs(ux) + w) * limit + slack
    reach_y = (abs(uy) + w) * limit + slack
    lx = box.box_x
    ly = box.box_y
    kx0, kx1 = images(box.periodic, one.x_min, one.x_max, dx + two.x_min - reach_x, dx + two.x_max + reach_x, lx)
    ky0, ky1 = images(box.periodic, one.y_min, one.y_max, dy + two.y_min - reach_y, dy + two.y_max + reach_y, ly)
    best = limit
    bi = bj = -1
    walks = visits = tests = 0
    for kx in range(kx0, kx1 + 1):
        for ky in range(ky0, ky1 + 1):
            t, i, j, visited, tested = tree_impact(
                nodes, discs, stack, a, b, dx + kx * lx, dy + ky * ly, ux, uy, w, slack, best
            )
            walks += 1
            visits += visited
            tests += tested
            if t < best:
                best = t
                bi = i
                bj = j
    if bi < 0:
        return inf, -1, -1, visits, tests, walks
    return best, bi, bj, visits, tests, walks
