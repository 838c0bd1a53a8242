"""The calendar against a plain list, under random entries, changes and removals."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.hard_discs import discs as d
from engine.hard_discs import queue
from engine.hard_discs.discs import DiscArrays, pointers
from engine.hard_discs.epoch import at_once
from engine.hard_discs.room import fill_queue
from engine.hard_discs.setup import allocate
from engine.kernels import kernel
from tests.builders.states import discs

COUNT = 24


@kernel
def enter(arrays: DiscArrays, i: int, t: float) -> None:
    arrays.entry[i].event = t
    queue.insert(pointers(arrays), i)


def leave(arrays: DiscArrays, i: int) -> None:
    arrays.entry["event"][i] = np.inf


@kernel
def has_room(arrays: DiscArrays) -> bool:
    return queue.has_room(pointers(arrays))


@kernel
def earliest(arrays: DiscArrays) -> int:
    return queue.first(pointers(arrays))


def empty(per_bin, count=COUNT):
    rng = np.random.default_rng(1)
    arrays = allocate(discs(rng.random((count, 2)) * 9, np.zeros((count, 2)), 0.01, 9.0))
    arrays.entry["event"] = np.inf
    arrays.state.bins_per_time = per_bin
    arrays.state.epoch_end = 1e5
    arrays.state.bin = -1
    return arrays


times = st.one_of(
    st.floats(0.0, 30.0), st.sampled_from([0.0, 1.0, 2.5, np.inf, 1e9]), st.floats(0.0, 9e4), st.just(0.125)
)
actions = st.lists(st.tuples(st.sampled_from(["enter", "change", "leave", "pop"]), st.integers(0, COUNT - 1), times))


@settings(max_examples=20)
@given(actions, st.sampled_from([0.01, 1.0, 37.0]))
def test_a_calendar_queue_gives_the_order_of_a_plain_list(steps, per_bin):
    arrays = empty(per_bin)
    plain: dict[int, float] = {}
    now = 0.0
    for action, i, wait in steps:
        if action == "pop":
            waiting = [(t, k) for k, t in plain.items() if t <= arrays.state.epoch_end]
            got = earliest(arrays)
            assert got == (min(waiting)[1] if waiting else -1)
            if waiting:
                now = min(waiting)[0]
                leave(arrays, got)
                del plain[got]
        elif action == "leave" or i in plain:
            leave(arrays, i)
            plain.pop(i, None)
        if action in ("enter", "change") and i not in plain:
            enter(arrays, i, now + wait)
            plain[i] = now + wait
    order = []
    while (got := earliest(arrays)) >= 0:
        order.append(got)
        leave(arrays, got)
    assert order == [k for t, k in sorted((t, k) for k, t in plain.items() if t <= arrays.state.epoch_end)]
    assert arrays.state.late_count == 0
    assert arrays.state.queued == 0
    assert arrays.state.waiting_free == len(arrays.waiting) // d.LINE


def test_thousands_at_one_moment_come_in_the_order_of_their_numbers():
    arrays = empty(1.0, 3000)
    for i in np.random.default_rng(3).permutation(3000):
        enter(arrays, int(i), 5.0)
    arrays = at_once(fill_queue(arrays))
    for i in range(3000):
        assert earliest(arrays) == i
        leave(arrays, i)
    assert earliest(arrays) == -1


def test_a_bin_that_does_not_fit_and_a_full_queue_are_told():
    arrays = empty(1.0, 3000)
    assert arrays.state.coming_size < 3000
    for i in range(3000):
        enter(arrays, i, 5.0 + 1e-5 * ((7 * i) % 3000))
    assert earliest(arrays) == queue.NO_ROOM
    arrays = at_once(fill_queue(arrays))
    order = sorted(range(3000), key=lambda i: (7 * i) % 3000)
    for i in order[:2000]:
        assert earliest(arrays) == i
        enter(arrays, i, 50.0)
    while has_room(arrays):
        enter(arrays, 0, 60.0)
    arrays = at_once(fill_queue(arrays))
    for i in order[2000:]:
        if i != 0:
            assert earliest(arrays) == i
            leave(arrays, i)
    for i in sorted(order[:2000]):
        if i != 0:
            assert earliest(arrays) == i
            leave(arrays, i)
    assert earliest(arrays) == 0
