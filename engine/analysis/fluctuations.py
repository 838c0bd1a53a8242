"""The density on the scale of several discs, which shows whether they have gathered.

It is a smooth map over the box, or the fluctuations of the number of discs in cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter

from engine.analysis.state import DiscState
from engine.arrays import Floats, Longs
from engine.boundary import Periodic
from engine.kernels import kernel
from engine.state import nth_root

_SIDES = 16  # sides l of cells in which discs are counted, at most
_PER_CELL = 2.0  # discs in the smallest cells, on average
_FEWEST = 36  # of the largest cells
_GATHERED = 2.0  # variance over mean of numbers in the largest cells; 1 ± 0.24 for an ideal gas, less for hard discs


@dataclass(frozen=True, eq=False)
class DensityFluctuations:
    """Fluctuations of the number of discs in cells.

    Attributes
    ----------
    side : (K,), sides l of the cells, ascending.
    ratio : (K,), variance over mean of the number of discs in a cell of each side.
    """

    side: Floats
    ratio: Floats


def density_fluctuations(state: DiscState) -> DensityFluctuations | None:
    """Variance over mean of the number of centres in cells of side l, from two discs per cell to 36 cells. O(N).

    1 for an ideal gas; below 1 for hard discs, which exclude each other; above 1, and increasing with l, for clusters.
    Cells divide the box evenly and are nearly squares or cubes: l is the root of their area or volume. Between walls
    they divide the part accessible to centres. The variance is the sample variance (K - 1 in the denominator), which is
    unbiased although the number of discs is fixed.

    None for fewer than some hundred discs.
    """
    return _in_the_largest(state, _SIDES)


def have_gathered(state: DiscState) -> bool:
    """Whether the discs have gathered in clusters, so that their number in the largest cells varies more than chance
    allows. False for too few discs to tell."""
    found = _in_the_largest(state, 1)
    return found is not None and float(found.ratio[-1]) > _GATHERED


def _in_the_largest(state: DiscState, sides: int) -> DensityFluctuations | None:
    """`density_fluctuations` for the `sides` largest sizes of cells."""
    box = state.room.tolist()
    count = len(state.radii)
    if count < _PER_CELL * _FEWEST or min(box) <= 0.0:
        return None
    room = prod(box)
    least, most = (nth_root(size, state.dimensions) for size in (_PER_CELL * room / count, room / _FEWEST))
    wanted = np.geomspace(least, most, _SIDES)[-sides:]
    meshes = list(dict.fromkeys(tuple(max(1, round(width / side)) for width in box) for side in wanted))
    side, ratio = np.empty(len(meshes)), np.empty(len(meshes))
    for k, mesh in enumerate(meshes):
        cells = np.zeros(prod(mesh), np.int64)
        _count(state.positions, state.margins, np.array(mesh) / box, np.array(mesh), cells)
        side[k] = nth_root(room / prod(mesh), state.dimensions)
        ratio[k] = cells.var(ddof=1) / cells.mean()
    return DensityFluctuations(side, ratio)


@kernel
def _count(positions: Floats, margins: Floats, per_length: Floats, mesh: Longs, cells: Longs) -> None:
    """Count the centres in each cell, row * columns + column; those beyond an edge belong to the last cell inside.

    margins : (d,), where the first cells begin; per_length, mesh : (d,), cells along each axis for a unit of length,
    and in all.
    """
    for i in range(len(positions)):
        cell = 0
        for axis in range(len(mesh) - 1, -1, -1):
            along = min(max(int((positions[i, axis] - margins[axis]) * per_length[axis]), 0), mesh[axis] - 1)
            cell = cell * mesh[axis] + along
        cells[cell] += 1


WIDTH = 2.0
"""Standard deviation of the Gaussian, in mean diameters."""

_PER_WIDTH = 3.0  # cells in a standard deviation, while there are few enough
_MOST = 384  # cells along a side of the box


class DensityMap(NamedTuple):
    """φ(x), the local area fraction of the discs near x.

    Attributes
    ----------
    values : (rows, columns), at the centres of cells that divide the box evenly, the first row at the bottom.
    width : standard deviation of the Gaussian, a length.
    """

    values: Floats
    width: float


def density_map(
    positions: Floats, radii: Floats, box: Floats, *, periodic: Periodic | bool, width: float | None = None
) -> DensityMap:
    """Coarse-grain the packing fraction: φ(x) = Σ π R_i² G(x - X_i) with a normalised Gaussian G.

    Between walls G is normalised to its share in the box, so that the density does not decrease towards the walls. The
    sum is evaluated on a grid: the error is a few percent if the Gaussian is as wide as its cells.

    Parameters
    ----------
    positions : (N, 2), centres inside the box.
    radii : (N,).
    box : (2,), sides of the box.
    periodic : along which axes the box is periodic.
    width : standard deviation of G; by default `WIDTH` mean diameters.
    """
    if width is None:
        width = WIDTH * 2.0 * float(radii.mean())
    columns, rows = (int(np.clip(np.ceil(_PER_WIDTH * side / width), 2, _MOST)) for side in box)
    cell = box / (columns, rows)
    around = Periodic.of(periodic, 2)
    covered = _shared(positions, np.pi * np.square(radii), cell, columns, rows, around) / float(cell.prod())
    mode = ["wrap" if wraps else "constant" for wraps in reversed(around)]
    sigma = (width / cell[1], width / cell[0])
    values = gaussian_filter(covered, sigma, mode=mode)
    if around.walls:
        values /= gaussian_filter(np.ones_like(covered), sigma, mode=mode)
    return DensityMap(values, width)


def _shared(positions: Floats, weights: Floats, cell: Floats, columns: int, rows: int, periodic: Periodic) -> Floats:
    """Weights summed in cells; each is shared by the four cells around a disc (cloud in cell)."""
    place = positions / cell - 0.5
    low = np.floor(place)
    part = place - low
    first = low.astype(np.int64)
    total = np.zeros(rows * columns)
    for right in (0, 1):
        for up in (0, 1):
            share = np.abs(1 - right - part[:, 0]) * np.abs(1 - up - part[:, 1])
            column, row = first[:, 0] + right, first[:, 1] + up
            column = column % columns if periodic[0] else np.clip(column, 0, columns - 1)
            row = row % rows if periodic[1] else np.clip(row, 0, rows - 1)
            total += np.bincount(row * columns + column, share * weights, minlength=rows * columns)
    return total.reshape(rows, columns)
