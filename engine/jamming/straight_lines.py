"""Discs in a straight line: they carry a force, nothing holds them across the line, and they are moved across it.

Where all contacts with a force of a disc lie along one line (or, for spheres, in one plane), these forces balance, and
to first order nothing is gained by moving the disc across the line: the chain of linear programs rests there. To second
order such a move makes room. Crystals of equal discs are full of such lines, and without the discs in them no set of
contacts would balance. A disc moves until it touches something, which then holds it, or far enough for the next
iteration to see what there is to gain.
"""

from __future__ import annotations

import numpy as np

from engine.jamming.checks import wrapped
from engine.jamming.linear_program import LinearProgram, Solution
from engine.jamming.neighbours import Floats, near_pairs, widest_growth
from engine.jamming.network import NO_FORCE

_FARTHEST = 0.1  # radii
_STRAIGHT = 1e-2  # radians: lines that are bent by less
_ROUNDING = 1e-15  # of the largest radius: radii give way


def discs_in_lines(program: LinearProgram, solution: Solution) -> dict[int, Floats]:
    """The discs that carry a force and that no contact holds along one direction.

    Returns
    -------
    For each such disc, with a force on at most d contacts, the direction (d,) that all of these are perpendicular to,
    to the side to which they push.
    """
    count, dimensions = program.shape
    duals = solution.duals
    if not len(duals) or duals.max() <= 0.0:
        return {}
    held = duals > NO_FORCE * duals.max()
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


def moved_across(lines: dict[int, Floats], positions: Floats, radii: Floats, box: Floats, periodic: bool) -> Floats:
    """The positions (N, d) with the discs of `lines` (see `discs_in_lines`) moved across them, one after the other.

    Nothing overlaps by more than it did.
    """
    allowed = min(widest_growth(positions, radii, box, periodic)[1], 0.0) - _ROUNDING * float(radii.max())
    for disc, side in lines.items():
        moved = positions.copy()
        moved[disc] += _room(disc, side, positions, radii, box, periodic) * side
        if periodic:
            moved = wrapped(moved, box)
        if widest_growth(moved, radii, box, periodic)[1] >= allowed:
            positions = moved
    return positions


def _room(disc: int, side: Floats, positions: Floats, radii: Floats, box: Floats, periodic: bool) -> float:
    """How far a disc can move in the direction `side` until it touches one that it does not touch yet, or a wall."""
    room = _FARTHEST * float(radii[disc])
    first, second, vectors = near_pairs(positions, radii, box, periodic, cutoff=0.0, growth=1.0 + _FARTHEST, step=0.0)
    own = (first == disc) | (second == disc)
    away = np.where(first[own] == disc, 1.0, -1.0)[:, None] * vectors[own]
    reach = radii[first[own]] + radii[second[own]]
    distance = np.linalg.norm(away, axis=1)
    toward = -(away @ side)
    beside = (distance - reach) * (distance + reach)
    in_the_way = (toward > 0.0) & (toward**2 > beside) & (beside > 1e-12 * reach**2)
    toward, beside = toward[in_the_way], beside[in_the_way]
    # the nearer root of |away + t side|² = reach², without the difference of near numbers
    room = min(room, float((beside / (toward + np.sqrt(toward**2 - beside))).min(initial=np.inf)))
    if not periodic:
        for x, speed in ((positions[disc] - radii[disc], -side), (box - positions[disc] - radii[disc], side)):
            hits = (speed > 0.0) & (x > 1e-12 * radii[disc])
            if hits.any():
                room = min(room, float((x[hits] / speed[hits]).min()))
    return room * (1.0 - 1e-9)
