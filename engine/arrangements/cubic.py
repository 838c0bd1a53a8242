"""Spheres on a cubic lattice that fills the box."""

from __future__ import annotations

from math import cbrt, ceil

import numpy as np
from numpy.typing import NDArray

from engine.arrangements.limits import Array, refuse_wider

_SIMPLE = np.array([[0.5, 0.5, 0.5]])
_FACE_CENTRED = np.array([[0.25, 0.25, 0.25], [0.75, 0.75, 0.25], [0.75, 0.25, 0.75], [0.25, 0.75, 0.75]])
"""Sites of a unit cell, in units of its sides."""


def cubic_positions(radii: Array, box: Array, periodic: bool) -> Array:
    """Positions (N, 3) of spheres on a simple or a face-centred cubic lattice, vacant sites spread evenly.

    Of both it is the one that leaves most room around each site; where both leave as much, that with fewer sites.

    radii : (N,); box : (3,). Raises InputError if the two largest spheres do not fit side by side.
    """
    count = len(radii)
    candidates = [(sites, _cells(count, len(sites), box)) for sites in (_SIMPLE, _FACE_CENTRED)]
    rooms = [_spacing(sites, box / shape, periodic) for sites, shape in candidates]
    best = max(range(2), key=lambda k: (rooms[k], -len(candidates[k][0]) * int(candidates[k][1].prod())))
    sites, shape = candidates[best]
    refuse_wider(radii, box, rooms[best], "for this lattice (where the largest spheres would touch)")
    places = np.arange(count) * (len(sites) * int(shape.prod())) // count
    cell, site = places // len(sites), places % len(sites)
    corner = np.stack([cell % shape[0], cell // shape[0] % shape[1], cell // (shape[0] * shape[1])], axis=1)
    return np.asarray((corner + sites[site]) * (box / shape))


def _cells(count: int, sites: int, box: Array) -> NDArray[np.int64]:
    """How many unit cells there are along each axis, (3,): enough for so many spheres, and as cubic as possible."""
    wanted = ceil(count / sites)
    shape = np.maximum(1, np.floor(box * cbrt(wanted / float(box.prod())) + 1e-9)).astype(np.int64)
    while shape.prod() < wanted:
        shape[int(np.argmax(box / shape))] += 1
    return shape


def _spacing(sites: Array, cell: Array, periodic: bool) -> float:
    """How wide equal spheres may be on these sites of cells with these sides, (3,)."""
    least = float(cell.min())  # from a site to its image in the next cell
    if len(sites) > 1:
        halves = np.square(0.5 * cell)
        least = min(least, float(np.sqrt(halves.sum() - halves.max())))
    if periodic:
        return least
    return min(least, 2.0 * float((sites.min(axis=0) * cell).min()))
