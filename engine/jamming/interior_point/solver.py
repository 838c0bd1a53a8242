"""An interior-point method of our own for the linear programs of the chain, faster than HiGHS in 2 and 3 dimensions.

`search` solves a linear program. While discs move far, `CurvedSearch` has the distances of the moved discs in place of
linear conditions:

    maximise Γ, subject to |r + s_i - s_j|² >= Γ σ² for all rows, and |s_i,μ| <= s_b.

A chain of linear programs leaves out |s_i - s_j|², and therefore goes along the soft directions of a nearly jammed
state in small steps, each of which costs about ten factorisations. Here the rows are made again from the places of the
discs after every single step of Newton's method. As a distance is never less than its linear part, every point
satisfies all rows, and what is left of them is computed from the places and never from a sum of changes.

Contacts that are pushed also push sideways: the derivative of their force with the displacements across the contact is
-λ / σ. This tension makes soft directions softer, and steps along them longer; where it makes the matrix indefinite
(the discs are about to buckle) or steps very short, a smaller share of it is taken. Products are lowered slowly: discs
that are pressed together fast end in looser packings, and fast changes of rows make steps short.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from math import isfinite

import numpy as np

from engine.arrays import Floats, Ints
from engine.jamming.interior_point import kernels
from engine.jamming.interior_point.kernels import Iterate, Rows
from engine.jamming.interior_point.search import SHRUNK, Search
from engine.jamming.linear_program import LinearProgram, Solution, nothing_found
from engine.kernels import kernel

MAX_STEPS = 40
GOOD = 0.2  # of the growth: the gap that is good enough
COLDER = 0.3  # products are lowered at most to this part of their mean in one step
SHORT = 0.1  # of the way that Newton's equations give: steps below it say that there is another way round
PATIENCE = 2  # such steps, after which the search begins again, from discs that are a little smaller
SHORTEST = 0.02  # of that way: shorter steps are tried again with a smaller share of the tension
LONG = 0.4  # steps above this allow a larger share again
HALVINGS = 2  # of the share, before it is zero; without tension the matrix is always positive definite
WARM = 30.0  # times the growth that was left: by so much discs shrink at the start


class CurvedSearch(Search):
    """A search that stops early, at a point that satisfies all rows and grows."""

    curved = True

    def __init__(self, program: LinearProgram) -> None:
        # distances themselves have the second-order term that `gain` stands for
        super().__init__(replace(program, gain=None))
        self.straight = program.direction  # c at the start
        self.rows = self.rows._replace(direction=program.direction.copy())
        self.factor.direction = self.rows.direction
        self.wall = (program.second < 0).astype(np.int32)
        self.tension = np.empty(len(program.slack))
        self.share = 1.0  # of the tension that is in the matrix

    def run(self, stop: Callable[[], bool]) -> str:
        """Continue until the growth is known or steps become short; returns the status of the solution."""
        point, rows = self.point, self.rows
        most = max(self.program.most / self.scale, 1e-12)
        kernels.begin(rows, point, most, max(SHRUNK, -WARM * self.program.left / self.scale))
        residual = np.empty(len(point.moved))
        short = 0
        for self.iterations in range(MAX_STEPS):
            if stop():
                return "interrupted"
            follow(rows, self.straight, self.wall, self.scale, point)
            pressure, _, self.gap, products = kernels.measure(rows, point, self.gain, residual)
            if not isfinite(self.gap):
                return "failed: the interior-point method met a number that is not finite"
            growth = float(point.limit["growth"])
            if growth > 0.0 and (self.gap < GOOD * growth or short >= PATIENCE):
                break
            length = self._newton(residual, pressure, products, stop)
            short += length < SHORT
        if stop():
            return "interrupted"
        if point.limit["growth"] > 0.0:
            return "stopped early"
        return "failed: discs find no way to grow"

    def _newton(self, residual: Floats, pressure: float, products: float, stop: Callable[[], bool]) -> float:
        """One step of the method, with as much of the tension as lets it go far."""
        border = np.empty(len(residual))
        corner = kernels.stiffness(self.rows, self.point, self.weight, self.diagonal, border)
        tried = 0
        while True:
            stretch(self.rows, self.wall, self.point, self.share * self.scale, self.tension)
            if not self.factor.factorise(self.weight, self.diagonal, stop, self.tension):
                return 0.0
            lengths = 0.0, 0.0
            if self.factor.positive:
                lengths = self._find_change(residual, pressure, products, border, corner, COLDER)
            if lengths[0] >= SHORTEST or self.share == 0.0:
                break
            tried += 1
            self.share = 0.5 * self.share if tried <= HALVINGS else 0.0
        self._advance(*lengths, products)
        if lengths[0] > LONG and tried == 0:
            self.share = min(1.0, 1.5 * max(self.share, 0.05))
        return max(lengths)


@kernel
def follow(rows: Rows, straight: Floats, wall: Ints, scale: float, point: Iterate) -> None:
    """Compute the directions c of rows and what is left of them from the places of the moved discs.

    straight : (m, d), c at the start; wall : (m,), 1 where a row is that of a wall; scale : s_b.
    """
    d = straight.shape[1]
    for k in range(len(rows.slack)):
        i, j = rows.one[k], rows.other[k]
        reach = 2.0 * rows.inflation[k]  # σ; R for a wall
        nearer = square = 0.0
        for a in range(d):
            apart = 0.0
            if wall[k] == 0 or straight[k, a] != 0.0:  # along a wall nothing changes
                if i >= 0:
                    apart += point.moved[i * d + a]
                if j >= 0:
                    apart -= point.moved[j * d + a]
            nearer -= straight[k, a] * apart
            square += apart * apart
            rows.direction[k, a] = straight[k, a] + scale * apart / reach
        left = rows.slack[k] - nearer + 0.5 * scale * square / reach - rows.inflation[k] * point.limit.growth
        point.room[k] = left


@kernel
def stretch(rows: Rows, wall: Ints, point: Iterate, factor: float, tension: Floats) -> None:
    """Fill the tensions, (m,), with `factor` λ / σ, in which `factor` has s_b; none for walls, along which discs slide
    freely.

    wall : (m,), 1 for a row of a wall and 0 for one of two discs.
    """
    for k in range(len(tension)):
        tension[k] = 0.0 if wall[k] else factor * point.force[k] / (2.0 * rows.inflation[k])


class InteriorPointSolver:
    """Keeps nothing between linear programs: the order of the unknowns is found again for each, in less time than one
    of its some twenty factorisations takes."""

    name = "interior-point"

    def solve(self, program: LinearProgram, stop: Callable[[], bool], *, loose: bool = False) -> Solution:
        """Solve for the best point; where several are best, for the middle of them, not a vertex.

        loose : a good point of the program whose rows hold for the distances of the moved discs (`CurvedSearch`), which
            for most starts grows much farther.
        """
        began = time.perf_counter()
        search = (CurvedSearch if loose else Search)(program)
        status = search.run(stop)
        seconds = time.perf_counter() - began
        if status not in ("optimal", "stopped early"):
            return nothing_found(program, status, seconds)
        return search.solution(status, seconds)
