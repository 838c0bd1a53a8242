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

from engine.hard_discs import discs as d
from engine.hard_discs.cooling import NO_LAW
from engine.hard_discs.discs import DiscArrays, axes_of, dimensions_of, gravity_of
from engine.hard_discs.endings import NEVER
from engine.hard_discs.epoch import build_grid, choose_shells, set_radii
from engine.hard_discs.room import longer_lists
from engine.hard_discs.section import HardDiscs
from engine.hard_discs.setup import copy_settings, empty_arrays, requeued, set_constants
from engine.hard_discs.shells import build_lists, place_discs
from engine.limits import FASTEST, MAX_SIDE, MIN_SIDE
from engine.records import along, columns
from engine.saved import (
    ABOVE_0,
    COUNTER,
    EVER,
    MASS,
    MOST,
    MOST_COUNTED,
    RADIUS,
    SIDE,
    SINCE_START,
    Arrays,
    SavedArray,
    Values,
    check_radii,
    close,
    disc_count,
    discs_fit,
    need,
    number_of,
    permutation,
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
    "kinetic_com kinetic_since virial z_virial z_last stall_bound": real(0.0),
    "stall_time": real(),
    "periodic growing count_impacts collapsed": whole(0, 1),
    "pair_collisions wall_collisions stale_events shell_events stabilising_events three_body_events": COUNTER,
    "epoch_events epochs work pair_tests jumps quiet": COUNTER,
    "rows": whole(1, d.MOST_ROWS),
    "row_step": whole(1, (1 << 50) - 1),
    "next_row stall_check z_check": _COLLISIONS_AHEAD,
}
"""Fields of `discs.STATE` that do not follow from others or from the scenario, without the box."""

STRETCHES = SavedArray(
    {"time": SINCE_START, "restitution": real(NO_LAW, 1.0), "energy rate": real(0.0)}, ("stretches",)
)
"""Each `cooling.Stretch`."""


