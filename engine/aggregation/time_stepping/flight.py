"""Free flight from anchors, walls, and the search for overlaps of all discs on a grid of cells."""

from __future__ import annotations

from math import floor

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.time_stepping.arrays import Stepping
from engine.geometry.cells import SLACK, CellGrid, is_found_by, slots_around
from engine.geometry.minimum_image import nearest_image
from engine.kernels import inlined, inner


@inlined
def flown(st: Stepping, i: int, time: float) -> tuple[float, float]:
    """Position of disc i at `time`, from the anchor of its cluster (2.1), wrapped into a periodic box; without
    walls."""
    cluster = st.clusters[st.label[i]]
    dt = time - cluster.time
    x = cluster.x + cluster.vx * dt + st.discs[i].x
    y = cluster.y + cluster.vy * dt + st.discs[i].y
    sim = st.sim[0]
    if sim.periodic:
        if x < 0.0 or x >= sim.box_x:
            x -= sim.box_x * floor(x / sim.box_x)
        if y < 0.0 or y >= sim.box_y:
            y -= sim.box_y * floor(y / sim.box_y)
    return x, y


@inlined
def at_end_of_step(st: Stepping, i: int) -> tuple[float, float]:
    """Position of disc i at the end of the current sparse step, walls included."""
    if st.brought[i] == st.sim[0].steps:
        return st.pos[i, 0], st.pos[i, 1]
    x, y = flown(st, i, st.sim[0].time + st.sim[0].dt)
    k = st.mark[st.label[i]]
    if k >= 0:
        x += st.shift[k, 0]
        y += st.shift[k, 1]
    return x, y


@inlined
def bring(st: Stepping, i: int) -> None:
    """Set `pos` of disc i to its position at the end of the current sparse step."""
    if st.sim[0].sparse and st.brought[i] != st.sim[0].steps:
        st.pos[i, 0], st.pos[i, 1] = at_end_of_step(st, i)
        st.brought[i] = st.sim[0].steps


@inner
def bring_cluster(st: Stepping, c: int) -> None:
    """Set `pos` of the discs of cluster c to their positions at the end of the current sparse step."""
    if st.sim[0].sparse == 0:
        return
    i = c
    while True:
        bring(st, i)
        st.sim[0].work += 1
        i = st.ring[i]
        if i == c:
            break


@inner
def fly(
    st: Stepping,
    out: NDArray[np.float64],
    hit_c: NDArray[np.int32],
    mark: NDArray[np.int32],
    hits: int,
    time: float,
    begin: int,
    end: int,
) -> int:
    """Free flight of some discs to `time`, see `flown`.

    Clusters with a disc beyond a wall are listed; `reflect_clusters` reflects them.

    Parameters
    ----------
    out : (N, 2)
        Gets the positions.
    hit_c, mark : (N,)
        The list of clusters at walls, and for each cluster its place in that list, -1 for none.
    hits
        How many clusters are listed already.
    time
        The end of the flight.
    begin, end
        Which discs, a half-open range.

    Returns
    -------
    int
        How many clusters are listed then.
    """
    if st.sim[0].periodic:
        for i in range(begin, end):
            out[i, 0], out[i, 1] = flown(st, i, time)
        return 0
    for i in range(begin, end):
        out[i, 0], out[i, 1] = flown(st, i, time)
        c = st.label[i]
        if is_outside(st, i, out[i, 0], out[i, 1]) and mark[c] < 0:
            mark[c] = hits
            hit_c[hits] = c
            hits += 1
    return hits


@inlined
def is_outside(st: Stepping, i: int, x: float, y: float) -> bool:
    """Whether disc i, at (x, y), is beyond a wall."""
    r = st.radius[i]
    return bool(x < r or x > st.sim[0].box_x - r or y < r or y > st.sim[0].box_y - r)


@inner
def order_hits(hit_c: NDArray[np.int32], mark: NDArray[np.int32], hits: int) -> None:
    """Sort the clusters at walls by name, so that the step does not depend on how they were found."""
    hit_c[:hits].sort()
    for k in range(hits):
        mark[hit_c[k]] = k


@inlined
def reflection(low: float, high: float, side: float, v: float) -> tuple[float, float]:
    """Specular reflection (2.2) along one axis of a cluster that flew freely through walls at 0 and `side`.

    Parameters
    ----------
    low, high
        The extent of the cluster.
    side
        Of the box.
    v
        The velocity during the flight.

    Returns
    -------
    tuple
        The shift that puts the cluster between the walls, with as many reflections as it has met walls, and its
        velocity after that. A cluster that the minimisation has pushed through a wall and that moves inwards keeps its
        velocity; one that fills the box comes to rest in the middle.
    """
    room = side - (high - low)
    if room <= 1e-12 * side:
        return 0.5 * (side - high - low), 0.0
    if low >= 0.0 and low <= room:
        return 0.0, v
    place = low - 2.0 * room * floor(low / (2.0 * room))
    if place <= room:
        return place - low, v
    inwards = (-room < low < 0.0 and v >= 0.0) or (room < low < 2.0 * room and v <= 0.0)
    return 2.0 * room - place - low, v if inwards else -v


