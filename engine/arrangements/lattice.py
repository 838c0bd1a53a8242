"""Discs on a square lattice that fills the box."""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np

from engine.arrangements.limits import Array, refuse_wider


def lattice_shape(count: int, box: Array) -> tuple[int, int]:
    """Columns and rows of the lattice with at least `count` cells, as wide as possible and then as few as possible."""
    guess = sqrt(count * box[0] / box[1])
    shapes = set()
    for columns in range(max(1, int(guess) - 1), min(count, int(guess) + 2) + 1):
        shapes.add((columns, ceil(count / columns)))
    if not shapes:  # a box so long that all discs stand in one row
        shapes.add((count, 1))

    def quality(shape: tuple[int, int]) -> tuple[float, int, int]:
        """Sort key: width of the cells, then fewer cells."""
        spacing = min(box[0] / shape[0], box[1] / shape[1])
        return spacing, -shape[0] * shape[1], shape[0]

    return max(shapes, key=quality)


def lattice_positions(radii: Array, box: Array) -> Array:
    """Positions (N, 2) of discs in the cells of a rectangular lattice that fills the box, vacant cells spread evenly.

    radii : (N,); box : (2,). Raises InputError if the two largest discs do not fit side by side.
    """
    count = len(radii)
    columns, rows = lattice_shape(count, box)
    spacing = min(box[0] / columns, box[1] / rows)
    square = np.all(radii == radii[0]) and columns * rows == count and box[0] * rows == box[1] * columns
    why = "π/4, where the discs touch" if square else "where the largest discs would touch"
    refuse_wider(radii, box, spacing, f"for this lattice ({why})")
    cell = np.arange(count) * (columns * rows) // count
    x = (cell % columns + 0.5) * (box[0] / columns)
    y = (cell // columns + 0.5) * (box[1] / rows)
    return np.stack([x, y], axis=1)
