"""The beginning of an epoch: all discs are brought to one time, which becomes 0, and all that follows is rebuilt.

Radii, shells, neighbour lists, predictions and the calendar are computed from positions and velocities alone; at every
fourth epoch the discs are sorted along a space-filling curve. An epoch ends after a fixed number of events, or at a
fixed time, so that it makes no difference where the caller interrupts a run.
"""

from __future__ import annotations

from math import ceil, floor, inf, isfinite, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.geometry.morton import morton_order
from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs, pointers
from engine.hard_discs.log import growth_now, totals
from engine.hard_discs.prediction import move_to, predict
from engine.hard_discs.queue import fill_queue
from engine.hard_discs.shells import build_lists, move_lists
from engine.kernels import kernel

EVENTS_A_DISC = 64  # events of any kind in an epoch, for each disc
SORT_EVERY = 4  # epochs
NEIGHBOURS = 9.0  # that a neighbour list should have
_LEVEL_RATIO = 2.5  # the radii of one level of the grid differ by this factor at most
_LONGEST = 256.0  # times the typical time to the next event of a disc: an epoch lasts no longer
_GROWN = 0.2  # of the radius of a shell: diameters grow by no more in an epoch
_STALL_ULPS = 64.0  # units in the last place by which the clock has to advance between two checks for a collapse
_PUMPED = 2.0  # times the kinetic energy before growth: where growth has raised it so far, speeds are scaled back


@kernel
def _begin(arrays: Discs) -> None:
    """Bring all discs to the present time, which becomes 0.

    What the sum of the epoch and `now` loses to rounding is kept in `epoch_rest` (two-sum of Knuth and Møller).
    """
    st = pointers(arrays)
    state = st.state
    now = state.now
    for i in range(st.state.count):
        move_to(st, i, now)
        disc = st.motion[i]
        disc.time = 0.0
        disc.last_contact -= now
        disc.event = np.inf
        st.entry[i].prev = d.OUT
    for k in range(d.RING):
        st.newest[k].time -= now
    total = state.epoch + now
    back = total - state.epoch
    state.epoch_rest += (state.epoch - (total - back)) + (now - back)
    state.epoch = total
    state.kinetic_integral += state.kinetic_energy * (now - state.kinetic_since)
    state.kinetic_since = 0.0
    state.stall_time -= now
    state.now = 0.0


@kernel
def _predict_all(arrays: Discs) -> None:
    """Predict the events of all discs, at time 0."""
    st = pointers(arrays)
    for i in range(st.state.count):
        predict(st, i, 0.0)


def sort_discs(st: Discs) -> None:
    """Renumber the discs along a Z curve, in all arrays that the epoch does not fill anyway."""
    places = np.column_stack((st.motion["x"], st.motion["y"]))
    order = morton_order(places, np.array([st.state.lx, st.state.ly]))
    place = np.argsort(order).astype(np.int32)
    for array in (st.motion, st.entry, st.images, st.original):
        array[:] = array[order]
    if len(st.mass) > 1:
        st.mass[:] = st.mass[order]
    for disc in (st.newest["one"], st.newest["other"]):
        disc[disc >= 0] = place[disc[disc >= 0]]


