"""The grid for finding clusters near a place, in which each is entered with the box that it sweeps.

Every search finds the big clusters too (`geometry.bucket_grid`).
"""

from __future__ import annotations

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.geometry.bucket_grid import (
    add_big,
    cell_range,
    cells_taken,
    choose_cells,
    collect_cells,
    fill_cells,
    leave_cells,
    new_stamp,
    remove_big,
)
from engine.geometry.vectors import Vector, product
from engine.kernels import inlined, inner

BIG_CELLS, SPACE_BIG_CELLS = 32, 96
"""A cluster that covers more cells than this, in the plane and in space, is big."""


@inlined
def most_cells(like: Vector) -> int:
    """The most cells that a small cluster covers; the number of components of `like` says in which dimension."""
    return SPACE_BIG_CELLS if len(like) > 2 else BIG_CELLS


@inner
def leave_grid(cal: Calendar, k: int) -> None:
    """Remove the cluster of row k from its cells, or from the list of big ones."""
    grid = cal.control[0]
    remove_big(cal.bigs, grid, cal.entries, k)
    leave_cells(cal.buckets, grid, cal.entries[k], k)


@inner
def enter_grid(st: Stepping, cal: Calendar, k: int, low: Vector, high: Vector) -> None:
    """Enter the cluster of row k in the cells that a box covers, or in the list of big ones if there are too many
    cells."""
    leave_grid(cal, k)
    entry = cal.entries[k]
    grid = cal.control[0]
    if not choose_cells(grid, entry, most_cells(low), low, high):
        add_big(cal.bigs, grid, entry, k)
        return
    fill_cells(cal.buckets, cal.bucket_top, grid, entry, k)
    st.sim[0].work += product(cells_taken(entry))


@inner
def search_grid(st: Stepping, cal: Calendar, low: Vector, high: Vector) -> int:
    """Collect in `found` the rows of clusters that may be in a box, big ones included; returns how many there are."""
    grid = cal.control[0]
    first, taken = cell_range(grid, low, high)
    number = new_stamp(grid, cal.stamp)
    count = collect_cells(cal.buckets, grid, cal.stamp, cal.found, number, first, taken)
    for m in range(grid.bigs):
        cal.found[count] = cal.bigs[m]
        count += 1
    st.sim[0].work += 2 * count + product(taken)
    return count
