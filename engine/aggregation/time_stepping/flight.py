"""Free flight from anchors, and walls."""

from __future__ import annotations

from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.in_flight import fly_turning
from engine.aggregation.time_stepping.pose import (
    bent_pose,
    centre,
    from_origin,
    origin_at,
    pose_at,
    put_bent_facing,
    put_hit,
    turning,
)
from engine.geometry.minimum_image import folded, has_walls, periods_of, wraps
from engine.geometry.vectors import (
    Vector,
    box_sides,
    every,
    greatest,
    is_below,
    least,
    minus,
    place,
    plus,
    put_row,
    row_of,
    velocity,
)
from engine.kernels import inlined, inner
from engine.records import Record


@inlined
def position(st: Stepping, i: int) -> Vector:
    """Position of disc i at the end of the current step, as far as it is known: its row of `pos`."""
    return row_of(st.pos, i, box_sides(st.sim[0]))


@inlined
def flown(st: Stepping, i: int, time: float) -> Vector:
    """Position of disc i at `time`, from the anchor of its cluster (2.1), in the box along periodic axes; without
    walls."""
    cluster = st.clusters[st.label[i]]
    return flown_with(st, i, time, pose_at(cluster, time))


@inlined
def flown_with(st: Stepping, i: int, time: float, pose: Vector) -> Vector:
    """`flown`, where the pose of its cluster then is known."""
    cluster = st.clusters[st.label[i]]
    x = plus(origin_at(cluster, time), from_origin(pose, centre(cluster), place(st.discs[i])))
    sim = st.sim[0]
    if sim.periodic:
        x = folded(x, periods_of(sim))
    return x


@inlined
def _shifted(turns: Vector, st: Stepping, i: int, time: float, x: Vector, shift: NDArray[np.float64], k: int) -> Vector:
    if len(turns) > 0:
        cluster = st.clusters[st.label[i]]
        pose = bent_pose(cluster, time, shift, k)
        at = plus(origin_at(cluster, time), row_of(shift, k, x))
        return folded(plus(at, from_origin(pose, centre(cluster), place(st.discs[i]))), periods_of(st.sim[0]))
    return plus(x, row_of(shift, k, x))


@inlined
def shifted_by(st: Stepping, i: int, time: float, x: Vector, shift: NDArray[np.float64], k: int) -> Vector:
    """Position of disc i at `time`, x in free flight, of a cluster that has also been shifted by row k of `shift`,
    (n, d), and where clusters turn, turned."""
    return _shifted(turning(st.clusters[st.label[i]]), st, i, time, x, shift, k)


@inlined
def at_end_of_step(st: Stepping, i: int) -> Vector:
    """Position of disc i at the end of the current sparse step, walls included."""
    if st.brought[i] == st.sim[0].steps:
        return position(st, i)
    time = st.sim[0].time + st.sim[0].dt
    x = flown(st, i, time)
    k = st.mark[st.label[i]]
    if k >= 0:
        x = shifted_by(st, i, time, x, st.shift, k)
    return x


@inlined
def bring(st: Stepping, i: int) -> None:
    """Set `pos` of disc i to its position at the end of the current sparse step."""
    if st.sim[0].sparse and st.brought[i] != st.sim[0].steps:
        put_row(st.pos, i, at_end_of_step(st, i))
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
    out : (N, d)
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
    last = st.label[begin]
    pose = pose_at(st.clusters[last], time)
    if not has_walls(st.sim[0].periodic):
        for i in range(begin, end):
            c = st.label[i]
            if c != last:
                last = c
                pose = pose_at(st.clusters[c], time)
            put_row(out, i, flown_with(st, i, time, pose))
        return hits
    for i in range(begin, end):
        c = st.label[i]
        if c != last:
            last = c
            pose = pose_at(st.clusters[c], time)
        x = flown_with(st, i, time, pose)
        put_row(out, i, x)
        if is_outside(st, i, x) and mark[c] < 0:
            mark[c] = hits
            hit_c[hits] = c
            hits += 1
    return hits


@inlined
def is_outside(st: Stepping, i: int, x: Vector) -> bool:
    """Whether disc i, at x, is beyond a wall."""
    r = every(st.radius[i], x)
    low, high = walls_of(st.sim[0])
    return is_below(x, plus(low, r)) or is_below(minus(high, r), x)


@inlined
def walls_of(sim: Record) -> tuple[Vector, Vector]:
    """Where the walls are along each axis: at 0 and at the side of the box; -inf and inf where it is periodic."""
    return _walls(sim.periodic, box_sides(sim))


@inlined
def _walls(periodic: int, sides: Vector) -> tuple[Vector, Vector]:
    x0, x1 = _walls_along(periodic, 0, sides[0])
    y0, y1 = _walls_along(periodic, 1, sides[1])
    if len(sides) > 2:
        z0, z1 = _walls_along(periodic, 2, sides[2])
        return (x0, y0, z0), (x1, y1, z1)
    return (x0, y0), (x1, y1)