@inlined
def extent(st: Stepping, pos: NDArray[np.float64], c: int) -> tuple[float, float, float, float, float, int]:
    """Extent of cluster c at the places `pos` (N, 2): low and high x, low and high y; its least radius; its discs."""
    x0 = y0 = least = np.inf
    x1 = y1 = -np.inf
    count = 0
    i = c
    while True:
        r = st.radius[i]
        x0 = min(x0, pos[i, 0] - r)
        x1 = max(x1, pos[i, 0] + r)
        y0 = min(y0, pos[i, 1] - r)
        y1 = max(y1, pos[i, 1] + r)
        least = min(least, r)
        count += 1
        i = st.ring[i]
        if i == c:
            return x0, x1, y0, y1, least, count


@inner
def reflect_clusters(
    st: Stepping, out: NDArray[np.float64], hit_c: NDArray[np.int32], hit: NDArray[np.float64], begin: int, end: int
) -> int:
    """Reflect the clusters begin…end of `hit_c` as a whole: their positions in `out`, new velocities into `hit`.

    Returns the number of processed discs.
    """
    work = 0
    for k in range(begin, end):
        c = hit_c[k]
        x0, x1, y0, y1, _, count = extent(st, out, c)
        work += count
        sx, vx = reflection(x0, x1, st.sim[0].box_x, st.clusters[c].vx)
        sy, vy = reflection(y0, y1, st.sim[0].box_y, st.clusters[c].vy)
        hit[k, 0] = vx
        hit[k, 1] = vy
        i = c
        while True:
            out[i, 0] += sx
            out[i, 1] += sy
            i = st.ring[i]
            if i == c:
                break
    return work


# Not `engine.geometry.cells.cell_grid`: this counting sort is done in slices like all work of a step, its arrays belong
# to the checkpoint, and its cells divide the box, so that discs that are moved later find their cell.
@inlined
def cell_of(st: Stepping, x: float, y: float) -> int:
    """Cell of a place in the box; one on the upper edge belongs to the last cell."""
    column = min(max(int(x / st.sim[0].cell_x), 0), st.sim[0].columns - 1)
    row = min(max(int(y / st.sim[0].cell_y), 0), st.sim[0].rows - 1)
    return int(row * st.sim[0].columns + column)


@inner
def count_cells(st: Stepping, begin: int, end: int) -> None:
    """First part of the counting sort, for discs begin…end; `start` is zero before the first."""
    pos = st.pos
    for i in range(begin, end):
        cell = cell_of(st, pos[i, 0], pos[i, 1])
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
    pos = st.pos
    for i in range(begin, end):
        cell = st.cell[i] + 1
        slot = st.start[cell]
        st.start[cell] = slot + 1
        st.order[slot] = i
        st.sx[slot] = pos[i, 0]
        st.sy[slot] = pos[i, 1]


@inner
def sort_all_discs(st: Stepping) -> None:
    """The whole counting sort, at the positions of the current step."""
    n = len(st.label)
    st.start[:] = 0
    count_cells(st, 0, n)
    sum_cells(st)
    sort_cells(st, 0, n)


@inlined
def to_nearest_image(st: Stepping, dx: float, dy: float) -> tuple[float, float]:
    """A vector between two places in the box, to the nearest image where the box is periodic."""
    sim = st.sim[0]
    if sim.periodic:
        dx = nearest_image(dx, sim.box_x, 0.5 * sim.box_x)
        dy = nearest_image(dy, sim.box_y, 0.5 * sim.box_y)
    return dx, dy


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
        return
    if len(st.wide) and max(st.radius[i], st.radius[j]) > st.sim[0].usual_radius:
        return
    link_overlapping(st, i, j, st.sx[a] - st.sx[b], st.sy[a] - st.sy[b])


@inlined
def link_overlapping(st: Stepping, i: int, j: int, dx: float, dy: float) -> None:
    """Make a new link of discs i and j, (dx, dy) apart in some image, if they overlap."""
    dx, dy = to_nearest_image(st, dx, dy)
    reach = st.radius[i] + st.radius[j]
    if dx * dx + dy * dy < reach * reach and st.sim[0].fresh < len(st.fresh):
        add_new_link(st, min(i, j), max(i, j))


