"""Random sequential adsorption: discs are placed one after the other at random free positions."""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.geometry.minimum_image import axis_distance
from engine.kernels import inner, kernel

TRIES_PER_DISC = 20_000


class _Discs(NamedTuple):
    """The discs, and those placed so far in cells: linked lists, since cells fill one disc at a time.

    positions : (N, 2); radii : (N,); head : (columns * rows,), the first disc of each cell, -1 for none; following :
    (N,), the next disc of the same cell.
    """

    positions: NDArray[np.float64]
    radii: NDArray[np.float64]
    head: NDArray[np.int32]
    following: NDArray[np.int32]
    columns: int
    rows: int


def adsorb(
    radii: NDArray[np.float64], box: NDArray[np.float64], periodic: bool, rng: np.random.Generator
) -> NDArray[np.float64] | None:
    """Positions (N, 2) of discs with `radii` (N,) in `box` (2,), placed in this order without overlap.

    Each is uniform over the free positions. None if a disc finds no place in 20 000 tries.
    """
    count = len(radii)
    # cells as wide as the contact distance of the largest discs, but not many more cells than discs
    width = max(2.0 * float(radii.max()), float(np.sqrt(box[0] * box[1])) / (2 * isqrt(count) + 1))
    most = 4 * count + 1
    columns, rows = (max(1, int(min(side / width, most))) for side in box)
    head = np.full(columns * rows, -1, np.int32)
    discs = _Discs(np.empty((count, 2)), radii, head, np.empty(count, np.int32), columns, rows)
    placed = tries = 0
    while placed < count:
        placed, tries = _adsorb(rng.random((max(4096, count), 2)), discs, box, periodic, placed, tries)
        if tries > TRIES_PER_DISC:
            return None
    return discs.positions


@kernel
def _adsorb(
    unit: NDArray[np.float64], discs: _Discs, box: NDArray[np.float64], periodic: bool, placed: int, tries: int
) -> tuple[int, int]:
    """Try one place after the other; returns the discs placed and the tries spent on the one not placed yet.

    unit : (K, 2) random numbers in [0, 1).
    """
    for k in range(unit.shape[0]):
        if placed == discs.radii.size or tries > TRIES_PER_DISC:
            break
        edge = 0.0 if periodic else discs.radii[placed]
        x = edge + unit[k, 0] * (box[0] - 2.0 * edge)
        y = edge + unit[k, 1] * (box[1] - 2.0 * edge)
        column = min(int(x * discs.columns / box[0]), discs.columns - 1)
        row = min(int(y * discs.rows / box[1]), discs.rows - 1)
        if _is_free(x, y, column, row, placed, discs, box, periodic):
            discs.positions[placed, 0] = x
            discs.positions[placed, 1] = y
            cell = row * discs.columns + column
            discs.following[placed] = discs.head[cell]
            discs.head[cell] = placed
            placed += 1
            tries = 0
        else:
            tries += 1
    return placed, tries


@inner
def _is_free(
    x: float, y: float, column: int, row: int, i: int, discs: _Discs, box: NDArray[np.float64], periodic: bool
) -> bool:
    """Whether disc i at (x, y) overlaps none of those in its own and the neighbouring cells."""
    columns, rows = discs.columns, discs.rows
    for oy in range(-1, 2):
        r = row + oy
        if periodic:
            r = (r + rows) % rows
        elif r < 0 or r >= rows:
            continue
        for ox in range(-1, 2):
            c = column + ox
            if periodic:
                c = (c + columns) % columns
            elif c < 0 or c >= columns:
                continue
            j = discs.head[r * columns + c]
            while j >= 0:
                dx = axis_distance(x, discs.positions[j, 0], box[0] if periodic else np.inf)
                dy = axis_distance(y, discs.positions[j, 1], box[1] if periodic else np.inf)
                reach = discs.radii[i] + discs.radii[j]
                if dx * dx + dy * dy < reach * reach:
                    return False
                j = discs.following[j]
    return True
