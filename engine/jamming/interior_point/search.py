"""The interior-point method for one linear program: Mehrotra's predictor and corrector.

Newton's equations for the displacements are those of a network of springs with stiffness λ / w, factorised along a
nested dissection of the plane (`nested_dissection`, `factor`); the growth borders their matrix with one row and one
column. The start and all later points satisfy every row, so that nothing overlaps where a solve stops early.

**The last digits of a solution** (`polish`): rows that bind are closed to rounding, their forces balance to rounding.
Which rows bind, and which discs lean on the bound, follows from an interior point: there the dual variable is larger
than what it multiplies. The forces of rows are first multiplied by the number of rows m, since they are of the order of
1/m where rooms are of order one. Then A u + b g = h and Aᵀλ = a, bᵀλ = 1 on these rows are linear equations. Both are
solved by the method of multipliers with one factor, that of ρ AᵀA + 1. This gives the solution nearest to the point,
also where there are many (discs without contacts) or where not all equations are independent (states of self-stress).
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

import numpy as np

from engine.arrays import Floats
from engine.jamming.interior_point import kernels
from engine.jamming.interior_point.factor import Factor
from engine.jamming.interior_point.kernels import Aim, Iterate, NewtonStep, Rows, along, dot, spread
from engine.jamming.interior_point.nested_dissection import Elimination, eliminate
from engine.jamming.linear_program import LinearProgram, Solution
from engine.kernels import kernel

MAX_ITERATIONS = 100
CLOSE = 1e-9  # of s_b: a point whose objective is that close to its best value is polished
CLOSEST = 1e-12  # of s_b: a point that cannot be polished is taken as it is from here on
USABLE = 1e-6  # of s_b: a point that close is good enough, even if it does not grow, where iterations lead no further
SHRUNK = -0.5  # of s_b: the growth at the start
SHORTEST = 1e-10  # steps below this lead no further
LONGEST = 1.0 - 1e-8  # of the way to the point where the first unknown is zero


class Search:
    """One linear program on its way to its solution, in units of s_b and in the order of elimination."""

    curved = False  # see `Solution`

    def __init__(self, program: LinearProgram) -> None:
        count, dimensions = program.shape
        self.program = program
        self.scale = program.bound if isfinite(program.bound) else 1.0
        free = np.arange(count) != program.fixed
        self.discs = np.flatnonzero(free)
        number = np.append(np.cumsum(free) - 1, -1)  # walls and the fixed disc are -1
        number[:-1][~free] = -1
        first, second = number[program.first], number[np.where(program.second >= 0, program.second, count)]
        own = program.first == program.second  # images of a disc move with it
        first[own] = second[own] = -1
        self.tree: Elimination = eliminate(
            np.ascontiguousarray(program.places[self.discs]), first.astype(np.int32), second.astype(np.int32)
        )
        place = np.full(len(self.discs) + 1, -1, np.int32)
        place[self.tree.order] = np.arange(len(self.discs), dtype=np.int32)
        self.rows = Rows(
            place[first], place[second], program.direction, program.inflation,
            np.maximum(program.slack, 0.0) / self.scale,
        )  # fmt: skip
        unknowns, rows = len(self.discs) * dimensions, len(program.first)
        sizes: tuple[int, ...] = (unknowns, rows, rows, *(unknowns,) * 4)
        self.point = Iterate(*[*map(np.empty, sizes), np.zeros(1, kernels.LIMIT)[0]])
        sizes = (unknowns, rows, rows, unknowns, unknowns)
        self.change = NewtonStep(*[*map(np.zeros, sizes), np.zeros(1, kernels.LIMIT)[0]])
        self.wanted = Aim(np.empty(rows), np.empty(unknowns), np.empty(unknowns), np.zeros(1, kernels.PRODUCT)[0])
        self.weight, self.diagonal = np.empty(rows), np.empty(unknowns)
        self.factor = Factor(self.tree, program.direction)
        self.gain = np.zeros(unknowns)
        if program.gain is not None:
            self.gain = np.ascontiguousarray(program.gain[self.discs[self.tree.order]]).ravel()
        self.gap = np.inf
        self.iterations = 0

    def run(self, stop: Callable[[], bool]) -> str:
        """Iterate to the end; returns the status of the solution."""
        point, rows = self.point, self.rows
        kernels.begin(rows, point, max(self.program.most / self.scale, 1e-12), SHRUNK)
        residual = np.empty(len(point.moved))
        wanted = CLOSE
        for self.iterations in range(MAX_ITERATIONS):
            if stop():
                return "interrupted"
            pressure, worst, self.gap, products = kernels.measure(rows, point, self.gain, residual)
            if not isfinite(self.gap):
                return "failed: the interior-point method met a number that is not finite"
            balance = max(worst, abs(pressure))
            if max(self.gap, balance) < wanted:
                if polish(self.factor, rows, point, self.gain, last=self.gap < CLOSEST):
                    return "optimal"
                wanted *= 0.1
            if self.gap < CLOSEST:
                return "optimal"
            if self._newton(residual, pressure, products, stop) < SHORTEST:
                break
        if stop():
            return "interrupted"
        # every point satisfies all rows: one that grows is a step ahead, however much more there may be to gain
        if self.gap < USABLE or self.point.limit["growth"] > 0.0:
            return "stopped early"
        return f"failed: the interior-point method stopped with a gap of {self.gap:.2g} s_b"

    def _newton(self, residual: Floats, pressure: float, products: float, stop: Callable[[], bool]) -> float:
        """Predictor, corrector, step: one iteration of the method.

        Returns the greater of the two lengths of the step, that of the unknowns and that of the dual variables; 0 where
        `stop` says so or nothing but rounding is left.
        """
        border = np.empty(len(residual))
        corner = kernels.stiffness(self.rows, self.point, self.weight, self.diagonal, border)
        if not self.factor.factorise(self.weight, self.diagonal, stop):
            return 0.0
        lengths = self._find_change(residual, pressure, products, border, corner)
        self._advance(*lengths, products)
        return max(lengths)

    def _find_change(
        self, residual: Floats, pressure: float, products: float, border: Floats, corner: float, least: float = 0.0
    ) -> tuple[float, float]:
        """Predictor and corrector with the factor of the matrix, `border` and `corner`: fills the change.

        least : the corrector aims at products of at least this part of their mean.

        Returns how much of it unknowns and dual variables can go, (0, 0) where nothing but rounding is left.
        """
        mu = self.gap / products
        rows, point, change = self.rows, self.point, self.change
        bent, right = sides = np.empty((2, len(residual)))
        bent[:] = border
        primal = dual = target = 0.0
        for second_order in (False, True):
            kernels.aim(point, target, change, self.wanted)
            top = kernels.right_side(rows, point, residual, pressure, self.wanted, right)
            if second_order:
                self.factor.solve(right)
            else:  # with the border, whose solution stays
                self.factor.solve(sides)
                corner -= kernels.dot(border, bent)
                if not corner > 0.0:  # it is only a rounding error
                    return 0.0, 0.0
            growth = (top - kernels.dot(border, right)) / corner
            change.moved[:] = right - growth * bent
            kernels.complete(rows, point, self.weight, self.wanted, growth, change)
            primal, dual = kernels.longest(point, change)
            if not second_order:
                after = kernels.products_after(point, change, primal, dual) / products
                target = mu * min(1.0, max((after / mu) ** 3, least))
        return primal, dual

    def _advance(self, primal: float, dual: float, products: float) -> None:
        """Go nearly so much of the change that was found."""
        short = min(max(0.9, 1.0 - 10.0 * self.gap / products), LONGEST)
        kernels.advance(self.point, self.change, short * primal, short * dual)

    def solution(self, status: str, seconds: float) -> Solution:
        """The point that was found, in the units and the order of the program."""
        point, program = self.point, self.program
        displacements = np.zeros(program.shape)
        displacements[self.discs[self.tree.order]] = point.moved.reshape(-1, program.shape[1])
        # forces are of the order of one over the number of rows, rooms of the order of one
        duals = np.where(len(point.force) * point.force > point.room, point.force, 0.0)
        growth = float(point.limit["growth"]) * self.scale
        if growth < 0.0:  # there is next to nothing to gain, and to stay is feasible
            displacements[:], growth = 0.0, 0.0
        return Solution(displacements * self.scale, growth, duals, status, seconds, self.gap * self.scale, self.curved)


_WEIGHT = 1e10  # ρ: every round leaves 1 / (ρ σ²) of the error, σ² an eigenvalue of the stiffness
_HELD = 1e30  # on the diagonal where a disc leans on the bound, so that it does not move
_ROUNDS = 4
_BALANCED = 1e-4  # of the mean force
TOLERATED = 1e-9  # of s_b: the violation of a row that a little less growth may make up for


def polish(factor: Factor, rows: Rows, point: Iterate, gain: Floats, *, last: bool) -> bool:
    """Polish u, g and λ of `point`, in place.

    Returns False, and changes nothing, where a row would be violated, a force would pull, or forces on these rows
    cannot balance.

    gain : (n,), the a of the linear program; last : forces that would pull or cannot balance stay what they are, and
        the rest is polished.
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
    """Fill `out`, (m,), with h - A u - b g, the room that is left in each row."""
    for k in range(len(rows.slack)):
        out[k] = rows.slack[k] - along(rows, k, moved) - rows.inflation[k] * growth


@kernel
def _resultants(rows: Rows, values: Floats, out: Floats) -> None:
    """Fill `out`, (n,), with Aᵀ values, the sums of the forces `values`, (m,), on each unknown."""
    out[:] = 0.0
    spread(rows, values, out)
