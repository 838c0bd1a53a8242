"""An interior-point method of our own for the linear programs of the chain, faster than HiGHS in 2 and 3 dimensions.

`search` solves a linear program; while discs move far, `curved` continues from there with the distances themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.jamming.interior_point.curved import CurvedSearch
from engine.jamming.interior_point.search import Search
from engine.jamming.linear_program import LinearProgram, Solution, nothing_found


class InteriorPointSolver:
    """Keeps nothing between linear programs: the order of the unknowns is found again for each, in less time than one
    of its some twenty factorisations takes."""

    name = "interior-point"

    def solve(self, program: LinearProgram, stop: Callable[[], bool], *, loose: bool = False) -> Solution:
        """Solve for the best point; where several are best, for the middle of them, not a vertex.

        loose : a good point of the program whose rows hold for the distances of the moved discs (see `curved`), which
            for most starts grows much farther.
        """
        began = time.perf_counter()
        search = (CurvedSearch if loose else Search)(program)
        status = search.run(stop)
        seconds = time.perf_counter() - began
        if status not in ("optimal", "stopped early"):
            return nothing_found(program, status, seconds)
        return search.solution(status, seconds)
