"""Whether a checkpoint of a gas may be given to its kernels.

Primary state (motion, sizes, counters) has to be in range. What follows from it is made anew when it is restored
(`setup.restored`), and is looked at here as it will be then. Lists, chains and queue, whose order decides between
events at the same time, are taken as they are: every index has to be in range, no list and no chain may go in a circle,
every disc has to stand in each structure as often as it belongs there, and no disc may leave its shell before its
event. See `discs` for the names of the columns.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.checkpoint_arrays import (
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
from engine.hard_discs.cooling import NO_LAW, Stretch
from engine.hard_discs.discs import Discs
from engine.hard_discs.endings import NEVER
from engine.hard_discs.section import HardDiscs
from engine.hard_discs.setup import count_bins, restored
from engine.initial.checks import FASTEST, SMALLEST
from engine.scenario import Scenario
from engine.scenario.model import MAX_SIDE, MIN_SIDE

_MAY_BE_INFINITE = (d.REBASE, d.REST_KINETIC)
# sums over collisions: what gravity adds between two of them is not in them
_SUMS = (d.KINETIC, d.KINETIC_TIME, d.Z_KINETIC_TIME)
_BELOW_ZERO = (d.EPOCH_REST, d.GX, d.GY, d.STALL_TIME, *_SUMS)
_LONGER = (d.STALL_CHECK, d.Z_CHECK, d.NEXT_ROW)  # counters that may stand for "never"
_MOST_BINS = 1 << 50  # bins of the calendar that an epoch may last
_HEAVIEST = 1e100


def check_arrays(arrays: Arrays, scenario: Scenario) -> None:
    """InputError unless the kernels can go on with `arrays`. O(N log N)."""
    count = disc_count(arrays)
    need_shapes(arrays, _shapes(count), optional="collapse")
    _check_counters(arrays["si"], count)
    _check_numbers(arrays["sf"])
    _check_sizes(arrays, scenario)
    _check_motion(arrays)
    st = restored(arrays, scenario.section(HardDiscs))
    need(len(st.cell) == _cells_of(st), "its grid does not fit")
    need(not (st.si[d.GRAVITY] and st.si[d.PERIODIC]), "there is gravity in a periodic box")
    ri = st.ri.reshape(count, 8)
    flags = ri[:, d.FLAGS]
    need(bool(st.si[d.GRAVITY]) or ((flags & d.BORNE) == 0).all(), "a disc is borne without gravity")
    _check_cells(st, flags >> d.LEVEL_BIT)
    _check_lists(st, ri)
    _check_events(st, ri)
    _check_shells(st, ri)
    _check_queue(st, ri)
    _check_records(arrays, count)


def _shapes(count: int) -> dict[str, tuple[type[np.generic], Shape]]:
    whole, real = np.int32, np.float64
    return {
        "rec": (real, (8 * count,)),
        "ri": (whole, (8 * count,)),
        "ref": (np.float32, (2 * count,)),
        "mass": (real, (None,)),
        "images": (whole, (2 * count,)),
        "original": (whole, (count,)),
        "pool": (np.uint32, (None,)),
        "bins": (whole, (None,)),
        "heap": (np.uint32, (count,)),
        "cell": (whole, (None,)),
        "cell_next": (whole, (count,)),
        "grid_f": (real, (3 * d.MAX_LEVELS,)),
        "grid_i": (np.int64, (3 * d.MAX_LEVELS,)),
        "ring_time": (real, (d.RING,)),
        "ring_pair": (whole, (2 * d.RING,)),
        "log": (real, (d.MOST_ROWS * d.LOG_COLUMNS,)),
        "impacts": (np.int64, (2 * d.HISTOGRAM + 1,)),
        "si": (np.int64, (d.SI_LENGTH,)),
        "sf": (real, (d.SF_LENGTH,)),
        "radii": (real, (count,)),
        "masses": (real, (count,)),
        "clock": (real, (1,)),
        "since": (real, (10,)),
        "stretches": (real, (None, len(Stretch._fields))),
        "collapse": (real, (None,)),
    }


def _check_counters(si: NDArray[np.int64], count: int) -> None:
    """Whole numbers of which there is one each."""
    need((np.delete(si, d.BIN) >= 0).all() and (si < 4 * MOST_COUNTED + 1).all(), "a counter is out of range")
    need((np.delete(si, _LONGER) < MOST_COUNTED).all(), "a counter is out of range")
    need(si[d.BIN] >= -1, "the present bin of its calendar is out of range")
    for flag in (d.PERIODIC, d.GROWING, d.COLLAPSED, d.COUNT_IMPACTS):
        need(si[flag] <= 1, "a setting is out of range")
    need(1 <= si[d.ROWS] <= d.MOST_ROWS and 1 <= si[d.ROW_STEP] < 1 << 50, "its history is out of range")
    need(bool(si[d.GROWING]) or si[d.Z_CHECK] == NEVER, "its growth does not fit")


def _check_numbers(sf: NDArray[np.float64]) -> None:
    """Real numbers of which there is one each."""
    finite(np.delete(sf, _MAY_BE_INFINITE), "a number of the state")
    need((np.delete(sf, _BELOW_ZERO) >= 0.0).all(), "a number of the state is below 0")
    box = sf[[d.LX, d.LY]]
    need(((box >= MIN_SIDE) & (box <= MAX_SIDE)).all(), "the sides of its box are out of range")
    need(sf[d.PER_BIN] > 0.0, "its calendar is out of range")


def _check_sizes(arrays: Arrays, scenario: Scenario) -> None:
    """Radii, masses and growth; arrays whose length is no matter of taste."""
    si, sf, radii, masses = arrays["si"], arrays["sf"], arrays["radii"], arrays["masses"]
    count, box, factor = len(radii), sf[[d.LX, d.LY]], sf[d.FACTOR]
    need(((radii >= 0.5 * SMALLEST * box.max()) & (radii <= box.min())).all(), "a radius is out of range")
    need(((masses > 1.0 / _HEAVIEST) & (masses < _HEAVIEST)).all(), "a mass is out of range")
    need(1.0 <= factor <= MAX_SIDE / MIN_SIDE, "its growth is out of range")
    largest = float(radii.max() * factor)
    filled = np.square(radii * factor / box[0]).sum() * np.pi * (box[0] / box[1])
    need(filled <= 1.0 and 2.0 * largest <= box.min() * (1.0 + 1e-6), "its discs do not fit into the box")
    need(not si[d.PERIODIC] or count == 1 or 4.0 * largest < box.min(), "its discs do not fit into the box")
    if si[d.GROWING]:
        rate = scenario.section(HardDiscs).growth_rate
        need(rate > 0.0, "its growth is not that of its scenario")
        close(sf[d.GAMMA] * factor * radii.mean(), rate, rate, "its growth")
    else:
        need(sf[d.GAMMA] == 0.0, "its growth does not fit")
    need(len(arrays["bins"]) == count_bins(count), "its calendar has another number of bins")
    need(1 <= si[d.POOL_TOP] <= len(arrays["pool"]), "its lists are out of range")
    need(len(arrays["mass"]) in (1, count), "its masses are out of range")


def _check_motion(arrays: Arrays) -> None:
    """Places, velocities and times."""
    sf, count = arrays["sf"], len(arrays["radii"])
    permutation(arrays["original"], count, "the order of the discs")
    rec = arrays["rec"].reshape(count, 8)
    finite(rec[:, [d.X, d.Y, d.VX, d.VY, d.T]], "the motion of a disc")
    need((rec[:, d.LAST] < inf).all(), "the last contact of a disc is out of range")
    need((np.abs(rec[:, d.VX : d.VY + 1]) <= 1e3 * FASTEST).all(), "a disc is too fast")
    need(((rec[:, d.T] >= 0.0) & (rec[:, d.T] <= sf[d.NOW])).all(), "the time of a disc is out of range")
    box, ref = sf[[d.LX, d.LY]], arrays["ref"].reshape(count, 2).astype(np.float64)
    need((np.abs(ref - 0.5 * box) <= 0.501 * box).all(), "a reference point is not in the box")


def _cells_of(st: Discs) -> int:
    """How many cells all grids have together."""
    of = st.grid_i.reshape(-1, 3)[: int(st.si[d.LEVELS])]
    return int((of[:, 0] * of[:, 1]).sum())


def _check_cells(st: Discs, level: NDArray[np.int32]) -> None:
    """Every disc stands once in the chain of the cell of its reference point."""
    count = len(level)
    grid_f, grid_i = st.grid_f.reshape(-1, 3), st.grid_i.reshape(-1, 3)
    ref = st.ref.reshape(count, 2).astype(np.float64)
    column = np.clip(np.floor(ref * grid_f[level, :2]), 0, grid_i[level, :2] - 1).astype(np.int64)
    home = grid_i[level, 2] + column[:, 1] * grid_i[level, 0] + column[:, 0]
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


def _check_lists(st: Discs, ri: NDArray[np.int32]) -> None:
    """Neighbour lists: apart from each other in the pool, each with the room it says, and mutual."""
    count, pool, top = len(ri), st.pool, int(st.si[d.POOL_TOP])
    start, length = ri[:, d.START].astype(np.int64), ri[:, d.LENGTH].astype(np.int64)
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


def _check_events(st: Discs, ri: NDArray[np.int32]) -> None:
    """What happens to each disc next."""
    count = len(ri)
    event, what = st.rec.reshape(count, 8)[:, d.EVENT], ri[:, d.WHAT]
    need((event >= st.sf[d.NOW] * (1.0 - 1e-6)).all(), "an event lies in the past")
    within(what, d.SHELL if st.si[d.PERIODIC] else d.WALL_TOP, count, "an event")
    need((what != np.arange(count)).all(), "a disc meets itself")
    need((what[np.isfinite(event)] != d.NOTHING).all(), "an event is of no known kind")
    need((ri[:, d.HITS] >= 0).all() and (ri[:, d.HITS] < 1 << 30).all(), "a counter of a disc is out of range")


def _check_shells(st: Discs, ri: NDArray[np.int32]) -> None:
    """Every disc is in its shell, and stays there until its event or the end of the epoch: how far it may fly, and
    which cells it may come to, is bounded by that."""
    sf, count = st.sf, len(ri)
    rec, ref = st.rec.reshape(count, 8), st.ref.reshape(count, 2).astype(np.float64)
    reach = sf[d.SHELL_RADIUS] * (1.0 + 1e-3) + float(sf[d.REACH_SLACK])
    away, velocity = rec[:, : d.Y + 1] - ref, rec[:, d.VX : d.VY + 1]
    need((np.abs(away) <= reach).all(), "a disc is not in its shell")
    borne = ri[:, d.FLAGS, None] & np.array([d.BORNE_X, d.BORNE_Y]) != 0
    pull = np.where(borne, 0.0, sf[[d.GX, d.GY]])
    moves = ((velocity != 0.0) | (pull != 0.0)).any(axis=1)
    event, end = rec[moves, d.EVENT], max(sf[d.NOW], sf[d.REBASE])
    left = (np.where(event <= sf[d.REBASE], event, end) - rec[moves, d.T])[:, None]
    need(np.isfinite(left).all(), "a disc moves, and nothing ever happens to it")
    away, velocity, pull = away[moves], velocity[moves], pull[moves]
    if st.si[d.GRAVITY]:
        way = np.hypot(*velocity.T)[:, None] * left + 0.5 * np.hypot(*pull.T)[:, None] * left * left
        need((way <= 2.0 * reach).all(), "a disc leaves its shell before its event")
    else:
        need((np.abs(away + velocity * left) <= reach).all(), "a disc leaves its shell before its event")


def _check_queue(st: Discs, ri: NDArray[np.int32]) -> None:
    """The calendar: every disc with an event of this epoch stands in its bin or in the heap, once."""
    si, sf, bins, count = st.si, st.sf, st.bins, len(ri)
    event, before, after = st.rec.reshape(count, 8)[:, d.EVENT], ri[:, d.PREV], ri[:, d.NEXT]
    within(before, d.OUT, count, "the queue of events")
    waits = np.isfinite(event) & (event <= sf[d.REBASE])
    need(np.array_equal(before != d.OUT, waits), "the queue of events is not complete")
    need((event[waits] * sf[d.PER_BIN] < _MOST_BINS).all(), "its calendar is out of range")
    need(si[d.BIN] < _MOST_BINS, "its calendar is out of range")
    number = np.full(count, np.iinfo(np.int64).max)
    number[waits] = (event[waits] * sf[d.PER_BIN]).astype(np.int64)
    size = int(si[d.HEAP])
    need(size <= count, "the heap of events is too long")
    heap = st.heap[:size].astype(np.int64)
    unique(heap, count, "the heap of events")
    need(np.array_equal(np.sort(heap), np.flatnonzero(before == d.HEAPED)), "the heap of events does not fit")
    need(np.array_equal(after[heap], np.arange(size)), "the places in the heap of events do not fit")
    need((number[heap] <= si[d.BIN]).all(), "the heap of events holds later ones")
    parent = (np.arange(1, size) - 1) >> 1
    need((event[heap[parent]] <= event[heap[1:]]).all(), "the heap of events is not in order")
    inside = np.flatnonzero(before >= d.FIRST)
    need(int(si[d.QUEUED]) == len(inside), "the queue of events is not complete")
    need((number[inside] > si[d.BIN]).all(), "an event lies in a bin that is over")
    within(bins, -1, count, "the queue of events")
    within(after[inside], -1, count, "the queue of events")
    _check_chains(bins, after, inside, number[inside] & int(si[d.MASK]), "the queue of events")
    goes_on = inside[after[inside] >= 0]
    need(np.array_equal(before[after[goes_on]], goes_on), "the queue of events does not lead back")
    firsts = bins[bins >= 0]
    need((before[firsts] == d.FIRST).all(), "the queue of events does not lead back")


def _check_records(arrays: Arrays, count: int) -> None:
    """History, newest collisions, marks."""
    si, sf = arrays["si"], arrays["sf"]
    within(arrays["ring_pair"], -1, count, "a collision")
    finite(arrays["ring_time"], "the time of a collision")
    need((arrays["impacts"] >= 0).all(), "a counter is out of range")
    log = arrays["log"].reshape(-1, d.LOG_COLUMNS)[: int(si[d.ROWS])]
    finite(log, "its history")
    need((np.diff(log[:, d.LOG_TIME]) >= 0.0).all(), "its history is not in order")
    need((np.delete(log, d.LOG_KINETIC, axis=1) >= 0.0).all(), "its history is out of range")
    finite(arrays["since"], "a measure")
    finite(arrays["stretches"], "a stretch of the run")
    need(len(arrays["stretches"]) >= 1, "it has no stretches of the run")
    need((np.diff(arrays["stretches"][:, 0]) > 0.0).all(), "the stretches of the run are not in order")
    within_range = (arrays["stretches"][:, 1] >= NO_LAW) & (arrays["stretches"][:, 1] <= 1.0)
    need(within_range.all() and (arrays["stretches"][:, [0, 2, 3]] >= 0.0).all(), "a stretch is out of range")
    finite(arrays["clock"], "the time")
    clock = float(arrays["clock"][0])
    now = float(sf[d.EPOCH] + sf[d.EPOCH_REST] + sf[d.NOW])
    need(clock >= 0.0, "the time is below 0")
    close(clock, now, max(now, 1e-300), "the time")
    if "collapse" in arrays:
        collapse = arrays["collapse"]
        need(1 <= len(collapse) <= d.RING + 1, "the discs of a collapse are out of range")
        finite(collapse, "a collapse")
        within(collapse[1:], 0, count, "a disc of a collapse")
