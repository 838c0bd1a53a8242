"""Places in a periodic box and steps to the nearest image, for arrays; kernels have `engine.geometry.minimum_image`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.boundary import Periodic


def nearest_image(vectors: Floats, box: Floats | float, periodic: Periodic | bool) -> Floats:
    """Differences of positions, (..., d), to the nearest image along each axis that is periodic.

    box : (d,), or (..., d), the sides; one number only where `periodic` is one truth value. Where images flow past the
    box, (d,): the shortest of all images.
    """
    if isinstance(periodic, Periodic) and periodic.offset:
        return _nearest_of_tilted(vectors, np.asarray(box), periodic.offset)
    if isinstance(periodic, Periodic) and periodic.mixed:
        return vectors - np.where(periodic, box * np.rint(vectors / box), 0.0)
    return vectors - box * np.rint(vectors / box) if periodic else vectors


def _nearest_of_tilted(vectors: Floats, box: Floats, offset: float) -> Floats:
    """`nearest_image` where the images above are ahead by `offset`: of those in each row that may hold the nearest."""
    rows = int(0.5 + 0.5 * float(np.hypot(box[0], box[1])) / float(box[1]))
    moved = moved_by(vectors, -np.rint(vectors[..., 1] / box[1]), box, offset)
    found, shortest = moved, np.full(moved.shape[:-1], np.inf)
    for row in sorted(range(-rows, rows + 1), key=abs):
        image = moved_by(moved, np.full(moved.shape[:-1], float(row)), box, offset)
        image[..., 0] -= box[0] * np.rint(image[..., 0] / box[0])
        image[..., 2:] -= box[2:] * np.rint(image[..., 2:] / box[2:])
        length = np.square(image).sum(axis=-1)
        found = np.where((length < shortest)[..., None], image, found)
        shortest = np.minimum(length, shortest)
    return found


def moved_by(vectors: Floats, rows: NDArray[Any], box: Floats, offset: float) -> Floats:
    """Copies of vectors (..., d) moved up by whole boxes, rows (...), each of which is ahead along x by `offset`."""
    moved = np.array(vectors, np.float64)
    moved[..., 0] += rows * offset
    moved[..., 1] += rows * box[1]
    return moved


def wrapped(positions: Floats, box: Floats, periodic: Periodic | bool = True) -> Floats:
    """Positions (N, d), N >= 1, wrapped into [0, L_x) x [0, L_y), in space x [0, L_z), along each axis that is
    periodic. Coordinates that are inside keep their bits."""
    around = Periodic.of(periodic, len(box))
    if around.any and (positions.min() < 0.0 or (positions.max(axis=0) >= box).any()):
        if around.offset:
            rows = np.floor(positions[..., 1] / box[1])
            positions = np.where((rows == 0.0)[..., None], positions, moved_by(positions, -rows, box, around.offset))
        outside = ((positions < 0.0) | (positions >= box)) & np.array(around)
        folded = np.mod(positions, box)
        folded[folded >= box] = 0.0  # a tiny negative number, rounded up to the side itself
        positions = np.where(outside, folded, positions)
    return positions


def unwrapped(positions: Floats, images: NDArray[Any] | None, box: Floats, strain: float = 0.0) -> Floats:
    """Copies of positions (N, d) along the paths of the discs, which go on across the edges of a periodic box.

    images : (N, d), how often each disc has crossed the box along each axis; None if that is not known or there are
        walls: then the positions themselves. strain : how far the images above the box are ahead of it along x, over
        its height; whole periods count.
    """
    if images is None:
        return positions.copy()
    places = positions + images * box
    if strain:
        places[:, 0] += images[:, 1] * (strain * box[1])
    return places


def tree_of(positions: Floats, box: Floats, periodic: Periodic | bool) -> Any:
    """A tree (`scipy.spatial.cKDTree`) that finds the nearest of positions (N, d), N >= 1, across periodic edges; not
    across those past which images flow (`images_around`)."""
    from scipy.spatial import cKDTree

    around = Periodic.of(periodic, len(box))
    assert not around.offset
    sides = np.where(around, box, 0.0)  # 0: no period
    return cKDTree(wrapped(positions, box, around), boxsize=sides) if around.any else cKDTree(positions)


def places_around(positions: Floats, box: Floats, reach: float, periodic: Periodic | bool = True) -> Floats:
    """The places (M, d) of all images that may lie within `reach` of a disc; the first N are those of the discs
    themselves, in their order. positions : (N, d), in the box along each axis that is periodic."""
    return images_around(positions, box, reach, periodic)[0]


def images_around(
    positions: Floats, box: Floats, reach: float, periodic: Periodic | bool = True
) -> tuple[Floats, NDArray[np.intp]]:
    """`places_around`, and the disc of each place, (M,)."""
    around = Periodic.of(periodic, len(box))
    places, of = positions, np.arange(len(positions))
    axes = (1, 0, 2)[: len(box)] if around.offset else around.axes  # the images above may lie anywhere along x
    for axis in axes:
        side = float(box[axis])
        most = int(np.ceil(reach / side)) + (axis == 0 and around.offset != 0.0) * (int(np.ceil(reach / box[1])) + 1)
        step = side * np.eye(len(box))[axis] + (around.offset if axis == 1 else 0.0) * np.eye(len(box))[0]
        moved, numbers = [places], [of]
        for k in (*range(-most, 0), *range(1, most + 1)):
            copy = places + k * step
            near = (copy[:, axis] >= -reach) & (copy[:, axis] <= side + reach)
            moved.append(copy[near])
            numbers.append(of[near])
        places, of = np.concatenate(moved), np.concatenate(numbers)
    return places, of
