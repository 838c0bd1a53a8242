"""Box counting N(eps) and the fractal dimension (4.15)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from engine.analysis.state import Floats, Longs, plain_array
from engine.errors import InputError
from engine.kernels import kernel

_LEVELS = 10  # eps_m = L / 2^m, m = 1 … 10
_FIT_FROM = 3.0  # mean radii; below, boxes hold one centre each and N(eps) levels off


class BoxCounting(TypedDict):
    """eps : (10,) float64, box sides L/2, L/4, …, L/1024; n : (10,) int64, boxes that hold a centre."""

    eps: Floats
    n: Longs


@dataclass(frozen=True)
class FractalFit:
    """N(eps) = prefactor * eps^-dimension: least squares in log N over log eps, eps_min <= eps <= eps_max."""

    dimension: float
    prefactor: float
    eps_min: float
    eps_max: float


def box_counting(positions: Floats, box: Floats) -> BoxCounting:
    """N(eps_m): boxes of side eps_m = L / 2^m, m = 1 … 10, that hold at least one centre. Exact, O(N).

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


def fit_dimension(counted: BoxCounting, mean_radius: float) -> FractalFit | None:
    """D_f: minus the slope of log N over log eps for 3 R <= eps <= L/2, R the mean radius (4.15).

    None where fewer than two box sides lie in that range.
    """
    used = counted["eps"] >= _FIT_FROM * mean_radius * (1.0 - 1e-12)
    if used.sum() < 2:
        return None
    eps = counted["eps"][used]
    x, y = np.log(eps), np.log(counted["n"][used])
    dx = x - x.mean()
    slope = float(dx @ (y - y.mean()) / (dx @ dx))
    prefactor = float(np.exp(y.mean() - slope * x.mean()))
    # 0.0 - slope: no minus zero where N does not change
    return FractalFit(0.0 - slope, prefactor, float(eps.min()), float(eps.max()))


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
    """n[m - 1] : occupied boxes of the mesh of 2^m by 2^m. The finest mesh is coarsened in place."""
    size = len(occupied)
    for level in range(len(n) - 1, -1, -1):
        total = 0
        for row in range(size):
            for column in range(size):
                total += occupied[row, column]
        n[level] = total
        size //= 2
        for row in range(size):
            for column in range(size):
                occupied[row, column] = (
                    occupied[2 * row, 2 * column]
                    | occupied[2 * row, 2 * column + 1]
                    | occupied[2 * row + 1, 2 * column]
                    | occupied[2 * row + 1, 2 * column + 1]
                )
