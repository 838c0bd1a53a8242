"""Second-order term of the distance: the gain that this iteration leaves for the next one.

Discs i and j that move by s_i and s_j end up farther apart than the linear condition of their row says: it leaves out
|s_i - s_j|² of |r|², so that their row has |s_i - s_j|² / 2σ more slack in the next iteration. With the dual variables
λ this adds

    Σ λ |s_i - s_j|² / 2σ

to the growth of that iteration. Without this term a chain goes along the soft directions of a nearly jammed state in
many small steps (successive displacements have a cosine near 0.6), and the more discs the more steps. The sum is
convex, so that it cannot be maximised by a linear program, but its tangent at the displacements s' of this iteration,

    Σ λ (s'_i - s'_j)·(s_i - s_j) / σ = Σ a_i·s_i,

is never above it (the concave-convex procedure of Yuille and Rangarajan, Neural Comput. 15, 915 (2003)). The tangent is
added to the objective of the next iteration while discs still move far.
"""

from __future__ import annotations

import numpy as np

from engine.geometry.neighbours import Floats
from engine.jamming.linear_program import LinearProgram, Solution, sums_on_discs


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
