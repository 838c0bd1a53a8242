"""Grid cells as cache lines: which owners are entered in which cells, entered and taken out in place.

A bucket is a row of `bucket` (K, 16) int32: COUNT, NEXT (a further bucket of the same cell, -1 for none) and up to
CAPACITY owners, in no order. Bucket k < number of cells is the first one of cell k, later ones come from the free rows
after them, counted by `top`, a one-element int64 array.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined, inner

COUNT, NEXT, FIRST = 0, 1, 2
CAPACITY = 14


@inner
def bucket_clear(bucket: NDArray[np.int32], top: NDArray[np.int64], cells: int) -> None:
    """Empty the grid and let it have `cells` cells."""
    for k in range(cells):
        bucket[k, COUNT] = 0
        bucket[k, NEXT] = -1
    top[0] = cells


@inlined
def bucket_insert(bucket: NDArray[np.int32], top: NDArray[np.int64], cell: int, owner: int) -> None:
    """Enter `owner` in a cell; there must be a free row left."""
    k = cell
    while bucket[k, COUNT] == CAPACITY:
        if bucket[k, NEXT] < 0:
            new = top[0]
            top[0] = new + 1
            bucket[new, COUNT] = 0
            bucket[new, NEXT] = -1
            bucket[k, NEXT] = new
        k = bucket[k, NEXT]
    n = bucket[k, COUNT]
    bucket[k, FIRST + n] = owner
    bucket[k, COUNT] = n + 1


@inlined
def bucket_remove(bucket: NDArray[np.int32], cell: int, owner: int) -> None:
    """Take `owner` out of a cell in which it stands once."""
    k = cell
    while k >= 0:
        n = bucket[k, COUNT]
        for m in range(FIRST, FIRST + n):
            if bucket[k, m] == owner:
                bucket[k, m] = bucket[k, FIRST + n - 1]
                bucket[k, COUNT] = n - 1
                return
        k = bucket[k, NEXT]
