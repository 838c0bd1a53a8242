"""The arrays of neighbour lists and of the event queue, whose sizes follow from what they have to hold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.hard_discs import discs as d
from engine.hard_discs.discs import DiscArrays, layout_of
from engine.hard_discs.queue import empty_queue, insert_all
from engine.records import zeros

_AT_ONCE = 65_536  # discs in one step of filling the queue
_SPARE = 64  # blocks or events


def events_a_bin(count: int) -> int:
    """About how many events one bin of the calendar holds at first, for this number of discs.

    Few, so that hardly any event has to be added to the present bin; many, so that the blocks that are written to stay
    in the cache.
    """
    return max(32, count // 500)


def blocks(count: int, length: int = d.LINE) -> NDArray[np.int32]:
    """`count` blocks of zeros, each of `length` numbers, one cache line or two: (n,), n = count * length."""
    return zeros(count, np.dtype([("", np.int32)] * length)).view(np.int32)


def empty_queue_arrays(count: int) -> dict[str, NDArray[np.generic]]:
    """The arrays of the queue of this number of discs, which `empty_queue` has to make ready."""
    bins = 1 << max(2, (2 * count // events_a_bin(count)).bit_length())
    coming = max(256, 4 * events_a_bin(count))
    return {
        "bins": np.zeros(bins, d.BIN),
        "waiting": blocks(count // 8 + bins + _SPARE),
        "coming": zeros(2 * coming, d.COMING),
        "late": zeros(coming + _SPARE, d.COMING),
        "fine": np.zeros(d.FINE + 1, np.int32),
    }


def measure_queue(st: DiscArrays) -> None:
    """Set what follows from the lengths of the arrays of the queue, which is empty afterwards."""
    state = st.state
    state.bin_mask = len(st.bins) - 1
    state.coming_size = len(st.coming) // 2
    state.late_size = len(st.late)
    state.waiting_used = 0
    state.waiting_free = len(st.waiting) // d.LINE
    empty_queue(st)


def fill_queue(st: DiscArrays) -> Iterator[DiscArrays]:
    """Fill an empty queue with all events, with room for as many again: yields the changed state, in steps.

    What it yields last is the result. Events up to the present bin, `bin`, will stand in the heap.
    """
    state = st.state
    event = st.entry["event"]
    number = np.floor(event[np.isfinite(event) & (event <= state.epoch_end)] * state.bins_per_time)
    now = int(np.count_nonzero(number <= state.bin))
    crowd = int(np.bincount(number.astype(np.int64) & (len(st.bins) - 1), minlength=1).max()) if len(number) else 0
    del number
    if 2 * crowd > len(st.coming) // 2:
        st = st._replace(coming=zeros(2 * (2 * crowd + _SPARE), d.COMING))
    if now + len(st.coming) // 2 + _SPARE > len(st.late):
        st = st._replace(late=zeros(2 * now + len(st.coming) // 2 + _SPARE, d.COMING))
    measure_queue(st)
    yield st
    done, count = 0, int(state.count)
    while done < count:
        end = min(done + _AT_ONCE, count)
        done = insert_all(st, done, end)
        if done < end or state.waiting_free < len(st.waiting) // d.LINE // 4:
            st = st._replace(waiting=blocks(len(st.waiting) // d.LINE * 3 // 2 + _SPARE))
            measure_queue(st)
            done = 0
        yield st


def empty_lists(st: DiscArrays, cells: int) -> DiscArrays:
    """Empty the neighbour lists, where lists are kept, and make room for this number of cells and some more."""
    state, line = st.state, layout_of(st).line
    used = cells + int(state.count) * int(state.listed)
    if len(st.lists) // line < used + _SPARE:
        st = _with_blocks(st, blocks(used + used // 64 + 2 * _SPARE, line))
    state.blocks_used = used
    state.free_block = -1
    state.blocks_free = len(st.lists) // line - used
    st.lists[line - 2 : (used - cells) * line : line] = 0  # the lengths of all lists
    return st


def _with_blocks(st: DiscArrays, lists: NDArray[np.int32]) -> DiscArrays:
    """The state with these blocks in place of its own."""
    return st._replace(lists=lists, spots=lists.view(np.float32))


def longer_lists(st: DiscArrays) -> DiscArrays:
    """The state with room for longer neighbour lists and fuller cells."""
    line = layout_of(st).line
    more = len(st.lists) // line // 64 + _SPARE
    lists = blocks(len(st.lists) // line + more, line)
    lists[: len(st.lists)] = st.lists
    st.state.blocks_free += more
    return _with_blocks(st, lists)
