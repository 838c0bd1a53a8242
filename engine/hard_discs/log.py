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
    now = st.state.now
    for i in range(st.state.count):
        m = mass_of(st, i)
        disc = st.motion[i]
        vx = disc.vx
        vy = disc.vy
        if st.state.gravity:
            flags = st.entry[i].flags
            dt = now - disc.time
            gx = pull_x(st, flags)
            gy = pull_y(st, flags)
            potential -= m * st.state.gx * (disc.x + dt * (vx + 0.5 * gx * dt))
            potential -= m * st.state.gy * (disc.y + dt * (vy + 0.5 * gy * dt))
            vx += gx * dt
            vy += gy * dt
        mass += m
        px += m * vx
        py += m * vy
        kinetic += 0.5 * m * (vx * vx + vy * vy)
    return mass, px, py, kinetic, potential


@kernel
def totals(arrays: Discs) -> tuple[float, float, float, float, float]:
    """At the present time: mass, momentum (x, y), kinetic energy, potential energy -sum of m g x."""
    return _totals(pointers(arrays))


def fraction_now(st: Discs) -> float:
    """Volume fraction at the present time."""
    growth = st.state.radius_factor * (1.0 + st.state.growth_rate * st.state.now)
    return float(st.state.first_fraction * growth * growth)


_fraction_now = inlined(fraction_now)


@inlined
def write_row(st: Discs) -> None:
    """The present state as one more row of the history; every second row goes when there is no room."""
    state = st.state
    if state.gravity:  # kinetic energy is otherwise followed from collision to collision
        state.kinetic_energy = _totals(st)[3]
    if state.rows == d.MOST_ROWS:
        half = d.MOST_ROWS // 2
        for k in range(half):
            to, of = st.log[k], st.log[2 * k]
            to.time = of.time
            to.kinetic_energy = of.kinetic_energy
            to.collisions = of.collisions
            to.virial = of.virial
            to.volume_fraction = of.volume_fraction
        state.rows = half
        state.row_step *= 2
    row = st.log[state.rows]
    row.time = state.epoch + (state.epoch_rest + state.now)
    row.kinetic_energy = state.kinetic_energy
    row.collisions = np.float64(state.pair_collisions)
    row.virial = state.virial
    row.volume_fraction = _fraction_now(st)
    state.rows += 1
    state.next_row = state.pair_collisions + state.row_step


@kernel
def begin_log(arrays: Discs) -> None:
    """The first row."""
    write_row(pointers(arrays))
