"""The order in which discs are eliminated, and where the factor of their stiffness has entries.

Nested dissection by geometry: the discs are cut in two across their longer side, near the middle and where few are next
to the cut; those come last, and both halves are cut again. Each separator, and each of the small parts that are left,
is a *node* of a tree: a dense block of columns. The rows of a node are its own discs and those of its ancestors that it
is joined to.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Floats, Ints, Longs
from engine.kernels import inner, kernel
from engine.records import record

_SMALLEST = 12  # discs that are not cut any more
_OFF_MIDDLE = 0.3  # of half a part: how far a cut may be off its middle


PART = record("i8 begin end is_separator")
"""A part of the order that waits: discs that are to be cut in two, or a separator whose halves come first."""


class Elimination(NamedTuple):
    """N discs in the order of elimination; *place* is a disc's number in it. T nodes, children before parents.

    order : (N,) disc of each place; pivots : (T + 1,) first place of each node.
    rows, rows_start : places of the rows of node t, its own first, are ``rows[rows_start[t] : rows_start[t + 1]]``.
    children : (T, 2), -1 for none; into, into_start : for each row of node t that is not its own, which row of the
    parent it is. links, links_start : the pairs that node t assembles, ``links[links_start[t] : links_start[t + 1]]``.
    one, other : (m,) by link: its two rows within the node; `other` is -1 where the second disc has no place.
    widest : rows of the widest node; stack : the greatest number of blocks (d by d) that wait for parents.
    """

    order: Ints
    pivots: Longs
    rows: Ints
    rows_start: Longs
    children: Longs
    into: Ints
    into_start: Longs
    links: Ints
    links_start: Longs
    one: Ints
    other: Ints
    widest: int
    stack: int


def eliminate(places: Floats, first: Ints, second: Ints) -> Elimination:
    """Order discs at `places` (N, d) that are joined by links first (m,), second (m,); negative: no such disc."""
    count = len(places)
    start, neighbours = _adjacency(first, second, count)
    order, pivots, children = _cut(places, start, neighbours)
    return _structure(order, pivots, children, start, neighbours, first, second)


@kernel
def _adjacency(first: Ints, second: Ints, count: int) -> tuple[Longs, Ints]:
    """Neighbours of every disc: start (N + 1,), discs."""
    start = np.zeros(count + 2, np.int64)
    for k in range(len(first)):
        if first[k] >= 0 and second[k] >= 0:
            start[first[k] + 2] += 1
            start[second[k] + 2] += 1
    for i in range(count):
        start[i + 2] += start[i + 1]
    discs = np.empty(start[count + 1], np.int32)
    for k in range(len(first)):
        i, j = first[k], second[k]
        if i >= 0 and j >= 0:
            discs[start[i + 1]] = j
            start[i + 1] += 1
            discs[start[j + 1]] = i
            start[j + 1] += 1
    return start[: count + 1], discs


@kernel
def _cut(places: Floats, start: Longs, neighbours: Ints) -> tuple[Ints, Longs, Longs]:
    """The order (N,), first places of the nodes (T + 1,), and their children (T, 2)."""
    count = len(places)
    order = np.arange(count).astype(np.int32)
    room = 2 * count + 2
    waiting = np.empty(room, PART)
    pivots, children = np.empty(room, np.int64), np.full((room, 2), -1, np.int64)
    finished = np.empty(room, np.int64)  # nodes that wait for their parent
    side = np.zeros(count, np.int64)
    waiting[0].begin, waiting[0].end, waiting[0].is_separator = 0, count, 0
    depth, nodes, open_nodes = 1, 0, 0
    while depth > 0:
        depth -= 1
        begin, end, is_separator = waiting[depth].begin, waiting[depth].end, waiting[depth].is_separator
        if is_separator or end - begin <= _SMALLEST:
            if is_separator:
                children[nodes, 1] = finished[open_nodes - 1]
                children[nodes, 0] = finished[open_nodes - 2]
                open_nodes -= 2
            pivots[nodes] = begin
            finished[open_nodes] = nodes
            open_nodes += 1
            nodes += 1
            continue
        part = order[begin:end].copy()
        ranked, half, chosen = _best_cut(part, places, start, neighbours, side)
        for k in range(len(part)):
            side[ranked[k]] = 1 if k < half else 2
        left, right, last = begin, 0, 0
        kept = np.empty(len(part), np.int32)
        cut = np.empty(len(part), np.int32)
        for i in ranked:
            at_cut = False
            if side[i] == chosen:
                for q in range(start[i], start[i + 1]):
                    if side[neighbours[q]] == 3 - chosen:
                        at_cut = True
                        break
            if at_cut:
                cut[last] = i
                last += 1
            elif side[i] == 1:
                order[left] = i
                left += 1
            else:
                kept[right] = i
                right += 1
        order[left : left + right] = kept[:right]
        order[left + right : end] = cut[:last]
        for i in part:
            side[i] = 0
        parts = ((left + right, end, 1), (left, left + right, 0), (begin, left, 0))
        for k in range(3):
            waiting[depth].begin, waiting[depth].end, waiting[depth].is_separator = parts[k]
            depth += 1
    pivots[nodes] = count
    return order, pivots[: nodes + 1].copy(), children[:nodes].copy()


@inner
def _best_cut(part: Ints, places: Floats, start: Longs, neighbours: Ints, rank: Longs) -> tuple[Ints, int, int]:
    """The best cut of a part across its longer side.

    Returns the discs along that side, how many are before the cut, and whether the separator is made of those next to
    it before (1) or after it (2). rank : (N,), zeros on entry; on return the rank of each disc of the part.

    A disc before a cut is next to it if a neighbour is after it: one pass over the neighbours counts the discs next to
    all cuts. Of the cuts near the middle that with the fewest is taken.
    """
    count, dimensions = len(part), places.shape[1]
    axis, longest = 0, -1.0
    for a in range(dimensions):
        low, high = np.inf, -np.inf
        for i in part:
            low, high = min(low, places[i, a]), max(high, places[i, a])
        if high - low > longest:
            axis, longest = a, high - low
    key = np.empty(count)
    for k in range(count):
        key[k] = places[part[k], axis]
    ranked = part[np.argsort(key)]
    for k in range(count):
        rank[ranked[k]] = k + 1
    before, after = np.zeros(count + 2, np.int64), np.zeros(count + 2, np.int64)
    for k in range(1, count + 1):
        lowest = highest = k
        i = ranked[k - 1]
        for q in range(start[i], start[i + 1]):
            r = rank[neighbours[q]]
            if r > 0:
                lowest, highest = min(lowest, r), max(highest, r)
        before[k] += 1
        before[highest] -= 1
        after[lowest] += 1
        after[k] -= 1
    best, half, chosen = np.inf, count // 2, 1
    edge_before = edge_after = 0
    for k in range(1, count):
        edge_before += before[k]
        edge_after += after[k]
        off = abs(2.0 * k / count - 1.0)
        cost = min(edge_before, edge_after) * (1.0 + off * off)
        if off <= _OFF_MIDDLE and cost < best:
            best, half, chosen = cost, k, 1 if edge_before <= edge_after else 2
    return ranked, half, chosen


@kernel
def _structure(
    order: Ints, pivots: Longs, children: Longs, start: Longs, neighbours: Ints, first: Ints, second: Ints
) -> Elimination:
    """The tree with the rows of every node, their places in the parent, and the links that each node assembles."""
    count, nodes = len(order), len(children)
    place = np.empty(count, np.int64)
    for p in range(count):
        place[order[p]] = p
    rows_start = np.zeros(nodes + 1, np.int64)
    into_start = np.zeros(nodes + 1, np.int64)
    rows = np.empty(16 * count + 64, np.int32)
    seen = np.full(count, -1, np.int64)
    widest, stack, waiting = 0, 0, 0
    for t in range(nodes):
        begin, end = pivots[t], pivots[t + 1]
        most = rows_start[t] + (end - begin)
        for c in range(2):
            if children[t, c] >= 0:
                most += rows_start[children[t, c] + 1] - rows_start[children[t, c]]
        for p in range(begin, end):
            most += start[order[p] + 1] - start[order[p]]
        if most > len(rows):
            wider = np.empty(2 * most, np.int32)
            wider[: rows_start[t]] = rows[: rows_start[t]]
            rows = wider
        free = rows_start[t]
        for p in range(begin, end):
            seen[p] = t
            rows[free] = p
            free += 1
        own = free
        for p in range(begin, end):
            for q in range(start[order[p]], start[order[p] + 1]):
                r = place[neighbours[q]]
                if r >= end and seen[r] != t:
                    seen[r] = t
                    rows[free] = r
                    free += 1
        for c in range(2):
            child = children[t, c]
            if child < 0:
                continue
            own_child = pivots[child + 1] - pivots[child]
            for k in range(rows_start[child] + own_child, rows_start[child + 1]):
                r = rows[k]
                if seen[r] != t:
                    seen[r] = t
                    rows[free] = r
                    free += 1
            waiting -= (rows_start[child + 1] - rows_start[child] - own_child) ** 2
        rows[own:free] = np.sort(rows[own:free])
        rows_start[t + 1] = free
        wide, below = free - rows_start[t], free - own
        into_start[t + 1] = into_start[t] + below
        widest = max(widest, wide)
        waiting += below * below
        stack = max(stack, waiting)
    into = np.empty(into_start[nodes], np.int32)
    local = np.empty(count, np.int32)
    node_of = np.empty(count, np.int64)
    for t in range(nodes):
        for p in range(pivots[t], pivots[t + 1]):
            node_of[p] = t
        for k in range(rows_start[t], rows_start[t + 1]):
            local[rows[k]] = k - rows_start[t]
        for c in range(2):
            child = children[t, c]
            if child >= 0:
                begin = rows_start[child] + pivots[child + 1] - pivots[child]
                for k in range(begin, rows_start[child + 1]):
                    into[into_start[child] + k - begin] = local[rows[k]]
    links_start = np.zeros(nodes + 2, np.int64)
    count_links = len(first)
    owner = np.empty(count_links, np.int64)
    for k in range(count_links):
        p = place[first[k]] if first[k] >= 0 else count
        q = place[second[k]] if second[k] >= 0 else count
        owner[k] = node_of[min(p, q)] if min(p, q) < count else -1
        if owner[k] >= 0:
            links_start[owner[k] + 2] += 1
    for t in range(nodes):
        links_start[t + 2] += links_start[t + 1]
    links = np.empty(links_start[nodes + 1], np.int32)
    for k in range(count_links):
        if owner[k] >= 0:
            links[links_start[owner[k] + 1]] = k
            links_start[owner[k] + 1] += 1
    one, other = np.full(count_links, -1, np.int32), np.full(count_links, -1, np.int32)
    for t in range(nodes):
        for k in range(rows_start[t], rows_start[t + 1]):
            local[rows[k]] = k - rows_start[t]
        for q in range(links_start[t], links_start[t + 1]):
            k = links[q]
            a = local[place[first[k]]] if first[k] >= 0 else -1
            b = local[place[second[k]]] if second[k] >= 0 else -1
            one[k], other[k] = (a, b) if a >= 0 else (b, a)
    return Elimination(
        order, pivots, rows[: rows_start[nodes]].copy(), rows_start, children, into, into_start,
        links, links_start[: nodes + 1].copy(), one, other, widest, stack,
    )  # fmt: skip
