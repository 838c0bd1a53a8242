"""What the linear program of an iteration does not see, since the conditions of its rows are of first order.

**The gain of second order** (`second_order_gain`). Discs i and j that move by s_i and s_j end up farther apart than the
linear condition of their row says: it leaves out |s_i - s_j|² of |r|², so that their row has |s_i - s_j|² / 2σ more
slack in the next iteration. With the dual variables λ this adds

    Σ λ |s_i - s_j|² / 2σ

to the growth of that iteration. Without this term a chain goes along the soft directions of a nearly jammed state in
many small steps (successive displacements have a cosine near 0.6), and the more discs the more steps. The sum is
convex, so that it cannot be maximised by a linear program, but its tangent at the displacements s' of this iteration,

    Σ λ (s'_i - s'_j)·(s_i - s_j) / σ = Σ a_i·s_i,

is never above it (the concave-convex procedure of Yuille and Rangarajan, Neural Comput. 15, 915 (2003)). The tangent is
added to the objective of the next iteration while discs still move far.

**Discs in straight lines** (`discs_in_lines`, `moved_across`) carry a force but are not held across the line. If all
force-carrying contacts of a disc lie along one line (or, for spheres, in one plane), these forces balance, and to first
order nothing is gained by moving the disc across the line: the chain of linear programs stops there. To second order
such a move makes space. Crystals of equal discs are full of such lines, and forces only balance if the discs in them
count. A disc moves until it touches something, which then holds it, or so far that the next iteration has something to
gain to first order.

**Discs that are not held at all** (`push`). Forces can balance on discs that still move at no cost: the rows and
columns of a square lattice in a periodic box slide along each other, and to first order no contact changes its length.
Contacts that bear forces hold their discs if the rank of their rigidity matrix is the number of degrees of freedom of
these discs, without the common translations along periodic axes (Connelly 1982; Donev, Torquato, Stillinger
and Connelly, J. Comput. Phys. 197, 139 (2004)). Where it is not, discs may move: distances only grow to second order,
so that what is possible to first order is possible. A *push* finds such a motion as that reference does, by one more
linear program: a small random load on every disc with forces, and no growth. Loads that contacts bear move nothing by
more than their gaps; anything that is free goes as far as the bound or other discs allow. So a push moves the discs
along what costs nothing, or shows that there is no such motion.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.geometry.cells import usual_radius
from engine.geometry.neighbours import DenseState, near_pairs, widest_growth
from engine.jamming.checks import wrapped
from engine.jamming.linear_program import LinearProgram, Solution, Solver, build_program, sums_on_discs, without_slide
from engine.jamming.packing import NO_FORCE


def second_order_gain(program: LinearProgram, solution: Solution) -> Floats:
    """The coefficients a of all discs for the next iteration, from the dual variables and displacements of this one.

    Contacts with walls add nothing: discs that slide along a wall stay as near to it.

    Returns
    -------
    (N, d), the `gain` of the next linear program.
    """
    pairs = np.flatnonzero((program.second >= 0) & (solution.duals > 0.0))
    first, second = program.first[pairs], program.second[pairs]
    apart = solution.displacements[first] - solution.displacements[second]
    apart *= (solution.duals[pairs] / (2.0 * program.inflation[pairs]))[:, None]  # σ = 2 b
    return sums_on_discs(first, second, apart, len(program.places))


_FARTHEST = 0.1  # largest move of a disc in radii
_STRAIGHT = 1e-2  # radians: lines bent by less count as straight
_ROUNDING = 1e-15  # of the largest radius: tolerated overlap, which the next iteration removes by reducing the radii


def discs_in_lines(program: LinearProgram, solution: Solution) -> dict[int, Floats]:
    """The discs that carry a force and that no contact holds along one direction.

    Returns
    -------
    For each such disc, which has forces on at most d contacts, the unit vector (d,) perpendicular to all of these, on
    the side to which they push.
    """
    count, dimensions = program.shape
    duals = solution.duals
    if not len(duals) or duals.max() <= 0.0:
        return {}
    held = (duals > NO_FORCE * duals.max()) & (program.first != program.second)  # own images hold nothing
    first, second, forces = program.first[held], program.second[held], duals[held, None] * program.direction[held]
    number = np.bincount(first, minlength=count) + np.bincount(second[second >= 0], minlength=count)
    found = {}
    for disc in np.flatnonzero((number > 0) & (number <= dimensions)):
        own = (first == disc) | (second == disc)
        pushes = np.where(first[own] == disc, 1.0, -1.0)[:, None] * forces[own]
        _, sizes, axes = np.linalg.svd(pushes)
        if len(sizes) < dimensions or sizes[-1] < _STRAIGHT * sizes[0]:
            found[int(disc)] = axes[-1] * (1.0 if pushes.sum(axis=0) @ axes[-1] >= 0.0 else -1.0)
    return found


def moved_across(lines: dict[int, Floats], state: DenseState) -> Floats:
    """The positions (N, d) with the discs of `lines` (see `discs_in_lines`) moved across them, one after the other.

    Nothing overlaps by more than it did.
    """
    allowed = min(widest_growth(state)[1], 0.0) - _ROUNDING * float(state.radii.max())
    for disc, side in lines.items():
        moved = state.positions.copy()
        moved[disc] += _room(disc, side, state) * side
        now = replace(state, positions=wrapped(moved, state.box, state.periodic))
        if widest_growth(now)[1] >= allowed:
            state = now
    return state.positions


def _room(disc: int, side: Floats, state: DenseState) -> float:
    """How far a disc can move in the direction `side` until it touches one that it does not touch yet, or a wall."""
    positions, radii, box, walls = state.positions, state.radii, state.box, list(state.periodic.walls)
    room = _FARTHEST * float(radii[disc])
    first, second, vectors = near_pairs(state, cutoff=0.0, growth=1.0 + _FARTHEST, step=0.0)
    own = (first == disc) | (second == disc)
    away = np.where(first[own] == disc, 1.0, -1.0)[:, None] * vectors[own]
    reach = radii[first[own]] + radii[second[own]]
    distance = np.linalg.norm(away, axis=1)
    toward = -(away @ side)
    beside = (distance - reach) * (distance + reach)
    in_the_way = (toward > 0.0) & (toward**2 > beside) & (beside > 1e-12 * reach**2)
    toward, beside = toward[in_the_way], beside[in_the_way]
    # the smaller root t of |away + t side|² = reach², written without a difference of nearly equal numbers
    room = min(room, float((beside / (toward + np.sqrt(toward**2 - beside))).min(initial=np.inf)))
    for x, speed in ((positions[disc] - radii[disc], -side), (box - positions[disc] - radii[disc], side)):
        x, speed = x[walls], speed[walls]
        hits = (speed > 0.0) & (x > 1e-12 * radii[disc])
        if hits.any():
            room = min(room, float((x[hits] / speed[hits]).min()))
    return room * (1.0 - 1e-9)


FAR = 1e-4  # mean diameters: discs that a push moves farther were not held

_BOUND = 0.1  # of the usual radius: as far as a push moves a disc along an axis
# all radii are smaller by so much in its linear program, and may grow by half of that: a little room, without which no
# point is inside and the growth, which must not count, is at its limit only but for rounding
_ROOM = 1e-9
_LOADS = (1e-3, 1e-4, 1e-5, 1e-6)  # of the forces: where contacts cannot bear one discs shrink, and the next follows


def push(
    state: DenseState, bearing: NDArray[np.bool_], fixed: int, number: int, solver: Solver, stop: Callable[[], bool]
) -> tuple[LinearProgram, Solution, bool]:
    """Find a motion that costs nothing. The same arguments give the same one, bit for bit.

    Parameters
    ----------
    bearing : (N,), the discs on which there are forces, the fixed one included.
    fixed : a disc that stays where it is in a box without walls, -1 with some.
    number : of the iteration, from which the random loads follow.
    stop : returns True if the solver is to give up.

    Returns
    -------
    The linear program, its solution, and whether this moves discs of `bearing`.
    """
    rng = np.random.default_rng([number, len(state.radii)])
    # of both signs and none near 0, which a solver would take for no load
    loads = rng.choice([-1.0, 1.0], state.positions.shape) * rng.uniform(0.5, 1.0, state.positions.shape)
    loads *= bearing[:, None]  # or a rattler could push one back
    if state.periodic.mixed:  # with no disc fixed, nothing may push all of them along a periodic axis
        loads[bearing] -= np.where(state.periodic, loads[bearing].mean(axis=0), 0.0)
    room = replace(state, radii=state.radii * (1.0 - _ROOM))
    bound = _BOUND * usual_radius(state.radii)
    program = build_program(room, cutoff=0.0, bound=bound, most=_ROOM, fixed=fixed)
    for sign in (1.0, -1.0):  # for motions that are free in one direction only
        for load in _LOADS:
            program = replace(program, gain=loads * (sign * load / max(len(program.first), 1)))
            solution = without_slide(solver.solve(program, stop), state.periodic)
            if not solution.usable or solution.growth > 0.5 * _ROOM:
                break
        if not solution.usable:
            break
        if (np.abs(solution.displacements[bearing]) > FAR).any():
            return program, solution, True
    return program, solution, False
