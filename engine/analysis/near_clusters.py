"""Finding large clusters that are near each other, in O(N): discs are painted into a fine grid, with a bit for each
cluster."""

from __future__ import annotations

from math import floor, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.analysis.state import Floats, Ints
from engine.kernels import kernel, pointer, whole

MOST = 64
"""The most clusters: one for each bit of a cell."""

_CELLS = 1 << 18  # of the finest grid, at most
_FINE = 2.0  # its cells in the mean diameter, while there are few enough


def near_clusters(
    positions: Floats,
    radii: Floats,
    cluster: Ints,
    rank: NDArray[np.int8],
    box: Floats,
    periodic: bool,
    gap: float,
    coarse: int = 1,
) -> NDArray[np.uint64]:
    """Which of up to 64 clusters are near each other: bit j of entry i, (64,), is set if clusters i and j are.

    Clusters with gaps below `gap` always count as near, those with gaps up to 2 `coarse` mean diameters larger may
    (more above 50 000 discs, for which the grid is coarser).

    Parameters
    ----------
    positions : (N, 2) in the box.
    radii : (N,).
    cluster : (N,), labels.
    rank : (L,), number of the cluster with each label, 0 … 63, or -1 for one that does not matter.
    box, periodic : its side lengths (2,), and whether distances are to the nearest image.
    gap : a length.
    coarse : how many times larger than in the finest grid a side of a cell is; the time is shorter by its square.
    """
    area = float(box[0]) * float(box[1])
    side = coarse * max(2.0 * float(radii.mean()) / _FINE, sqrt(area / _CELLS))
    nx, ny = (max(1, floor(float(length) / side)) for length in box)
    reach_x, reach_y = (min(floor(gap * n / float(length)) + 1, n) for n, length in ((nx, box[0]), (ny, box[1])))
    near = np.zeros(MOST, np.uint64)
    positions, radii, cluster = _plain(positions), _plain(radii), _plain(cluster)
    painted, widened = np.zeros((2, (nx + 2 * reach_x) * (ny + 2 * reach_y)), np.uint64)
    _near(positions, radii, cluster, rank, box, bool(periodic), nx, ny, reach_x, reach_y, painted, widened, near)
    return near


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """The array, contiguous and writable: numba would compile the kernel again for any other kind."""
    return array if array.flags.c_contiguous and array.flags.writeable else array.copy()


@kernel
def _near(
    positions: Floats,
    radii: Floats,
    cluster: Ints,
    rank: NDArray[np.int8],
    box: Floats,
    periodic: bool,
    nx: int,
    ny: int,
    reach_x: int,
    reach_y: int,
    cells: NDArray[np.uint64],
    copied: NDArray[np.uint64],
    near: NDArray[np.uint64],
) -> None:
    """Paint the discs, widen the paint by the reach, and find overlaps of wide paint with discs.

    cells, copied : zeros, one for each cell including a margin of the reach on all sides.
    """
    # rows and columns beyond both ends: empty between walls, copies of the other side in a periodic box
    wide, high = nx + 2 * reach_x, ny + 2 * reach_y
    painted, widened = pointer(cells), pointer(copied)
    places, r_of, label_of, rank_of = pointer(positions), pointer(radii), pointer(cluster), pointer(rank)
    one, none = np.uint64(1), np.uint64(0)
    per_x, per_y = nx / box[0], ny / box[1]
    for i in range(len(cluster)):
        number = rank_of[label_of[i]]
        if number < 0:
            continue
        bit = one << np.uint64(number)
        x, y, r = places[2 * i], places[2 * i + 1], r_of[i]
        x0, x1 = whole(np.floor((x - r) * per_x)), whole(np.floor((x + r) * per_x))
        y0, y1 = whole(np.floor((y - r) * per_y)), whole(np.floor((y + r) * per_y))
        if not periodic:
            x0, x1, y0, y1 = max(x0, 0), min(x1, nx - 1), max(y0, 0), min(y1, ny - 1)
        x1, y1 = min(x1, x0 + nx - 1), min(y1, y0 + ny - 1)
        for v in range(y0, y1 + 1):
            row = v + ny if v < 0 else v - ny if v >= ny else v
            for u in range(x0, x1 + 1):
                column = u + nx if u < 0 else u - nx if u >= nx else u
                painted[(row + reach_y) * wide + column + reach_x] |= bit
    if periodic:
        for row in range(reach_y, reach_y + ny):
            start = row * wide + reach_x
            for k in range(reach_x):
                painted[start - 1 - k] = painted[start + nx - 1 - k]
                painted[start + nx + k] = painted[start + k]
        for k in range(reach_y):
            low, high_end = (reach_y - 1 - k) * wide, (reach_y + ny + k) * wide
            for column in range(wide):
                painted[low + column] = painted[low + ny * wide + column]
                painted[high_end + column] = painted[high_end - ny * wide + column]
    for k in range(high * wide):
        widened[k] = painted[k]
    # the paint of a window of 2 reach + 1 cells that begins at each cell, by doubling; its middle is `reach` further on
    window, done = 2 * reach_x + 1, 1
    while done < window:
        step = min(done, window - done)
        for k in range(high * wide - step):  # cells with paint from the next row are never read
            widened[k] |= widened[k + step]
        done += step
    window, done = 2 * reach_y + 1, 1
    while done < window:
        step = min(done, window - done)
        for k in range((high - step) * wide):
            widened[k] |= widened[k + step * wide]
        done += step
    for row in range(ny):
        for column in range(nx):
            here = painted[(row + reach_y) * wide + column + reach_x]
            around = widened[row * wide + column]
            if here == none or (around == here and here & (here - one) == none):
                continue
            number = 0
            while here != none:
                if here & one:
                    near[number] |= around
                here >>= one
                number += 1
