"""Sorting all discs into a grid of cells, and the search for the overlaps of all of them, after a flight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.flight import position
from engine.aggregation.time_stepping.in_flight import note_own_image
from engine.aggregation.time_stepping.pose import turning
from engine.geometry.bucket_grid import (
    cell_sides,
    cells_along,
    cells_covered,
    modulo,
    row_begin,
    rows_of,
)
from engine.geometry.cells import SLACK, CellGrid, is_found_by, slots_around
from engine.geometry.minimum_image import nearest_of, periods_of, wraps
from engine.geometry.vectors import (
    Vector,
    box_sides,
    component,
    dot,
    minus,
    put_row,
    row_of,
    smallest,
)
from engine.kernels import inlined, inner


# Not `engine.geometry.cells.cell_grid`: this counting sort is done in slices like all work of a step, its arrays belong
# to the checkpoint, and its cells divide the box, so that discs that are moved later find their cell.
@inlined
def cell_of(st: Stepping, x: Vector) -> int:
    """Cell of a place in the box; one on the upper edge belongs to the last cell.

    Rows of cells are numbered through all layers.
    """
    sides, numbers = cell_sides(st.sim[0]), cells_along(st.sim[0])
    row = _cell_along(x[1], sides[1], numbers[1])
    if len(x) > 2:
        row += _cell_along(x[2], sides[2], numbers[2]) * numbers[1]
    return int(row * numbers[0] + _cell_along(x[0], sides[0], numbers[0]))


@inlined
def _cell_along(x: float, side: float, number: int) -> int:
    return min(max(int(x / side), 0), number - 1)


@inlined
def rows_and_layers(numbers: Vector) -> tuple[int, int]:
    """Rows of a layer, and layers, of which there is one in the plane."""
    return numbers[1], numbers[2] if len(numbers) > 2 else 1


@inlined
def number_of_rows(st: Stepping) -> int:
    """The rows of all layers."""
    rows, layers = rows_and_layers(cells_along(st.sim[0]))
    return int(rows * layers)


@inlined
def block_around(cell: int, numbers: Vector, periodic: int) -> tuple[Vector, Vector]:
    """The first column, row and layer of the cells around a cell, and how many of each; no cell twice.

    numbers : columns, rows and layers of the grid; periodic : of the box (`minimum_image.wraps`).
    """
    row = cell // numbers[0]
    x, columns = _beside(cell % numbers[0], numbers[0], wraps(periodic, 0))
    y, rows = _beside(row % numbers[1], numbers[1], wraps(periodic, 1))
    if len(numbers) > 2:
        z, layers = _beside(row // numbers[1], numbers[2], wraps(periodic, 2))
        return (x, y, z), (columns, rows, layers)
    return (x, y), (columns, rows)


@inlined
def _beside(k: int, number: int, around: bool) -> tuple[int, int]:
    if around:
        return k - 1, min(3, number)
    return max(k - 1, 0), min(k + 1, number - 1) - max(k - 1, 0) + 1


@inner
def count_cells(st: Stepping, begin: int, end: int) -> None:
    """First part of the counting sort, for discs begin…end; `start` is zero before the first."""
    for i in range(begin, end):
        cell = cell_of(st, position(st, i))
        st.cell[i] = cell
        st.start[cell + 2] += 1


@inner
def sum_cells(st: Stepping) -> None:
    """Second part: turn the counts into the first slot of each cell, which stands one place ahead."""
    for c in range(2, len(st.start)):
        st.start[c] += st.start[c - 1]


@inner
def sort_cells(st: Stepping, begin: int, end: int) -> None:
    """Third part, for discs begin…end: put them into the slots of their cells, in their order.

    After the last one, `start[cell]` is the first slot of a cell.
    """
    for i in range(begin, end):
        cell = st.cell[i] + 1
        slot = st.start[cell]
        st.start[cell] = slot + 1
        st.order[slot] = i
        put_row(st.spots, slot, position(st, i))


@inner
def sort_all_discs(st: Stepping) -> None:
    """The whole counting sort, at the positions of the current step."""
    n = len(st.label)
    st.start[:] = 0
    count_cells(st, 0, n)
    sum_cells(st)
    sort_cells(st, 0, n)


@inlined
def to_nearest_image(st: Stepping, d: Vector) -> Vector:
    """A vector between two places in the box, to the nearest image."""
    if st.sim[0].periodic:
        d = nearest_of(d, periods_of(st.sim[0]))
    return d


@inner
def add_new_link(st: Stepping, i: int, j: int) -> None:
    """Add a link of discs i and j to the new links of the step; there must be a free row."""
    k = st.sim[0].fresh
    st.fresh[k].i = i
    st.fresh[k].j = j
    st.fresh[k].row = -1
    st.sim[0].fresh = k + 1


@inner
def order_new_links(st: Stepping) -> None:
    """Sort the new links by their discs and remove duplicates, so that the step does not depend on how they were
    found."""
    n = len(st.label)
    count = st.sim[0].fresh
    for k in range(count):
        st.keys[k] = np.int64(st.fresh[k].i) * n + st.fresh[k].j
    st.keys[:count].sort()
    st.sim[0].fresh = 0
    for k in range(count):
        if k == 0 or st.keys[k] != st.keys[k - 1]:
            add_new_link(st, st.keys[k] // n, st.keys[k] % n)


@inlined
def compare_slots(st: Stepping, a: int, b: int) -> None:
    """Link the discs in slots a and b, closer than two usual radii, if they overlap and are in different clusters.

    Pairs with a wide disc are left to `detect_wide`.
    """
    i = st.order[a]
    j = st.order[b]
    if st.label[i] == st.label[j]:
        note_own_image(turning(st.clusters[st.label[i]]), st, i, j)
        return
    if len(st.wide) and max(st.radius[i], st.radius[j]) > st.sim[0].usual_radius:
        return
    link_overlapping(st, i, j, minus(spot(st, a), spot(st, b)))


@inlined
def spot(st: Stepping, a: int) -> Vector:
    """The position of the disc in slot `a` of the grid."""
    return row_of(st.spots, a, box_sides(st.sim[0]))


@inlined
def link_overlapping(st: Stepping, i: int, j: int, d: Vector) -> None:
    """Make a new link of discs i and j, d apart in some image, if they overlap."""
    d = to_nearest_image(st, d)
    reach = st.radius[i] + st.radius[j]
    if dot(d, d) < reach * reach and st.sim[0].fresh < len(st.fresh):
        add_new_link(st, min(i, j), max(i, j))


@inlined
def compare_run(st: Stepping, a: int, begin: int, end: int, reach2: float) -> None:
    """Compare slot a with slots begin…end, to the nearest image. reach2 : square of the distance that matters."""
    x = spot(st, a)
    st.sim[0].looked += max(end - begin, 0)
    for b in range(begin, end):
        d = to_nearest_image(st, minus(spot(st, b), x))
        if dot(d, d) < reach2:
            compare_slots(st, a, b)


@inlined
def rows_ahead(like: Vector) -> int:
    """How many rows a row is compared with, besides itself, so that all pairs are met once: the next one of its layer,
    and the three nearest ones of the next layer."""
    return 4 if len(like) > 2 else 1


@inlined
def row_ahead(number: int) -> tuple[int, int]:
    """How many rows and layers away such a row is."""
    return (1, 0) if number == 0 else (number - 2, 1)


@inner
def detect_edge(st: Stepping, a: int, column: int, row: int, reach2: float) -> None:
    """Compare slot a in a cell at an edge of the box with the rest of its cell, the next one, and those of the rows
    ahead. row : counted through all layers."""
    numbers = cells_along(st.sim[0])
    nx = numbers[0]
    ny, nz = rows_and_layers(numbers)
    start = st.start
    periodic = st.sim[0].periodic
    cell = row * nx + column
    compare_run(st, a, a + 1, start[cell + 1], reach2)
    if column + 1 < nx or wraps(periodic, 0):
        other = row * nx + (column + 1) % nx
        compare_run(st, a, start[other], start[other + 1], reach2)
    for number in range(rows_ahead(numbers)):
        up, over = row_ahead(number)
        y, z = row % ny + up, row // ny + over
        if (z >= nz and not wraps(periodic, 2)) or ((y < 0 or y >= ny) and not wraps(periodic, 1)):
            continue
        base = row_begin(numbers, y, z)
        for ahead in range(-1, 2):
            if wraps(periodic, 0) or 0 <= column + ahead < nx:
                other = base + (column + ahead) % nx
                compare_run(st, a, start[other], start[other + 1], reach2)


@inner
def detect_around(st: Stepping, a: int, reach2: float) -> None:
    """Compare slot a with later ones in all cells around its own, where these are not three in each direction."""
    numbers, start = cells_along(st.sim[0]), st.start
    first, taken = block_around(st.cell[st.order[a]], numbers, st.sim[0].periodic)
    y, y_end, z, z_end = rows_of(first, taken)
    for gz in range(z, z_end):
        for gy in range(y, y_end):
            row = row_begin(numbers, gy, gz)
            for gx in range(first[0], first[0] + taken[0]):
                cell = row + modulo(gx, numbers[0])
                compare_run(st, a, max(a + 1, start[cell]), start[cell + 1], reach2)


@inner
def slots_for_wide(st: Stepping, i: int, farther: float, ranges: NDArray[np.int64]) -> int:
    """Find the slots of all smaller discs that wide disc i may touch, or nearly touch.

    farther : factor of the distance at contact up to which is searched; ranges : (K, 2), K = 2 `number_of_rows`, gets
        the slots, see `slots_around`.
    """
    sim = st.sim[0]
    periods, wraps_x, wraps_y = periods_of(sim), wraps(sim.periodic, 0), wraps(sim.periodic, 1)
    numbers, sides = cells_along(sim), cell_sides(sim)
    nx = numbers[0]
    ny, nz = rows_and_layers(numbers)
    cell = st.cell[i]
    reach = 2.0 * st.radius[i] * SLACK * farther
    first, layers = 0, 1
    if len(sides) > 2:
        z = component(position(st, i), 2)
        first, layers = cells_covered(z - reach, z + reach, component(sides, 2), nz, wraps(sim.periodic, 2))
    found = 0
    for layer in range(first, first + layers):
        start = st.start[modulo(layer, nz) * ny * nx :]
        grid = CellGrid(
            st.spots[:, 0], st.spots[:, 1], st.order, start, ny, nx, sides[0], sides[1], periods[0], periods[1],
            wraps_x, wraps_y,
        )  # fmt: skip
        found += slots_around(grid, cell // nx % ny, cell % nx, reach, ranges[found:])
    return int(found)


@inner
def detect_wide(st: Stepping, number: int) -> bool:
    """Find the new links of a wide disc with smaller ones. False if `fresh` was too short: enlarge it and repeat."""
    sim = st.sim[0]
    before = sim.fresh
    i = st.wide[number]
    ranges = np.empty((2 * number_of_rows(st), 2), np.int64)
    for k in range(slots_for_wide(st, i, 1.0, ranges)):
        sim.looked += ranges[k, 1] - ranges[k, 0]
        sim.work += (ranges[k, 1] - ranges[k, 0]) // 2
        for b in range(ranges[k, 0], ranges[k, 1]):
            j = st.order[b]
            if st.label[i] == st.label[j]:
                note_own_image(turning(st.clusters[st.label[i]]), st, i, j)
            elif is_found_by(i, j, st.radius[i], st.radius[j]):
                link_overlapping(st, i, j, minus(position(st, i), spot(st, b)))
    if sim.fresh == len(st.fresh):
        sim.fresh = before
        return False
    return True


@inner
def detect(st: Stepping, row: int) -> bool:
    """Find the new links of discs in one row of cells with each other and with the rows ahead, but those of wide discs.

    row : counted through all layers. False if `fresh` was too short: enlarge it and repeat.
    """
    sim = st.sim[0]
    numbers = cells_along(sim)
    nx = numbers[0]
    ny, nz = rows_and_layers(numbers)
    start = st.start
    reach2 = 4.0 * sim.usual_radius * sim.usual_radius
    before = sim.fresh
    base = row * nx
    y, z = row % ny, row // ny
    if smallest(numbers) < 3:
        for a in range(start[base], start[base + nx]):
            detect_around(st, a, reach2)
    elif y + 1 == ny or (len(numbers) > 2 and (y == 0 or z + 1 == nz)):
        for a in range(start[base], start[base + nx]):
            detect_edge(st, a, st.cell[st.order[a]] - base, row, reach2)
    else:
        width = sim.cell_x
        for a in range(start[base], start[base + nx]):
            x = spot(st, a)
            column = min(int(x[0] / width), nx - 1)
            if column == 0 or column == nx - 1:
                detect_edge(st, a, column, row, reach2)
                continue
            # away from the edges all images are the nearest ones
            cell = base + column
            sim.looked += start[cell + 2] - a - 1
            for b in range(a + 1, start[cell + 2]):
                d = minus(spot(st, b), x)
                if dot(d, d) < reach2:
                    compare_slots(st, a, b)
            for number in range(rows_ahead(numbers)):
                up, over = row_ahead(number)
                other = cell + (over * ny + up) * nx
                sim.looked += start[other + 2] - start[other - 1]
                for b in range(start[other - 1], start[other + 2]):
                    d = minus(spot(st, b), x)
                    if dot(d, d) < reach2:
                        compare_slots(st, a, b)
    if sim.fresh == len(st.fresh):
        sim.fresh = before
        return False
    return True
