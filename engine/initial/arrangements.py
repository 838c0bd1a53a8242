"""Where discs start: the square lattice, and at random without overlap."""

from __future__ import annotations

from math import ceil, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError

Array = NDArray[np.float64]


def lattice_shape(count: int, box: Array) -> tuple[int, int]:
    """Columns and rows of the lattice with at least `count` cells whose cells are widest (then: fewest cells)."""
    guess = sqrt(count * box[0] / box[1])
    shapes = set()
    for columns in range(max(1, int(guess) - 1), min(count, int(guess) + 2) + 1):
        shapes.add((columns, ceil(count / columns)))
    if not shapes:  # a box so long that all discs stand in one row
        shapes.add((count, 1))

    def quality(shape: tuple[int, int]) -> tuple[float, int, int]:
        spacing = min(box[0] / shape[0], box[1] / shape[1])
        return spacing, -shape[0] * shape[1], shape[0]

    return max(shapes, key=quality)


def lattice_positions(radii: Array, box: Array) -> Array:
    """Discs centred in the cells of a rectangular lattice that fills the box; vacant cells are spread evenly.

    radii : (N,); box : (2,). Returns (N, 2). Raises InputError where the two largest discs do not fit side by side.
    """
    count = len(radii)
    columns, rows = lattice_shape(count, box)
    spacing = min(box[0] / columns, box[1] / rows)
    widest = 2.0 * float(radii.max())
    if widest > spacing * (1.0 + 1e-12):
        covered = pi * float(np.square(radii).sum()) / float(box[0] * box[1])
        limit = covered * (spacing / widest) ** 2
        square = np.all(radii == radii[0]) and columns * rows == count and box[0] * rows == box[1] * columns
        why = "π/4, where the discs touch" if square else "where the largest discs would touch"
        raise InputError(
            f"discs.volume_fraction must be at most {_floor(limit)} for this lattice ({why}), not {covered:.6g}",
            "discs.volume_fraction",
        )
    cell = np.arange(count) * (columns * rows) // count
    x = (cell % columns + 0.5) * (box[0] / columns)
    y = (cell // columns + 0.5) * (box[1] / rows)
    return np.stack([x, y], axis=1)


def _floor(value: float) -> str:
    """Four digits, never above the value."""
    return f"{int(value * 1e4) / 1e4:g}"
