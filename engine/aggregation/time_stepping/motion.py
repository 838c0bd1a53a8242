"""How clusters get their velocities: walls and joining (2.2), (2.9); and how far they reach."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.recent import note
from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping.arrays import Stepping
from engine.kernels import inlined, inner


@inlined
def set_velocity(st: Stepping, c: int) -> None:
    """Velocity of a cluster from its momentum."""
    st.motion[c, ts.VX] = st.motion[c, ts.MOMX] / st.motion[c, ts.MASS]
    st.motion[c, ts.VY] = st.motion[c, ts.MOMY] / st.motion[c, ts.MASS]


@inlined
def extent(st: Stepping, pos: NDArray[np.float64], c: int) -> tuple[float, float, float, float, float]:
    """Extent of cluster c at the places `pos` (N, 2): low and high x, low and high y; and its least radius."""
    x0 = y0 = least = np.inf
    x1 = y1 = -np.inf
    i = c
    while True:
        r = st.radius[i]
        x0 = min(x0, pos[i, 0] - r)
        x1 = max(x1, pos[i, 0] + r)
        y0 = min(y0, pos[i, 1] - r)
        y1 = max(y1, pos[i, 1] + r)
        least = min(least, r)
        st.si[ts.WORK] += 1
        i = st.ring[i]
        if i == c:
            return x0, x1, y0, y1, least


@inner
def find_fastest(st: Stepping) -> None:
    """max |V_k| over the clusters, for the adaptive step (3.3)."""
    fastest = 0.0
    for k in range(st.si[ts.M]):
        c = st.live[k]
        fastest = max(fastest, st.motion[c, ts.VX] ** 2 + st.motion[c, ts.VY] ** 2)
    st.sf[ts.V_MAX] = fastest**0.5
    st.si[ts.WORK] += st.si[ts.M] // 8


@inner
def note_wall(st: Stepping, c: int, axis: int, before: float) -> None:
    """Keep where a cluster has touched a wall at the end of this step: at the outermost of its discs. before : its
    momentum along `axis` until then."""
    pos = st.pos[1 - st.si[ts.WHICH]]
    outward = 1.0 if before > 0.0 else -1.0
    furthest = -np.inf
    at = c
    i = c
    while True:
        reach = outward * pos[i, axis] + st.radius[i]
        if reach > furthest:
            furthest = reach
            at = i
        st.si[ts.WORK] += 1
        i = st.ring[i]
        if i == c:
            break
    x = pos[at, 0]
    y = pos[at, 1]
    if axis == 0:
        x = st.sf[ts.LX] if outward > 0.0 else 0.0
    else:
        y = st.sf[ts.LY] if outward > 0.0 else 0.0
    note(st.recent, st.recent_next, st.sf[ts.T] + st.sf[ts.DT], x, y, at, -1)


@inner
def note_link(st: Stepping, i: int, j: int) -> None:
    """Keep where two discs have met that join their clusters, at the end of this step."""
    pos = st.pos[1 - st.si[ts.WHICH]]
    dx = pos[j, 0] - pos[i, 0]
    dy = pos[j, 1] - pos[i, 1]
    if st.si[ts.PERIODIC]:
        dx -= st.sf[ts.LX] * round(dx / st.sf[ts.LX])
        dy -= st.sf[ts.LY] * round(dy / st.sf[ts.LY])
    part = st.radius[i] / (st.radius[i] + st.radius[j])
    time = st.sf[ts.T] + st.sf[ts.DT]
    note(st.recent, st.recent_next, time, pos[i, 0] + part * dx, pos[i, 1] + part * dy, i, j)


@inner
def bounce(st: Stepping, c: int, vx: float, vy: float) -> None:
    """Give a cluster the velocity that a wall has left it; counts one event per component turned round."""
    motion = st.motion
    sf = st.sf
    mass = motion[c, ts.MASS]
    if vx != motion[c, ts.VX]:
        before = motion[c, ts.MOMX]
        motion[c, ts.MOMX] = 0.0 if vx == 0.0 else -before
        sf[ts.IMPULSE_X] += motion[c, ts.MOMX] - before
        sf[ts.ENERGY] -= 0.5 * (before * before - motion[c, ts.MOMX] ** 2) / mass
        st.si[ts.WALLS] += 1
        note_wall(st, c, 0, before)
    if vy != motion[c, ts.VY]:
        before = motion[c, ts.MOMY]
        motion[c, ts.MOMY] = 0.0 if vy == 0.0 else -before
        sf[ts.IMPULSE_Y] += motion[c, ts.MOMY] - before
        sf[ts.ENERGY] -= 0.5 * (before * before - motion[c, ts.MOMY] ** 2) / mass
        st.si[ts.WALLS] += 1
        note_wall(st, c, 1, before)
    set_velocity(st, c)


@inner
def join(st: Stepping, c: int, d: int) -> None:
    """Clusters c and d move on as one (2.9); the heavier one keeps its name."""
    motion = st.motion
    si = st.si
    if motion[d, ts.MASS] > motion[c, ts.MASS] or (motion[d, ts.MASS] == motion[c, ts.MASS] and d < c):
        c, d = d, c
    ux = motion[d, ts.VX] - motion[c, ts.VX]
    uy = motion[d, ts.VY] - motion[c, ts.VY]
    reduced = motion[c, ts.MASS] * motion[d, ts.MASS] / (motion[c, ts.MASS] + motion[d, ts.MASS])
    st.sf[ts.ENERGY] = max(0.0, st.sf[ts.ENERGY] - 0.5 * reduced * (ux * ux + uy * uy))
    motion[c, ts.MASS] += motion[d, ts.MASS]
    motion[c, ts.MOMX] += motion[d, ts.MOMX]
    motion[c, ts.MOMY] += motion[d, ts.MOMY]
    set_velocity(st, c)
    i = d
    while True:
        st.label[i] = c
        si[ts.WORK] += 1
        i = st.ring[i]
        if i == d:
            break
    st.ring[c], st.ring[d] = st.ring[d], st.ring[c]
    last = si[ts.M] - 1
    moved = st.live[last]
    st.live[st.seat[d]] = moved
    st.seat[moved] = st.seat[d]
    st.seat[d] = -1
    si[ts.M] = last
    si[ts.MERGES] += 1
