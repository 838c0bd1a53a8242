"""The grid of reference points, and the search in it for those that are near another one.

A cell is a block of `lists`, a cache line, that holds the numbers of its discs and their reference points. Where there
are more, it continues in further blocks. So a search knows which lines it will read before it reads any, and compares
the points of a block all at once.
"""

from __future__ import annotations

from math import floor, sqrt

import numpy as np

from engine.geometry.minimum_image import nearest_image
from engine.hard_discs import discs as d
from engine.hard_discs.discs import DiscArrays, pointers
from engine.hard_discs.spots import images_near, spots_near, write_slots
from engine.kernels import inlined, inner, kernel, prefetch, whole


@inlined
def take_block(st: DiscArrays) -> int:
    """A block of `lists` that is not in use. There has to be one."""
    state = st.state
    block = state.free_block
    if block >= 0:
        state.free_block = whole(st.lists[block * d.LINE + d.NEXT])
    else:
        block = state.blocks_used
        state.blocks_used = block + 1
    state.blocks_free -= 1
    return whole(block)


@inlined
def give_block(st: DiscArrays, block: int) -> None:
    """Give a block of `lists` back."""
    st.lists[block * d.LINE + d.NEXT] = st.state.free_block
    st.state.free_block = block
    st.state.blocks_free += 1


@inlined
def column(x: float, per_length: float, count: int) -> int:
    """The column (or row) of a coordinate."""
    return min(max(whole(floor(x * per_length)), 0), count - 1)


@inlined
def cell_of(st: DiscArrays, i: int) -> int:
    """The cell of the reference point of disc i, in the grid of its level."""
    level = st.levels[st.motion[i].flags >> d.LEVEL_BIT]
    kx = column(np.float64(st.place[i].x), level.columns_per_length, level.columns)
    ky = column(np.float64(st.place[i].y), level.rows_per_length, level.rows)
    return whole(level.first_cell + ky * level.columns + kx)


@inlined
def _write_slot(st: DiscArrays, block: int, slot: int, i: int) -> None:
    """Put disc i and its reference point into a slot of a block of a cell."""
    line = block * d.LINE
    st.lists[line + d.CELL_DISC + slot] = i
    st.spots[line + d.CELL_X + slot] = st.place[i].x
    st.spots[line + d.CELL_Y + slot] = st.place[i].y


@inlined
def _empty_slot(st: DiscArrays, block: int, slot: int) -> None:
    """Empty a slot of a block of a cell: its point is far from all discs."""
    line = block * d.LINE
    st.lists[line + d.CELL_DISC + slot] = -1
    st.spots[line + d.CELL_X + slot] = d.NOWHERE


@inlined
def _empty_cell(st: DiscArrays, block: int) -> None:
    """Make a block one of a cell, without discs."""
    for slot in range(d.CELL_ROOM):
        _empty_slot(st, block, slot)
        st.spots[block * d.LINE + d.CELL_Y + slot] = d.NOWHERE
    st.lists[block * d.LINE + d.NEXT] = -1


@inlined
def _slot_of(st: DiscArrays, block: int, i: int) -> int:
    """The first slot of a block of a cell that holds disc i, -1 for an empty one; CELL_ROOM where none does."""
    found = whole(d.CELL_ROOM)
    for slot in range(d.CELL_ROOM - 1, -1, -1):
        if whole(st.lists[block * d.LINE + d.CELL_DISC + slot]) == i:
            found = slot
    return found


@inlined
def enter_cell(st: DiscArrays, i: int) -> None:
    """Put disc i into the first empty slot of its cell. There has to be a block that is not in use."""
    block = cell_of(st, i)
    while True:
        slot = _slot_of(st, block, -1)
        if slot < d.CELL_ROOM:
            _write_slot(st, block, slot, i)
            return
        after = whole(st.lists[block * d.LINE + d.NEXT])
        if after < 0:
            after = take_block(st)
            _empty_cell(st, after)
            st.lists[block * d.LINE + d.NEXT] = after
        block = after


@inlined
def move_in_cells(st: DiscArrays, i: int, home: int) -> None:
    """Bring disc i from cell `home`, in which it is, to the cell of its reference point. A further block that is empty
    then is given back."""
    before = whole(-1)
    block = home
    while True:
        slot = _slot_of(st, block, i)
        if slot < d.CELL_ROOM:
            break
        before = block
        block = whole(st.lists[block * d.LINE + d.NEXT])
    if cell_of(st, i) == home:
        _write_slot(st, block, slot, i)
        return
    _empty_slot(st, block, slot)
    if before >= 0:
        line = block * d.LINE
        most = whole(-1)
        for k in range(line + d.CELL_DISC, line + d.CELL_DISC + d.CELL_ROOM):
            most = max(most, whole(st.lists[k]))
        if most < 0:
            st.lists[before * d.LINE + d.NEXT] = st.lists[line + d.NEXT]
            give_block(st, block)
    enter_cell(st, i)


@inlined
def distance2(st: DiscArrays, x: float, y: float, j: int) -> float:
    """Squared distance of a reference point (x, y) from the nearest image of that of disc j, symmetric in rounding."""
    state = st.state
    dx: float = np.float64(st.place[j].x) - x
    dy: float = np.float64(st.place[j].y) - y
    if state.periodic:
        dx = nearest_image(dx, state.lx, state.half_x)
        dy = nearest_image(dy, state.ly, state.half_y)
    return dx * dx + dy * dy


