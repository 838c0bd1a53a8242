"""Shells and neighbour lists.

Each disc has a reference point, and may move by `shell_radius` before that is renewed. Its neighbour list holds all
discs whose reference points are so near that the two could touch while both are within their shells. When a disc leaves
its shell, its reference point becomes its position, and its own list and those of its neighbours are updated with the
help of a grid of the reference points. Discs much larger than others have a grid of their own (a level), so that the
cells for the small ones stay narrow.

All lists are in one pool: `start` and `length` of a disc tell where its list is, the entry before it its capacity. A
list that needs more moves to the end of the pool.
"""

from __future__ import annotations

from math import floor

import numpy as np
from numpy.typing import NDArray

from engine.geometry.minimum_image import nearest_image
from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs, pointers
from engine.kernels import inlined, kernel, whole

SPARE = 4  # entries by which the capacity of a list exceeds its first length


@inlined
def _column(x: float, per_length: float, count: int) -> int:
    """The column (or row) of a coordinate."""
    return min(max(whole(floor(x * per_length)), 0), count - 1)


@inlined
def _cell_of(st: Discs, i: int) -> int:
    """The cell of the reference point of disc i, in the grid of its level."""
    level = st.levels[st.entry[i].flags >> d.LEVEL_BIT]
    kx = _column(np.float64(st.reference[i].x), level.columns_per_length, level.columns)
    ky = _column(np.float64(st.reference[i].y), level.rows_per_length, level.rows)
    return whole(level.first_cell + ky * level.columns + kx)


@inlined
def _enter_cell(st: Discs, i: int) -> None:
    """Add disc i to the list of its cell."""
    k = _cell_of(st, i)
    st.cell_next[i] = st.cell[k]
    st.cell[k] = i


@inlined
def _leave_cell(st: Discs, i: int) -> None:
    """Remove disc i from the list of its cell."""
    k = _cell_of(st, i)
    j = whole(st.cell[k])
    if j == i:
        st.cell[k] = st.cell_next[i]
        return
    while whole(st.cell_next[j]) != i:
        j = whole(st.cell_next[j])
    st.cell_next[j] = st.cell_next[i]


@inlined
def _flag_place(st: Discs, i: int) -> None:
    """Set the flags of disc i that depend on how near the edge of the box its reference point is."""
    state = st.state
    x = np.float64(st.reference[i].x)
    y = np.float64(st.reference[i].y)
    r = st.motion[i].radius * state.list_factor
    flags = st.entry[i].flags & ~(d.EDGE | d.NEAR_WALLS)
    if st.state.periodic:
        reach = r + state.largest_radius * state.list_factor + state.list_pad + state.reach_slack
        if x < reach or y < reach or x > state.lx - reach or y > state.ly - reach:
            flags |= d.EDGE
    else:
        reach = r + state.list_pad
        if x < reach or y < reach or x > state.lx - reach or y > state.ly - reach:
            flags |= d.NEAR_WALLS
    st.entry[i].flags = flags


@inlined
def _distance2(st: Discs, x: float, y: float, j: int) -> float:
    """Squared distance of a reference point (x, y) from the nearest image of that of disc j, symmetric in rounding."""
    dx: float = np.float64(st.reference[j].x) - x
    dy: float = np.float64(st.reference[j].y) - y
    state = st.state
    if state.periodic:
        dx = nearest_image(dx, state.lx, state.half_x)
        dy = nearest_image(dy, state.ly, state.half_y)
    return dx * dx + dy * dy


@inlined
def _reach2(st: Discs, i: int, j: int) -> float:
    """The square of the distance of reference points below which two discs are neighbours."""
    reach = (st.motion[i].radius + st.motion[j].radius) * st.state.list_factor + st.state.list_pad
    square: float = reach * reach
    return square


