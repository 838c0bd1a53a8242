"""The arrangements for ``discs.arrangement`` other than ``"file"``. To add one, add an entry here.

The key of the scenario, its choices in the window, messages and the documentation follow from the entries. Importing
this module loads no compiled kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cbrt, isqrt, sqrt

import numpy as np

from engine.arrangements.crystals import CUBIC_BODY, CUBIC_FACES, HEXAGONAL, HEXAGONAL_CLOSE, SQUARE, Crystal
from engine.arrangements.regular import (
    block_positions,
    cubic_positions,
    lattice_positions,
    line_positions,
    sierpinski_positions,
)
from engine.arrays import Floats
from engine.boundary import Periodic

PlaceDiscs = Callable[[Floats, Floats, Periodic | bool, np.random.Generator], Floats]


def unit_cells(count: int, dimensions: int) -> tuple[float, ...]:
    """The sides of a box in which the cells of a lattice of `count` discs have area 1; for spheres a cube.

    It has ceil(√N) columns and as few rows as possible: the box is a square if N is a square number, else at most one
    row shorter.
    """
    if dimensions > 2:
        return unit_density(count, dimensions)
    columns = isqrt(count - 1) + 1
    return float(columns), float(-(-count // columns))


def unit_density(count: int, dimensions: int) -> tuple[float, ...]:
    """The sides of a square with an area of 1 per disc, or of a cube with a volume of 1 per sphere."""
    return (sqrt(count) if dimensions == 2 else cbrt(count),) * dimensions


@dataclass(frozen=True)
class Arrangement:
    """A way to place discs.

    Parameters
    ----------
    name, title : the value of ``discs.arrangement``, and the display name.
    says : a description of the positions, for the description of the key.
    place : returns positions (N, d) without overlaps, given radii (N,), the box (d,), along which axes it is periodic,
        and a random generator. Raises InputError if the discs do not fit.
    box : returns the sides of the box for a number of discs and of dimensions, if the scenario does not give them.
    crystal : the lattice that the discs fill, which only some numbers can; None if any number can be placed.
    by_chance : whether the positions depend on the seed.
    aggregated : whether all discs are one cluster from the start, in systems whose discs join, so that the indicators
        of an aggregate, such as its fractal dimension, are measured for the whole set.
    compiled : whether placing needs compiled kernels.
    dimensions : of the box, 2 or 3, in which there is such an arrangement.
    """

    name: str
    title: str
    says: str
    place: PlaceDiscs
    box: Callable[[int, int], tuple[float, ...]] = unit_density
    crystal: Crystal | None = None
    by_chance: bool = False
    aggregated: bool = False
    compiled: bool = False
    dimensions: tuple[int, ...] = (2,)


def _at_random(radii: Floats, box: Floats, periodic: Periodic | bool, rng: np.random.Generator) -> Floats:
    """Discs at random places (`engine.arrangements.at_random`, whose kernels are loaded only here)."""
    from engine.arrangements.at_random import random_positions

    return random_positions(radii, box, periodic, rng)


def _on_lattice(radii: Floats, box: Floats, periodic: Periodic | bool, rng: np.random.Generator) -> Floats:
    """Discs on a square lattice, spheres on a cubic one."""
    return cubic_positions(radii, box, periodic) if len(box) > 2 else lattice_positions(radii, box)


def _fixed(place: Callable[[Floats, Floats], Floats]) -> PlaceDiscs:
    """Positions that depend only on the radii and the box."""
    return lambda radii, box, periodic, rng: place(radii, box)


def _perfect(name: str, title: str, crystal: Crystal) -> Arrangement:
    """A lattice without a vacant site (`engine.arrangements.crystals`)."""
    return Arrangement(
        name,
        title,
        "in a perfect crystal, which only some numbers of {discs} fill",
        lambda radii, box, periodic, rng: crystal.place(radii, box, periodic),
        lambda count, dimensions: crystal.box(count),
        crystal,
        dimensions=(len(crystal.sides),),
    )


def _check_set(name: str, title: str, says: str, place: Callable[[Floats, Floats], Floats]) -> Arrangement:
    """The discs of a check set (`engine.arrangements.regular`)."""
    return Arrangement(name, title, says, _fixed(place), aggregated=True)


ARRANGEMENTS = {
    one.name: one
    for one in (
        Arrangement(
            "lattice", "{Square} lattice", "on a square lattice (spheres on a cubic or a face-centred cubic one)",
            _on_lattice, unit_cells, dimensions=(2, 3),
        ),
        _perfect("square", "Square crystal", SQUARE),
        _perfect("hexagonal", "Hexagonal crystal", HEXAGONAL),
        _perfect("fcc", "Face-centred cubic crystal", CUBIC_FACES),
        _perfect("bcc", "Body-centred cubic crystal", CUBIC_BODY),
        _perfect("hcp", "Hexagonal close-packed crystal", HEXAGONAL_CLOSE),
        Arrangement(
            "random", "Random",
            "at random without overlap (above $V_f = 0.45$, 0.3 for spheres, relaxed until none overlap)",
            _at_random, by_chance=True, compiled=True, dimensions=(2, 3),
        ),
        _check_set("lines", "Three lines", "evenly on three horizontal lines", line_positions),
        _check_set("block", "Touching block", "on a square lattice whose discs touch", block_positions),
        _check_set("sierpinski", "Sierpinski triangle", "in a Sierpinski triangle", sierpinski_positions),
    )
}  # fmt: skip
"""The arrangements by name."""
