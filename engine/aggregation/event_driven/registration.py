"""Entering a cluster anew: its walls, its horizon and its place in the broad phase."""

from __future__ import annotations

from math import sqrt

from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.broad_phase import enter_grid, leave_grid, search
from engine.aggregation.event_driven.clusters import Clusters
from engine.aggregation.event_driven.prediction import look_at, offer
from engine.kernels import inlined, inner

INF = float("inf")


@inlined
def bring_to(st: Clusters, c: int, now: float) -> None:
    """Move a cluster's reference to `now`; in a periodic box back into the box."""
    cf = st.cf
    dt = now - cf[c, cl.T]
    x = cf[c, cl.PX] + cf[c, cl.VX] * dt
    y = cf[c, cl.PY] + cf[c, cl.VY] * dt
    if st.si[cl.PERIODIC]:
        x -= st.sf[cl.LX] * (x // st.sf[cl.LX])
        y -= st.sf[cl.LY] * (y // st.sf[cl.LY])
    cf[c, cl.PX] = x
    cf[c, cl.PY] = y
    cf[c, cl.T] = now


@inlined
def next_wall(st: Clusters, c: int, now: float) -> None:
    """Set the cluster's own event to its next wall, if there is one. Its reference must be at `now`.

    The stable rule: a cluster beyond a wall and moving outwards is reflected at once, moving inwards never.
    """
    cf = st.cf
    cf[c, cl.OWN_T] = INF
    st.ci[c, cl.OWN_KIND] = cl.OWN_HORIZON
    if st.si[cl.PERIODIC]:
        return
    vx = cf[c, cl.VX]
    vy = cf[c, cl.VY]
    tx = INF
    ty = INF
    if vx > 0.0:
        tx = max(0.0, (st.sf[cl.LX] - (cf[c, cl.PX] + cf[c, cl.BX1])) / vx)
    elif vx < 0.0:
        tx = max(0.0, (cf[c, cl.PX] + cf[c, cl.BX0]) / -vx)
    if vy > 0.0:
        ty = max(0.0, (st.sf[cl.LY] - (cf[c, cl.PY] + cf[c, cl.BY1])) / vy)
    elif vy < 0.0:
        ty = max(0.0, (cf[c, cl.PY] + cf[c, cl.BY0]) / -vy)
    if tx < INF or ty < INF:
        cf[c, cl.OWN_T] = now + min(tx, ty)
        st.ci[c, cl.OWN_KIND] = cl.OWN_WALL_X if tx <= ty else cl.OWN_WALL_Y


@inlined
def set_horizon(st: Clusters, c: int, t: float) -> None:
    """Let the cluster be entered anew at `t` unless it meets a wall before."""
    if t < st.cf[c, cl.OWN_T]:
        st.cf[c, cl.OWN_T] = t
        st.ci[c, cl.OWN_KIND] = cl.OWN_HORIZON


@inlined
def round_box(st: Clusters, c: int) -> None:
    """The box that neighbours read, from the exact one."""
    cf = st.cf
    slack = 1e-7 * (cf[c, cl.BX1] - cf[c, cl.BX0])
    st.cg[c, cl.FX0] = cf[c, cl.BX0] - (abs(cf[c, cl.BX0]) * 1.2e-7 + slack)
    st.cg[c, cl.FY0] = cf[c, cl.BY0] - (abs(cf[c, cl.BY0]) * 1.2e-7 + slack)
    st.cg[c, cl.FX1] = cf[c, cl.BX1] + (abs(cf[c, cl.BX1]) * 1.2e-7 + slack)
    st.cg[c, cl.FY1] = cf[c, cl.BY1] + (abs(cf[c, cl.BY1]) * 1.2e-7 + slack)


@inner
def extend_horizon(st: Clusters, c: int, now: float) -> None:
    """Let a big cluster, its reference at `now`, find its impacts with the other big ones until a new horizon.

    It stays short: of two interlocked clusters nearly all discs are near each other, and to find which meet first
    costs the less the nearer they have to be.
    """
    st.more[c, cl.HORIZON] = now + st.sf[cl.H_CAP] * (st.sf[cl.BIG_PATIENCE] / st.sf[cl.PATIENCE])
    next_wall(st, c, now)
    set_horizon(st, c, st.more[c, cl.HORIZON])
    look_at(st, c, now, 0)


@inner
def register(st: Clusters, c: int, now: float) -> None:
    """Enter cluster `c` in the broad phase from `now` on and find its impacts.

    A changed velocity must have been announced by raising TRAJ before.
    """
    cf = st.cf
    ci = st.ci
    si = st.si
    sf = st.sf
    bring_to(st, c, now)
    next_wall(st, c, now)
    vx = cf[c, cl.VX]
    vy = cf[c, cl.VY]
    speed = sqrt(vx * vx + vy * vy)
    cell = sf[cl.CELL]
    if ci[c, cl.BIG] < 0:
        duration = sf[cl.H_CAP]
        if speed * duration > sf[cl.TRAVEL] * cell:
            duration = sf[cl.TRAVEL] * cell / speed
        set_horizon(st, c, now + duration)
        cf[c, cl.W] = 0.0
        dt = cf[c, cl.OWN_T] - now
        x0 = cf[c, cl.PX] + cf[c, cl.BX0] + min(0.0, vx * dt)
        x1 = cf[c, cl.PX] + cf[c, cl.BX1] + max(0.0, vx * dt)
        y0 = cf[c, cl.PY] + cf[c, cl.BY0] + min(0.0, vy * dt)
        y1 = cf[c, cl.PY] + cf[c, cl.BY1] + max(0.0, vy * dt)
        leave_grid(st, c)
        count = enter_grid(st, c, x0, y0, x1, y1)
        if count >= 0:
            look_at(st, c, now, count)
            return
        ci[c, cl.BIG] = si[cl.BIGS]
        st.bigs[si[cl.BIGS]] = c
        si[cl.BIGS] += 1
    # a big cluster: its envelope begins anew, which voids what others have predicted with the old one
    si[cl.FULL_BIG] += 1
    ci[c, cl.TRAJ] += 1
    st.more[c, cl.EX] = vx
    st.more[c, cl.EY] = vy
    cf[c, cl.W] = sf[cl.ENVELOPE] * sf[cl.V_TYPICAL]
    extend_horizon(st, c, now)
    offer_part(st, c, c, cf[c, cl.PX], cf[c, cl.PY], now)


@inner
def offer_part(st: Clusters, big: int, part: int, x: float, y: float, now: float) -> None:
    """Let all small clusters near the tree at node `part`, now at (x, y), answer for it as a part of `big`."""
    cf = st.cf
    sf = st.sf
    tree = st.nodes[part]
    ex = st.more[big, cl.EX] * sf[cl.H_CAP]
    ey = st.more[big, cl.EY] * sf[cl.H_CAP]
    w = cf[big, cl.W] * sf[cl.H_CAP]
    x0 = x + tree.x_min + min(0.0, ex) - w
    x1 = x + tree.x_max + max(0.0, ex) + w
    y0 = y + tree.y_min + min(0.0, ey) - w
    y1 = y + tree.y_max + max(0.0, ey) + w
    count = search(st, big, x0, y0, x1, y1)
    offer(st, big, part, x, y, now, count)


@inlined
def set_velocity(st: Clusters, c: int) -> None:
    """Velocity from momentum."""
    st.cf[c, cl.VX] = st.cf[c, cl.MOMX] / st.cf[c, cl.MASS]
    st.cf[c, cl.VY] = st.more[c, cl.MOMY] / st.cf[c, cl.MASS]
