"""Shells and neighbour lists.

Each disc has a reference point, and may move by `shell_radius` away from it before that is renewed. Its neighbours are
all discs whose reference points are so near that the two could touch while both are within their shells. When a disc
leaves its shell, it gets a new reference point ahead on its path, and its list of neighbours and those of its
neighbours are updated with a grid of the reference points (`cells`). Discs much larger than others have their own grid
(a level), so that the cells for small ones stay narrow.

Block i of `lists`, a cache line, is the neighbour list of disc i. Where it is longer, it continues in further blocks.
In a thin gas, where discs leave many shells between two collisions, no lists are kept: a prediction in full searches
the grid for neighbours, which are the same.
"""

from __future__ import annotations

from math import floor, sqrt
from typing import Any

import numpy as np

from engine.geometry.minimum_image import has_walls, wraps
from engine.geometry.vectors import dot, with_component
from engine.hard_discs import discs as d
from engine.hard_discs.cells import cell_of, enter_cell, find, give_block, move_in_cells, reach2, take_block
from engine.hard_discs.discs import PLANE, DiscArrays, line_of, list_room, next_of, pointers
from engine.hard_discs.motion import (
    distance2,
    position,
    put_position,
    put_spot,
    put_velocity,
    sides,
    spot,
    upper_image,
    velocity,
    zero,
)
from engine.kernels import inlined, kernel, prefetch, whole

_AHEAD = 0.9  # of the radius of a shell: the reference point is no farther ahead of its disc


@inlined
def _near_ends(x: float, side: float, reach: float) -> bool:
    return bool(x < reach or x > side - reach)


@inlined
def _near_edge(st: DiscArrays, i: int, reach: float, periodic: bool) -> bool:
    """Whether the reference point of disc i is nearer than that to a periodic edge of the box, or else to a wall."""
    x = spot(st, i)
    box = sides(st)
    if wraps(st.state.periodic, 0) == periodic and _near_ends(x[0], box[0], reach):
        return True
    if wraps(st.state.periodic, 1) == periodic and not st.state.sheared and _near_ends(x[1], box[1], reach):
        return True
    if len(st) > PLANE:
        return bool(wraps(st.state.periodic, 2) == periodic and _near_ends(x[2], box[2], reach))
    return False


@inlined
def _flag_place(st: DiscArrays, i: int) -> None:
    """Set the flags of disc i that depend on how near the edge of the box its reference point is."""
    state = st.state
    r = np.float64(st.place[i].radius) * state.list_factor
    flags = st.motion[i].flags & ~(d.EDGE | d.NEAR_WALLS | d.ACROSS)
    if state.periodic:
        reach = r + state.largest_radius * state.list_factor + state.list_pad + state.reach_slack
        if _near_edge(st, i, reach, True):
            flags |= d.EDGE
        if state.sheared and _near_ends(spot(st, i)[1], state.ly, reach):
            flags |= d.ACROSS
    if has_walls(state.periodic):
        reach = r + state.list_pad
        if _near_edge(st, i, reach, False):
            flags |= d.NEAR_WALLS
    st.motion[i].flags = flags


@inlined
def _into_box(x: float, side: float) -> tuple[float, int]:
    """A coordinate brought into [0, side], and how many periods it was away."""
    if 0.0 <= x < side:
        return x, 0
    turns = floor(x / side)
    x -= turns * side
    if not 0.0 <= x <= side:  # it was so far away that rounding has destroyed its position in the box
        x = 0.0
    return x, turns


@inlined
def _shell_along(x: float, ahead: float, side: float, periodic: bool) -> tuple[float, float, int]:
    """A coordinate, that of a point which is so far ahead, both moved by whole periods until the point is in the box,
    and by how many periods; between walls the point goes no farther than the wall."""
    if not periodic:
        return x, min(max(x + ahead, 0.0), side), 0
    x, turns = _into_box(x, side)
    there, more = _into_box(x + ahead, side)
    return x - more * side, there, turns + more


@inlined
def _into_box_along_y(st: DiscArrays, i: int) -> None:
    """Bring disc i into the box along y in a shear flow: its image there is elsewhere along x and has another
    velocity."""
    here = position(st, i)
    _, turns = _into_box(here[1], st.state.ly)
    if turns != 0:
        x, v = upper_image(st, -turns, here, velocity(st, i), st.motion[i].time)
        put_position(st, i, with_component(x, 1, min(max(x[1], 0.0), st.state.ly)))
        put_velocity(st, i, v)
        st.entry[i].image_y += np.int32(turns)


