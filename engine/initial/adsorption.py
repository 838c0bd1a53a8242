"""Random sequential adsorption: discs put down one after the other at random, where there is room."""

from __future__ import annotations

from math import isqrt

import numpy as np
from numpy.typing import NDArray

from engine.geometry.minimum_image import axis_distance
from engine.kernels import inner, kernel

TRIES_PER_DISC = 20_000


def adsorb(
    radii: NDArray[np.float64], box: NDArray[np.float64], periodic: bool, rng: np.random.Generator
) -> NDArray[np.float64] | None:
    """Positions (N, 2) of discs with `radii` (N,) in `box` (2,), put down in this order, none overlapping.

    Each is uniform over the places that are free. None where a disc finds no place in 20 000 tries.
    """
    count = len(radii)
    # cells as wide as the widest pair reaches, but not many more of them than discs
    width = max(2.0 * float(radii.max()), float(np.sqrt(box[0] * box[1])) / (2 * isqrt(count) + 1))
    most = 4 * count + 1
    columns, rows = (max(1, int(min(side / width, most))) for side in box)
    head = np.full(columns * rows, -1, np.int32)
    following = np.empty(count, np.int32)
    positions = np.empty((count, 2))
    placed = tries = 0
    while placed < count:
        unit = rng.random((max(4096, count), 2))
        placed, tries = _adsorb(
            unit, positions, radii, box, periodic, columns, rows, head, following, placed, tries, TRIES_PER_DISC
        )
        if tries > TRIES_PER_DISC:
            return None
    return positions


@kernel
def _adsorb(
    unit: NDArray[np.float64],
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    box: NDArray[np.float64],
    periodic: bool,
    columns: int,
    rows: int,
    head: NDArray[np.int32],
    following: NDArray[np.int32],
    placed: int,
    tries: int,
    most_tries: int,
) -> tuple[int, int]:
    """Try one place after the other; returns the discs placed and the tries spent on the one not placed yet.

    unit : (K, 2) random numbers in [0, 1); head, following : the discs of each cell as linked lists, -1 ends.
    """
    for k in range(unit.shape[0]):
        if placed == radii.size or tries > most_tries:
            break
        edge = 0.0 if periodic else radii[placed]
        x = edge + unit[k, 0] * (box[0] - 2.0 * edge)
        y = edge + unit[k, 1] * (box[1] - 2.0 * edge)
        column = min(int(x * columns / box[0]), columns - 1)
        row = min(int(y * rows / box[1]), rows - 1)
        if _is_free(x, y, column, row, radii[placed], positions, radii, box, periodic, columns, rows, head, following):
            positions[placed, 0] = x
            positions[placed, 1] = y
            cell = row * columns + column
            following[placed] = head[cell]
            head[cell] = placed
            placed += 1
            tries = 0
        else:
            tries += 1
    return placed, tries


@inner
def _is_free(
    x: float,
    y: float,
    column: int,
    row: int,
    radius: float,
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    box: NDArray[np.float64],
    periodic: bool,
    columns: int,
    rows: int,
    head: NDArray[np.int32],
    following: NDArray[np.int32],
) -> bool:
    """Whether a disc at (x, y) overlaps none of those in its own and the neighbouring cells."""
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
            j = head[r * columns + c]
            while j >= 0:
                dx = axis_distance(x, positions[j, 0], box[0] if periodic else np.inf)
                dy = axis_distance(y, positions[j, 1], box[1] if periodic else np.inf)
                reach = radius + radii[j]
                if dx * dx + dy * dy < reach * reach:
                    return False
                j = following[j]
    return True
