"""The calendar against a plain list, under random entries, changes and removals."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.hard_discs import discs as d
from engine.hard_discs import queue
from engine.hard_discs.discs import Discs, pointers
from engine.hard_discs.setup import allocate
from engine.kernels import kernel
from tests.engine.states import discs

COUNT = 24


@kernel
def enter(arrays: Discs, i: int, t: float) -> None:
    arrays.motion[i].event = t
    queue.insert(pointers(arrays), i)


@kernel
def leave(arrays: Discs, i: int) -> None:
    queue.remove(pointers(arrays), i)


@kernel
def earliest(arrays: Discs) -> int:
    return queue.first(pointers(arrays))


def empty(per_bin):
    rng = np.random.default_rng(1)
    arrays = allocate(discs(rng.random((COUNT, 2)) * 9, np.zeros((COUNT, 2)), 0.01, 9.0))
    arrays.entry["prev"] = d.OUT
    arrays.state.bins_per_time = per_bin
    arrays.state.epoch_end = 1e5
    arrays.state.bin = -1
    return arrays


times = st.one_of(
    st.floats(0.0, 30.0), st.sampled_from([0.0, 1.0, 2.5, np.inf, 1e9]), st.floats(0.0, 9e4), st.just(0.125)
)
actions = st.lists(st.tuples(st.sampled_from(["enter", "change", "leave", "pop"]), st.integers(0, COUNT - 1), times))


@settings(max_examples=300, deadline=None)
@given(actions, st.sampled_from([0.01, 1.0, 37.0]))
def test_as_a_plain_list(steps, per_bin):
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
    assert arrays.state.heap_size == 0
    assert arrays.state.queued == 0


def test_thousands_at_one_moment_come_in_the_order_of_their_numbers():
    arrays = empty(1.0)
    for i in np.random.default_rng(3).permutation(COUNT):
        enter(arrays, int(i), 5.0)
    for i in range(COUNT):
        assert earliest(arrays) == i
        leave(arrays, i)
