"""Which clusters may meet at all: a grid in which each stands with the box that it sweeps until its horizon."""

from __future__ import annotations

from math import sqrt

from engine.aggregation import clusters as cl
from engine.aggregation.clusters import Clusters
from engine.geometry.swept import box_entry, reciprocal
from engine.kernels import inlined, kernel

INF = float("inf")
NEVER = 1e300  # horizon where nothing moves: finite, so that what is swept until then is 0 and not 0 x inf


@kernel
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
    nx = max(1, int(sf[cl.LX] / side))
    ny = max(1, int(sf[cl.LY] / side))
    while nx * ny > st.head.shape[0]:
        nx -= 1
    si[cl.NX] = nx
    si[cl.NY] = ny
    sf[cl.CELL_X] = sf[cl.LX] / nx
    sf[cl.CELL_Y] = sf[cl.LY] / ny
    st.head[: nx * ny] = -1
    si[cl.ENTRY_FREE] = -1
    si[cl.ENTRY_TOP] = 0
    si[cl.ENTRY_LEFT] = st.entry.shape[0]
    si[cl.WATCH_FREE] = -1
    si[cl.WATCH_TOP] = 0
    speed = 0.0
    radius = 0.0
    for k in range(m):
        c = st.live[k]
        speed += sqrt(cf[c, cl.VX] * cf[c, cl.VX] + cf[c, cl.VY] * cf[c, cl.VY])
        radius += st.disc[c, 2]
        ci[c, cl.WATCHERS] = -1
        if ci[c, cl.BIG] >= 0:
            ci[c, cl.BIG] = -1
            ci[c, cl.TRAJ] += 1
    si[cl.BIGS] = 0
    sf[cl.V_TYPICAL] = speed / m
    sf[cl.H_CAP] = NEVER
    sf[cl.DELTA] = 0.0
    if speed > 0.0:
        sf[cl.H_CAP] = sf[cl.PATIENCE] * min(sf[cl.CELL_X], sf[cl.CELL_Y]) / sf[cl.V_TYPICAL]
        sf[cl.DELTA] = 1e-3 * (radius / m) / sf[cl.V_TYPICAL]
    si[cl.CURSOR] = 0
    sf[cl.NOW] = now


@kernel
def search(st: Clusters, c: int, x0: float, y0: float, x1: float, y1: float, enter: bool) -> int:
    """Collect in `found` the small clusters entered in the cells of a box, c left out; returns how many.

    With `enter` the cluster itself is entered in each of these cells. Entries that have gone stale are
    taken out on the way, so a cell never holds more of them than came since it was last looked at.
    """
    si = st.si
    ci = st.ci
    entry = st.entry
    nx = si[cl.NX]
    ny = si[cl.NY]
    cx0 = int(x0 // st.sf[cl.CELL_X])
    cx1 = int(x1 // st.sf[cl.CELL_X])
    cy0 = int(y0 // st.sf[cl.CELL_Y])
    cy1 = int(y1 // st.sf[cl.CELL_Y])
    if si[cl.PERIODIC]:
        cx1 = min(cx1, cx0 + nx - 1)
        cy1 = min(cy1, cy0 + ny - 1)
    else:
        cx0 = min(max(cx0, 0), nx - 1)
        cy0 = min(max(cy0, 0), ny - 1)
        cx1 = min(max(cx1, 0), nx - 1)
        cy1 = min(max(cy1, 0), ny - 1)
    si[cl.STAMPS] += 1
    stamp = si[cl.STAMPS] & 0x7FFFFFFF
    ci[c, cl.STAMP] = stamp
    count = 0
    for gy in range(cy0, cy1 + 1):
        row = (gy % ny) * nx
        for gx in range(cx0, cx1 + 1):
            cell = row + gx % nx
            before = -1
            k = st.head[cell]
            while k >= 0:
                e = entry[k, cl.E_CLUSTER]
                after = entry[k, cl.E_NEXT]
                if ci[e, cl.REG] != entry[k, cl.E_REG]:
                    if before < 0:
                        st.head[cell] = after
                    else:
                        entry[before, cl.E_NEXT] = after
                    entry[k, cl.E_NEXT] = si[cl.ENTRY_FREE]
                    si[cl.ENTRY_FREE] = k
                    si[cl.ENTRY_LEFT] += 1
                else:
                    before = k
                    if ci[e, cl.STAMP] != stamp:
                        ci[e, cl.STAMP] = stamp
                        st.found[count] = e
                        count += 1
                k = after
            if enter:
                k = si[cl.ENTRY_FREE]
                if k >= 0:
                    si[cl.ENTRY_FREE] = entry[k, cl.E_NEXT]
                else:
                    k = si[cl.ENTRY_TOP]
                    si[cl.ENTRY_TOP] = k + 1
                si[cl.ENTRY_LEFT] -= 1
                entry[k, cl.E_CLUSTER] = c
                entry[k, cl.E_REG] = ci[c, cl.REG]
                entry[k, cl.E_NEXT] = st.head[cell]
                st.head[cell] = k
    si[cl.WORK] += 2 * count + (cx1 - cx0 + 1) * (cy1 - cy0 + 1)
    return count


@inlined
def box_meeting(st: Clusters, c: int, x: float, y: float, other: int, now: float, limit: float) -> float:
    """When the boxes of two clusters may first overlap, in any image, from now on; inf if not within `limit`."""
    cf = st.cf
    dt = now - cf[other, cl.T]
    dx = cf[other, cl.PX] + cf[other, cl.VX] * dt - x
    dy = cf[other, cl.PY] + cf[other, cl.VY] * dt - y
    ux = cf[other, cl.EX] - cf[c, cl.EX]
    uy = cf[other, cl.EY] - cf[c, cl.EY]
    w = cf[c, cl.W] + cf[other, cl.W]
    if ux == 0.0 and uy == 0.0 and w == 0.0:
        return INF
    x_low = dx + cf[other, cl.BX0] - cf[c, cl.BX1]
    x_high = dx + cf[other, cl.BX1] - cf[c, cl.BX0]
    y_low = dy + cf[other, cl.BY0] - cf[c, cl.BY1]
    y_high = dy + cf[other, cl.BY1] - cf[c, cl.BY0]
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
    # the float64 boxes are exact: a hair's breadth keeps touching ones
    hair = 1e-7 * (cf[c, cl.BX1] - cf[c, cl.BX0])
    best = INF
    for kx in range(kx0, kx1 + 1):
        for ky in range(ky0, ky1 + 1):
            enter, leave = box_entry(
                x_low + kx * lx - hair, x_high + kx * lx + hair, y_low + ky * ly - hair, y_high + ky * ly + hair,
                qxl, qxh, qyl, qyh, ixl, ixh, iyl, iyh,
            )  # fmt: skip
            if enter <= leave and enter < best:
                best = enter
    if best >= limit:
        return INF
    return best
