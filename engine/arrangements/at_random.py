"""Discs or spheres at random positions without overlap.

Most are placed by random sequential adsorption (`adsorb`): one after the other at random free positions. Dense ones
start smaller, and are then grown and pushed apart (`engine.arrangements.relaxation`).
"""

from __future__ import annotations

from math import cbrt, isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrangements.regular import KEY, refuse_wider
from engine.arrangements.relaxation import relax
from engine.arrays import Floats
from engine.boundary import Periodic
from engine.errors import InputError
from engine.geometry.minimum_image import NO_PERIOD, axis_distance
from engine.geometry.vectors import Vector, row_of
from engine.kernels import inlined, inner, kernel
from engine.portable import power
from engine.state import nth_root, volume_fraction


class _Limits(NamedTuple):
    """Volume fractions of random arrangements in so many dimensions.

    adsorption : up to which discs are adsorbed: the time per disc diverges before equal ones saturate.
    start : of the smaller discs that are adsorbed where they are relaxed.
    relaxation : the largest of all.
    jams : near which random packings of equal discs jam.
    """

    adsorption: float
    start: float
    relaxation: float
    jams: float


LIMITS = {2: _Limits(0.45, 0.40, 0.80, 0.84), 3: _Limits(0.30, 0.25, 0.60, 0.64)}
"""By the number of dimensions. Discs saturate at 0.547, spheres at 0.382."""


def random_positions(radii: Floats, box: Floats, periodic: Periodic | bool, rng: np.random.Generator) -> Floats:
    """Positions (N, d) of discs or spheres with `radii` (N,) in `box` (d,), none overlapping, along each axis inside
    walls or periodic.

    Up to V_f = 0.45 (0.30 for spheres) random sequential adsorption, the largest discs first; above, the discs are
    adsorbed with smaller radii at V_f = 0.40 (0.25), grown to full size and pushed apart as soft discs until none
    overlap. The same `rng` gives the same bits. Raises InputError above V_f = 0.80 (0.60), or if no arrangement is
    found.
    """
    covered, dimensions = volume_fraction(radii, box), len(box)
    limits = LIMITS[dimensions]
    if covered > limits.relaxation * (1.0 + 1e-12):
        raise InputError(
            f"{KEY} must be at most {limits.relaxation:g} for a random arrangement (it jams near {limits.jams:g}), not "
            f"{covered:.6g}",
            KEY,
        )
    side = float(box.min())
    refuse_wider(radii, box, side, "here (the largest disc is wider than the box)", most=side)
    by_size = np.argsort(-radii, kind="stable")
    sorted_radii = radii[by_size]
    placed = adsorb(sorted_radii, box, periodic, rng) if covered <= limits.adsorption else None
    if placed is None:
        shrunk = sorted_radii * min(1.0, power(limits.start / covered, 1.0 / dimensions))
        start = adsorb(shrunk, box, periodic, rng)
        if start is None:  # a few discs in a narrow box
            start = rng.random((len(radii), dimensions)) * box
        placed = relax(start, sorted_radii, box, periodic)
    if placed is None:
        raise InputError(
            f"{KEY} = {covered:.4g} is too high: no random arrangement without overlaps was found for "
            f"N = {len(radii)}; lower it, or use a lattice",
            KEY,
        )
    positions = np.empty_like(placed)
    positions[by_size] = placed
    return positions


TRIES_PER_DISC = 20_000


class _Discs(NamedTuple):
    """The discs, and those placed so far in cells: linked lists, since cells fill one disc at a time.

    positions : (N, d); radii : (N,); head : (cells,), the first disc of each cell, -1 for none; following : (N,), the
    next disc of the same cell; columns, rows, layers : numbers of cells, one layer in the plane.
    """

    positions: NDArray[np.float64]
    radii: NDArray[np.float64]
    head: NDArray[np.int32]
    following: NDArray[np.int32]
    columns: int
    rows: int
    layers: int