@inlined
def centre_shell(st: DiscArrays, i: int, flight: float) -> None:
    """Bring disc i, whose position is up to date, into the box, and give it a new reference point.

    That is the place which it will reach in straight flight in the time `flight`, as far as the shell allows: with most
    of the shell ahead of it, the disc leaves it later.
    """
    state = st.state
    entry = st.entry[i]
    if state.sheared:
        _into_box_along_y(st, i)
    v = velocity(st, i)
    speed = sqrt(dot(v, v))
    ahead = 0.0
    if speed > 0.0 and flight > 0.0:
        ahead = min(flight * speed, _AHEAD * state.shell_radius) / speed
    here = position(st, i)
    box = sides(st)
    x, there_x, turns = _shell_along(here[0], ahead * v[0], box[0], wraps(state.periodic, 0))
    entry.image_x += np.int32(turns)
    y, there_y, turns = _shell_along(here[1], ahead * v[1], box[1], wraps(state.periodic, 1) and not state.sheared)
    entry.image_y += np.int32(turns)
    if len(st) > PLANE:
        z, there_z, turns = _shell_along(here[2], ahead * v[2], box[2], wraps(state.periodic, 2))
        entry.image_z += np.int32(turns)
        put_position(st, i, (x, y, z))
        put_spot(st, i, (there_x, there_y, there_z))
    else:
        put_position(st, i, (x, y))
        put_spot(st, i, (there_x, there_y))


@inlined
def _add_neighbour(st: DiscArrays, i: int, j: int) -> None:
    """Append disc j to the list of disc i."""
    room = list_room(st)
    line = i * line_of(st)
    length = whole(st.lists[line + room])
    st.lists[line + room] = length + 1
    while length >= room:
        length -= room
        if length == 0:
            block = take_block(st)
            st.lists[line + next_of(st)] = block
            line = block * line_of(st)
        else:
            line = whole(st.lists[line + next_of(st)]) * line_of(st)
    st.lists[line + length] = j


@inlined
def _remove_neighbour(st: DiscArrays, i: int, j: int) -> None:
    """Remove disc j from the list of disc i, in which it is: the last neighbour takes its place."""
    room = list_room(st)
    block = i
    line = i * line_of(st)
    left = whole(st.lists[line + room])
    st.lists[line + room] = left - 1
    slot = whole(0)
    if left <= room:
        # what stands beyond the last neighbour may be the same number, but comes later
        for k in range(line + room - 1, line - 1, -1):
            if whole(st.lists[k]) == j:
                slot = k
        st.lists[slot] = st.lists[line + left - 1]
        return
    while True:
        here = min(left, room)
        for k in range(line, line + here):
            if whole(st.lists[k]) == j:
                slot = k
        left -= here
        if left == 0:
            break
        block = whole(st.lists[line + next_of(st)])
        line = block * line_of(st)
    st.lists[slot] = st.lists[line + here - 1]
    if here == 1 and block != i:
        give_block(st, block)


@inlined
def _write_list(st: DiscArrays, i: int, length: int) -> None:
    """Write the first `length` discs of `found` as the list of disc i, which is empty and has one block."""
    room = list_room(st)
    block = i
    done = 0
    last = st.state.count - 1
    st.lists[i * line_of(st) + room] = length
    while True:
        line = block * line_of(st)
        here = min(length - done, room)
        for k in range(room):  # beyond the last neighbour any number of a disc
            st.lists[line + k] = min(whole(st.found[done + k]), last)
        done += here
        if done == length:
            break
        block = take_block(st)
        st.lists[line + next_of(st)] = block


@inlined
def _clear_list(st: DiscArrays, i: int) -> None:
    """Give all blocks of the list of disc i back but the first."""
    room = list_room(st)
    line = i * line_of(st)
    left = whole(st.lists[line + room]) - room
    block = whole(st.lists[line + next_of(st)])
    while left > 0:
        after = whole(st.lists[block * line_of(st) + next_of(st)])
        give_block(st, block)
        block = after
        left -= room
    st.lists[line + room] = 0


