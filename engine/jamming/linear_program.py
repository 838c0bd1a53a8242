"""The linear program of one iteration: discs move and grow as far as the linearised conditions allow.

The unknowns are the displacement s_i of every disc and the growth Γ - 1 of the squared diameters. For two discs with
r = X_i - X_j and σ = R_i + R_j

    |r + s_i - s_j|² >= |r|² + 2 r·(s_i - s_j) >= Γ σ²,

so that discs that satisfy the linear condition never overlap. Divided by 2σ this is one *row*

    c·(s_j - s_i) + b (Γ - 1) <= h,    c = r/σ,  b = σ/2,  h = (|r|² - σ²) / 2σ.

A wall at distance x acts as the mirror image of the disc (r = 2x, σ = 2R, both move), divided by 4R: c = x/R along the
normal, b = R/2, h = (x² - R²) / 2R. The program is: greatest Γ - 1 + Σ a_i·s_i subject to all rows and |s_i,μ| <= s_b,
where the a_i are 0 unless displacements count by themselves (see `second_order`).

Its dual variables λ are forces: Σ λ b = 1, and Σ λ c over the rows of a disc that is not at the bound is zero (or
a_i). The force of a pair is λ |c| / 2, in the direction of r. All lengths are in units of the mean diameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol

import numpy as np
import scipy.sparse as sparse

from engine.arrays import Floats, Ints
from engine.boundary import Periodic
from engine.geometry.neighbours import DenseState, near_pairs, walls

USABLE = ("optimal", "stopped early")
"""How linear programs are left that have given a point."""


@dataclass(frozen=True)
class LinearProgram:
    """The rows of a linear program: m rows, N discs in d dimensions, lengths in mean diameters.

    Attributes
    ----------
    first, second : (m,) discs i and j of each row, equal for a disc and its own image, whose row limits only the
        growth; a negative `second` is a wall (see `neighbours.walls`).
    direction : (m, d), c.
    inflation : (m,), b.
    slack : (m,), h.
    bound : s_b, may be inf.
    most : greatest Γ - 1 for which discs without a row stay apart.
    fixed : a disc that does not move, since all discs together may slide in a box without walls; -1 with some.
    places : (N, d), where the discs are; a solver may take the order of elimination from it.
    gain : (N, d), a_i; None if only growth counts.
    left : about how much of Γ the last iteration may have left, where something is known of it.
    """

    first: Ints
    second: Ints
    direction: Floats
    inflation: Floats
    slack: Floats
    bound: float
    most: float
    fixed: int
    places: Floats
    gain: Floats | None = None
    left: float = inf

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers N of discs and d of dimensions."""
        return self.places.shape[0], self.places.shape[1]

    def remaining(self, displacements: Floats, growth: float) -> Floats:
        """h - c·(s_j - s_i) - b (Γ - 1) of every row, (m,); negative where a row is violated."""
        moved = -displacements[self.first]
        pairs = self.second >= 0
        moved[pairs] += displacements[self.second[pairs]]
        return np.asarray(self.slack - (self.direction * moved).sum(axis=1) - self.inflation * growth)

    def resultants(self, duals: Floats) -> Floats:
        """Sum of the forces on every disc, (N, d), from the dual variables (m,)."""
        return sums_on_discs(self.first, self.second, 0.5 * duals[:, None] * self.direction, len(self.places))


@dataclass(frozen=True)
class Solution:
    """The answer of a solver.

    Attributes
    ----------
    displacements : (N, d), s; with `growth` they satisfy all rows.
    growth : Γ - 1.
    duals : (m,), λ >= 0.
    status : "optimal"; "stopped early", feasible but not the best; "interrupted" or "failed: …", without a solution.
    seconds : of work.
    gap : how much the objective may still be below its best value.
    curved : rows hold for the distances of the moved discs, |r + s_i - s_j|, and so do forces; in a solution of the
        linear program itself both are those of the linear conditions.
    """

    displacements: Floats
    growth: float
    duals: Floats
    status: str
    seconds: float
    gap: float
    curved: bool = False

    @property
    def usable(self) -> bool:
        """Whether there is a feasible point."""
        return self.status in USABLE


def without_slide(solution: Solution, periodic: Periodic) -> Solution:
    """The solution without the common motion along the periodic axes of a box that has walls too, which costs nothing:
    that of the disc in the middle. Without walls a disc is fixed instead (`LinearProgram.fixed`)."""
    if not periodic.mixed:
        return solution
    common = np.where(periodic, np.median(solution.displacements, axis=0), 0.0)
    return replace(solution, displacements=solution.displacements - common)