@inlined
def _walls_along(periodic: int, axis: int, side: float) -> tuple[float, float]:
    if wraps(periodic, axis):
        return -np.inf, np.inf
    return 0.0, side


@inner
def order_hits(hit_c: NDArray[np.int32], mark: NDArray[np.int32], hits: int) -> None:
    """Sort the clusters at walls by name, so that the step does not depend on how they were found.

    hit_c : (n,), of which the first `hits` are sorted; mark : (N,), gets the place of each of them.
    """
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
        Of the box, infinite where it is periodic.
    v
        The velocity during the flight.

    Returns
    -------
    tuple
        The shift that puts the cluster between the walls, with as many reflections as it has met walls, and its
        velocity after that. A cluster that the minimisation has pushed through a wall and that moves inwards keeps its
        velocity; one that fills the box comes to rest in the middle.
    """
    if side == np.inf:
        return 0.0, v
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
def reflections(low: Vector, high: Vector, walls: Vector, v: Vector) -> tuple[Vector, Vector]:
    """`reflection` along each axis: the shifts and the velocity. walls : the upper ones of `walls_of`."""
    x, vx = reflection(low[0], high[0], walls[0], v[0])
    y, vy = reflection(low[1], high[1], walls[1], v[1])
    if len(low) > 2:
        z, vz = reflection(low[2], high[2], walls[2], v[2])
        return (x, y, z), (vx, vy, vz)
    return (x, y), (vx, vy)


@inlined
def extent(st: Stepping, pos: NDArray[np.float64], c: int) -> tuple[Vector, Vector, float, int]:
    """Extent of cluster c at the places `pos` (N, d): its low and high corner; its least radius; its discs."""
    sides = box_sides(st.sim[0])
    low, high = every(np.inf, sides), every(-np.inf, sides)
    radius = np.inf
    count = 0
    i = c
    while True:
        x = row_of(pos, i, sides)
        r = every(st.radius[i], sides)
        low = least(low, minus(x, r))
        high = greatest(high, plus(x, r))
        radius = min(radius, st.radius[i])
        count += 1
        i = st.ring[i]
        if i == c:
            return low, high, radius, count


@inner
def _reflect_one(
    turns: Vector,
    st: Stepping,
    out: NDArray[np.float64],
    k: int,
    c: int,
    hit: NDArray[np.float64],
    shift: NDArray[np.float64],
    time: float,
) -> int:
    if len(turns) > 0:
        work = bend_flight(st, (), k, c, hit, shift, time)
        i = c
        while True:
            put_row(out, i, shifted_by(st, i, time, row_of(out, i, velocity(st.clusters[c])), shift, k))
            work += 1
            i = st.ring[i]
            if i == c:
                return work
    low, high, _, count = extent(st, out, c)
    by, v = reflections(low, high, walls_of(st.sim[0])[1], velocity(st.clusters[c]))
    put_row(hit, k, v)
    i = c
    while True:
        put_row(out, i, plus(row_of(out, i, by), by))
        i = st.ring[i]
        if i == c:
            return count


@inlined
def bend_flight(
    st: Stepping, trees: Any, k: int, c: int, hit: NDArray[np.float64], shift: NDArray[np.float64], time: float
) -> int:
    """Find how walls, or its own image, change the flight of cluster c, which turns, until `time`.

    trees : see `in_flight.next_wall`; shift, hit : (N, k) as those of `Stepping`, get in row k by how much they move
        and turn it, and how it moves and turns then. Returns the work.
    """
    cluster = st.clusters[c]
    x, turned_by, v, turn, work = fly_turning(st, trees, c, time - st.sim[0].time, False)
    put_row(shift, k, minus(x, origin_at(cluster, time)))
    put_bent_facing(turned_by, cluster, time, shift, k)
    put_hit(hit, k, v, turn)
    return int(work)


@inner
def reflect_clusters(
    st: Stepping,
    out: NDArray[np.float64],
    hit_c: NDArray[np.int32],
    hit: NDArray[np.float64],
    shift: NDArray[np.float64],
    time: float,
    begin: int,
    end: int,
) -> int:
    """Reflect the clusters begin…end of `hit_c` as a whole: their positions in `out` at `time`, their new velocities
    into `hit`.

    out : (N, d), length; hit_c : (n,), names of clusters; hit, shift : (N, k), as those of `Stepping`.
        Returns the number of processed discs.
    """
    work = 0
    for k in range(begin, end):
        c = hit_c[k]
        work += _reflect_one(turning(st.clusters[c]), st, out, k, c, hit, shift, time)
    return work
