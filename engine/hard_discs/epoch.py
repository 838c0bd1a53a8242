"""The beginning of an epoch: everything is brought to one time, which becomes 0, and laid out anew.

Radii, shells, lists, predictions and the calendar are made from positions and velocities alone; every fourth time the
discs are sorted along a space-filling curve. It happens after a fixed number of events, or at a fixed time, so that
where a run is cut has no influence.
"""

from __future__ import annotations

from math import ceil, floor, inf, isfinite, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.geometry.morton import morton_order
from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs, pointers
from engine.hard_discs.lists import move_lists
from engine.hard_discs.log import totals
from engine.hard_discs.prediction import bring_to, predict
from engine.hard_discs.queue import insert
from engine.hard_discs.shells import lay_lists
from engine.kernels import kernel

EVENTS_A_DISC = 64  # of any kind, in an epoch
SORT_EVERY = 4  # epochs
NEIGHBOURS = 9.0  # wanted in a list
_LEVEL_RATIO = 2.5  # radii of one level of the grid differ by no more than this
_LONGEST = 256.0  # length of an epoch at most, in typical times between the events of a disc
_GROWN = 0.2  # shells by which radii may grow in an epoch
_STALL_ULPS = 64.0
_PUMPED = 2.0  # times the energy before growth: then speeds are led back to it


@kernel
def _begin(arrays: Discs) -> None:
    """All discs at NOW; that time becomes 0."""
    st = pointers(arrays)
    sf = st.sf
    now = sf[d.NOW]
    for i in range(st.si[d.COUNT]):
        bring_to(st, i, now)
        o = i << 3
        st.rec[o + d.T] = 0.0
        st.rec[o + d.LAST] -= now
        st.rec[o + d.EVENT] = np.inf
        st.ri[o + d.PREV] = d.OUT
    for k in range(d.RING):
        st.ring_time[k] -= now
    total = sf[d.EPOCH] + now
    back = total - sf[d.EPOCH]
    sf[d.EPOCH_REST] += (sf[d.EPOCH] - (total - back)) + (now - back)
    sf[d.EPOCH] = total
    sf[d.KINETIC_TIME] += sf[d.KINETIC] * (now - sf[d.KINETIC_SINCE])
    sf[d.KINETIC_SINCE] = 0.0
    sf[d.STALL_TIME] -= now
    sf[d.NOW] = 0.0


@kernel
def _predict_all(arrays: Discs) -> None:
    st = pointers(arrays)
    for i in range(st.si[d.COUNT]):
        predict(st, i, 0.0)


@kernel
def _queue_all(arrays: Discs) -> None:
    st = pointers(arrays)
    for i in range(st.si[d.COUNT]):
        insert(st, i)


def sort_discs(st: Discs) -> None:
    """Renumber the discs along a Z curve, in all arrays that the new epoch does not fill anyway."""
    n = len(st.original)
    rec = st.rec.reshape(n, 8)
    order = morton_order(rec[:, d.X : d.Y + 1], st.sf[[d.LX, d.LY]])
    place = np.argsort(order).astype(np.int32)
    for array in (rec, st.ri.reshape(n, 8), st.images.reshape(n, 2), st.original):
        array[:] = array[order]
    if len(st.mass) > 1:
        st.mass[:] = st.mass[order]
    pair = st.ring_pair
    pair[pair >= 0] = place[pair[pair >= 0]]


