"""Box counting N(eps) and the fractal dimension (4.15), with the paper's mesh and by minimum cover.

The paper's mesh is fixed to the box, so N(eps) and the dimension depend on where the aggregate lies in it. The *minimum
cover* does not: it uses boxes of sides L'/2, L'/4, …, where L' is the side of the square around the aggregate (of the
cube in space), and among meshes shifted by parts of eps takes the one with the fewest occupied boxes.

In space even a loose aggregate has centres in all of the few large boxes. Such *full* sizes have a slope of 3 whatever
the aggregate is like: the dimension is fitted to the others. In the plane it is fitted to all, as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from engine.analysis.state import plain_array
from engine.arrays import Floats, Longs
from engine.errors import InputError
from engine.geometry.morton import morton_keys
from engine.kernels import inner, kernel

_LEVELS = 10  # eps_m = L / 2^m, m = 1 … 10
_SHIFTS = 8  # shifts of the mesh along each axis for the minimum cover; fewer if there were too many cells
_FINEST = {2: 1 << 12, 3: 1 << 8}  # cells along an axis for the minimum cover, by the number of dimensions
_FIT_FROM = 3.0  # mean radii; below, each box contains one centre and N(eps) levels off
_BENT = 0.3  # difference of neighbouring slopes above which a curve is not a power law
_LEAST_RANGE = 7.9  # number of sizes needed for a scatter


class BoxCounting(TypedDict):
    """eps : (10,) float64, box sides L/2, L/4, …, L/1024; n : (10,) int64, boxes that contain a centre; full : (10,)
    bool, in space, whether these are all boxes that centres can reach."""

    eps: Floats
    n: Longs
    full: NotRequired[NDArray[np.bool_]]


@dataclass(frozen=True)
class FractalFit:
    """N(eps) = prefactor * eps^-dimension: least squares in log N over log eps, eps_min <= eps <= eps_max.

    scatter : the error that the slope would have if the points were independent. They are not: the spread over runs
        with other seeds may be much smaller or larger.
    slopes : the dimensions between each two neighbouring sizes of the fit, from the largest size on.
    bends : the sizes at which these differ by more than 0.3 on the two sides: there is no single dimension.
    """

    dimension: float
    prefactor: float
    eps_min: float
    eps_max: float
    scatter: float
    slopes: tuple[float, ...]
    bends: tuple[float, ...] = ()


def box_counting(positions: Floats, box: Floats) -> BoxCounting:
    """N(eps_m): boxes (cubes in space) of side eps_m = L / 2^m, m = 1 … 10, that contain at least one centre. Exact,
    O(N), in space O(N log N).

    The mesh starts at the lower left corner of the box; L is the longest side of a box that is not square. A
    centre on the upper or right edge belongs to the last box inside.

    positions : (N, d), inside the box; box : (d,), side lengths, > 0, d = 2 or 3. Anything else raises InputError.
    """
    box = plain_array(box, "box", (3 if np.shape(box) == (3,) else 2,))
    positions = plain_array(positions, "positions", (-1, len(box)))
    if not (box > 0.0).all():
        raise InputError("box sides must be positive", "box")
    return count_boxes(positions, box)


def count_boxes(positions: Floats, box: Floats, margin: Floats | float = 0.0) -> BoxCounting:
    """`box_counting` of checked arrays, positions (N, d) and box (d,). margin : how near centres come to the edges,
    (d,) or the same along all axes, which decides what is full."""
    side = float(box.max())
    finest = 2**_LEVELS
    # boxes along each axis that overlap the box: fewer along the shorter sides
    last = np.minimum(np.ceil(box / side * finest), finest) - 1.0
    n = np.empty(_LEVELS, np.int64)
    if len(box) > 2:
        _count_cubes(np.sort(_cubes(positions, side, last)), n)
    else:
        occupied = np.zeros((1, finest, finest), np.uint8)
        _mark(positions, side, last, occupied)
        _count_levels(occupied, n)
    found: BoxCounting = {"eps": np.ldexp(side, -np.arange(1, _LEVELS + 1)), "n": n}
    if len(box) > 2:
        eps = found["eps"][:, None]
        within = np.ceil((box - margin) / eps) - np.floor(margin / eps)
        found["full"] = n >= within.prod(axis=1)
    return found


def minimum_cover(points: Floats, mean_radius: float) -> BoxCounting | None:
    """The smallest number of boxes that cover all centres, for sides L'/2^m from L'/2 down to 3 R.

    L' is the side of the square or cube around the discs. The smallest number is taken over meshes shifted along each
    axis by 0, 1/8, … 7/8 of a side (quarters at m = 10; in space quarters at m = 6, halves at m = 7, one mesh from 8
    on, which ends at m = 8). O(N) plus, for large aggregates, the cells of the finest mesh.

    points : (N, d), centres, checked. mean_radius : R. None if the aggregate is smaller than 6 R.
    """
    low = points.min(axis=0) - mean_radius
    side = float((points.max(axis=0) + mean_radius - low).max())
    eps = np.ldexp(side, -np.arange(1, _LEVELS + 1))
    eps = eps[eps >= _FIT_FROM * mean_radius * (1.0 - 1e-12)]
    if not len(eps):
        return None
    dimensions = points.shape[1]
    most = _FINEST[dimensions]
    eps = eps[: most.bit_length() - 1]
    n = np.empty(len(eps), np.int64)
    finest = min(_SHIFTS << len(eps), most)
    cells = np.zeros((finest if dimensions > 2 else 1, finest, finest), np.uint8)
    _mark(np.ascontiguousarray(points - low), side, np.full(dimensions, finest - 1.0), cells)
    for level in range(len(eps), 0, -1):
        shifts = min(_SHIFTS, most >> level)
        while cells.shape[1] > shifts << level:
            cells = _coarser(cells)
        n[level - 1] = _least_boxes(cells, shifts)
    return {"eps": eps, "n": n}


def depends_on_mesh(fit: FractalFit | None, cover: FractalFit | None) -> bool | None:
    """Whether the dimension by minimum cover differs from that of the paper's mesh by more than the scatter of both.

    None if one of them is not known, or comes from fewer than four sizes, which give no scatter.
    """
    if fit is None or cover is None or min(fit.eps_max / fit.eps_min, cover.eps_max / cover.eps_min) < _LEAST_RANGE:
        return None
    return abs(cover.dimension - fit.dimension) > float(np.hypot(fit.scatter, cover.scatter)) + 1e-9


def fit_dimension(counted: BoxCounting, mean_radius: float) -> FractalFit | None:
    """D_f: minus the slope of log N over log eps for 3 R <= eps <= L/2, R the mean radius (4.15).

    In space sizes of which all boxes are full are left out. None if fewer than two box sides remain.
    """
    used = counted["eps"] >= _FIT_FROM * mean_radius * (1.0 - 1e-12)
    if "full" in counted:
        used &= ~counted["full"]
    if used.sum() < 2:
        return None
    eps = counted["eps"][used]
    x, y = np.log(eps), np.log(counted["n"][used])
    dx = x - x.mean()
    slope = float(dx @ (y - y.mean()) / (dx @ dx))
    prefactor = float(np.exp(y.mean() - slope * x.mean()))
    apart = y - y.mean() - slope * dx
    scatter = float(np.sqrt(apart @ apart / max(len(x) - 2, 1) / (dx @ dx)))
    slopes, bends = local_slopes(eps, counted["n"][used])
    # 0.0 - slope: no minus zero if N does not change
    return FractalFit(
        0.0 - slope,
        prefactor,
        float(eps.min()),
        float(eps.max()),
        scatter,
        tuple(slopes.tolist()),
        tuple(bends.tolist()),
    )


def local_slopes(eps: Floats, n: Floats | Longs) -> tuple[Floats, Floats]:
    """The dimensions between neighbouring sizes, (K - 1,), and the sizes at which those on both sides differ by more
    than 0.3. eps, n : (K,), sizes of boxes in order, and how many are occupied."""
    slopes = 0.0 - np.diff(np.log(n)) / np.diff(np.log(eps))
    return slopes, eps[1:-1][np.abs(np.diff(slopes)) > _BENT]


@kernel
def _mark(positions: Floats, side: float, last: Floats, occupied: NDArray[np.uint8]) -> None:
    """Set the entry of each centre on the finest mesh, [layer, row, column]; in the plane there is one layer.

    last : (d,), the last cells along each axis.
    """
    finest = occupied.shape[1]
    layer = 0.0
    for i in range(len(positions)):
        # Scaling by a power of two is exact: a coarser box is the same number shifted right.
        column = min(max(positions[i, 0] / side * finest, 0.0), last[0])
        row = min(max(positions[i, 1] / side * finest, 0.0), last[1])
        if len(last) > 2:
            layer = min(max(positions[i, 2] / side * finest, 0.0), last[2])
        occupied[int(layer), int(row), int(column)] = 1


def _cubes(positions: Floats, side: float, last: Floats) -> NDArray[np.uint64]:
    """The cube of the finest mesh in which each centre lies, as a number with the bits of the three axes interleaved:
    a coarser cube is the same number shifted right by three bits."""
    finest = 1 << _LEVELS
    cubes = np.clip(positions / side * finest, 0.0, last).astype(np.int64)
    return morton_keys((cubes + 0.5) / finest, np.ones(3))


@kernel
def _count_cubes(cubes: NDArray[np.uint64], n: Longs) -> None:
    """n[m - 1] : occupied cubes of the mesh of 2^m. cubes : (N,), those of the finest mesh, sorted."""
    n[:] = 1
    for i in range(1, len(cubes)):
        differ = cubes[i] ^ cubes[i - 1]
        for level in range(len(n) - 1, -1, -1):
            if differ == np.uint64(0):
                break
            n[level] += 1
            differ >>= np.uint64(3)


@kernel
def _count_levels(occupied: NDArray[np.uint8], n: Longs) -> None:
    """n[m - 1] : occupied boxes of the mesh of 2^m by 2^m. occupied : the finest mesh, one layer."""
    cells = occupied
    for level in range(len(n) - 1, -1, -1):
        total = 0
        for row in range(cells.shape[1]):
            for column in range(cells.shape[1]):
                total += cells[0, row, column]
        n[level] = total
        cells = _coarser(cells)


@kernel
def _coarser(cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The mesh with half as many cells along each axis, occupied if any of their four or eight cells is."""
    size = cells.shape[1] // 2
    deep = 2 if len(cells) > 1 else 1
    found = np.zeros((len(cells) // deep, size, size), np.uint8)
    for layer in range(len(cells)):
        for row in range(size):
            for column in range(size):
                found[layer // deep, row, column] |= (
                    cells[layer, 2 * row, 2 * column]
                    | cells[layer, 2 * row, 2 * column + 1]
                    | cells[layer, 2 * row + 1, 2 * column]
                    | cells[layer, 2 * row + 1, 2 * column + 1]
                )
    return found


@inner
def _see_row(cells: NDArray[np.uint8], width: int, row: int, last_row: Longs) -> None:
    """Note in `last_row` for which last columns of a box this row of cells has a centre in it."""
    last_column = -width
    for column in range(len(last_row)):
        if column < len(cells) and cells[column]:
            last_column = column
        if column - last_column < width:
            last_row[column] = row


@inner
def _count_held(last: Longs, now: int, width: int, counts: Longs) -> None:
    """Count the boxes that have seen a centre in their last `width` rows, or layers; counts : (W,), by the last column
    modulo W. last : by last column, when they have seen one."""
    for column in range(len(last)):
        if now - last[column] < width:
            counts[column % len(counts)] += 1


@kernel
def _least_boxes(cells: NDArray[np.uint8], width: int) -> int:
    """The smallest number of occupied boxes of `width` cells along each axis over all meshes shifted by whole cells.

    A box that ends at a cell is occupied if an occupied cell lies in the last `width` layers, rows and columns.
    """
    size = cells.shape[1]
    deep = width if len(cells) > 1 else 1
    counts = np.zeros((deep, width, width), np.int64)
    # whether a box of the layer with this last row and column held a centre: by last column, the last row in which one
    # of its columns did
    last_row = np.empty(size + width - 1, np.int64)
    # by last row and column of a box: the last layer in which it held a centre; in the plane there is only one
    room = size + width - 1 if deep > 1 else 0
    last_layer = np.full((room, room), -deep, np.int64)
    for layer in range(len(cells) + deep - 1):
        last_row[:] = -width
        for row in range(size + width - 1):
            if layer < len(cells) and row < size:
                _see_row(cells[layer, row], width, row, last_row)
            ending = counts[layer % deep, row % width]
            if room == 0:
                _count_held(last_row, row, width, ending)
                continue
            for column in range(len(last_row)):
                if row - last_row[column] < width:
                    last_layer[row, column] = layer
            _count_held(last_layer[row], layer, deep, ending)
    return int(counts.min())
