"""Which clusters may meet at all: a grid in which each stands with the box that it sweeps until its horizon."""

from __future__ import annotations

from math import floor, sqrt

from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.clusters import Clusters
from engine.geometry.bucket_grid import (
    COUNT,
    FIRST,
    NEXT,
    bucket_clear,
    bucket_insert,
    bucket_remove,
)
from engine.geometry.swept import box_entry, reciprocal
from engine.kernels import inlined, inner

INF = float("inf")
NEVER = 1e300  # horizon where nothing moves: finite, so that what is swept until then is 0 and not 0 x inf


@inner
def lay_grid(st: Clusters, now: float) -> None:
    """Empty the broad phase and lay a grid whose cells hold one cluster each on average.

    Everybody is entered again by `register`, one after the other (CURSOR), so that a slice may end in between.
    """
    si = st.si
    sf = st.sf
    cf = st.cf
    ci = st.ci
    m = si[cl.M]
    si[cl.GRID_BUILDS] += 1
    si[cl.GRID_M] = m
    side = sqrt(sf[cl.LX] * sf[cl.LY] / m)
    # never more than M cells, not even in a box so narrow that one row would need them
    nx = max(1, min(m, int(sf[cl.LX] / side)))
    ny = max(1, min(m, int(sf[cl.LY] / side)))
    si[cl.NX] = nx
    si[cl.NY] = ny
    sf[cl.CELL_X] = sf[cl.LX] / nx
    sf[cl.CELL_Y] = sf[cl.LY] / ny
    # the way that takes a cluster into other cells: along an axis with a single cell there are none
    sf[cl.CELL] = min(sf[cl.CELL_X] if nx > 1 else INF, sf[cl.CELL_Y] if ny > 1 else INF)
    if nx == 1 and ny == 1:
        sf[cl.CELL] = max(sf[cl.CELL_X], sf[cl.CELL_Y])
    bucket_clear(st.bucket, st.bucket_top, nx * ny)
    si[cl.GRID_HORIZONS] = si[cl.HORIZON_EVENTS]
    si[cl.WATCH_FREE] = -1
    si[cl.WATCH_TOP] = 0
    speed = 0.0
    radius = 0.0
    apart = 0.0
    first = st.live[0]
    for k in range(m):
        c = st.live[k]
        speed += sqrt(cf[c, cl.VX] * cf[c, cl.VX] + cf[c, cl.VY] * cf[c, cl.VY])
        apart += abs(cf[c, cl.VX] - cf[first, cl.VX]) + abs(cf[c, cl.VY] - cf[first, cl.VY])
        radius += st.discs[c].radius
        ci[c, cl.WATCHERS] = -1
        ci[c, cl.GRID_SPAN] = 0
        st.stamp[c] = 0
        if ci[c, cl.BIG] >= 0:
            ci[c, cl.BIG] = -1
            ci[c, cl.TRAJ] += 1
    si[cl.BIGS] = 0
    si[cl.STAMPS] = 0
    sf[cl.V_TYPICAL] = speed / m
    # with one velocity for all and no walls nothing will ever happen
    sf[cl.APART] = apart if si[cl.PERIODIC] else INF
    sf[cl.H_CAP] = NEVER
    sf[cl.DELTA] = 0.0
    if speed > 0.0:
        sf[cl.H_CAP] = sf[cl.PATIENCE] * sf[cl.CELL] / sf[cl.V_TYPICAL]
        sf[cl.DELTA] = 1e-3 * (radius / m) / sf[cl.V_TYPICAL]
    si[cl.CURSOR] = 0
    sf[cl.NOW] = now


@inlined
def collect(st: Clusters, cell: int, c: int, count: int, stamp: int) -> int:
    """Add the clusters of a cell that were not met before to `found`; returns how many there are then."""
    bucket = st.bucket
    k = cell
    while k >= 0:
        for m in range(FIRST, FIRST + bucket[k, COUNT]):
            e = bucket[k, m]
            if st.stamp[e] != stamp:
                st.stamp[e] = stamp
                st.found[count] = e
                count += 1
        k = bucket[k, NEXT]
    return count


@inlined
def new_stamp(st: Clusters, c: int) -> int:
    """A number for a search that leaves out `c`."""
    st.si[cl.STAMPS] += 1
    st.stamp[c] = st.si[cl.STAMPS]
    return int(st.si[cl.STAMPS])


@inlined
def wrapped(k: int, n: int) -> int:
    """k modulo n for -n <= k < 2 n and, slower, for any k."""
    if k < 0:
        k += n
    elif k >= n:
        k -= n
    if k < 0 or k >= n:
        k %= n
    return k


@inlined
def cell_range(st: Clusters, x0: float, y0: float, x1: float, y1: float) -> tuple[int, int, int, int]:
    """First column and row, number of columns and rows of the cells that a box covers; no cell twice."""
    si = st.si
    sf = st.sf
    nx = si[cl.NX]
    ny = si[cl.NY]
    cx0 = floor(x0 / sf[cl.CELL_X])
    cy0 = floor(y0 / sf[cl.CELL_Y])
    cx1 = floor(x1 / sf[cl.CELL_X])
    cy1 = floor(y1 / sf[cl.CELL_Y])
    if not si[cl.PERIODIC]:
        cx0 = min(max(cx0, 0), nx - 1)
        cy0 = min(max(cy0, 0), ny - 1)
        cx1 = min(max(cx1, 0), nx - 1)
        cy1 = min(max(cy1, 0), ny - 1)
    return cx0, cy0, min(cx1 - cx0 + 1, nx), min(cy1 - cy0 + 1, ny)


