"""Voronoi cells of discs, from these the hexatic order around each, and the quick bond order q₆ of spheres.

Every point of the box belongs to the disc to which its tangent is shortest (the radical or Laguerre tessellation of
Gellatly and Finney, J. Non-Cryst. Solids 50, 313 (1982)). For discs of equal size this is the ordinary Voronoi
tessellation; for any sizes each disc lies in its own cell, as long as discs do not overlap. Walls cut the cells; along
a periodic axis the cells continue at the opposite edge.

q₆ of the 12 nearest spheres says how much the directions to them are those of a crystal; `engine.analysis.bond_orders`
has those of Voronoi neighbours.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.analysis.state import DiscState, disc_state
from engine.arrays import Complexes, Floats, Ints, Longs
from engine.boundary import Periodic
from engine.errors import InputError
from engine.geometry.cells import CellGrid, cell_grid, usual_radius
from engine.geometry.nearest import nearest_image, places_around, tree_of, wrapped
from engine.kernels import inner, kernel

_ROOM = 64  # corners of a cell before its arrays are made longer
_TOUCHED = 1e-12  # relative squared distance: lines that cut off less of a cell are ignored
_CELL = 1.0  # width of a cell of the grid, over the square root of the area for each disc


class Tessellation(NamedTuple):
    """The cells of N discs.

    Attributes
    ----------
    area : (N,), of each cell; 0 for a disc without a cell because others cover it. Discs with the same centre share a
        cell, and each has its area.
    order : (N,) complex, hexatic order ψ₆, see `hexatic_order`.
    pairs : (K, 2), the discs on both sides of each edge, the smaller number first; the second is -1 for a wall. Equal
        numbers: a disc and its own image.
    segments : (K, 2, 2), the ends of each edge. In a periodic box an edge may lie outside.
    """

    area: Floats
    order: Complexes
    pairs: Ints
    segments: Floats


def voronoi(
    positions: Floats, radii: Floats, box: Floats, *, periodic: Periodic | bool, edges: bool = True
) -> Tessellation:
    """Tessellate a box, about O(N).

    Parameters
    ----------
    positions : (N, 2), centres inside the box.
    radii : (N,).
    box : (2,), sides of the box.
    periodic : along which axes; walls along the others cut the cells.
    edges : whether edges are listed; without them `pairs` and `segments` are empty.

    Raises
    ------
    InputError
        An array has the wrong shape, or holds values that are not finite or not positive.
    """
    state = disc_state(positions, radii, box, periodic=periodic)
    count = len(state.radii)
    width = _CELL * float(np.sqrt(state.box.prod() / count))
    # between walls discs may fill a small part of the box: the grid covers only their extent
    extent = np.where(state.periodic, state.box, np.ptp(state.positions, axis=0))
    width = min(width, float(np.sqrt(extent.prod() / count)) or width)
    width = max(width, usual_radius(state.radii))
    grid = cell_grid(state.positions, state.box, periodic=state.periodic, width=width)
    area, order = np.zeros(count), np.zeros(count, np.complex128)
    room = 4 * count + 64 if edges else 0
    while True:
        pairs, segments = np.empty((room, 2), np.int32), np.empty((room, 2, 2))
        found = _tessellate(
            grid, state.radii[grid.order], state.box, state.periodic.offset, area, order, pairs, segments
        )
        if not edges or found <= room:
            return Tessellation(area, order, pairs[:found], segments[:found])
        room = found


def hexatic_order(positions: Floats, radii: Floats, box: Floats, *, periodic: Periodic | bool) -> Complexes:
    """Hexatic order ψ₆ of each disc, (N,) complex: the mean of exp(6 i θ) over the directions θ to its neighbours.

    Neighbours are discs whose Voronoi cells share an edge, weighted by the length of the edge (Mickel et al., J. Chem.
    Phys. 138, 044501 (2013)), so that ψ₆ does not jump when an edge appears with length 0, as on a square lattice. |ψ₆|
    is 1 in a triangular lattice and 0 in a square one; arg ψ₆ / 6 is the direction of the lattice. Walls are not
    neighbours. 0 for a disc without neighbours. Parameters and errors are those of `voronoi`.
    """
    return voronoi(positions, radii, box, periodic=periodic, edges=False).order


@kernel
def _tessellate(
    grid: CellGrid,
    radii: Floats,
    box: Floats,
    ahead: float,
    area: Floats,
    order: Complexes,
    pairs: Ints,
    segments: Floats,
) -> int:
    """Fill `area` and `order` by disc, and list edges as far as they fit; returns their number.

    radii : (N,), by slot of the grid; ahead : `Periodic.offset`.
    """
    largest = 0.0
    for a in range(len(radii)):
        largest = max(largest, radii[a])
    found = 0
    corners = np.empty((_ROOM, 5))
    other = np.empty((_ROOM, 5))
    beside = np.empty(_ROOM, np.int64)
    other_beside = np.empty(_ROOM, np.int64)
    for row in range(grid.rows):
        for column in range(grid.columns):
            cell = row * grid.columns + column
            for a in range(grid.start[cell], grid.start[cell + 1]):
                n = _whole_box(grid, box, ahead, a, corners, beside)
                reach = 1
                searched = -1
                while n > 0:
                    farthest = 0.0
                    for k in range(n):
                        farthest = max(farthest, corners[k, 0] ** 2 + corners[k, 1] ** 2)
                    # no disc beyond can cut the cell: its radical line lies beyond the farthest corner
                    beyond = farthest + largest * largest - radii[a] * radii[a]
                    needed = np.sqrt(farthest) + np.sqrt(max(beyond, 0.0))
                    if searched >= 0 and _covered(grid, row, column, searched, needed):
                        break
                    first_row, last_row = row - reach, row + reach
                    if not grid.wraps_y:
                        first_row, last_row = max(first_row, 0), min(last_row, grid.rows - 1)
                    for r in range(first_row, last_row + 1):
                        # of rows that were searched before, only two pieces at the left and right are missing
                        inside = searched >= 0 and abs(r - row) <= searched
                        period_y = int(np.floor(r / grid.rows))
                        # seen from an image that is ahead, the disc is elsewhere along x
                        further = period_y * ahead
                        middle = column if further == 0.0 else int(np.floor((grid.x[a] - further) / grid.width))
                        for piece in range(2 if inside else 1):
                            left, right = middle - reach, middle + reach
                            if inside and piece == 0:
                                right = middle - searched - 1
                            elif inside:
                                left = middle + searched + 1
                            if not grid.wraps_x:
                                left, right = max(left, 0), min(right, grid.columns - 1)
                            base = (r - period_y * grid.rows) * grid.columns
                            at = left
                            while at <= right:
                                period_x = int(np.floor(at / grid.columns))
                                end = min(right, (period_x + 1) * grid.columns - 1)
                                shift = period_x * grid.columns
                                for b in range(grid.start[base + at - shift], grid.start[base + end - shift + 1]):
                                    dx = grid.x[b] + (period_x * box[0] + further) - grid.x[a]
                                    dy = grid.y[b] + period_y * box[1] - grid.y[a]
                                    squared = dx * dx + dy * dy
                                    if squared == 0.0 or squared > needed * needed or n == 0:
                                        continue
                                    half = 0.5 * (squared + radii[a] * radii[a] - radii[b] * radii[b])
                                    if not _cuts(corners, n, dx, dy, half, _TOUCHED * squared):
                                        continue
                                    if n + 2 > len(corners):
                                        corners, beside = _longer(corners, beside)
                                        other, other_beside = _longer(other, other_beside)
                                    n = _cut(corners, beside, n, dx, dy, half, b, other, other_beside)
                                    corners, other = other, corners
                                    beside, other_beside = other_beside, beside
                                at = end + 1
                    searched = reach
                    reach = reach + 1 if reach < 3 else reach + reach // 2
                found = _keep(grid, a, corners, beside, n, area, order, pairs, segments, found)
    return found


@inner
def _whole_box(grid: CellGrid, box: Floats, ahead: float, a: int, corners: Floats, beside: Longs) -> int:
    """Initialise the cell of slot `a` with the whole box: along each axis between the walls, or halfway to the periodic
    images of the disc, a parallelogram in a tilted box.

    A corner has x and y, measured from the disc, and of the edge that begins there the vector to the disc beyond it
    and its squared length. beside : the slot of that disc, -1 for a wall.
    """
    left, bottom, right, top = -grid.x[a], -grid.y[a], box[0] - grid.x[a], box[1] - grid.y[a]
    if grid.wraps_x:
        left, right = -0.5 * box[0], 0.5 * box[0]
    if grid.wraps_y:
        bottom, top = -0.5 * box[1], 0.5 * box[1]
    for k in range(4):
        corners[k, 0] = left if k == 0 or k == 3 else right
        corners[k, 1] = bottom if k < 2 else top
        corners[k, 2] = 0.0 if k == 0 or k == 2 else (box[0] if k == 1 else -box[0])
        if ahead != 0.0:
            way = ahead if k >= 2 else -ahead
            corners[k, 1] += (0.5 * ahead * ahead - way * corners[k, 0]) / (box[1] if k >= 2 else -box[1])
            corners[k, 2] += 0.0 if k % 2 == 1 else way
        corners[k, 3] = 0.0 if k == 1 or k == 3 else (box[1] if k == 2 else -box[1])
        corners[k, 4] = corners[k, 2] ** 2 + corners[k, 3] ** 2
        beside[k] = a if (grid.wraps_x if k % 2 == 1 else grid.wraps_y) else -1
    return 4


@inner
def _covered(grid: CellGrid, row: int, column: int, searched: int, needed: float) -> bool:
    """Whether all discs within `needed` have been processed, after this many cells in all directions."""
    wide = searched * grid.width >= needed
    high = searched * grid.height >= needed
    if not grid.wraps_x:
        wide = wide or (column - searched <= 0 and column + searched >= grid.columns - 1)
    if not grid.wraps_y:
        high = high or (row - searched <= 0 and row + searched >= grid.rows - 1)
    return wide and high


@inner
def _cuts(corners: Floats, n: int, dx: float, dy: float, half: float, tolerance: float) -> bool:
    """Whether a corner lies beyond the line of the points r with r · (dx, dy) = half."""
    for k in range(n):  # noqa: SIM110 - kernels have no generators
        if corners[k, 0] * dx + corners[k, 1] * dy - half > tolerance:
            return True
    return False


@inner
def _cut(
    corners: Floats,
    beside: Longs,
    n: int,
    dx: float,
    dy: float,
    half: float,
    neighbour: int,
    out: Floats,
    out_beside: Longs,
) -> int:
    """Write the part of a cell on this side of that line, which becomes its edge to `neighbour`; returns the number of
    corners."""
    kept = 0
    for k in range(n):
        after = k + 1 if k + 1 < n else 0
        x, y = corners[k, 0], corners[k, 1]
        here = x * dx + y * dy - half
        there = corners[after, 0] * dx + corners[after, 1] * dy - half
        if here <= 0.0:
            for part in range(5):
                out[kept, part] = corners[k, part]
            out_beside[kept] = beside[k]
            kept += 1
        if (here <= 0.0) != (there <= 0.0):
            share = here / (here - there)
            out[kept, 0] = x + share * (corners[after, 0] - x)
            out[kept, 1] = y + share * (corners[after, 1] - y)
            if here <= 0.0:
                out[kept, 2] = dx
                out[kept, 3] = dy
                out[kept, 4] = dx * dx + dy * dy
                out_beside[kept] = neighbour
            else:
                for part in range(2, 5):
                    out[kept, part] = corners[k, part]
                out_beside[kept] = beside[k]
            kept += 1
    return kept


@inner
def _longer(corners: Floats, beside: Longs) -> tuple[Floats, Longs]:
    """Copies of two arrays, with room for twice as many rows."""
    more, more_beside = np.empty((2 * len(corners), 5)), np.empty(2 * len(beside), np.int64)
    more[: len(corners)] = corners
    more_beside[: len(beside)] = beside
    return more, more_beside


@inner
def _keep(
    grid: CellGrid,
    a: int,
    corners: Floats,
    beside: Longs,
    n: int,
    area: Floats,
    order: Complexes,
    pairs: Ints,
    segments: Floats,
    found: int,
) -> int:
    """Store area and order of a finished cell, and those of its edges that no other cell lists."""
    i = grid.order[a]
    twice, total, real, imaginary = 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        after = k + 1 if k + 1 < n else 0
        x, y, to_x, to_y = corners[k, 0], corners[k, 1], corners[after, 0], corners[after, 1]
        twice += x * to_y - to_x * y
        length = np.sqrt((to_x - x) ** 2 + (to_y - y) ** 2)
        j = -1
        if beside[k] >= 0:
            # exp(6 i θ) by powers of exp(i θ)
            dx, dy = corners[k, 2], corners[k, 3]
            per = 1.0 / np.sqrt(corners[k, 4])
            c, s = dx * per, dy * per
            c, s = c * (c * c - 3.0 * s * s), s * (3.0 * c * c - s * s)
            total += length
            real += length * (c * c - s * s)
            imaginary += length * 2.0 * c * s
            j = grid.order[beside[k]]
            if j < i or (j == i and (dx < 0.0 or (dx == 0.0 and dy < 0.0))):
                continue
        if length == 0.0:
            continue
        if found < len(pairs):
            pairs[found, 0] = i
            pairs[found, 1] = j
            segments[found, 0, 0] = grid.x[a] + x
            segments[found, 0, 1] = grid.y[a] + y
            segments[found, 1, 0] = grid.x[a] + to_x
            segments[found, 1, 1] = grid.y[a] + to_y
        found += 1
    area[i] = 0.5 * twice
    order[i] = complex(real / total, imaginary / total) if total > 0.0 else 0.0
    return found


_NEAREST = 12  # spheres; so many touch one in both closest packings
_BLOCK = 4096  # spheres at a time, whose 144 pairs of directions each take 5 MB


def bond_order(positions: Floats, radii: Floats, box: Floats, *, periodic: Periodic | bool) -> Floats:
    """Bond order q₆ of each sphere, (N,), from 0 to 1 (Steinhardt, Nelson and Ronchetti, Phys. Rev. B 28, 784 (1983)).

    With the directions u to the 12 nearest spheres, q₆² is the mean of P₆(u_j · u_k) over all j and k, where P₆ is a
    Legendre polynomial. By the addition theorem this is 4 π / 13 Σ_m |⟨Y_6m⟩|². It is 0.575 in a face-centred
    cubic crystal, 0.485 in a hexagonal close-packed one, about 0.3 for directions at random. Walls are not neighbours;
    along periodic axes the nearest ones are images of any spheres, of the same ones too. 0 for a sphere alone between
    walls.

    Parameters
    ----------
    positions : (N, 3), centres inside the box.
    radii : (N,).
    box : (3,), sides of the box.
    periodic : along which axes the box is periodic.

    Raises
    ------
    InputError
        An array has the wrong shape, or holds values that are not finite or not positive.
    """
    state = disc_state(positions, radii, box, periodic=periodic)
    if state.dimensions != 3:
        raise InputError("the bond order q6 is of spheres: box must have three sides", "box")
    count = len(state.radii)
    if count == 1 and not state.periodic.any:
        return np.zeros(1)
    found = np.empty(count)
    tilted = state.periodic.offset != 0.0
    if tilted:
        tree = tree_of(wrapped(state.positions, state.box, state.periodic), state.box, periodic=False)
    else:
        tree = tree_of(state.positions, state.box, state.periodic)
    of_images = tilted or (state.periodic.any and count <= _NEAREST)
    if of_images:
        tree = _tree_of_images(tree, state)
    for first in range(0, count, _BLOCK):
        of = np.arange(first, min(first + _BLOCK, count))
        far, near = tree.query(tree.data[of], k=min(_NEAREST + 1, tree.n))
        if not of_images and not _are_nearest(far, state):
            tree, of_images = _tree_of_images(tree, state), True
            _, near = tree.query(tree.data[of], k=_NEAREST + 1)
        # the sphere itself comes first, except where others have the same centre
        itself = near == of[:, None]
        itself[~itself.any(axis=1), -1] = True
        near = near[~itself].reshape(len(of), -1)
        if of_images:
            apart = tree.data[near] - tree.data[of, None]
        else:
            apart = nearest_image(state.positions[near] - state.positions[of, None], state.box, state.periodic)
        length = np.linalg.norm(apart, axis=2, keepdims=True)
        toward = np.divide(apart, length, out=np.zeros_like(apart), where=length > 0.0)
        square = np.square(toward @ toward.transpose(0, 2, 1))
        legendre = (((231.0 * square - 315.0) * square + 105.0) * square - 5.0) / 16.0
        found[of] = np.sqrt(np.maximum(legendre.mean(axis=(1, 2)), 0.0))
    return found


def _are_nearest(far: Floats, state: DiscState) -> bool:
    """Whether the spheres found at these distances (n, k) across the edges are the 12 nearest of all images: any other
    image than the nearest one of a sphere is at least half a period away."""
    return float(far[:, -1].max()) <= 0.5 * float(state.periodic.periods(state.box).min())


def _tree_of_images(tree: Any, state: DiscState) -> Any:
    """A tree of the spheres of a periodic one, in their order, and all images that may be among 12 nearest ones."""
    reach = _NEAREST // 2 * float(state.periodic.periods(state.box).min())  # so many own images lie on either side
    if tree.n > _NEAREST:
        reach = min(reach, float(tree.query(tree.data, k=[_NEAREST + 1])[0].max()))
    return tree_of(places_around(tree.data, state.box, reach, state.periodic), state.box, periodic=False)
