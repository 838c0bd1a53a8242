"""Whether the kernels of a gas, which do not check their indices, may be given a checkpoint.

Motion, sizes and counters have to be in range, and no disc may leave its shell before its event. What follows from
them is computed anew by `setup.restored`, and checked here as it is then; cells, neighbour lists and the event queue
are filled anew. The fields are described in `discs`.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.hard_discs import discs as d
from engine.hard_discs.cooling import NO_LAW, STRETCH
from engine.hard_discs.discs import DiscArrays
from engine.hard_discs.endings import NEVER
from engine.hard_discs.measures import SNAPSHOT
from engine.hard_discs.section import HardDiscs
from engine.hard_discs.setup import restored
from engine.limits import FASTEST, MAX_SIDE, MIN_SIDE, SMALLEST
from engine.saved import (
    MOST_COUNTED,
    Arrays,
    Shape,
    close,
    disc_count,
    finite,
    need,
    need_shapes,
    permutation,
    within,
)
from engine.scenario import Scenario

_WHOLE = tuple(name for name in d.STATE.names or () if d.STATE[name].kind == "i")
_REAL = tuple(name for name in d.STATE.names or () if d.STATE[name].kind == "f")
_MAY_BE_INFINITE = ("epoch_end", "rest_kinetic")
# sums over collisions, below 0 where gravity has added energy between two of them that they do not hold
_SUMS = ("kinetic_energy", "kinetic_integral", "z_kinetic_integral")
_BELOW_ZERO = ("epoch_rest", "gx", "gy", "stall_time", *_SUMS)
_NONE = ("bin", "free_block", "free_waiting")  # -1 for none
_LONGER = ("stall_check", "z_check", "next_row")  # numbers of collisions that may stand for "never"
_MOST_BINS = 1 << 50  # bins of the calendar in an epoch
_HEAVIEST = 1e100


def check_arrays(arrays: Arrays, scenario: Scenario) -> None:
    """InputError unless the kernels can go on with `arrays`. O(N log N).

    Files may hold arrays that are made anew (`discs.REBUILT`) too: they are ignored.
    """
    arrays = {name: array for name, array in arrays.items() if name not in d.REBUILT}
    count = disc_count(arrays)
    need_shapes(arrays, _shapes(count))
    state = arrays["state"][0]
    _check_counters(state)
    _check_numbers(state)
    _check_sizes(arrays, scenario)
    _check_motion(arrays)
    _check_records(arrays, count)
    st = restored(arrays, scenario.section(HardDiscs))
    need(not (st.state.gravity and st.state.periodic), "there is gravity in a periodic box")
    flags = st.motion["flags"]
    need(bool(st.state.gravity) or ((flags & d.HELD) == 0).all(), "a disc is held by a wall without gravity")
    _check_events(st)
    _check_shells(st)


def _shapes(count: int) -> dict[str, tuple[type[np.generic] | np.dtype[Any], Shape]]:
    """Type and shape of each array."""
    whole, real = np.int32, np.float64
    return {
        "motion": (d.MOTION, (count,)),
        "entry": (d.ENTRY, (count,)),
        "place": (d.PLACE, (count,)),
        "original": (whole, (count,)),
        "newest": (d.CONTACT, (d.RING,)),
        "log": (d.ROW, (d.MOST_ROWS,)),
        "impacts": (np.int64, (2 * d.HISTOGRAM + 1,)),
        "state": (d.STATE, (1,)),
        "radii": (real, (count,)),
        "masses": (real, (count,)),
        "clock": (real, (1,)),
        "since": (SNAPSHOT, (1,)),
        "stretches": (STRETCH, (None,)),
        "collapse_time": (real, (None,)),
        "collapse_discs": (whole, (None,)),
    }


def _check_counters(state: Any) -> None:
    """Counters and settings."""
    for name in _WHOLE:
        least, most = -1 if name in _NONE else 0, 4 * MOST_COUNTED if name in _LONGER else MOST_COUNTED - 1
        need(least <= state[name] <= most, f"{name} is out of range")
    for flag in ("periodic", "growing", "collapsed", "count_impacts"):
        need(state[flag] <= 1, "a setting is out of range")
    need(1 <= state["rows"] <= d.MOST_ROWS and 1 <= state["row_step"] < 1 << 50, "its history is out of range")
    need(bool(state["growing"]) or state["z_check"] == NEVER, "its growth does not fit")


def _check_numbers(state: Any) -> None:
    """Times, energies, the box."""
    for name in _REAL:
        need(name in _MAY_BE_INFINITE or np.isfinite(state[name]), f"{name} is not finite")
        need(name in _BELOW_ZERO or state[name] >= 0.0, f"{name} is below 0")
    need(min(state["lx"], state["ly"]) >= MIN_SIDE, "the sides of its box are out of range")
    need(max(state["lx"], state["ly"]) <= MAX_SIDE, "the sides of its box are out of range")
    need(state["bins_per_time"] > 0.0, "its calendar is out of range")


def _check_sizes(arrays: Arrays, scenario: Scenario) -> None:
    """Radii, masses and growth."""
    state, radii, masses = arrays["state"][0], arrays["radii"], arrays["masses"]
    count, box, factor = len(radii), np.array([state["lx"], state["ly"]]), state["radius_factor"]
    need(((radii >= 0.5 * SMALLEST * box.max()) & (radii <= box.min())).all(), "a radius is out of range")
    need(((masses > 1.0 / _HEAVIEST) & (masses < _HEAVIEST)).all(), "a mass is out of range")
    need(1.0 <= factor <= MAX_SIDE / MIN_SIDE, "its growth is out of range")
    largest = float(radii.max() * factor)
    filled = np.square(radii * factor / box[0]).sum() * np.pi * (box[0] / box[1])
    need(filled <= 1.0 and 2.0 * largest <= box.min() * (1.0 + 1e-6), "its discs do not fit into the box")
    need(not state["periodic"] or count == 1 or 4.0 * largest < box.min(), "its discs do not fit into the box")
    if state["growing"]:
        rate = scenario.section(HardDiscs).growth_rate
        need(rate > 0.0, "its growth is not that of its scenario")
        close(state["growth_rate"] * factor * radii.mean(), rate, rate, "its growth")
    else:
        need(state["growth_rate"] == 0.0, "its growth does not fit")


def _check_motion(arrays: Arrays) -> None:
    """Positions, velocities and times."""
    state, motion, count = arrays["state"][0], arrays["motion"], len(arrays["radii"])
    permutation(arrays["original"], count, "the order of the discs")
    for name in ("x", "y", "vx", "vy", "time"):
        finite(motion[name], "the motion of a disc")
    need((arrays["entry"]["last_contact"] < inf).all(), "the last contact of a disc is out of range")
    for name in ("vx", "vy"):
        need((np.abs(motion[name]) <= 1e3 * FASTEST).all(), "a disc is too fast")
    time = motion["time"]
    need(((time >= 0.0) & (time <= state["now"])).all(), "the time of a disc is out of range")
    for axis in ("x", "y"):
        side, reference = state["l" + axis], arrays["place"][axis].astype(np.float64)
        need((np.abs(reference - 0.5 * side) <= 0.501 * side).all(), "a reference point is not in the box")


def _vectors(records: NDArray[Any], x: str = "x", y: str = "y") -> NDArray[np.float64]:
    """Two fields of records (N,) as vectors (N, 2)."""
    return np.column_stack((records[x], records[y])).astype(np.float64)


def _check_events(st: DiscArrays) -> None:
    """The next event of each disc, and where it comes in the calendar."""
    count, hits = len(st.entry), st.motion["hits"]
    event, renewal, what = st.entry["event"], st.motion["renewal"], st.entry["what"]
    need((event >= st.state.now * (1.0 - 1e-6)).all(), "an event lies in the past")
    need((event <= renewal).all(), "a disc is predicted anew before its event")
    within(what, d.SHELL if st.state.periodic else d.WALL_TOP, count, "an event")
    need((what != np.arange(count)).all(), "a disc meets itself")
    need((what[np.isfinite(renewal)] != d.NOTHING).all(), "an event is of no known kind")
    need((hits >= 0).all() and (hits < 1 << 30).all(), "a counter of a disc is out of range")
    waits = event[np.isfinite(event) & (event <= st.state.epoch_end)]
    need((waits * st.state.bins_per_time < _MOST_BINS).all(), "its calendar is out of range")


def _check_shells(st: DiscArrays) -> None:
    """Every disc is in its shell, and stays there until its event or the end of the epoch.

    That bounds how far it flies and which cells it comes to.
    """
    state, motion = st.state, st.motion
    reach = state.shell_radius * (1.0 + 1e-3) + float(state.reach_slack)
    away, velocity = _vectors(motion) - _vectors(st.place), _vectors(motion, "vx", "vy")
    need((np.abs(away) <= reach).all(), "a disc is not in its shell")
    held = st.motion["flags"][:, None] & np.array([d.HELD_X, d.HELD_Y]) != 0
    gravity = np.where(held, 0.0, np.array([state.gx, state.gy]))
    moves = ((velocity != 0.0) | (gravity != 0.0)).any(axis=1)
    event, end = st.entry["event"][moves], max(state.now, state.epoch_end)
    left = (np.where(event <= state.epoch_end, event, end) - motion["time"][moves])[:, None]
    need(np.isfinite(left).all(), "a disc moves, and nothing ever happens to it")
    away, velocity, gravity = away[moves], velocity[moves], gravity[moves]
    if state.gravity:
        way = np.hypot(*velocity.T)[:, None] * left + 0.5 * np.hypot(*gravity.T)[:, None] * left * left
        need((way <= 2.0 * reach).all(), "a disc leaves its shell before its event")
    else:
        need((np.abs(away + velocity * left) <= reach).all(), "a disc leaves its shell before its event")


def _check_records(arrays: Arrays, count: int) -> None:
    """History, newest collisions, measures, stretches, clock, collapse."""
    state, stretches, since = arrays["state"][0], arrays["stretches"], arrays["since"]
    for name in ("one", "other"):
        within(arrays["newest"][name], -1, count, "a collision")
    finite(arrays["newest"]["time"], "the time of a collision")
    need((arrays["impacts"] >= 0).all(), "a counter is out of range")
    log = arrays["log"][: int(state["rows"])]
    for name in d.ROW.names or ():
        finite(log[name], "its history")
        need(name == "kinetic_energy" or (log[name] >= 0.0).all(), "its history is out of range")
    need((np.diff(log["time"]) >= 0.0).all(), "its history is not in order")
    for name in SNAPSHOT.names or ():
        finite(since[name], "a measure")
    for name in STRETCH.names or ():
        finite(stretches[name], "a stretch of the run")
        least, most = (NO_LAW, 1.0) if name == "restitution" else (0.0, inf)
        need(((stretches[name] >= least) & (stretches[name] <= most)).all(), "a stretch is out of range")
    need(len(stretches) >= 1, "it has no stretches of the run")
    need((np.diff(stretches["time"]) > 0.0).all(), "the stretches of the run are not in order")
    finite(arrays["clock"], "the time")
    clock = float(arrays["clock"][0])
    now = float(state["epoch"] + state["epoch_rest"] + state["now"])
    need(clock >= 0.0, "the time is below 0")
    close(clock, now, max(now, 1e-300), "the time")
    time, discs = arrays["collapse_time"], arrays["collapse_discs"]
    need(len(time) <= 1 and len(discs) <= d.RING * len(time), "the discs of a collapse are out of range")
    finite(time, "a collapse")
    within(discs, 0, count, "a disc of a collapse")
