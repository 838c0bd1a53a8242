"""The compiled kernels of the force network: lines and rings into an image of its own. No interpreter lock.

Both draw over what is in image (H, W, 4) uint8, RGBA with premultiplied alpha, in one opaque colour (3,) 0…255, with
edges one pixel soft; pixel (column, row) covers [column, column + 1] x [row, row + 1].
"""

from __future__ import annotations

from math import ceil, floor, hypot, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.kernels import kernel

Floats = NDArray[np.float64]


@kernel
def _blend(image: NDArray[np.uint8], row: int, column: int, color: Floats, cover: float) -> None:
    rest = 1.0 - cover
    for k in range(3):
        image[row, column, k] = np.uint8(color[k] * cover + image[row, column, k] * rest + 0.5)
    image[row, column, 3] = np.uint8(255.0 * cover + image[row, column, 3] * rest + 0.5)


@kernel
def paint_lines(
    segments: Floats, half: Floats, color: Floats, clip: NDArray[np.int64], image: NDArray[np.uint8]
) -> None:
    """Lines with round ends. segments : (K, 4) start and end in pixels; half : (K,) half their widths, of which those
    below half a pixel are paler instead of thinner; clip : (4,) first column and row, end column and row."""
    for n in range(segments.shape[0]):
        ax, ay, bx, by = segments[n, 0], segments[n, 1], segments[n, 2], segments[n, 3]
        if not (abs(ax) + abs(ay) + abs(bx) + abs(by) < inf):
            continue
        h = max(half[n], 0.5)
        full = min(half[n] / 0.5, 1.0)
        length = hypot(bx - ax, by - ay)
        ux, uy = ((bx - ax) / length, (by - ay) / length) if length > 0.0 else (1.0, 0.0)
        reach = h + 0.5
        top = max(float(clip[1]), floor(min(ay, by) - reach))
        bottom = min(float(clip[3]), ceil(max(ay, by) + reach))
        left = max(float(clip[0]), floor(min(ax, bx) - reach))
        right = min(float(clip[2]), ceil(max(ax, bx) + reach))
        for row in range(int(top), int(bottom)):
            y = row + 0.5 - ay
            first, last = left, right
            if abs(uy) > 1e-9:  # the strip along the line, and nothing of the rectangle around it
                middle, wide = ax + y * ux / uy, reach / abs(uy)
                first, last = max(first, floor(middle - wide)), min(last, ceil(middle + wide))
            for column in range(int(first), int(last)):
                x = column + 0.5 - ax
                along = min(max(x * ux + y * uy, 0.0), length)
                dx, dy = x - along * ux, y - along * uy
                cover = full * min(h + 0.5 - sqrt(dx * dx + dy * dy), 1.0)
                if cover > 0.0:
                    _blend(image, row, column, color, cover)


@kernel
def paint_rings(
    points: Floats,
    radii: Floats,
    width: float,
    ground: Floats,
    color: Floats,
    clip: NDArray[np.int64],
    image: NDArray[np.uint8],
) -> None:
    """Hollow discs: a ring in `color`, `width` pixels wide, inside of the rim, filled with `ground`. points : (K, 2)
    pixels; radii : (K,) pixels."""
    for n in range(points.shape[0]):
        px, py, r = points[n, 0], points[n, 1], radii[n]
        if not (abs(px) + abs(py) + r < inf):
            continue
        top, bottom = max(float(clip[1]), floor(py - r - 0.5)), min(float(clip[3]), ceil(py + r + 0.5))
        for row in range(int(top), int(bottom)):
            dy = row + 0.5 - py
            wide = sqrt(max((r + 0.5) ** 2 - dy * dy, 0.0))
            first, last = max(float(clip[0]), floor(px - wide - 0.5)), min(float(clip[2]), ceil(px + wide + 0.5))
            for column in range(int(first), int(last)):
                dx = column + 0.5 - px
                distance = sqrt(dx * dx + dy * dy)
                outer = min(max(r + 0.5 - distance, 0.0), 1.0)
                if outer <= 0.0:
                    continue
                inner = min(max(r - width + 0.5 - distance, 0.0), 1.0)
                _blend(image, row, column, color, outer)
                if inner > 0.0:
                    _blend(image, row, column, ground, inner)
