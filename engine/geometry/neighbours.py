"""Pairs of discs that lie close to each other, in two and three dimensions, and the vectors between them.

In a periodic box every image of a disc within reach counts, not only the nearest one: in a small box two discs
may touch on both sides, and a disc its own image.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.boundary import Periodic
from engine.geometry.cells import SLACK, is_found_by, usual_radius
from engine.geometry.minimum_image import wraps
from engine.kernels import kernel

_CELLS_PER_DISC = 4  # bounds memory where few discs lie in a wide box
_PAIRS_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class DenseState:
    """Discs (d = 2) or spheres (d = 3) in a box.

    positions : (N, d); radii : (N,); box : (d,), its sides; periodic : along which axes, with hard walls along the
    others; or one truth value for all.
    """

    positions: Floats
    radii: Floats
    box: Floats
    periodic: Periodic

    def __init__(self, positions: Floats, radii: Floats, box: Floats, periodic: Periodic | bool) -> None:
        for name, value in (("positions", positions), ("radii", radii), ("box", box)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "periodic", Periodic.of(periodic, len(box)))

    @property
    def unit(self) -> float:
        """The unit of length of searches: the mean diameter."""
        return 2.0 * float(self.radii.mean())


def walls(state: DenseState) -> Iterator[tuple[int, int, float, Floats]]:
    """Each wall with the distances of all discs from it; there are none along periodic axes.

    Yields
    ------
    The number of the wall in place of the second disc of a pair (-1, -2 across the first axis, and so on), its axis,
    the direction from it into the box (1 or -1), and the distances (N,) of all centres.
    """
    for axis in state.periodic.walls:
        yield -1 - 2 * axis, axis, 1.0, state.positions[:, axis]
        yield -2 - 2 * axis, axis, -1.0, state.box[axis] - state.positions[:, axis]


def near_pairs(
    state: DenseState, *, cutoff: float, growth: float, step: float, own: bool = False
) -> tuple[Ints, Ints, Floats]:
    """Pairs i < j whose centres are within `cutoff`, or which can meet, once for each image of disc j that is near.
    O(N), also where some discs are much larger.

    Two discs can meet if ``|r| - 2 step Σ|r_μ|/|r| < growth (R_i + R_j)``: each moves by at most `step` along each
    axis while radii grow by the factor `growth`.

    Parameters
    ----------
    state : along periodic axes centres lie in the box.
    own : whether pairs i = j of a disc and its own image are listed too, once for the two images on opposite sides.

    Returns
    -------
    first, second (m,) and vectors (m, d), X_i - X_j to the image of disc j that is near. Pairs come in the order of
    cells, so that neighbours in space lie next to each other.
    """
    (found,) = _in_parts(state, cutoff, growth, step, len(state.positions), own)
    return found


def one_image_within(box: Floats, periodic: Periodic | bool, reach: float) -> bool:
    """Whether no two images of a disc can be within `reach` of the same disc, so that nearest images are all there are
    and no disc is that near to its own. Images are at least a period apart, which must exceed 2 `reach`. box : (d,) its
    sides."""
    return float(Periodic.of(periodic, len(box)).periods(box).min()) > 2.0 * reach * SLACK


def near_pairs_in_parts(state: DenseState, cutoff: float) -> Iterator[tuple[Ints, Ints, Floats]]:
    """The pairs within `cutoff` (length) that `near_pairs` lists, about a million at a time, so that memory stays
    bounded.

    Yields the two discs of each pair, (m,) and (m,), and the vectors X_i - X_j, (m, d).
    """
    size = pi * cutoff**2 if len(state.box) == 2 else 4.0 / 3.0 * pi * cutoff**3
    around = len(state.positions) * size / float(state.box.prod())
    yield from _in_parts(state, cutoff, 0.0, 0.0, max(1, int(_PAIRS_AT_ONCE / max(around, 1.0))))


def _in_parts(
    state: DenseState, cutoff: float, growth: float, step: float, discs: int, own: bool = False
) -> Iterator[tuple[Ints, Ints, Floats]]:
    """`near_pairs` in parts: first the pairs found by a number of discs, then those found by the next ones."""
    count, dimensions = state.positions.shape
    usual = usual_radius(state.radii)
    reach = max(cutoff, growth * 2.0 * usual + 2.0 * step * sqrt(dimensions)) * SLACK
    shape, order, start, cells = _cells(state, reach)
    layers = np.ceil(reach / (state.box / shape)).astype(np.int64)
    room = 8 * min(discs, count) + 64
    for begin in range(0, count, discs):
        end = min(begin + discs, count)
        while True:
            first, second = np.empty(room, np.int32), np.empty(room, np.int32)
            vectors = np.empty((room, dimensions))
            found, _ = _list_pairs(
                state.positions, state.radii, state.box, state.periodic.code, state.periodic.offset, cutoff, growth,
                step, own, usual, shape, layers, order, start, cells, begin, end, first, second, vectors,
            )  # fmt: skip
            if found <= room:
                break
            room = found
        yield first[:found], second[:found], vectors[:found]


def widest_growth(state: DenseState) -> tuple[float, float]:
    """The factor by which all radii can grow before anything overlaps, and the smallest gap. O(N).

    The factor is the least of |X_i - X_j| / (R_i + R_j) over all pairs and images, of the distance from a wall over
    the radius, and of half a period over the radius; below 1 discs overlap. The gap is the least
    |X_i - X_j| - R_i - R_j, in the unit of the lengths.
    """
    radii, box, widest = state.radii, state.box, 2.0 * float(state.radii.max())
    period = float(state.periodic.periods(box).min())
    factor, gap = period / widest, period - widest
    for _, _, _, distances in walls(state):
        factor, gap = min(factor, float((distances / radii).min())), min(gap, float((distances - radii).min()))
    growth = 1.05
    while True:  # pairs out of reach are farther apart than `growth` says
        first, second, vectors = near_pairs(state, cutoff=0.0, growth=growth, step=0.0)
        if len(first) or growth * 2.0 * float(radii.max()) > 2.0 * float(np.linalg.norm(box)):
            break
        growth *= 2.0
    if len(first):
        distance = np.linalg.norm(vectors, axis=1)
        reach = radii[first] + radii[second]
        factor, gap = min(factor, float((distance / reach).min())), min(gap, float((distance - reach).min()))
    return factor, gap


def _cells(state: DenseState, reach: float) -> tuple[NDArray[np.int64], Ints, Ints, NDArray[np.int64]]:
    """Cells along each axis (d,), discs sorted by cell (N,), first of each cell (n + 1,), cell of each disc (N, d)."""
    positions, box = state.positions, state.box
    count, dimensions = positions.shape
    most = max(1.0, (_CELLS_PER_DISC * count) ** (1.0 / dimensions))
    shape = np.maximum(1, np.minimum(box / reach, most)).astype(np.int64)
    # a centre beyond a wall belongs to the last cell before it
    cells = np.maximum(np.minimum((positions / box * shape).astype(np.int64), shape - 1), 0)
    flat = np.zeros(count, np.int64)
    for axis in range(dimensions):
        flat = flat * shape[axis] + cells[:, axis]
    order = np.argsort(flat, kind="stable").astype(np.int32)
    start = np.searchsorted(flat[order], np.arange(int(shape.prod()) + 1)).astype(np.int32)
    return shape, order, start, cells


@kernel
def _list_pairs(
    positions: Floats,
    radii: Floats,
    box: Floats,
    periodic: int,
    ahead: float,
    cutoff: float,
    growth: float,
    step: float,
    with_own: bool,
    usual: float,
    shape: NDArray[np.int64],
    layers: NDArray[np.int64],
    order: Ints,
    start: Ints,
    cells: NDArray[np.int64],
    begin: int,
    end: int,
    first: Ints,
    second: Ints,
    vectors: Floats,
) -> tuple[int, int]:
    """Fill the last three arrays, as far as they go, with the pairs that the discs in the places `begin` to `end` of
    `order` find; return how many pairs there are, and how many were looked at.

    usual : the radius that cells are made for. Of two discs up to that radius the one with the smaller number finds the
    other, within `layers` of cells; in a pair with a larger disc that one finds the other, as far as it reaches itself.
    with_own : a disc finds its own images too, of two on opposite sides the one that comes first along the axes.
    ahead : how far the images above are ahead along x.
    """
    dimensions = positions.shape[1]
    found = looked = 0
    around = layers.copy()
    offset = np.empty(dimensions, np.int64)
    image = np.empty(dimensions)
    difference = np.empty(dimensions)
    for place in range(begin, end):
        i = order[place]
        wide = radii[i] > usual
        own = max(cutoff, growth * 2.0 * radii[i] + 2.0 * step * np.sqrt(dimensions)) * SLACK
        boxes = 1
        for axis in range(dimensions):
            around[axis] = int(np.ceil(own / (box[axis] / shape[axis]))) if wide else layers[axis]
            boxes *= 2 * around[axis] + 1
        for number in range(boxes):
            rest, cell, inside, first_turns = number, 0, True, 0
            row = cells[i, 1] + number // (2 * around[0] + 1) % (2 * around[1] + 1) - around[1]
            image_x = row // shape[1] * ahead
            column = cells[i, 0]
            if image_x != 0.0:  # seen from the images of that row disc i is elsewhere
                column = int(np.floor((positions[i, 0] - image_x) / box[0] * shape[0]))
            for axis in range(dimensions):
                width = 2 * around[axis] + 1
                offset[axis] = (column if axis == 0 else cells[i, axis]) + rest % width - around[axis]
                rest //= width
                turns = offset[axis] // shape[axis]
                if turns != 0 and not wraps(periodic, axis):
                    inside = False
                if first_turns == 0:
                    first_turns = turns
                image[axis] = turns * box[axis]
                cell = cell * shape[axis] + offset[axis] - turns * shape[axis]
            image[0] += image_x
            if not inside:
                continue
            looked += start[cell + 1] - start[cell]
            for other in range(start[cell], start[cell + 1]):
                j = order[other]
                if j == i:
                    if first_turns <= 0 or not with_own:
                        continue
                elif not is_found_by(i, j, radii[i], radii[j]) if wide else (j < i or radii[j] > usual):
                    continue
                square = 0.0
                spread = 0.0
                for axis in range(dimensions):
                    d = positions[i, axis] - (positions[j, axis] + image[axis])
                    difference[axis] = d
                    square += d * d
                    spread += abs(d)
                distance = np.sqrt(square)
                # discs in one point have no direction, and are listed
                nearer = 2.0 * step * spread / distance if distance > 0.0 else 0.0
                if distance <= cutoff or distance - nearer < growth * (radii[i] + radii[j]):
                    if found < first.shape[0]:
                        first[found] = min(i, j)
                        second[found] = max(i, j)
                        for axis in range(dimensions):
                            vectors[found, axis] = difference[axis] if i <= j else -difference[axis]
                    found += 1
    return found, looked
