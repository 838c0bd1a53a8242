"""A cluster of a periodic box laid out in the plane by a walk over its contacts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.analysis.contact_network import CONTACT
from engine.geometry.minimum_image import periods_between
from engine.kernels import kernel

# Gaps, relative to R_i + R_j, up to which discs count as joined: touching exactly, within a time-stepping
# method's tolerance, or in contact by (4.13). The smallest one that holds the cluster together is used: a
# cluster that merely comes near its own image on the far side is not tied to it.
_GAPS = (1e-6, 1e-3, CONTACT - 1.0)


def unwrap(
    positions: NDArray[np.float64],
    radii: NDArray[np.float64],
    box: NDArray[np.float64],
    pairs: NDArray[np.int32],
) -> NDArray[np.float64] | None:
    """Positions (n, 2) of one cluster in the plane, with the first disc where it is.

    positions : (n, 2), radii : (n,), of the cluster; box : (2,), periods; pairs : (K, 2), contacts within the
    cluster. None where contacts do not hold the discs together, and where the cluster is joined to its own
    image (it percolates): no layout in the plane exists then.
    """
    gap, shift = _links(positions, radii, box, pairs)
    for limit in _GAPS:
        image = np.zeros((len(positions), 2), np.int64)
        reached, unique = _walk(pairs, gap <= limit + 1e-12, shift, image)
        if reached == len(positions):
            return positions + image * box if unique else None
    return None


@kernel
def _links(
    positions: NDArray[np.float64], radii: NDArray[np.float64], box: NDArray[np.float64], pairs: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Gap (K,), relative to R_i + R_j, and shift (K, 2), the periods to add to the second disc of each pair."""
    gap = np.empty(len(pairs))
    shift = np.empty((len(pairs), 2), np.int64)
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        squared = 0.0
        for axis in range(2):
            step = positions[j, axis] - positions[i, axis]
            periods = -periods_between(step, box[axis])
            shift[k, axis] = int(periods)
            squared += (step + periods * box[axis]) ** 2
        gap[k] = np.sqrt(squared) / (radii[i] + radii[j]) - 1.0
    return gap, shift


@kernel
def _walk(
    pairs: NDArray[np.int32], joined: NDArray[np.bool_], shift: NDArray[np.int64], image: NDArray[np.int64]
) -> tuple[int, bool]:
    """Breadth-first from disc 0 over the pairs that are `joined`.

    image : (n, 2), filled with the periods to add to each disc reached: whole numbers, and so exact.
    Returns the number of discs reached, and whether all joined pairs among them agree with the images.
    """
    count = len(image)
    start = np.zeros(count + 1, np.int64)
    for k in np.flatnonzero(joined):
        start[pairs[k, 0] + 1] += 1
        start[pairs[k, 1] + 1] += 1
    for i in range(count):
        start[i + 1] += start[i]
    free = start[:-1].copy()
    link = np.empty(start[count], np.int64)
    for k in np.flatnonzero(joined):
        for end in range(2):
            link[free[pairs[k, end]]] = k
            free[pairs[k, end]] += 1
    seen = np.zeros(count, np.bool_)
    queue = np.empty(count, np.int64)
    queue[0] = 0
    seen[0] = True
    reached = 1
    unique = True
    head = 0
    while head < reached:
        i = queue[head]
        head += 1
        for k in link[start[i] : start[i + 1]]:
            forth = pairs[k, 0] == i
            j = pairs[k, 1] if forth else pairs[k, 0]
            sign = 1 if forth else -1
            across, up = image[i, 0] + sign * shift[k, 0], image[i, 1] + sign * shift[k, 1]
            if not seen[j]:
                seen[j] = True
                image[j, 0], image[j, 1] = across, up
                queue[reached] = j
                reached += 1
            elif image[j, 0] != across or image[j, 1] != up:
                unique = False
    return reached, unique
