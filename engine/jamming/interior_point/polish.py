"""The last digits of a solution: rows that bind are closed to rounding, their forces balance to rounding.

Which rows bind and which discs lean on the bound is read off an interior point: the dual is larger than what it
multiplies, forces times the number of rows m, since they are of the order of 1/m where rooms are of order one. Then
A u + b g = h and Aᵀλ = a, bᵀλ = 1 on these rows are linear equations. Both are solved by the method of multipliers with
one factor, that of ρ AᵀA + 1: it takes the nearest solution, whether the equations leave a choice (discs without
contacts) or not all are independent (states of self-stress).
"""

from __future__ import annotations

import numpy as np

from engine.jamming.interior_point.factor import Factor
from engine.jamming.interior_point.kernels import Point, Rows, along, dot, spread
from engine.jamming.neighbours import Floats
from engine.kernels import kernel

_WEIGHT = 1e10  # ρ: every round leaves 1 / (ρ σ²) of the error, σ² an eigenvalue of the stiffness
_HELD = 1e30  # added where a disc leans on the bound
_ROUNDS = 4
_BALANCED = 1e-4  # of the mean force
TOLERATED = 1e-9  # of s_b: by so much may a row be violated before less growth makes up for it


def polish(factor: Factor, rows: Rows, point: Point, gain: Floats, *, last: bool) -> bool:
    """Polish u, g and λ of `point`; False, and nothing changed, where a row is violated, a force would pull, or forces
    on these rows cannot balance.

    last : forces that would pull or cannot balance stay what they are, and the rest is polished.
    """
    binding = len(point.force) * point.force > point.room
    low, high = point.lower > point.below, point.upper > point.above
    if point.limit["force"] > point.limit["room"]:  # the growth is held back by its limit: any point will do
        return True
    if not binding.any():
        return False
    weight = np.where(binding, _WEIGHT, 0.0)
    held = low | high
    diagonal = np.where(held, _HELD, 1.0)
    factor.factorise(weight, diagonal)
    border = np.empty(len(held))
    _resultants(rows, weight * rows.inflation, border)
    bent = factor.solve(border.copy())
    corner = 1.0 + dot(weight * rows.inflation, rows.inflation) - dot(border, bent)

    moved = np.where(high, 1.0, np.where(low, -1.0, point.moved))
    growth, force = float(point.limit["growth"]), np.where(binding, point.force, 0.0)
    left = np.empty(len(binding))
    for _ in range(_ROUNDS):
        # both at once: displacements that close the rows, and what the forces lack, which moves nothing
        close, balance = sides = np.empty((2, len(held)))
        _left_over(rows, moved, growth, left)
        open_rows = weight * left
        _resultants(rows, open_rows, close)
        _resultants(rows, force, balance)
        balance[:] = gain - balance
        sides[:, held] = 0.0
        factor.solve(sides)
        grown = (dot(open_rows, rows.inflation) - dot(border, close)) / corner
        moved, growth = moved + close - grown * bent, growth + grown
        grown = (1.0 - dot(force, rows.inflation) - dot(border, balance)) / corner
        _left_over(rows, balance - grown * bent, grown, left)
        force = force + weight * (rows.slack - left)
    _left_over(rows, moved, growth, left)
    violated, pulls = -float(left.min()), float(force.min()) < 0.0
    lacking = np.empty(len(held))
    _resultants(rows, force, lacking)
    lacking = np.where(held, 0.0, lacking - gain)
    missed = len(force) * float(np.abs(lacking).max()) > _BALANCED  # a force that is needed is on none of these rows
    if (pulls or missed) and not last:
        return False
    if not (violated < TOLERATED and float(np.abs(moved).max()) < 1.0 + TOLERATED):
        return False
    if violated > 0.0:  # a little less growth satisfies every row
        growth -= violated / float(rows.inflation.min())
        _left_over(rows, moved, growth, left)
    point.moved[:], point.room[:], point.limit["growth"] = moved, np.maximum(left, 0.0), growth
    if not (pulls or missed):  # else there is a choice of forces, and the interior point has one that pushes
        point.force[:] = force
    return True


@kernel
def _left_over(rows: Rows, moved: Floats, growth: float, out: Floats) -> None:
    """h - A u - b g of every row."""
    for k in range(len(rows.slack)):
        out[k] = rows.slack[k] - along(rows, k, moved) - rows.inflation[k] * growth


@kernel
def _resultants(rows: Rows, values: Floats, out: Floats) -> None:
    """Aᵀ values."""
    out[:] = 0.0
    spread(rows, values, out)
