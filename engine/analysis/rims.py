"""How clusters are told apart by colour, as functions of the labels of a single state.

Rims tell near clusters of the same colour apart (`rims`). The other functions go through the labels once: which discs
are single, and a value for each label.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Bytes, Floats, Ints, Longs
from engine.boundary import Periodic
from engine.geometry.minimum_image import axis_distance
from engine.kernels import kernel, pointer, whole

NEAR = 4.0
"""Clusters are near each other if the centres of two of their discs are within this many mean diameters."""

LOOKS = 3
"""The number of looks; a cluster with look 0 has no rim."""


def rims(
    labels: NDArray[np.integer],
    colors: NDArray[np.integer],
    positions: Floats,
    radii: Floats,
    box: Floats,
    periodic: Periodic | bool,
    seen: Longs | None = None,
) -> NDArray[np.uint8]:
    """The look of each disc, (N,), 0 for one without a rim: near clusters of the same colour have different ones, as
    far as there are enough of them.

    Of two near clusters the larger one has its look first, so most clusters have no rim. Nor do single discs, whose
    colours are muted.

    Parameters
    ----------
    labels, colors : (N,), the number of the cluster of each disc, at least 0, and the palette index of its colour.
    positions, radii : (N, d) in the box, d = 2 or 3, and (N,).
    box, periodic : (d,), and along which axes distances are to the nearest image.
    seen : the numbers of the discs to be considered, such as those in a picture; None for all.
    """
    sizes = np.bincount(labels)
    look = np.zeros(len(sizes), np.uint8)
    seen = np.arange(len(labels)) if seen is None else seen
    seen = seen[sizes[labels[seen]] > 1]
    axes = len(box)
    sides, periods, places = np.ones(3), np.full(3, np.inf), np.zeros((len(seen), 3))
    sides[:axes], periods[:axes], places[:, :axes] = box, Periodic.of(periodic, axes).periods(box), positions[seen]
    named, reach = labels[seen].astype(np.int64), NEAR * 2.0 * float(radii.mean())
    most = max(1.0, len(seen) ** (1.0 / axes))
    cells = np.where(np.arange(3) < axes, np.clip(sides / reach, 1.0, most), 1.0).astype(np.int64)
    hues = colors[seen].astype(np.int64)
    pairs = _near(places, named, hues, int(hues.max(initial=0)) + 1, reach, sides, periods, cells)
    larger: dict[int, list[int]] = {}
    for one, other in np.unique(pairs, axis=0).tolist():
        first = (-sizes[one], one) < (-sizes[other], other)
        larger.setdefault(other if first else one, []).append(one if first else other)
    for label in sorted(larger, key=lambda label: (-sizes[label], label)):
        taken = {int(look[other]) for other in larger[label]}
        look[label] = min(set(range(LOOKS)) - taken, default=LOOKS - 1)
    return np.asarray(look[labels])


@kernel
def _near(
    places: Floats,
    labels: Longs,
    colors: Longs,
    palette: int,
    reach: float,
    sides: Floats,
    periods: Floats,
    cells: Longs,
) -> Longs:
    """The labels (K, 2), ascending, of discs within `reach` that have the same colour, but not the same label; some are
    repeated.

    palette : the number of colours.
    places : (n, 3) in the box, 0 along an axis that it does not have.
    sides, periods : (3,), the latter infinite where the box does not repeat.
    cells : (3,), the number of cells along each axis, with sides of at least `reach` unless it is 1.
    """
    nx, ny, nz = cells[0], cells[1], cells[2]
    # the latest disc of each cell and colour, and for each disc the one before it
    latest, before = np.full(nx * ny * nz * palette, -1), np.empty(len(labels), np.int64)
    pairs, found = np.empty((64, 2), np.int64), 0
    for i in range(len(labels)):
        u = min(max(int(places[i, 0] / sides[0] * nx), 0), nx - 1)
        v = min(max(int(places[i, 1] / sides[1] * ny), 0), ny - 1)
        w = min(max(int(places[i, 2] / sides[2] * nz), 0), nz - 1)
        for a in range(u - 1, u + 2):
            for b in range(v - 1, v + 2):
                for c in range(w - 1, w + 2):
                    # a cell beyond an edge is there only along a periodic axis
                    beyond = ((a < 0 or a >= nx) and periods[0] == np.inf) or (
                        (b < 0 or b >= ny) and periods[1] == np.inf
                    )
                    if beyond or ((c < 0 or c >= nz) and periods[2] == np.inf):
                        continue
                    j = latest[((a % nx * ny + b % ny) * nz + c % nz) * palette + colors[i]]
                    while j >= 0:
                        if labels[i] != labels[j]:
                            square = 0.0
                            for axis in range(3):
                                d = axis_distance(places[i, axis], places[j, axis], periods[axis])
                                square += d * d
                            low, high = min(labels[i], labels[j]), max(labels[i], labels[j])
                            known = found > 0 and pairs[found - 1, 0] == low and pairs[found - 1, 1] == high
                            if square < reach * reach and not known:
                                if found == len(pairs):
                                    longer = np.empty((2 * found, 2), np.int64)
                                    longer[:found] = pairs
                                    pairs = longer
                                pairs[found, 0], pairs[found, 1] = low, high
                                found += 1
                        j = before[j]
        cell = ((u * ny + v) * nz + w) * palette + colors[i]
        before[i], latest[cell] = latest[cell], i
    return pairs[:found]


@kernel
def count_to_two(labels: Ints, found: Bytes) -> bool:
    """Count the discs of each label up to two: 0, 1 or 2 in `found` (L,), initially 0.

    labels : (N,). Returns False, with invalid `found`, if one of them is not in 0 … L - 1.
    """
    label_of, known = pointer(labels), len(found)
    for i in range(len(labels)):
        label = whole(label_of[i])
        if label < 0 or label >= known:
            return False
        # always written: a branch that depends on the label would be mispredicted half of the time
        found[label] = min(found[label] + 1, 2)
    return True


@kernel
def look_up(labels: Ints, value: Bytes, out: NDArray[np.float32]) -> None:
    """Write the value of each disc's label, `value` (L,), to `out` (N,). All labels must be in 0 … L - 1."""
    label_of, to = pointer(labels), pointer(out)
    for i in range(len(labels)):
        to[i] = np.float32(value[whole(label_of[i])])
