"""The grid of reference points, and the search in it for those that are near another one.

A cell is a block of `lists`, a cache line, that holds the numbers of its discs and their reference points. Where there
are more, it continues in further blocks. So a search knows which lines it will read before it reads any, and compares
the points of a block all at once.
"""

from __future__ import annotations

from math import floor, sqrt
from typing import Any

import numpy as np

from engine.geometry.minimum_image import wraps
from engine.geometry.vectors import Vector, dot, minus, single_precision, with_component
from engine.hard_discs import discs as d
from engine.hard_discs.discs import PLANE, DiscArrays, cell_room, line_of, next_of, numbers_of, pointers
from engine.hard_discs.motion import (
    half_sides,
    nearest,
    ones,
    put_spot_in_cell,
    sides,
    spot,
    spot_in_cell,
    zero,
)
from engine.hard_discs.spots import images_near, spots_near, write_slots
from engine.kernels import inlined, inner, kernel, prefetch_record, whole
from engine.records import Record


@inlined
def take_block(st: DiscArrays) -> int:
    """A block of `lists` that is not in use. There has to be one."""
    state = st.state
    block = state.free_block
    if block >= 0:
        state.free_block = whole(st.lists[block * line_of(st) + next_of(st)])
    else:
        block = state.blocks_used
        state.blocks_used = block + 1
    state.blocks_free -= 1
    return whole(block)


@inlined
def give_block(st: DiscArrays, block: int) -> None:
    """Give a block of `lists` back."""
    st.lists[block * line_of(st) + next_of(st)] = st.state.free_block
    st.state.free_block = block
    st.state.blocks_free += 1


@inlined
def column(x: float, per_length: float, count: int) -> int:
    """The column (or row) of a coordinate."""
    return min(max(whole(floor(x * per_length)), 0), count - 1)


@inlined
def cell_at(level: Any, x: Vector) -> int:
    """The cell of a place in the grid of a level."""
    kx = column(x[0], level.columns_per_length, level.columns)
    ky = column(x[1], level.rows_per_length, level.rows)
    if len(x) > 2:
        ky += column(x[2], level.layers_per_length, level.layers) * level.rows
    return whole(level.first_cell + ky * level.columns + kx)


@inlined
def cell_of(st: DiscArrays, i: int) -> int:
    """The cell of the reference point of disc i, in the grid of its level."""
    return cell_at(st.levels[st.motion[i].flags >> d.LEVEL_BIT], spot(st, i))


@inlined
def _write_slot(st: DiscArrays, block: int, slot: int, i: int) -> None:
    """Put disc i and its reference point into a slot of a block of a cell."""
    line = block * line_of(st)
    st.lists[line + numbers_of(st) + slot] = i
    put_spot_in_cell(st, line + slot, i)


@inlined
def _empty_slot(st: DiscArrays, block: int, slot: int) -> None:
    """Empty a slot of a block of a cell: its point is far from all discs."""
    line = block * line_of(st)
    st.lists[line + numbers_of(st) + slot] = -1
    st.spots[line + slot] = d.NOWHERE


@inlined
def _empty_cell(st: DiscArrays, block: int) -> None:
    """Make a block one of a cell, without discs."""
    line = block * line_of(st)
    for slot in range(cell_room(st)):
        _empty_slot(st, block, slot)
    for k in range(line + cell_room(st), line + numbers_of(st)):
        st.spots[k] = d.NOWHERE
    st.lists[line + next_of(st)] = -1


@inlined
def _slot_of(st: DiscArrays, block: int, i: int) -> int:
    """The first slot of a block of a cell that holds disc i, -1 for an empty one; `cell_room` where none does."""
    numbers = block * line_of(st) + numbers_of(st)
    found = whole(cell_room(st))
    for slot in range(cell_room(st) - 1, -1, -1):
        if whole(st.lists[numbers + slot]) == i:
            found = slot
    return found


@inlined
def enter_cell(st: DiscArrays, i: int) -> None:
    """Put disc i into the first empty slot of its cell. There has to be a block that is not in use."""
    block = cell_of(st, i)
    while True:
        slot = _slot_of(st, block, -1)
        if slot < cell_room(st):
            _write_slot(st, block, slot, i)
            return
        after = whole(st.lists[block * line_of(st) + next_of(st)])
        if after < 0:
            after = take_block(st)
            _empty_cell(st, after)
            st.lists[block * line_of(st) + next_of(st)] = after
        block = after


