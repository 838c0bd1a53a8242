"""A grid in which clusters are entered with the boxes that they sweep, and from which they are removed one by one.

A cell is a cache line, a bucket with the numbers of its owners (clusters). Bucket k < number of cells is the first one
of cell k; if a cell needs more, free buckets are linked to it. `top`, a one-element int64 array, is the number of
buckets in use. Owners that cover many cells are *big*: they are kept in a list instead.

Each user has the numbers of its grid and the places of its owners in its own records, with other fields:

grid : columns, rows; cell_x, cell_y, the sides of a cell, and cell, the distance that takes an owner into other cells
(length); box_x, box_y, the sides of the box; periodic, what it ends in (`minimum_image.wraps`); stamps, searches so
far; bigs, owners in the list of big ones.
place : grid_x, grid_y, grid_columns, grid_rows, the first cell in which an owner is entered and how many, 0 for none;
big, its place in the list of big owners, -1 for a small one.

In space both have fields for the third axis too: layers, cell_z, box_z, grid_z, grid_layers.
"""

from __future__ import annotations

from math import floor, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.geometry.minimum_image import wraps
from engine.geometry.vectors import Vector, box_sides, component, largest, minus, product, smallest
from engine.kernels import inlined, inner, vector_field
from engine.records import Record, Records, record

CAPACITY = 14

BUCKET = record("i4 count next", f"{CAPACITY}i4 owners")
"""A bucket, one cache line.

count : number of owners in it; next : a further bucket of the same cell, -1 for none; owners : (CAPACITY,), the first
    `count` valid, in no order.
"""

_MOST_STAMPS = 2_000_000_000

cells_along, put_cells_along = vector_field("columns", "rows", "layers")
cell_sides, put_cell_sides = vector_field("cell_x", "cell_y", "cell_z")
first_cell, put_first_cell = vector_field("grid_x", "grid_y", "grid_z")
cells_taken, put_cells_taken = vector_field("grid_columns", "grid_rows", "grid_layers")


