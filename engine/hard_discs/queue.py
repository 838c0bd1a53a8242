"""The queue of events: a calendar whose bins are linked lists, and a heap for the events of the present bin.

There is one event for each disc, at the time `event` of its motion. A disc without event, or whose event lies beyond
the end of the epoch, at which everything is predicted anew, stands in no queue. Events at equal times come in the order
of the numbers of their discs.
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
    a = st.motion[i].event
    b = st.motion[j].event
    return a < b or (a == b and i < j)


@inlined
def _put(st: Discs, slot: int, i: int) -> None:
    st.heap[slot] = np.uint32(i)
    st.entry[i].next = slot


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
    size = st.state.heap_size
    st.state.heap_size = size + 1
    st.entry[i].prev = d.HEAPED
    _put(st, _rise(st, size, i), i)


@inlined
def _out_of_heap(st: Discs, slot: int) -> None:
    size = st.state.heap_size - 1
    st.state.heap_size = size
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
    t = st.motion[i].event
    if t == INF or t > st.state.epoch_end:
        st.entry[i].prev = d.OUT
        return
    number = whole(t * st.state.bins_per_time)
    if number <= st.state.bin:
        _into_heap(st, i)
        return
    k = number & st.state.bin_mask
    after = whole(st.bins[k])
    st.entry[i].next = after
    st.entry[i].prev = d.FIRST
    st.bins[k] = i
    if after >= 0:
        st.entry[after].prev = i
    st.state.queued += 1


@inlined
def remove(st: Discs, i: int) -> None:
    """Take the event of disc i out of the queue, before its time changes."""
    before = whole(st.entry[i].prev)
    if before == d.OUT:
        return
    st.entry[i].prev = d.OUT
    after = whole(st.entry[i].next)
    if before == d.HEAPED:
        _out_of_heap(st, after)
        return
    if before >= 0:
        st.entry[before].next = after
    else:
        st.bins[whole(st.motion[i].event * st.state.bins_per_time) & st.state.bin_mask] = after
    if after >= 0:
        st.entry[after].prev = before
    st.state.queued -= 1


@inlined
def _jump(st: Discs) -> None:
    """Go to the bin before the earliest event: nothing stands in a whole turn of the calendar."""
    earliest = st.state.epoch_end
    for i in range(st.state.count):
        if st.entry[i].prev >= d.FIRST:
            earliest = min(earliest, st.motion[i].event)
    st.state.bin = whole(earliest * st.state.bins_per_time) - 1
    st.state.jumps += 1


@inlined
def _look_ahead(st: Discs, number: int) -> None:
    """Call for the cache lines of the discs whose events come soon: large systems wait for memory, not for sums."""
    mask = st.state.bin_mask
    i = whole(st.bins[(number + _FAR) & mask])
    if i >= 0:
        prefetch(st.motion, i)
        prefetch(st.entry, i)
    i = whole(st.bins[(number + _MIDDLE) & mask])
    if i >= 0:
        prefetch(st.pool, whole(st.entry[i].start))
        prefetch(st.reference, i)
        j = whole(st.entry[i].what)
        if j >= 0:
            prefetch(st.motion, j)
            prefetch(st.entry, j)
            prefetch(st.reference, j)
    i = whole(st.bins[(number + _NEAR) & mask])
    if i >= 0:
        _call_neighbours(st, i)
        j = whole(st.entry[i].what)
        if j >= 0:
            _call_neighbours(st, j)


@inlined
def _call_neighbours(st: Discs, i: int) -> None:
    start = whole(st.entry[i].start)
    for k in range(start, start + whole(st.entry[i].length)):
        prefetch(st.motion, whole(st.pool[k]))


@inlined
def first(st: Discs) -> int:
    """The disc with the earliest event, -1 for none."""
    state = st.state
    seen = 0
    while state.heap_size == 0:
        if state.queued == 0:
            return -1
        if seen > state.bin_mask:
            _jump(st)
            seen = 0
        state.bin += 1
        seen += 1
        number = state.bin
        if state.count > _MANY:
            _look_ahead(st, number)
        k = number & state.bin_mask
        i = whole(st.bins[k])
        while i >= 0:
            after = whole(st.entry[i].next)
            if whole(st.motion[i].event * st.state.bins_per_time) == number:
                remove(st, i)
                _into_heap(st, i)
            i = after
    return whole(st.heap[0])