@inner
def search(st: Clusters, c: int, x0: float, y0: float, x1: float, y1: float) -> int:
    """Collect in `found` the small clusters entered in the cells of a box, c left out; returns how many."""
    nx = st.si[cl.NX]
    ny = st.si[cl.NY]
    cx, cy, columns, rows = cell_range(st, x0, y0, x1, y1)
    stamp = new_stamp(st, c)
    count = 0
    for gy in range(cy, cy + rows):
        row = wrapped(gy, ny) * nx
        for gx in range(cx, cx + columns):
            count = collect(st, row + wrapped(gx, nx), c, count, stamp)
    st.si[cl.WORK] += 2 * count + columns * rows
    return count


@inlined
def search_own_cells(st: Clusters, c: int) -> int:
    """Collect in `found` the small clusters in the cells in which `c` is entered."""
    ci = st.ci
    nx = st.si[cl.NX]
    ny = st.si[cl.NY]
    span = ci[c, cl.GRID_SPAN]
    columns = span & 0xFFFF
    rows = span >> 16
    stamp = new_stamp(st, c)
    count = 0
    for gy in range(ci[c, cl.GRID_Y], ci[c, cl.GRID_Y] + rows):
        row = wrapped(gy, ny) * nx
        for gx in range(ci[c, cl.GRID_X], ci[c, cl.GRID_X] + columns):
            count = collect(st, row + wrapped(gx, nx), c, count, stamp)
    st.si[cl.WORK] += 2 * count + columns * rows
    return count


@inlined
def enter_grid(st: Clusters, c: int, x0: float, y0: float, x1: float, y1: float) -> int:
    """Enter `c` in the cells of a box and collect in `found` who stands there; returns how many.

    -1, and nothing done, where the box covers so many cells that the cluster is to be a big one.
    """
    ci = st.ci
    nx = st.si[cl.NX]
    ny = st.si[cl.NY]
    cx, cy, columns, rows = cell_range(st, x0, y0, x1, y1)
    if columns * rows > st.si[cl.BIG_CELLS]:
        return -1
    ci[c, cl.GRID_X] = cx
    ci[c, cl.GRID_Y] = cy
    ci[c, cl.GRID_SPAN] = columns | rows << 16
    count = search_own_cells(st, c)
    for gy in range(cy, cy + rows):
        row = wrapped(gy, ny) * nx
        for gx in range(cx, cx + columns):
            bucket_insert(st.bucket, st.bucket_top, row + wrapped(gx, nx), c)
    return count


@inlined
def leave_grid(st: Clusters, c: int) -> None:
    """Take a cluster out of the cells in which it is entered."""
    ci = st.ci
    nx = st.si[cl.NX]
    ny = st.si[cl.NY]
    span = ci[c, cl.GRID_SPAN]
    ci[c, cl.GRID_SPAN] = 0
    for gy in range(ci[c, cl.GRID_Y], ci[c, cl.GRID_Y] + (span >> 16)):
        row = wrapped(gy, ny) * nx
        for gx in range(ci[c, cl.GRID_X], ci[c, cl.GRID_X] + (span & 0xFFFF)):
            bucket_remove(st.bucket, row + wrapped(gx, nx), c)


@inlined
def box_meeting(
    st: Clusters, c: int, x: float, y: float, other: int, ux: float, uy: float, w: float, now: float, limit: float
) -> float:
    """When the boxes of two clusters may first overlap, in any image, from now on; inf if not within `limit`.

    (x, y) is the place of c now, (ux, uy) the velocity of `other` relative to it, give or take w.
    """
    cf = st.cf
    cg = st.cg
    dt = now - cf[other, cl.T]
    dx = cf[other, cl.PX] + cf[other, cl.VX] * dt - x
    dy = cf[other, cl.PY] + cf[other, cl.VY] * dt - y
    if ux == 0.0 and uy == 0.0 and w == 0.0:
        return INF
    x_low = dx + cg[other, cl.FX0] - cg[c, cl.FX1]
    x_high = dx + cg[other, cl.FX1] - cg[c, cl.FX0]
    y_low = dy + cg[other, cl.FY0] - cg[c, cl.FY1]
    y_high = dy + cg[other, cl.FY1] - cg[c, cl.FY0]
    kx0 = kx1 = ky0 = ky1 = 0
    lx = st.sf[cl.LX]
    ly = st.sf[cl.LY]
    if st.si[cl.PERIODIC]:
        reach_x = (abs(ux) + w) * limit
        reach_y = (abs(uy) + w) * limit
        kx0 = int(-((x_high + reach_x) // lx))
        kx1 = int((reach_x - x_low) // lx)
        ky0 = int(-((y_high + reach_y) // ly))
        ky1 = int((reach_y - y_low) // ly)
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
