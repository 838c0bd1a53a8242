"""The links of the discs: made, found again, and looked for around discs that were moved."""

from __future__ import annotations

from math import floor, sqrt

import numpy as np

from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping import group_arrays as ga
from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.flight import add_fresh, cell_of, find_for_wide, image
from engine.geometry.cells import is_found_by
from engine.kernels import inlined, inner

MOST_ROUNDS = 200  # of a step; beyond it only contacts of different clusters count, so that every step ends


@inlined
def between(st: Stepping, i: int, j: int) -> tuple[float, float]:
    """X_i - X_j in the step under way, to the nearest image."""
    pos = st.pos[1 - st.si[ts.WHICH]]
    dx = pos[i, 0] - pos[j, 0]
    dy = pos[i, 1] - pos[j, 1]
    if st.si[ts.PERIODIC]:
        dx = image(dx, st.sf[ts.LX])
        dy = image(dy, st.sf[ts.LY])
    return dx, dy


@inlined
def overlap(st: Stepping, i: int, j: int) -> float:
    """φ_ij (3.4) in units of ((R_i + R_j) / 2)²."""
    dx, dy = between(st, i, j)
    sigma2 = (st.radius[i] + st.radius[j]) ** 2
    return float(4.0 * (sigma2 - dx * dx - dy * dy) / sigma2)


@inner
def insert_link(st: Stepping, i: int, j: int) -> None:
    """Put a link into the lists of its discs; there must be a free row."""
    k = st.si[ts.LINKS]
    pool = st.pool
    pool[k, ts.LINK_I] = i
    pool[k, ts.LINK_J] = j
    pool[k, ts.NEXT_I] = st.head[i]
    pool[k, ts.NEXT_J] = st.head[j]
    pool[k, ts.SLACK] = 0
    st.head[i] = k
    st.head[j] = k
    st.si[ts.LINKS] = k + 1


@inner
def link_of(st: Stepping, i: int, j: int) -> int:
    """Row of the link between discs i and j in the pool, -1 where there is none."""
    pool = st.pool
    k = st.head[i]
    while k >= 0:
        if pool[k, ts.LINK_I] == i:
            if pool[k, ts.LINK_J] == j:
                return int(k)
            k = pool[k, ts.NEXT_I]
        else:
            if pool[k, ts.LINK_I] == j:
                return int(k)
            k = pool[k, ts.NEXT_J]
    return -1


@inner
def insert_fresh(st: Stepping) -> bool:
    """Put the new links into the pool and the lists of their clusters. False where the pool was too short."""
    si = st.si
    fresh = st.fresh
    while si[ts.INSERTED] < si[ts.FRESH]:
        k = si[ts.INSERTED]
        i = fresh[k, ts.FRESH_I]
        j = fresh[k, ts.FRESH_J]
        if fresh[k, ts.FRESH_ROW] < 0:
            if si[ts.LINKS] == len(st.pool):
                return False
            fresh[k, ts.FRESH_ROW] = si[ts.LINKS]
            insert_link(st, i, j)
        a = st.label[i]
        b = st.label[j]
        if a != b:
            fresh[k, ts.FRESH_NEXT_I] = st.chain[a]
            st.chain[a] = k
            fresh[k, ts.FRESH_NEXT_J] = st.chain[b]
            st.chain[b] = k
        si[ts.INSERTED] = k + 1
    return True


@inlined
def touch_one(st: Stepping, i: int, j: int) -> bool:
    """Make a new link of discs i and j where they overlap now, see `touch`. False where there is no room for it."""
    si = st.si
    sigma = st.radius[i] + st.radius[j]
    dx, dy = between(st, i, j)
    phi = sigma * sigma - dx * dx - dy * dy
    if phi <= 0.0 or j == i:
        return True
    own = st.label[j] == st.label[i]
    if own and (si[ts.BY_CLUSTER] or phi <= st.gf[ga.TOLERANCE] * 0.25 * sigma * sigma):
        return True
    row = link_of(st, i, j)
    if row >= 0 and not st.pool[row, ts.SLACK]:
        return True
    if si[ts.STEP_ROUNDS] > MOST_ROUNDS and (row >= 0 or own):
        return True
    # a link that was dropped is new once more, with the same row: a group of clusters takes all new links, and has room
    # for as many as the pool
    if si[ts.FRESH] == len(st.fresh) or max(si[ts.FRESH], si[ts.LINKS]) >= len(st.pool):
        return False
    add_fresh(st, min(i, j), max(i, j))
    if row >= 0:
        st.pool[row, ts.SLACK] = 0
        st.fresh[si[ts.FRESH] - 1, ts.FRESH_ROW] = row
    insert_fresh(st)
    return True


