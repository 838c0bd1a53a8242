"""Lists of neighbours in one pool: START and LENGTH of a disc say where its list lies, the entry before it how long it
may grow. A list that needs more room moves to the end of the pool."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs, pointers
from engine.kernels import inlined, kernel, whole

SPARE = 4  # entries of a list beyond its first length


@inlined
def room(st: Discs, i: int, more: int) -> int:
    """Entries of the pool that a list takes to hold `more` entries more: 0 where they fit."""
    o = i << 3
    length = whole(st.ri[o + d.LENGTH]) + more
    if length <= whole(st.pool[whole(st.ri[o + d.START]) - 1]):
        return 0
    return length + (length >> 1) + SPARE + 1


@inlined
def make_room(st: Discs, i: int, more: int) -> None:
    """Move the list of disc i to the end of the pool where `more` entries do not fit."""
    size = room(st, i, more)
    if size == 0:
        return
    o = i << 3
    old = whole(st.ri[o + d.START])
    start = st.si[d.POOL_TOP] + 1
    st.si[d.POOL_TOP] += size
    st.pool[start - 1] = np.uint32(size - 1)
    for k in range(st.ri[o + d.LENGTH]):
        st.pool[start + k] = st.pool[old + k]
    st.ri[o + d.START] = start


@inlined
def append(st: Discs, i: int, j: int) -> None:
    """Put disc j on the list of disc i, which has room for it."""
    o = i << 3
    st.pool[whole(st.ri[o + d.START]) + st.ri[o + d.LENGTH]] = np.uint32(j)
    st.ri[o + d.LENGTH] += 1


@inlined
def strike(st: Discs, i: int, j: int) -> None:
    """Take disc j off the list of disc i."""
    o = i << 3
    start = whole(st.ri[o + d.START])
    last = start + st.ri[o + d.LENGTH] - 1
    k = start
    while whole(st.pool[k]) != j:
        k += 1
    st.pool[k] = st.pool[last]
    st.ri[o + d.LENGTH] -= 1


@kernel
def move_lists(arrays: Discs, pool: NDArray[np.uint32]) -> int:
    """Copy all lists into another pool, one after another with room to grow; returns the entries used or, where
    they would fill it, -1 (the old pool still holds)."""
    st = pointers(arrays)
    top = 0
    for i in range(st.si[d.COUNT]):
        top += whole(st.ri[(i << 3) + d.LENGTH]) + SPARE + 1
    if top > pool.shape[0] - pool.shape[0] // 8:
        return -1
    top = 0
    for i in range(st.si[d.COUNT]):
        o = i << 3
        length = whole(st.ri[o + d.LENGTH])
        pool[top] = np.uint32(length + SPARE)
        for k in range(length):
            pool[top + 1 + k] = st.pool[whole(st.ri[o + d.START]) + k]
        st.ri[o + d.START] = top + 1
        top += length + SPARE + 1
    return top
