"""The arithmetic of the interior-point method: Newton's equations, their right sides, lengths of steps.

For unknowns u = s / s_b (by place, N d) and g = (Γ - 1) / s_b: maximise g + a·u subject to

    w = h - A u - b g >= 0  (duals λ),   1 + u >= 0 (p),   1 - u >= 0 (q),   g_max - g >= 0 (ν),

with rows A = (-c at i, +c at j). At the best point Aᵀλ + q - p = a, bᵀλ + ν = 1, and the products λ w, p (1 + u),
q (1 - u) and ν (g_max - g) are zero; the method lets all of them go to zero together. 1 + u and 1 - u are kept beside
u, as a disc comes closer to the bound than the rounding of u.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.kernels import fused, inlined, kernel
from engine.records import record


class Rows(NamedTuple):
    """The rows of a linear program.

    one, other : (m,) places of the discs of each row, -1 for a wall or a disc that does not move;
    direction : (m, d), c; inflation : (m,), b; slack : (m,), h.
    """

    one: Ints
    other: Ints
    direction: Floats
    inflation: Floats
    slack: Floats


LIMIT = record("f8 growth room force")
"""The growth and its limit: g, g_max - g and ν."""

PRODUCT = record("f8 product")
"""By how much ν (g_max - g) is to change."""


class Iterate(NamedTuple):
    """The unknowns u (moved), w (room), 1 + u (below) and 1 - u (above), the dual variables λ (force), p (lower) and q
    (upper), and those of the growth, a record LIMIT.
    """

    moved: Floats
    room: Floats
    force: Floats
    below: Floats
    above: Floats
    lower: Floats
    upper: Floats
    limit: Any


class NewtonStep(NamedTuple):
    """Changes of a `Iterate`; of `limit` those of the growth and of its dual variable."""

    moved: Floats
    room: Floats
    force: Floats
    lower: Floats
    upper: Floats
    limit: Any


class Aim(NamedTuple):
    """By how much the products λ w, p (1 + u), q (1 - u) and ν (g_max - g) are to change."""

    rows: Floats
    lower: Floats
    upper: Floats
    limit: Any


@fused
def dot(one: Floats, other: Floats) -> float:
    """The sum of products, of arrays (n,). numpy's would wake the threads of its library, which then wait for work in
    busy loops."""
    total = 0.0
    for k in range(len(one)):
        total += one[k] * other[k]
    return total


@inlined
def along(rows: Rows, k: int, u: Floats) -> float:
    """Row k of A u. u : (n,)."""
    d = rows.direction.shape[1]
    total = 0.0
    i, j = rows.one[k], rows.other[k]
    for a in range(d):
        if i >= 0:
            total -= rows.direction[k, a] * u[i * d + a]
        if j >= 0:
            total += rows.direction[k, a] * u[j * d + a]
    return total


@inlined
def spread(rows: Rows, values: Floats, out: Floats) -> None:
    """Adds Aᵀ values to out (N d,)."""
    d = rows.direction.shape[1]
    for k in range(len(values)):
        i, j = rows.one[k], rows.other[k]
        for a in range(d):
            x = values[k] * rows.direction[k, a]
            if i >= 0:
                out[i * d + a] -= x
            if j >= 0:
                out[j * d + a] += x


@kernel
def begin(rows: Rows, point: Iterate, most: float, growth: float) -> None:
    """Fill in a start that satisfies all rows, no displacement and discs that shrink, where all products are equal.

    growth : g there, below 0.
    """
    m = len(rows.slack)
    point.moved[:] = 0.0
    total = 1.0 / (most - growth)
    for k in range(m):
        point.room[k] = max(rows.slack[k], 0.0) - rows.inflation[k] * growth
        total += rows.inflation[k] / point.room[k]
    mu = 1.0 / total
    for k in range(m):
        point.force[k] = mu / point.room[k]
    point.below[:] = 1.0
    point.above[:] = 1.0
    point.lower[:] = mu
    point.upper[:] = mu
    point.limit.growth, point.limit.room, point.limit.force = growth, most - growth, mu / (most - growth)


@kernel
def measure(rows: Rows, point: Iterate, gain: Floats, residual: Floats) -> tuple[float, float, float, float]:
    """Fill residual = a - (Aᵀλ + q - p).

    gain : (n,), a; residual : (n,). Returns 1 - (bᵀλ + ν), the greatest absolute residual, the sum of all products and
        their number.
    """
    for k in range(len(residual)):
        residual[k] = point.upper[k] - point.lower[k] - gain[k]
    spread(rows, point.force, residual)
    worst = total = 0.0
    pressure = 1.0 - point.limit.force
    for k in range(len(residual)):
        residual[k] = -residual[k]
        worst = max(worst, abs(residual[k]))
        total += point.lower[k] * point.below[k] + point.upper[k] * point.above[k]
    for k in range(len(point.force)):
        pressure -= rows.inflation[k] * point.force[k]
        total += point.force[k] * point.room[k]
    total += point.limit.room * point.limit.force
    return pressure, worst, total, len(point.force) + 2.0 * len(residual) + 1.0


@kernel
def stiffness(rows: Rows, point: Iterate, weight: Floats, diagonal: Floats, border: Floats) -> float:
    """Fill the matrix of Newton's equations: D = λ / w, the diagonal of the bounds and the border AᵀDb; return the
    corner, ν / (g_max - g) + bᵀDb.

    weight : (m,), gets D; diagonal, border : (n,).
    """
    m = len(weight)
    scaled = np.empty(m)
    corner = point.limit.force / point.limit.room
    for k in range(m):
        weight[k] = point.force[k] / point.room[k]
        scaled[k] = weight[k] * rows.inflation[k]
        corner += scaled[k] * rows.inflation[k]
    border[:] = 0.0
    spread(rows, scaled, border)
    for k in range(len(diagonal)):
        diagonal[k] = point.lower[k] / point.below[k] + point.upper[k] / point.above[k]
    return float(corner)


@kernel
def aim(point: Iterate, mu: float, last: NewtonStep, wanted: Aim) -> None:
    """Fill `wanted`: by how much each product is to change to become `mu`. With `mu` above 0 the products of the
    changes in `last`, the predictor, are taken into account.
    """
    keep = 1.0 if mu > 0.0 else 0.0
    for k in range(len(point.room)):
        wanted.rows[k] = mu - point.force[k] * point.room[k] - keep * last.force[k] * last.room[k]
    for k in range(len(point.moved)):
        wanted.lower[k] = mu - point.lower[k] * point.below[k] - keep * last.lower[k] * last.moved[k]
        wanted.upper[k] = mu - point.upper[k] * point.above[k] + keep * last.upper[k] * last.moved[k]
    wanted.limit.product = mu - point.limit.room * point.limit.force + keep * last.limit.growth * last.limit.force


@kernel
def right_side(rows: Rows, point: Iterate, residual: Floats, pressure: float, wanted: Aim, out: Floats) -> float:
    """Fill the right side of Newton's equations (N d,); return that of the growth."""
    m = len(rows.slack)
    scaled = np.empty(m)
    top = pressure - wanted.limit.product / point.limit.room
    for k in range(m):
        scaled[k] = -wanted.rows[k] / point.room[k]
        top += rows.inflation[k] * scaled[k]
    out[:] = residual
    spread(rows, scaled, out)
    for k in range(len(out)):
        out[k] += wanted.lower[k] / point.below[k] - wanted.upper[k] / point.above[k]
    return float(top)


