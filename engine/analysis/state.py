"""Checked input of the indicators, with the cell grid that they share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.geometry.cells import CellGrid, cell_grid
from engine.kernels import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

_SHORTEST = 1e-120  # length: squares of it and of its inverse are finite and not 0
_CELL = 2.1 * (1.0 + 1e-6)  # mean radii: contacts (2.1 R) reach the next cell at most


@dataclass(frozen=True)
class DiscState:
    """N discs at one time, checked and sorted into cells about as wide as a disc.

    positions : (N, 2); radii : (N,); box : (2,); mean_radius : the R of the indicators where radii differ.
    """

    positions: Floats
    radii: Floats
    box: Floats
    periodic: bool
    mean_radius: float
    grid: CellGrid

    @cached_property
    def radii_by_slot(self) -> Floats:
        """(N,), by slot of the grid: the same array where all radii are equal."""
        equal = self.radii.min() == self.radii.max()
        return self.radii if equal else np.take(self.radii, self.grid.order)


def disc_state(positions: Floats, radii: Floats, box: Floats, *, periodic: bool) -> DiscState:
    """Check shapes and values (InputError) and build the grid."""
    positions = plain_array(positions, "positions", (-1, 2))
    radii = plain_array(radii, "radii", (len(positions),))
    box = plain_array(box, "box", (2,))
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
    grid = cell_grid(positions, box, periodic=bool(periodic), width=_CELL * mean_radius)
    return DiscState(positions, radii, box, bool(periodic), mean_radius, grid)


def plain_array(values: object, name: str, shape: tuple[int, ...]) -> Floats:
    """`values` as a finite, C-contiguous, writable float64 array, the one type that the kernels are compiled
    for.

    A length of -1 in `shape` may be anything. Raises InputError for another shape and for values that are not
    finite.
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
    """The mean of points (N, 2), N >= 1: (2,). Much faster than numpy, with the same bits."""
    x = y = 0.0
    for i in range(len(points)):
        x += points[i, 0]
        y += points[i, 1]
    return np.array([x / len(points), y / len(points)])


@kernel
def relative_to(points: Floats, origin: Floats) -> Floats:
    """Points (N, 2) less a common origin (2,). Faster than numpy, whose loops over rows of two numbers are short."""
    apart = np.empty((len(points), 2))
    for i in range(len(points)):
        apart[i, 0] = points[i, 0] - origin[0]
        apart[i, 1] = points[i, 1] - origin[1]
    return apart