class Solver(Protocol):
    """A way of solving linear programs; it may keep what the next one can use again."""

    name: str

    def solve(self, program: LinearProgram, stop: Callable[[], bool], *, loose: bool = False) -> Solution:
        """Solve a linear program.

        Parameters
        ----------
        stop : asked again and again; when it says True the solver gives up within 0.2 s.
        loose : a point of which nothing overlaps, with a growth about as good as the best, is enough.
        """
        ...


def nothing_found(program: LinearProgram, status: str, seconds: float) -> Solution:
    """The answer of a solver that has found nothing: all discs stay where they are."""
    return Solution(np.zeros(program.shape), 0.0, np.zeros(len(program.first)), status, seconds, np.inf)


def incidence(first: Ints, second: Ints, vectors: Floats, count: int) -> sparse.csr_array:
    """The matrix (K, N d) with `vectors` (K, d) at the first disc of each row and the opposite at the second one.

    A negative `second` is a wall, which has no column.
    """
    rows, axes = np.arange(len(first)), np.arange(vectors.shape[1])
    pairs = second >= 0
    columns = np.concatenate((first, second[pairs]))[:, None] * len(axes) + axes
    entries = np.concatenate((vectors, -vectors[pairs]))
    rows = np.repeat(np.concatenate((rows, rows[pairs])), len(axes))
    return sparse.csr_array((entries.ravel(), (rows, columns.ravel())), shape=(len(first), count * len(axes)))


def sums_on_discs(first: Ints, second: Ints, pushes: Floats, count: int) -> Floats:
    """What acts on each of `count` discs, (N, d): `pushes` (K, d) on the first ones, the opposite on the second ones.

    A negative `second` is a wall.
    """
    total = np.zeros((count, pushes.shape[1]))
    np.add.at(total, first, pushes)
    pairs = second >= 0
    np.add.at(total, second[pairs], -pushes[pairs])
    return total


def build_program(state: DenseState, *, cutoff: float, bound: float, most: float, fixed: int) -> LinearProgram:
    """The linear program of a state.

    Parameters
    ----------
    cutoff : pairs closer than this have rows; 0: the pairs that can meet where every disc moves by `bound` along each
        axis and Γ - 1 is `most`.
    bound, most, fixed : see `LinearProgram`; `cutoff` and `bound` are lengths in the unit of the state.
    """
    radii, unit = state.radii, state.unit
    growth = float(np.sqrt(1.0 + most))
    step = bound if np.isfinite(bound) else 0.0
    # with a cutoff it alone decides, as in the public package
    meet = (0.0, 0.0) if cutoff > 0.0 else (growth, step)
    first, second, vectors = near_pairs(state, cutoff=cutoff, growth=meet[0], step=meet[1], own=state.periodic.any)
    reach = radii[first] + radii[second]
    square = (vectors * vectors).sum(axis=1)
    # (r - σ)(r + σ) keeps the digits of a gap that r² - σ² loses
    distance = np.sqrt(square)
    slack = (distance - reach) * (distance + reach) / (2.0 * reach)
    direction, inflation = vectors / reach[:, None], 0.5 * reach
    if state.periodic.walls:
        rows = [(first, second, direction, inflation, slack), *_wall_rows(state, cutoff, growth, step)]
        first, second, direction, inflation, slack = (np.concatenate(part) for part in zip(*rows, strict=True))
    return LinearProgram(
        first, second, np.ascontiguousarray(direction), inflation / unit, slack / unit,
        bound / unit, most, fixed, state.positions / unit,
    )  # fmt: skip


def _wall_rows(
    state: DenseState, cutoff: float, growth: float, step: float
) -> list[tuple[Ints, Ints, Floats, Floats, Floats]]:
    """For each wall the rows of the discs near it: first, second, direction, inflation and slack."""
    rows = []
    for wall, axis, inwards, distance in walls(state):
        near = (2.0 * distance <= cutoff) | (distance - step < growth * state.radii)
        discs = np.flatnonzero(near).astype(np.int32)
        x, radius = distance[near], state.radii[near]
        direction = np.zeros((len(discs), len(state.box)))
        direction[:, axis] = inwards * x / radius  # from the wall to the disc, as r is for i
        second = np.full(len(discs), wall, np.int32)
        rows.append((discs, second, direction, 0.5 * radius, (x - radius) * (x + radius) / (2.0 * radius)))
    return rows
