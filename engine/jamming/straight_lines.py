"""Discs in straight lines, which carry a force but are not held across the line: moving them sideways.

If all force-carrying contacts of a disc lie along one line (or, for spheres, in one plane), these forces balance, and
to first order nothing is gained by moving the disc across the line: the chain of linear programs stops there. To second
order such a move makes space. Crystals of equal discs are full of such lines, and forces only balance if the discs in
them count. A disc moves until it touches something, which then holds it, or so far that the next iteration has
something to gain to first order.
"""

from __future__ import annotations

import numpy as np

from engine.geometry.neighbours import DenseState, Floats, near_pairs, widest_growth
from engine.jamming.checks import wrapped
from engine.jamming.linear_program import LinearProgram, Solution
from engine.jamming.network import NO_FORCE

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
        if state.periodic:
            moved = wrapped(moved, state.box)
        if widest_growth(state._replace(positions=moved))[1] >= allowed:
            state = state._replace(positions=moved)
    return state.positions


def _room(disc: int, side: Floats, state: DenseState) -> float:
    """How far a disc can move in the direction `side` until it touches one that it does not touch yet, or a wall."""
    positions, radii, box, periodic = state
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
    if not periodic:
        for x, speed in ((positions[disc] - radii[disc], -side), (box - positions[disc] - radii[disc], side)):
            hits = (speed > 0.0) & (x > 1e-12 * radii[disc])
            if hits.any():
                room = min(room, float((x[hits] / speed[hits]).min()))
    return room * (1.0 - 1e-9)
