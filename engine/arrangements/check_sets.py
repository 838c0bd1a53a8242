"""Sets whose fractal dimension is known, to check box counting with: figure 9 of Degond et al. (2024).

The meshes of the box counting start at the lower left corner of the box, and so do the block and the triangle.
"""

from __future__ import annotations

from math import ceil, isqrt

import numpy as np

from engine.arrangements.lattice import lattice_shape
from engine.arrangements.limits import Array, refuse_wider

_LINES = 3


def line_positions(radii: Array, box: Array) -> Array:
    """Positions (N, 2) on three horizontal lines from wall to wall, evenly spaced; dimension 1.

    The lines are in the middle of the lower, the middle and the upper third of the box. If N is not a multiple of
    three, the lower lines have one more disc.

    radii : (N,); box : (2,). Raises InputError if the two largest discs do not fit side by side.
    """
    count = len(radii)
    longest = ceil(count / _LINES)
    fits = min(box[0] / longest, box[1] / _LINES)
    refuse_wider(radii, box, fits, f"for three lines of {count} discs (where the largest discs would touch)")
    parts = []
    for line in range(_LINES):
        on_it = (count + _LINES - 1 - line) // _LINES
        x = (np.arange(on_it) + 0.5) * (box[0] / max(on_it, 1))
        parts.append(np.stack([x, np.full(on_it, (line + 0.5) * (box[1] / _LINES))], axis=1))
    return np.concatenate(parts)


def block_positions(radii: Array, box: Array) -> Array:
    """Positions (N, 2) on a square lattice whose largest discs touch, in the lower left corner; dimension 2.

    The block has as many rows as columns, or fewer, and the last row may be shorter. If the box is too narrow for that,
    the block is as wide or as high as the box.

    radii : (N,); box : (2,). Raises InputError if the box is too small.
    """
    count = len(radii)
    columns, rows = lattice_shape(count, box)
    fits = min(box[0] / columns, box[1] / rows)
    refuse_wider(radii, box, fits, f"for a block of {count} discs (where it would fill the box)")
    spacing = min(2.0 * float(radii.max()), float(fits))
    most_columns, most_rows = (int(side / spacing * (1.0 + 1e-12)) for side in box)
    columns = min(max(isqrt(count - 1) + 1, ceil(count / most_rows)), most_columns)
    cell = np.arange(count)
    return np.asarray((np.stack([cell % columns, cell // columns], axis=1) + 0.5) * spacing, np.float64)


def sierpinski_positions(radii: Array, box: Array) -> Array:
    """Positions (N, 2) in a Sierpinski triangle with equal sides; dimension log 3 / log 2.

    A triangle is replaced by the three triangles of half its size in its corners, until there are at least N of them.
    There is a disc in each; if N is not a power of three, vacant ones are spread evenly, so that no triangle of the
    previous generation is empty. Neighbours touch if the discs are as wide as the smallest triangles.

    radii : (N,); box : (2,). Raises InputError if the largest disc is wider than the smallest triangles.
    """
    count = len(radii)
    generations = 0
    while 3**generations < count:
        generations += 1
    side = min(box[0], box[1] / _height(generations)) / 2**generations
    refuse_wider(radii, box, side, f"for a Sierpinski triangle of {count} discs (where the discs would touch)")
    address = np.arange(count) * 3**generations // count
    along, up = np.zeros(count), np.zeros(count)
    for generation in range(generations):
        corner = address // 3**generation % 3  # lower left, lower right, upper
        size = 2.0**generation  # in sides of the smallest triangles
        along += size * np.array([0.0, 1.0, 0.5])[corner]
        up += size * np.array([0.0, 0.0, 1.0])[corner]
    return np.asarray(np.stack([along + 0.5, up * np.sqrt(0.75) + 0.5], axis=1) * side)


def _height(generations: int) -> float:
    """Height of all discs together if they touch, relative to the side of the triangle."""
    rows = 2.0**generations
    return float((np.sqrt(0.75) * (rows - 1.0) + 1.0) / rows)
