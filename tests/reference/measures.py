"""Measures of regions by counting points of a fine grid: slow, and without a formula of geometry."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Periodic

Floats = NDArray[np.float64]


def covered_share(points: Floats, positions: Floats, radii: Floats, box: Floats, periodic: Periodic | bool) -> float:
    """The share of some points (K, 2) that lie in any disc; discs must not overlap."""
    between = points[:, None, :] - positions[None, :, :]
    between -= np.where(periodic, box * np.rint(between / box), 0.0)
    return float((np.square(between).sum(axis=2) < np.square(radii)).sum() / len(points))


def grid(start: Floats, along: Floats, across: Floats, number: int) -> Floats:
    """number² points, evenly in the parallelogram from `start`, with these two edges."""
    share = (np.arange(number) + 0.5) / number
    a, b = (part.ravel() for part in np.meshgrid(share, share))
    return start + a[:, None] * along + b[:, None] * across


def pair_radius_of_gyration(points: Floats) -> float:
    """R_g of points in the plane from the mean square of the distances of all pairs: R_g² = ⟨d²⟩ / 2."""
    between = points[:, None, :] - points[None, :, :]
    return float(np.sqrt(np.square(between).sum(axis=2).mean() / 2.0))