@inner
def touch(st: Stepping, i: int) -> bool:
    """Make new links of disc i, which was moved, with all that it overlaps now. False where `fresh` or `pool` is full.

    Discs of its own cluster count where the overlap is larger than the tolerance, others where there is any.
    """
    si = st.si
    pos = st.pos[1 - si[ts.WHICH]]
    nx = si[ts.COLUMNS]
    ny = si[ts.ROWS]
    reach = st.radius[i] + st.sf[ts.R_CELL] + st.sf[ts.DRIFT]
    x = pos[i, 0]
    y = pos[i, 1]
    cx0 = floor((x - reach) / st.sf[ts.WIDTH])
    cx1 = floor((x + reach) / st.sf[ts.WIDTH])
    cy0 = floor((y - reach) / st.sf[ts.HEIGHT])
    cy1 = floor((y + reach) / st.sf[ts.HEIGHT])
    if not si[ts.PERIODIC]:
        cx0, cx1 = min(max(cx0, 0), nx - 1), min(max(cx1, 0), nx - 1)
        cy0, cy1 = min(max(cy0, 0), ny - 1), min(max(cy1, 0), ny - 1)
    cx1 = min(cx1, cx0 + nx - 1)
    cy1 = min(cy1, cy0 + ny - 1)
    wides = len(st.wide)
    for cy in range(cy0, cy1 + 1):
        base = cy % ny * nx
        for cx in range(cx0, cx1 + 1):
            cell = base + cx % nx
            si[ts.LOOKED] += st.start[cell + 1] - st.start[cell]
            for a in range(st.start[cell], st.start[cell + 1]):
                j = st.order[a]
                if wides and st.radius[j] > st.sf[ts.R_CELL]:
                    continue
                if not touch_one(st, i, j):
                    return False
    # these stand in no particular cells; they are few
    si[ts.LOOKED] += wides
    for w in range(wides):
        if not touch_one(st, i, st.wide[w]):
            return False
    si[ts.WORK] += 4 + wides // 4
    return True


@inlined
def link_one_touching(st: Stepping, i: int, j: int) -> bool:
    """Link discs i and j where they touch within twice the tolerance. False: the pool was too short."""
    if overlap(st, i, j) >= -2.0 * st.gf[ga.TOLERANCE] and link_of(st, i, j) < 0:
        if st.si[ts.LINKS] == len(st.pool):
            return False
        insert_link(st, i, j)
    return True


@inner
def link_touching(st: Stepping) -> bool:
    """At the start: link the discs of one cluster that touch within twice the tolerance. False: the pool was too short.

    The grid must stand on the positions of the step under way.
    """
    pos = st.pos[1 - st.si[ts.WHICH]]
    usual = st.sf[ts.R_CELL]
    for i in range(len(st.label)):
        if st.ring[i] == i or st.radius[i] > usual:
            continue
        cell = cell_of(st, pos[i, 0], pos[i, 1])
        nx = st.si[ts.COLUMNS]
        ny = st.si[ts.ROWS]
        for oy in range(-1, 2):
            cy = cell // nx + oy
            for ox in range(-1, 2):
                cx = cell % nx + ox
                if not st.si[ts.PERIODIC] and (cx < 0 or cy < 0 or cx >= nx or cy >= ny):
                    continue
                other = cy % ny * nx + cx % nx
                for a in range(st.start[other], st.start[other + 1]):
                    j = st.order[a]
                    if j <= i or st.label[j] != st.label[i] or st.radius[j] > usual:
                        continue
                    if not link_one_touching(st, i, j):
                        return False
    # farther by what the tolerance allows: 4 (s² - d²) / s² >= -2 tolerance
    farther = sqrt(1.0 + 0.5 * st.gf[ga.TOLERANCE])
    ranges = np.empty((2 * st.si[ts.ROWS], 2), np.int64)
    for w in range(len(st.wide)):
        i = st.wide[w]
        for k in range(find_for_wide(st, i, farther, ranges)):
            for a in range(ranges[k, 0], ranges[k, 1]):
                j = st.order[a]
                if st.label[j] != st.label[i] or not is_found_by(i, j, st.radius):
                    continue
                if not link_one_touching(st, min(i, j), max(i, j)):
                    return False
    return True
