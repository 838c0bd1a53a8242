"""Global quantities of the gas at the present time (growth, sums over all discs) and their history."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.geometry.vectors import Vector, add_dot, dot, plus, times
from engine.hard_discs import discs as d
from engine.hard_discs.discs import PLANE, DiscArrays, dimensions_of, periodic_of, pointers
from engine.hard_discs.impacts import mass_of
from engine.hard_discs.motion import motion_at, pull, strain_at, thermal, zero
from engine.kernels import inlined, kernel


def half_freedom(st: DiscArrays) -> float:
    """Half the degrees of freedom, K / kT: d N / 2, less ½ for each periodic axis, along which the total momentum is
    constant."""
    freedom = dimensions_of(st) * int(st.state.count)
    return 0.5 * (freedom - len(periodic_of(st).axes) or freedom)


def strain_now(state: Any) -> float:
    """The strain now: how far the images above the box are ahead, over its height."""
    return float(state.strain + state.shear_rate * state.now)


def growth_now(state: Any) -> float:
    """The present radii over those at the start of the run."""
    return state.radius_factor * (1.0 + state.growth_rate * state.now)  # type: ignore[no-any-return]


_growth_now = inlined(growth_now)


def heat_now(state: Any) -> float:
    """The integral over time of the thermal energy, up to now: of the kinetic energy without the common motion of all
    discs along periodic axes, which never meet each other for it."""
    so_far = state.kinetic_integral - state.kinetic_com * state.now
    return so_far + state.kinetic_energy * (state.now - state.kinetic_since)  # type: ignore[no-any-return]


_heat_now = inlined(heat_now)


def fraction_now(st: DiscArrays) -> float:
    """The present volume fraction."""
    return float(_fraction_at(st, growth_now(st.state)))


def _fraction_at(st: DiscArrays, growth: float) -> float:
    """The volume fraction where radii are so many times those at the start."""
    if len(st) > PLANE:
        return st.state.first_fraction * growth * growth * growth  # type: ignore[no-any-return]
    return st.state.first_fraction * growth * growth  # type: ignore[no-any-return]


_fraction_in_kernels = inlined(_fraction_at)


@inlined
def _totals(st: DiscArrays) -> tuple[float, Vector, float, float]:
    """As `totals`, called with pointers to the arrays."""
    mass = kinetic = potential = 0.0
    momentum = zero(st)
    for i in range(st.state.count):
        m = mass_of(st, i)
        x, v = motion_at(st, i, st.state.now)
        if st.state.gravity:
            potential = add_dot(potential, times(-m, pull(st)), x)
        mass += m
        v = thermal(st, x, v)
        momentum = plus(momentum, times(m, v))
        kinetic += 0.5 * m * dot(v, v)
    return mass, momentum, kinetic, potential


@kernel
def totals(arrays: DiscArrays) -> tuple[float, Vector, float, float]:
    """Mass, momentum, kinetic energy and potential energy -Σ m g·X at the present time; in a shear flow, of
    velocities relative to it."""
    return _totals(pointers(arrays))


@inlined
def _copy_flow(of: Any, to: Any) -> None:
    """Copy the columns that only a flow has."""
    to.strain = of.strain
    to.virial_xx, to.virial_yy, to.virial_zz, to.virial_xy = of.virial_xx, of.virial_yy, of.virial_zz, of.virial_xy
    to.flight_xx, to.flight_yy, to.flight_zz, to.flight_xy = of.flight_xx, of.flight_yy, of.flight_zz, of.flight_xy


@inlined
def _write_flow(st: DiscArrays, row: Any) -> None:
    """Write the columns that only a flow has."""
    state = st.state
    row.strain = strain_at(st, state.now)
    row.virial_xx, row.virial_yy, row.virial_zz = state.virial_xx, state.virial_yy, state.virial_zz
    row.virial_xy = state.virial_xy
    row.flight_xx = row.flight_yy = row.flight_zz = row.flight_xy = 0.0
    for i in range(state.count):
        m = mass_of(st, i)
        x, v = motion_at(st, i, state.now)
        c = thermal(st, x, v)
        row.flight_xx += m * c[0] * c[0]
        row.flight_yy += m * c[1] * c[1]
        row.flight_xy += m * c[0] * c[1]
        if len(st) > PLANE:
            row.flight_zz += m * c[2] * c[2]


@inlined
def write_row(st: DiscArrays) -> None:
    """Append the present state to the history; where it is full, every second row is dropped first."""
    state = st.state
    if state.gravity or state.sheared:  # otherwise the kinetic energy is updated at every collision
        state.kinetic_energy = _totals(st)[2]
    if state.rows == d.MOST_ROWS:
        half = d.MOST_ROWS // 2
        for k in range(half):
            to, of = st.log[k], st.log[2 * k]
            to.time = of.time
            to.kinetic_energy = of.kinetic_energy
            to.collisions = of.collisions
            to.virial = of.virial
            to.volume_fraction = of.volume_fraction
            to.thermal_energy = of.thermal_energy
            to.heat = of.heat
            _copy_flow(of, to)
        state.rows = half
        state.row_step *= 2
    row = st.log[state.rows]
    growth = _growth_now(state)
    row.time = state.epoch + (state.epoch_rest + state.now)
    row.kinetic_energy = state.kinetic_energy
    row.collisions = np.float64(state.pair_collisions)
    row.virial = state.virial
    row.volume_fraction = _fraction_in_kernels(st, growth)
    row.thermal_energy = max(state.kinetic_energy - state.kinetic_com, 0.0)
    row.heat = _heat_now(state)
    if state.sheared:
        _write_flow(st, row)
    state.rows += 1
    state.next_row = state.pair_collisions + state.row_step


@kernel
def begin_log(arrays: DiscArrays) -> None:
    """Write the first row of the log, the state at the start."""
    write_row(pointers(arrays))
