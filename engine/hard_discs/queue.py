"""The queue of events: a calendar whose bins are linked lists, and a heap for the events of the present bin.

One event a disc, at EVENT. A disc without event, or whose event lies beyond the time at which everything is predicted
anew, stands in no queue. Events at equal times come in the order of the numbers of their discs.
"""

from __future__ import annotations

import numpy as np

from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs
from engine.kernels import inlined, prefetch, whole

INF = float("inf")

# bins ahead of the present one in which discs are called from memory, then their lists and partners, then neighbours
_FAR, _MIDDLE, _NEAR = 12, 8, 4
_MANY = 50_000  # discs; fewer stay in the cache by themselves, and calling them costs a fifth of the speed


@inlined
def _before(st: Discs, i: int, j: int) -> bool:
    a = st.rec[(i << 3) + d.EVENT]
    b = st.rec[(j << 3) + d.EVENT]
    return a < b or (a == b and i < j)


@inlined
def _put(st: Discs, slot: int, i: int) -> None:
    st.heap[slot] = np.uint32(i)
    st.ri[(i << 3) + d.NEXT] = slot


@inlined
def _rise(st: Discs, slot: int, i: int) -> int:
    while slot > 0:
        parent = (slot - 1) >> 1
        p = whole(st.heap[parent])
        if not _before(st, i, p):
            break
        _put(st, slot, p)
        slot = parent
    return slot


@inlined
def _into_heap(st: Discs, i: int) -> None:
    size = st.si[d.HEAP]
    st.si[d.HEAP] = size + 1
    st.ri[(i << 3) + d.PREV] = d.HEAPED
    _put(st, _rise(st, size, i), i)


@inlined
def _out_of_heap(st: Discs, slot: int) -> None:
    size = st.si[d.HEAP] - 1
    st.si[d.HEAP] = size
    if slot == size:
        return
    i = whole(st.heap[size])
    place = _rise(st, slot, i)
    if place == slot:
        while True:
            child = 2 * place + 1
            if child >= size:
                break
            c = whole(st.heap[child])
            if child + 1 < size:
                other = whole(st.heap[child + 1])
                if _before(st, other, c):
                    child += 1
                    c = other
            if not _before(st, c, i):
                break
            _put(st, place, c)
            place = child
    _put(st, place, i)


@inlined
def insert(st: Discs, i: int) -> None:
    """Enter the event of disc i, which stands in no queue."""
    o = i << 3
    t = st.rec[o + d.EVENT]
    if t == INF or t > st.sf[d.REBASE]:
        st.ri[o + d.PREV] = d.OUT
        return
    number = whole(t * st.sf[d.PER_BIN])
    if number <= st.si[d.BIN]:
        _into_heap(st, i)
        return
    k = number & st.si[d.MASK]
    after = whole(st.bins[k])
    st.ri[o + d.NEXT] = after
    st.ri[o + d.PREV] = d.FIRST
    st.bins[k] = i
    if after >= 0:
        st.ri[(after << 3) + d.PREV] = i
    st.si[d.QUEUED] += 1


@inlined
def remove(st: Discs, i: int) -> None:
    """Take the event of disc i out of the queue, before EVENT changes."""
    o = i << 3
    before = whole(st.ri[o + d.PREV])
    if before == d.OUT:
        return
    st.ri[o + d.PREV] = d.OUT
    after = whole(st.ri[o + d.NEXT])
    if before == d.HEAPED:
        _out_of_heap(st, after)
        return
    if before >= 0:
        st.ri[(before << 3) + d.NEXT] = after
    else:
        st.bins[whole(st.rec[o + d.EVENT] * st.sf[d.PER_BIN]) & st.si[d.MASK]] = after
    if after >= 0:
        st.ri[(after << 3) + d.PREV] = before
    st.si[d.QUEUED] -= 1


@inlined
def _jump(st: Discs) -> None:
    """Go to the bin before the earliest event: nothing stands in a whole turn of the calendar."""
    earliest = st.sf[d.REBASE]
    for i in range(st.si[d.COUNT]):
        if st.ri[(i << 3) + d.PREV] >= d.FIRST:
            earliest = min(earliest, st.rec[(i << 3) + d.EVENT])
    st.si[d.BIN] = whole(earliest * st.sf[d.PER_BIN]) - 1
    st.si[d.JUMPS] += 1


@inlined
def _look_ahead(st: Discs, number: int) -> None:
    """Call for the cache lines of the discs whose events come soon: large systems wait for memory, not for sums."""
    mask = st.si[d.MASK]
    i = whole(st.bins[(number + _FAR) & mask])
    if i >= 0:
        prefetch(st.rec, i << 3)
        prefetch(st.ri, i << 3)
    i = whole(st.bins[(number + _MIDDLE) & mask])
    if i >= 0:
        prefetch(st.pool, whole(st.ri[(i << 3) + d.START]))
        prefetch(st.ref, i << 1)
        j = whole(st.ri[(i << 3) + d.WHAT])
        if j >= 0:
            prefetch(st.rec, j << 3)
            prefetch(st.ri, j << 3)
            prefetch(st.ref, j << 1)
    i = whole(st.bins[(number + _NEAR) & mask])
    if i >= 0:
        _call_neighbours(st, i)
        j = whole(st.ri[(i << 3) + d.WHAT])
        if j >= 0:
            _call_neighbours(st, j)


@inlined
def _call_neighbours(st: Discs, i: int) -> None:
    start = whole(st.ri[(i << 3) + d.START])
    for k in range(start, start + whole(st.ri[(i << 3) + d.LENGTH])):
        prefetch(st.rec, whole(st.pool[k]) << 3)


@inlined
def first(st: Discs) -> int:
    """The disc with the earliest event, -1 for none."""
    si = st.si
    seen = 0
    while si[d.HEAP] == 0:
        if si[d.QUEUED] == 0:
            return -1
        if seen > si[d.MASK]:
            _jump(st)
            seen = 0
        si[d.BIN] += 1
        seen += 1
        number = si[d.BIN]
        if si[d.COUNT] > _MANY:
            _look_ahead(st, number)
        k = number & si[d.MASK]
        i = whole(st.bins[k])
        while i >= 0:
            o = i << 3
            after = whole(st.ri[o + d.NEXT])
            if whole(st.rec[o + d.EVENT] * st.sf[d.PER_BIN]) == number:
                remove(st, i)
                _into_heap(st, i)
            i = after
    return whole(st.heap[0])
