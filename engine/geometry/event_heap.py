"""An indexed priority queue: one event per owner, in a 4-ary heap whose entries can be moved in place.

The four children of a slot are neighbours in memory, so a level costs about one cache line; updating an owner's event
replaces its entry, so the queue never holds stale ones and never grows beyond the number of owners.

The caller holds the arrays: `key` (capacity,) float64, times of events; `owner` (capacity,) int32; `slot` (owners,)
int32, where the entry of an owner is, -1 for none. Equal times are ordered by owner, so that the order of events
depends on the state alone. `engine.hard_discs.queue` says why it has a heap of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import elements, inlined, inner, prefetch


@inlined
def heap_sift_up(
    key: NDArray[np.float64], owner: NDArray[np.int32], slot: NDArray[np.int32], at: int, k: float, o: int
) -> int:
    """Move the hole at `at` towards the root until the event at time `k` of owner `o` may stand there; returns where
    that is.

    key, owner : (capacity,), the heap; slot : (m,), where the entry of each owner is.
    """
    while at > 0:
        parent = (at - 1) >> 2
        pk = key[parent]
        if pk < k or (pk == k and owner[parent] < o):
            break
        key[at] = pk
        owner[at] = owner[parent]
        slot[owner[at]] = at
        at = parent
    return at


@inlined
def heap_sift_down(
    key: NDArray[np.float64],
    owner: NDArray[np.int32],
    slot: NDArray[np.int32],
    n: int,
    at: int,
    k: float,
    o: int,
) -> int:
    """Move the hole at `at` towards the leaves until the event at time `k` of owner `o` may stand there; returns where
    that is.

    key, owner : (capacity,), the heap, of which the first `n` are in use; slot : (m,), where the entry of each owner
        is.
    """
    while True:
        first = (at << 2) + 1
        if first >= n:
            break
        # the sixteen below these four: in a large heap each level would wait for memory otherwise
        below = (first << 2) + 1
        prefetch(elements(key), below)
        prefetch(elements(key), below + 8)
        prefetch(elements(key), below + 15)
        prefetch(elements(owner), below)
        best = first
        bk = key[first]
        last = min(first + 4, n)
        for c in range(first + 1, last):
            ck = key[c]
            if ck < bk or (ck == bk and owner[c] < owner[best]):
                best = c
                bk = ck
        if k < bk or (k == bk and o < owner[best]):
            break
        key[at] = bk
        owner[at] = owner[best]
        slot[owner[at]] = at
        at = best
    return at


@inner
def heap_set(
    key: NDArray[np.float64], owner: NDArray[np.int32], slot: NDArray[np.int32], n: int, o: int, k: float
) -> int:
    """Give owner `o` the event time `k`, entering it if it has none; returns the new number of entries.

    key, owner : (capacity,), the heap, of which the first `n` are in use; slot : (m,), where the entry of each owner
        is.
    """
    at = slot[o]
    if at < 0:
        at = heap_sift_up(key, owner, slot, n, k, o)
        n += 1
    elif k < key[at]:
        at = heap_sift_up(key, owner, slot, at, k, o)
    else:
        at = heap_sift_down(key, owner, slot, n, at, k, o)
    key[at] = k
    owner[at] = o
    slot[o] = at
    return n


@inner
def heap_remove(key: NDArray[np.float64], owner: NDArray[np.int32], slot: NDArray[np.int32], n: int, o: int) -> int:
    """Remove owner `o`; returns the new number of entries.

    key, owner : (capacity,), the heap, of which the first `n` are in use; slot : (m,), where the entry of each owner
        is.
    """
    at = slot[o]
    if at < 0:
        return n
    slot[o] = -1
    n -= 1
    if at == n:
        return n
    k = key[n]
    last = owner[n]
    up = heap_sift_up(key, owner, slot, at, k, last)
    if up == at:
        up = heap_sift_down(key, owner, slot, n, at, k, last)
    key[up] = k
    owner[up] = last
    slot[last] = up
    return n


@inlined
def heap_second_key(key: NDArray[np.float64], n: int) -> float:
    """The second smallest event time; inf if there is none. key : (capacity,), of which the first `n` are in use."""
    best = np.inf
    for c in range(1, min(5, n)):
        best = min(best, key[c])
    return best
