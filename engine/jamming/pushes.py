"""Leaving states in which forces balance although the discs are not held.

Forces can balance on discs that still move at no cost: the rows and columns of a square lattice in a periodic box slide
along each other, and to first order no contact changes its length. Contacts that bear forces hold their discs if the
rank of their rigidity matrix is the number of degrees of freedom of these discs, in a periodic box without the two or
three common translations (Connelly 1982; Donev, Torquato, Stillinger and Connelly, J. Comput. Phys. 197, 139 (2004)).
Where it is not, discs may move: distances only grow to second order, so that what is possible to first order is
possible.

A *push* finds such a motion as that reference does, by one more linear program: a small random load on every disc with
forces, and no growth. Loads that contacts bear move nothing by more than their gaps; anything that is free goes as far
as the bound or other discs allow. So a push moves the discs along what costs nothing, or shows that there is no such
motion.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.geometry.cells import usual_radius
from engine.geometry.neighbours import DenseState
from engine.jamming.linear_program import LinearProgram, Solution, Solver, build_program

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
    fixed : a disc that stays where it is in a periodic box, -1 between walls.
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
    room = state._replace(radii=state.radii * (1.0 - _ROOM))
    bound = _BOUND * usual_radius(state.radii)
    program = build_program(room, cutoff=0.0, bound=bound, most=_ROOM, fixed=fixed)
    for sign in (1.0, -1.0):  # for motions that are free in one direction only
        for load in _LOADS:
            program = replace(program, gain=loads * (sign * load / max(len(program.first), 1)))
            solution = solver.solve(program, stop)
            if not solution.usable or solution.growth > 0.5 * _ROOM:
                break
        if not solution.usable:
            break
        if (np.abs(solution.displacements[bearing]) > FAR).any():
            return program, solution, True
    return program, solution, False
