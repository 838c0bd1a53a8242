"""Times of impact of moving discs, of moving boxes, and of two rigid clusters that translate.

Those of discs and boxes take a growth rate `w` >= 0: the second body's velocity is only known to within `w`, so after a
time t its discs count as larger by w t. With w = 0 the results are exact, else lower bounds. For two clusters
(`tree_impact`) it is a walk down both of their box trees, for each image.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.geometry.box_tree import prefetch_below
from engine.geometry.minimum_image import box_images, periods_of, shifted, third_range
from engine.geometry.vectors import (
    Vector,
    absolute,
    box_sides,
    cross_squared,
    dot,
    every,
    high_corner,
    is_zero,
    low_corner,
    minus,
    place,
    plus,
    times,
)
from engine.kernels import inlined, inner
from engine.records import Record, Records, record


@inlined
def disc_impact(d: Vector, u: Vector, sigma: float, w: float, receding: bool) -> float:
    """Time of impact of two discs or spheres, inf for none.

    d position and u velocity of the one relative to the other, sigma the sum of their radii. (A.5) in a form without
    cancellation, with the stable rule: overlapping discs that approach collide now, receding ones never. With
    `receding` all overlapping discs collide now.
    """
    c = dot(d, d) - sigma * sigma
    b = dot(d, u) - sigma * w
    a = dot(u, u) - w * w
    if c <= 0.0:
        # with an uncertain velocity (a < 0) the pair may still approach: the earliest possible time is now
        if b < 0.0 or a < 0.0 or receding:
            return 0.0
        return inf
    if b >= 0.0 and a >= 0.0:
        return inf
    # b² - a c, written so that it does not cancel for discs that are many diameters apart
    g = minus(times(sigma, u), times(w, d))
    discriminant = dot(g, g) - cross_squared(d, u)
    if discriminant < 0.0:
        return inf
    return c / (sqrt(discriminant) - b)


@inlined
def reciprocal(q: float) -> float:
    """1 / q, finite and huge for q = 0, so that edges at relative rest meet either now or never."""
    if abs(q) < 1e-300:
        return 1e300
    return 1.0 / q


@inlined
def reciprocals(q: Vector) -> Vector:
    """`reciprocal` of each component."""
    if len(q) > 2:
        return reciprocal(q[0]), reciprocal(q[1]), reciprocal(q[2])
    return reciprocal(q[0]), reciprocal(q[1])


@inlined
def _axis_entry(
    enter: float, leave: float, low: float, high: float, q_low: float, q_high: float, i_low: float, i_high: float
) -> tuple[float, float]:
    """The part of the times from `enter` to `leave` in which two boxes overlap along one axis, see `box_entry`."""
    t = -low * i_low
    if q_low < 0.0:
        enter = max(enter, t)
    else:
        leave = min(leave, t)
    t = -high * i_high
    if q_high > 0.0:
        enter = max(enter, t)
    else:
        # q_high <= 0; for 0 the reciprocal is positive and the sign of t is that of -high
        leave = min(leave, t if q_high < 0.0 else -t)
    return enter, leave


@inlined
def box_entry(
    low: Vector, high: Vector, q_low: Vector, q_high: Vector, i_low: Vector, i_high: Vector
) -> tuple[float, float]:
    """Interval of times (enter, leave) in which two boxes overlap, empty when enter > leave.

    The overlap in x is low + t q_low <= 0 and high + t q_high >= 0, where low = (lower edge of the second) - (upper
    edge of the first), high = (upper of the second) - (lower of the first), q_low = u_x - w and q_high = u_x + w;
    likewise along each axis. i_low and i_high are the `reciprocals` of q_low and q_high, the same for a whole walk.
    """
    enter, leave = _axis_entry(0.0, inf, low[0], high[0], q_low[0], q_high[0], i_low[0], i_high[0])
    enter, leave = _axis_entry(enter, leave, low[1], high[1], q_low[1], q_high[1], i_low[1], i_high[1])
    if len(low) > 2:
        enter, leave = _axis_entry(enter, leave, low[2], high[2], q_low[2], q_high[2], i_low[2], i_high[2])
    return enter, leave


NODE_PAIR = record("f8 enter", "i4 a b")
"""Two nodes whose boxes meet: when they begin to overlap (time from now), and their numbers."""


@inlined
def push_pair(pair: Record, enter: float, a: int, b: int) -> None:
    """Push two nodes that are still to be visited."""
    pair.enter = enter
    pair.a = a
    pair.b = b


@inlined
def sum_of_sides(node: Record) -> float:
    """The sum of the sides of a node's box."""
    return _gaps(low_corner(node), high_corner(node))


@inlined
def _gaps(low: Vector, high: Vector) -> float:
    """The sum of the components of `high` less those of `low`."""
    sides = high[0] - low[0] + high[1] - low[1]
    if len(low) > 2:
        sides = sides + high[2] - low[2]
    return float(sides)