def begin_epoch(st: Discs, radii: NDArray[np.float64]) -> Discs:
    """The same state with an epoch that begins now; pool and cells may be other arrays.

    radii : (N,), at the start of the run, in the caller's order.
    """
    state = st.state
    state.radius_factor = growth_now(state)
    state.growth_rate /= 1.0 + state.growth_rate * state.now
    _begin(st)
    if state.epochs % SORT_EVERY == 0:
        sort_discs(st)
    st.motion["radius"] = radii[st.original] * state.radius_factor
    speed = _sum_energy(st)
    choose_shells(st)
    st = build_grid(st)
    while not build_lists(st):
        st = _with_pool(st, len(st.pool) + len(st.pool) // 2 + 1024)
        st.cell[:] = -1
    _predict_all(st)
    _build_calendar(st, speed)
    state.epochs += 1
    state.epoch_events = 0
    return st


def _sum_energy(st: Discs) -> float:
    """Sum the kinetic energy, and scale the velocities of growing discs where it has become too large.

    Returns a typical speed: the mass-weighted root mean square, or what a disc reaches that falls by its radius.
    """
    state = st.state
    mass, px, py, kinetic, _ = totals(st)
    wanted = state.wanted_kinetic
    if state.growing and kinetic > _PUMPED * wanted > 0.0:
        st.motion["vx"] *= sqrt(wanted / kinetic)
        st.motion["vy"] *= sqrt(wanted / kinetic)
        mass, px, py, kinetic, _ = totals(st)
    state.kinetic_energy = kinetic
    state.kinetic_com = 0.5 * (px * px + py * py) / mass
    fastest = max(float(np.abs(st.motion[axis]).max()) for axis in ("vx", "vy"))
    typical = sqrt(2.0 * kinetic / mass)
    fall = sqrt(float(np.hypot(state.gx, state.gy)) * float(st.motion["radius"].mean()))
    return max(typical, 1e-3 * fastest, fall)


def choose_shells(st: Discs) -> None:
    """Choose the radius of the shells so that a neighbour list has about `NEIGHBOURS` entries, and one image of each.

    The result of this and of `build_grid` depends on the box, the radii at the beginning of the epoch and their growth
    alone, so restoring a checkpoint calls them too.
    """
    state = st.state
    density = len(st.original) / (state.lx * state.ly)
    mean, largest = float(st.motion["radius"].mean()), float(st.motion["radius"].max())
    shell = max(0.5 * (sqrt(NEIGHBOURS / (pi * density)) - 2.0 * mean), 0.1 * mean)
    sides = np.array([state.lx, state.ly])
    if state.periodic:
        # neighbours are never farther apart than half the box, even when each is at the far side of its shell
        room = float(0.5 * sides.min() - 2.0 * largest)
        shell = min(shell, 0.24 * room)
    shell = max(shell, 1e-6 * float(sides.max()))
    state.shell_radius = shell
    state.list_pad = 2.0 * shell * (1.0 + 1e-6)
    state.largest_radius = largest
    state.reach_slack = 1e-6 * float(sides.max())
    state.epoch_end = inf
    if state.growing:
        state.growth_end = max(0.0, (state.final_factor / state.radius_factor - 1.0) / state.growth_rate)
        state.epoch_end = min(_GROWN * shell / (state.growth_rate * 2.0 * largest), state.growth_end)
    state.list_factor = 1.0 + state.growth_rate * state.epoch_end if state.growing else 1.0


def build_grid(st: Discs) -> Discs:
    """Empty grids of cells, one for each level of radii; its cells are as wide as neighbour lists reach within it.

    Not `engine.geometry.cells`, which sorts discs once: here they enter and leave cells all the time.
    """
    state = st.state
    radius = st.motion["radius"]
    smallest = float(radius.min())
    # level 0 holds all discs up to a few times the usual radius plus half a shell: small ones need no levels
    base = max(smallest, 0.5 * float(np.median(radius)) + 0.25 * state.shell_radius)
    bounds = [base * _LEVEL_RATIO ** (k + 1) for k in range(d.MAX_LEVELS - 1)]
    level = np.searchsorted(bounds, radius, side="left")
    used, level = np.unique(level, return_inverse=True)
    cells = 0
    for k in range(len(used)):
        members = radius[level == k]
        reach = 2.0 * float(members.max()) * state.list_factor + state.list_pad + 2.0 * state.reach_slack
        columns, rows = (
            max(1, min(floor(side / reach), max(1, ceil(sqrt(2.0 * len(members) * side / other)))))
            for side, other in ((state.lx, state.ly), (state.ly, state.lx))
        )
        largest = float(members.max())
        st.levels[k] = (columns / state.lx, rows / state.ly, largest, columns, rows, cells)
        cells += columns * rows
    state.level_count = len(used)
    flags = st.entry["flags"]
    flags &= (1 << d.LEVEL_BIT) - 1
    flags |= (level << d.LEVEL_BIT).astype(np.int32)
    return st._replace(cell=np.full(cells, -1, np.int32))


def _build_calendar(st: Discs, speed: float) -> None:
    """Choose the width of the bins so that about one event falls into each, and fill them."""
    state = st.state
    times = st.motion["event"]
    times = times[(times > 0.0) & np.isfinite(times)]
    moving = len(times)
    typical = float(np.median(times)) if moving else 0.0
    if typical == 0.0 and speed > 0.0:
        typical, moving = state.shell_radius / speed, len(st.motion)
    if typical > 0.0 and isfinite(typical):
        state.bins_per_time = moving / (2.0 * typical)
        state.epoch_end = min(state.epoch_end, _LONGEST * typical)
    else:
        state.bins_per_time = 1.0 / state.epoch_end if isfinite(state.epoch_end) else 1.0
    longest = float(max(state.lx, state.ly)) / speed if speed > 0.0 else 0.0
    state.stall_bound = _STALL_ULPS * float(np.spacing(longest))
    state.bin = -1
    fill_queue(st)


def _with_pool(st: Discs, size: int) -> Discs:
    """The same state with an empty pool."""
    st.state.pool_size = size
    return st._replace(pool=np.zeros(size, np.uint32))


def grow_pool(st: Discs) -> Discs:
    """The same state with the neighbour lists in a pool that has room for more."""
    size = len(st.pool)
    while True:
        new = _with_pool(st, size)
        top = move_lists(st, new.pool)
        if top >= 0:
            st.state.pool_top = top
            return new
        size += size // 2 + 1024
