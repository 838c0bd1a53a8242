"""Finding large clusters that are near each other, in O(N): discs or spheres are painted into a fine grid, with a bit
for each cluster."""

from __future__ import annotations

from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.analysis.state import Floats, Ints
from engine.kernels import kernel, pointer, whole
from engine.state import nth_root

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
    (more above 50 000 discs or 30 000 spheres, for which the grid is coarser).

    Parameters
    ----------
    positions : (N, d) in the box.
    radii : (N,).
    cluster : (N,), labels.
    rank : (L,), number of the cluster with each label, 0 … 63, or -1 for one that does not matter.
    box, periodic : its side lengths (d,), and whether distances are to the nearest image.
    gap : a length.
    coarse : how many times larger than in the finest grid a side of a cell is; the time is shorter by its square, in
        space by its cube.
    """
    dimensions = len(box)
    side = coarse * max(2.0 * float(radii.mean()) / _FINE, nth_root(float(box.prod()) / _CELLS, dimensions))
    counts = [max(1, floor(float(length) / side)) for length in box]
    reaches = [min(floor(gap * n / float(length)) + 1, n) for n, length in zip(counts, box, strict=True)]
    nx, ny, nz = (*counts, 1)[:3]
    reach_x, reach_y, reach_z = (*reaches, 0)[:3]
    near = np.zeros(MOST, np.uint64)
    positions, radii, cluster = _plain(positions), _plain(radii), _plain(cluster)
    painted, widened = np.zeros((2, (nx + 2 * reach_x) * (ny + 2 * reach_y) * (nz + 2 * reach_z)), np.uint64)
    cells = nx, ny, nz, reach_x, reach_y, reach_z
    _near(positions, radii, cluster, rank, box, bool(periodic), cells, painted, widened, near)
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
    numbers: tuple[int, int, int, int, int, int],
    cells: NDArray[np.uint64],
    copied: NDArray[np.uint64],
    near: NDArray[np.uint64],
) -> None:
    """Paint the discs, widen the paint by the reach, and find overlaps of wide paint with discs.

    numbers : of columns, rows and layers (1 in the plane), and the reach along each axis (0 across the only layer).
    cells, copied : zeros, one for each cell including a margin of the reach on all sides.
    """
    nx, ny, nz, reach_x, reach_y, reach_z = numbers
    # rows, columns and layers beyond both ends: empty between walls, copies of the other side in a periodic box
    wide, high, deep = nx + 2 * reach_x, ny + 2 * reach_y, nz + 2 * reach_z
    floor_size = wide * high
    painted, widened = pointer(cells), pointer(copied)
    places, r_of, label_of, rank_of = pointer(positions), pointer(radii), pointer(cluster), pointer(rank)
    one, none = np.uint64(1), np.uint64(0)
    axes = len(box)
    per_x, per_y, per_z = nx / box[0], ny / box[1], nz / box[axes - 1]
    for i in range(len(cluster)):
        number = rank_of[label_of[i]]
        if number < 0:
            continue
        bit = one << np.uint64(number)
        x, y, r = places[axes * i], places[axes * i + 1], r_of[i]
        x0, x1 = whole(np.floor((x - r) * per_x)), whole(np.floor((x + r) * per_x))
        y0, y1 = whole(np.floor((y - r) * per_y)), whole(np.floor((y + r) * per_y))
        z0 = z1 = 0
        if axes > 2:
            z = places[axes * i + 2]
            z0, z1 = whole(np.floor((z - r) * per_z)), whole(np.floor((z + r) * per_z))
        if not periodic:
            x0, x1, y0, y1 = max(x0, 0), min(x1, nx - 1), max(y0, 0), min(y1, ny - 1)
            z0, z1 = max(z0, 0), min(z1, nz - 1)
        x1, y1, z1 = min(x1, x0 + nx - 1), min(y1, y0 + ny - 1), min(z1, z0 + nz - 1)
        for w in range(z0, z1 + 1):
            layer = w + nz if w < 0 else w - nz if w >= nz else w
            for v in range(y0, y1 + 1):
                row = v + ny if v < 0 else v - ny if v >= ny else v
                begin = (layer + reach_z) * floor_size + (row + reach_y) * wide + reach_x
                for u in range(x0, x1 + 1):
                    column = u + nx if u < 0 else u - nx if u >= nx else u
                    painted[begin + column] |= bit
    if periodic:
        for row in range(deep * high):
            start = row * wide + reach_x
            for k in range(reach_x):
                painted[start - 1 - k] = painted[start + nx - 1 - k]
                painted[start + nx + k] = painted[start + k]
        for layer in range(deep):
            for k in range(reach_y):
                low = layer * floor_size + (reach_y - 1 - k) * wide
                high_end = layer * floor_size + (reach_y + ny + k) * wide
                for column in range(wide):
                    painted[low + column] = painted[low + ny * wide + column]
                    painted[high_end + column] = painted[high_end - ny * wide + column]
        for k in range(reach_z):
            low, high_end = (reach_z - 1 - k) * floor_size, (reach_z + nz + k) * floor_size
            for cell in range(floor_size):
                painted[low + cell] = painted[low + nz * floor_size + cell]
                painted[high_end + cell] = painted[high_end - nz * floor_size + cell]
    size = deep * floor_size
    for k in range(size):
        widened[k] = painted[k]
    # the paint of a window of 2 reach + 1 cells that begins at each cell, by doubling, along one axis after the other;
    # its middle is `reach` further on. Cells with paint from beyond the end of their row are never read
    step_of = 1
    for axis in range(axes):
        reach = reach_x if axis == 0 else reach_y if axis == 1 else reach_z
        window, done = 2 * reach + 1, 1
        while done < window:
            step = min(done, window - done)
            for k in range(size - step * step_of):
                widened[k] |= widened[k + step * step_of]
            done += step
        step_of *= wide if axis == 0 else high
    for layer in range(nz):
        for row in range(ny):
            for column in range(nx):
                at = layer * floor_size + row * wide + column
                here = painted[at + reach_z * floor_size + reach_y * wide + reach_x]
                around = widened[at]
                if here == none or (around == here and here & (here - one) == none):
                    continue
                number = 0
                while here != none:
                    if here & one:
                        near[number] |= around
                    here >>= one
                    number += 1
