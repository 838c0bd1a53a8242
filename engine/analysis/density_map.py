"""The local density as a smooth map over the box."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter

from engine.arrays import Floats

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
    positions: Floats, radii: Floats, box: Floats, *, periodic: bool, width: float | None = None
) -> DensityMap:
    """Coarse-grain the packing fraction: φ(x) = Σ π R_i² G(x - X_i) with a normalised Gaussian G.

    Between walls G is normalised to its share in the box, so that the density does not decrease towards the walls. The
    sum is evaluated on a grid: the error is a few percent if the Gaussian is as wide as its cells.

    Parameters
    ----------
    positions : (N, 2), centres inside the box.
    radii : (N,).
    box : (2,), sides of the box.
    periodic : whether the box is periodic.
    width : standard deviation of G; by default `WIDTH` mean diameters.
    """
    if width is None:
        width = WIDTH * 2.0 * float(radii.mean())
    columns, rows = (int(np.clip(np.ceil(_PER_WIDTH * side / width), 2, _MOST)) for side in box)
    cell = box / (columns, rows)
    covered = _shared(positions, np.pi * np.square(radii), cell, columns, rows, periodic) / float(cell.prod())
    mode = "wrap" if periodic else "constant"
    sigma = (width / cell[1], width / cell[0])
    values = gaussian_filter(covered, sigma, mode=mode)
    if not periodic:
        values /= gaussian_filter(np.ones_like(covered), sigma, mode=mode)
    return DensityMap(values, width)


def _shared(positions: Floats, weights: Floats, cell: Floats, columns: int, rows: int, periodic: bool) -> Floats:
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
            if periodic:
                column, row = column % columns, row % rows
            else:
                column, row = np.clip(column, 0, columns - 1), np.clip(row, 0, rows - 1)
            total += np.bincount(row * columns + column, share * weights, minlength=rows * columns)
    return total.reshape(rows, columns)
