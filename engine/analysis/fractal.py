"""Box counting N(eps) and the fractal dimension (4.15), with the paper's mesh and by minimum cover.

The paper's mesh is fixed to the box, so N(eps) and the dimension depend on where the aggregate lies in it. The *minimum
cover* does not: it uses boxes of sides L'/2, L'/4, …, where L' is the side of the square around the aggregate, and
among meshes shifted by parts of eps takes the one with the fewest occupied boxes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from engine.analysis.state import Floats, Longs, plain_array
from engine.errors import InputError
from engine.kernels import kernel

_LEVELS = 10  # eps_m = L / 2^m, m = 1 … 10
_SHIFTS = 8  # shifts of the mesh along each axis for the minimum cover; fewer if there were too many cells
_FINEST = 1 << 12  # cells along an axis
_FIT_FROM = 3.0  # mean radii; below, each box contains one centre and N(eps) levels off
_LEAST_RANGE = 7.9  # number of sizes needed for a scatter


class BoxCounting(TypedDict):
    """eps : (10,) float64, box sides L/2, L/4, …, L/1024; n : (10,) int64, boxes that contain a centre."""

    eps: Floats
    n: Longs


@dataclass(frozen=True)
class FractalFit:
    """N(eps) = prefactor * eps^-dimension: least squares in log N over log eps, eps_min <= eps <= eps_max.

    scatter : the error that the slope would have if the points were independent. They are not: the spread over runs
        with
    other seeds may be much smaller or larger.
    """

    dimension: float
    prefactor: float
    eps_min: float
    eps_max: float
    scatter: float


def box_counting(positions: Floats, box: Floats) -> BoxCounting:
    """N(eps_m): boxes of side eps_m = L / 2^m, m = 1 … 10, that contain at least one centre. Exact, O(N).

    The mesh starts at the lower left corner of the box; L is the longer side of a box that is not square. A
    centre on the upper or right edge belongs to the last box inside.

    positions : (N, 2), inside the box; box : (2,), side lengths, > 0. Anything else raises InputError.
    """
    positions = plain_array(positions, "positions", (-1, 2))
    box = plain_array(box, "box", (2,))
    if not (box > 0.0).all():
        raise InputError("box sides must be positive", "box")
    return count_boxes(positions, box)


def count_boxes(positions: Floats, box: Floats) -> BoxCounting:
    """`box_counting` of checked arrays."""
    side = float(box.max())
    finest = 2**_LEVELS
    # boxes along each axis that overlap the box: fewer along the shorter side
    along_x, along_y = (min(int(np.ceil(v / side * finest)), finest) for v in box)
    n = np.empty(_LEVELS, np.int64)
    occupied = np.zeros((finest, finest), np.uint8)
    _mark(positions, side, along_x - 1, along_y - 1, occupied)
    _count_levels(occupied, n)
    return {"eps": np.ldexp(side, -np.arange(1, _LEVELS + 1)), "n": n}


def minimum_cover(points: Floats, mean_radius: float) -> BoxCounting | None:
    """The smallest number of boxes that cover all centres, for sides L'/2^m from L'/2 down to 3 R.

    L' is the side of the square around the discs. The smallest number is taken over meshes shifted along each axis by
    0, 1/8, … 7/8 of a side (quarters at m = 10). O(N) plus, for large aggregates, the cells of the finest mesh.

    points : (N, 2), centres, checked. mean_radius : R. None if the aggregate is smaller than 6 R.
    """
    low = points.min(axis=0) - mean_radius
    side = float((points.max(axis=0) + mean_radius - low).max())
    eps = np.ldexp(side, -np.arange(1, _LEVELS + 1))
    eps = eps[eps >= _FIT_FROM * mean_radius * (1.0 - 1e-12)]
    if not len(eps):
        return None
    n = np.empty(len(eps), np.int64)
    finest = min(_SHIFTS << len(eps), _FINEST)
    cells = np.zeros((finest, finest), np.uint8)
    _mark(np.ascontiguousarray(points - low), side, finest - 1, finest - 1, cells)
    for level in range(len(eps), 0, -1):
        shifts = min(_SHIFTS, _FINEST >> level)
        while len(cells) > shifts << level:
            cells = _coarser(cells)
        n[level - 1] = _least_boxes(cells, shifts)
    return {"eps": eps, "n": n}


def depends_on_mesh(fit: FractalFit | None, cover: FractalFit | None) -> bool | None:
    """Whether the dimension by minimum cover differs from that of the paper's mesh by more than the scatter of both.

    None if one of them is not known, or comes from fewer than four sizes, which give no scatter.
    """
    if fit is None or cover is None or min(fit.eps_max / fit.eps_min, cover.eps_max / cover.eps_min) < _LEAST_RANGE:
        return None
    return abs(cover.dimension - fit.dimension) > float(np.hypot(fit.scatter, cover.scatter)) + 1e-9


def fit_dimension(counted: BoxCounting, mean_radius: float) -> FractalFit | None:
    """D_f: minus the slope of log N over log eps for 3 R <= eps <= L/2, R the mean radius (4.15).

    None if fewer than two box sides lie in that range.
    """
    used = counted["eps"] >= _FIT_FROM * mean_radius * (1.0 - 1e-12)
    if used.sum() < 2:
        return None
    eps = counted["eps"][used]
    x, y = np.log(eps), np.log(counted["n"][used])
    dx = x - x.mean()
    slope = float(dx @ (y - y.mean()) / (dx @ dx))
    prefactor = float(np.exp(y.mean() - slope * x.mean()))
    apart = y - y.mean() - slope * dx
    scatter = float(np.sqrt(apart @ apart / max(len(x) - 2, 1) / (dx @ dx)))
    # 0.0 - slope: no minus zero if N does not change
    return FractalFit(0.0 - slope, prefactor, float(eps.min()), float(eps.max()), scatter)


@kernel
def _mark(positions: Floats, side: float, last_x: int, last_y: int, occupied: NDArray[np.uint8]) -> None:
    """Set the entry of each centre on the finest mesh, [row, column]."""
    finest = len(occupied)
    for i in range(len(positions)):
        # Scaling by a power of two is exact: a coarser box is the same number shifted right.
        column = min(max(positions[i, 0] / side * finest, 0.0), last_x)
        row = min(max(positions[i, 1] / side * finest, 0.0), last_y)
        occupied[int(row), int(column)] = 1


@kernel
def _count_levels(occupied: NDArray[np.uint8], n: Longs) -> None:
    """n[m - 1] : occupied boxes of the mesh of 2^m by 2^m. occupied : the finest mesh."""
    cells = occupied
    for level in range(len(n) - 1, -1, -1):
        total = 0
        for row in range(len(cells)):
            for column in range(len(cells)):
                total += cells[row, column]
        n[level] = total
        cells = _coarser(cells)


@kernel
def _coarser(cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The mesh with half as many cells along each axis, occupied if any of their four cells is."""
    size = len(cells) // 2
    found = np.empty((size, size), np.uint8)
    for row in range(size):
        for column in range(size):
            found[row, column] = (
                cells[2 * row, 2 * column]
                | cells[2 * row, 2 * column + 1]
                | cells[2 * row + 1, 2 * column]
                | cells[2 * row + 1, 2 * column + 1]
            )
    return found


@kernel
def _least_boxes(cells: NDArray[np.uint8], width: int) -> int:
    """The smallest number of occupied boxes of `width` by `width` cells over all meshes shifted by whole cells.

    A box that ends at a cell is occupied if an occupied cell lies in the last `width` rows and columns.
    """
    size = len(cells)
    counts = np.zeros((width, width), np.int64)
    # by last column of a box: the last row in which it held a centre
    last_row = np.full(size + width - 1, -width, np.int64)
    for row in range(size + width - 1):
        last_column = -width
        for column in range(size + width - 1):
            if row < size:
                if column < size and cells[row, column]:
                    last_column = column
                if column - last_column < width:
                    last_row[column] = row
            if row - last_row[column] < width:
                counts[row % width, column % width] += 1
    return int(counts.min())
