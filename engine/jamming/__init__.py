"""Jamming: discs or spheres grow and push each other aside until none can grow, by a chain of linear programs.

`jam` runs to the end; `JammingRun` makes one iteration at a time. See docs/jamming.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from engine.boundary import Periodic

if TYPE_CHECKING:
    from engine.jamming.packing import Iteration as Iteration
    from engine.jamming.packing import Packing as Packing
    from engine.jamming.run import JammingRun as JammingRun

__all__ = ["Iteration", "JammingRun", "Packing", "jam"]


def jam(
    positions: ArrayLike,
    radii: ArrayLike,
    box: ArrayLike,
    *,
    periodic: Periodic | bool = True,
    rules: str = "trust-region",
    solver: str = "interior-point",
    callback: Callable[[Iteration], Any] | None = None,
    **tolerances: Any,
) -> Packing:
    """Jam hard discs (d = 2) or spheres (d = 3).

    Each iteration finds the greatest Γ and displacements s with ``|r|² + 2 r·(s_i - s_j) >= Γ (R_i + R_j)²`` for all
    pairs that can meet, r = X_i - X_j, and |s_i,μ| <= s_b; then X_i += s_i, R_i *= √Γ. Nothing overlaps on the way. The
    run ends when √Γ - 1 and max |s_i,μ| over discs that are not rattlers are below their tolerances and forces balance.
    Forces and contacts are the dual variables of the last linear program.

    Parameters
    ----------
    positions : (N, d), N >= 2, or 1 between walls; along periodic axes wrapped into the box, else inside it.
    radii : (N,), > 0, equal or not.
    box : (d,), > 0, its sides; it begins at 0.
    periodic : along which axes the box is periodic, with hard walls along the others.
    rules : "trust-region": the bound s_b follows the displacements; "calippso": cutoffs, bounds and tolerances of the
        public package.
    solver : "interior-point" (the project's own) or "highs".
    callback : called after every iteration with its `Iteration`; the run ends if it returns True.
    tolerances : `tolerance_inflation` for √Γ - 1 (1e-8; calippso 1e-12), `tolerance_displacement` for max |s_i,μ| in
        mean diameters (1e-8; calippso 1e-9), `max_iterations` (1000).

    Returns
    -------
    The packing. If the run ended early (`max_iterations` reached, ended by the callback, failed solver), `jammed` is
    False, `reason` says why, and the state is the last good one.

    Raises
    ------
    InputError : for bad input.
    """
    from engine.jamming.run import JammingRun

    run = JammingRun(positions, radii, box, periodic=periodic, rules=rules, solver=solver, **tolerances)
    while not run.reason:
        entry = run.step()
        if callback is not None and callback(entry) is True and not run.reason:
            run.reason = "ended by the callback"
    return run.packing()


def __getattr__(name: str) -> Any:
    if name == "JammingRun":
        from engine.jamming.run import JammingRun

        return JammingRun
    if name in ("Iteration", "Packing"):
        from engine.jamming import packing

        return getattr(packing, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
