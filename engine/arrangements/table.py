"""The arrangements for ``discs.arrangement`` other than ``"file"``. To add one, add an entry here.

The key of the scenario, its choices in the window, messages and the documentation follow from the entries. Importing
this module loads no compiled kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt, sqrt

import numpy as np

from engine.arrangements.regular import (
    block_positions,
    cubic_positions,
    lattice_positions,
    line_positions,
    sierpinski_positions,
)
from engine.arrays import Floats

PlaceDiscs = Callable[[Floats, Floats, bool, np.random.Generator], Floats]


def unit_cells(count: int) -> tuple[float, float]:
    """The sides of a box in which the cells of a lattice of `count` discs have area 1.

    It has ceil(√N) columns and as few rows as possible: the box is a square if N is a square number, else at most one
    row shorter.
    """
    columns = isqrt(count - 1) + 1
    return float(columns), float(-(-count // columns))


def unit_density(count: int) -> tuple[float, float]:
    """The sides of a square with an area of 1 per disc."""
    return sqrt(count), sqrt(count)


@dataclass(frozen=True)
class Arrangement:
    """A way to place discs.

    Parameters
    ----------
    name, title : the value of ``discs.arrangement``, and the display name.
    says : a description of the positions, for the description of the key.
    place : returns positions (N, d) without overlaps, given radii (N,), the box (d,), whether it is periodic, and a
        random generator. Raises InputError if the discs do not fit.
    box : returns the sides of the box for a number of discs, if the scenario does not give them.
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
    box: Callable[[int], tuple[float, float]] = unit_density
    by_chance: bool = False
    aggregated: bool = False
    compiled: bool = False
    dimensions: tuple[int, ...] = (2,)


def _at_random(radii: Floats, box: Floats, periodic: bool, rng: np.random.Generator) -> Floats:
    """Discs at random places (`engine.arrangements.at_random`, whose kernels are loaded only here)."""
    from engine.arrangements.at_random import random_positions

    return random_positions(radii, box, periodic, rng)


def _on_lattice(radii: Floats, box: Floats, periodic: bool, rng: np.random.Generator) -> Floats:
    """Discs on a square lattice, spheres on a cubic one."""
    return cubic_positions(radii, box, periodic) if len(box) > 2 else lattice_positions(radii, box)


def _fixed(place: Callable[[Floats, Floats], Floats]) -> PlaceDiscs:
    """Positions that depend only on the radii and the box."""
    return lambda radii, box, periodic, rng: place(radii, box)


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
