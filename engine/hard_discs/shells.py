"""Shells and neighbour lists.

Each disc has a reference point, and may move by `shell_radius` away from it before that is renewed. Its neighbour list
holds all discs whose reference points are so near that the two could touch while both are within their shells. When a
disc leaves its shell, it gets a new reference point, on the way that it is going to fly, and its own list and those of
its neighbours are updated with the help of a grid of the reference points. Discs much larger than others have a grid of
their own (a level), so that the cells for the small ones stay narrow.

Block i of `lists`, a cache line, is the neighbour list of disc i. Where it is longer, it goes on in further blocks.
"""

from __future__ import annotations

from math import floor, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.geometry.minimum_image import nearest_image
from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs, pointers
from engine.kernels import inlined, kernel, whole

_AHEAD = 0.9  # of the radius of a shell: the reference point is no farther ahead of its disc


@inlined
def column(x: float, per_length: float, count: int) -> int:
    """The column (or row) of a coordinate."""
    return min(max(whole(floor(x * per_length)), 0), count - 1)


@inlined
def _cell_of(st: Discs, i: int) -> int:
    """The cell of the reference point of disc i, in the grid of its level."""
    level = st.levels[st.entry[i].flags >> d.LEVEL_BIT]
    kx = column(np.float64(st.place[i].x), level.columns_per_length, level.columns)
    ky = column(np.float64(st.place[i].y), level.rows_per_length, level.rows)
    return whole(level.first_cell + ky * level.columns + kx)


@inlined
def _enter_cell(st: Discs, i: int) -> None:
    """Add disc i to the list of its cell."""
    k = _cell_of(st, i)
    st.place[i].next = st.cell[k]
    st.cell[k] = i


@inlined
def _leave_cell(st: Discs, i: int, k: int) -> None:
    """Remove disc i from the list of cell k, in which it is."""
    j = whole(st.cell[k])
    if j == i:
        st.cell[k] = st.place[i].next
        return
    while whole(st.place[j].next) != i:
        j = whole(st.place[j].next)
    st.place[j].next = st.place[i].next


@inlined
def _flag_place(st: Discs, i: int) -> None:
    """Set the flags of disc i that depend on how near the edge of the box its reference point is."""
    state = st.state
    x = np.float64(st.place[i].x)
    y = np.float64(st.place[i].y)
    r = np.float64(st.place[i].radius) * state.list_factor
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
    dx: float = np.float64(st.place[j].x) - x
    dy: float = np.float64(st.place[j].y) - y
    state = st.state
    if state.periodic:
        dx = nearest_image(dx, state.lx, state.half_x)
        dy = nearest_image(dy, state.ly, state.half_y)
    return dx * dx + dy * dy


@inlined
def _reach2(st: Discs, i: int, j: int) -> float:
    """The square of the distance of reference points below which two discs are neighbours."""
    radii = np.float64(st.place[i].radius) + np.float64(st.place[j].radius)
    reach = radii * st.state.list_factor + st.state.list_pad
    square: float = reach * reach
    return square


