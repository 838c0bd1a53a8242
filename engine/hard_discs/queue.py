"""The event queue: a calendar of time bins, each a doubly linked list, and a binary heap for the present bin.

Each disc has one event, at ``motion[i].event``. A disc without an event, or whose event is later than the end of the
epoch, when all events are predicted anew, is not in the queue. Events at equal times come in the order of the numbers
of their discs, so the order of events does not depend on how the queue was filled.

The heap holds numbers of discs alone and reads the times from their motion: 4 bytes a disc. That of `engine.geometry`
holds times and slots too (16 bytes), which pays where all events wait in one heap; here about one is in it at a time.
"""

from __future__ import annotations

import numpy as np

from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs, pointers
from engine.kernels import inlined, kernel, prefetch, whole

INF = float("inf")

# so many bins before an event its disc is prefetched, then the partner and the neighbour list, then the neighbours
_FAR, _MIDDLE, _NEAR = 12, 8, 4
_MANY = 50_000  # discs; the data of fewer stay in the cache anyway, and prefetching them costs a fifth of the speed


@inlined
def _before(st: Discs, i: int, j: int) -> bool:
    """Whether the event of disc i comes before that of disc j."""
    a = st.motion[i].event
    b = st.motion[j].event
    return a < b or (a == b and i < j)


@inlined
def _put(st: Discs, slot: int, i: int) -> None:
    """Write disc i into a slot of the heap."""
    st.heap[slot] = np.uint32(i)
    st.entry[i].next = slot


@inlined
def _sift_up(st: Discs, slot: int, i: int) -> int:
    """Move the hole at `slot` towards the root until disc i may stand there; returns where that is."""
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
    """Add disc i to the heap."""
    size = st.state.heap_size
    st.state.heap_size = size + 1
    st.entry[i].prev = d.HEAPED
    _put(st, _sift_up(st, size, i), i)


@inlined
def _out_of_heap(st: Discs, slot: int) -> None:
    """Remove the disc in a slot of the heap: the last one takes the hole, and moves up or down from there."""
    size = st.state.heap_size - 1
    st.state.heap_size = size
    if slot == size:
        return
    i = whole(st.heap[size])
    place = _sift_up(st, slot, i)
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
    """Add the event of disc i, which is not in the queue."""
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
    """Remove the event of disc i, which may not be in the queue; before `event` changes."""
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


@kernel
def fill_queue(arrays: Discs) -> None:
    """Empty the queue and add the events of all discs."""
    st = pointers(arrays)
    state = st.state
    state.heap_size = 0
    state.queued = 0
    for k in range(state.bin_mask + 1):
        st.bins[k] = -1
    for i in range(state.count):
        insert(st, i)


@inlined
def _jump(st: Discs) -> None:
    """Go to the bin before the earliest event, where all bins of the calendar hold nothing for their present turn."""
    earliest = st.state.epoch_end
    for i in range(st.state.count):
        if st.entry[i].prev >= d.FIRST:
            earliest = min(earliest, st.motion[i].event)
    st.state.bin = whole(earliest * st.state.bins_per_time) - 1
    st.state.jumps += 1


@inlined
def _prefetch_coming(st: Discs, number: int) -> None:
    """Prefetch what the events of the next bins will read: large systems wait for memory, not for arithmetic."""
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
        _prefetch_neighbours(st, i)
        j = whole(st.entry[i].what)
        if j >= 0:
            _prefetch_neighbours(st, j)


@inlined
def _prefetch_neighbours(st: Discs, i: int) -> None:
    """Prefetch the motion of the neighbours of disc i."""
    start = whole(st.entry[i].start)
    for k in range(start, start + whole(st.entry[i].length)):
        prefetch(st.motion, whole(st.pool[k]))


@inlined
def first(st: Discs) -> int:
    """The disc with the earliest event, -1 for none. It stays in the queue."""
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
            _prefetch_coming(st, number)
        k = number & state.bin_mask
        i = whole(st.bins[k])
        while i >= 0:
            after = whole(st.entry[i].next)
            if whole(st.motion[i].event * st.state.bins_per_time) == number:
                remove(st, i)
                _into_heap(st, i)
            i = after
    return whole(st.heap[0])
