"""What displacements are worth beside growth: the room that they leave for the next program.

Discs i and j that move by s_i and s_j end up farther apart than the linear condition of their row says: |s_i - s_j|²
of |r|² is not counted in it, and its slack in the next program is |s_i - s_j|² / 2σ more. With duals λ that is worth

    Σ λ |s_i - s_j|² / 2σ

in the growth of that program. Without it a chain moves along the soft directions of a state that is nearly jammed one
small piece after the other (successive displacements have a cosine near 0.6), the more pieces the more discs. The sum
is convex, so a linear program cannot hold it, but its tangent at the displacements s' of the last program,

    Σ λ (s'_i - s'_j)·(s_i - s_j) / σ = Σ a_i·s_i,

is never above it (the concave-convex procedure of Yuille and Rangarajan, Neural Comput. 15, 915 (2003)). It is added to
the objective while discs still move far.
"""

from __future__ import annotations

import numpy as np

from engine.jamming.linear_program import Program, Solution
from engine.jamming.neighbours import Floats


def worth_ahead(program: Program, solution: Solution) -> Floats:
    """a of every disc, (N, d), for the next program, from the duals and displacements of this one. Contacts with walls
    have none: discs that slide along a wall stay as near to it.
    """
    pairs = np.flatnonzero((program.second >= 0) & (solution.duals > 0.0))
    first, second = program.first[pairs], program.second[pairs]
    apart = solution.displacements[first] - solution.displacements[second]
    apart *= (solution.duals[pairs] / (2.0 * program.inflation[pairs]))[:, None]  # σ = 2 b
    total = np.zeros(program.shape)
    np.add.at(total, first, apart)
    np.add.at(total, second, -apart)
    return total