@inlined
def opened(one: Record, two: Record, a: int, b: int) -> tuple[int, int, int, int]:
    """The two pairs of nodes (a0, b0), (a1, b1) below the pair a, b, not both of which are discs: the node with the
    larger of their boxes, `one` and `two`, is opened."""
    left_a = one.left
    left_b = two.left
    if left_a < 0 or (left_b >= 0 and sum_of_sides(two) > sum_of_sides(one)):
        return a, left_b, a, left_b + 1
    return left_a, b, left_a + 1, b


@inlined
def boxes_meet(
    one: Record,
    two: Record,
    d: Vector,
    slack: float,
    q_low: Vector,
    q_high: Vector,
    i_low: Vector,
    i_high: Vector,
) -> tuple[float, float]:
    """Interval of times (enter, leave) in which the boxes of two nodes, larger by `slack`, overlap.

    d: origin of the second node's frame in that of the first; the other arguments are those of `box_entry`.
    """
    margin = every(slack, d)
    low = minus(minus(plus(low_corner(two), d), high_corner(one)), margin)
    high = plus(minus(plus(high_corner(two), d), low_corner(one)), margin)
    return box_entry(low, high, q_low, q_high, i_low, i_high)


@inner
def tree_impact(
    nodes: Records,
    discs: Records,
    stack: Records,
    a: int,
    b: int,
    d: Vector,
    u: Vector,
    w: float,
    slack: float,
    limit: float,
) -> tuple[float, int, int, int, int]:
    """First impact of the trees at nodes `a` and `b` before `limit`, or with slack a lower bound of it.

    d, u: origin and velocity of b's frame relative to a's; `w` as above. slack : 0, or the distance (length)
    up to which discs count as touching; those that are as near meet now, receding ones too. Returns (time or
    inf, disc of a, disc of b, pairs of nodes visited, pairs of discs tested). Pairs of nodes are processed nearest in
    time first and dropped if they cannot meet before the best time so far. Of simultaneous impacts, that of the discs
    with the lowest numbers is returned, independent of how the trees are built. Scratch: stack (K,) of NODE_PAIR, K at
    least the depth of both trees.
    """
    if is_zero(u) and w == 0.0 and slack == 0.0:
        return inf, -1, -1, 0, 0
    q_low, q_high = minus(u, every(w, u)), plus(u, every(w, u))
    i_low, i_high = reciprocals(q_low), reciprocals(q_high)
    best = limit
    bi = -1
    bj = -1
    visits = 0
    tests = 0
    enter, leave = boxes_meet(nodes[a], nodes[b], d, slack, q_low, q_high, i_low, i_high)
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
            t = disc_impact(minus(plus(place(q), d), place(p)), u, sigma, w, slack > 0.0)
            if t < best or (t == best and bi >= 0 and (i < bi or (i == bi and j < bj))):
                best = t
                bi = i
                bj = j
                if best <= 0.0 and w + slack > 0.0:
                    # a bound that cannot be lower: its discs do not matter
                    break
            continue
        a0, b0, a1, b1 = opened(one, two, a, b)
        e0, l0 = boxes_meet(nodes[a0], nodes[b0], d, slack, q_low, q_high, i_low, i_high)
        e1, l1 = boxes_meet(nodes[a1], nodes[b1], d, slack, q_low, q_high, i_low, i_high)
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
    d: Vector,
    u: Vector,
    w: float,
    slack: float,
    limit: float,
) -> tuple[float, int, int, int, int, int]:
    """First impact before `limit` of the tree at `a` with that at `b`, in whichever image it comes first.

    nodes : (K,) of NODE; discs : (N,) of DISC; stack : (n,) of NODE_PAIR; box : a record with `periodic`, `box_x`,
        `box_y` and in space `box_z`; the other arguments are those of `tree_impact`. Returns (time or inf, disc of a,
        disc of b, pairs of nodes visited, pairs of discs tested, images looked at).
    """
    one = nodes[a]
    two = nodes[b]
    sides = box_sides(box)
    reach = plus(times(limit, plus(absolute(u), every(w, u))), every(slack, u))
    first, last = box_images(
        low_corner(one), high_corner(one),
        minus(plus(d, low_corner(two)), reach), plus(plus(d, high_corner(two)), reach), periods_of(box),
    )  # fmt: skip
    kz0, kz1 = third_range(first, last)
    best = limit
    bi = bj = -1
    walks = visits = tests = 0
    for kx in range(first[0], last[0] + 1):
        for ky in range(first[1], last[1] + 1):
            for kz in range(kz0, kz1):
                at = shifted(d, kx, ky, kz, sides)
                t, i, j, visited, tested = tree_impact(nodes, discs, stack, a, b, at, u, w, slack, best)
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
