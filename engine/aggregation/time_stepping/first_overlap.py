"""A lower bound of the time at which two clusters that fly straight overlap: one walk down both of their box trees."""

from __future__ import annotations

from math import inf, sqrt

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.geometry.minimum_image import images
from engine.geometry.swept import box_entry, reciprocal
from engine.geometry.tree_impact import opened, push_pair
from engine.kernels import inlined, inner

MARGIN = 1e-9
"""By so much of their distance at contact two discs are taken as larger, and of 1e-4 of that of the box: rounding must
not put an overlap before its bound."""


@inlined
def first_approach(dx: float, dy: float, ux: float, uy: float, sigma: float) -> float:
    """When two discs come within `sigma`, inf for never; now where they are that near.

    (dx, dy) place and (ux, uy) velocity of the one relative to the other. Unlike an impact, what is near and recedes
    counts too: a minimisation may leave discs that overlap a little, and the next step has to see them.
    """
    c = dx * dx + dy * dy - sigma * sigma
    if c <= 0.0:
        return 0.0
    b = dx * ux + dy * uy
    if b >= 0.0:
        return inf
    cross = dx * uy - dy * ux
    disc = sigma * sigma * (ux * ux + uy * uy) - cross * cross
    if disc < 0.0:
        return inf
    return c / (sqrt(disc) - b)


@inner
def walk(
    st: Stepping, cal: Calendar, a: int, b: int, dx: float, dy: float, ux: float, uy: float, limit: float
) -> float:
    """When the clusters a and b first overlap in this image, from now on; `limit` if not before.

    (dx, dy), (ux, uy): origin and velocity of b's frame relative to a's. Pairs of nodes are taken nearest in time
    first, and dropped when they cannot meet before the best time so far.
    """
    nodes = cal.nodes
    discs = st.discs
    stack = cal.node_pairs
    ix = reciprocal(ux)
    iy = reciprocal(uy)
    margin = 1e-4 * MARGIN * (st.sim[0].box_x + st.sim[0].box_y)
    best = limit
    visits = 0
    top = 0
    push_pair(stack[0], 0.0, a, b)
    while top >= 0:
        pair = stack[top]
        top -= 1
        if pair.enter >= best:
            continue
        a = pair.a
        b = pair.b
        visits += 1
        one = nodes[a]
        two = nodes[b]
        left_a = one.left
        left_b = two.left
        if left_a < 0 and left_b < 0:
            p = discs[~left_a]
            q = discs[~left_b]
            sigma = (p.radius + q.radius) * (1.0 + MARGIN) + margin
            best = min(best, first_approach(q.x + dx - p.x, q.y + dy - p.y, ux, uy, sigma))
            continue
        a0, b0, a1, b1 = opened(one, two, a, b)
        e0, meet0 = boxes_meet(st, cal, a0, b0, dx, dy, ux, uy, ix, iy, margin)
        e1, meet1 = boxes_meet(st, cal, a1, b1, dx, dy, ux, uy, ix, iy, margin)
        meet0 = meet0 and e0 < best
        meet1 = meet1 and e1 < best
        if meet0 and meet1 and e0 < e1:
            # the nearer one goes on top
            a0, a1 = a1, a0
            b0, b1 = b1, b0
            e0, e1 = e1, e0
        if meet0:
            top += 1
            push_pair(stack[top], e0, a0, b0)
        if meet1:
            top += 1
            push_pair(stack[top], e1, a1, b1)
    st.sim[0].work += visits
    return float(best)


@inlined
def boxes_meet(
    st: Stepping,
    cal: Calendar,
    a: int,
    b: int,
    dx: float,
    dy: float,
    ux: float,
    uy: float,
    ix: float,
    iy: float,
    margin: float,
) -> tuple[float, bool]:
    """When the boxes of nodes a and b begin to overlap, and whether they ever do; ix, iy : `reciprocal` of ux, uy."""
    one = cal.nodes[a]
    two = cal.nodes[b]
    enter, leave = box_entry(
        two.x_min + dx - one.x_max - margin,
        two.x_max + dx - one.x_min + margin,
        two.y_min + dy - one.y_max - margin,
        two.y_max + dy - one.y_min + margin,
        ux, ux, uy, uy, ix, ix, iy, iy,
    )  # fmt: skip
    return enter, enter <= leave


@inner
def first_overlap(st: Stepping, cal: Calendar, k: int, e: int, now: float, limit: float) -> float:
    """A bound of the time from now at which the clusters of rows k and e overlap, in any image; `limit` if not before.

    Both fly straight until then. Their trees must be up to date.
    """
    sim = st.sim[0]
    own = st.clusters[cal.entries[k].cluster]
    them = st.clusters[cal.entries[e].cluster]
    dt = now - own.time
    then = now - them.time
    dx = them.x + them.vx * then - (own.x + own.vx * dt)
    dy = them.y + them.vy * then - (own.y + own.vy * dt)
    ux = them.vx - own.vx
    uy = them.vy - own.vy
    one = cal.nodes[k]
    two = cal.nodes[e]
    # the images whose boxes may touch until then
    reach_x = abs(ux) * limit + MARGIN * sim.box_x
    reach_y = abs(uy) * limit + MARGIN * sim.box_y
    kx0, kx1 = images(sim.periodic, one.x_min, one.x_max, dx + two.x_min - reach_x, dx + two.x_max + reach_x, sim.box_x)
    ky0, ky1 = images(sim.periodic, one.y_min, one.y_max, dy + two.y_min - reach_y, dy + two.y_max + reach_y, sim.box_y)
    best = limit
    ix = reciprocal(ux)
    iy = reciprocal(uy)
    margin = 1e-4 * MARGIN * (sim.box_x + sim.box_y)
    for kx in range(kx0, kx1 + 1):
        for ky in range(ky0, ky1 + 1):
            x = dx + kx * sim.box_x
            y = dy + ky * sim.box_y
            enter, meet = boxes_meet(st, cal, k, e, x, y, ux, uy, ix, iy, margin)
            if meet and enter < best:
                best = walk(st, cal, k, e, x, y, ux, uy, best)
    return best
