"""Fine tuning of contacts and forces of a final state, without motion.

The dual variables of the last linear program balance only to the solver's tolerance and may belong to contacts that are
not quite closed, and those of a vertex may be zero on contacts that could carry a force. So up to four sets of forces
are compared:

1. those dual variables;
2. the same contacts with forces balanced at the final places;
3. the forces of one more linear program on closed contacts alone, without a bound, by the interior-point method, which
   finds the middle of all possible forces;
4. for few contacts, where a crystal leaves none of these in balance, the least squares of all forces that push.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np

from engine.geometry.neighbours import DenseState, Floats, Ints
from engine.jamming.finish import balanced, closed_contacts, pushing_forces, without_open
from engine.jamming.interior_point.solver import InteriorPointSolver
from engine.jamming.linear_program import build_program
from engine.jamming.network import NO_FORCE, StableNetwork, network_of, rattlers

FINE = 1e-10  # of the mean force: what a packing's forces balance to
_FEW = 400  # most contacts for least squares, which take seconds for more


def in_balance(
    network: StableNetwork, state: DenseState, *, near: float, fixed: int, middle: bool, stop: Callable[[], bool]
) -> StableNetwork:
    """The contacts of `network` with a gap of at most `near`, or all that are closed, and their forces.

    The last set of forces that balances to `FINE` is chosen, else the one that balances best.

    Parameters
    ----------
    near : the greatest gap of discs in contact, a length.
    fixed : a disc whose forces follow from the others, -1 between walls.
    middle : whether every closed contact that can carry a force should have one.
    stop : returns True if there is no time for another linear program.
    """
    own = without_open(network, state.radii, near)
    # at the final places, and without the contacts of discs that count as rattlers
    own = StableNetwork.with_forces(own.first, own.second, own.vectors, own.forces, own.rattlers)
    found = [own, balanced(own, fixed)]
    closed = closed_contacts(state, near)
    lacks = len(found[-1].first) == 0 or (middle and len(found[-1].first) < len(closed[0]))
    if lacks or found[-1].force_mismatch() > FINE:
        found.append(_from_closed(own, state, near, fixed, stop))
        if 0 < len(closed[0]) <= _FEW and found[-1].force_mismatch() > FINE:
            found.append(_pushing(*closed, len(state.radii), fixed))
    usable = [one for one in found if len(one.first)]
    fine = [one for one in usable if one.force_mismatch() <= FINE]
    if fine:
        return fine[-1]
    return min(usable, key=StableNetwork.force_mismatch, default=own)


def _from_closed(
    before: StableNetwork, state: DenseState, near: float, fixed: int, stop: Callable[[], bool]
) -> StableNetwork:
    """Forces from a linear program on contacts that are closed, or `before` where it finds none."""
    most = 2.0 * near / float(state.radii.min())
    program = build_program(state, cutoff=0.0, bound=0.0, most=most, fixed=fixed)
    touching = program.slack * state.unit <= near
    if not touching.any():
        return before
    closed = replace(
        program,
        first=program.first[touching],
        second=program.second[touching],
        direction=program.direction[touching],
        inflation=program.inflation[touching],
        slack=np.zeros(int(touching.sum())),
        bound=inf,
        most=1.0,
    )
    solution = InteriorPointSolver().solve(closed, stop)
    if not solution.usable:
        return before
    still = replace(solution, displacements=np.zeros_like(solution.displacements))
    return balanced(network_of(closed, still, state.unit, closed=True), fixed)


def _pushing(first: Ints, second: Ints, vectors: Floats, count: int, fixed: int) -> StableNetwork:
    """Forces of least squares on closed contacts. A disc that some of them hold without a force is no rattler."""
    forces = pushing_forces(first, second, vectors, count, fixed)
    rattling = rattlers(first, second, count, vectors.shape[1])
    held = forces > NO_FORCE * forces.max()
    first, second, vectors, forces = first[held], second[held], vectors[held], forces[held]
    if len(forces) == 0:
        return StableNetwork.empty(count, vectors.shape[1])
    return StableNetwork.with_forces(first, second, vectors, forces / forces.mean(), rattling)
