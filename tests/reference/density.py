"""Small discs painted one by one, in double precision: what `disc_kernels.paint` adds up for them."""

from __future__ import annotations

from math import floor, pi

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Periodic


def covered(
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    colors: NDArray[np.float64],
    box: NDArray[np.float64],
    periodic: Periodic,
    camera: NDArray[np.float64],
    clip: tuple[int, int, int, int],
    shape: tuple[int, int],
) -> NDArray[np.float64]:
    """Colour times covered area, and covered area, of each pixel, (H, W, 4).

    Each disc lies as a square of one pixel around its middle and has the area π r²: of that, each pixel gets the share
    by which the square overlaps it. A disc that crosses a periodic edge comes again at the opposite one. Only pixels in
    `clip` (first column and row, end column and row) are painted. colors : (N, 3).
    """
    total = np.zeros((*shape, 4))
    across, up = ((-1, 0, 1) if around else (0,) for around in periodic)
    for (x, y), radius, color in zip(positions, radii, colors, strict=True):
        for a in across:
            for b in up:
                if (a and not _crosses(x, radius, box[0], a)) or (b and not _crosses(y, radius, box[1], b)):
                    continue
                u = camera[3] + (x + a * box[0] - camera[0]) * camera[2]
                v = camera[4] - (y + b * box[1] - camera[1]) * camera[2]
                if not np.isfinite(u + v):
                    continue
                for row in range(floor(v) - 1, floor(v) + 2):
                    for column in range(floor(u) - 1, floor(u) + 2):
                        if clip[0] <= column < clip[2] and clip[1] <= row < clip[3]:
                            wide = max(0.0, 1.0 - abs(column + 0.5 - u))
                            high = max(0.0, 1.0 - abs(row + 0.5 - v))
                            area = pi * (radius * camera[2]) ** 2 * wide * high
                            total[row, column] += area * np.array([*color, 1.0])
    return total


def _crosses(x: float, radius: float, side: float, shift: int) -> bool:
    """Whether a copy of a disc that lies a side further on, or back, reaches into the box."""
    return bool(x + radius > side) if shift < 0 else bool(x < radius)
