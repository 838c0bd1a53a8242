"""How unevenly discs are strewn: numbers in cells of a side l."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.analysis.state import DiscState
from engine.kernels import kernel

_SIDES = 16  # sides l, at most
_PER_CELL = 2.0  # discs in the smallest cells, on average
_FEWEST = 36  # of the largest cells


@dataclass(frozen=True, eq=False)
class DensityFluctuations:
    """side : (K,) l of the cells, rising; ratio : (K,) variance over mean of the number of discs in them."""

    side: NDArray[np.float64]
    ratio: NDArray[np.float64]


def density_fluctuations(state: DiscState) -> DensityFluctuations | None:
    """Variance over mean of the number of centres in cells of side l, from two discs a cell to 36 cells. O(N).

    1 for an ideal gas; below it for discs that keep each other out, above it, and growing with l, where they gather.
    Cells divide the box evenly and are square as near as that goes: l is the root of their area. Between walls they
    divide the part that centres can reach. The variance is the sample's, so a fixed number of discs makes no bias.

    None for less than some hundred discs.
    """
    margin = 0.0 if state.periodic else state.mean_radius
    width, height = float(state.box[0]) - 2.0 * margin, float(state.box[1]) - 2.0 * margin
    count = len(state.radii)
    if count < _PER_CELL * _FEWEST or width <= 0.0 or height <= 0.0:
        return None
    area = width * height
    wanted = np.geomspace(np.sqrt(_PER_CELL * area / count), np.sqrt(area / _FEWEST), _SIDES)
    meshes = list(dict.fromkeys((max(1, round(width / side)), max(1, round(height / side))) for side in wanted))
    sides, ratio = np.empty(len(meshes)), np.empty(len(meshes))
    for k, (columns, rows) in enumerate(meshes):
        cells = np.zeros(columns * rows, np.int64)
        _count(state.positions, margin, columns / width, rows / height, columns, rows, cells)
        sides[k] = np.sqrt(area / (columns * rows))
        ratio[k] = cells.var(ddof=1) / cells.mean()
    return DensityFluctuations(sides, ratio)


@kernel
def _count(
    positions: NDArray[np.float64],
    margin: float,
    per_x: float,
    per_y: float,
    columns: int,
    rows: int,
    cells: NDArray[np.int64],
) -> None:
    """Centres by cell, cell = row * columns + column; those beyond an edge belong to the last cell inside."""
    for i in range(len(positions)):
        column = min(max(int((positions[i, 0] - margin) * per_x), 0), columns - 1)
        row = min(max(int((positions[i, 1] - margin) * per_y), 0), rows - 1)
        cells[row * columns + column] += 1
