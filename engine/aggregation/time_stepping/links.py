"""The links of the discs: making, searching around moved discs, and dropping them."""

from __future__ import annotations

from math import sqrt

import numpy as np

from engine.aggregation.time_stepping.arrays import NEVER_CHANGED, Stepping
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.aggregation.time_stepping.flight import position
from engine.aggregation.time_stepping.meeting import note_overlapping, overlapping_in_trees, vector_between
from engine.aggregation.time_stepping.overlaps import (
    add_new_link,
    block_around,
    cell_of,
    number_of_rows,
    slots_for_wide,
)
from engine.geometry.bucket_grid import cell_range, cells_along, modulo, row_begin, rows_of
from engine.geometry.cells import is_found_by
from engine.geometry.vectors import every, less_square, minus, plus
from engine.kernels import inlined, inner

MOST_ROUNDS = 200
"""Number of rounds of a step after which only contacts of different clusters make new links, so that every step
ends."""


@inlined
def overlap(st: Stepping, i: int, j: int) -> float:
    """φ_ij (3.4) in units of ((R_i + R_j) / 2)²."""
    sigma2 = (st.radius[i] + st.radius[j]) ** 2
    return float(4.0 * less_square(sigma2, vector_between(st, i, j)) / sigma2)


@inlined
def insert_link(st: Stepping, i: int, j: int) -> None:
    """Add a link to the lists of its discs; there must be a free row."""
    k = st.sim[0].links
    links = st.links
    links[k].i = i
    links[k].j = j
    links[k].next_i = st.head[i]
    links[k].next_j = st.head[j]
    links[k].slack = 0
    links[k].before = NEVER_CHANGED
    st.head[i] = k
    st.head[j] = k
    st.sim[0].links = k + 1


@inlined
def set_slack(st: Stepping, row: int, slack: int) -> None:
    """Drop a link, or with 0 restore it, and store its state before the current step."""
    link = st.links[row]
    steps = st.sim[0].steps
    if link.before >> 1 != steps:
        link.before = 2 * steps + link.slack
    link.slack = slack


@inlined
def link_of(st: Stepping, i: int, j: int) -> int:
    """Row of the link between discs i and j, -1 if there is none."""
    links = st.links
    k = st.head[i]
    while k >= 0:
        if links[k].i == i:
            if links[k].j == j:
                return int(k)
            k = links[k].next_i
        else:
            if links[k].i == j:
                return int(k)
            k = links[k].next_j
    return -1


@inlined
def insert_new_links(st: Stepping) -> bool:
    """Add the new links to all links and to the lists of their clusters.

    False if there was no free row: make room and call again.
    """
    sim = st.sim[0]
    fresh = st.fresh
    while sim.inserted < sim.fresh:
        k = sim.inserted
        i = fresh[k].i
        j = fresh[k].j
        if fresh[k].row < 0:
            if sim.links == len(st.links):
                return False
            fresh[k].row = sim.links
            insert_link(st, i, j)
        a = st.label[i]
        b = st.label[j]
        if a != b:
            fresh[k].next_i = st.chain[a]
            st.chain[a] = k
            fresh[k].next_j = st.chain[b]
            st.chain[b] = k
        sim.inserted = k + 1
    return True


@inlined
def link_where_overlapping(st: Stepping, i: int, j: int) -> bool:
    """Make a new link of discs i and j if they overlap, see `link_contacts_of`. False if there is no free row."""
    sim = st.sim[0]
    sigma = st.radius[i] + st.radius[j]
    phi = less_square(sigma * sigma, vector_between(st, i, j))
    if phi <= 0.0 or j == i:
        return True
    own = st.label[j] == st.label[i]
    if own and (sim.by_cluster or phi <= st.group[0].tolerance * 0.25 * sigma * sigma):
        return True
    row = link_of(st, i, j)
    if row >= 0 and not st.links[row].slack:
        return True
    if sim.step_rounds > MOST_ROUNDS and (row >= 0 or own):
        return True
    # A dropped link becomes new again, in the same row. There may not be more new links than rows of links, since a
    # group of whole clusters takes all of them.
    if sim.fresh == len(st.fresh) or max(sim.fresh, sim.links) >= len(st.links):
        return False
    add_new_link(st, min(i, j), max(i, j))
    if row >= 0:
        set_slack(st, row, 0)
        st.fresh[sim.fresh - 1].row = row
    insert_new_links(st)
    return True


@inner
def overlapping_in_cells(st: Stepping, i: int) -> int:
    """Collect the discs that disc i overlaps in `touched`, in a step that has sorted all discs into cells.

    Returns how many there are.
    """
    sim = st.sim[0]
    count = 0
    x = position(st, i)
    reach = every(st.radius[i] + st.sim[0].usual_radius + st.sim[0].drift, x)
    numbers = cells_along(sim)
    first, taken = cell_range(sim, minus(x, reach), plus(x, reach))
    y, y_end, z, z_end = rows_of(first, taken)
    wides = len(st.wide)
    for cz in range(z, z_end):
        for cy in range(y, y_end):
            base = row_begin(numbers, cy, cz)
            for cx in range(first[0], first[0] + taken[0]):
                cell = base + modulo(cx, numbers[0])
                sim.looked += st.start[cell + 1] - st.start[cell]
                for a in range(st.start[cell], st.start[cell + 1]):
                    j = st.order[a]
                    if wides and st.radius[j] > st.sim[0].usual_radius:
                        continue
                    count = note_overlapping(st, i, j, count)
    # there are few wide discs: compare with all of them
    sim.looked += wides
    for w in range(wides):
        count = note_overlapping(st, i, st.wide[w], count)
    sim.work += 4 + wides // 4
    return count


