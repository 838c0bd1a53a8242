"""Places in a periodic box and steps to the nearest image, for arrays; kernels have `engine.geometry.minimum_image`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.boundary import Periodic


def nearest_image(vectors: Floats, box: Floats | float, periodic: Periodic | bool) -> Floats:
    """Differences of positions, (..., d), to the nearest image along each axis that is periodic.

    box : (d,), or (..., d), the sides; one number only where `periodic` is one truth value.
    """
    if isinstance(periodic, Periodic) and periodic.mixed:
        return vectors - np.where(periodic, box * np.rint(vectors / box), 0.0)
    return vectors - box * np.rint(vectors / box) if periodic else vectors


def wrapped(positions: Floats, box: Floats, periodic: Periodic | bool = True) -> Floats:
    """Positions (N, d), N >= 1, wrapped into [0, L_x) x [0, L_y), in space x [0, L_z), along each axis that is
    periodic. Coordinates that are inside keep their bits."""
    around = Periodic.of(periodic, len(box))
    if around.any and (positions.min() < 0.0 or (positions.max(axis=0) >= box).any()):
        outside = ((positions < 0.0) | (positions >= box)) & np.array(around)
        folded = np.mod(positions, box)
        folded[folded >= box] = 0.0  # a tiny negative number, rounded up to the side itself
        positions = np.where(outside, folded, positions)
    return positions


def unwrapped(positions: Floats, images: NDArray[Any] | None, box: Floats) -> Floats:
    """Copies of positions (N, d) along the paths of the discs, which go on across the edges of a periodic box.

    images : (N, d), how often each disc has crossed the box along each axis; None if that is not known or there are
        walls: then the positions themselves.
    """
    return positions.copy() if images is None else positions + images * box


def tree_of(positions: Floats, box: Floats, periodic: Periodic | bool) -> Any:
    """A tree (`scipy.spatial.cKDTree`) that finds the nearest of positions (N, d), N >= 1, across periodic edges."""
    from scipy.spatial import cKDTree

    around = Periodic.of(periodic, len(box))
    sides = np.where(around, box, 0.0)  # 0: no period
    return cKDTree(wrapped(positions, box, around), boxsize=sides) if around.any else cKDTree(positions)


def places_around(positions: Floats, box: Floats, reach: float, periodic: Periodic | bool = True) -> Floats:
    """The places (M, d) of all images that may lie within `reach` of a disc; the first N are those of the discs
    themselves, in their order. positions : (N, d), in the box along each axis that is periodic."""
    places = positions
    for axis in Periodic.of(periodic, len(box)).axes:
        side = float(box[axis])
        most = int(np.ceil(reach / side))
        moved = [places]
        for k in (*range(-most, 0), *range(1, most + 1)):
            copy = places + side * k * np.eye(len(box))[axis]
            moved.append(copy[(copy[:, axis] >= -reach) & (copy[:, axis] <= side + reach)])
        places = np.concatenate(moved)
    return places