@cache
def saved(dimensions: int) -> dict[str, SavedArray]:
    """The arrays of a checkpoint of a gas in so many dimensions.

    motion, entry : fields of `discs.MOTION` and `discs.ENTRY`; place (N,) : the centres of the shells; original (N,) :
    the caller's number of each disc; newest : the last collisions; log (K,) : the history, of which the first `rows`
    are used; impacts : see `simulation.impact_histogram`; state : fields of `discs.STATE` that do not follow from
    others or from the scenario; radii (N,), masses (N,) : at the start of the run, by the caller's numbers;
    clock (1,) : the time; since : the `measures.Snapshot` from which on the gas is measured; stretches : each
    `cooling.Stretch`; collapse_time (0,) or (1,), collapse_discs (k,) : the first inelastic collapse.
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
        "original": SavedArray(number_of("discs"), ("discs",)),
        "newest": SavedArray({"time": real(), "one other": number_of("discs", none=True)}, (d.RING,)),
        "log": SavedArray(
            {
                "time": SINCE_START,
                "kinetic_energy": real(),
                "collisions virial volume_fraction": real(0.0),
                "thermal_energy": real(0.0, missing=0.0),
                "heat": real(missing=0.0),
            },
            ("rows",),
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
                "before": real(0.0, missing=0.0),
                each("momentum_"): real(),
            },
            (1,),
        ),
        "stretches": STRETCHES,
        "collapse_time": SavedArray(real(), ("collapses",)),
        "collapse_discs": SavedArray(number_of("discs"), ("discs of a collapse",)),
    }


def arrays_of(st: DiscArrays) -> dict[str, NDArray[Any]]:
    """The arrays of a checkpoint that are made of those of a gas; some are views of these."""
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


def taken(arrays: Arrays, dimensions: int) -> dict[str, NDArray[Any]]:
    """The declared arrays of a checkpoint, in range. Raises InputError."""
    found = take(arrays, saved(dimensions), {"discs": disc_count(arrays)})
    if "heat" not in (arrays["log"].dtype.names or ()):
        _add_heat(found)
    return found


def _add_heat(found: Arrays) -> None:
    """Add the thermal energy to a checkpoint of version 0.2.0, whose sums were of all kinetic energy, in place: the
    motion of all discs together is constant. Of the history it is added up by trapezia, up to the present sum. The last
    check of the pressure of growing discs, whose time is not known, counts as if it had been when the epoch began."""
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
    found = taken(arrays, scenario.dimensions)
    _check_sizes(found, scenario)
    _check_motion(found, scenario)
    _check_records(found)
    st = _with_grid(found, scenario)
    need(not (st.state.gravity and st.state.periodic), "there is gravity in a periodic box")
    flags = st.motion["flags"]
    need(bool(st.state.gravity) or ((flags & d.HELD) == 0).all(), "a disc is held by a wall without gravity")
    _check_events(st)
    _check_shells(st)


def _check_sizes(found: Arrays, scenario: Scenario) -> None:
    """Check radii and growth: the discs must fit into the box."""
    state, radii = found["state"][0], found["radii"]
    box = np.array([state[side] for side in along("l", scenario.dimensions)])
    count, factor = len(radii), state["radius_factor"]
    check_radii(radii, box)
    largest = float(radii.max() * factor)
    filled = volume_fraction(radii * factor / box[0], box / box[0])
    need(filled <= 1.0 and discs_fit(largest, box), "its discs do not fit into the box")
    need(not state["periodic"] or count == 1 or 4.0 * largest < box.min(), "its discs do not fit into the box")
    if state["growing"]:
        rate = scenario.section(HardDiscs).growth_rate
        need(rate > 0.0, "its growth is not that of its scenario")
        close(state["growth_rate"] * factor * radii.mean(), rate, rate, "its growth")
    else:
        need(state["growth_rate"] == 0.0 and state["z_check"] == NEVER, "its growth does not fit")


def _check_motion(found: Arrays, scenario: Scenario) -> None:
    """Check positions and times of discs."""
    state = found["state"][0]
    permutation(found["original"], len(found["radii"]), "the order of the discs")
    need((found["motion"]["time"] <= state["now"]).all(), "the time of a disc is out of range")
    for axis in "xyz"[: scenario.dimensions]:
        side, reference = state["l" + axis], found["place"][axis].astype(np.float64)
        need((np.abs(reference - 0.5 * side) <= 0.501 * side).all(), "a reference point is not in the box")


def _check_records(found: Arrays) -> None:
    """Check history, stretches, clock and collapse."""
    state, stretches, log = found["state"][0], found["stretches"], found["log"]
    need(state["rows"] <= len(log) <= d.MOST_ROWS, "its history is out of range")
    need((np.diff(log["time"][: state["rows"]]) >= 0.0).all(), "its history is not in order")
    need(len(stretches) >= 1, "it has no stretches of the run")
    need((np.diff(stretches["time"]) > 0.0).all(), "the stretches of the run are not in order")
    now = float(state["epoch"] + state["epoch_rest"] + state["now"])
    close(found["clock"][0], now, max(now, 1e-300), "the time")
    collapses = len(found["collapse_time"])
    need(collapses <= 1 and len(found["collapse_discs"]) <= d.RING * collapses, "a collapse is out of range")


def _check_events(st: DiscArrays) -> None:
    """Check the next event of each disc and its place in the calendar."""
    event, renewal, what = st.entry["event"], st.motion["renewal"], st.entry["what"]
    need((event >= st.state.now * (1.0 - 1e-6)).all(), "an event lies in the past")
    need((event <= renewal).all(), "a disc is predicted again before its event")
    need(not st.state.periodic or what.min() >= d.SHELL, "a disc meets a wall that is not there")
    need((what != np.arange(len(what))).all(), "a disc meets itself")
    need((what[np.isfinite(renewal)] != d.NOTHING).all(), "an event is of no known kind")
    waits = event[np.isfinite(event) & (event <= st.state.epoch_end)]
    need((waits * st.state.bins_per_time < _MOST_BINS).all(), "its calendar is out of range")


def _check_shells(st: DiscArrays) -> None:
    """Check that every disc is in its shell and stays there until its event or the end of the epoch.

    This bounds how far it flies and which cells it reaches.
    """
    state, motion = st.state, st.motion
    reach = state.shell_radius * (1.0 + 1e-3) + float(state.reach_slack)
    axes = axes_of(st)
    away, velocity = columns(motion, *axes) - columns(st.place, *axes), columns(motion, *(f"v{axis}" for axis in axes))
    need((np.abs(away) <= reach).all(), "a disc is not in its shell")
    held = st.motion["flags"][:, None] & np.array([d.HELD_X, d.HELD_Y, d.HELD_Z][: len(axes)]) != 0
    gravity = np.where(held, 0.0, np.array(gravity_of(st)))
    moves = ((velocity != 0.0) | (gravity != 0.0)).any(axis=1)
    event, end = st.entry["event"][moves], max(state.now, state.epoch_end)
    left = (np.where(event <= state.epoch_end, event, end) - motion["time"][moves])[:, None]
    need(np.isfinite(left).all(), "a disc moves, and nothing ever happens to it")
    away, velocity, gravity = away[moves], velocity[moves], gravity[moves]
    if state.gravity:
        way = (
            np.linalg.norm(velocity, axis=1)[:, None] * left
            + 0.5 * np.linalg.norm(gravity, axis=1)[:, None] * left * left
        )
        need((way <= 2.0 * reach).all(), "a disc leaves its shell before its event")
    else:
        need((np.abs(away + velocity * left) <= reach).all(), "a disc leaves its shell before its event")


def _with_grid(found: Arrays, scenario: Scenario) -> DiscArrays:
    """The arrays of a gas, its grid and lists sized and empty. found : as `taken` gives it.

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
    copy_settings(st, scenario.section(HardDiscs))
    set_radii(st, radii, st.state.radius_factor)
    choose_shells(st, radii)
    until = float(found["state"]["epoch_end"][0])
    st.state.epoch_end = min(until, st.state.epoch_end)  # the calendar may have made the epoch shorter
    return build_grid(st, radii)


def restored(arrays: Mapping[str, NDArray[Any]], scenario: Scenario) -> tuple[DiscArrays, tuple[Any, ...]]:
    """The arrays of a run that continues from a checkpoint, which `check` accepts, and the values of its
    `measures.Snapshot`; nothing is shared with it."""
    found = taken(arrays, scenario.dimensions)
    st = _with_grid(found, scenario)
    count, first = len(st.original), 0
    while (first := place_discs(st, first, count, True)) < count:
        st = longer_lists(st)
    first = 0
    while (first := build_lists(st, first, count)) < count:
        st = longer_lists(st)
    return requeued(st), found["since"].tolist()[0]
