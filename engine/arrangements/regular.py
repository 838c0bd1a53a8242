"""Regular arrangements: lattices with vacant sites, and sets whose fractal dimension is known.

Discs stand on a square lattice, spheres on a cubic one; `engine.arrangements.crystals` has those without vacant sites.
The other sets are for checking box counting: figure 9 of Degond et al. (2024). The meshes of the box counting start at
the lower left corner of the box, and so do the block and the triangle. Discs that are too large for an arrangement are
refused (`refuse_wider`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import cbrt, ceil, floor, isqrt, log10, sqrt

import numpy as np

from engine.arrays import Floats, Longs
from engine.boundary import Periodic
from engine.errors import InputError
from engine.state import volume_fraction

KEY = "discs.volume_fraction"


def refuse_wider(radii: Floats, box: Floats, fits: float, where: str, most: float | None = None) -> None:
    """Raise InputError if the largest disc is wider than `most`, by default `fits` with a tolerance for rounding.

    Parameters
    ----------
    radii, box : (N,), (d,), d = 2 for discs and 3 for spheres.
    fits : a width; the message gives the volume fraction at which the largest disc has it, to four digits, rounded
        down.
    where : the end of "discs.volume_fraction must be at most 0.1234 …".
    """
    widest, covered = 2.0 * float(radii.max()), volume_fraction(radii, box)
    if widest > (fits * (1.0 + 1e-12) if most is None else most):
        limit = covered * (fits / widest) ** len(box)
        unit = 10.0 ** (floor(log10(limit)) - 3)
        raise InputError(f"{KEY} must be at most {floor(limit / unit) * unit:.4g} {where}, not {covered:.6g}", KEY)


def lattice_positions(radii: Floats, box: Floats) -> Floats:
    """Positions (N, 2) of discs in the cells of a rectangular lattice that fills the box, vacant cells spread evenly.

    radii : (N,); box : (2,). Raises InputError if the two largest discs do not fit side by side.
    """
    count = len(radii)
    columns, rows = lattice_shape(count, box)
    spacing = min(box[0] / columns, box[1] / rows)
    square = np.all(radii == radii[0]) and columns * rows == count and box[0] * rows == box[1] * columns
    why = "π/4, where the discs touch" if square else "where the largest discs would touch"
    refuse_wider(radii, box, spacing, f"for this lattice ({why})")
    return on_sites(count, SIMPLE[:, :2], np.array([columns, rows]), box)


def on_sites(count: int, sites: Floats, shape: Longs, box: Floats) -> Floats:
    """Positions (N, d) on the sites of a lattice that fills the box, vacant sites spread evenly.

    sites : (k, d), in units of the sides of a unit cell; shape : (d,), unit cells along each axis, enough for `count`;
    box : (d,).
    """
    places = np.arange(count) * (len(sites) * int(shape.prod())) // count
    cell, site = places // len(sites), places % len(sites)
    corner = np.stack(np.unravel_index(cell, shape[::-1])[::-1], axis=1)
    return np.asarray((corner + sites[site]) * (box / shape))


def lattice_shape(count: int, box: Floats) -> tuple[int, int]:
    """Columns and rows of the lattice with at least `count` cells, as wide as possible and then as few as possible. box
    : (2,)."""
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


SIMPLE = np.array([[0.5, 0.5, 0.5]])
FACE_CENTRED = np.array([[0.25, 0.25, 0.25], [0.75, 0.75, 0.25], [0.75, 0.25, 0.75], [0.25, 0.75, 0.75]])
"""Sites of a unit cell, in units of its sides."""


def cubic_positions(radii: Floats, box: Floats, periodic: Periodic | bool) -> Floats:
    """Positions (N, 3) of spheres on a simple or a face-centred cubic lattice, vacant sites spread evenly.

    Of both it is the one that leaves most room around each site; where both leave as much, that with fewer sites.

    radii : (N,); box : (3,). Raises InputError if the two largest spheres do not fit side by side.
    """
    count = len(radii)
    candidates = [(sites, _cells(count, len(sites), box)) for sites in (SIMPLE, FACE_CENTRED)]
    walls = Periodic.of(periodic, len(box)).walls
    rooms = [room_on_sites(sites, box / shape, walls) for sites, shape in candidates]
    best = max(range(2), key=lambda k: (rooms[k], -len(candidates[k][0]) * int(candidates[k][1].prod())))
    sites, shape = candidates[best]
    refuse_wider(radii, box, rooms[best], "for this lattice (where the largest spheres would touch)")
    return on_sites(count, sites, shape, box)


def _cells(count: int, sites: int, box: Floats) -> Longs:
    """How many unit cells there are along each axis, (3,): enough for `count` spheres, and as cubic as possible."""
    wanted = ceil(count / sites)
    shape = np.maximum(1, np.floor(box * cbrt(wanted / float(box.prod())) + 1e-9)).astype(np.int64)
    while shape.prod() < wanted:
        shape[int(np.argmax(box / shape))] += 1
    return shape


def room_on_sites(sites: Floats, cell: Floats, walls: Sequence[int] = ()) -> float:
    """How wide equal discs or spheres may be on these sites, (k, d), of cells with these sides, (d,). walls : the axes
    at whose walls the cells begin and end."""
    images = np.array(list(product((-1.0, 0.0, 1.0), repeat=len(cell))))
    apart = (sites[:, None, None] - sites[None, :, None] + images) * cell
    squares = np.square(apart).sum(axis=-1)
    least = float(np.sqrt(squares[squares > 0.0].min()))
    return min(least, 2.0 * float((sites.min(axis=0) * cell)[list(walls)].min(initial=np.inf)))


_LINES = 3


def line_positions(radii: Floats, box: Floats) -> Floats:
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


def block_positions(radii: Floats, box: Floats) -> Floats:
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


def sierpinski_positions(radii: Floats, box: Floats) -> Floats:
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
