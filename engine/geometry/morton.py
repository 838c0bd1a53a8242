"""Order along a space-filling curve: neighbours in space are neighbours in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.vectors import Vector
from engine.kernels import inlined, kernel

SHIFTS = (0, 11, 22)
"""The first bit of the key used by each call of `sort_pass`, in order."""


@inlined
def morton_key(x: Vector, side: float) -> np.uint64:
    """Interleaved cell numbers of a place x in a square or cube of this side, or at its edge: 16 bits for each axis in
    the plane, 10 in space."""
    if len(x) > 2:
        return (
            _every_third(x[0] / side)
            | (_every_third(x[1] / side) << np.uint64(1))
            | (_every_third(x[2] / side) << np.uint64(2))
        )
    return _every_second(x[0] / side) | (_every_second(x[1] / side) << np.uint64(1))


@inlined
def _every_second(share: float) -> np.uint64:
    """The number of one of 65536 cells from a place between 0 and 1, with a 0 bit after each bit."""
    v = np.uint64(min(65535, max(0, int(share * 65536.0))))
    v = (v | (v << np.uint64(8))) & np.uint64(0x00FF00FF)
    v = (v | (v << np.uint64(4))) & np.uint64(0x0F0F0F0F)
    v = (v | (v << np.uint64(2))) & np.uint64(0x33333333)
    return (v | (v << np.uint64(1))) & np.uint64(0x55555555)


@inlined
def _every_third(share: float) -> np.uint64:
    """The number of one of 1024 cells from a place between 0 and 1, with two 0 bits after each bit."""
    v = np.uint64(min(1023, max(0, int(share * 1024.0))))
    v = (v | (v << np.uint64(16))) & np.uint64(0x030000FF)
    v = (v | (v << np.uint64(8))) & np.uint64(0x0300F00F)
    v = (v | (v << np.uint64(4))) & np.uint64(0x030C30C3)
    return (v | (v << np.uint64(2))) & np.uint64(0x09249249)


@kernel
def morton_keys(positions: NDArray[np.float64], box: NDArray[np.float64]) -> NDArray[np.uint64]:
    """The key of each position, (N,)."""
    n = positions.shape[0]
    keys = np.empty(n, np.uint64)
    side = box.max()
    for i in range(n):
        if positions.shape[1] > 2:
            keys[i] = morton_key((positions[i, 0], positions[i, 1], positions[i, 2]), side)
        else:
            keys[i] = morton_key((positions[i, 0], positions[i, 1]), side)
    return keys


def morton_order(positions: NDArray[np.float64], box: NDArray[np.float64]) -> NDArray[np.intp]:
    """Indices that sort positions (N, d) along a Z curve; those of one cell keep their order."""
    return np.argsort(morton_keys(positions, box), kind="stable")


@kernel
def sort_pass(keys: NDArray[np.uint32], order: NDArray[np.int32], into: NDArray[np.int32], shift: int) -> None:
    """One pass of a radix sort: after those with all `SHIFTS`, `into` has the indices that sort `keys`, stably.

    keys, order, into : (N,); order : the indices from the previous pass, initially 0 … N - 1.
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