@inlined
def _wanted_cells(sides: Vector, count: int) -> Vector:
    """How many columns, rows and layers a box is divided into for `count` owners."""
    if len(sides) > 2:
        side = (product(sides) / count) ** (1.0 / 3.0)
        if side > smallest(sides):  # one layer of cells
            side = sqrt(product(sides) / smallest(sides) / count)
        # never more cells than owners, even in a flat or narrow box
        columns = max(1, min(count, int(sides[0] / side)))
        rows = max(1, min(count // columns, int(sides[1] / side)))
        return columns, rows, max(1, min(count // (columns * rows), int(sides[2] / side)))
    side = sqrt(sides[0] * sides[1] / count)
    return max(1, min(count, int(sides[0] / side))), max(1, min(count, int(sides[1] / side)))


@inlined
def _parts(sides: Vector, numbers: Vector) -> Vector:
    """Each side divided by a number."""
    if len(sides) > 2:
        return sides[0] / numbers[0], sides[1] / numbers[1], sides[2] / numbers[2]
    return sides[0] / numbers[0], sides[1] / numbers[1]


@inlined
def set_cells(grid: Record, count: int) -> None:
    """Choose the cells of a grid so that each holds one of `count` owners on average."""
    numbers = _wanted_cells(box_sides(grid), count)
    cell = _parts(box_sides(grid), numbers)
    put_cells_along(grid, numbers)
    put_cell_sides(grid, cell)
    # along an axis with a single cell there are no other cells
    grid.cell = inf
    for axis in range(len(numbers)):
        if component(numbers, axis) > 1.0:
            grid.cell = min(grid.cell, component(cell, axis))
    if product(numbers) == 1:
        grid.cell = largest(cell)


@inlined
def row_begin(numbers: Vector, gy: int, gz: int) -> int:
    """The number of the first cell of a row of a layer; both may be beyond the edges of a periodic box."""
    if len(numbers) > 2:
        return int((modulo(gz, numbers[2]) * numbers[1] + modulo(gy, numbers[1])) * numbers[0])
    return int(modulo(gy, numbers[1]) * numbers[0])


@inner
def bucket_clear(buckets: Records, top: NDArray[np.int64], cells: int) -> None:
    """Empty the grid and set its number of cells to `cells`. buckets : (K,) of BUCKET; top : (1,)."""
    for k in range(cells):
        buckets[k].count = 0
        buckets[k].next = -1
    top[0] = cells


@inlined
def bucket_insert(buckets: Records, top: NDArray[np.int64], cell: int, owner: int) -> None:
    """Enter `owner` in a cell; there must be a free bucket left. buckets : (K,) of BUCKET; top : (1,)."""
    bucket = buckets[cell]
    while bucket.count == CAPACITY:
        if bucket.next < 0:
            new = top[0]
            top[0] = new + 1
            buckets[new].count = 0
            buckets[new].next = -1
            bucket.next = new
        bucket = buckets[bucket.next]
    bucket.owners[bucket.count] = owner
    bucket.count += 1


@inlined
def bucket_remove(buckets: Records, cell: int, owner: int) -> None:
    """Remove `owner` from a cell that contains it once. buckets : (K,) of BUCKET."""
    k = cell
    while k >= 0:
        bucket = buckets[k]
        owners = bucket.owners
        for m in range(bucket.count):
            if owners[m] == owner:
                owners[m] = owners[bucket.count - 1]
                bucket.count -= 1
                return
        k = bucket.next


@inlined
def modulo(k: int, n: int) -> int:
    """k modulo n for -n <= k < 2 n and, slower, for any k."""
    if k < 0:
        k += n
    elif k >= n:
        k -= n
    if k < 0 or k >= n:
        k %= n
    return k


@inlined
def cells_covered(low: float, high: float, side: float, count: int, wraps: bool) -> tuple[int, int]:
    """The first of the `count` columns, or rows, that an interval covers, and their number, each counted once."""
    first = floor(low / side)
    last = floor(high / side)
    if not wraps:
        first = min(max(first, 0), count - 1)
        last = min(max(last, 0), count - 1)
    return first, min(last - first + 1, count)


@inlined
def _covered(low: Vector, high: Vector, cell: Vector, numbers: Vector, periodic: int) -> tuple[Vector, Vector]:
    """`cells_covered` along each axis."""
    x, columns = cells_covered(low[0], high[0], cell[0], numbers[0], wraps(periodic, 0))
    y, rows = cells_covered(low[1], high[1], cell[1], numbers[1], wraps(periodic, 1))
    if len(low) > 2:
        z, layers = cells_covered(low[2], high[2], cell[2], numbers[2], wraps(periodic, 2))
        return (x, y, z), (columns, rows, layers)
    return (x, y), (columns, rows)


@inlined
def cell_range(grid: Record, low: Vector, high: Vector) -> tuple[Vector, Vector]:
    """The first column, row and layer of the cells that a box covers, and how many of each; no cell twice."""
    return _covered(low, high, cell_sides(grid), cells_along(grid), grid.periodic)


@inlined
def choose_cells(grid: Record, place: Record, most: int, low: Vector, high: Vector) -> bool:
    """Store in `place` the cells that a box covers. Returns False, and does nothing, if there are more than `most`."""
    first, taken = cell_range(grid, low, high)
    if product(taken) > most:
        return False
    put_first_cell(place, first)
    put_cells_taken(place, taken)
    return True


@inlined
def rows_of(first: Vector, taken: Vector) -> tuple[int, int, int, int]:
    """The rows and layers of a block of cells, for two loops: first row and the one after the last, then the same of
    layers, of which there is one in the plane."""
    if len(first) > 2:
        return first[1], first[1] + taken[1], first[2], first[2] + taken[2]
    return first[1], first[1] + taken[1], 0, 1


@inlined
def fill_cells(buckets: Records, top: NDArray[np.int64], grid: Record, place: Record, owner: int) -> None:
    """Enter `owner` in the cells stored in its place. buckets : (K,) of BUCKET; top : (1,)."""
    numbers = cells_along(grid)
    first, taken = first_cell(place), cells_taken(place)
    y, y_end, z, z_end = rows_of(first, taken)
    for gz in range(z, z_end):
        for gy in range(y, y_end):
            row = row_begin(numbers, gy, gz)
            for gx in range(first[0], first[0] + taken[0]):
                bucket_insert(buckets, top, row + modulo(gx, numbers[0]), owner)


@inlined
def leave_cells(buckets: Records, grid: Record, place: Record, owner: int) -> None:
    """Remove `owner` from the cells in which it is entered. buckets : (K,) of BUCKET."""
    numbers = cells_along(grid)
    first, taken = first_cell(place), cells_taken(place)
    put_cells_taken(place, minus(taken, taken))
    y, y_end, z, z_end = rows_of(first, taken)
    for gz in range(z, z_end):
        for gy in range(y, y_end):
            row = row_begin(numbers, gy, gz)
            for gx in range(first[0], first[0] + taken[0]):
                bucket_remove(buckets, row + modulo(gx, numbers[0]), owner)


@inlined
def new_stamp(grid: Record, stamp: NDArray[np.int32]) -> int:
    """A number for a search that no element of `stamp`, (n,), one for each owner, has."""
    if grid.stamps >= _MOST_STAMPS:
        stamp[:] = 0
        grid.stamps = 0
    grid.stamps += 1
    return int(grid.stamps)


@inlined
def collect_cell(
    buckets: Records, stamp: NDArray[np.int32], found: NDArray[np.int32], cell: int, number: int, count: int
) -> int:
    """Add the owners of a cell without the stamp `number` to `found`; returns how many are found now.

    buckets : (K,) of BUCKET; stamp, found : (n,), for as many as there are owners; count : how many were found before.
    """
    k = cell
    while k >= 0:
        bucket = buckets[k]
        owners = bucket.owners
        for m in range(bucket.count):
            e = owners[m]
            if stamp[e] != number:
                stamp[e] = number
                found[count] = e
                count += 1
        k = bucket.next
    return count


@inlined
def collect_cells(
    buckets: Records,
    grid: Record,
    stamp: NDArray[np.int32],
    found: NDArray[np.int32],
    number: int,
    first: Vector,
    taken: Vector,
) -> int:
    """Collect the owners in a block of cells in `found`, each once; returns their number.

    buckets : (K,) of BUCKET; stamp : (n,), by owner, the last search that found it; found : (n,), gets the owners;
        number : `new_stamp`. Owners that already have this stamp are left out.
    """
    numbers = cells_along(grid)
    y, y_end, z, z_end = rows_of(first, taken)
    count = 0
    for gz in range(z, z_end):
        for gy in range(y, y_end):
            row = row_begin(numbers, gy, gz)
            for gx in range(first[0], first[0] + taken[0]):
                count = collect_cell(buckets, stamp, found, row + modulo(gx, numbers[0]), number, count)
    return count


@inlined
def add_big(bigs: NDArray[np.int32], grid: Record, place: Record, owner: int) -> None:
    """Append `owner` to the list of big ones, (n,)."""
    place.big = grid.bigs
    bigs[grid.bigs] = owner
    grid.bigs += 1


@inlined
def remove_big(bigs: NDArray[np.int32], grid: Record, places: Records, owner: int) -> None:
    """Remove `owner` from the list of big ones, (n,), if it is in it. places : (n,), by owner."""
    at = places[owner].big
    if at < 0:
        return
    last = grid.bigs - 1
    moved = bigs[last]
    bigs[at] = moved
    places[moved].big = at
    grid.bigs = last
    places[owner].big = -1