@inlined
def _find(st: Discs, i: int, known: bool, old_x: float, old_y: float) -> int:
    """Write the neighbours of disc i into `found`; returns how many.

    known : leave out those that were neighbours of the reference point (old_x, old_y) too.
    """
    x = np.float64(st.place[i].x)
    y = np.float64(st.place[i].y)
    state = st.state
    periodic = state.periodic
    count = 0
    for number in range(state.level_count):
        level = st.levels[number]
        reach = (
            (np.float64(st.place[i].radius) + level.largest) * state.list_factor + state.list_pad + state.reach_slack
        )
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
                k = kx
                if k < 0:
                    k += nx
                elif k >= nx:
                    k -= nx
                j = whole(st.cell[row + k])
                while j >= 0:
                    if j != i:
                        distance2 = _distance2(st, x, y, j)
                        if distance2 <= most:
                            near = _reach2(st, i, j)
                            if distance2 <= near and not (known and _distance2(st, old_x, old_y, j) <= near):
                                st.found[count] = j
                                count += 1
                    j = whole(st.place[j].next)
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
def centre_shell(st: Discs, i: int, flight: float) -> None:
    """Bring disc i, whose position is up to date, into the box, and give it a new reference point.

    That is the place to which it will fly straight in the time `flight`, as far as the shell allows that: with most of
    the shell ahead of it, the disc leaves it later.
    """
    state = st.state
    disc = st.motion[i]
    speed = sqrt(disc.vx * disc.vx + disc.vy * disc.vy)
    ahead = 0.0
    if speed > 0.0 and flight > 0.0:
        ahead = min(flight * speed, _AHEAD * state.shell_radius) / speed
    if state.periodic:
        entry = st.entry[i]
        disc.x, turns = _into_box(disc.x, state.lx)
        x, more = _into_box(disc.x + ahead * disc.vx, state.lx)
        disc.x -= more * state.lx
        entry.image_x += np.int32(turns + more)
        disc.y, turns = _into_box(disc.y, state.ly)
        y, more = _into_box(disc.y + ahead * disc.vy, state.ly)
        disc.y -= more * state.ly
        entry.image_y += np.int32(turns + more)
    else:
        x = min(max(disc.x + ahead * disc.vx, 0.0), state.lx)
        y = min(max(disc.y + ahead * disc.vy, 0.0), state.ly)
    st.place[i].x = np.float32(x)
    st.place[i].y = np.float32(y)


@inlined
def _take_block(st: Discs) -> int:
    """A block of `lists` that is not in use. There has to be one."""
    state = st.state
    block = state.free_block
    if block >= 0:
        state.free_block = whole(st.lists[block * d.LINE + d.LIST_NEXT])
    else:
        block = state.blocks_used
        state.blocks_used = block + 1
    state.blocks_free -= 1
    return whole(block)


@inlined
def _give_block(st: Discs, block: int) -> None:
    """Give a block of `lists` back."""
    st.lists[block * d.LINE + d.LIST_NEXT] = st.state.free_block
    st.state.free_block = block
    st.state.blocks_free += 1


@inlined
def _add_neighbour(st: Discs, i: int, j: int) -> None:
    """Append disc j to the list of disc i."""
    line = i * d.LINE
    length = whole(st.lists[line + d.LIST_LENGTH])
    st.lists[line + d.LIST_LENGTH] = length + 1
    while length >= d.LIST_ROOM:
        length -= d.LIST_ROOM
        if length == 0:
            block = _take_block(st)
            st.lists[line + d.LIST_NEXT] = block
            line = block * d.LINE
        else:
            line = whole(st.lists[line + d.LIST_NEXT]) * d.LINE
    st.lists[line + length] = j


@inlined
def _remove_neighbour(st: Discs, i: int, j: int) -> None:
    """Remove disc j from the list of disc i, in which it is: the last neighbour takes its place."""
    block = i
    line = i * d.LINE
    left = whole(st.lists[line + d.LIST_LENGTH])
    st.lists[line + d.LIST_LENGTH] = left - 1
    slot = whole(0)
    while True:
        here = min(left, d.LIST_ROOM)
        for k in range(line, line + here):
            if whole(st.lists[k]) == j:
                slot = k
        left -= here
        if left == 0:
            break
        block = whole(st.lists[line + d.LIST_NEXT])
        line = block * d.LINE
    st.lists[slot] = st.lists[line + here - 1]
    if here == 1 and block != i:
        _give_block(st, block)


@inlined
def _write_list(st: Discs, i: int, length: int) -> None:
    """Write the first `length` discs of `found` as the list of disc i, which is empty and has one block."""
    block = i
    done = 0
    st.lists[i * d.LINE + d.LIST_LENGTH] = length
    while True:
        line = block * d.LINE
        here = min(length - done, d.LIST_ROOM)
        for k in range(here):
            st.lists[line + k] = st.found[done + k]
        done += here
        if done == length:
            break
        block = _take_block(st)
        st.lists[line + d.LIST_NEXT] = block


