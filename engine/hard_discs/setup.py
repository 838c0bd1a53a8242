"""The arrays of a gas from a state or a checkpoint, and the settings of a scenario in them."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs, line_aligned
from engine.hard_discs.endings import NEVER
from engine.hard_discs.epoch import EVENTS_A_DISC, choose_shells, lay_grid
from engine.hard_discs.log import fraction_now, totals
from engine.hard_discs.section import HardDiscs
from engine.scenario import Scenario
from engine.state import InitialState

_ROWS_PER_DISC = 16  # N collisions are so many rows of the history


def allocate(state: InitialState) -> Discs:
    """Arrays for the discs of `state`; an epoch (`epoch.begin_epoch`) fills what follows from their motion."""
    n = len(state.radii)
    rec = line_aligned(8 * n, np.float64)
    rows = rec.reshape(n, 8)
    rows[:, d.X : d.Y + 1] = state.positions
    rows[:, d.VX : d.VY + 1] = state.velocities
    rows[:, d.R] = state.radii
    rows[:, d.LAST] = -inf
    mass = _mass_of(state.masses)
    bins = count_bins(n)
    si = np.zeros(d.SI_LENGTH, np.int64)
    sf = np.zeros(d.SF_LENGTH)
    pool = 15 * n + 64
    si[d.PERIODIC] = int(state.periodic)
    si[d.ROW_STEP] = max(1, n // _ROWS_PER_DISC)
    si[d.STALL_CHECK] = d.STALL_AFTER
    si[d.Z_CHECK] = NEVER
    sf[d.LX], sf[d.LY] = state.box
    sf[d.FACTOR] = 1.0
    st = Discs(
        rec=rec,
        ri=line_aligned(8 * n, np.int32),
        ref=line_aligned(2 * n, np.float32),
        mass=mass,
        images=np.zeros(2 * n, np.int32),
        original=np.arange(n, dtype=np.int32),
        pool=np.zeros(pool, np.uint32),
        bins=np.full(bins, -1, np.int32),
        heap=np.zeros(n, np.uint32),
        cell=np.zeros(1, np.int32),
        cell_next=np.zeros(n, np.int32),
        grid_f=np.zeros(3 * d.MAX_LEVELS),
        grid_i=np.zeros(3 * d.MAX_LEVELS, np.int64),
        found=np.zeros(n, np.uint32),
        ring_time=np.zeros(d.RING),
        ring_pair=np.full(2 * d.RING, -1, np.int32),
        log=np.zeros(d.MOST_ROWS * d.LOG_COLUMNS),
        impacts=np.zeros(2 * d.HISTOGRAM + 1, np.int64),
        si=si,
        sf=sf,
    )
    _take_given(st, state.radii)
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
    si, sf = st.si, st.sf
    n = len(radii)
    si[d.COUNT] = n
    si[d.POOL_SIZE] = len(st.pool)
    si[d.EQUAL_MASSES] = int(len(st.mass) == 1)
    si[d.MASK] = len(st.bins) - 1
    si[d.EPOCH_LENGTH] = max(EVENTS_A_DISC * n, 16384)
    box = sf[[d.LX, d.LY]]
    sf[d.HALF_X], sf[d.HALF_Y] = 0.5 * box
    sf[d.FRACTION] = pi * float(np.square(radii).sum()) / float(box.prod())


def check_settings(scenario: Scenario, st: Discs, radii: NDArray[np.float64]) -> None:
    """InputError where the settings cannot hold for these discs."""
    hard = scenario.section(HardDiscs)
    periodic = bool(st.si[d.PERIODIC])
    if periodic and any(hard.gravity):
        raise InputError(
            f"hard_discs.gravity must be [0, 0] where box.boundary is periodic, not {list(hard.gravity)}: nothing "
            "would stop the fall",
            "hard_discs.gravity",
        )
    fraction = float(fraction_now(st))
    factor = float(st.sf[d.FACTOR] * (1.0 + st.sf[d.GAMMA] * st.sf[d.NOW]))
    widest = 2.0 * float(radii.max()) * factor
    if hard.growth_rate > 0.0:
        if hard.growth_to_fraction <= fraction:
            raise InputError(
                f"hard_discs.growth_to_fraction must be above the present volume fraction, {fraction:.6g}, while discs "
                f"grow, not {hard.growth_to_fraction:g}",
                "hard_discs.growth_to_fraction",
            )
        widest *= sqrt(hard.growth_to_fraction / fraction)
    side = float(min(st.sf[d.LX], st.sf[d.LY]))
    if periodic and len(radii) > 1 and 2.0 * widest >= side * (1.0 - 1e-6):
        raise InputError(
            f"a periodic box of side {side:g} is too small for discs that are {widest:g} wide"
            f"{' when grown' if hard.growth_rate > 0.0 else ''}: two of them would meet more than one image of each "
            "other; the side must be more than two diameters",
            "box.size",
        )


def apply_settings(hard: HardDiscs, st: Discs) -> None:
    """The settings in the arrays, at the beginning of an epoch; `check_settings` has passed."""
    si, sf = st.si, st.sf
    si[d.COLLAPSED] = 0
    if (sf[d.GX], sf[d.GY]) != hard.gravity:
        st.ri.reshape(-1, 8)[:, d.FLAGS] &= ~d.BORNE
    _take_settings(st, hard)
    mass, _, _, kinetic, _ = totals(st)
    sf[d.KINETIC] = kinetic
    fallen = 2.0 * hard.contact_time * sqrt(sf[d.GX] ** 2 + sf[d.GY] ** 2)
    sf[d.REST_KINETIC] = 0.5 * mass * fallen * fallen
    growing = int(hard.growth_rate > 0.0)
    if growing and not si[d.GROWING]:
        sf[d.MEAN_KINETIC] = kinetic
        sf[d.Z_VIRIAL], sf[d.Z_KINETIC_TIME] = sf[d.VIRIAL], sf[d.KINETIC_TIME]
        si[d.Z_CHECK] = si[d.PAIRS] + 25 * len(st.original)
    si[d.GROWING] = growing
    if not growing:
        si[d.Z_CHECK] = NEVER
    mean = float(st.rec.reshape(-1, 8)[:, d.R].mean())
    sf[d.GAMMA] = hard.growth_rate / (mean / sf[d.FACTOR]) / sf[d.FACTOR] if growing else 0.0


def _take_settings(st: Discs, hard: HardDiscs) -> None:
    """The settings that stand in the arrays as they stand in the scenario."""
    si, sf = st.si, st.sf
    sf[d.RESTITUTION] = hard.restitution
    sf[d.WALL_RESTITUTION] = hard.wall_restitution
    sf[d.CONTACT_TIME] = hard.contact_time
    sf[d.GX], sf[d.GY] = hard.gravity
    si[d.GRAVITY] = int(any(hard.gravity))
    sf[d.GROWTH_FACTOR] = sqrt(hard.growth_to_fraction / sf[d.FRACTION])


def arrays_of(st: Discs) -> dict[str, NDArray[Any]]:
    """Copies of all arrays but the scratch ones."""
    return {name: value.copy() for name, value in st._asdict().items() if name not in d.SCRATCH}


def restored(arrays: Mapping[str, NDArray[Any]], hard: HardDiscs) -> Discs:
    """What `arrays_of` gave, with `radii` and `masses` (N,) in the caller's order. `hard` : the settings.

    Only what cannot be had otherwise is taken from `arrays`. Radii, masses, settings, shells and the grid are made
    anew: the same bits in what ran, and nothing that does not fit in what somebody has changed.
    """
    fields = {name: arrays[name].copy() for name in Discs._fields if name not in d.SCRATCH}
    for name in ("rec", "ri", "ref"):
        fields[name] = line_aligned(len(arrays[name]), arrays[name].dtype.type)
        fields[name][:] = arrays[name]
    mass, original = _mass_of(arrays["masses"]), arrays["original"]
    fields["mass"] = mass if len(mass) == 1 else mass[original]
    fields["found"] = np.zeros(len(original), np.uint32)
    st = Discs(**fields)
    _take_given(st, arrays["radii"])
    _take_settings(st, hard)
    st.rec.reshape(-1, 8)[:, d.R] = arrays["radii"][original] * st.sf[d.FACTOR]
    rebase = st.sf[d.REBASE]
    choose_shells(st)
    st.sf[d.REBASE] = min(rebase, st.sf[d.REBASE])  # the calendar may have made the epoch shorter
    return lay_grid(st)._replace(cell=fields["cell"])
