"""The outermost disc of a cluster and its position, in a sparse step.

A reflection needs the extent of a cluster and the disc that meets the wall. A walk down the cluster's tree finds both
among few discs; their positions are the same, bit for bit, as in a step over all discs.
"""

from __future__ import annotations

from math import inf

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.aggregation.time_stepping.flight import at_end_of_step, is_outside, walls_of
from engine.aggregation.time_stepping.meeting import SLACK, corners_in, origin_at_end
from engine.aggregation.time_stepping.pose import centre, from_origin, pose_at
from engine.geometry.vectors import (
    Vector,
    box_sides,
    component,
    every,
    high_corner,
    is_below,
    low_corner,
    minus,
    plus,
    total,
)
from engine.kernels import inlined, inner
from engine.records import Record


@inlined
def edge(node: Record, axis: int, outward: float) -> float:
    """How far the box of a node extends in the direction `outward` along an axis, in the frame of its cluster."""
    return component(high_corner(node), axis) if outward > 0.0 else -component(low_corner(node), axis)


@inner
def outermost(st: Stepping, cal: Calendar, c: int, axis: int, outward: float) -> tuple[float, int]:
    """How far cluster c extends at the end of the step, times `outward`, and the outermost disc, the first of equals.

    axis : 0 for x, 1 for y, 2 for z; outward : 1 or -1. The tree must be up to date but for displacements in this step.
    """
    sim = st.sim[0]
    row = cal.row[c]
    slack = SLACK * total(box_sides(sim)) + sim.drift
    origin = outward * component(origin_at_end(st, cal, row), axis) + slack
    stack = cal.ids
    stack[0] = row
    top = 0
    visits = 0
    furthest = -inf
    at = -1
    while top >= 0:
        node = cal.nodes[stack[top]]
        top -= 1
        visits += 1
        if origin + edge(node, axis, outward) < furthest:
            continue
        left = node.left
        if left < 0:
            i = ~left
            reach = outward * component(at_end_of_step(st, i), axis) + st.radius[i]
            if reach > furthest or (reach == furthest and i < at):
                furthest = reach
                at = i
            continue
        # the child that reaches further continues top
        first = 1 if edge(cal.nodes[left], axis, outward) > edge(cal.nodes[left + 1], axis, outward) else 0
        stack[top + 1] = left + first
        stack[top + 2] = left + 1 - first
        top += 2
    sim.work += visits
    return furthest, at


@inlined
def origin_of_frame(pose: Vector, middle: Vector, x: Vector) -> Vector:
    """The origin of the frame of a cluster the origin of whose motion is at x; middle : its `centre`."""
    if len(pose) > 0:
        return plus(x, from_origin(pose, middle, every(0.0, x)))
    return x


@inner
def is_through_walls(st: Stepping, cal: Calendar, row: int) -> bool:
    """Whether a disc of the cluster of a row is beyond a wall at the end of the flight."""
    sim = st.sim[0]
    cluster = st.clusters[cal.entries[row].cluster]
    pose = pose_at(cluster, sim.time + sim.dt)
    x = origin_of_frame(pose, centre(cluster), origin_at_end(st, cal, row))
    slack = every(SLACK * total(box_sides(sim)), x)
    lower, upper = walls_of(sim)
    lower, upper = plus(lower, slack), minus(upper, slack)
    stack = cal.ids
    stack[0] = row
    top = 0
    visits = 0
    through = False
    while top >= 0 and not through:
        node = cal.nodes[stack[top]]
        top -= 1
        visits += 1
        low, high = corners_in(pose, node, x)
        if not is_below(low, lower) and not is_below(upper, high):
            continue
        left = node.left
        if left < 0:
            through = is_outside(st, ~left, at_end_of_step(st, ~left))
        else:
            stack[top + 1] = left
            stack[top + 2] = left + 1
            top += 2
    sim.work += visits
    return through