def adsorb(
    radii: NDArray[np.float64], box: NDArray[np.float64], periodic: Periodic | bool, rng: np.random.Generator
) -> NDArray[np.float64] | None:
    """Positions (N, d) of discs or spheres with `radii` (N,) in `box` (d,), placed in this order without overlap.

    Each is uniform over the free positions. None if a disc finds no place in 20 000 tries.
    """
    count, dimensions = len(radii), len(box)
    # cells as wide as the contact distance of the largest discs, but not many more cells than discs
    across = 2 * isqrt(count) + 1 if dimensions == 2 else int(cbrt(4.0 * count)) + 1
    width = max(2.0 * float(radii.max()), nth_root(float(box.prod()), dimensions) / across)
    most = 4 * count + 1
    columns, rows, *deep = (max(1, int(min(side / width, most))) for side in box)
    (layers,) = deep or [1]
    head = np.full(columns * rows * layers, -1, np.int32)
    places = np.empty((count, dimensions))
    discs = _Discs(places, radii, head, np.empty(count, np.int32), columns, rows, layers)
    sides, periods = tuple(box.tolist()), tuple(Periodic.of(periodic, dimensions).periods(box).tolist())
    placed = tries = 0
    while placed < count:
        unit = rng.random((max(4096, count), dimensions))
        placed, tries = _adsorb(unit, discs, sides, periods, placed, tries)
        if tries > TRIES_PER_DISC:
            return None
    return places


@kernel
def _adsorb(
    unit: NDArray[np.float64], discs: _Discs, box: Vector, periods: Vector, placed: int, tries: int
) -> tuple[int, int]:
    """Try one place after the other; returns the discs placed and the tries spent on the one not placed yet.

    unit : (K, d) random numbers in [0, 1).
    """
    for k in range(unit.shape[0]):
        if placed == discs.radii.size or tries > TRIES_PER_DISC:
            break
        for axis in range(len(box)):
            edge = discs.radii[placed] if periods[axis] == NO_PERIOD else 0.0
            discs.positions[placed, axis] = edge + unit[k, axis] * (box[axis] - 2.0 * edge)
        x = row_of(discs.positions, placed, box)
        column = _along(x[0], box[0], discs.columns)
        row = _along(x[1], box[1], discs.rows)
        layer = _along(x[2], box[2], discs.layers) if len(box) > 2 else 0
        if _is_free(x, column, row, layer, placed, discs, periods):
            cell = (layer * discs.rows + row) * discs.columns + column
            discs.following[placed] = discs.head[cell]
            discs.head[cell] = placed
            placed += 1
            tries = 0
        else:
            tries += 1
    return placed, tries


@inlined
def _along(x: float, side: float, cells: int) -> int:
    """The number of the cell of a coordinate along one axis."""
    return min(int(x * cells / side), cells - 1)


@inlined
def _neighbour(cell: int, cells: int, period: float) -> int:
    """A cell beside another along one axis, which may lie beyond the box; -1 if there is none."""
    if period != NO_PERIOD:
        return (cell + cells) % cells
    return cell if cell < cells else -1


@inner
def _is_free(x: Vector, column: int, row: int, layer: int, i: int, discs: _Discs, periods: Vector) -> bool:
    """Whether disc i at x overlaps none of those in its own and the neighbouring cells."""
    deep = 1 if len(periods) > 2 else 0
    for oz in range(-deep, deep + 1):
        layer_there = _neighbour(layer + oz, discs.layers, periods[len(periods) - 1])
        for oy in range(-1, 2):
            row_there = _neighbour(row + oy, discs.rows, periods[1])
            for ox in range(-1, 2):
                column_there = _neighbour(column + ox, discs.columns, periods[0])
                if min(column_there, row_there, layer_there) < 0:
                    continue
                j = discs.head[(layer_there * discs.rows + row_there) * discs.columns + column_there]
                while j >= 0:
                    reach = discs.radii[i] + discs.radii[j]
                    square = 0.0
                    for axis in range(len(periods)):
                        apart = axis_distance(x[axis], discs.positions[j, axis], periods[axis])
                        square += apart * apart
                    if square < reach * reach:
                        return False
                    j = discs.following[j]
    return True
