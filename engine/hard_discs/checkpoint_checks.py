"""Whether a checkpoint of a gas may be given to its kernels.

Primary state (motion, radii, settings) has to be in range. What is derived from it (lists, grid, calendar) has to be
what the kernels rely on: every index in range, every list and chain without circles, every disc in each structure as
often as it belongs there. See `discs` for the names of the columns.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.checkpoint_arrays import (
    MOST_COUNTED,
    ROUNDING,
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
from engine.initial.checks import FASTEST
from engine.scenario import Scenario
from engine.scenario.model import MAX_SIDE, MIN_SIDE

_MAY_BE_INFINITE = (d.REBASE,)
# sums over collisions: what gravity adds between two of them is not in them
_SUMS = (d.KINETIC, d.KINETIC_TIME, d.Z_KINETIC_TIME)
_BELOW_ZERO = (d.EPOCH_REST, d.GX, d.GY, d.STALL_TIME, *_SUMS)


def check_arrays(arrays: Arrays, scenario: Scenario) -> None:
    """InputError unless the kernels can go on with `arrays`. O(N log N)."""
    count = disc_count(arrays)
    need_shapes(arrays, _shapes(count), optional="collapse")
    _check_counters(arrays["si"], arrays["sf"], count)
    _check_sizes(arrays, count)
    permutation(arrays["original"], count, "the order of the discs")
    rec, ri = arrays["rec"].reshape(count, 8), arrays["ri"].reshape(count, 8)
    _check_motion(arrays, rec, count)
    level = _check_grid(arrays, rec, ri, count)
    _check_cells(arrays, level, count)
    _check_lists(arrays, ri, count)
    _check_events(arrays, rec, ri, count)
    _check_queue(arrays, rec, ri, count)
    _check_records(arrays, count)
    hard, sf = scenario.hard_discs, arrays["sf"]
    settings = (hard.restitution, hard.wall_restitution, hard.contact_time, *hard.gravity)
    names = [d.RESTITUTION, d.WALL_RESTITUTION, d.CONTACT_TIME, d.GX, d.GY]
    need(tuple(sf[names].tolist()) == settings, "its settings are not those of its scenario")


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


def _check_counters(si: NDArray[np.int64], sf: NDArray[np.float64], count: int) -> None:
    """What there is once."""
    need((np.delete(si, d.BIN) >= 0).all() and (si < MOST_COUNTED * 4 + 1).all(), "a counter is out of range")
    need((np.delete(si, [d.STALL_CHECK, d.Z_CHECK, d.NEXT_ROW]) < MOST_COUNTED).all(), "a counter is out of range")
    need(si[d.BIN] >= -1, "the present bin of its calendar is out of range")
    for flag in (d.PERIODIC, d.EQUAL_MASSES, d.GROWING, d.COLLAPSED, d.COUNT_IMPACTS, d.GRAVITY):
        need(si[flag] <= 1, "a setting is out of range")
    need(si[d.COUNT] == count, "it has another number of discs")
    need(1 <= si[d.LEVELS] <= d.MAX_LEVELS and si[d.EPOCH_LENGTH] >= 1, "a setting is out of range")
    need(1 <= si[d.ROWS] <= d.MOST_ROWS and si[d.ROW_STEP] >= 1, "its history is out of range")
    need(si[d.ROW_STEP] < 1 << 50, "its history is out of range")
    finite(np.delete(sf, _MAY_BE_INFINITE), "a number of the state")
    need((np.delete(sf, _BELOW_ZERO) >= 0.0).all(), "a number of the state is below 0")
    box = sf[[d.LX, d.LY]]
    need(((box >= MIN_SIDE) & (box <= MAX_SIDE)).all(), "the sides of its box are out of range")
    need(np.array_equal(sf[[d.HALF_X, d.HALF_Y]], 0.5 * box), "the sides of its box do not fit")
    need(sf[d.RESTITUTION] <= 1.0 and sf[d.WALL_RESTITUTION] <= 1.0, "a restitution is out of range")
    need(not (si[d.PERIODIC] and si[d.GRAVITY]), "there is gravity in a periodic box")
    need(bool(si[d.GRAVITY]) == bool(sf[d.GX] or sf[d.GY]), "its gravity does not fit")
    need(bool(si[d.GROWING]) or sf[d.GAMMA] == 0.0, "its growth does not fit")
    need(sf[d.SHELL_RADIUS] > 0.0 and sf[d.PAD] >= 2.0 * sf[d.SHELL_RADIUS], "its shells are out of range")
    need(1.0 <= sf[d.LIST_FACTOR] <= 2.0 and sf[d.FACTOR] > 0.0, "its growth is out of range")
    need(sf[d.PER_BIN] > 0.0 and sf[d.NOW] >= 0.0, "its calendar is out of range")
    if np.isfinite(sf[d.REBASE]):
        need(sf[d.REBASE] * sf[d.PER_BIN] < 1 << 50, "its calendar is out of range")
    need(si[d.BIN] <= max(0.0, min(sf[d.NOW], sf[d.REBASE]) * sf[d.PER_BIN]) + si[d.MASK] + 2, "its calendar is ahead")


def _check_sizes(arrays: Arrays, count: int) -> None:
    """Arrays whose length is a setting."""
    si = arrays["si"]
    bins, pool = len(arrays["bins"]), len(arrays["pool"])
    need(bins == si[d.MASK] + 1 and bins & (bins - 1) == 0, "its calendar has another number of bins")
    need(64 <= bins <= max(64, 4 * count), "its calendar has another number of bins")
    need(pool == si[d.POOL_SIZE] and 1 <= si[d.POOL_TOP] <= pool, "its lists are out of range")
    need(len(arrays["mass"]) == (1 if si[d.EQUAL_MASSES] else count), "its masses are out of range")


def _check_motion(arrays: Arrays, rec: NDArray[np.float64], count: int) -> None:
    """Places, velocities, times, radii and masses."""
    si, sf = arrays["si"], arrays["sf"]
    place, radii, masses = arrays["original"], arrays["radii"], arrays["masses"]
    finite(np.delete(rec, [d.EVENT, d.LAST], axis=1), "the motion of a disc")
    need((rec[:, d.LAST] < inf).all(), "the last contact of a disc is out of range")
    need((np.abs(rec[:, d.VX : d.VY + 1]) <= 1e3 * FASTEST).all(), "a disc is too fast")
    for values in (radii, masses):
        need((np.isfinite(values) & (values > 0.0)).all(), "a radius or mass is out of range")
    mass = arrays["mass"]
    fits = (masses == mass[0]).all() if si[d.EQUAL_MASSES] else np.array_equal(mass, masses[place])
    need(bool(fits), "the masses do not fit")
    radius = rec[:, d.R]
    close(radius, radii[place] * sf[d.FACTOR], radius, "a radius")
    close(sf[d.LARGEST], radius.max(), radius.max(), "the largest radius")
    need(((rec[:, d.T] >= 0.0) & (rec[:, d.T] <= sf[d.NOW])).all(), "the time of a disc is out of range")
    box = sf[[d.LX, d.LY]]
    side = float(box.min())
    if si[d.PERIODIC] and count > 1:
        widest = 2.0 * float(radius.max()) * float(sf[d.LIST_FACTOR])
        need(widest + 4.0 * sf[d.SHELL_RADIUS] <= 0.5 * side * (1.0 + 1e-3) + 8e-6 * box.max(), "its shells do not fit")
    ref = arrays["ref"].reshape(count, 2).astype(np.float64)
    finite(ref, "a reference point")
    need(((ref >= -1e-3 * box) & (ref <= 1.001 * box)).all(), "a reference point is not in the box")
    away = rec[:, : d.Y + 1] - ref
    shell = sf[d.SHELL_RADIUS] * (1.0 + 1e-3) + 1e-6 * box.max()
    need((np.abs(away) <= shell).all(), "a disc is not in its shell")


def _check_grid(arrays: Arrays, rec: NDArray[np.float64], ri: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    """The levels of the grid; returns that of each disc."""
    si, sf = arrays["si"], arrays["sf"]
    levels = int(si[d.LEVELS])
    grid_f, grid_i = arrays["grid_f"].reshape(-1, 3)[:levels], arrays["grid_i"].reshape(-1, 3)[:levels]
    within(grid_i[:, :2], 1, 8 * count + 8, "its grid")
    box = sf[[d.LX, d.LY]]
    close(grid_f[:, :2] * box, grid_i[:, :2].astype(np.float64), grid_i[:, :2].astype(np.float64), "its grid")
    cells = grid_i[:, 0] * grid_i[:, 1]
    starts = np.concatenate([[0], np.cumsum(cells)])
    need(np.array_equal(grid_i[:, 2], starts[:-1]) and starts[-1] == len(arrays["cell"]), "its grid does not fit")
    flags = ri[:, d.FLAGS]
    need((flags >= 0).all(), "a flag is out of range")
    level = (flags >> d.LEVEL_BIT).astype(np.int64)
    within(level, 0, levels, "the level of a disc")
    need((rec[:, d.R] <= grid_f[level, 2] * (1.0 + ROUNDING)).all(), "the level of a disc does not fit")
    need((grid_f[:, 2] <= sf[d.LARGEST] * (1.0 + ROUNDING)).all(), "its grid does not fit")
    need(bool(si[d.GRAVITY]) or ((flags & d.BORNE) == 0).all(), "a disc is borne without gravity")
    return level


def _check_cells(arrays: Arrays, level: NDArray[np.int64], count: int) -> None:
    """Every disc stands once in the chain of the cell of its reference point."""
    grid_f, grid_i = arrays["grid_f"].reshape(-1, 3), arrays["grid_i"].reshape(-1, 3)
    ref = arrays["ref"].reshape(count, 2).astype(np.float64)
    column = np.clip(np.floor(ref * grid_f[level, :2]), 0, grid_i[level, :2] - 1).astype(np.int64)
    home = grid_i[level, 2] + column[:, 1] * grid_i[level, 0] + column[:, 0]
    head, after = arrays["cell"], arrays["cell_next"]
    within(head, -1, count, "its grid")
    within(after, -1, count, "its grid")
    _check_chains(head, after, np.arange(count), home, "its grid")


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


def _check_lists(arrays: Arrays, ri: NDArray[np.int32], count: int) -> None:
    """Neighbour lists: apart from each other in the pool, each with the room it says, and mutual."""
    pool, top = arrays["pool"], int(arrays["si"][d.POOL_TOP])
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


def _check_events(arrays: Arrays, rec: NDArray[np.float64], ri: NDArray[np.int32], count: int) -> None:
    """What happens to each disc next."""
    si, sf = arrays["si"], arrays["sf"]
    event, what = rec[:, d.EVENT], ri[:, d.WHAT]
    need((event >= 0.0).all(), "an event lies in the past")
    lowest = d.SHELL if si[d.PERIODIC] else d.WALL_TOP
    within(what, lowest, count, "an event")
    need((what != np.arange(count)).all(), "a disc meets itself")
    need((what[np.isfinite(event)] != d.NOTHING).all(), "an event is of no known kind")
    need((ri[:, d.HITS] >= 0).all() and (ri[:, d.HITS] < 1 << 30).all(), "a counter of a disc is out of range")
    early = event < sf[d.NOW] * (1.0 - ROUNDING)
    need(not early.any(), "an event lies in the past")


def _check_queue(arrays: Arrays, rec: NDArray[np.float64], ri: NDArray[np.int32], count: int) -> None:
    """The calendar: every disc with an event of this epoch stands in its bin or in the heap, once."""
    si, sf, bins = arrays["si"], arrays["sf"], arrays["bins"]
    event, before, after = rec[:, d.EVENT], ri[:, d.PREV], ri[:, d.NEXT]
    within(before, d.OUT, count, "the queue of events")
    waits = np.isfinite(event) & (event <= sf[d.REBASE])
    need(np.array_equal(before != d.OUT, waits), "the queue of events is not complete")
    size = int(si[d.HEAP])
    need(size <= count, "the heap of events is too long")
    heap = arrays["heap"][:size].astype(np.int64)
    unique(heap, count, "the heap of events")
    need(np.array_equal(np.sort(heap), np.flatnonzero(before == d.HEAPED)), "the heap of events does not fit")
    need(np.array_equal(after[heap], np.arange(size)), "the places in the heap of events do not fit")
    parent = (np.arange(1, size) - 1) >> 1
    need((event[heap[parent]] <= event[heap[1:]]).all(), "the heap of events is not in order")
    inside = np.flatnonzero(before >= d.FIRST)
    need(int(si[d.QUEUED]) == len(inside), "the queue of events is not complete")
    number = np.floor(event[inside] * sf[d.PER_BIN]).astype(np.int64)
    need((number > si[d.BIN]).all(), "an event lies in a bin that is over")
    within(bins, -1, count, "the queue of events")
    within(after[inside], -1, count, "the queue of events")
    _check_chains(bins, after, inside, number & int(si[d.MASK]), "the queue of events")
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
    need((np.diff(log[:, d.LOG_TIME]) >= 0.0).all() and (log >= 0.0).all(), "its history is not in order")
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