@inlined
def _clear_list(st: Discs, i: int) -> None:
    """Give all blocks of the list of disc i back but the first."""
    line = i * d.LINE
    left = whole(st.lists[line + d.LIST_LENGTH]) - d.LIST_ROOM
    block = whole(st.lists[line + d.LIST_NEXT])
    while left > 0:
        after = whole(st.lists[block * d.LINE + d.LIST_NEXT])
        _give_block(st, block)
        block = after
        left -= d.LIST_ROOM
    st.lists[line + d.LIST_LENGTH] = 0


@inlined
def renew_shell(st: Discs, i: int, flight: float) -> int:
    """Give disc i, whose position is up to date, a new shell, and update lists and grid.

    flight : the time for which it will fly straight.

    Returns how many neighbours it has now that it had not before: they are the first ones of `found`. -1 where there
    is no room for longer lists: then the disc may have been brought into the box, and nothing else.
    """
    state = st.state
    place = st.place[i]
    old_x = place.x
    old_y = place.y
    home = _cell_of(st, i)
    centre_shell(st, i, flight)
    x = np.float64(place.x)
    y = np.float64(place.y)
    fresh = _find(st, i, True, np.float64(old_x), np.float64(old_y))
    if fresh >= state.blocks_free - 1 - fresh // d.LIST_ROOM:
        place.x = old_x
        place.y = old_y
        return -1
    if _cell_of(st, i) != home:
        _leave_cell(st, i, home)
        _enter_cell(st, i)
    # the neighbours that stay follow the new ones in `found`
    count = fresh
    line = i * d.LINE
    left = whole(st.lists[line + d.LIST_LENGTH])
    while True:
        here = min(left, d.LIST_ROOM)
        for k in range(line, line + here):
            j = whole(st.lists[k])
            if _distance2(st, x, y, j) <= _reach2(st, i, j):
                st.found[count] = j
                count += 1
            else:
                _remove_neighbour(st, j, i)
        left -= here
        if left == 0:
            break
        line = whole(st.lists[line + d.LIST_NEXT]) * d.LINE
    _clear_list(st, i)
    _write_list(st, i, count)
    for k in range(fresh):
        _add_neighbour(st, whole(st.found[k]), i)
    _flag_place(st, i)
    return fresh


@kernel
def flag_places(arrays: Discs) -> None:
    """Set the flags of all discs that depend on their reference points."""
    st = pointers(arrays)
    for i in range(st.state.count):
        _flag_place(st, i)


@kernel
def place_discs(arrays: Discs, first: int, end: int) -> None:
    """Give these discs, whose positions are up to date, shells around them, and enter them into the grid."""
    st = pointers(arrays)
    for i in range(first, end):
        centre_shell(st, i, 0.0)
        _flag_place(st, i)
        _enter_cell(st, i)


@kernel
def build_lists(arrays: Discs, first: int, end: int) -> int:
    """Build the neighbour lists of these discs, all of which are in the grid.

    Returns the first one whose list is not built, since there is no room, or `end`.
    """
    st = pointers(arrays)
    for i in range(first, end):
        count = _find(st, i, False, 0.0, 0.0)
        if count // d.LIST_ROOM >= st.state.blocks_free:
            return i
        _write_list(st, i, count)
    return end


@kernel
def read_lists(arrays: Discs, neighbours: NDArray[np.int32]) -> None:
    """Copy the lists of all discs, one after the other, into an array that is as long as they are together."""
    st = pointers(arrays)
    total = 0
    for i in range(st.state.count):
        line = i * d.LINE
        left = whole(st.lists[line + d.LIST_LENGTH])
        while True:
            here = min(left, d.LIST_ROOM)
            for k in range(here):
                neighbours[total + k] = st.lists[line + k]
            total += here
            left -= here
            if left == 0:
                break
            line = whole(st.lists[line + d.LIST_NEXT]) * d.LINE


@kernel
def write_lists(arrays: Discs, lengths: NDArray[np.int32], neighbours: NDArray[np.int32]) -> None:
    """Make the lists that `read_lists` has copied. There has to be room for them."""
    st = pointers(arrays)
    total = 0
    for i in range(st.state.count):
        length = whole(lengths[i])
        for k in range(length):
            st.found[k] = neighbours[total + k]
        _write_list(st, i, length)
        total += length