@inlined
def reach2(st: DiscArrays, i: int, j: int) -> float:
    """The square of the distance of reference points below which two discs are neighbours."""
    radii = np.float64(st.place[i].radius) + np.float64(st.place[j].radius)
    reach = radii * st.state.list_factor + st.state.list_pad
    square: float = reach * reach
    return square


@inlined
def _ahead(step_x: float, step_y: float, smallest: float) -> tuple[float, float, float, float]:
    """How far to search to the left, right, down and up of a new reference point, over the usual reach.

    New neighbours are nearer to it than to the former one: they lie beyond the line half-way between both.

    step_x, step_y : the way from the former one to this; smallest : no reach is smaller.
    """
    left = right = down = up = 1.0
    step = sqrt(step_x * step_x + step_y * step_y)
    if step > 0.0:
        ux = abs(step_x) / step
        uy = abs(step_y) / step
        # that line lies half a step behind the new point, and cuts the circle of what is in reach
        behind = 0.5 * step / smallest
        along_x = min(1.0, behind * ux + uy)
        along_y = min(1.0, behind * uy + ux)
        if step_x > 0.0:
            left = along_x
        else:
            right = along_x
        if step_y > 0.0:
            down = along_y
        else:
            up = along_y
    return left, right, down, up


@inner
def find(st: DiscArrays, i: int, known: bool, old_x: float, old_y: float) -> int:
    """Write the neighbours of disc i into `found`; returns how many.

    Which candidates are neighbours is hard to tell beforehand: each is written, and the next one over it where it is
    none.

    known : leave out those that were neighbours of the reference point (old_x, old_y) too.
    """
    x = np.float64(st.place[i].x)
    y = np.float64(st.place[i].y)
    radius = np.float64(st.place[i].radius)
    state = st.state
    periodic = state.periodic
    # elsewhere all that is in reach lies on this side of the edges of the box, and no other image is nearer
    edge = st.motion[i].flags & d.EDGE
    slack = state.reach_slack
    lx = np.float32(state.lx)
    ly = np.float32(state.ly)
    hx = np.float32(state.half_x)
    hy = np.float32(state.half_y)
    step_x = 0.0
    step_y = 0.0
    left = right = down = up = 1.0
    if known:
        step_x = x - old_x
        step_y = y - old_y
        if periodic:
            step_x = nearest_image(step_x, state.lx, state.half_x)
            step_y = nearest_image(step_y, state.ly, state.half_y)
        left, right, down, up = _ahead(step_x, step_y, state.list_pad)
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
        from_x = whole(floor((x - left * far - slack) * level.columns_per_length))
        to_x = whole(floor((x + right * far + slack) * level.columns_per_length))
        from_y = whole(floor((y - down * far - slack) * level.rows_per_length))
        to_y = whole(floor((y + up * far + slack) * level.rows_per_length))
        if periodic:
            if to_x - from_x >= nx:
                from_x, to_x = 0, nx - 1
            if to_y - from_y >= ny:
                from_y, to_y = 0, ny - 1
        else:
            from_x, to_x = max(from_x, 0), min(to_x, nx - 1)
            from_y, to_y = max(from_y, 0), min(to_y, ny - 1)
        begin = count
        px = np.float32(x)
        py = np.float32(y)
        sx = np.float32(step_x)
        sy = np.float32(step_y)
        for ky in range(from_y, to_y + 1):
            row = ky
            if row < 0:
                row += ny
            elif row >= ny:
                row -= ny
            row = level.first_cell + row * nx
            for kx in range(from_x, to_x + 1):
                k = kx
                if k < 0:
                    k += nx
                elif k >= nx:
                    k -= nx
                block = row + k
                while block >= 0:
                    line = block * d.LINE
                    if edge:
                        hits = images_near(st.spots, line, px, py, most, sx, sy, least, lx, ly, hx, hy)
                    else:
                        hits = spots_near(st.spots, line, px, py, most, sx, sy, least)
                    count += write_slots(st.found, count, line, hits)
                    block = whole(st.lists[line + d.NEXT])
        kept = begin
        within = far * far
        for k in range(begin, count):
            at = whole(st.found[k])
            j = whole(st.lists[at + d.CELL_DISC])
            prefetch(st.motion, j)  # nearly all are neighbours, of which a prediction reads this next
            spot_x = np.float64(st.spots[at + d.CELL_X])
            spot_y = np.float64(st.spots[at + d.CELL_Y])
            dx: float = spot_x - x
            dy: float = spot_y - y
            old_dx: float = spot_x - old_x
            old_dy: float = spot_y - old_y
            if edge:
                dx = nearest_image(dx, state.lx, state.half_x)
                dy = nearest_image(dy, state.ly, state.half_y)
                old_dx = nearest_image(old_dx, state.lx, state.half_x)
                old_dy = nearest_image(old_dy, state.ly, state.half_y)
            if not equal:
                reach = (radius + np.float64(st.place[j].radius)) * state.list_factor + state.list_pad
                within = reach * reach
            take = j != i and dx * dx + dy * dy <= within
            if known:
                take = take and old_dx * old_dx + old_dy * old_dy > within
            st.found[kept] = j
            kept += take
        count = kept
    return count


@kernel
def empty_cells(arrays: DiscArrays, first: int, end: int) -> None:
    """Make these blocks cells without discs."""
    st = pointers(arrays)
    for block in range(first, end):
        _empty_cell(st, block)
