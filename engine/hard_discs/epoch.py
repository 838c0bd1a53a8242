"""The beginning of an epoch: all discs are brought to one time, which becomes 0, and all that follows is rebuilt.

Discs are sorted along a space-filling curve; radii, shells, neighbour lists, predictions and the calendar are computed
from positions and velocities alone. An epoch ends after a fixed number of events, or at a fixed time, so that it makes
no difference where the caller interrupts a run.

A million discs take a second of work, which nobody should have to wait for: `begin_epoch` does it in steps of some
milliseconds, between which positions and velocities are consistent.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import cbrt, ceil, floor, inf, isfinite, pi, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.geometry.morton import SHIFTS, morton_key, sort_pass
from engine.geometry.vectors import absolute, largest
from engine.hard_discs import discs as d
from engine.hard_discs.cells import empty_cells
from engine.hard_discs.discs import (
    PLANE,
    DiscArrays,
    axes_of,
    box_of,
    dimensions_of,
    gravity_of,
    layout_of,
    periodic_of,
    pointers,
)
from engine.hard_discs.log import growth_now, heat_now, totals
from engine.hard_discs.motion import motion_at, put_position, put_velocity, sides, velocity
from engine.hard_discs.prediction import predict
from engine.hard_discs.room import empty_lists, events_a_bin, fill_queue, longer_lists
from engine.hard_discs.shells import build_lists, place_discs
from engine.kernels import inlined, kernel, whole
from engine.records import zeros

EVENTS_A_DISC = 64  # events of any kind in an epoch, for each disc
NEIGHBOURS = 7.0  # that a neighbour list should have, and its disc itself
SPACE_NEIGHBOURS = 13.0  # the same for spheres
_AT_ONCE = 16_384  # discs in one step of the beginning of an epoch
_LISTED = 4.0  # radii: neighbour lists are kept where the radius of a shell is smaller
# times the reach of a neighbour list within a level is the width of its cells, with and without lists: in a thin gas
# numbers fluctuate more, and smaller cells overflow less often
_CELL, _THIN_CELL = 1.3, 1.15
_SPACE_CELL, _SPACE_THIN_CELL = 1.1, 1.05
_LEVEL_RATIO = 2.5  # the radii of one level of the grid differ by this factor at most
_LONGEST = 256.0  # times the typical time to the next event of a disc: an epoch lasts no longer
_GROWN = 0.2  # of the radius of a shell: diameters grow by no more in an epoch
_STALL_ULPS = 64.0  # units in the last place by which the clock has to advance between two checks for a collapse
_PUMPED = 2.0  # times the kinetic energy before growth: where growth has raised it so far, speeds are scaled back
_SAMPLE = 65_536  # discs of which the typical time to the next event is taken


def parts(count: int) -> Iterator[tuple[int, int]]:
    """The discs from 0 to `count` in parts: the first of each and the one after its last."""
    for first in range(0, count, _AT_ONCE):
        yield first, min(first + _AT_ONCE, count)


@kernel
def _keys(arrays: DiscArrays, keys: NDArray[np.uint32], first: int, end: int) -> None:
    """Write where these discs are now along a Z curve."""
    st = pointers(arrays)
    side = largest(sides(st))
    for i in range(first, end):
        x, _ = motion_at(st, i, st.state.now)
        keys[i] = np.uint32(morton_key(x, side))


@kernel
def _bring(
    arrays: DiscArrays,
    new: DiscArrays,
    order: NDArray[np.int32],
    number: NDArray[np.int32],
    radii: NDArray[np.float64],
    factor: float,
    first: int,
    end: int,
) -> None:
    """Write the discs from `first` to `end` of a new order into other arrays, brought to the present time, which is 0.

    Parameters
    ----------
    arrays
        The state.
    new
        The same, but motion, entries, places and original numbers: they are written to.
    order
        (N,), the old number of each disc.
    number
        (N,), gets the new number of each disc, by its old one.
    radii
        (N,), at the start of the run, in the caller's order.
    factor
        Present radii over these.
    first, end
        The discs.
    """
    st = pointers(arrays)
    to = pointers(new)
    now = st.state.now
    for k in range(first, end):
        i = whole(order[k])
        number[i] = k
        disc = to.motion[k]
        x, v = motion_at(st, i, now)
        put_position(to, k, x)
        put_velocity(to, k, v)
        disc.time = 0.0
        disc.renewal = np.inf
        disc.radius = radii[whole(st.original[i])] * factor
        disc.hits = st.motion[i].hits
        disc.flags = st.motion[i].flags
        of = st.entry[i]
        entry = to.entry[k]
        entry.last_contact = of.last_contact - now
        entry.event = np.inf
        entry.what = d.NOTHING
        entry.partner_hits = 0
        entry.image_x = of.image_x
        entry.image_y = of.image_y
        if len(arrays) > PLANE:
            entry.image_z = of.image_z
        to.place[k].radius = upwards(disc.radius)
        to.original[k] = st.original[i]
        if not st.state.equal_masses:
            to.mass[k] = st.mass[i]


@inlined
def upwards(radius: float) -> np.float32:
    """A number of four bytes that is not below `radius`."""
    return np.float32(radius * (1.0 + 2e-7))


@kernel
def set_radii(arrays: DiscArrays, radii: NDArray[np.float64], factor: float) -> None:
    """Set the radii of all discs.

    radii : (N,), at the start of the run, in the caller's order; factor : present radii over these.
    """
    st = pointers(arrays)
    for i in range(st.state.count):
        radius = radii[whole(st.original[i])] * factor
        st.motion[i].radius = radius
        st.place[i].radius = upwards(radius)


@kernel
def _predict_all(arrays: DiscArrays, first: int, end: int) -> None:
    """Predict the events of these discs, at time 0."""
    st = pointers(arrays)
    for i in range(first, end):
        predict(st, i, 0.0)


@kernel
def _fastest(arrays: DiscArrays) -> float:
    """The largest component of a velocity."""
    st = pointers(arrays)
    fastest = 0.0
    for i in range(st.state.count):
        fastest = max(fastest, largest(absolute(velocity(st, i))))
    return fastest


def begin_epoch(st: DiscArrays, radii: NDArray[np.float64], time: float) -> Iterator[DiscArrays]:
    """Begin an epoch now: yields the changed state, in steps of some milliseconds.

    What it yields last is the result. Between the steps motion, counters and clock are consistent, so that frames and
    measures may be taken of what it has yielded, but the state must not be changed and no event may happen.

    radii : (N,), at the start of the run, in the caller's order; time : the simulation time now, at which the clock of
    the state has to be.
    """
    state = st.state
    count = int(state.count)
    keys = np.empty(count, np.uint32)
    for first, end in parts(count):
        _keys(st, keys, first, end)
        yield st
    order, other = np.arange(count, dtype=np.int32), np.empty(count, np.int32)
    for shift in SHIFTS:
        sort_pass(keys, order, other, shift)
        order, other = other, order
        yield st
    del keys
    factor = growth_now(state)
    layout = layout_of(st)
    new = st._replace(
        motion=zeros(count, layout.motion),
        entry=zeros(count, layout.entry),
        place=zeros(count, layout.place),
        original=np.empty(count, np.int32),
        mass=np.empty_like(st.mass) if len(st.mass) > 1 else st.mass,
    )
    for first, end in parts(count):
        _bring(st, new, order, other, radii, factor, first, end)
        yield st
    st = new
    _restart_clock(st, other, time)
    del order, other, new
    yield st
    speed = _sum_energy(st)
    yield st
    choose_shells(st, radii)
    yield st
    st = build_grid(st, radii)
    yield st
    for first, end in parts(count):
        while (first := place_discs(st, first, end, False)) < end:
            st = longer_lists(st)
        yield st
    for first, end in parts(count):
        while (first := build_lists(st, first, end)) < end:
            st = longer_lists(st)
        yield st
    for first, end in parts(count):
        _predict_all(st, first, end)
        yield st
    _choose_bins(st, speed)
    yield from fill_queue(st)
    state.epochs += 1
    state.epoch_events = 0


def at_once(steps: Iterator[DiscArrays]) -> DiscArrays:
    """The result of work that is done in steps."""
    for st in steps:  # noqa: B007 (the last one counts)
        pass
    return st


def _restart_clock(st: DiscArrays, number: NDArray[np.int32], time: float) -> None:
    """Make the present time 0.

    The epoch begins at the simulation time itself, not at the sum of the former beginning and `now`, which is rounded:
    so rounding errors do not add up, and a picture at this time moves no disc.

    number : (N,), of each disc now, by its former one; time : the simulation time now.
    """
    state = st.state
    now = state.now
    state.radius_factor = growth_now(state)
    state.growth_rate /= 1.0 + state.growth_rate * now
    for disc in (st.newest["one"], st.newest["other"]):
        disc[disc >= 0] = number[disc[disc >= 0]]
    st.newest["time"] -= now
    state.epoch, state.epoch_rest = time, 0.0
    state.kinetic_integral = heat_now(state)
    state.kinetic_since = 0.0
    state.stall_time -= now
    state.now = 0.0


def _sum_energy(st: DiscArrays) -> float:
    """Sum the kinetic energy, and scale the velocities of growing discs where it has become too large.

    Returns a typical speed: the mass-weighted root mean square, or what a disc reaches that falls by its radius.
    """
    state = st.state
    mass, momentum, kinetic, _ = totals(st)
    wanted = state.wanted_kinetic
    if state.growing and kinetic > _PUMPED * wanted > 0.0:
        for axis in axes_of(st):
            st.motion[f"v{axis}"] *= sqrt(wanted / kinetic)
        mass, momentum, kinetic, _ = totals(st)
    state.kinetic_energy = kinetic
    state.kinetic_com = 0.5 * sum(momentum[axis] * momentum[axis] for axis in periodic_of(st).axes) / mass
    typical = sqrt(2.0 * kinetic / mass)
    fall = sqrt(float(np.hypot.reduce(gravity_of(st))) * float(st.motion["radius"].mean()))
    return max(typical, 1e-3 * _fastest(st), fall)


def choose_shells(st: DiscArrays, radii: NDArray[np.float64]) -> None:
    """Choose the radius of the shells so that a neighbour list has about so many entries as `NEIGHBOURS` or
    `SPACE_NEIGHBOURS` says, and one image of each.

    The result of this and of `build_grid` depends on the box, the radii at the beginning of the epoch and their growth
    alone, so restoring a checkpoint calls them too.

    radii : (N,), at the start of the run, in the caller's order.
    """
    state = st.state
    mean, widest = float(radii.mean() * state.radius_factor), float(radii.max() * state.radius_factor)
    box = box_of(st)
    if dimensions_of(st) > 2:
        reach = cbrt(SPACE_NEIGHBOURS * float(box.prod()) / (4.0 / 3.0 * pi * len(radii)))
    else:
        reach = sqrt(NEIGHBOURS / (pi * (len(radii) / (state.lx * state.ly))))
    shell = max(0.5 * (reach - 2.0 * mean), 0.1 * mean)
    if state.periodic and len(radii) > 1:
        # neighbours are never farther apart than half a period, even when each is at the far side of its shell
        room = float(0.5 * periodic_of(st).periods(box).min() - 2.0 * widest)
        shell = min(shell, 0.24 * room)
    shell = max(shell, 1e-6 * float(box.max()))
    state.listed = int(shell < _LISTED * mean)
    state.shell_radius = shell
    state.list_pad = 2.0 * shell * (1.0 + 1e-6)
    state.largest_radius = widest
    state.reach_slack = 1e-6 * float(box.max())
    state.epoch_end = inf
    if state.growing:
        state.growth_end = max(0.0, (state.final_factor / state.radius_factor - 1.0) / state.growth_rate)
        state.epoch_end = min(_GROWN * shell / (state.growth_rate * 2.0 * widest), state.growth_end)
    state.list_factor = 1.0 + state.growth_rate * state.epoch_end if state.growing else 1.0


@kernel
def _count_levels(
    arrays: DiscArrays,
    bounds: NDArray[np.float64],
    members: NDArray[np.int64],
    smallest: NDArray[np.float64],
    largest: NDArray[np.float64],
) -> None:
    """Set the level of each disc, and how many discs and which smallest and largest radius each level has.

    bounds : (MAX_LEVELS - 1,), the largest radius that belongs to each level but the last.
    """
    st = pointers(arrays)
    for i in range(st.state.count):
        radius = st.motion[i].radius
        level = 0
        while level < d.MAX_LEVELS - 1 and radius > bounds[level]:
            level += 1
        members[level] += 1
        radius = np.float64(st.place[i].radius)
        largest[level] = max(largest[level], radius)
        smallest[level] = min(smallest[level], radius)
        flags = st.motion[i].flags & ((1 << d.LEVEL_BIT) - 1)
        st.motion[i].flags = flags | (level << d.LEVEL_BIT)


def build_grid(st: DiscArrays, radii: NDArray[np.float64]) -> DiscArrays:
    """Empty lists and grids of cells, one for each level of radii. Cells are a little wider than lists reach within it.

    Not `engine.geometry.cells`, which sorts discs once: here they enter and leave cells all the time. A level without
    discs has a single cell.

    radii : (N,), at the start of the run, in the caller's order.
    """
    state = st.state
    # level 0 holds all discs up to a few times the usual radius plus half a shell: small ones need no levels
    usual = 0.5 * float(np.median(radii)) * state.radius_factor + 0.25 * state.shell_radius
    base = max(float(radii.min()) * state.radius_factor, usual)
    bounds = base * _LEVEL_RATIO ** np.arange(1, d.MAX_LEVELS, dtype=np.float64)
    members = np.zeros(d.MAX_LEVELS, np.int64)
    smallest, largest = np.full(d.MAX_LEVELS, inf), np.zeros(d.MAX_LEVELS)
    _count_levels(st, bounds, members, smallest, largest)
    lists = int(state.count) * int(state.listed)
    cells = lists
    state.level_count = int(np.flatnonzero(members)[-1]) + 1
    box, space = box_of(st), dimensions_of(st) > 2
    width = (_SPACE_CELL if space else _CELL) if state.listed else (_SPACE_THIN_CELL if space else _THIN_CELL)
    for k in range(state.level_count):
        reach = width * (2.0 * float(largest[k]) * state.list_factor + state.list_pad) + 2.0 * state.reach_slack
        shape = [max(1, min(floor(side / reach), _most_cells(axis, box, members[k]))) for axis, side in enumerate(box)]
        per_length = [cells_along / side for cells_along, side in zip(shape, box, strict=True)]
        if not space:
            shape, per_length = [*shape, 1], [*per_length, 0.0]
        st.levels[k] = (*per_length, float(largest[k]), float(smallest[k]), *shape, cells)
        cells += prod(shape)
    st = empty_lists(st, cells - lists)
    empty_cells(st, lists, cells)
    return st


def _most_cells(axis: int, box: NDArray[np.float64], members: int) -> int:
    """How many cells there may be along an axis: so many that all together are about twice the discs."""
    others = float(np.delete(box, axis).prod())
    if len(box) > 2:
        return ceil(cbrt(2.0 * members * float(box[axis]) ** 2 / others))
    return ceil(sqrt(2.0 * members * float(box[axis]) / others))


def _choose_bins(st: DiscArrays, speed: float) -> None:
    """Choose the width of the bins of the calendar so that about `events_a_bin` events fall into each."""
    state = st.state
    count = int(state.count)
    times = st.entry["event"][:: max(1, count // _SAMPLE)]
    waiting = times[(times > 0.0) & np.isfinite(times)]
    moving = len(waiting) / len(times) * count
    typical = float(np.median(waiting)) if moving else 0.0
    if typical == 0.0 and speed > 0.0:
        typical, moving = state.shell_radius / speed, float(count)
    if typical > 0.0 and isfinite(typical):
        state.bins_per_time = moving / (2.0 * typical)
        state.epoch_end = min(state.epoch_end, _LONGEST * typical)
    else:
        state.bins_per_time = 1.0 / state.epoch_end if isfinite(state.epoch_end) else 1.0
    state.bins_per_time /= events_a_bin(count)
    longest = float(box_of(st).max()) / speed if speed > 0.0 else 0.0
    state.stall_bound = _STALL_ULPS * float(np.spacing(longest))
    state.bin = -1
