"""Where discs start: on a square lattice, or at random without overlap."""

from __future__ import annotations

from math import ceil, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.initial.adsorption import adsorb
from engine.initial.relaxation import relax

Array = NDArray[np.float64]

ADSORPTION_LIMIT = 0.45  # equal discs saturate at 0.547; the time for each further disc diverges before
RELAXATION_LIMIT = 0.80  # random packings of equal discs jam at 0.84
_START_FRACTION = 0.40  # relaxation starts from discs adsorbed at this volume fraction, then at full size
_KEY = "discs.volume_fraction"


def lattice_shape(count: int, box: Array) -> tuple[int, int]:
    """Columns and rows of the lattice with at least `count` cells whose cells are widest (then: fewest cells)."""
    guess = sqrt(count * box[0] / box[1])
    shapes = set()
    for columns in range(max(1, int(guess) - 1), min(count, int(guess) + 2) + 1):
        shapes.add((columns, ceil(count / columns)))
    if not shapes:  # a box so long that all discs stand in one row
        shapes.add((count, 1))

    def quality(shape: tuple[int, int]) -> tuple[float, int, int]:
        """Width of the cells, then few cells."""
        spacing = min(box[0] / shape[0], box[1] / shape[1])
        return spacing, -shape[0] * shape[1], shape[0]

    return max(shapes, key=quality)


def lattice_positions(radii: Array, box: Array) -> Array:
    """Positions (N, 2) of discs in the cells of a rectangular lattice that fills the box, vacant cells spread evenly.

    radii : (N,); box : (2,). Raises InputError where the two largest discs do not fit side by side.
    """
    count = len(radii)
    columns, rows = lattice_shape(count, box)
    spacing = min(box[0] / columns, box[1] / rows)
    square = np.all(radii == radii[0]) and columns * rows == count and box[0] * rows == box[1] * columns
    why = "π/4, where the discs touch" if square else "where the largest discs would touch"
    _refuse_wider(radii, box, spacing * (1.0 + 1e-12), spacing, f"for this lattice ({why})")
    cell = np.arange(count) * (columns * rows) // count
    x = (cell % columns + 0.5) * (box[0] / columns)
    y = (cell // columns + 0.5) * (box[1] / rows)
    return np.stack([x, y], axis=1)


def random_positions(radii: Array, box: Array, periodic: bool, rng: np.random.Generator) -> Array:
    """Positions (N, 2) of discs with `radii` (N,) in `box` (2,), none overlapping, inside walls or periodic.

    Up to V_f = 0.45 random sequential adsorption, the largest discs first; above, the discs are adsorbed smaller, at
    V_f = 0.40, given their full size and pushed apart as soft discs until none overlap. The same `rng` gives the
    same bits. Raises InputError above V_f = 0.80 or where no arrangement is found.
    """
    covered = _fraction(radii, box)
    if covered > RELAXATION_LIMIT * (1.0 + 1e-12):
        raise InputError(
            f"{_KEY} must be at most {RELAXATION_LIMIT:g} for a random arrangement (it jams near 0.84), not "
            f"{covered:.6g}",
            _KEY,
        )
    side = float(box.min())
    _refuse_wider(radii, box, side, side, "here (the largest disc is wider than the box)")
    by_size = np.argsort(-radii, kind="stable")
    sorted_radii = radii[by_size]
    placed = adsorb(sorted_radii, box, periodic, rng) if covered <= ADSORPTION_LIMIT else None
    if placed is None:
        start = adsorb(sorted_radii * min(1.0, (_START_FRACTION / covered) ** 0.5), box, periodic, rng)
        if start is None:  # few discs in a narrow box
            start = rng.random((len(radii), 2)) * box
        placed = relax(start, sorted_radii, box, periodic)
    if placed is None:
        raise InputError(
            f"{_KEY} = {covered:.4g} is too high here: no random arrangement of {len(radii)} discs without overlap was "
            "found; lower it, or use a lattice",
            _KEY,
        )
    positions = np.empty_like(placed)
    positions[by_size] = placed
    return positions


def _fraction(radii: Array, box: Array) -> float:
    """V_f = Σ π R_i² / (L_x L_y)."""
    return pi * float(np.square(radii).sum()) / float(box[0] * box[1])


def _refuse_wider(radii: Array, box: Array, most: float, fits: float, where: str) -> None:
    """InputError where the largest disc is wider than `most`; `where` says why in the sentence.

    The sentence names the volume fraction at which it is `fits` wide, with four digits, rounded down.
    """
    widest, covered = 2.0 * float(radii.max()), _fraction(radii, box)
    if widest > most:
        limit = int(covered * (fits / widest) ** 2 * 1e4) / 1e4
        raise InputError(f"{_KEY} must be at most {limit:g} {where}, not {covered:.6g}", _KEY)