@inlined
def link_contacts_of(st: Stepping, cal: Calendar, i: int) -> bool:
    """Make new links of disc i, which was moved, with all discs that it overlaps, in the order of their numbers.

    Discs of its own cluster count if the overlap exceeds the tolerance, others for any overlap. False if the arrays of
    links were too short: make room and call again.
    """
    count = overlapping_in_trees(st, cal, i) if st.sim[0].sparse else overlapping_in_cells(st, i)
    k = 0
    while k < count and link_where_overlapping(st, i, st.touched[k]):
        k += 1
    return k == count


@inlined
def link_one_touching(st: Stepping, i: int, j: int) -> bool:
    """Link discs i and j if they touch within twice the tolerance. False if there is no free row."""
    if overlap(st, i, j) >= -2.0 * st.group[0].tolerance and link_of(st, i, j) < 0:
        if st.sim[0].links == len(st.links):
            return False
        insert_link(st, i, j)
    return True


@inner
def link_touching(st: Stepping) -> bool:
    """Link the discs of the initial clusters that touch within twice the tolerance.

    The grid must have been sorted by the positions of the step under way. False if there was no free row: make room and
    call again.
    """
    numbers = cells_along(st.sim[0])
    usual = st.sim[0].usual_radius
    for i in range(len(st.label)):
        if st.ring[i] == i or st.radius[i] > usual:
            continue
        first, taken = block_around(cell_of(st, position(st, i)), numbers, st.sim[0].periodic)
        y, y_end, z, z_end = rows_of(first, taken)
        for cz in range(z, z_end):
            for cy in range(y, y_end):
                base = row_begin(numbers, cy, cz)
                for cx in range(first[0], first[0] + taken[0]):
                    cell = base + modulo(cx, numbers[0])
                    for a in range(st.start[cell], st.start[cell + 1]):
                        j = st.order[a]
                        if j <= i or st.label[j] != st.label[i] or st.radius[j] > usual:
                            continue
                        if not link_one_touching(st, i, j):
                            return False
    # largest allowed distance d over that at contact, s: from 4 (s² - d²) / s² >= -2 tolerance
    farther = sqrt(1.0 + 0.5 * st.group[0].tolerance)
    ranges = np.empty((2 * number_of_rows(st), 2), np.int64)
    for w in range(len(st.wide)):
        i = st.wide[w]
        for k in range(slots_for_wide(st, i, farther, ranges)):
            for a in range(ranges[k, 0], ranges[k, 1]):
                j = st.order[a]
                if st.label[j] != st.label[i] or not is_found_by(i, j, st.radius[i], st.radius[j]):
                    continue
                if not link_one_touching(st, min(i, j), max(i, j)):
                    return False
    return True


@inner
def drop_open_links(st: Stepping) -> None:
    """Drop the links of the group that are stretched."""
    for k in range(st.group[0].links):
        if st.group_links[k].phi < -st.group[0].tolerance:
            set_slack(st, st.group_links[k].row, 1)


@inner
def drop_stretched_links(st: Stepping) -> None:
    """Drop the links that a minimum leaves stretched, with λ = 0, but not those that alone hold a cluster together."""
    tolerance = st.group[0].tolerance
    # bodies joined by contacts get the same number, in a field that the minimisation no longer needs
    for k in range(st.group[0].bodies):
        st.bodies[k].old_dx = k
    changed = True
    while changed:
        changed = False
        for k in range(st.group[0].links):
            one = st.bodies[st.group_links[k].a].old_dx
            two = st.bodies[st.group_links[k].b].old_dx
            if st.group_links[k].phi >= -tolerance and one != two:
                st.bodies[st.group_links[k].a].old_dx = st.bodies[st.group_links[k].b].old_dx = min(one, two)
                changed = True
    for k in range(st.group[0].links):
        row = st.group_links[k].row
        joined = st.bodies[st.group_links[k].a].old_dx == st.bodies[st.group_links[k].b].old_dx
        other = st.label[st.links[row].i] != st.label[st.links[row].j]
        if st.group_links[k].phi < -tolerance and (joined or other):
            set_slack(st, row, 1)


@inlined
def misses_contacts(st: Stepping) -> bool:
    """Whether some link of the group is not at contact: its discs overlap, or it is stretched."""
    worst = 0.0
    for k in range(st.group[0].links):
        worst = max(worst, abs(st.group_links[k].phi))
    return bool(worst > st.group[0].tolerance)


@inlined
def kept_residual(st: Stepping) -> float:
    """max |φ| / s of the links of the group that were not dropped."""
    worst = 0.0
    for k in range(st.group[0].links):
        if not st.links[st.group_links[k].row].slack:
            worst = max(worst, abs(st.group_links[k].phi))
    return worst
