"""The solvers by name. The modules that a solver needs are imported when it is made, not with the package."""

from __future__ import annotations

from engine.jamming.linear_program import Solver


def make_solver(name: str) -> Solver:
    """A new solver: "highs" or "interior-point"."""
    if name == "highs":
        from engine.jamming.highs import HighsSolver

        return HighsSolver()
    from engine.jamming.interior_point.solver import InteriorPointSolver

    return InteriorPointSolver()
