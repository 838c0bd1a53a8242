"""Order along a space-filling curve: what is near in space is near in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel


@kernel
def morton_keys(positions: NDArray[np.float64], box: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Interleaved 16-bit cell numbers of each position, (N,)."""
    n = positions.shape[0]
    keys = np.empty(n, np.uint64)
    side = max(box[0], box[1])
    for i in range(n):
        key = np.uint64(0)
        for axis in range(2):
            v = np.uint64(min(65535, max(0, int(positions[i, axis] / side * 65536.0))))
            v = (v | (v << np.uint64(8))) & np.uint64(0x00FF00FF)
            v = (v | (v << np.uint64(4))) & np.uint64(0x0F0F0F0F)
            v = (v | (v << np.uint64(2))) & np.uint64(0x33333333)
            v = (v | (v << np.uint64(1))) & np.uint64(0x55555555)
            key |= v << np.uint64(axis)
        keys[i] = key
    return keys


def morton_order(positions: NDArray[np.float64], box: NDArray[np.float64]) -> NDArray[np.intp]:
    """Indices that sort positions (N, 2) along a Z curve; discs of one cell keep their order."""
    return np.argsort(morton_keys(positions, box), kind="stable")
