"""Shells and neighbour lists.

Every disc has a reference point and may move SHELL_RADIUS away from it; its list holds all discs whose reference
points are so near that the two could touch while both are in their shells. A disc that leaves its shell gets a new
reference point, and both it and its neighbours' lists are brought up to date from a grid of reference points. Discs
much larger than others stand in a grid of their own, so that cells are never wide for the small ones.
"""

from __future__ import annotations

from math import floor

import numpy as np

from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs, pointers
from engine.hard_discs.lists import SPARE, append, make_room, room, strike
from engine.kernels import inlined, kernel, whole


@inlined
def _column(x: float, per_length: float, count: int) -> int:
    return min(max(whole(floor(x * per_length)), 0), count - 1)


@inlined
def _cell_of(st: Discs, i: int) -> int:
    level = st.ri[(i << 3) + d.FLAGS] >> d.LEVEL_BIT
    nx = st.grid_i[3 * level]
    kx = _column(np.float64(st.ref[2 * i]), st.grid_f[3 * level], nx)
    ky = _column(np.float64(st.ref[2 * i + 1]), st.grid_f[3 * level + 1], st.grid_i[3 * level + 1])
    return whole(st.grid_i[3 * level + 2] + ky * nx + kx)


@inlined
def _enter_cell(st: Discs, i: int) -> None:
    k = _cell_of(st, i)
    st.cell_next[i] = st.cell[k]
    st.cell[k] = i


@inlined
def _leave_cell(st: Discs, i: int) -> None:
    k = _cell_of(st, i)
    j = whole(st.cell[k])
    if j == i:
        st.cell[k] = st.cell_next[i]
        return
    while whole(st.cell_next[j]) != i:
        j = whole(st.cell_next[j])
    st.cell_next[j] = st.cell_next[i]


@inlined
def _mark(st: Discs, i: int) -> None:
    """Flags of the place of disc i: whether the edge of the box may matter."""
    o = i << 3
    sf = st.sf
    x = np.float64(st.ref[2 * i])
    y = np.float64(st.ref[2 * i + 1])
    r = st.rec[o + d.R] * sf[d.LIST_FACTOR]
    flags = st.ri[o + d.FLAGS] & ~(d.EDGE | d.NEAR_WALLS)
    if st.si[d.PERIODIC]:
        reach = r + sf[d.LARGEST] * sf[d.LIST_FACTOR] + sf[d.PAD] + sf[d.REACH_SLACK]
        if x < reach or y < reach or x > sf[d.LX] - reach or y > sf[d.LY] - reach:
            flags |= d.EDGE
    else:
        reach = r + sf[d.PAD]
        if x < reach or y < reach or x > sf[d.LX] - reach or y > sf[d.LY] - reach:
            flags |= d.NEAR_WALLS
    st.ri[o + d.FLAGS] = flags


@inlined
def _distance2(st: Discs, x: float, y: float, j: int) -> float:
    """Squared distance of a reference point from that of disc j, nearest image. Symmetric in rounding."""
    dx = np.float64(st.ref[2 * j]) - x
    dy = np.float64(st.ref[2 * j + 1]) - y
    if st.si[d.PERIODIC]:
        sf = st.sf
        if dx > sf[d.HALF_X]:
            dx -= sf[d.LX]
        elif dx < -sf[d.HALF_X]:
            dx += sf[d.LX]
        if dy > sf[d.HALF_Y]:
            dy -= sf[d.LY]
        elif dy < -sf[d.HALF_Y]:
            dy += sf[d.LY]
    return dx * dx + dy * dy


@inlined
def _reach2(st: Discs, i: int, j: int) -> float:
    reach = (st.rec[(i << 3) + d.R] + st.rec[(j << 3) + d.R]) * st.sf[d.LIST_FACTOR] + st.sf[d.PAD]
    square: float = reach * reach
    return square


