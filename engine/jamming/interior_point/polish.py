"""The last digits of a solution: rows that bind are closed to rounding, their forces balance to rounding.

Which rows bind, and which discs lean on the bound, follows from an interior point: there the dual variable is larger
than what it multiplies. The forces of rows are first multiplied by the number of rows m, since they are of the order of
1/m where rooms are of order one. Then A u + b g = h and Aᵀλ = a, bᵀλ = 1 on these rows are linear equations. Both are
solved by the method of multipliers with one factor, that of ρ AᵀA + 1. This gives the solution nearest to the point,
also where there are many (discs without contacts) or where not all equations are independent (states of self-stress).
"""

from __future__ import annotations

import numpy as np

from engine.geometry.neighbours import Floats
from engine.jamming.interior_point.factor import Factor
from engine.jamming.interior_point.kernels import Iterate, Rows, along, dot, spread
from engine.kernels import kernel

_WEIGHT = 1e10  # ρ: every round leaves 1 / (ρ σ²) of the error, σ² an eigenvalue of the stiffness
_HELD = 1e30  # on the diagonal where a disc leans on the bound, so that it does not move
_ROUNDS = 4
_BALANCED = 1e-4  # of the mean force
TOLERATED = 1e-9  # of s_b: the violation of a row that a little less growth may make up for


def polish(factor: Factor, rows: Rows, point: Iterate, gain: Floats, *, last: bool) -> bool:
    """Polish u, g and λ of `point`, in place.

    Returns False, and changes nothing, where a row would be violated, a force would pull, or forces on these rows
    cannot balance.

    last : forces that would pull or cannot balance stay what they are, and the rest is polished.
    """
    binding = len(point.force) * point.force > point.room
    low, high = point.lower > point.below, point.upper > point.above
    if point.limit["force"] > point.limit["room"]:  # the growth is at its limit: every point with that growth is best
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
        # two right sides at once: for displacements that close the rows, and for forces that balance
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