@inlined
def renew_shell(st: DiscArrays, i: int, flight: float) -> int:
    """Give disc i, whose position is up to date, a new shell, and update lists and grid.

    flight : the time for which it will fly straight.

    Returns how many neighbours it has now that it had not before: they are the first ones of `found`. -1 where there
    is no room for longer lists: then the disc may have been brought into the box, and nothing else.
    """
    state = st.state
    row = st.entry[i].image_y
    if state.listed:  # the lists of those neighbours that are left behind change after the search
        for k in range(i * line_of(st), i * line_of(st) + 8):
            prefetch(st.lists, whole(st.lists[k]) * line_of(st))
    old = spot(st, i)
    home = cell_of(st, i)
    centre_shell(st, i, flight)
    _flag_place(st, i)
    # in a shear flow it has other neighbours beyond an edge
    fresh = find(st, i, not state.sheared or row == st.entry[i].image_y, old)
    if fresh >= state.blocks_free - 2 - fresh // list_room(st):
        put_spot(st, i, old)
        _flag_place(st, i)
        return -1
    if state.listed:
        for k in range(fresh):
            prefetch(st.lists, whole(st.found[k]) * line_of(st))
    move_in_cells(st, i, home)
    if state.listed:
        _update_lists(st, i, fresh)
    return fresh


@inlined
def _update_lists(st: DiscArrays, i: int, fresh: int) -> None:
    """Bring the list of disc i, which has a new reference point, and those of its neighbours up to date.

    fresh : how many of `found` are new neighbours.
    """
    x = spot(st, i)
    room = list_room(st)
    # the neighbours that stay follow the new ones in `found`; those that leave stand at its end. Which do is hard to
    # guess: each is written to both places, and the next one over it in one of them
    count = fresh
    end = st.state.count + line_of(st)
    leave = end
    line = i * line_of(st)
    left = whole(st.lists[line + room])
    while True:
        here = min(left, room)
        for k in range(line, line + here):
            j = whole(st.lists[k])
            stays = distance2(st, x, j) <= reach2(st, i, j)
            st.found[count] = j
            st.found[leave - 1] = j
            count += stays
            leave -= not stays
        left -= here
        if left == 0:
            break
        line = whole(st.lists[line + next_of(st)]) * line_of(st)
    _clear_list(st, i)
    _write_list(st, i, count)
    for k in range(fresh):
        _add_neighbour(st, whole(st.found[k]), i)
    for k in range(leave, end):
        _remove_neighbour(st, whole(st.found[k]), i)


@inlined
def neighbours(st: DiscArrays, i: int) -> tuple[Any, int, int]:
    """An array in which the neighbours of disc i stand one after the other; where they begin in it; how many they are.

    It is `found` where no lists are kept, or where a list is longer than a block.
    """
    line = i * line_of(st)
    room = list_room(st)
    if not st.state.listed:
        return st.found, whole(0), find(st, i, False, zero(st))
    length = whole(st.lists[line + room])
    if length <= room:
        return st.lists, line, length
    done = 0
    while done < length:
        here = min(length - done, room)
        for k in range(here):
            st.found[done + k] = st.lists[line + k]
        done += here
        line = whole(st.lists[line + next_of(st)]) * line_of(st)
    return st.found, whole(0), length


@kernel
def place_discs(arrays: DiscArrays, first: int, end: int, there: int) -> int:
    """Enter these discs into the grid; returns the first one for which there is no room, or `end`.

    there : whether they have reference points already. Else their positions, which are up to date, become these.
    """
    st = pointers(arrays)
    for i in range(first, end):
        if st.state.blocks_free == 0:
            return i
        if not there:
            centre_shell(st, i, 0.0)
        _flag_place(st, i)
        enter_cell(st, i)
    return end


@kernel
def build_lists(arrays: DiscArrays, first: int, end: int) -> int:
    """Build the neighbour lists of these discs, all of which are in the grid, where lists are kept.

    Returns the first one whose list is not built, since there is no room, or `end`.
    """
    st = pointers(arrays)
    if not st.state.listed:
        return end
    for i in range(first, end):
        count = find(st, i, False, zero(st))
        if count // list_room(st) >= st.state.blocks_free:
            return i
        _write_list(st, i, count)
    return end
