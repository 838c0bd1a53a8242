"""A fixed piece of work that says how fast the machine is at the moment: speeds are compared as multiples of its time.

It must never change, or what was kept before cannot be compared with what comes after.
"""

from __future__ import annotations

import time

import numba as nb
import numpy as np
from numpy.typing import NDArray

_LONG = 1 << 20  # links of 8 bytes: more than the caches next to a core hold, as large simulations are
_STEPS = 400_000
_TIMES = 5


@nb.njit(nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def _walk(following: NDArray[np.int64], steps: int) -> float:
    """Follow links all over the memory, with some arithmetic at each of them."""
    at, total = 0, 0.0
    for _ in range(steps):
        at = following[at]
        total += np.sqrt(at * 0.5 + 1.0) / (at + 3.0)
    return total


def _links() -> NDArray[np.int64]:
    """One circle through all of the memory, in random order."""
    order = np.random.default_rng(20_261_122).permutation(_LONG)
    following = np.empty(_LONG, np.int64)
    following[order] = np.roll(order, -1)
    return following


_following = _links()


def seconds() -> float:
    """The least of a few times that the work took; some 0.1 s in all. The first call compiles it before."""
    _walk(_following, 1)
    taken = []
    for _ in range(_TIMES):
        begin = time.perf_counter()
        _walk(_following, _STEPS)
        taken.append(time.perf_counter() - begin)
    return min(taken)
