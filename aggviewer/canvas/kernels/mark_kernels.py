"""The compiled kernels of rings, around selected discs and anywhere. They hold no interpreter lock and use no Qt.

Common to those of selected discs: positions (N, 2), radii (N,) and box (2,) float64, as of `disc_kernels`; discs (K,)
int64, the numbers of those that are marked; camera (5,): world x and y in the middle, pixels per world unit, pixel
column and row of the middle. Common to all: clip (4,), first column, first row, end column, end row; color (3,), 0…255;
image (H, W, 4) uint8, RGBA with premultiplied alpha, over which rings are painted with edges one pixel soft.
"""

from __future__ import annotations

from math import ceil, floor, sqrt

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.kernels.disc_kernels import _first_and_last
from aggviewer.canvas.kernels.line_kernels import _blend
from engine.kernels import kernel

Floats = NDArray[np.float64]

_DOT = 1.25
"""Pixels. A ring that is not larger becomes one pixel, so that 10^5 of them take a millisecond."""


@kernel
def count_marks(
    positions: Floats, radii: Floats, discs: NDArray[np.int64], camera: Floats, clip: NDArray[np.int64]
) -> int:
    """How many of the discs reach into the clip."""
    count = 0
    for n in range(discs.shape[0]):
        i = discs[n]
        r = radii[i] * camera[2]
        px = camera[3] + (positions[i, 0] - camera[0]) * camera[2]
        py = camera[4] - (positions[i, 1] - camera[1]) * camera[2]
        if px + r >= clip[0] and px - r <= clip[2] and py + r >= clip[1] and py - r <= clip[3]:
            count += 1
    return count


@kernel
def _ring(
    px: float,
    py: float,
    r: float,
    width: float,
    alpha: float,
    color: Floats,
    clip: NDArray[np.int64],
    image: NDArray[np.uint8],
) -> None:
    """A ring of outer radius r around a pixel; a disc if its width is not less."""
    reach = r + 0.5
    if not (px + reach >= clip[0] and px - reach <= clip[2]):  # not: NaN is nowhere
        return
    if not (py + reach >= clip[1] and py - reach <= clip[3]):
        return
    inner = r - width
    hole = inner - 0.5
    for row in range(int(max(float(clip[1]), floor(py - reach))), int(min(float(clip[3]), ceil(py + reach)))):
        dy = row + 0.5 - py
        wide = sqrt(max(reach * reach - dy * dy, 0.0))
        first, last = max(float(clip[0]), floor(px - wide)), min(float(clip[2]), ceil(px + wide))
        for column in range(int(first), int(last)):
            dx = column + 0.5 - px
            square = dx * dx + dy * dy
            if hole > 0.0 and square < hole * hole:
                continue
            distance = sqrt(square)
            ring = min(max(r + 0.5 - distance, 0.0), 1.0)
            if inner > 0.0:
                ring -= min(max(inner + 0.5 - distance, 0.0), 1.0)
            if ring > 0.0:
                _blend(image, row, column, color, alpha * ring)


@kernel
def paint_marks(
    positions: Floats,
    radii: Floats,
    discs: NDArray[np.int64],
    box: Floats,
    periodic: bool,
    camera: Floats,
    look: Floats,
    color: Floats,
    clip: NDArray[np.int64],
    image: NDArray[np.uint8],
) -> None:
    """Rings around the discs; in a periodic box also around their copies.

    look : (4,), in pixels the least outer radius, how far rings lie outside of the disc, and their width; and their
    opacity, 0…1.
    """
    for n in range(discs.shape[0]):
        i = discs[n]
        x_first, x_last, y_first, y_last = 0, 0, 0, 0
        if periodic:
            x_first, x_last = _first_and_last(positions[i, 0], radii[i], box[0])
            y_first, y_last = _first_and_last(positions[i, 1], radii[i], box[1])
        r = max(radii[i] * camera[2] + look[1], look[0])
        if r <= _DOT:
            px = camera[3] + (positions[i, 0] - camera[0]) * camera[2]
            py = camera[4] - (positions[i, 1] - camera[1]) * camera[2]
            if px >= clip[0] and px < clip[2] and py >= clip[1] and py < clip[3]:  # NaN is nowhere
                row, column = int(py), int(px)
                rest = 1.0 - look[3]
                for k in range(3):
                    image[row, column, k] = np.uint8(color[k] * look[3] + image[row, column, k] * rest + 0.5)
                image[row, column, 3] = np.uint8(255.0 * look[3] + image[row, column, 3] * rest + 0.5)
            continue
        for a in range(x_first, x_last + 1):
            px = camera[3] + (positions[i, 0] + a * box[0] - camera[0]) * camera[2]
            for b in range(y_first, y_last + 1):
                py = camera[4] - (positions[i, 1] + b * box[1] - camera[1]) * camera[2]
                _ring(px, py, r, look[2], look[3], color, clip, image)


@kernel
def paint_rings(
    points: Floats, radii: Floats, look: Floats, color: Floats, clip: NDArray[np.int64], image: NDArray[np.uint8]
) -> None:
    """Rings around pixels, points (K, 2). radii : (K,), outer ones; look : (2,), their width and opacity. A ring that
    is not wider than its width is a disc."""
    for n in range(points.shape[0]):
        _ring(points[n, 0], points[n, 1], radii[n], look[0], look[1], color, clip, image)
