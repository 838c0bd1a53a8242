"""Perfect crystals: lattices that fill the box without a vacant site.

Only some numbers fill a lattice: that of the sites of a unit cell times that of the cells along each axis. Where the
scenario leaves the sides of the box open, the box is a whole number of undistorted cells. In a box of given sides the
lattice is stretched along the axes, by at most `MOST_STRETCHED`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from engine.arrangements.regular import FACE_CENTRED, SIMPLE, on_sites, refuse_wider, room_on_sites
from engine.arrays import Floats, Longs
from engine.boundary import Periodic
from engine.errors import InputError, either

MOST_STRETCHED = 1.05
"""Stretch along one axis over that along another, at most, where a lattice is fitted to given sides."""

LONGEST = 1.5
"""Longest over shortest side of a box whose sides follow from the lattice, at most."""

_ROUNDING = 1.0 + 1e-9
_FARTHER = 1.5  # numbers of cells up to that factor from what the number of discs asks for are tried


@dataclass(frozen=True)
class Crystal:
    """A lattice by its unit cell, a rectangle or a cuboid.

    Parameters
    ----------
    name : of the lattice, for messages.
    sites : (k, d), in units of the sides of the cell; the middle of the cell is a centre of what they span.
    sides : (d,) of the undistorted cell, in any unit.
    """

    name: str
    sites: Floats
    sides: Floats

    def fitting(self, count: int, box: Floats | None = None) -> list[int]:
        """`count` if that many discs fill the lattice, else the next smaller and the next larger number that do.

        box : (d,); None where its sides follow from the lattice.
        """
        counts = len(self.sites) * self._shapes(count, box)[0].prod(axis=1)
        if (counts == count).any():
            return [count]
        below, above = counts[counts < count], counts[counts > count]
        return [int(pick(side)) for pick, side in ((np.max, below), (np.min, above)) if len(side)]

    def box(self, count: int) -> tuple[float, ...]:
        """The sides of a box of undistorted cells with a volume of 1 for each disc; those of a square or a cube if this
        number does not fill the lattice."""
        shape = self._shape(count, None)
        if shape is None:
            return (float(count) ** (1.0 / len(self.sides)),) * len(self.sides)
        cell = self.sides * (len(self.sites) / self.sides.prod()) ** (1.0 / len(self.sides))
        return tuple(map(float, shape * cell))

    def place(self, radii: Floats, box: Floats, periodic: Periodic | bool) -> Floats:
        """Positions (N, d) of discs or spheres on all sites.

        radii : (N,); box : (d,). Raises InputError if this number does not fill the lattice in this box, or if the two
        largest discs do not fit side by side.
        """
        count = len(radii)
        shape = self._shape(count, box)
        if shape is None:
            raise self._refusal(count, box)
        around = Periodic.of(periodic, len(box))
        # as far from walls as from the middle between two neighbours
        apart = room_on_sites(self.sites, self.sides)
        stretch = box / ((shape - 1 + np.ptp(self.sites, axis=0)) * self.sides + apart)
        cell = np.where(around, box / shape, self.sides * stretch)
        edge = np.where(around, 0.0, 0.5 * apart * stretch - self.sites.min(axis=0) * cell)
        room = min(room_on_sites(self.sites, cell), apart * float(np.where(around, np.inf, stretch).min()))
        refuse_wider(radii, box, room, f"for this {self.name} lattice (where the largest would touch)")
        return np.asarray(edge + on_sites(count, self.sites, shape, cell * shape))

    def check(self, count: int, box: Floats | None) -> None:
        """Raise InputError if this number does not fill the lattice, with the nearest ones that do.

        box : (d,); None where its sides follow from the lattice.
        """
        if self._shape(count, box) is None:
            raise self._refusal(count, box)

    def _refusal(self, count: int, box: Floats | None) -> InputError:
        fitting = self.fitting(count, box)
        if not fitting:
            message = f"box.size fits no {self.name} lattice of about {count} sites within 5 %; leave it out"
            return InputError(message, "box.size")
        where = "" if box is None else " in this box, stretched by at most 5 %"
        message = f"discs.count must be {either(fitting)} to fill a {self.name} lattice{where}, not {count}"
        return InputError(message, "discs.count")

    def _shape(self, count: int, box: Floats | None) -> Longs | None:
        """How many cells there are along each axis, (d,), where they are stretched least; None if N fills none."""
        shapes, uneven = self._shapes(count, box)
        full = len(self.sites) * shapes.prod(axis=1) == count
        return np.asarray(shapes[full][int(np.argmin(uneven[full]))]) if full.any() else None

    def _shapes(self, count: int, box: Floats | None) -> tuple[Longs, Floats]:
        """Numbers of cells (n, d) that have about `count` sites, and for each how uneven it is, (n,): stretch along one
        axis over that along another in `box`, or the longest side over the shortest."""
        sides = np.ones_like(self.sides) if box is None else box
        most = (LONGEST if box is None else MOST_STRETCHED) * _ROUNDING
        number = count / len(self.sites)
        ideal = sides / self.sides * (number * (self.sides / sides).prod()) ** (1.0 / len(sides))
        least, largest = (
            (ideal[:-1] / (most * _FARTHER)).astype(np.int64),
            (ideal[:-1] * most * _FARTHER).astype(np.int64),
        )
        along = [np.arange(max(1, low), high + 3) for low, high in zip(least, largest, strict=True)]
        others = np.stack(np.meshgrid(*along, indexing="ij"), axis=-1).reshape(-1, len(along))
        beside = sides[:-1] / (others * self.sides[:-1])
        low = np.ceil(sides[-1] / self.sides[-1] / (beside.min(axis=1) * most))
        high = np.floor(sides[-1] / self.sides[-1] / (beside.max(axis=1) / most))
        last = np.floor(number / others.prod(axis=1))  # and the next
        ends = [np.clip(last + k, low, high) for k in (0, 1)]
        shapes = np.concatenate([np.column_stack([others, end]) for end in ends]).astype(np.int64)
        shapes = shapes[shapes[:, -1] > 0]
        stretch = sides / (shapes * self.sides)
        uneven = stretch.max(axis=1) / stretch.min(axis=1)
        return shapes[uneven <= most], uneven[uneven <= most]


_BODY_CENTRED = np.array([[0.25, 0.25, 0.25], [0.75, 0.75, 0.75]])
_CLOSE_PACKED = np.array([[3.0, 1.0, 3.0], [9.0, 7.0, 3.0], [9.0, 11.0, 9.0], [3.0, 5.0, 9.0]]) / 12.0
_CUBE = np.ones(3)

SQUARE = Crystal("square", SIMPLE[:, :2], _CUBE[:2])
HEXAGONAL = Crystal("hexagonal", np.array([[0.25, 0.25], [0.75, 0.75]]), np.array([1.0, sqrt(3.0)]))
CUBIC_FACES = Crystal("face-centred cubic", FACE_CENTRED, _CUBE)
CUBIC_BODY = Crystal("body-centred cubic", _BODY_CENTRED, _CUBE)
HEXAGONAL_CLOSE = Crystal("hexagonal close-packed", _CLOSE_PACKED, np.array([1.0, sqrt(3.0), sqrt(8.0 / 3.0)]))