@inlined
def _find(st: Discs, i: int, known: bool, old_x: float, old_y: float) -> int:
    """Discs within reach of disc i into `found`; returns how many.

    known : leave out those that were within reach of the reference point (old_x, old_y) too.
    """
    x = np.float64(st.ref[2 * i])
    y = np.float64(st.ref[2 * i + 1])
    periodic = st.si[d.PERIODIC]
    count = 0
    for level in range(st.si[d.LEVELS]):
        largest = st.grid_f[3 * level + 2]
        reach = (st.rec[(i << 3) + d.R] + largest) * st.sf[d.LIST_FACTOR] + st.sf[d.PAD] + st.sf[d.REACH_SLACK]
        most = reach * reach
        nx = st.grid_i[3 * level]
        ny = st.grid_i[3 * level + 1]
        from_x = whole(floor((x - reach) * st.grid_f[3 * level]))
        to_x = whole(floor((x + reach) * st.grid_f[3 * level]))
        from_y = whole(floor((y - reach) * st.grid_f[3 * level + 1]))
        to_y = whole(floor((y + reach) * st.grid_f[3 * level + 1]))
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
            row = st.grid_i[3 * level + 2] + row * nx
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
def centre_shell(st: Discs, i: int) -> None:
    """Bring disc i, whose position is up to date, into the box and put its reference point there."""
    o = i << 3
    if st.si[d.PERIODIC]:
        sf = st.sf
        for axis in range(2):
            side = sf[d.LX + axis]
            x = st.rec[o + axis]
            if not 0.0 <= x < side:
                turns = floor(x / side)
                x -= turns * side
                if not 0.0 <= x <= side:  # so far away that its place in the box is lost to rounding
                    x = 0.0
                st.rec[o + axis] = x
                st.images[2 * i + axis] += np.int32(turns)
    st.ref[2 * i] = np.float32(st.rec[o + d.X])
    st.ref[2 * i + 1] = np.float32(st.rec[o + d.Y])


@inlined
def renew_shell(st: Discs, i: int) -> bool:
    """A new reference point at the position of disc i, which is up to date; lists and grid follow.

    False, and nothing has changed but that the disc is in the box, where the pool has no room for the lists.
    """
    o = i << 3
    si = st.si
    old_x = st.ref[2 * i]
    old_y = st.ref[2 * i + 1]
    centre_shell(st, i)
    x = np.float64(st.ref[2 * i])
    y = np.float64(st.ref[2 * i + 1])
    count = _find(st, i, True, np.float64(old_x), np.float64(old_y))
    if count > 0:
        need = room(st, i, count)
        for k in range(count):
            need += room(st, whole(st.found[k]), 1)
        if si[d.POOL_TOP] + need > st.si[d.POOL_SIZE]:
            st.ref[2 * i] = old_x
            st.ref[2 * i + 1] = old_y
            return False
    new_x = st.ref[2 * i]
    new_y = st.ref[2 * i + 1]
    st.ref[2 * i] = old_x
    st.ref[2 * i + 1] = old_y
    _leave_cell(st, i)
    st.ref[2 * i] = new_x
    st.ref[2 * i + 1] = new_y
    _enter_cell(st, i)
    start = whole(st.ri[o + d.START])
    k = 0
    while k < st.ri[o + d.LENGTH]:
        j = whole(st.pool[start + k])
        if _distance2(st, x, y, j) <= _reach2(st, i, j):
            k += 1
        else:
            strike(st, j, i)
            st.ri[o + d.LENGTH] -= 1
            st.pool[start + k] = st.pool[start + st.ri[o + d.LENGTH]]
    if count > 0:
        make_room(st, i, count)
        for k in range(count):
            j = whole(st.found[k])
            append(st, i, j)
            make_room(st, j, 1)
            append(st, j, i)
    _mark(st, i)
    return True


@kernel
def mark_all(arrays: Discs) -> None:
    """The flags of places of all discs, from their reference points."""
    st = pointers(arrays)
    for i in range(st.si[d.COUNT]):
        _mark(st, i)


@kernel
def lay_lists(arrays: Discs) -> bool:
    """Shells, grid (empty so far) and lists of all discs anew, from positions that are up to date; False where the
    pool is full."""
    st = pointers(arrays)
    n = st.si[d.COUNT]
    for i in range(n):
        centre_shell(st, i)
        _mark(st, i)
    for k in range(n):
        _enter_cell(st, n - 1 - k)
    top = 0
    for i in range(n):
        count = _find(st, i, False, 0.0, 0.0)
        if top + count + SPARE + 1 > st.si[d.POOL_SIZE]:
            return False
        st.pool[top] = np.uint32(count + SPARE)
        for k in range(count):
            st.pool[top + 1 + k] = st.found[k]
        st.ri[(i << 3) + d.START] = top + 1
        st.ri[(i << 3) + d.LENGTH] = count
        top += count + SPARE + 1
    st.si[d.POOL_TOP] = top
    return True
