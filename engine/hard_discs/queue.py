"""The event queue: a calendar of time bins, of which the present one is sorted.

Each disc has one event, at ``entry[i].event``. A disc without an event, or whose event is later than the end of the
epoch, when all events are predicted again, is not in the queue. Events at equal times come in the order of the numbers
of their discs, so the order of events does not depend on how the queue was filled.

Nothing is ever removed: an event that no longer holds is left where it is, and dropped when its turn comes, since the
time that its disc then has is another one. So a bin is nothing but the numbers of discs, written one after the other
into blocks of a cache line, and an insertion touches no other disc. When a bin is opened its events are sorted into
`coming`; the few that are added to it later stand in a heap, `late`. The sorted events tell which discs will be needed
soon: large systems wait for memory, not for arithmetic, unless what they need is prefetched.
"""

from __future__ import annotations

from typing import Any

from engine.geometry.vectors import Vector, plus, times
from engine.hard_discs import discs as d
from engine.hard_discs.cells import cell_at, column
from engine.hard_discs.discs import PLANE, DiscArrays, line_of, list_room, next_of, pointers
from engine.hard_discs.motion import position, velocity
from engine.kernels import inlined, inner, kernel, prefetch, prefetch_record, whole

INF = float("inf")
NO_ROOM = -2
"""Returned by `first` where `coming` is too small for the next bin."""

_CROWDED = 32  # events of one part of a bin; where there are more, the heap sorts the bin
# so many events before its turn a disc is prefetched, then its partner, then the neighbours of both
_FAR, _MIDDLE, _NEAR = 9, 6, 3
_MANY = 8_000  # discs; the data of fewer stay in the cache anyway
_MOST = 100_000  # discs; what more of them need is mostly in main memory, and worth a look into cells beforehand


@inlined
def _put(st: DiscArrays, slot: int, time: float, disc: int) -> None:
    """Write an event into a slot of the heap."""
    event = st.late[slot]
    event.time = time
    event.disc = disc


@inlined
def _into_heap(st: DiscArrays, time: float, disc: int) -> None:
    """Add an event to the heap."""
    slot = st.state.late_count
    st.state.late_count = slot + 1
    while slot > 0:
        parent = (slot - 1) >> 1
        above = st.late[parent]
        if not (time < above.time or (time == above.time and disc < above.disc)):
            break
        _put(st, slot, above.time, above.disc)
        slot = parent
    _put(st, slot, time, disc)


@inlined
def _out_of_heap(st: DiscArrays) -> None:
    """Remove the first event of the heap: the last one takes its place, and moves down from there."""
    size = st.state.late_count - 1
    st.state.late_count = size
    last = st.late[size]
    time = last.time
    disc = last.disc
    slot = 0
    while True:
        child = 2 * slot + 1
        if child >= size:
            break
        below = st.late[child]
        if child + 1 < size:
            other = st.late[child + 1]
            if other.time < below.time or (other.time == below.time and other.disc < below.disc):
                child += 1
                below = other
        if not (below.time < time or (below.time == time and below.disc < disc)):
            break
        _put(st, slot, below.time, below.disc)
        slot = child
    _put(st, slot, time, disc)


@inlined
def has_room(st: DiscArrays) -> bool:
    """Whether the events of two discs can be inserted."""
    return bool(st.state.waiting_free > 2 and st.state.late_count + 2 <= st.state.late_size)


@inlined
def insert(st: DiscArrays, i: int) -> None:
    """Add the event of disc i."""
    state = st.state
    t = st.entry[i].event
    if t == INF or t > state.epoch_end:
        return
    number = whole(t * state.bins_per_time)
    if number <= state.bin:
        _into_heap(st, t, i)
        return
    place = st.bins[number & state.bin_mask]
    if place.used == d.BIN_ROOM:
        block = state.free_waiting
        if block >= 0:
            state.free_waiting = whole(st.waiting[block * d.LINE + d.BIN_ROOM])
        else:
            block = state.waiting_used
            state.waiting_used = block + 1
        state.waiting_free -= 1
        st.waiting[block * d.LINE + d.BIN_ROOM] = place.block
        place.block = block
        place.used = 0
    st.waiting[whole(place.block) * d.LINE + place.used] = i
    place.used += 1
    state.queued += 1


@inner
def _size_of(st: DiscArrays, number: int) -> int:
    """How many numbers of discs are in a bin; their entries are prefetched."""
    place = st.bins[number & st.state.bin_mask]
    size = 0
    used = whole(place.used)
    block = whole(place.block)
    while block >= 0:
        for k in range(block * d.LINE, block * d.LINE + used):
            prefetch(st.entry, whole(st.waiting[k]))
        size += used
        used = d.BIN_ROOM
        block = whole(st.waiting[block * d.LINE + d.BIN_ROOM])
    return size


