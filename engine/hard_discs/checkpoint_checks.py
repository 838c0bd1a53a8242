"""Whether a checkpoint of a gas may be given to its kernels.

Primary state (motion, sizes, counters) has to be in range. What follows from it is made anew when it is restored
(`setup.restored`), and is looked at here as it will be then. Lists, chains and queue, whose order decides between
events at the same time, are taken as they are: every index has to be in range, no list and no chain may go in a circle,
every disc has to stand in each structure as often as it belongs there, and no disc may leave its shell before its
event. See `discs` for the names of the columns.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.checkpoint_arrays import (
    MOST_COUNTED,
    Arrays,
    Shape,
    close,
    disc_count,
    finite,
    need,
    need_shapes,
    permutation,
    unique,
    within,
)
from engine.hard_discs import discs as d
from engine.hard_discs.cooling import NO_LAW, STRETCH
from engine.hard_discs.discs import Discs
from engine.hard_discs.endings import NEVER
from engine.hard_discs.measures import MARK
from engine.hard_discs.section import HardDiscs
from engine.hard_discs.setup import count_bins, restored
from engine.initial.checks import FASTEST, SMALLEST
from engine.scenario import Scenario
from engine.scenario.model import MAX_SIDE, MIN_SIDE

_WHOLE = tuple(name for name in d.STATE.names or () if d.STATE[name].kind == "i")
_REAL = tuple(name for name in d.STATE.names or () if d.STATE[name].kind == "f")
_MAY_BE_INFINITE = ("epoch_end", "rest_kinetic")
# sums over collisions: what gravity adds between two of them is not in them
_SUMS = ("kinetic_energy", "kinetic_integral", "z_kinetic_integral")
_BELOW_ZERO = ("epoch_rest", "gx", "gy", "stall_time", *_SUMS)
_LONGER = ("stall_check", "z_check", "next_row")  # counters that may stand for "never"
_MOST_BINS = 1 << 50  # bins of the calendar that an epoch may last
_HEAVIEST = 1e100


def check_arrays(arrays: Arrays, scenario: Scenario) -> None:
    """InputError unless the kernels can go on with `arrays`. O(N log N)."""
    count = disc_count(arrays)
    need_shapes(arrays, _shapes(count))
    state = arrays["state"][0]
    _check_counters(state)
    _check_numbers(state)
    _check_sizes(arrays, scenario)
    _check_motion(arrays)
    st = restored(arrays, scenario.section(HardDiscs))
    need(len(st.cell) == _cells_of(st), "its grid does not fit")
    need(not (st.state.gravity and st.state.periodic), "there is gravity in a periodic box")
    flags = st.entry["flags"]
    need(bool(st.state.gravity) or ((flags & d.BORNE) == 0).all(), "a disc is borne without gravity")
    _check_cells(st, flags >> d.LEVEL_BIT)
    _check_lists(st)
    _check_events(st)
    _check_shells(st)
    _check_queue(st)
    _check_records(arrays, count)


def _shapes(count: int) -> dict[str, tuple[type[np.generic] | np.dtype[Any], Shape]]:
    whole, real = np.int32, np.float64
    return {
        "motion": (d.MOTION, (count,)),
        "entry": (d.ENTRY, (count,)),
        "reference": (d.POINT, (count,)),
        "mass": (real, (None,)),
        "images": (d.CROSSINGS, (count,)),
        "original": (whole, (count,)),
        "pool": (np.uint32, (None,)),
        "bins": (whole, (None,)),
        "heap": (np.uint32, (count,)),
        "cell": (whole, (None,)),
        "cell_next": (whole, (count,)),
        "levels": (d.LEVEL, (d.MAX_LEVELS,)),
        "newest": (d.CONTACT, (d.RING,)),
        "log": (d.ROW, (d.MOST_ROWS,)),
        "impacts": (np.int64, (2 * d.HISTOGRAM + 1,)),
        "state": (d.STATE, (1,)),
        "radii": (real, (count,)),
        "masses": (real, (count,)),
        "clock": (real, (1,)),
        "since": (MARK, (1,)),
        "stretches": (STRETCH, (None,)),
        "collapse_time": (real, (None,)),
        "collapse_discs": (whole, (None,)),
    }


def _check_counters(state: Any) -> None:
    """Whole numbers of which there is one each."""
    for name in _WHOLE:
        least, most = -1 if name == "bin" else 0, 4 * MOST_COUNTED if name in _LONGER else MOST_COUNTED - 1
        need(least <= state[name] <= most, f"{name} is out of range")
    for flag in ("periodic", "growing", "collapsed", "count_impacts"):
        need(state[flag] <= 1, "a setting is out of range")
    need(1 <= state["rows"] <= d.MOST_ROWS and 1 <= state["row_step"] < 1 << 50, "its history is out of range")
    need(bool(state["growing"]) or state["z_check"] == NEVER, "its growth does not fit")


def _check_numbers(state: Any) -> None:
    """Real numbers of which there is one each."""
    for name in _REAL:
        need(name in _MAY_BE_INFINITE or np.isfinite(state[name]), f"{name} is not finite")
        need(name in _BELOW_ZERO or state[name] >= 0.0, f"{name} is below 0")
    need(min(state["lx"], state["ly"]) >= MIN_SIDE, "the sides of its box are out of range")
    need(max(state["lx"], state["ly"]) <= MAX_SIDE, "the sides of its box are out of range")
    need(state["bins_per_time"] > 0.0, "its calendar is out of range")


def _check_sizes(arrays: Arrays, scenario: Scenario) -> None:
    """Radii, masses and growth; arrays whose length is no matter of taste."""
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
    need(len(arrays["bins"]) == count_bins(count), "its calendar has another number of bins")
    need(1 <= state["pool_top"] <= len(arrays["pool"]), "its lists are out of range")
    need(len(arrays["mass"]) in (1, count), "its masses are out of range")


def _check_motion(arrays: Arrays) -> None:
    """Places, velocities and times."""
    state, motion, count = arrays["state"][0], arrays["motion"], len(arrays["radii"])
    permutation(arrays["original"], count, "the order of the discs")
    for name in ("x", "y", "vx", "vy", "time"):
        finite(motion[name], "the motion of a disc")
    need((motion["last_contact"] < inf).all(), "the last contact of a disc is out of range")
    for name in ("vx", "vy"):
        need((np.abs(motion[name]) <= 1e3 * FASTEST).all(), "a disc is too fast")
    time = motion["time"]
    need(((time >= 0.0) & (time <= state["now"])).all(), "the time of a disc is out of range")
    for axis in ("x", "y"):
        side, reference = state["l" + axis], arrays["reference"][axis].astype(np.float64)
        need((np.abs(reference - 0.5 * side) <= 0.501 * side).all(), "a reference point is not in the box")


def _vectors(records: NDArray[Any], x: str = "x", y: str = "y") -> NDArray[np.float64]:
    """Two fields of records (N,) as vectors (N, 2)."""
    return np.column_stack((records[x], records[y])).astype(np.float64)


def _cells_of(st: Discs) -> int:
    """How many cells all grids have together."""
    levels = st.levels[: int(st.state.level_count)]
    return int((levels["columns"] * levels["rows"]).sum())


def _check_cells(st: Discs, level: NDArray[np.int32]) -> None:
    """Every disc stands once in the chain of the cell of its reference point."""
    count = len(level)
    own = st.levels[level]
    per_length, cells = _vectors(own, "columns_per_length", "rows_per_length"), _vectors(own, "columns", "rows")
    column = np.clip(np.floor(_vectors(st.reference) * per_length), 0, cells - 1).astype(np.int64)
    home = own["first_cell"] + column[:, 1] * own["columns"] + column[:, 0]
    within(st.cell, -1, count, "its grid")
    within(st.cell_next, -1, count, "its grid")
    _check_chains(st.cell, st.cell_next, np.arange(count), home, "its grid")


def _check_chains(
    head: NDArray[np.int32],
    after: NDArray[np.int32],
    members: NDArray[np.int64],
    home: NDArray[np.int64],
    what: str,
) -> None:
    """Chains from `head` through `after` hold exactly `members`, each in the one at `home`: every member is entered
    once, from a head of its home or a member of the same home, and none of them goes in a circle."""
    firsts = head[head >= 0].astype(np.int64)
    following = after[members].astype(np.int64)
    entered = np.concatenate([firsts, following[following >= 0]])
    need(np.array_equal(np.sort(entered), np.sort(members)), f"{what} does not name each disc once")
    place = np.full(len(after), -1, np.int64)
    place[members] = home
    need(np.array_equal(place[firsts], np.flatnonzero(head >= 0)), f"{what} has a disc in the wrong place")
    goes_on = following >= 0
    need(np.array_equal(place[following[goes_on]], home[goes_on]), f"{what} has a disc in the wrong place")
    # entered once each: what the heads do not reach goes in circles
    reached, now = len(firsts), firsts
    while len(now):
        now = after[now].astype(np.int64)
        now = now[now >= 0]
        reached += len(now)
        need(reached <= len(members), f"{what} goes in a circle")
    need(reached == len(members), f"{what} goes in a circle")


def _check_lists(st: Discs) -> None:
    """Neighbour lists: apart from each other in the pool, each with the room it says, and mutual."""
    count, pool, top = len(st.entry), st.pool, int(st.state.pool_top)
    start, length = st.entry["start"].astype(np.int64), st.entry["length"].astype(np.int64)
    within(start, 1, top + 1, "a list of neighbours")
    within(length, 0, count, "a list of neighbours")
    room = pool[start - 1].astype(np.int64)
    need((length <= room).all() and (start + room <= top).all(), "a list of neighbours has no room")
    order = np.argsort(start)
    need((start[order][1:] > (start + room)[order][:-1]).all(), "two lists of neighbours overlap")
    owner = np.repeat(np.arange(count), length)
    offset = np.arange(len(owner)) - np.repeat(np.cumsum(length) - length, length)
    other = pool[start[owner] + offset].astype(np.int64)
    within(other, 0, count, "a neighbour")
    need((other != owner).all(), "a disc is its own neighbour")
    one, two = np.sort(owner * count + other), np.sort(other * count + owner)
    need(np.array_equal(one, two) and (np.diff(one) > 0).all(), "the lists of neighbours are not mutual")


def _check_events(st: Discs) -> None:
    """What happens to each disc next."""
    count, hits = len(st.entry), st.entry["hits"]
    event, what = st.motion["event"], st.entry["what"]
    need((event >= st.state.now * (1.0 - 1e-6)).all(), "an event lies in the past")
    within(what, d.SHELL if st.state.periodic else d.WALL_TOP, count, "an event")
    need((what != np.arange(count)).all(), "a disc meets itself")
    need((what[np.isfinite(event)] != d.NOTHING).all(), "an event is of no known kind")
    need((hits >= 0).all() and (hits < 1 << 30).all(), "a counter of a disc is out of range")


def _check_shells(st: Discs) -> None:
    """Every disc is in its shell, and stays there until its event or the end of the epoch: how far it may fly, and
    which cells it may come to, is bounded by that."""
    state, motion = st.state, st.motion
    reach = state.shell_radius * (1.0 + 1e-3) + float(state.reach_slack)
    away, velocity = _vectors(motion) - _vectors(st.reference), _vectors(motion, "vx", "vy")
    need((np.abs(away) <= reach).all(), "a disc is not in its shell")
    borne = st.entry["flags"][:, None] & np.array([d.BORNE_X, d.BORNE_Y]) != 0
    pull = np.where(borne, 0.0, np.array([state.gx, state.gy]))
    moves = ((velocity != 0.0) | (pull != 0.0)).any(axis=1)
    event, end = motion["event"][moves], max(state.now, state.epoch_end)
    left = (np.where(event <= state.epoch_end, event, end) - motion["time"][moves])[:, None]
    need(np.isfinite(left).all(), "a disc moves, and nothing ever happens to it")
    away, velocity, pull = away[moves], velocity[moves], pull[moves]
    if state.gravity:
        way = np.hypot(*velocity.T)[:, None] * left + 0.5 * np.hypot(*pull.T)[:, None] * left * left
        need((way <= 2.0 * reach).all(), "a disc leaves its shell before its event")
    else:
        need((np.abs(away + velocity * left) <= reach).all(), "a disc leaves its shell before its event")


def _check_queue(st: Discs) -> None:
    """The calendar: every disc with an event of this epoch stands in its bin or in the heap, once."""
    state, bins, count = st.state, st.bins, len(st.entry)
    event, before, after = st.motion["event"], st.entry["prev"], st.entry["next"]
    within(before, d.OUT, count, "the queue of events")
    waits = np.isfinite(event) & (event <= state.epoch_end)
    need(np.array_equal(before != d.OUT, waits), "the queue of events is not complete")
    need((event[waits] * state.bins_per_time < _MOST_BINS).all(), "its calendar is out of range")
    need(state.bin < _MOST_BINS, "its calendar is out of range")
    number = np.full(count, np.iinfo(np.int64).max)
    number[waits] = (event[waits] * state.bins_per_time).astype(np.int64)
    size = int(state.heap_size)
    need(size <= count, "the heap of events is too long")
    heap = st.heap[:size].astype(np.int64)
    unique(heap, count, "the heap of events")
    need(np.array_equal(np.sort(heap), np.flatnonzero(before == d.HEAPED)), "the heap of events does not fit")
    need(np.array_equal(after[heap], np.arange(size)), "the places in the heap of events do not fit")
    need((number[heap] <= state.bin).all(), "the heap of events holds later ones")
    parent = (np.arange(1, size) - 1) >> 1
    need((event[heap[parent]] <= event[heap[1:]]).all(), "the heap of events is not in order")
    inside = np.flatnonzero(before >= d.FIRST)
    need(int(state.queued) == len(inside), "the queue of events is not complete")
    need((number[inside] > state.bin).all(), "an event lies in a bin that is over")
    within(bins, -1, count, "the queue of events")
    within(after[inside], -1, count, "the queue of events")
    _check_chains(bins, after, inside, number[inside] & int(state.bin_mask), "the queue of events")
    goes_on = inside[after[inside] >= 0]
    need(np.array_equal(before[after[goes_on]], goes_on), "the queue of events does not lead back")
    firsts = bins[bins >= 0]
    need((before[firsts] == d.FIRST).all(), "the queue of events does not lead back")


def _check_records(arrays: Arrays, count: int) -> None:
    """History, newest collisions, marks."""
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
    for name in MARK.names or ():
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
