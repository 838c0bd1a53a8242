"""Order along a space-filling curve: neighbours in space are neighbours in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined, kernel

SHIFTS = (0, 11, 22)
"""The first bit of the key used by each call of `sort_pass`, in order."""


@inlined
def morton_key(x: float, y: float, side: float) -> np.uint64:
    """Interleaved 16-bit cell numbers of a place (x, y) in a square of this side, or at its edge."""
    key = np.uint64(0)
    for axis in range(2):
        v = np.uint64(min(65535, max(0, int((x if axis == 0 else y) / side * 65536.0))))
        v = (v | (v << np.uint64(8))) & np.uint64(0x00FF00FF)
        v = (v | (v << np.uint64(4))) & np.uint64(0x0F0F0F0F)
        v = (v | (v << np.uint64(2))) & np.uint64(0x33333333)
        v = (v | (v << np.uint64(1))) & np.uint64(0x55555555)
        key |= v << np.uint64(axis)
    return key


@kernel
def morton_keys(positions: NDArray[np.float64], box: NDArray[np.float64]) -> NDArray[np.uint64]:
    """The key of each position, (N,)."""
    n = positions.shape[0]
    keys = np.empty(n, np.uint64)
    side = max(box[0], box[1])
    for i in range(n):
        keys[i] = morton_key(positions[i, 0], positions[i, 1], side)
    return keys


def morton_order(positions: NDArray[np.float64], box: NDArray[np.float64]) -> NDArray[np.intp]:
    """Indices that sort positions (N, 2) along a Z curve; discs of one cell keep their order."""
    return np.argsort(morton_keys(positions, box), kind="stable")


@kernel
def sort_pass(keys: NDArray[np.uint32], order: NDArray[np.int32], into: NDArray[np.int32], shift: int) -> None:
    """One pass of a radix sort: after those with all `SHIFTS`, `into` has the indices that sort `keys`, stably.

    order : the indices from the previous pass, initially 0 … N - 1.
    """
    n = order.shape[0]
    begin = np.zeros(2049, np.int64)
    for k in range(n):
        begin[((keys[k] >> shift) & 2047) + 1] += 1
    for digit in range(2048):
        begin[digit + 1] += begin[digit]
    for k in range(n):
        digit = (keys[order[k]] >> shift) & 2047
        into[begin[digit]] = order[k]
        begin[digit] += 1
