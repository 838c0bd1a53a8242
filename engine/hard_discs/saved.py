"""Checkpoints of a gas, and restoring arrays from them.

Saved is what nothing else determines: motion, predictions and shells of the discs, counters, sums, the history.
Settings and radii follow from the scenario and the initial sizes; the grid, neighbour lists and the event queue are
rebuilt. The results do not depend on their layout.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Arrays
from engine.boundary import Periodic
from engine.errors import FASTEST, MAX_SIDE, MIN_SIDE, fault_of_flow
from engine.hard_discs import discs as d
from engine.hard_discs.discs import DiscArrays, dimensions_of
from engine.hard_discs.epoch import build_grid, choose_shells, set_radii
from engine.hard_discs.measures import WALLS
from engine.hard_discs.pressure import NO_LAW
from engine.hard_discs.room import longer_lists
from engine.hard_discs.section import HardDiscs
from engine.hard_discs.setup import copy_settings, empty_arrays, requeued, set_constants
from engine.hard_discs.shells import build_lists, place_discs
from engine.records import along, columns
from engine.saved import (
    ABOVE_0,
    BOUNDARY,
    COUNTER,
    EVER,
    MASS,
    MOST,
    MOST_COUNTED,
    RADIUS,
    SIDE,
    SINCE_START,
    SavedArray,
    Values,
    check_radii,
    need,
    number_of,
    periodic_in,
    real,
    take,
    whole,
)
from engine.scenario import Scenario
from engine.state import volume_fraction

_MOST_BINS = 1 << 50
"""Bins of the calendar in an epoch."""

_SPEED = real(-1e3 * FASTEST, 1e3 * FASTEST)
_COLLISIONS_AHEAD = whole(0, 4 * MOST_COUNTED)
"""A number of collisions at which something is due, `NEVER` for never."""

_ANY = whole(-(1 << 31), (1 << 31) - 1, "i4")

_PUSHES = " ".join(f"push_{wall}" for wall in WALLS)

_STATE = {
    "growth_rate": real(0.0),
    "rest_kinetic epoch_end": EVER,
    "wanted_kinetic": real(0.0),
    "now epoch": SINCE_START,
    "epoch_rest": real(),
    "radius_factor": real(1.0, MAX_SIDE / MIN_SIDE),
    "bins_per_time": real(ABOVE_0),
    # sums over collisions, which may be below 0 because gravity adds energy between collisions
    "kinetic_energy kinetic_integral z_kinetic_integral": real(),
    _PUSHES: real(0.0),
    "kinetic_com kinetic_since virial z_virial z_last stall_bound": real(0.0),
    "stall_time": real(),
    "periodic": BOUNDARY,
    "growing count_impacts collapsed sheared": whole(0, 1),
    "shear_rate strain virial_xx virial_yy virial_zz virial_xy": real(),
    "pair_collisions wall_collisions stale_events shell_events stabilising_events three_body_events": COUNTER,
    "epoch_events epochs work pair_tests jumps quiet": COUNTER,
    "rows": whole(1, d.MOST_ROWS),
    "row_step": whole(1, (1 << 50) - 1),
    "next_row stall_check z_check": _COLLISIONS_AHEAD,
}
"""Fields of `discs.STATE` that do not follow from others or from the scenario, without the box."""

STRETCHES = SavedArray(
    {"time": SINCE_START, "restitution": real(NO_LAW, 1.0), "energy rate": real(0.0)},
    ("stretches",),
    fewest=1,
    rising="time",
)
"""Each `cooling.Stretch`."""


@cache
def saved(dimensions: int) -> dict[str, SavedArray]:
    """The arrays of a checkpoint of a gas in so many dimensions.

    motion, entry : fields of `discs.MOTION` and `discs.ENTRY`; place (N,) : the centres of the shells; original (N,) :
    the caller's number of each disc; newest : the last collisions; log (K,) : the history; impacts : see
    `simulation.impact_histogram`; state : fields of `discs.STATE` that do not follow from others or from the scenario;
    radii (N,), masses (N,) : at the start of the run, by the caller's numbers; clock (1,) : the time; since : the
    `measures.Snapshot` from which on the gas is measured; stretches : each `cooling.Stretch`; collapse_time (0,) or
    (1,), collapse_discs (k,) : the first inelastic collapse.
    """

    def each(name: str) -> str:
        return " ".join(along(name, dimensions))

    walls = d.WALL_BACK if dimensions > 2 else d.WALL_TOP
    return {
        "motion": SavedArray(
            {
                each(""): real(),
                each("v"): _SPEED,
                "time": SINCE_START,
                "renewal": EVER,
                "hits": whole(0, (1 << 30) - 1, "i4"),
                "flags": whole(0, (d.MAX_LEVELS << d.LEVEL_BIT) - 1, "i4"),
            },
            ("discs",),
        ),
        "entry": SavedArray(
            {
                "event": EVER,
                "last_contact": real(-inf, MOST),
                "what": Values("i4", walls, "discs"),
                f"partner_hits {each('image_')}": _ANY,
            },
            ("discs",),
        ),
        "place": SavedArray({each(""): Values("f4", -MAX_SIDE, 2.0 * MAX_SIDE)}, ("discs",)),
        "original": SavedArray(number_of("discs"), ("discs",), once="all"),
        "newest": SavedArray({"time": real(), "one other": number_of("discs", none=True)}, (d.RING,)),
        "log": SavedArray(
            {
                "time": SINCE_START,
                "kinetic_energy": real(),
                "collisions virial volume_fraction": real(0.0),
                "thermal_energy": real(0.0),
                "heat strain": real(),
                "virial_xx virial_yy virial_zz virial_xy flight_xx flight_yy flight_zz flight_xy": real(),
            },
            ("rows",),
            rising="time",
        ),
        "impacts": SavedArray(COUNTER, (2 * d.HISTOGRAM + 1,)),
        "state": SavedArray({each("l"): SIDE} | _STATE, (1,)),
        "radii": SavedArray(RADIUS, ("discs",)),
        "masses": SavedArray(MASS, ("discs",)),
        "clock": SavedArray(SINCE_START, (1,)),
        "since": SavedArray(
            {
                "time": SINCE_START,
                "pairs walls stabilised three_body": COUNTER,
                "virial kinetic_time energy": real(),
                "before": real(0.0),
                _PUSHES: real(0.0),
                each("momentum_"): real(),
            },
            (1,),
        ),
        "stretches": STRETCHES,
        "collapse_time": SavedArray(real(), ("collapses",)),
        "collapse_discs": SavedArray(number_of("discs"), ("discs of a collapse",)),
    }


def arrays_of(st: DiscArrays) -> dict[str, NDArray[Any]]:
    """The arrays of a checkpoint of a gas; some are views of those of the gas."""
    declared = saved(dimensions_of(st))
    state = np.array([st.state.tolist()], d.STATE)
    return {
        "motion": declared["motion"].of_rows(st.motion),
        "entry": declared["entry"].of_rows(st.entry),
        "place": declared["place"].of_rows(st.place),
        "original": st.original,
        "newest": st.newest,
        "log": st.log[: int(st.state.rows)],
        "impacts": st.impacts,
        "state": declared["state"].of_rows(state),
    }


_PUSHED = set(_PUSHES.split())
_FLOW_SUMS = {f"virial_{axes}" for axes in ("xx", "yy", "zz", "xy")}
_BEFORE_FLOW: dict[str, set[str]] = {
    "log": _FLOW_SUMS | {f"flight_{axes}" for axes in ("xx", "yy", "zz", "xy")} | {"strain"},
    "since": _PUSHED,
    "state": _FLOW_SUMS | _PUSHED | {"sheared", "shear_rate", "strain"},
}
"""What checkpoints lack that are older than the flow and the pressure on walls (29 November 2026): all of it is 0."""
_BEFORE_HEAT = {
    "log": _BEFORE_FLOW["log"] | {"thermal_energy", "heat"},
    "since": _PUSHED | {"before"},
    "state": _BEFORE_FLOW["state"],
}
"""What those lack that are a day older still."""


def checked_arrays(arrays: Arrays, dimensions: int) -> dict[str, NDArray[Any]]:
    """The declared arrays of a checkpoint, in range. Raises InputError."""
    declared = saved(dimensions)
    lacking = {
        name: set(declared[name].fields) - set(arrays[name].dtype.names or ())
        for name in _BEFORE_HEAT
        if name in arrays
    }
    if lacking not in (_BEFORE_FLOW, _BEFORE_HEAT):
        return take(arrays, declared, {})
    added = {name: dict.fromkeys(fields, np.zeros(1)) for name, fields in lacking.items()}
    old = {name: declared[name].of_rows(arrays[name], **more) for name, more in added.items()}
    found = take({**arrays, **old}, declared, {})
    if lacking == _BEFORE_HEAT:
        _add_heat(found)
    return found


def _add_heat(found: Arrays) -> None:
    """Add the thermal energy to a checkpoint from before 28 November 2026, whose sums were of all kinetic energy, in
    place: the motion of all discs together is constant. Of the history it is added up by trapezia, up to the present
    sum. The last check of the pressure of growing discs, whose time is not known, counts as if it had been when the
    epoch began."""
    state, since, log = found["state"][0], found["since"][0], found["log"]
    if not state["periodic"]:
        state["kinetic_com"] = 0.0
    common = float(state["kinetic_com"])
    for sums in ("kinetic_integral", "z_kinetic_integral"):
        state[sums] -= common * state["epoch"]
    since["kinetic_time"] -= common * since["time"]
    rows = log[: int(state["rows"])]
    rows["thermal_energy"] = np.maximum(rows["kinetic_energy"] - common, 0.0)
    energy = np.append(rows["thermal_energy"], max(float(state["kinetic_energy"]) - common, 0.0))
    times = np.append(rows["time"], found["clock"][0])
    heat = np.concatenate([[0.0], np.cumsum(0.5 * (energy[1:] + energy[:-1]) * np.diff(times))])
    now = state["kinetic_integral"] - common * state["now"]
    now += state["kinetic_energy"] * (state["now"] - state["kinetic_since"])
    rows["heat"] = heat[:-1] + (now - heat[-1])


def check(arrays: Arrays, scenario: Scenario) -> None:
    """Raise InputError unless kernels can safely continue with the result of `restored`. O(N log N)."""
    found = checked_arrays(arrays, scenario.dimensions)
    state = found["state"][0]
    need(state["rows"] == len(found["log"]), "rows of state must be the length of log")
    hard = scenario.section(HardDiscs)
    periodic = periodic_in(state, scenario.dimensions)
    fall = hard.gravity_in(scenario.dimensions)
    need(not any(fall[axis] for axis in periodic.axes), "there must be no gravity along a periodic axis")
    _check_flow(state, scenario)
    _check_sizes(found, hard.growth_rate)
    _check_events(found, periodic)


def _check_flow(state: Any, scenario: Scenario) -> None:
    """Check that images are where kernels look for them, and that the scenario has the flow of the velocities."""
    strain, rate = float(state["strain"]), float(state["shear_rate"])
    need(rate == scenario.shear.rate, f"shear_rate of state must be {scenario.shear.rate:g}")
    need(bool(state["sheared"]) or strain == rate == 0.0, "sheared of state must be 1 where discs flow")
    if state["sheared"]:
        around = periodic_in(state, scenario.dimensions).all
        need(around, "only a box that is periodic along every axis is sheared")
        need(not state["growing"], "discs that flow must not grow")
        for one in (strain, strain + rate * float(state["now"])):
            need(not (fault := fault_of_flow(one, rate, np.array([state["lx"], state["ly"]]), True)), fault)


def _check_sizes(found: Arrays, growth_rate: float) -> None:
    """Check that the discs fit into the box, and that they grow as their scenario says (`growth_rate`)."""
    state, radii, place = found["state"][0], found["radii"], found["place"]
    axes = place.dtype.names or ()
    box, factor = np.array([state[f"l{axis}"] for axis in axes]), state["radius_factor"]
    check_radii(radii, box, periodic=False)
    check_radii(radii * factor, box, periodic=False)
    need(volume_fraction(radii * factor / box[0], box / box[0]) <= 1.0, "the discs must fill no more than the box")
    period = periodic_in(state, len(box)).periods(box).min()
    need(len(radii) == 1 or 4.0 * radii.max() * factor < period, "a disc is too large")
    rate = state["growth_rate"] * factor * radii.mean()
    wanted = growth_rate if state["growing"] else 0.0
    need(abs(rate - wanted) <= 1e-6 * wanted, f"the growth rate must be {wanted:g}")
    need(growth_rate > 0.0 or not state["growing"], "growing of state must be 0")
    inside = np.abs(columns(place, *axes) - 0.5 * box) <= 0.501 * box
    need(bool(inside.all()), "place must be in the box")


def _check_events(found: Arrays, periodic: Periodic) -> None:
    """Check the next event of each disc and its place in the calendar."""
    state, event, what = found["state"][0], found["entry"]["event"], found["entry"]["what"]
    walls = (d.WALL_LEFT - what[what < d.SHELL]) // 2
    need(not np.isin(walls, periodic.axes).any(), "what of entry must be no wall along a periodic axis")
    need(bool((what != np.arange(len(what))).all()), "what of entry must be another disc")
    need(bool((what[np.isfinite(found["motion"]["renewal"])] != d.NOTHING).all()), "what of entry must be an event")
    need(state["epoch"] <= found["clock"][0] * (1.0 + 1e-9), "epoch of state must have begun before the clock")
    times = np.append(event[np.isfinite(event) & (event <= state["epoch_end"])], state["now"])
    need(bool((times * state["bins_per_time"] < _MOST_BINS).all()), "bins_per_time of state must fit the events")


def _with_grid(found: Arrays, scenario: Scenario) -> DiscArrays:
    """The arrays of a gas, its grid and lists sized and empty. found : as `checked_arrays` returns it.

    Radii, masses, settings, shells and the size of the grid are computed as in a run: with the same bits, and
    consistently even if the file was edited.
    """
    radii, rows = found["radii"], int(found["state"]["rows"][0])
    declared = saved(scenario.dimensions)
    st = empty_arrays(found["masses"][found["original"]], scenario.dimensions)
    for array, rows_of in ((st.motion, "motion"), (st.entry, "entry"), (st.place, "place"), (st.newest, "newest")):
        for name in declared[rows_of].fields:
            array[name] = found[rows_of][name]
    for name in declared["state"].fields:
        st.state[name] = found["state"][name][0]
    for name in declared["log"].fields:
        st.log[name][:rows] = found["log"][name][:rows]
    st.original[:], st.impacts[:] = found["original"], found["impacts"]
    set_constants(st, radii)
    copy_settings(st, scenario)
    set_radii(st, radii, st.state.radius_factor)
    choose_shells(st, radii)
    until = float(found["state"]["epoch_end"][0])
    st.state.epoch_end = min(until, st.state.epoch_end)  # the calendar may have made the epoch shorter
    return build_grid(st, radii)


def restored(arrays: Mapping[str, NDArray[Any]], scenario: Scenario) -> tuple[DiscArrays, tuple[Any, ...]]:
    """The arrays of a run that continues from a checkpoint, which `check` accepts, and the values of its
    `measures.Snapshot`; nothing is shared with it."""
    found = checked_arrays(arrays, scenario.dimensions)
    st = _with_grid(found, scenario)
    count, first = len(st.original), 0
    while (first := place_discs(st, first, count, True)) < count:
        st = longer_lists(st)
    first = 0
    while (first := build_lists(st, first, count)) < count:
        st = longer_lists(st)
    return requeued(st), found["since"].tolist()[0]
