"""Sums over all discs, and the history: rows at equal numbers of collisions, thinned when they grow many."""

from __future__ import annotations

import numpy as np

from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs, pointers
from engine.hard_discs.impacts import mass_of
from engine.hard_discs.prediction import pull_x, pull_y
from engine.kernels import inlined, kernel


@inlined
def _totals(st: Discs) -> tuple[float, float, float, float, float]:
    mass = px = py = kinetic = potential = 0.0
    now = st.sf[d.NOW]
    for i in range(st.si[d.COUNT]):
        o = i << 3
        m = mass_of(st, i)
        vx = st.rec[o + d.VX]
        vy = st.rec[o + d.VY]
        if st.si[d.GRAVITY]:
            flags = st.ri[o + d.FLAGS]
            dt = now - st.rec[o + d.T]
            gx = pull_x(st, flags)
            gy = pull_y(st, flags)
            potential -= m * st.sf[d.GX] * (st.rec[o + d.X] + dt * (vx + 0.5 * gx * dt))
            potential -= m * st.sf[d.GY] * (st.rec[o + d.Y] + dt * (vy + 0.5 * gy * dt))
            vx += gx * dt
            vy += gy * dt
        mass += m
        px += m * vx
        py += m * vy
        kinetic += 0.5 * m * (vx * vx + vy * vy)
    return mass, px, py, kinetic, potential


@kernel
def totals(arrays: Discs) -> tuple[float, float, float, float, float]:
    """At NOW: mass, momentum (x, y), kinetic energy, potential energy -sum of m g x."""
    return _totals(pointers(arrays))


def fraction_now(st: Discs) -> float:
    """Volume fraction at NOW."""
    growth = st.sf[d.FACTOR] * (1.0 + st.sf[d.GAMMA] * st.sf[d.NOW])
    return float(st.sf[d.FRACTION] * growth * growth)


_fraction_now = inlined(fraction_now)


@inlined
def write_row(st: Discs) -> None:
    """The state at NOW as one more row of the history; every second row goes when there is no room."""
    si = st.si
    sf = st.sf
    log = st.log
    if si[d.GRAVITY]:  # kinetic energy is otherwise followed from collision to collision
        sf[d.KINETIC] = _totals(st)[3]
    if si[d.ROWS] == d.MOST_ROWS:
        half = d.MOST_ROWS // 2
        for k in range(half):
            for column in range(d.LOG_COLUMNS):
                log[d.LOG_COLUMNS * k + column] = log[2 * d.LOG_COLUMNS * k + column]
        si[d.ROWS] = half
        si[d.ROW_STEP] *= 2
    k = d.LOG_COLUMNS * si[d.ROWS]
    log[k + d.LOG_TIME] = sf[d.EPOCH] + (sf[d.EPOCH_REST] + sf[d.NOW])
    log[k + d.LOG_KINETIC] = sf[d.KINETIC]
    log[k + d.LOG_COLLISIONS] = np.float64(si[d.PAIRS])
    log[k + d.LOG_VIRIAL] = sf[d.VIRIAL]
    log[k + d.LOG_FRACTION] = _fraction_now(st)
    si[d.ROWS] += 1
    si[d.NEXT_ROW] = si[d.PAIRS] + si[d.ROW_STEP]


@kernel
def begin_log(arrays: Discs) -> None:
    """The first row."""
    write_row(pointers(arrays))
