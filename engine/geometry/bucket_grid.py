"""A grid in which clusters are entered with the boxes that they sweep, and from which they are removed one by one.

A cell is a cache line, a bucket with the numbers of its owners (clusters). Bucket k < number of cells is the first one
of cell k; if a cell needs more, free buckets are linked to it. `top`, a one-element int64 array, is the number of
buckets in use. Owners that cover many cells are *big*: they are kept in a list instead.

Each user has the numbers of its grid and the places of its owners in its own records, with other fields:

grid : columns, rows; cell_x, cell_y, the sides of a cell, and cell, the distance that takes an owner into other cells
(length); box_x, box_y, the sides of the box; periodic, 1 where it has no walls; stamps, searches so far; bigs, owners
in the list of big ones.
place : grid_x, grid_y, grid_columns, grid_rows, the first cell in which an owner is entered and how many, 0 for none;
big, its place in the list of big owners, -1 for a small one.
"""

from __future__ import annotations

from math import floor, inf, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined, inner
from engine.records import Record, Records, record

CAPACITY = 14

BUCKET = record("i4 count next", f"{CAPACITY}i4 owners")
"""A bucket, one cache line.

count : number of owners in it; next : a further bucket of the same cell, -1 for none; owners : (CAPACITY,), the first
    `count` valid, in no order.
"""

_MOST_STAMPS = 2_000_000_000


def lay_out_cells(grid: Record, count: int) -> None:
    """Choose the cells of a grid so that each holds one of `count` owners on average."""
    side = sqrt(grid.box_x * grid.box_y / count)
    # never more cells than owners, even in a narrow box with a single row
    columns = max(1, min(count, int(grid.box_x / side)))
    rows = max(1, min(count, int(grid.box_y / side)))
    grid.columns = columns
    grid.rows = rows
    grid.cell_x = grid.box_x / columns
    grid.cell_y = grid.box_y / rows
    # along an axis with a single cell there are no other cells
    grid.cell = min(grid.cell_x if columns > 1 else inf, grid.cell_y if rows > 1 else inf)
    if columns == 1 and rows == 1:
        grid.cell = max(grid.cell_x, grid.cell_y)


set_cells = inlined(lay_out_cells)


@inner
def bucket_clear(buckets: Records, top: NDArray[np.int64], cells: int) -> None:
    """Empty the grid and set its number of cells to `cells`."""
    for k in range(cells):
        buckets[k].count = 0
        buckets[k].next = -1
    top[0] = cells


@inlined
def bucket_insert(buckets: Records, top: NDArray[np.int64], cell: int, owner: int) -> None:
    """Enter `owner` in a cell; there must be a free bucket left."""
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
    """Remove `owner` from a cell that contains it once."""
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
def cells_covered(low: float, high: float, side: float, count: int, periodic: int) -> tuple[int, int]:
    """The first of the `count` columns, or rows, that an interval covers, and their number, each counted once."""
    first = floor(low / side)
    last = floor(high / side)
    if not periodic:
        first = min(max(first, 0), count - 1)
        last = min(max(last, 0), count - 1)
    return first, min(last - first + 1, count)


@inlined
def cell_range(grid: Record, x_min: float, y_min: float, x_max: float, y_max: float) -> tuple[int, int, int, int]:
    """First column and row, number of columns and rows of the cells that a box covers; no cell twice."""
    cx, columns = cells_covered(x_min, x_max, grid.cell_x, grid.columns, grid.periodic)
    cy, rows = cells_covered(y_min, y_max, grid.cell_y, grid.rows, grid.periodic)
    return cx, cy, columns, rows


@inlined
def choose_cells(
    grid: Record, place: Record, most: int, x_min: float, y_min: float, x_max: float, y_max: float
) -> bool:
    """Store in `place` the cells that a box covers. Returns False, and does nothing, if there are more than `most`."""
    cx, cy, columns, rows = cell_range(grid, x_min, y_min, x_max, y_max)
    if columns * rows > most:
        return False
    place.grid_x = cx
    place.grid_y = cy
    place.grid_columns = columns
    place.grid_rows = rows
    return True


@inlined
def fill_cells(buckets: Records, top: NDArray[np.int64], grid: Record, place: Record, owner: int) -> None:
    """Enter `owner` in the cells stored in its place."""
    nx = grid.columns
    ny = grid.rows
    cx = place.grid_x
    columns = place.grid_columns
    for gy in range(place.grid_y, place.grid_y + place.grid_rows):
        row = modulo(gy, ny) * nx
        for gx in range(cx, cx + columns):
            bucket_insert(buckets, top, row + modulo(gx, nx), owner)


@inlined
def leave_cells(buckets: Records, grid: Record, place: Record, owner: int) -> None:
    """Remove `owner` from the cells in which it is entered."""
    nx = grid.columns
    ny = grid.rows
    columns = place.grid_columns
    rows = place.grid_rows
    place.grid_columns = 0
    place.grid_rows = 0
    for gy in range(place.grid_y, place.grid_y + rows):
        row = modulo(gy, ny) * nx
        for gx in range(place.grid_x, place.grid_x + columns):
            bucket_remove(buckets, row + modulo(gx, nx), owner)


@inlined
def new_stamp(grid: Record, stamp: NDArray[np.int32]) -> int:
    """A number for a search that no element of `stamp` has."""
    if grid.stamps >= _MOST_STAMPS:
        stamp[:] = 0
        grid.stamps = 0
    grid.stamps += 1
    return int(grid.stamps)


@inlined
def collect_cell(
    buckets: Records, stamp: NDArray[np.int32], found: NDArray[np.int32], cell: int, number: int, count: int
) -> int:
    """Add the owners of a cell without the stamp `number` to `found`; returns the new number."""
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
    cx: int,
    cy: int,
    columns: int,
    rows: int,
) -> int:
    """Collect the owners in a block of cells in `found`, each once; returns their number.

    stamp : by owner, the last search that found it; number : `new_stamp`. Owners that already have this stamp are left
        out.
    """
    nx = grid.columns
    ny = grid.rows
    count = 0
    for gy in range(cy, cy + rows):
        row = modulo(gy, ny) * nx
        for gx in range(cx, cx + columns):
            count = collect_cell(buckets, stamp, found, row + modulo(gx, nx), number, count)
    return count


@inlined
def add_big(bigs: NDArray[np.int32], grid: Record, place: Record, owner: int) -> None:
    """Append `owner` to the list of big ones."""
    place.big = grid.bigs
    bigs[grid.bigs] = owner
    grid.bigs += 1


@inlined
def remove_big(bigs: NDArray[np.int32], grid: Record, places: Records, owner: int) -> None:
    """Remove `owner` from the list of big ones, if it is in it. places : by owner."""
    at = places[owner].big
    if at < 0:
        return
    last = grid.bigs - 1
    moved = bigs[last]
    bigs[at] = moved
    places[moved].big = at
    grid.bigs = last
    places[owner].big = -1
