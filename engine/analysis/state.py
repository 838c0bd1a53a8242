"""Checked input of the indicators, with the cell grid that they share; positions and velocities relative to a centre.

Along a periodic axis the centre of mass moves freely; all that is thermal is relative to it (`without_drift`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.arrays import Floats, Ints
from engine.boundary import Periodic
from engine.errors import InputError
from engine.geometry.cells import CellGrid, cell_grid
from engine.geometry.nearest import wrapped
from engine.geometry.neighbours import DenseState, one_image_within
from engine.kernels import kernel

_SHORTEST = 1e-120  # length: squares of it and of its inverse are finite and not 0
_PILED = 1.05  # periods: wider discs overlap their own images, not by rounding
_CELL = 2.1 * (1.0 + 1e-6)  # mean radii: contacts (2.1 R) reach the next cell at most


@dataclass(frozen=True, eq=False)
class DiscState:
    """N discs or spheres at one time, checked. Equal ones have the same contents, as they were when first compared.

    positions : (N, d), d = 2 or 3; radii : (N,); box : (d,); periodic : along which axes, with walls along the others;
    mean_radius : the R of the indicators where radii differ.
    """

    positions: Floats
    radii: Floats
    box: Floats
    periodic: Periodic
    mean_radius: float

    @cached_property
    def _contents(self) -> tuple[object, ...]:
        return self.positions.tobytes(), self.radii.tobytes(), tuple(self.box.tolist()), self.periodic

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DiscState) and self._contents == other._contents

    def __hash__(self) -> int:
        return hash(self._contents)

    @property
    def dimensions(self) -> int:
        """2 for discs, 3 for spheres."""
        return len(self.box)

    @property
    def margins(self) -> Floats:
        """(d,), how near centres come to the edges along each axis: a mean radius at walls, 0 where it is periodic."""
        return np.where(self.periodic, 0.0, self.mean_radius)

    @property
    def room(self) -> Floats:
        """(d,), the sides of the part of the box accessible to centres: all but the margins."""
        return self.box - 2.0 * self.margins

    @cached_property
    def grid(self) -> CellGrid:
        """Discs sorted into cells about as wide as a disc, in the plane."""
        width = _CELL * self.mean_radius
        return cell_grid(self.positions, self.box, periodic=self.periodic, width=width)

    @property
    def order(self) -> Ints:
        """(N,), the disc of each slot: that of the grid; spheres are not sorted."""
        return self.grid.order if self.dimensions == 2 else np.arange(len(self.radii), dtype=np.int32)

    @cached_property
    def radii_by_slot(self) -> Floats:
        """(N,), by slot: the same array where all radii are equal."""
        equal = self.radii.min() == self.radii.max()
        return self.radii if equal else np.take(self.radii, self.order)

    def nearest_only(self, factor: float) -> bool:
        """Whether pairs within ``factor (R_i + R_j)`` are those of nearest images.

        Either no other image can be that near, or discs are wider than a period: they lie on their own images,
        perhaps on very many, and counting those would have no end.
        """
        widest, period = 2.0 * float(self.radii.max()), float(self.periodic.periods(self.box).min())
        return one_image_within(self.box, self.periodic, factor * widest) or widest > _PILED * period

    @cached_property
    def spheres(self) -> DenseState:
        """This state for searches of pairs in space, with all centres moved into the box along periodic axes."""
        positions = wrapped(self.positions, self.box, self.periodic)
        return DenseState(positions, self.radii, self.box, self.periodic)


def disc_state(positions: Floats, radii: Floats, box: Floats, *, periodic: Periodic | bool) -> DiscState:
    """The state of N discs whose positions (N, d), radii (N,) and box (d,) are of these shapes and in range. Raises
    InputError otherwise, and for no discs."""
    box = plain_array(box, "box", (3 if np.shape(box) == (3,) else 2,))
    positions = plain_array(positions, "positions", (-1, len(box)))
    radii = plain_array(radii, "radii", (len(positions),))
    if not len(positions):
        raise InputError("there are no discs to analyse, at least one is needed", "positions")
    if not (radii > 0.0).all():
        raise InputError("radii must be positive", "radii")
    if not (box > 0.0).all():
        raise InputError("box sides must be positive", "box")
    longest = max(radii.max(), box.max(), positions.max(), -positions.min())
    if radii.min() < _SHORTEST or longest > 1.0 / _SHORTEST:
        raise InputError(f"lengths must be from {_SHORTEST:g} to {1.0 / _SHORTEST:g}", "radii")
    mean_radius = float(radii.mean())
    return DiscState(positions, radii, box, Periodic.of(periodic, len(box)), mean_radius)


def plain_array(values: object, name: str, shape: tuple[int, ...]) -> Floats:
    """`values` as a finite, C-contiguous, writable float64 array of any shape, the one type that the kernels are
    compiled for.

    A length of -1 in `shape` may be anything. Raises InputError for another shape and for values that are not finite.
    """
    try:
        array = np.require(values, np.float64, ["C", "W", "A"])
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers", name) from error
    if array.ndim != len(shape) or any(n not in (-1, m) for n, m in zip(shape, array.shape, strict=True)):
        wanted = " by ".join("N" if n == -1 else str(n) for n in shape)
        raise InputError(f"{name} must be {wanted} numbers, not {' by '.join(map(str, array.shape))}", name)
    if not np.isfinite(array).all():
        raise InputError(f"{name} must be finite numbers", name)
    return array


@kernel
def mean_of(points: Floats) -> Floats:
    """The mean of points (N, d), N >= 1: (d,). Much faster than numpy, with the same bits."""
    x = y = z = 0.0
    deep = points.shape[1] > 2
    for i in range(len(points)):
        x += points[i, 0]
        y += points[i, 1]
        if deep:
            z += points[i, 2]
    return np.array([x / len(points), y / len(points), z / len(points)])[: points.shape[1]]


@kernel
def relative_to(points: Floats, origin: Floats) -> Floats:
    """Points (N, d) less a common origin (d,). Faster than numpy, whose loops over rows of two numbers are short."""
    apart = np.empty(points.shape)
    deep = points.shape[1] > 2
    for i in range(len(points)):
        apart[i, 0] = points[i, 0] - origin[0]
        apart[i, 1] = points[i, 1] - origin[1]
        if deep:
            apart[i, 2] = points[i, 2] - origin[2]
    return apart


def mean_velocity(velocities: Floats, masses: Floats) -> Floats:
    """The velocity of the centre of mass, (d,).

    A product of a million numbers with ``@`` wakes the threads of the linear algebra library, which then busy-wait for
    more: 7.5 ms of a second processor for 3 ms of work. `einsum` does not.
    """
    momentum = [np.einsum("i,i->", masses, velocities[:, axis]) for axis in range(velocities.shape[1])]
    return np.array(momentum) / float(masses.sum())


def without_drift(velocities: Floats, masses: Floats, *, periodic: Periodic | bool) -> Floats:
    """Velocities (N, d), or displacements, along each periodic axis relative to those of the centre of mass.

    Between walls they stay as they are: walls stop a common motion, so none is left to be taken away.
    """
    around = Periodic.of(periodic, velocities.shape[1])
    if not around.any:
        return velocities
    return relative_to(velocities, np.where(around, mean_velocity(velocities, masses), 0.0))


def power_of_two(velocities: Floats) -> float:
    """A power of two near the largest component of velocities, (N, d): in this unit no square or fourth power
    underflows."""
    fastest = max(float(velocities.max(initial=0.0)), -float(velocities.min(initial=0.0)))
    return float(np.ldexp(1.0, int(np.frexp(fastest)[1])))
