"""Which clusters may be near a place: a grid in which each stands with the box that it sweeps while others rely on it.

Clusters that cover many cells stand in a list instead, and every search goes through that as well. The event-driven
method has a grid of the same kind (`event_driven.broad_phase`), with what its own predictions need.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.geometry.bucket_grid import bucket_clear, bucket_insert, bucket_remove, cells_covered, modulo
from engine.kernels import inlined, inner

BIG_CELLS = 32
"""A cluster that covers more cells than this is big."""
PATIENCE = 8.0
"""Cells that a cluster of typical speed passes before its bound is renewed in any case."""


@inner
def clear_grid(st: Stepping, cal: Calendar) -> None:
    """Make an empty grid whose cells hold one cluster each on average."""
    control = cal.control[0]
    sim = st.sim[0]
    count = sim.clusters
    side = sqrt(sim.box_x * sim.box_y / count)
    # never more cells than clusters, not even in a box so narrow that one row would need them
    columns = max(1, min(count, int(sim.box_x / side)))
    rows = max(1, min(count // columns, int(sim.box_y / side)))
    control.clusters = count
    control.columns = columns
    control.rows = rows
    control.cell_x = sim.box_x / columns
    control.cell_y = sim.box_y / rows
    control.cell = min(control.cell_x, control.cell_y)
    control.bigs = 0
    control.stamps = 0
    bucket_clear(cal.buckets, cal.bucket_top, columns * rows)
    speed = 0.0
    for k in range(count):
        c = st.live[k]
        cluster = st.clusters[c]
        speed += sqrt(cluster.vx * cluster.vx + cluster.vy * cluster.vy)
        row = cal.row[c]
        cal.stamp[row] = 0
        cal.entries[row].big = -1
        cal.entries[row].grid_columns = 0
        cal.entries[row].grid_rows = 0
    control.longest = PATIENCE * control.cell * count / speed if speed > 0.0 else inf


@inlined
def cells_of(
    st: Stepping, cal: Calendar, x_min: float, y_min: float, x_max: float, y_max: float
) -> tuple[int, int, int, int]:
    """First column and row, number of columns and rows of the cells that a box covers; no cell twice."""
    grid = cal.control[0]
    cx, columns = cells_covered(x_min, x_max, grid.cell_x, grid.columns, st.sim[0].periodic)
    cy, rows = cells_covered(y_min, y_max, grid.cell_y, grid.rows, st.sim[0].periodic)
    return cx, cy, columns, rows


@inner
def leave_grid(st: Stepping, cal: Calendar, k: int) -> None:
    """Take the cluster of row k out of its cells, or out of the list of big ones."""
    entry = cal.entries[k]
    control = cal.control[0]
    if entry.big >= 0:
        control.bigs -= 1
        moved = cal.bigs[control.bigs]
        cal.bigs[entry.big] = moved
        cal.entries[moved].big = entry.big
        entry.big = -1
    nx = control.columns
    ny = control.rows
    for gy in range(entry.grid_y, entry.grid_y + entry.grid_rows):
        row = modulo(gy, ny) * nx
        for gx in range(entry.grid_x, entry.grid_x + entry.grid_columns):
            bucket_remove(cal.buckets, row + modulo(gx, nx), k)
    entry.grid_columns = 0
    entry.grid_rows = 0


@inner
def enter_grid(st: Stepping, cal: Calendar, k: int, x_min: float, y_min: float, x_max: float, y_max: float) -> None:
    """Let the cluster of row k stand in the cells that a box covers, or in the list of big ones where these are too
    many."""
    leave_grid(st, cal, k)
    entry = cal.entries[k]
    control = cal.control[0]
    cx, cy, columns, rows = cells_of(st, cal, x_min, y_min, x_max, y_max)
    if columns * rows > BIG_CELLS:
        entry.big = control.bigs
        cal.bigs[control.bigs] = k
        control.bigs += 1
        return
    entry.grid_x = cx
    entry.grid_y = cy
    entry.grid_columns = columns
    entry.grid_rows = rows
    nx = control.columns
    ny = control.rows
    for gy in range(cy, cy + rows):
        row = modulo(gy, ny) * nx
        for gx in range(cx, cx + columns):
            bucket_insert(cal.buckets, cal.bucket_top, row + modulo(gx, nx), k)
    st.sim[0].work += columns * rows


@inner
def search_grid(st: Stepping, cal: Calendar, x_min: float, y_min: float, x_max: float, y_max: float) -> int:
    """Collect in `found` the rows of clusters that may be in a box, big ones included; returns how many there are."""
    control = cal.control[0]
    cx, cy, columns, rows = cells_of(st, cal, x_min, y_min, x_max, y_max)
    if control.stamps > 2_000_000_000:
        cal.stamp[:] = 0
        control.stamps = 0
    control.stamps += 1
    stamp = control.stamps
    nx = control.columns
    ny = control.rows
    count = 0
    for gy in range(cy, cy + rows):
        row = modulo(gy, ny) * nx
        for gx in range(cx, cx + columns):
            k = row + modulo(gx, nx)
            while k >= 0:
                bucket = cal.buckets[k]
                owners = bucket.owners
                for m in range(bucket.count):
                    e = owners[m]
                    if cal.stamp[e] != stamp:
                        cal.stamp[e] = stamp
                        cal.found[count] = e
                        count += 1
                k = bucket.next
    for m in range(control.bigs):
        cal.found[count] = cal.bigs[m]
        count += 1
    st.sim[0].work += 2 * count + columns * rows
    return count