@inlined
def compare_run(st: Stepping, a: int, begin: int, end: int, reach2: float) -> None:
    """Compare slot a with slots begin…end, to the nearest image. reach2 : square of the distance that matters."""
    x = st.sx[a]
    y = st.sy[a]
    st.sim[0].looked += max(end - begin, 0)
    for b in range(begin, end):
        dx, dy = to_nearest_image(st, st.sx[b] - x, st.sy[b] - y)
        if dx * dx + dy * dy < reach2:
            compare_slots(st, a, b)


@inner
def detect_edge(st: Stepping, a: int, column: int, row: int, reach2: float) -> None:
    """Compare slot a in the first or last column or row with the rest of its cell, the next one and three above."""
    nx = st.sim[0].columns
    ny = st.sim[0].rows
    start = st.start
    periodic = st.sim[0].periodic
    cell = row * nx + column
    compare_run(st, a, a + 1, start[cell + 1], reach2)
    if column + 1 < nx or periodic:
        other = row * nx + (column + 1) % nx
        compare_run(st, a, start[other], start[other + 1], reach2)
    if row + 1 == ny and not periodic:
        return
    base = (row + 1) % ny * nx
    for ahead in range(-1, 2):
        if periodic or 0 <= column + ahead < nx:
            other = base + (column + ahead) % nx
            compare_run(st, a, start[other], start[other + 1], reach2)


@inner
def slots_for_wide(st: Stepping, i: int, farther: float, ranges: NDArray[np.int64]) -> int:
    """Find the slots of all smaller discs that wide disc i may touch, or nearly touch.

    farther : factor of the distance at contact up to which is searched; ranges : gets the slots, see `slots_around`.
    """
    sim = st.sim[0]
    periodic = sim.periodic != 0
    period_x = sim.box_x if periodic else np.inf
    period_y = sim.box_y if periodic else np.inf
    grid = CellGrid(
        st.sx, st.sy, st.order, st.start, sim.rows, sim.columns, sim.cell_x, sim.cell_y, period_x, period_y, periodic
    )
    cell = st.cell[i]
    reach = 2.0 * st.radius[i] * SLACK * farther
    return int(slots_around(grid, cell // grid.columns, cell % grid.columns, reach, ranges))


@inner
def detect_wide(st: Stepping, number: int) -> bool:
    """Find the new links of a wide disc with smaller ones. False if `fresh` was too short: enlarge it and repeat."""
    sim = st.sim[0]
    before = sim.fresh
    i = st.wide[number]
    pos = st.pos
    ranges = np.empty((2 * sim.rows, 2), np.int64)
    for k in range(slots_for_wide(st, i, 1.0, ranges)):
        sim.looked += ranges[k, 1] - ranges[k, 0]
        sim.work += (ranges[k, 1] - ranges[k, 0]) // 2
        for b in range(ranges[k, 0], ranges[k, 1]):
            j = st.order[b]
            if st.label[i] != st.label[j] and is_found_by(i, j, st.radius[i], st.radius[j]):
                link_overlapping(st, i, j, pos[i, 0] - st.sx[b], pos[i, 1] - st.sy[b])
    if sim.fresh == len(st.fresh):
        sim.fresh = before
        return False
    return True


@inner
def detect(st: Stepping, row: int) -> bool:
    """Find the new links of discs in one row of cells with each other and with the next row, but those of wide discs.

    False if `fresh` was too short: enlarge it and repeat.
    """
    sim = st.sim[0]
    nx = sim.columns
    ny = sim.rows
    start = st.start
    reach2 = 4.0 * sim.usual_radius * sim.usual_radius
    before = sim.fresh
    sx = st.sx
    sy = st.sy
    if min(nx, ny) < 3:
        # cells have no distinct neighbours: all pairs
        if row == 0:
            n = len(st.order)
            for a in range(n):
                compare_run(st, a, a + 1, n, reach2)
    elif row + 1 == ny:
        for a in range(start[row * nx], start[row * nx + nx]):
            detect_edge(st, a, st.cell[st.order[a]] - row * nx, row, reach2)
    else:
        width = sim.cell_x
        base = row * nx
        for a in range(start[base], start[base + nx]):
            x = sx[a]
            y = sy[a]
            column = min(int(x / width), nx - 1)
            if column == 0 or column == nx - 1:
                detect_edge(st, a, column, row, reach2)
                continue
            # away from the edges all images are the nearest ones
            cell = base + column
            sim.looked += start[cell + 2] - a - 1 + start[cell + nx + 2] - start[cell + nx - 1]
            for b in range(a + 1, start[cell + 2]):
                dx = sx[b] - x
                dy = sy[b] - y
                if dx * dx + dy * dy < reach2:
                    compare_slots(st, a, b)
            for b in range(start[cell + nx - 1], start[cell + nx + 2]):
                dx = sx[b] - x
                dy = sy[b] - y
                if dx * dx + dy * dy < reach2:
                    compare_slots(st, a, b)
    if sim.fresh == len(st.fresh):
        sim.fresh = before
        return False
    return True