@inlined
def _find(st: Discs, i: int, known: bool, old_x: float, old_y: float) -> int:
    """Write the neighbours of disc i into `found`; returns how many.

    known : leave out those that were neighbours of the reference point (old_x, old_y) too.
    """
    x = np.float64(st.reference[i].x)
    y = np.float64(st.reference[i].y)
    state = st.state
    periodic = state.periodic
    count = 0
    for k in range(state.level_count):
        level = st.levels[k]
        reach = (st.motion[i].radius + level.largest) * state.list_factor + state.list_pad + state.reach_slack
        most = reach * reach
        nx = level.columns
        ny = level.rows
        from_x = whole(floor((x - reach) * level.columns_per_length))
        to_x = whole(floor((x + reach) * level.columns_per_length))
        from_y = whole(floor((y - reach) * level.rows_per_length))
        to_y = whole(floor((y + reach) * level.rows_per_length))
        if periodic:
            if to_x - from_x >= nx:
                from_x, to_x = 0, nx - 1
            if to_y - from_y >= ny:
                from_y, to_y = 0, ny - 1
        else:
            from_x, to_x = max(from_x, 0), min(to_x, nx - 1)
            from_y, to_y = max(from_y, 0), min(to_y, ny - 1)
        for ky in range(from_y, to_y + 1):
            row = ky
            if row < 0:
                row += ny
            elif row >= ny:
                row -= ny
            row = level.first_cell + row * nx
            for kx in range(from_x, to_x + 1):
                column = kx
                if column < 0:
                    column += nx
                elif column >= nx:
                    column -= nx
                j = whole(st.cell[row + column])
                while j >= 0:
                    # the radius of a disc lies on another cache line: read only for those within reach of the largest
                    if j != i:
                        distance2 = _distance2(st, x, y, j)
                        if distance2 <= most:
                            near = _reach2(st, i, j)
                            if distance2 <= near and not (known and _distance2(st, old_x, old_y, j) <= near):
                                st.found[count] = np.uint32(j)
                                count += 1
                    j = whole(st.cell_next[j])
    return count


@inlined
def _into_box(x: float, side: float) -> tuple[float, int]:
    """A coordinate brought into [0, side], and how many periods it was away."""
    if 0.0 <= x < side:
        return x, 0
    turns = floor(x / side)
    x -= turns * side
    if not 0.0 <= x <= side:  # it was so far away that rounding has left nothing of its place in the box
        x = 0.0
    return x, turns


@inlined
def _centre_shell(st: Discs, i: int) -> None:
    """Bring disc i, whose position is up to date, into the box, and make its position the reference point."""
    disc = st.motion[i]
    if st.state.periodic:
        crossings = st.images[i]
        disc.x, turns = _into_box(disc.x, st.state.lx)
        crossings.x += np.int32(turns)
        disc.y, turns = _into_box(disc.y, st.state.ly)
        crossings.y += np.int32(turns)
    st.reference[i].x = np.float32(disc.x)
    st.reference[i].y = np.float32(disc.y)


@inlined
def _growth_of_pool(st: Discs, i: int, more: int) -> int:
    """Entries of the pool that are needed to add `more` neighbours to the list of disc i: 0 where they fit."""
    length = whole(st.entry[i].length) + more
    if length <= whole(st.pool[whole(st.entry[i].start) - 1]):
        return 0
    return length + (length >> 1) + SPARE + 1


@inlined
def _make_room(st: Discs, i: int, more: int) -> None:
    """Move the list of disc i to the end of the pool where `more` neighbours do not fit."""
    size = _growth_of_pool(st, i, more)
    if size == 0:
        return
    old = whole(st.entry[i].start)
    start = st.state.pool_top + 1
    st.state.pool_top += size
    st.pool[start - 1] = np.uint32(size - 1)
    for k in range(st.entry[i].length):
        st.pool[start + k] = st.pool[old + k]
    st.entry[i].start = start


@inlined
def _add_neighbour(st: Discs, i: int, j: int) -> None:
    """Append disc j to the list of disc i, which has room for it."""
    st.pool[whole(st.entry[i].start) + st.entry[i].length] = np.uint32(j)
    st.entry[i].length += 1