@inlined
def move_in_cells(st: DiscArrays, i: int, home: int) -> None:
    """Bring disc i from cell `home`, in which it is, to the cell of its reference point. A further block that is empty
    then is given back."""
    before = whole(-1)
    block = home
    while True:
        slot = _slot_of(st, block, i)
        if slot < cell_room(st):
            break
        before = block
        block = whole(st.lists[block * line_of(st) + next_of(st)])
    if cell_of(st, i) == home:
        _write_slot(st, block, slot, i)
        return
    _empty_slot(st, block, slot)
    if before >= 0:
        line = block * line_of(st)
        most = whole(-1)
        for k in range(line + numbers_of(st), line + numbers_of(st) + cell_room(st)):
            most = max(most, whole(st.lists[k]))
        if most < 0:
            st.lists[before * line_of(st) + next_of(st)] = st.lists[line + next_of(st)]
            give_block(st, block)
    enter_cell(st, i)


@inlined
def reach2(st: DiscArrays, i: int, j: int) -> float:
    """The square of the distance of reference points below which two discs are neighbours."""
    radii = np.float64(st.place[i].radius) + np.float64(st.place[j].radius)
    reach = radii * st.state.list_factor + st.state.list_pad
    square: float = reach * reach
    return square


@inlined
def _ahead(step: Vector, smallest: float) -> tuple[Vector, Vector]:
    """How far to search down and up each axis from a new reference point, over the usual reach.

    New neighbours are nearer to it than to the former one: they lie beyond the plane (or line) half-way between both.

    step : the way from the former one to this; smallest : no reach is smaller.
    """
    length = sqrt(dot(step, step))
    # that plane lies half a step behind the new point, and cuts the sphere of what is in reach
    behind = 0.5 * length / smallest
    if len(step) > 2:
        xy = step[0] * step[0], step[1] * step[1]
        zz = step[2] * step[2]
        low_x, high_x = _ahead_along(step[0], sqrt(xy[1] + zz), length, behind)
        low_y, high_y = _ahead_along(step[1], sqrt(xy[0] + zz), length, behind)
        low_z, high_z = _ahead_along(step[2], sqrt(xy[0] + xy[1]), length, behind)
        return (low_x, low_y, low_z), (high_x, high_y, high_z)
    low_x, high_x = _ahead_along(step[0], abs(step[1]), length, behind)
    low_y, high_y = _ahead_along(step[1], abs(step[0]), length, behind)
    return (low_x, low_y), (high_x, high_y)


@inlined
def _ahead_along(along: float, across: float, length: float, behind: float) -> tuple[float, float]:
    """`_ahead` for one axis: the step along it and across it, its length, and how far the plane lies behind."""
    low = high = 1.0
    if length > 0.0:
        needed = min(1.0, behind * (abs(along) / length) + across / length)
        if along > 0.0:
            low = needed
        else:
            high = needed
    return low, high


@inlined
def _cells_along(
    x: float, low: float, high: float, far: float, slack: float, per_length: float, count: int, around: bool
) -> tuple[int, int]:
    """The first and the last cell along an axis from x - low far to x + high far; with `around` they may lie beyond the
    edges of the box, where images are."""
    first = whole(floor((x - low * far - slack) * per_length))
    last = whole(floor((x + high * far + slack) * per_length))
    if around:
        if last - first >= count:
            first, last = whole(0), count - 1
    else:
        first, last = max(first, 0), min(last, count - 1)
    return first, last


@inlined
def _around(k: int, count: int) -> int:
    """The number of a cell along an axis that may lie one period away."""
    if k < 0:
        return k + count
    if k >= count:
        return k - count
    return k


@inlined
def _collect(
    st: DiscArrays,
    count: int,
    level: Record,
    cells: tuple[tuple[int, int], tuple[int, int], tuple[int, int]],
    point: Vector,
    most: np.float32,
    way: Vector,
    least: np.float32,
    edge: int,
) -> int:
    """Append to the first `count` of `found` where in `spots` the discs near a point are; returns how many there are.

    cells : the first and the last column, row and layer of the level, which may lie one period away; point, most, way,
        least : see `spots.spots_near`; edge : 0 where no image of a disc may be nearer than the disc itself.
    """
    box = single_precision(sides(st))
    half = single_precision(half_sides(st))
    nx, ny, nz = level.columns, level.rows, level.layers
    columns, rows, layers = cells
    for kz in range(layers[0], layers[1] + 1):
        layer = level.first_cell
        if len(st) > PLANE:
            layer += _around(kz, nz) * ny * nx
        for ky in range(rows[0], rows[1] + 1):
            row = layer + _around(ky, ny) * nx
            for kx in range(columns[0], columns[1] + 1):
                block = row + _around(kx, nx)
                while block >= 0:
                    line = block * line_of(st)
                    if edge:
                        hits = images_near(st.spots, line, point, most, way, least, box, half)
                    else:
                        hits = spots_near(st.spots, line, point, most, way, least)
                    count += write_slots(st.found, count, line, hits)
                    block = whole(st.lists[line + next_of(st)])
    return count


