"""Which disc of a cluster lies furthest out, and where, in a step that touches only what can meet in it.

A reflection needs the extent of a cluster, and a wall the disc that meets it. A walk down the tree of the cluster finds
both among few discs; their positions are those that a step which goes through all discs has, to the bit.
"""

from __future__ import annotations

from math import inf

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.aggregation.time_stepping.flight import at_end_of_step, is_outside
from engine.aggregation.time_stepping.meeting import SLACK, origin_at_end
from engine.kernels import inlined, inner
from engine.records import Record


@inlined
def edge(node: Record, axis: int, outward: float) -> float:
    """How far the box of a node reaches in the direction `outward` along an axis, in the frame of its cluster."""
    if axis == 0:
        return float(node.x_max if outward > 0.0 else -node.x_min)
    return float(node.y_max if outward > 0.0 else -node.y_min)


@inner
def outermost(st: Stepping, cal: Calendar, c: int, axis: int, outward: float) -> tuple[float, int]:
    """How far cluster c reaches at the end of the step, times `outward`, and the disc that does, the first of equals.

    axis : 0 for x, 1 for y; outward : 1 or -1. The tree must know the discs but for what this step has displaced.
    """
    sim = st.sim[0]
    row = cal.row[c]
    x, y = origin_at_end(st, cal, row)
    slack = SLACK * (sim.box_x + sim.box_y) + sim.drift
    origin = outward * (x if axis == 0 else y) + slack
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
            px, py = at_end_of_step(st, i)
            reach = outward * (px if axis == 0 else py) + st.radius[i]
            if reach > furthest or (reach == furthest and i < at):
                furthest = reach
                at = i
            continue
        # the child that reaches further goes on top
        first = 1 if edge(cal.nodes[left], axis, outward) > edge(cal.nodes[left + 1], axis, outward) else 0
        stack[top + 1] = left + first
        stack[top + 2] = left + 1 - first
        top += 2
    sim.work += visits
    return furthest, at


@inner
def is_through_walls(st: Stepping, cal: Calendar, row: int) -> bool:
    """Whether a disc of the cluster of a row has come through a wall at the end of the flight."""
    sim = st.sim[0]
    x, y = origin_at_end(st, cal, row)
    slack = SLACK * (sim.box_x + sim.box_y)
    stack = cal.ids
    stack[0] = row
    top = 0
    visits = 0
    through = False
    while top >= 0 and not through:
        node = cal.nodes[stack[top]]
        top -= 1
        visits += 1
        inside = x + node.x_min > slack and x + node.x_max < sim.box_x - slack
        if inside and y + node.y_min > slack and y + node.y_max < sim.box_y - slack:
            continue
        left = node.left
        if left < 0:
            px, py = at_end_of_step(st, ~left)
            through = is_outside(st, ~left, px, py)
        else:
            stack[top + 1] = left
            stack[top + 2] = left + 1
            top += 2
    sim.work += visits
    return through
