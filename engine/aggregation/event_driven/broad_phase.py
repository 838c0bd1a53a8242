"""Which clusters may meet at all: a grid in which each stands with the box that it sweeps until its horizon."""

from __future__ import annotations

from math import sqrt

from engine.aggregation.event_driven.clusters import ClusterArrays
from engine.geometry.bucket_grid import bucket_clear, bucket_insert, bucket_remove, cells_covered, modulo
from engine.geometry.minimum_image import images
from engine.geometry.swept import box_entry, reciprocal
from engine.kernels import inlined, inner
from engine.records import Record

INF = float("inf")
NEVER = 1e300  # horizon where nothing moves: finite, so that what is swept until then is 0 and not 0 x inf


def lay_out_cells(sim: Record) -> None:
    """Find the cells of a grid of `grid_clusters`, one for each on average, and how long horizons are in it."""
    m = sim.grid_clusters
    side = sqrt(sim.box_x * sim.box_y / m)
    # never more than M cells, not even in a box so narrow that one row would need them
    nx = max(1, min(m, int(sim.box_x / side)))
    ny = max(1, min(m, int(sim.box_y / side)))
    sim.columns = nx
    sim.rows = ny
    sim.cell_x = sim.box_x / nx
    sim.cell_y = sim.box_y / ny
    # the distance that takes a cluster into other cells: along an axis with a single cell there are none
    sim.cell = min(sim.cell_x if nx > 1 else INF, sim.cell_y if ny > 1 else INF)
    if nx == 1 and ny == 1:
        sim.cell = max(sim.cell_x, sim.cell_y)
    sim.longest_horizon = NEVER
    if sim.typical_speed > 0.0:
        sim.longest_horizon = sim.patience * sim.cell / sim.typical_speed


set_cells = inlined(lay_out_cells)


@inner
def build_grid(st: ClusterArrays, now: float) -> None:
    """Empty the broad phase and begin a grid whose cells hold one cluster each on average.

    Every cluster is entered again by `register`, one after the other (`cursor`), so that a slice may end in between.
    """
    sim = st.sim[0]
    m = sim.clusters
    sim.grid_builds += 1
    sim.grid_clusters = m
    sim.grid_horizons = sim.horizon_events
    sim.free_watch = -1
    sim.used_watches = 0
    speed = 0.0
    radius = 0.0
    spread = 0.0
    first = st.clusters[st.live[0]]
    for k in range(m):
        c = st.live[k]
        cluster = st.clusters[c]
        speed += sqrt(cluster.vx * cluster.vx + cluster.vy * cluster.vy)
        spread += abs(cluster.vx - first.vx) + abs(cluster.vy - first.vy)
        radius += st.discs[c].radius
        cluster.watchers = -1
        cluster.grid_columns = 0
        cluster.grid_rows = 0
        st.stamp[c] = 0
        if cluster.big >= 0:
            cluster.big = -1
            cluster.trajectory += 1
    sim.bigs = 0
    sim.stamps = 0
    sim.typical_speed = speed / m
    # without walls, nothing will ever happen where all have one velocity
    sim.spread = spread if sim.periodic else INF
    sim.delta = 0.0
    if speed > 0.0:
        sim.delta = 1e-3 * (radius / m) / sim.typical_speed
    set_cells(sim)
    bucket_clear(st.buckets, st.bucket_top, sim.columns * sim.rows)
    sim.cursor = 0
    sim.time = now


@inlined
def collect_cell(st: ClusterArrays, cell: int, count: int, stamp: int) -> int:
    """Add the clusters of a cell that were not met before to `found`; returns how many there are then."""
    k = cell
    while k >= 0:
        bucket = st.buckets[k]
        owners = bucket.owners
        for m in range(bucket.count):
            e = owners[m]
            if st.stamp[e] != stamp:
                st.stamp[e] = stamp
                st.found[count] = e
                count += 1
        k = bucket.next
    return count


@inlined
def new_stamp(st: ClusterArrays, c: int) -> int:
    """A number for a search that leaves out `c`."""
    sim = st.sim[0]
    sim.stamps += 1
    st.stamp[c] = sim.stamps
    return int(sim.stamps)


@inlined
def cell_range(st: ClusterArrays, x_min: float, y_min: float, x_max: float, y_max: float) -> tuple[int, int, int, int]:
    """First column and row, number of columns and rows of the cells that a box covers; no cell twice."""
    sim = st.sim[0]
    cx, columns = cells_covered(x_min, x_max, sim.cell_x, sim.columns, sim.periodic)
    cy, rows = cells_covered(y_min, y_max, sim.cell_y, sim.rows, sim.periodic)
    return cx, cy, columns, rows


@inlined
def search_cells(st: ClusterArrays, c: int, cx: int, cy: int, columns: int, rows: int) -> int:
    """Collect in `found` the small clusters in a block of cells, c left out; returns how many there are."""
    sim = st.sim[0]
    nx = sim.columns
    ny = sim.rows
    stamp = new_stamp(st, c)
    count = 0
    for gy in range(cy, cy + rows):
        row = modulo(gy, ny) * nx
        for gx in range(cx, cx + columns):
            count = collect_cell(st, row + modulo(gx, nx), count, stamp)
    sim.work += 2 * count + columns * rows
    return count


