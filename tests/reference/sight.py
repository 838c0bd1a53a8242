"""What is seen of spheres between two planes: lines of sight are followed away from the viewer until they meet one."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np


class Sight(NamedTuple):
    """What each line of sight meets first.

    first : (H, W), the number of the sphere, -1 for none.
    flat : (H, W), whether it is met where the front plane cuts it.
    """

    first: np.ndarray
    flat: np.ndarray


def planes(box, axes, middle, slab):
    """The depths of both planes: the corners of the box have the shares 0 to 1."""
    depths = [(np.array(corner) * box - middle) @ axes[2] for corner in product((0.0, 1.0), repeat=3)]
    back, front = min(depths), max(depths)
    whole = slab == (0.0, 1.0)  # shows what reaches out of the box, too
    return (-np.inf, np.inf) if whole else tuple(back + share * (front - back) for share in slab)


def sight(positions, radii, box, axes, middle, eye, slab, scale, size):
    """What a camera sees.

    positions, radii, box : (N, 3), (N,) and (3,). axes : (3, 3), of the camera: to the right, up, and towards the
    viewer. middle : (3,), the point in the middle of the picture. eye : its distance from the viewer, inf for parallel
    lines of sight. slab : shares of the depth of the box. scale : pixels per unit at the middle. size : width and
    height.
    """
    low, high = planes(box, axes, middle, slab)
    rows, columns = np.mgrid[: size[1], : size[0]] + 0.5
    # a line of sight is at start + t way, t growing away from the viewer; start is at the depth of the middle
    start = np.stack([(columns - size[0] / 2) / scale, (size[1] / 2 - rows) / scale, np.zeros(rows.shape)], axis=-1)
    way = np.full(start.shape, [0.0, 0.0, -1.0]) if np.isinf(eye) else start - [0.0, 0.0, eye]
    way /= np.linalg.norm(way, axis=-1, keepdims=True)
    enters, leaves = (depth / way[..., 2] for depth in (high, low))  # the depth at t is t way[2]
    nearest, first, flat = np.full(rows.shape, np.inf), np.full(rows.shape, -1), np.zeros(rows.shape, bool)
    for number, (place, radius) in enumerate(zip(positions, radii, strict=True)):
        begins, ends = inside(start, way, (place - middle) @ axes.T, radius)
        meets = np.maximum(begins, enters)
        here = (meets < np.minimum(ends, leaves)) & (meets < nearest)
        nearest[here], first[here], flat[here] = meets[here], number, (meets == enters)[here]
    return Sight(first, flat)


def inside(start, way, centre, radius):
    """From where to where lines start + t way, (..., 3) each with a way of length 1, are inside a sphere: (...) each,
    inf and -inf if they pass it."""
    between = centre - start
    along = (between * way).sum(axis=-1)
    rest = radius**2 - (np.square(between).sum(axis=-1) - along**2)
    half = np.sqrt(np.maximum(rest, 0.0))
    return np.where(rest > 0.0, along - half, np.inf), np.where(rest > 0.0, along + half, -np.inf)