@inlined
def _remove_neighbour(st: Discs, i: int, j: int) -> None:
    """Remove disc j from the list of disc i."""
    start = whole(st.entry[i].start)
    last = start + st.entry[i].length - 1
    k = start
    while whole(st.pool[k]) != j:
        k += 1
    st.pool[k] = st.pool[last]
    st.entry[i].length -= 1


@inlined
def renew_shell(st: Discs, i: int) -> bool:
    """Make the position of disc i, which is up to date, its reference point, and update lists and grid.

    False where the pool has no room for the lists: then the disc has been brought into the box, and nothing else.
    """
    state = st.state
    old_x = st.reference[i].x
    old_y = st.reference[i].y
    _centre_shell(st, i)
    x = np.float64(st.reference[i].x)
    y = np.float64(st.reference[i].y)
    count = _find(st, i, True, np.float64(old_x), np.float64(old_y))
    if count > 0:
        need = _growth_of_pool(st, i, count)
        for k in range(count):
            need += _growth_of_pool(st, whole(st.found[k]), 1)
        if state.pool_top + need > state.pool_size:
            st.reference[i].x = old_x
            st.reference[i].y = old_y
            return False
    new_x = st.reference[i].x
    new_y = st.reference[i].y
    st.reference[i].x = old_x
    st.reference[i].y = old_y
    _leave_cell(st, i)
    st.reference[i].x = new_x
    st.reference[i].y = new_y
    _enter_cell(st, i)
    start = whole(st.entry[i].start)
    k = 0
    while k < st.entry[i].length:
        j = whole(st.pool[start + k])
        if _distance2(st, x, y, j) <= _reach2(st, i, j):
            k += 1
        else:
            _remove_neighbour(st, j, i)
            st.entry[i].length -= 1
            st.pool[start + k] = st.pool[start + st.entry[i].length]
    if count > 0:
        _make_room(st, i, count)
        for k in range(count):
            j = whole(st.found[k])
            _add_neighbour(st, i, j)
            _make_room(st, j, 1)
            _add_neighbour(st, j, i)
    _flag_place(st, i)
    return True


@kernel
def flag_places(arrays: Discs) -> None:
    """Set the flags of all discs that depend on their reference points."""
    st = pointers(arrays)
    for i in range(st.state.count):
        _flag_place(st, i)


@kernel
def build_lists(arrays: Discs) -> bool:
    """Build the shells and neighbour lists of all discs, whose positions are up to date, and fill the grid.

    False where the pool is too small.
    """
    st = pointers(arrays)
    n = st.state.count
    for i in range(n):
        _centre_shell(st, i)
        _flag_place(st, i)
    for k in range(n):
        _enter_cell(st, n - 1 - k)
    top = 0
    for i in range(n):
        count = _find(st, i, False, 0.0, 0.0)
        if top + count + SPARE + 1 > st.state.pool_size:
            return False
        st.pool[top] = np.uint32(count + SPARE)
        for k in range(count):
            st.pool[top + 1 + k] = st.found[k]
        st.entry[i].start = top + 1
        st.entry[i].length = count
        top += count + SPARE + 1
    st.state.pool_top = top
    return True


@kernel
def move_lists(arrays: Discs, pool: NDArray[np.uint32]) -> int:
    """Copy all lists into another pool, one after the other, each with spare capacity.

    Returns how many entries are used, or -1 and nothing has changed where more than 7/8 of that pool would be.
    """
    st = pointers(arrays)
    top = 0
    for i in range(st.state.count):
        top += whole(st.entry[i].length) + SPARE + 1
    if top > pool.shape[0] - pool.shape[0] // 8:
        return -1
    top = 0
    for i in range(st.state.count):
        length = whole(st.entry[i].length)
        pool[top] = np.uint32(length + SPARE)
        for k in range(length):
            pool[top + 1 + k] = st.pool[whole(st.entry[i].start) + k]
        st.entry[i].start = top + 1
        top += length + SPARE + 1
    return top
