"""The compiled kernel that marks selected discs in an image. It holds no interpreter lock and uses no Qt."""

from __future__ import annotations

from math import ceil, floor, sqrt

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.kernels import _blend
from engine.kernels import kernel

Floats = NDArray[np.float64]


@kernel
def paint_outlines(
    points: Floats,
    radii: Floats,
    width: float,
    halo: float,
    alpha: float,
    color: Floats,
    ground: Floats,
    clip: NDArray[np.int64],
    image: NDArray[np.uint8],
) -> None:
    """Rings around discs, with edges one pixel soft, over what is in image (H, W, 4) uint8, RGBA with premultiplied
    alpha.

    points : (K, 2) pixels. radii : (K,) outer radii of the rings; a ring wider than its radius is a disc. width, halo :
    pixels of the ring, and of the halo on both sides of it. alpha : opacity, 0…1. color, ground : (3,) 0…255, of the
    ring and of the halo. clip : (4,) first column, first row, end column, end row that may be touched.
    """
    for n in range(points.shape[0]):
        px, py, r = points[n, 0], points[n, 1], radii[n]
        reach = r + halo + 0.5
        if not (px + reach >= clip[0] and px - reach <= clip[2]):  # not: NaN is nowhere
            continue
        if not (py + reach >= clip[1] and py - reach <= clip[3]):
            continue
        hole = r - width - halo - 0.5
        top, bottom = max(float(clip[1]), floor(py - reach)), min(float(clip[3]), ceil(py + reach))
        for row in range(int(top), int(bottom)):
            dy = row + 0.5 - py
            wide = sqrt(max(reach * reach - dy * dy, 0.0))
            first, last = max(float(clip[0]), floor(px - wide)), min(float(clip[2]), ceil(px + wide))
            for column in range(int(first), int(last)):
                dx = column + 0.5 - px
                square = dx * dx + dy * dy
                if hole > 0.0 and square < hole * hole:
                    continue
                distance = sqrt(square)
                inner = r - width
                around = min(max(r + halo + 0.5 - distance, 0.0), 1.0)
                if inner - halo > 0.0:
                    around -= min(max(inner - halo + 0.5 - distance, 0.0), 1.0)
                ring = min(max(r + 0.5 - distance, 0.0), 1.0)
                if inner > 0.0:
                    ring -= min(max(inner + 0.5 - distance, 0.0), 1.0)
                if halo > 0.0 and around > 0.0:
                    _blend(image, row, column, ground, alpha * around)
                if ring > 0.0:
                    _blend(image, row, column, color, alpha * ring)