@kernel
def complete(rows: Rows, point: Iterate, weight: Floats, wanted: Aim, growth: float, change: NewtonStep) -> None:
    """Fill everything else of a change from change.moved and the change of g. weight : (m,), D."""
    for k in range(len(rows.slack)):
        closing = along(rows, k, change.moved) + rows.inflation[k] * growth
        change.room[k] = -closing
        change.force[k] = wanted.rows[k] / point.room[k] + weight[k] * closing
    for k in range(len(change.moved)):
        change.lower[k] = (wanted.lower[k] - point.lower[k] * change.moved[k]) / point.below[k]
        change.upper[k] = (wanted.upper[k] + point.upper[k] * change.moved[k]) / point.above[k]
    change.limit.growth = growth
    change.limit.force = (wanted.limit.product + point.limit.force * growth) / point.limit.room


@kernel
def longest(point: Iterate, change: NewtonStep) -> tuple[float, float]:
    """The parts of a change, at most 1, that unknowns and dual variables can go before one of them is zero."""
    primal, dual = 1.0, 1.0
    for k in range(len(point.room)):
        if change.room[k] < 0.0:
            primal = min(primal, -point.room[k] / change.room[k])
        if change.force[k] < 0.0:
            dual = min(dual, -point.force[k] / change.force[k])
    for k in range(len(point.moved)):
        if change.moved[k] < 0.0:
            primal = min(primal, -point.below[k] / change.moved[k])
        elif change.moved[k] > 0.0:
            primal = min(primal, point.above[k] / change.moved[k])
        if change.lower[k] < 0.0:
            dual = min(dual, -point.lower[k] / change.lower[k])
        if change.upper[k] < 0.0:
            dual = min(dual, -point.upper[k] / change.upper[k])
    if change.limit.growth > 0.0:
        primal = min(primal, point.limit.room / change.limit.growth)
    if change.limit.force < 0.0:
        dual = min(dual, -point.limit.force / change.limit.force)
    return primal, dual


@kernel
def products_after(point: Iterate, change: NewtonStep, primal: float, dual: float) -> float:
    """The sum of all products after the parts `primal` and `dual` of a change."""
    total = (point.limit.room - primal * change.limit.growth) * (point.limit.force + dual * change.limit.force)
    for k in range(len(point.room)):
        total += (point.room[k] + primal * change.room[k]) * (point.force[k] + dual * change.force[k])
    for k in range(len(point.moved)):
        moved = primal * change.moved[k]
        total += (point.below[k] + moved) * (point.lower[k] + dual * change.lower[k])
        total += (point.above[k] - moved) * (point.upper[k] + dual * change.upper[k])
    return float(total)


@kernel
def advance(point: Iterate, change: NewtonStep, primal: float, dual: float) -> None:
    """Add the parts `primal` and `dual` of a change to a point."""
    point.limit.growth += primal * change.limit.growth
    point.limit.room -= primal * change.limit.growth
    point.limit.force += dual * change.limit.force
    for k in range(len(point.room)):
        point.room[k] += primal * change.room[k]
        point.force[k] += dual * change.force[k]
    for k in range(len(point.moved)):
        moved = primal * change.moved[k]
        point.moved[k] += moved
        point.below[k] += moved
        point.above[k] -= moved
        point.lower[k] += dual * change.lower[k]
        point.upper[k] += dual * change.upper[k]
