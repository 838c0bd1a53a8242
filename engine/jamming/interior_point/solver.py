"""An interior-point method of our own for the linear programs of the chain, faster than HiGHS in 2 and 3 dimensions.

Mehrotra's predictor and corrector. Newton's equations for the displacements are those of a network of springs with
stiffness λ / w, factorised along a nested dissection of the plane (`nested_dissection`, `factor`); the growth borders
their matrix with one row and one column. The start and all later points satisfy every row, so that nothing overlaps
where a solve stops early.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import isfinite

import numpy as np

from engine.jamming.interior_point import kernels
from engine.jamming.interior_point.factor import Factor
from engine.jamming.interior_point.kernels import Aim, Change, Point, Rows
from engine.jamming.interior_point.nested_dissection import Elimination, eliminate
from engine.jamming.interior_point.polish import polish
from engine.jamming.linear_program import LinearProgram, Solution, nothing_found
from engine.jamming.neighbours import Floats

MAX_ITERATIONS = 100
CLOSE = 1e-9  # of s_b: a point whose objective is that close to its best value is polished
CLOSEST = 1e-12  # of s_b: a point that cannot be polished is taken as it is from here on
USABLE = 1e-6  # of s_b: a point is good enough where iterations lead no further
LOOSE = 0.5  # of the objective: the gap that is good enough where `loose` is asked for
SHORTEST = 1e-10  # steps below this lead no further
LONGEST = 1.0 - 1e-8  # of the way to the point where the first unknown is zero


class InteriorPointSolver:
    """Keeps nothing between linear programs: the order of the unknowns is found anew for each, in less time than one of
    its some twenty factorisations takes."""

    name = "interior-point"

    def solve(self, program: LinearProgram, stop: Callable[[], bool], *, loose: bool = False) -> Solution:
        """Solve for the best point; where several are best, for the middle of them, not a vertex."""
        began = time.perf_counter()
        search = _Search(program)
        status = search.run(stop, loose)
        seconds = time.perf_counter() - began
        if status not in ("optimal", "stopped early"):
            return nothing_found(program, status, seconds)
        return search.solution(status, began)


class _Search:
    """One linear program on its way to its solution, in units of s_b and in the order of elimination."""

    def __init__(self, program: LinearProgram) -> None:
        count, dimensions = program.shape
        self.program = program
        self.scale = program.bound if isfinite(program.bound) else 1.0
        free = np.arange(count) != program.fixed
        self.discs = np.flatnonzero(free)
        number = np.append(np.cumsum(free) - 1, -1)  # walls and the fixed disc are -1
        number[:-1][~free] = -1
        first, second = number[program.first], number[np.where(program.second >= 0, program.second, count)]
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
        self.point = Point(*[*map(np.empty, sizes), np.zeros(1, kernels.LIMIT)[0]])
        sizes = (unknowns, rows, rows, unknowns, unknowns)
        self.change = Change(*[*map(np.zeros, sizes), np.zeros(1, kernels.LIMIT)[0]])
        self.wanted = Aim(np.empty(rows), np.empty(unknowns), np.empty(unknowns), np.zeros(1, kernels.PRODUCT)[0])
        self.weight, self.diagonal = np.empty(rows), np.empty(unknowns)
        self.factor = Factor(self.tree, program.direction)
        self.gain = np.zeros(unknowns)
        if program.gain is not None:
            self.gain = np.ascontiguousarray(program.gain[self.discs[self.tree.order]]).ravel()
        self.gap = np.inf
        self.iterations = 0

    def run(self, stop: Callable[[], bool], loose: bool) -> str:
        """Iterate to the end; returns the status of the solution."""
        point, rows = self.point, self.rows
        kernels.begin(rows, point, max(self.program.most / self.scale, 1e-12))
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
            worth = float(point.limit["growth"]) + kernels.dot(self.gain, point.moved)
            if loose and point.limit["growth"] > 0.0 and self.gap < LOOSE * worth and balance < 1e-3:
                return "stopped early"
            if self._newton(residual, pressure, products, stop) < SHORTEST:
                break
        if stop():
            return "interrupted"
        if self.gap < USABLE:
            return "stopped early"
        return f"failed: the interior-point method stopped with a gap of {self.gap:.2g} s_b"

    def _newton(self, residual: Floats, pressure: float, products: float, stop: Callable[[], bool]) -> float:
        """Predictor, corrector, step: one iteration of the method.

        Returns the greater of the two lengths of the step, that of the unknowns and that of the dual variables; 0 where
        `stop` says so or nothing but rounding is left.
        """
        mu = self.gap / products
        rows, point, change = self.rows, self.point, self.change
        border = np.empty(len(residual))
        corner = kernels.stiffness(rows, point, self.weight, self.diagonal, border)
        if not self.factor.factorise(self.weight, self.diagonal, stop):
            return 0.0
        bent, right = sides = np.empty((2, len(residual)))
        bent[:] = border
        target = 0.0
        for second_order in (False, True):
            kernels.aim(point, target, change, self.wanted)
            top = kernels.right_side(rows, point, residual, pressure, self.wanted, right)
            if second_order:
                self.factor.solve(right)
            else:  # with the border, whose solution stays
                self.factor.solve(sides)
                corner -= kernels.dot(border, bent)
                if not corner > 0.0:  # nothing but rounding is left of it
                    return 0.0
            growth = (top - kernels.dot(border, right)) / corner
            change.moved[:] = right - growth * bent
            kernels.complete(rows, point, self.weight, self.wanted, growth, change)
            primal, dual = kernels.longest(point, change)
            if not second_order:
                after = kernels.products_after(point, change, primal, dual) / products
                target = mu * min(1.0, after / mu) ** 3
        short = min(max(0.9, 1.0 - 10.0 * mu), LONGEST)
        kernels.advance(point, change, short * primal, short * dual)
        return max(primal, dual)

    def solution(self, status: str, began: float) -> Solution:
        """The point that was found, in the units and the order of the program."""
        point, program = self.point, self.program
        displacements = np.zeros(program.shape)
        displacements[self.discs[self.tree.order]] = point.moved.reshape(-1, program.shape[1])
        # forces are of the order of one over the number of rows, rooms of the order of one
        duals = np.where(len(point.force) * point.force > point.room, point.force, 0.0)
        growth = float(point.limit["growth"]) * self.scale
        if growth < 0.0:  # there is next to nothing to gain, and to stay is feasible
            displacements[:], growth = 0.0, 0.0
        return Solution(
            displacements * self.scale, growth, duals, status, time.perf_counter() - began, self.gap * self.scale
        )
