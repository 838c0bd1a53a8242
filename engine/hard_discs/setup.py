"""The arrays of a gas from a state or a checkpoint, and the settings of a scenario in them."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs
from engine.hard_discs.endings import NEVER
from engine.hard_discs.epoch import EVENTS_A_DISC, choose_shells, lay_grid
from engine.hard_discs.log import fraction_now, totals
from engine.hard_discs.section import HardDiscs
from engine.records import single, zeros
from engine.scenario import Scenario
from engine.state import InitialState

_ROWS_PER_DISC = 16  # N collisions are so many rows of the history


def allocate(start: InitialState) -> Discs:
    """Arrays for the discs of `start`; an epoch (`epoch.begin_epoch`) fills what follows from their motion."""
    n = len(start.radii)
    motion = zeros(n, d.MOTION)
    motion["x"], motion["y"] = start.positions.T
    motion["vx"], motion["vy"] = start.velocities.T
    motion["radius"] = start.radii
    motion["last_contact"] = -inf
    state = single(d.STATE)
    state.periodic = int(start.periodic)
    state.row_step = max(1, n // _ROWS_PER_DISC)
    state.stall_check = d.STALL_AFTER
    state.z_check = NEVER
    state.lx, state.ly = start.box
    state.radius_factor = 1.0
    st = Discs(
        motion=motion,
        entry=zeros(n, d.ENTRY),
        reference=zeros(n, d.POINT),
        mass=_mass_of(start.masses),
        images=np.zeros(n, d.CROSSINGS),
        original=np.arange(n, dtype=np.int32),
        pool=np.zeros(15 * n + 64, np.uint32),
        bins=np.full(count_bins(n), -1, np.int32),
        heap=np.zeros(n, np.uint32),
        cell=np.zeros(1, np.int32),
        cell_next=np.zeros(n, np.int32),
        levels=np.zeros(d.MAX_LEVELS, d.LEVEL),
        found=np.zeros(n, np.uint32),
        newest=np.array([(0.0, -1, -1)] * d.RING, d.CONTACT),
        log=np.zeros(d.MOST_ROWS, d.ROW),
        impacts=np.zeros(2 * d.HISTOGRAM + 1, np.int64),
        state=state,
    )
    _take_given(st, start.radii)
    return st


def count_bins(count: int) -> int:
    """Bins of the calendar of so many discs, a power of two."""
    return 1 << max(6, (2 * count - 1).bit_length())


def _mass_of(masses: NDArray[np.float64]) -> NDArray[np.float64]:
    """The masses (N,) as kernels have them: one, where all are equal."""
    equal = bool((masses == masses[0]).all())
    return masses[:1].copy() if equal else masses.copy()


def _take_given(st: Discs, radii: NDArray[np.float64]) -> None:
    """What follows from the lengths of the arrays, the box and the radii (N,) at the start alone."""
    state = st.state
    n = len(radii)
    state.count = n
    state.pool_size = len(st.pool)
    state.equal_masses = int(len(st.mass) == 1)
    state.bin_mask = len(st.bins) - 1
    state.epoch_length = max(EVENTS_A_DISC * n, 16384)
    box = np.array([state.lx, state.ly])
    state.half_x, state.half_y = 0.5 * box
    state.first_fraction = pi * float(np.square(radii).sum()) / float(box.prod())


def check_settings(scenario: Scenario, st: Discs, radii: NDArray[np.float64]) -> None:
    """InputError where the settings cannot hold for these discs."""
    hard = scenario.section(HardDiscs)
    periodic = bool(st.state.periodic)
    if periodic and any(hard.gravity):
        raise InputError(
            f"hard_discs.gravity must be [0, 0] where box.boundary is periodic, not {list(hard.gravity)}: nothing "
            "would stop the fall",
            "hard_discs.gravity",
        )
    fraction = float(fraction_now(st))
    factor = float(st.state.radius_factor * (1.0 + st.state.growth_rate * st.state.now))
    widest = 2.0 * float(radii.max()) * factor
    if hard.growth_rate > 0.0:
        if hard.growth_to_fraction <= fraction:
            raise InputError(
                f"hard_discs.growth_to_fraction must be above the present volume fraction, {fraction:.6g}, while discs "
                f"grow, not {hard.growth_to_fraction:g}",
                "hard_discs.growth_to_fraction",
            )
        widest *= sqrt(hard.growth_to_fraction / fraction)
    side = float(min(st.state.lx, st.state.ly))
    if periodic and len(radii) > 1 and 2.0 * widest >= side * (1.0 - 1e-6):
        raise InputError(
            f"a periodic box of side {side:g} is too small for discs that are {widest:g} wide"
            f"{' when grown' if hard.growth_rate > 0.0 else ''}: two of them would meet more than one image of each "
            "other; the side must be more than two diameters",
            "box.size",
        )


def apply_settings(hard: HardDiscs, st: Discs) -> None:
    """The settings in the arrays, at the beginning of an epoch; `check_settings` has passed."""
    state = st.state
    state.collapsed = 0
    if (state.gx, state.gy) != hard.gravity:
        st.entry["flags"] &= ~d.BORNE
    _take_settings(st, hard)
    mass, _, _, kinetic, _ = totals(st)
    state.kinetic_energy = kinetic
    fallen = 2.0 * hard.contact_time * sqrt(state.gx**2 + state.gy**2)
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


def _take_settings(st: Discs, hard: HardDiscs) -> None:
    """The settings that stand in the arrays as they stand in the scenario."""
    state = st.state
    state.restitution = hard.restitution
    state.wall_restitution = hard.wall_restitution
    state.contact_time = hard.contact_time
    state.gx, state.gy = hard.gravity
    state.gravity = int(any(hard.gravity))
    state.final_factor = sqrt(hard.growth_to_fraction / state.first_fraction)


def arrays_of(st: Discs) -> dict[str, NDArray[Any]]:
    """Copies of all arrays but the scratch ones, and of the record of the state as an array, (1,)."""
    arrays = {name: value.copy() for name, value in st._asdict().items() if name not in d.SCRATCH}
    return arrays | {"state": d.state_array(st.state)}


def restored(arrays: Mapping[str, NDArray[Any]], hard: HardDiscs) -> Discs:
    """What `arrays_of` gave, with `radii` and `masses` (N,) in the caller's order. `hard` : the settings.

    Only what cannot be had otherwise is taken from `arrays`. Radii, masses, settings, shells and the grid are made
    anew: the same bits in what ran, and nothing that does not fit in what somebody has changed.
    """
    fields = {name: arrays[name].copy() for name in Discs._fields if name not in d.SCRATCH}
    for name, dtype in (("motion", d.MOTION), ("entry", d.ENTRY), ("reference", d.POINT)):
        fields[name] = zeros(len(arrays[name]), dtype)
        fields[name][:] = arrays[name]
    fields["state"] = single(d.STATE, arrays["state"])
    mass, original = _mass_of(arrays["masses"]), arrays["original"]
    fields["mass"] = mass if len(mass) == 1 else mass[original]
    fields["found"] = np.zeros(len(original), np.uint32)
    st = Discs(**fields)
    _take_given(st, arrays["radii"])
    _take_settings(st, hard)
    st.motion["radius"] = arrays["radii"][original] * st.state.radius_factor
    until = st.state.epoch_end
    choose_shells(st)
    st.state.epoch_end = min(until, st.state.epoch_end)  # the calendar may have made the epoch shorter
    return lay_grid(st)._replace(cell=fields["cell"])
