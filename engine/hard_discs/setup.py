"""The arrays of a gas, made from a state, and the settings of a scenario in them."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.boundary import AXES, Periodic
from engine.errors import InputError, fault_of_flow
from engine.hard_discs import discs as d
from engine.hard_discs.discs import DiscArrays, axes_of, box_of, dimensions_of, gravity_of, periodic_of
from engine.hard_discs.endings import NEVER
from engine.hard_discs.epoch import EVENTS_A_DISC, at_once
from engine.hard_discs.log import fraction_now, growth_now, totals
from engine.hard_discs.room import empty_queue_arrays, fill_queue, measure_queue
from engine.hard_discs.section import HardDiscs
from engine.records import single, zeros
from engine.scenario import Scenario
from engine.scenario.section import as_list
from engine.state import InitialState, nth_root, volume_fraction

_ROWS_PER_DISC = 16  # rows of the history in N collisions
_ROWS_OF_A_FLOW = 4  # the same in a flow, where each row takes a sum over all discs


def allocate(start: InitialState) -> DiscArrays:
    """The arrays of a gas that starts from `start`; `epoch.begin_epoch` fills what follows from motion and radii.

    Raises InputError for a flow that cannot be.
    """
    if fault := fault_of_flow(start.strain, start.shear_rate, start.box, start.periodic.all):
        raise InputError(fault)
    n = len(start.radii)
    st = empty_arrays(start.masses, len(start.box))
    for axis, name in enumerate(axes_of(st)):
        st.motion[name] = start.positions[:, axis]
        st.motion[f"v{name}"] = start.velocities[:, axis]
    st.motion["radius"] = start.radii
    st.entry["last_contact"] = -inf
    state = st.state
    state.periodic = start.periodic.code
    state.strain, state.shear_rate = start.strain, start.shear_rate
    state.sheared = int(start.strain != 0.0 or start.shear_rate != 0.0)
    state.row_step = max(1, n // _ROWS_PER_DISC)
    state.stall_check = d.STALL_AFTER
    state.z_check = NEVER
    for name, side in zip(axes_of(st), start.box, strict=True):
        state[f"l{name}"] = side
    state.radius_factor = 1.0
    set_constants(st, start.radii)
    return st


def empty_arrays(masses: NDArray[np.float64], dimensions: int) -> DiscArrays:
    """The arrays of a gas in so many dimensions, which hold nothing but the masses (N,), in the order of the discs."""
    n = len(masses)
    layout = d.SPATIAL if dimensions > 2 else d.PLANAR
    equal = bool((masses == masses[0]).all())
    queue: dict[str, Any] = empty_queue_arrays(n)
    arrays = dict(
        motion=zeros(n, layout.motion),
        entry=zeros(n, layout.entry),
        place=zeros(n, layout.place),
        mass=masses[:1].copy() if equal else masses.copy(),
        original=np.arange(n, dtype=np.int32),
        lists=np.zeros(0, np.int32),
        spots=np.zeros(0, np.float32),
        levels=np.zeros(d.MAX_LEVELS, d.LEVEL),
        found=np.zeros(n + layout.line, np.int32),
        newest=np.array([(0.0, -1, -1)] * d.RING, d.CONTACT),
        log=np.zeros(d.MOST_ROWS, d.ROW),
        impacts=np.zeros(2 * d.HISTOGRAM + 1, np.int64),
        state=single(d.STATE),
        **queue,
    )
    return d.SphereArrays(**arrays, space=1) if dimensions > 2 else DiscArrays(**arrays)


def set_constants(st: DiscArrays, radii: NDArray[np.float64]) -> None:
    """Set what follows from the lengths of the arrays, the box and the radii (N,) at the start of the run."""
    state = st.state
    n = len(radii)
    state.count = n
    state.equal_masses = int(len(st.mass) == 1)
    measure_queue(st)
    state.epoch_length = max(EVENTS_A_DISC * n, 16384)
    box = box_of(st)
    for axis, period in zip(axes_of(st), periodic_of(st).periods(box), strict=True):
        state[f"half_{axis}"] = 0.5 * period
    state.first_fraction = volume_fraction(radii, box)


def check_settings(scenario: Scenario, st: DiscArrays, radii: NDArray[np.float64]) -> None:
    """Raise InputError for settings with which these discs cannot run. radii : (N,), at the start of the run."""
    hard = scenario.section(HardDiscs)
    periodic = periodic_of(st)
    check_fall(hard.gravity, periodic)
    check_flow(scenario, bool(st.state.sheared))
    fraction = fraction_now(st)
    widest = 2.0 * float(radii.max()) * float(growth_now(st.state))
    if hard.growth_rate > 0.0:
        if hard.growth_to_fraction <= fraction:
            raise InputError(
                f"hard_discs.growth_to_fraction must be above the present volume fraction, {fraction:.6g}, while "
                f"discs grow, not {hard.growth_to_fraction:g}",
                "hard_discs.growth_to_fraction",
            )
        widest *= nth_root(hard.growth_to_fraction / fraction, dimensions_of(st))
    side = float(periodic.periods(box_of(st)).min())
    if len(radii) > 1 and 2.0 * widest >= side * (1.0 - 1e-6):
        raise InputError(
            f"a periodic box of side {side:g} is too small for discs that are {widest:g} wide"
            f"{' when grown' if hard.growth_rate > 0.0 else ''}: two discs would meet more than one image of each "
            "other; the side must be larger than two diameters",
            "box.size",
        )


def check_flow(scenario: Scenario, sheared: bool) -> None:
    """Raise InputError for what cannot be combined with a shear flow. sheared : whether there is or has been one."""
    hard = scenario.section(HardDiscs)
    if (scenario.shear.rate != 0.0 or sheared) and hard.growth_rate > 0.0:
        raise InputError(
            f"hard_discs.growth_rate must be 0 where discs flow or have flowed (shear.rate = {scenario.shear.rate:g}), "
            f"not {hard.growth_rate:g}",
            "hard_discs.growth_rate",
        )


def check_fall(gravity: Sequence[float], periodic: Periodic) -> None:
    """Raise InputError if discs fall along an axis without walls. gravity : (d,), or () for none."""
    endless = [axis for axis in periodic.axes if axis < len(gravity) and gravity[axis] != 0.0]
    if endless:
        along = "" if periodic.all else f" along {AXES[endless[0]]}"
        allowed = [0.0 if wraps else g for g, wraps in zip(gravity, periodic, strict=True)]
        raise InputError(
            f"hard_discs.gravity must be {as_list(allowed)} when box.boundary is periodic{along}, not "
            f"{as_list(gravity)}: nothing would stop the fall; gravity needs walls",
            "hard_discs.gravity",
        )


def apply_settings(scenario: Scenario, st: DiscArrays) -> None:
    """Put settings that have passed `check_settings` into the arrays, at the beginning of an epoch."""
    hard = scenario.section(HardDiscs)
    state = st.state
    faster = scenario.shear.rate - float(state.shear_rate)
    if faster != 0.0:
        st.motion["vx"] += faster * (st.motion["y"] - 0.5 * state.ly)
    state.collapsed = 0
    if gravity_of(st) != hard.gravity_in(dimensions_of(st)):
        st.motion["flags"] &= ~d.HELD
    copy_settings(st, scenario)
    mass, _, kinetic, _ = totals(st)
    state.kinetic_energy = kinetic
    fallen = 2.0 * hard.contact_time * sqrt(sum(g**2 for g in gravity_of(st)))
    state.rest_kinetic = 0.5 * mass * fallen * fallen
    growing = int(hard.growth_rate > 0.0)
    if growing and not state.growing:
        state.wanted_kinetic = kinetic
        state.z_virial, state.z_kinetic_integral = state.virial, state.kinetic_integral
        state.z_check = state.pair_collisions + 25 * len(st.original)
    state.growing = growing
    if not growing:
        state.z_check = NEVER
    mean = float(st.motion["radius"].mean())
    state.growth_rate = hard.growth_rate / (mean / state.radius_factor) / state.radius_factor if growing else 0.0


def copy_settings(st: DiscArrays, scenario: Scenario) -> None:
    """Copy the settings of which the arrays hold no more than the scenario says."""
    hard = scenario.section(HardDiscs)
    state = st.state
    state.shear_rate = scenario.shear.rate
    state.sheared = int(state.sheared or state.shear_rate != 0.0)
    if state.sheared:
        state.half_y = inf
        state.row_step = max(int(state.row_step), int(state.count) // _ROWS_OF_A_FLOW)
    state.restitution = hard.restitution
    state.wall_restitution = hard.wall_restitution
    state.contact_time = hard.contact_time
    for axis, g in zip(axes_of(st), hard.gravity_in(dimensions_of(st)), strict=True):
        state[f"g{axis}"] = g
    state.gravity = int(any(hard.gravity))
    state.final_factor = nth_root(hard.growth_to_fraction / state.first_fraction, dimensions_of(st))


def requeued(st: DiscArrays) -> DiscArrays:
    """The state with all events in a queue that has room for more."""
    # events up to the present bin would stand in the heap
    st.state.bin = int(st.state.now * st.state.bins_per_time) - 1
    return at_once(fill_queue(st))