@inner
def _open(st: DiscArrays, number: int, size: int) -> None:
    """Sort the events of a bin, which holds `size` numbers, into `coming`, or the heap.

    Those of later turns of the calendar stay in the bin.
    """
    state = st.state
    parts = whole(d.FINE if size > d.FINE // 4 else d.FINE // 4)
    place = st.bins[number & state.bin_mask]
    used = whole(place.used)
    block = whole(place.block)
    place.block = -1
    place.used = d.BIN_ROOM
    for k in range(parts + 1):
        st.fine[k] = 0
    count = 0
    crowd = 0
    while block >= 0:
        state.queued -= used
        for k in range(block * d.LINE, block * d.LINE + used):
            i = whole(st.waiting[k])
            t = st.entry[i].event
            at = min(t, state.epoch_end) * state.bins_per_time
            turn = whole(at)
            if turn > number and t <= state.epoch_end and (turn - number) & state.bin_mask == 0:
                insert(st, i)
            # a third of the numbers are left of events that no longer hold, and are written over by the next one
            holds = turn == number and t <= state.epoch_end
            part = whole((at - number) * parts) if holds else parts
            st.fine[part] += 1
            crowd = max(crowd, whole(st.fine[part]) if holds else 0)
            event = st.coming[state.coming_size + count]
            event.time = t
            event.disc = i
            count += holds
        used = d.BIN_ROOM
        after = whole(st.waiting[block * d.LINE + d.BIN_ROOM])
        st.waiting[block * d.LINE + d.BIN_ROOM] = state.free_waiting
        state.free_waiting = block
        state.waiting_free += 1
        block = after
    state.bin = number
    state.coming_at = 0
    if crowd > _CROWDED:
        state.coming_end = 0
        for k in range(state.coming_size, state.coming_size + count):
            _into_heap(st, st.coming[k].time, st.coming[k].disc)
        return
    state.coming_end = count
    below = 0
    for k in range(parts):
        below += whole(st.fine[k])
        st.fine[k] = below
    for k in range(state.coming_size, state.coming_size + count):
        event = st.coming[k]
        part = whole((event.time * state.bins_per_time - number) * parts)
        slot = whole(st.fine[part]) - 1
        st.fine[part] = slot
        to = st.coming[slot]
        to.time = event.time
        to.disc = event.disc
    for k in range(1, count):
        t = st.coming[k].time
        i = st.coming[k].disc
        slot = k
        while slot > 0:
            before = st.coming[slot - 1]
            if not (t < before.time or (t == before.time and i < before.disc)):
                break
            to = st.coming[slot]
            to.time = before.time
            to.disc = before.disc
            slot -= 1
        to = st.coming[slot]
        to.time = t
        to.disc = i


@kernel
def empty_queue(arrays: DiscArrays) -> None:
    """Empty the queue: every number of the present bin and of those before belongs into the heap."""
    st = pointers(arrays)
    state = st.state
    state.late_count = 0
    state.queued = 0
    state.coming_at = 0
    state.coming_end = 0
    state.free_waiting = -1
    state.waiting_free += state.waiting_used
    state.waiting_used = 0
    for k in range(state.bin_mask + 1):
        st.bins[k].block = -1
        st.bins[k].used = d.BIN_ROOM


@kernel
def insert_all(arrays: DiscArrays, first_disc: int, end: int) -> int:
    """Add the events of these discs to the queue, as far as there is room; returns the first that is not in it."""
    st = pointers(arrays)
    for i in range(first_disc, end):
        if not has_room(st):
            return i
        insert(st, i)
    return end


@inner
def _jump(st: DiscArrays) -> None:
    """Go to the bin before the earliest event, where all bins of the calendar hold nothing for their present turn."""
    earliest = st.state.epoch_end
    for i in range(st.state.count):
        earliest = min(earliest, st.entry[i].event)
    st.state.bin = max(st.state.bin, whole(earliest * st.state.bins_per_time) - 1)


@inlined
def _prefetch_neighbours(st: DiscArrays, records: Any, i: int) -> None:
    """Prefetch the records of the neighbours of disc i.

    Of the first eight in any case: how many there are is hard to guess, and further slots hold numbers of discs too.
    """
    line = i * line_of(st)
    room = list_room(st)
    for k in range(line, line + 8):
        prefetch_record(records, whole(st.lists[k]))
    for k in range(line + 8, line + min(whole(st.lists[line + room]), room)):
        prefetch_record(records, whole(st.lists[k]))


@inlined
def _prefetch_cells(st: DiscArrays, i: int, x: Vector) -> None:
    """Prefetch the cells around a place, of the grid in which disc i is."""
    level = st.levels[st.motion[i].flags >> d.LEVEL_BIT]
    block = cell_at(level, x)
    if len(st) > PLANE:
        layer = level.columns * level.rows
        _prefetch_layer(st, block - layer, level.columns)
        _prefetch_layer(st, block + layer, level.columns)
    _prefetch_layer(st, block, level.columns)


@inlined
def _prefetch_layer(st: DiscArrays, block: int, columns: int) -> None:
    """Prefetch a cell and the eight around it in its layer, which has so many columns."""
    for k in range(block - 1, block + 2):
        _prefetch_block(st, k)
        _prefetch_block(st, k - columns)
        _prefetch_block(st, k + columns)


@inlined
def _prefetch_block(st: DiscArrays, block: int) -> None:
    """Prefetch a block of `lists`."""
    prefetch(st.lists, block * line_of(st))
    if len(st) > PLANE:
        prefetch(st.lists, block * line_of(st) + d.LINE)


@inlined
def _prefetch_further_blocks(st: DiscArrays, i: int, x: Vector) -> None:
    """Prefetch the blocks in which the cells around a place continue where they have more discs than a block holds.

    Each would be a wait of its own in the search, since only the cell tells where it lies.
    """
    level = st.levels[st.motion[i].flags >> d.LEVEL_BIT]
    if level.columns < 3 or level.rows < 3:
        return
    kx = min(max(column(x[0], level.columns_per_length, level.columns), 1), level.columns - 2)
    ky = min(max(column(x[1], level.rows_per_length, level.rows), 1), level.rows - 2)
    if len(st) > PLANE:
        ky += column(x[2], level.layers_per_length, level.layers) * level.rows
    block = whole(level.first_cell + ky * level.columns + kx)
    for row in range(block - level.columns, block + level.columns + 1, level.columns):
        for k in range(row - 1, row + 2):
            further = max(whole(st.lists[k * line_of(st) + next_of(st)]), 0)
            prefetch(st.lists, further * line_of(st))


@inlined
def _leaves_at(st: DiscArrays, i: int) -> Vector:
    """The place where disc i leaves its shell, around which cells are searched then."""
    return plus(position(st, i), times(st.entry[i].event - st.motion[i].time, velocity(st, i)))


@inlined
def _prefetch_coming(st: DiscArrays) -> None:
    """Prefetch what the next events will read.

    The entries of their discs were read when the bin was opened, but where a bin holds thousands of events, they have
    left the cache since.
    """
    at = st.state.coming_at
    end = st.state.coming_end
    if at + _FAR < end:
        i = whole(st.coming[at + _FAR].disc)
        prefetch_record(st.motion, i)
        prefetch(st.entry, i)
        prefetch(st.place, i)
        if st.state.listed:
            _prefetch_block(st, i)
    if at + _MIDDLE < end:
        i = whole(st.coming[at + _MIDDLE].disc)
        if st.entry[i].event == st.motion[i].renewal:
            j = whole(st.entry[i].what)
            if j >= 0:
                prefetch_record(st.motion, j)
                prefetch(st.entry, j)
                prefetch(st.place, j)
                if st.state.listed:
                    _prefetch_block(st, j)
                else:
                    _prefetch_cells(st, i, position(st, i))
        else:
            _prefetch_cells(st, i, _leaves_at(st, i))
    if at + _NEAR < end:
        i = whole(st.coming[at + _NEAR].disc)
        if st.entry[i].event == st.motion[i].renewal:
            if st.state.listed:
                _prefetch_neighbours(st, st.motion, i)
            j = whole(st.entry[i].what)
            if j >= 0:
                if st.state.listed:
                    _prefetch_neighbours(st, st.motion, j)
                else:
                    _prefetch_cells(st, j, position(st, j))
        elif st.state.listed:
            if st.state.count > _MOST:
                _prefetch_further_blocks(st, i, _leaves_at(st, i))
            _prefetch_neighbours(st, st.place, i)


@inlined
def first(st: DiscArrays) -> int:
    """The disc with the earliest event; -1 for none, NO_ROOM where the next bin does not fit into `coming`.

    It stays in the queue until its event has another time.
    """
    state = st.state
    seen = 0
    while True:
        while state.coming_at < state.coming_end:
            event = st.coming[state.coming_at]
            if st.entry[event.disc].event == event.time:
                break
            state.coming_at += 1
            if state.count > _MANY:
                _prefetch_coming(st)
        while state.late_count > 0 and st.entry[st.late[0].disc].event != st.late[0].time:
            _out_of_heap(st)
        if state.late_count > 0:
            late = st.late[0]
            if state.coming_at == state.coming_end:
                return whole(late.disc)
            event = st.coming[state.coming_at]
            if late.time < event.time or (late.time == event.time and late.disc < event.disc):
                return whole(late.disc)
        if state.coming_at < state.coming_end:
            return whole(st.coming[state.coming_at].disc)
        if state.queued == 0:
            return -1
        if seen > state.bin_mask:
            _jump(st)
            seen = 0
        seen += 1
        size = _size_of(st, state.bin + 1)
        if size > state.coming_size:
            return NO_ROOM
        _open(st, state.bin + 1, size)
