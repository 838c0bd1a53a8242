"""A grid whose cells are cache lines, with owners (clusters, for instance) that enter and leave cells one by one.

Bucket k < number of cells is the first one of cell k; where a cell needs more, free buckets after them are linked to
it. How many buckets are in use is counted by `top`, a one-element int64 array.
"""

from __future__ import annotations

from math import floor

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined, inner
from engine.records import Records, record

CAPACITY = 14

BUCKET = record("i4 count next", f"{CAPACITY}i4 owners")
"""A bucket, one cache line.

count : how many owners stand in it; next : a further bucket of the same cell, -1 for none; owners : (CAPACITY,) who
they are, the first `count` valid, in no order.
"""


@inner
def bucket_clear(buckets: Records, top: NDArray[np.int64], cells: int) -> None:
    """Empty the grid and let it have `cells` cells."""
    for k in range(cells):
        buckets[k].count = 0
        buckets[k].next = -1
    top[0] = cells


@inlined
def bucket_insert(buckets: Records, top: NDArray[np.int64], cell: int, owner: int) -> None:
    """Enter `owner` in a cell; there must be a free bucket left."""
    bucket = buckets[cell]
    while bucket.count == CAPACITY:
        if bucket.next < 0:
            new = top[0]
            top[0] = new + 1
            buckets[new].count = 0
            buckets[new].next = -1
            bucket.next = new
        bucket = buckets[bucket.next]
    bucket.owners[bucket.count] = owner
    bucket.count += 1


@inlined
def bucket_remove(buckets: Records, cell: int, owner: int) -> None:
    """Take `owner` out of a cell in which it stands once."""
    k = cell
    while k >= 0:
        bucket = buckets[k]
        owners = bucket.owners
        for m in range(bucket.count):
            if owners[m] == owner:
                owners[m] = owners[bucket.count - 1]
                bucket.count -= 1
                return
        k = bucket.next


@inlined
def modulo(k: int, n: int) -> int:
    """k modulo n for -n <= k < 2 n and, slower, for any k."""
    if k < 0:
        k += n
    elif k >= n:
        k -= n
    if k < 0 or k >= n:
        k %= n
    return k


@inlined
def cells_covered(low: float, high: float, side: float, count: int, periodic: int) -> tuple[int, int]:
    """First of the `count` columns, or rows, that an interval covers, and how many: none of them twice."""
    first = floor(low / side)
    last = floor(high / side)
    if not periodic:
        first = min(max(first, 0), count - 1)
        last = min(max(last, 0), count - 1)
    return first, min(last - first + 1, count)