@inner
def find(st: DiscArrays, i: int, known: bool, old: Vector) -> int:
    """Write the neighbours of disc i into `found`; returns how many.

    Which candidates are neighbours is hard to tell beforehand: each is written, and the next one over it where it is
    none.

    known : leave out those that were neighbours of the reference point `old` too.
    """
    x = spot(st, i)
    radius = np.float64(st.place[i].radius)
    state = st.state
    around_y = wraps(state.periodic, 1) and not state.sheared
    # elsewhere all that is in reach lies on this side of the edges of the box, and no other image is nearer
    edge = st.motion[i].flags & d.EDGE
    slack = state.reach_slack
    step = zero(st)
    low, high = ones(st), ones(st)
    if known:
        step = minus(x, old)
        if state.periodic:
            step = nearest(st, step)
        low, high = _ahead(step, state.list_pad)
    point = single_precision(x)
    way = single_precision(step)
    count = 0
    for number in range(state.level_count):
        level = st.levels[number]
        far = (radius + level.largest) * state.list_factor + state.list_pad
        near = (radius + level.smallest) * state.list_factor + state.list_pad
        equal = far == near
        most = np.float32((far + slack) * (far + slack))
        least = np.float32(max(near - slack, 0.0) * max(near - slack, 0.0)) if known else np.float32(-1.0)
        nx = level.columns
        ny = level.rows
        from_x, to_x = _cells_along(
            x[0], low[0], high[0], far, slack, level.columns_per_length, nx, wraps(state.periodic, 0)
        )
        from_y, to_y = _cells_along(x[1], low[1], high[1], far, slack, level.rows_per_length, ny, around_y)
        nz = from_z = to_z = whole(0)
        if len(st) > PLANE:
            nz = level.layers
            per_length = level.layers_per_length
            from_z, to_z = _cells_along(x[2], low[2], high[2], far, slack, per_length, nz, wraps(state.periodic, 2))
        begin = count
        cells = (from_x, to_x), (from_y, to_y), (from_z, to_z)
        count = _collect(st, count, level, cells, point, most, way, least, edge)
        kept = begin
        within = far * far
        for k in range(begin, count):
            at = whole(st.found[k])
            j = whole(st.lists[at + numbers_of(st)])
            prefetch_record(st.motion, j)  # nearly all are neighbours, of which a prediction reads this next
            place = spot_in_cell(st, at)
            delta = minus(place, x)
            before = minus(place, old)
            if edge:
                delta = nearest(st, delta)
                before = nearest(st, before)
            if not equal:
                reach = (radius + np.float64(st.place[j].radius)) * state.list_factor + state.list_pad
                within = reach * reach
            take = j != i and dot(delta, delta) <= within
            if known:
                take = take and dot(before, before) > within
            st.found[kept] = j
            kept += take
        count = kept
    return count


@inner
def find_across(st: DiscArrays, i: int, turns: int, x: Vector) -> int:
    """Write the discs that the image of disc i in the box above (turns = -1: below) may meet soon into `found`.

    That image moves past the discs at the opposite edge: all count that come near it while it moves by `drift`.

    turns : -1 or 1, the box of that image; x : the centre of the shell of the image now, beyond an edge along y and in
        the box along x. Returns how many there are.
    """
    state = st.state
    slack = state.reach_slack
    half_drift = 0.5 * state.drift
    x = with_component(x, 0, x[0] + turns * (half_drift if state.shear_rate > 0.0 else -half_drift))
    point = single_precision(x)
    radius = np.float64(st.place[i].radius)
    count = 0
    for number in range(state.level_count):
        level = st.levels[number]
        far = (radius + level.largest) * state.list_factor + state.list_pad + half_drift
        most = np.float32((far + slack) * (far + slack))
        nx, ny = level.columns, level.rows
        from_x, to_x = _cells_along(x[0], 1.0, 1.0, far, slack, level.columns_per_length, nx, True)
        from_y, to_y = _cells_along(x[1], 1.0, 1.0, far, slack, level.rows_per_length, ny, False)
        nz = from_z = to_z = whole(0)
        if len(st) > PLANE:
            nz = level.layers
            from_z, to_z = _cells_along(x[2], 1.0, 1.0, far, slack, level.layers_per_length, nz, True)
        begin = count
        cells = (from_x, to_x), (from_y, to_y), (from_z, to_z)
        count = _collect(st, count, level, cells, point, most, minus(point, point), np.float32(-1.0), 1)
        for k in range(begin, count):
            st.found[k] = st.lists[whole(st.found[k]) + numbers_of(st)]
    return count


@kernel
def empty_cells(arrays: DiscArrays, first: int, end: int) -> None:
    """Make these blocks cells without discs."""
    st = pointers(arrays)
    for block in range(first, end):
        _empty_cell(st, block)
