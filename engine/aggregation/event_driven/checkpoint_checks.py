"""Whether the arrays of a checkpoint of the event-driven method may be given to its kernels.

Primary state (discs, clusters, motion) has to be right; what is derived from it (trees: `checkpoint_checks_trees`,
grid: `checkpoint_checks_grid`, queue, lists) has to be what the kernels rely on: every index in range, every list and
tree without circles, every cluster in each structure as often as it belongs there. Bounds on speeds and horizons keep
the loops over periodic images as short as in a real run. See `clusters` for the names of the columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.base import PAST
from engine.aggregation.checkpoint_arrays import (
    MOST_COUNTED,
    ROUNDING,
    Arrays,
    Shape,
    check_clusters,
    check_discs,
    check_history,
    check_motion,
    close,
    disc_count,
    finite,
    need,
    need_shapes,
    unique,
    within,
)
from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.broad_phase import NEVER
from engine.aggregation.event_driven.checkpoint_checks_grid import check_grid
from engine.aggregation.event_driven.checkpoint_checks_trees import check_trees

_MOST_RAISED = 1 << 30  # of counters of 32 bits that are compared for being equal
_WIDEST = 1000.0  # a cluster that goes around a periodic box may be so many boxes long
_TUNING = {cl.TRAVEL: 100.0, cl.PATIENCE: 1000.0, cl.BIG_PATIENCE: 1000.0, cl.ENVELOPE: 100.0, cl.REBUILD: 1e300}


def check_arrays(arrays: Arrays) -> None:
    """InputError unless the kernels can go on with `arrays`. O(N log N)."""
    count = disc_count(arrays)
    need_shapes(arrays, _shapes(count))
    si, sf = arrays["si"], arrays["sf"]
    _check_counters(si, sf, count)
    box = sf[[cl.LX, cl.LY]]
    check_discs(arrays, arrays["disc"][:, 2], box)
    need(
        np.array_equal(arrays["disc"][:, 3], arrays["masses"][arrays["original"]]), "the masses are not those of discs"
    )
    live = check_clusters(arrays["label"], arrays["live"], arrays["ci"][:, cl.LIVE], int(si[cl.M]))
    registered = live[: min(int(si[cl.CURSOR]), len(live))]
    _check_motion(arrays, live, box)
    _check_horizons(arrays, registered)
    check_trees(arrays, live)
    _check_bigs(arrays, registered)
    check_grid(arrays, registered)
    _check_queue(arrays, live, registered)
    _check_watchers(arrays, live)
    _check_impacts(arrays, registered)
    _check_log(arrays)


def _shapes(count: int) -> dict[str, tuple[Any, Shape]]:
    whole, real = np.int32, np.float64
    return {
        "disc": (real, (count, 4)),
        "label": (whole, (count,)),
        "nf": (np.float32, (3 * count + 2, 8)),
        "cf": (real, (count, 16)),
        "ci": (whole, (count, 16)),
        "more": (real, (count, 4)),
        "heap_key": (real, (count,)),
        "heap_owner": (whole, (count,)),
        "heap_slot": (whole, (count,)),
        "live": (whole, (count,)),
        "bigs": (whole, (count,)),
        "bucket": (whole, (None, 16)),
        "bucket_top": (np.int64, (1,)),
        "stamp": (whole, (count,)),
        "watch": (whole, (None, 4)),
        "log_f": (real, (count, 2)),
        "log_i": (whole, (count, 2)),
        "si": (np.int64, (cl.SI_LENGTH,)),
        "sf": (real, (cl.SF_LENGTH,)),
        "original": (whole, (count,)),
        "radii": (real, (count,)),
        "masses": (real, (count,)),
        "momentum": (real, (3,)),
        "initial_clusters": (np.int64, ()),
        "past": (PAST, (None,)),
    }


def _check_counters(si: NDArray[np.int64], sf: NDArray[np.float64], count: int) -> None:
    """What there is once: counters, the tuning, the cells of the grid, how long horizons are."""
    need((si >= -1).all() and (si < MOST_COUNTED).all(), "a counter is out of range")
    counters = np.delete(si, cl.WATCH_FREE)
    need((counters >= 0).all(), "a counter is below 0")
    need(si[cl.PERIODIC] <= 1 and 1 <= si[cl.BIG_CELLS] <= 0x7FFF, "a setting is out of range")
    need(1 <= si[cl.M] <= si[cl.GRID_M] <= count, "the number of clusters is out of range")
    need(si[cl.STAMPS] < _MOST_RAISED, "a counter is out of range")
    finite(np.delete(sf, [cl.APART]), "a number of the state")
    need(sf[cl.APART] >= 0.0 and sf[cl.NOW] >= 0.0, "the time is below 0")
    for column, most in _TUNING.items():
        need(0.0 <= sf[column] <= most, "a setting is out of range")
    need(sf[cl.TRAVEL] > 0.0 and sf[cl.PATIENCE] > 0.0 and sf[cl.REBUILD] >= 1.0, "a setting is out of range")
    nx, ny = int(si[cl.NX]), int(si[cl.NY])
    need(1 <= nx <= si[cl.GRID_M] and 1 <= ny <= si[cl.GRID_M] and nx * ny <= count, "its grid is out of range")
    cell_x, cell_y = sf[cl.LX] / nx, sf[cl.LY] / ny
    need(sf[cl.CELL_X] == cell_x and sf[cl.CELL_Y] == cell_y, "the cells of its grid do not fit")
    cell = min(cell_x if nx > 1 else np.inf, cell_y if ny > 1 else np.inf)
    need(sf[cl.CELL] == (max(cell_x, cell_y) if nx == ny == 1 else cell), "the cells of its grid do not fit")
    typical = sf[cl.V_TYPICAL]
    horizon = sf[cl.PATIENCE] * sf[cl.CELL] / typical if typical > 0.0 else NEVER
    need(typical >= 0.0 and sf[cl.DELTA] >= 0.0, "its speeds are out of range")
    close(sf[cl.H_CAP], horizon, horizon, "its horizon")


def _check_motion(arrays: Arrays, live: NDArray[np.int64], box: NDArray[np.float64]) -> None:
    """Places, velocities, masses and boxes of the clusters."""
    cf, more, label, sf, si = (arrays[name] for name in ("cf", "more", "label", "sf", "si"))
    floats = np.delete(cf, [6, 7], axis=1)  # these two hold the box for neighbours, below
    need(not np.isnan(floats).any(), "a cluster has what is not a number")
    finite(np.delete(cf, [6, 7, cl.OWN_T, cl.PAIR_T], axis=1), "the motion of a cluster")
    finite(more, "the motion of a cluster")
    mass = np.bincount(label, weights=arrays["disc"][:, 3], minlength=len(label))[live]
    velocity = cf[live][:, [cl.VX, cl.VY]]
    check_motion(velocity, np.stack([cf[live, cl.MOMX], more[live, cl.MOMY]], axis=1), cf[live, cl.MASS], mass)
    fastest = (1.0 + ROUNDING) * si[cl.GRID_M] * sf[cl.V_TYPICAL]
    need(np.hypot(velocity[:, 0], velocity[:, 1]).max() <= fastest, "a cluster is faster than its horizon allows")
    place = cf[live][:, [cl.PX, cl.PY]]
    need((np.abs(place - 0.5 * box) <= 1.5 * box).all(), "a cluster is far outside of the box")
    now = sf[cl.NOW]
    need((np.abs(cf[live, cl.T]) <= now).all() and (cf[live, cl.T] >= 0.0).all(), "a cluster is ahead of the time")
    _check_boxes(arrays, live, box)


def _check_boxes(arrays: Arrays, live: NDArray[np.int64], box: NDArray[np.float64]) -> None:
    """Boxes of the clusters around their discs, exact and as neighbours read them."""
    disc, cf = arrays["disc"], arrays["cf"]
    finite(disc, "a disc")
    order = np.argsort(arrays["label"], kind="stable")
    begin = np.searchsorted(arrays["label"][order], live)
    by_name = np.argsort(begin)  # reduceat wants rising starts; every cluster has a disc
    low = np.empty((len(live), 2))
    high = np.empty((len(live), 2))
    low[by_name] = np.minimum.reduceat((disc[:, :2] - disc[:, 2:3])[order], begin[by_name])
    high[by_name] = np.maximum.reduceat((disc[:, :2] + disc[:, 2:3])[order], begin[by_name])
    extent = high - low
    need((extent <= _WIDEST * box).all(), "a cluster is larger than can be")
    size = (np.abs(low) + np.abs(high) + 1e-6 * box).max(axis=1, keepdims=True)
    close(cf[live][:, [cl.BX0, cl.BY0]], low, size, "the box of a cluster")
    close(cf[live][:, [cl.BX1, cl.BY1]], high, size, "the box of a cluster")
    rounded = np.ascontiguousarray(cf).view(np.float32)[live]
    finite(rounded[:, [cl.FX0, cl.FY0, cl.FX1, cl.FY1]], "the box of a cluster")
    close(rounded[:, [cl.FX0, cl.FY0]].astype(np.float64), low, 3.0 * size, "the box of a cluster")
    close(rounded[:, [cl.FX1, cl.FY1]].astype(np.float64), high, 3.0 * size, "the box of a cluster")


def _check_horizons(arrays: Arrays, registered: NDArray[np.int64]) -> None:
    """Until when clusters have looked ahead: no farther than they do in a run."""
    cf, ci, more, sf = arrays["cf"][registered], arrays["ci"][registered], arrays["more"][registered], arrays["sf"]
    need(
        (ci[:, cl.OWN_KIND] >= 0).all() and (ci[:, cl.OWN_KIND] <= cl.OWN_WALL_Y).all(), "an event is of no known kind"
    )
    if arrays["si"][cl.PERIODIC]:
        need((ci[:, cl.OWN_KIND] == cl.OWN_HORIZON).all(), "there is a wall in a periodic box")
    small = ci[:, cl.BIG] < 0
    speed = np.hypot(cf[:, cl.VX], cf[:, cl.VY])
    late = 1e-9 * sf[cl.NOW]
    wait = cf[:, cl.OWN_T] - cf[:, cl.T]
    need((wait >= -late).all(), "an event lies in the past")
    most = (1.0 + ROUNDING) * sf[cl.H_CAP] + late
    need((wait[small] <= most).all(), "a horizon is too far")
    travel = (1.0 + ROUNDING) * sf[cl.TRAVEL] * sf[cl.CELL] + speed * late
    need((speed * wait <= travel)[small & (speed > 0.0)].all(), "a horizon is too far")
    need((cf[small, cl.W] == 0.0).all(), "the envelope of a cluster does not fit")
    big = ~small
    most = (1.0 + ROUNDING) * sf[cl.H_CAP] * (sf[cl.BIG_PATIENCE] / sf[cl.PATIENCE]) + late
    ahead = more[big, cl.HORIZON] - cf[big, cl.T]
    need((ahead <= most).all() and (cf[big, cl.OWN_T] <= more[big, cl.HORIZON]).all(), "a horizon is too far")
    widest = (1.0 + ROUNDING) * sf[cl.ENVELOPE] * sf[cl.V_TYPICAL]
    need(((cf[big, cl.W] >= 0.0) & (cf[big, cl.W] <= widest)).all(), "the envelope of a cluster does not fit")
    middle = np.hypot(more[big, cl.EX], more[big, cl.EY])
    fastest = (1.0 + ROUNDING) * arrays["si"][cl.GRID_M] * sf[cl.V_TYPICAL]
    need((middle <= fastest).all(), "the envelope of a cluster does not fit")


def _check_bigs(arrays: Arrays, registered: NDArray[np.int64]) -> None:
    """The list of big clusters, and where they stand in it."""
    ci, count = arrays["ci"], int(arrays["si"][cl.BIGS])
    need(count <= len(registered), "the list of big clusters is too long")
    bigs = arrays["bigs"][:count].astype(np.int64)
    unique(bigs, len(ci), "the list of big clusters")
    need(np.isin(bigs, registered).all(), "the list of big clusters names one that is gone")
    wanted = np.full(len(ci), -1, np.int64)
    wanted[bigs] = np.arange(count)
    need(np.array_equal(ci[:, cl.BIG], wanted), "the places of the big clusters do not fit")


def _check_queue(arrays: Arrays, live: NDArray[np.int64], registered: NDArray[np.int64]) -> None:
    """The heap of events: every cluster once, none before its parent, at the time of its next event."""
    key, slot, size = arrays["heap_key"], arrays["heap_slot"], int(arrays["si"][cl.HEAP])
    need(size <= len(live), "the queue of events is too long")
    owner = arrays["heap_owner"][:size].astype(np.int64)
    unique(owner, len(slot), "the queue of events")
    wanted = np.full(len(slot), -1, np.int64)
    wanted[owner] = np.arange(size)
    need(np.array_equal(slot, wanted), "the places in the queue do not fit")
    need((arrays["ci"][owner, cl.LIVE] >= 0).all(), "the queue of events names a cluster that is gone")
    parent = (np.arange(1, size) - 1) >> 2
    need((key[parent] <= key[1:size]).all(), "the queue of events is not in order")
    need((slot[registered] >= 0).all(), "the queue of events is not complete")
    cf = arrays["cf"]
    next_one = np.minimum(cf[registered, cl.PAIR_T], cf[registered, cl.OWN_T])
    need(np.array_equal(key[slot[registered]], next_one), "the queue of events does not fit")


def _check_watchers(arrays: Arrays, live: NDArray[np.int64]) -> None:
    """Who looks at whose velocity: linked lists in a pool, with one of free entries."""
    si, ci, watch = arrays["si"], arrays["ci"], arrays["watch"]
    count, top = len(ci), int(si[cl.WATCH_TOP])
    need(1 <= len(watch) <= 64 * (2 * count + 1024) and top <= len(watch), "the pool of watchers is out of range")
    used = watch[:top]
    heads = ci[live, cl.WATCHERS]
    after = np.concatenate([heads, used[:, cl.W_NEXT], [si[cl.WATCH_FREE]]])
    within(after, -1, top, "a list of watchers")
    unique(after[after >= 0], top, "a list of watchers")
    need((ci[live][ci[live, cl.BIG] < 0, cl.WATCHERS] == -1).all(), "a small cluster is watched")
    within(used[:, cl.W_CLUSTER], 0, count, "a watcher")
    within(ci[:, [cl.TRAJ, cl.EVAL]], 0, _MOST_RAISED, "a counter of a cluster")
    within(used[:, cl.W_EVAL], 0, _MOST_RAISED, "a counter of a watcher")


def _check_impacts(arrays: Arrays, registered: NDArray[np.int64]) -> None:
    """The impacts that clusters answer for: with one that is there, between discs of the two."""
    ci, label = arrays["ci"], arrays["label"]
    met = registered[np.isfinite(arrays["cf"][registered, cl.PAIR_T])]
    partner, i, j = (ci[met, column].astype(np.int64) for column in (cl.PARTNER, cl.DISC_I, cl.DISC_J))
    for values in (partner, i, j):
        within(values, 0, len(ci), "an impact")
    known, now = ci[met, cl.PARTNER_TRAJ], ci[partner, cl.TRAJ]
    need(((known >= 0) & (known <= now)).all(), "an impact is out of date")
    holds = known == now
    right = (ci[partner, cl.LIVE] >= 0) & (partner != met) & (label[i] == met) & (label[j] == partner)
    need(right[holds].all(), "an impact is not one of two clusters")


def _check_log(arrays: Arrays) -> None:
    """The history of merges."""
    si, count = arrays["si"], len(arrays["label"])
    merges, initial = int(si[cl.MERGES]), int(arrays["initial_clusters"])
    need(1 <= initial <= count and merges == initial - si[cl.M], "its history does not fit its clusters")
    log = arrays["log_f"][: merges + 1]
    check_history(log[:, 0], initial - np.arange(merges + 1.0), log[:, 1], count)
    within(arrays["log_i"][1 : merges + 1], 0, count, "a merge of its history")
    need(log[-1, 0] <= arrays["sf"][cl.NOW], "its history lies ahead of its time")