@inner
def search(st: ClusterArrays, c: int, x_min: float, y_min: float, x_max: float, y_max: float) -> int:
    """`search_cells` in the cells that a box covers."""
    cx, cy, columns, rows = cell_range(st, x_min, y_min, x_max, y_max)
    return search_cells(st, c, cx, cy, columns, rows)


@inlined
def search_own_cells(st: ClusterArrays, c: int) -> int:
    """`search_cells` in the cells in which `c` is entered."""
    cluster = st.clusters[c]
    return search_cells(st, c, cluster.grid_x, cluster.grid_y, cluster.grid_columns, cluster.grid_rows)


@inlined
def enter_grid(st: ClusterArrays, c: int, x_min: float, y_min: float, x_max: float, y_max: float) -> int:
    """Enter `c` in the cells of a box and collect in `found` the clusters that are there; returns how many.

    -1, and nothing done, where the box covers so many cells that the cluster is to be a big one.
    """
    if not choose_cells(st, c, x_min, y_min, x_max, y_max):
        return -1
    count = search_own_cells(st, c)
    fill_cells(st, c)
    return count


@inlined
def choose_cells(st: ClusterArrays, c: int, x_min: float, y_min: float, x_max: float, y_max: float) -> bool:
    """Note for `c` the cells that a box covers. False, and nothing done, where it may not cover so many."""
    cluster = st.clusters[c]
    cx, cy, columns, rows = cell_range(st, x_min, y_min, x_max, y_max)
    if columns * rows > st.sim[0].big_cells:
        return False
    cluster.grid_x = cx
    cluster.grid_y = cy
    cluster.grid_columns = columns
    cluster.grid_rows = rows
    return True


@inlined
def fill_cells(st: ClusterArrays, c: int) -> None:
    """Enter `c` in the cells that are noted for it."""
    cluster = st.clusters[c]
    nx = st.sim[0].columns
    ny = st.sim[0].rows
    columns = cluster.grid_columns
    rows = cluster.grid_rows
    for gy in range(cluster.grid_y, cluster.grid_y + rows):
        row = modulo(gy, ny) * nx
        for gx in range(cluster.grid_x, cluster.grid_x + columns):
            bucket_insert(st.buckets, st.bucket_top, row + modulo(gx, nx), c)


@inlined
def leave_grid(st: ClusterArrays, c: int) -> None:
    """Take a cluster out of the cells in which it is entered."""
    cluster = st.clusters[c]
    nx = st.sim[0].columns
    ny = st.sim[0].rows
    columns = cluster.grid_columns
    rows = cluster.grid_rows
    cluster.grid_columns = 0
    cluster.grid_rows = 0
    for gy in range(cluster.grid_y, cluster.grid_y + rows):
        row = modulo(gy, ny) * nx
        for gx in range(cluster.grid_x, cluster.grid_x + columns):
            bucket_remove(st.buckets, row + modulo(gx, nx), c)


@inlined
def box_meeting(
    st: ClusterArrays, c: int, x: float, y: float, other: int, ux: float, uy: float, w: float, now: float, limit: float
) -> float:
    """When the boxes of two clusters may first overlap, in any image, from now on; inf if not within `limit`.

    (x, y) is the place of c now, (ux, uy) the velocity of `other` relative to it, give or take w.
    """
    own = st.clusters[c]
    them = st.clusters[other]
    sim = st.sim[0]
    dt = now - them.time
    dx = them.x + them.vx * dt - x
    dy = them.y + them.vy * dt - y
    if ux == 0.0 and uy == 0.0 and w == 0.0:
        return INF
    x_low = dx + them.outer_x_min - own.outer_x_max
    x_high = dx + them.outer_x_max - own.outer_x_min
    y_low = dy + them.outer_y_min - own.outer_y_max
    y_high = dy + them.outer_y_max - own.outer_y_min
    lx = sim.box_x
    ly = sim.box_y
    reach_x = (abs(ux) + w) * limit
    reach_y = (abs(uy) + w) * limit
    # of two points at 0 and between the differences of the edges
    kx0, kx1 = images(sim.periodic, 0.0, 0.0, x_low - reach_x, x_high + reach_x, lx)
    ky0, ky1 = images(sim.periodic, 0.0, 0.0, y_low - reach_y, y_high + reach_y, ly)
    qxl = ux - w
    qxh = ux + w
    qyl = uy - w
    qyh = uy + w
    ixl = reciprocal(qxl)
    ixh = reciprocal(qxh)
    iyl = reciprocal(qyl)
    iyh = reciprocal(qyh)
    best = INF
    for kx in range(kx0, kx1 + 1):
        for ky in range(ky0, ky1 + 1):
            enter, leave = box_entry(
                x_low + kx * lx, x_high + kx * lx, y_low + ky * ly, y_high + ky * ly,
                qxl, qxh, qyl, qyh, ixl, ixh, iyl, iyh,
            )  # fmt: skip
            if enter <= leave and enter < best:
                best = enter
    if best >= limit:
        return INF
    return best