def begin_epoch(st: Discs, radii: NDArray[np.float64]) -> Discs:
    """The same state with an epoch that begins at NOW; radii (N,): at the start, in the caller's order.

    The arrays of the pool and the cells may be replaced by larger ones.
    """
    si, sf = st.si, st.sf
    n = len(st.original)
    sf[d.FACTOR] *= 1.0 + sf[d.GAMMA] * sf[d.NOW]
    growth = sf[d.GAMMA] / (1.0 + sf[d.GAMMA] * sf[d.NOW])
    _begin(st)
    sf[d.GAMMA] = growth
    if si[d.EPOCHS] % SORT_EVERY == 0:
        sort_discs(st)
    rec = st.rec.reshape(n, 8)
    rec[:, d.R] = radii[st.original] * sf[d.FACTOR]
    speed = _weigh(st, rec)
    choose_shells(st)
    st = lay_grid(st)
    while not lay_lists(st):
        st = _with_pool(st, len(st.pool) + len(st.pool) // 2 + 1024)
        st.cell[:] = -1
    _predict_all(st)
    _lay_calendar(st, rec, speed)
    si[d.EPOCHS] += 1
    si[d.EPOCH_EVENTS] = 0
    return st


def _weigh(st: Discs, rec: NDArray[np.float64]) -> float:
    """Kinetic energy, summed anew (and led back to what it should be while discs grow); returns a typical speed."""
    si, sf = st.si, st.sf
    mass, px, py, kinetic, _ = totals(st)
    wanted = sf[d.MEAN_KINETIC]
    if si[d.GROWING] and kinetic > _PUMPED * wanted > 0.0:
        rec[:, d.VX : d.VY + 1] *= sqrt(wanted / kinetic)
        mass, px, py, kinetic, _ = totals(st)
    sf[d.KINETIC] = kinetic
    sf[d.KINETIC_COM] = 0.5 * (px * px + py * py) / mass
    fastest = float(np.abs(rec[:, d.VX : d.VY + 1]).max())
    typical = sqrt(2.0 * kinetic / mass)
    fall = sqrt(float(np.hypot(sf[d.GX], sf[d.GY])) * float(rec[:, d.R].mean()))
    return max(typical, 1e-3 * fastest, fall)


def choose_shells(st: Discs) -> None:
    """Shells so large that a list has about NEIGHBOURS entries, and that images of a disc stay apart.

    This and `lay_grid` follow from the box, the radii at the epoch and their growth alone: a checkpoint that is
    restored calls them too.
    """
    si, sf = st.si, st.sf
    n = len(st.original)
    rec = st.rec.reshape(n, 8)
    density = n / (sf[d.LX] * sf[d.LY])
    mean, largest = float(rec[:, d.R].mean()), float(rec[:, d.R].max())
    shell = max(0.5 * (sqrt(NEIGHBOURS / (pi * density)) - 2.0 * mean), 0.1 * mean)
    sides = sf[[d.LX, d.LY]]
    if si[d.PERIODIC]:
        # a pair of a list is never farther apart than half the box, also after both have crossed their shells
        room = float(0.5 * sides.min() - 2.0 * largest)
        shell = min(shell, 0.24 * room)
    shell = max(shell, 1e-6 * float(sides.max()))
    sf[d.SHELL_RADIUS] = shell
    sf[d.PAD] = 2.0 * shell * (1.0 + 1e-6)
    sf[d.LARGEST] = largest
    sf[d.REACH_SLACK] = 1e-6 * float(sides.max())
    sf[d.REBASE] = inf
    if si[d.GROWING]:
        sf[d.GROWTH_END] = max(0.0, (sf[d.GROWTH_FACTOR] / sf[d.FACTOR] - 1.0) / sf[d.GAMMA])
        sf[d.REBASE] = min(_GROWN * shell / (sf[d.GAMMA] * 2.0 * largest), sf[d.GROWTH_END])
    sf[d.LIST_FACTOR] = 1.0 + sf[d.GAMMA] * sf[d.REBASE] if si[d.GROWING] else 1.0


def lay_grid(st: Discs) -> Discs:
    """Empty grids, one for each level of radii, with cells as wide as the reach within the level."""
    si, sf = st.si, st.sf
    n = len(st.original)
    radius = st.rec.reshape(n, 8)[:, d.R]
    smallest = float(radius.min())
    # level 0 holds the discs up to a few times the mean shell-widened radius: many small ones share it
    base = max(smallest, 0.5 * float(np.median(radius)) + 0.25 * sf[d.SHELL_RADIUS])
    bounds = [base * _LEVEL_RATIO ** (k + 1) for k in range(d.MAX_LEVELS - 1)]
    level = np.searchsorted(bounds, radius, side="left")
    used, level = np.unique(level, return_inverse=True)
    cells = 0
    for k in range(len(used)):
        members = radius[level == k]
        reach = 2.0 * float(members.max()) * sf[d.LIST_FACTOR] + sf[d.PAD] + 2.0 * sf[d.REACH_SLACK]
        for axis in range(2):
            most = max(1, ceil(sqrt(2.0 * len(members) * sf[d.LX + axis] / sf[d.LX + 1 - axis])))
            count = max(1, min(floor(sf[d.LX + axis] / reach), most))
            st.grid_i[3 * k + axis] = count
            st.grid_f[3 * k + axis] = count / sf[d.LX + axis]
        st.grid_f[3 * k + 2] = float(members.max())
        st.grid_i[3 * k + 2] = cells
        cells += int(st.grid_i[3 * k + 0] * st.grid_i[3 * k + 1])
    si[d.LEVELS] = len(used)
    flags = st.ri.reshape(n, 8)[:, d.FLAGS]
    flags &= (1 << d.LEVEL_BIT) - 1
    flags |= (level << d.LEVEL_BIT).astype(np.int32)
    return st._replace(cell=np.full(cells, -1, np.int32))


def _lay_calendar(st: Discs, rec: NDArray[np.float64], speed: float) -> None:
    """Bins of a width such that about one event falls into each, and all events in them."""
    si, sf = st.si, st.sf
    times = rec[:, d.EVENT]
    times = times[(times > 0.0) & np.isfinite(times)]
    moving = len(times)
    typical = float(np.median(times)) if moving else 0.0
    if typical == 0.0 and speed > 0.0:
        typical, moving = sf[d.SHELL_RADIUS] / speed, len(rec)
    if typical > 0.0 and isfinite(typical):
        sf[d.PER_BIN] = moving / (2.0 * typical)
        sf[d.REBASE] = min(sf[d.REBASE], _LONGEST * typical)
    else:
        sf[d.PER_BIN] = 1.0 / sf[d.REBASE] if isfinite(sf[d.REBASE]) else 1.0
    longest = float(max(sf[d.LX], sf[d.LY])) / speed if speed > 0.0 else 0.0
    sf[d.STALL_BOUND] = _STALL_ULPS * float(np.spacing(longest))
    st.bins[:] = -1
    si[d.BIN] = -1
    si[d.HEAP] = 0
    si[d.QUEUED] = 0
    _queue_all(st)


def _with_pool(st: Discs, size: int) -> Discs:
    st.si[d.POOL_SIZE] = size
    return st._replace(pool=np.zeros(size, np.uint32))


def grow_pool(st: Discs) -> Discs:
    """The lists in a pool with room for longer ones."""
    size = len(st.pool)
    while True:
        new = _with_pool(st, size)
        top = move_lists(st, new.pool)
        if top >= 0:
            st.si[d.POOL_TOP] = top
            return new
        size += size // 2 + 1024
