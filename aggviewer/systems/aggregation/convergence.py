"""How the minimisations of the last time steps went, as text and as numbers to be drawn. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LAST = 20  # steps that say whether it converges now
_STRUGGLES = 5  # of them that did not converge

LONGEST_SUMMARY = "Not converging: 20 of the last 20 steps. Smaller α, β, γ or a smaller step help."
"""As long as a sentence of `Steps.summary` can be, for the room that it needs."""


@dataclass(frozen=True)
class Steps:
    """The last steps of a run, oldest first; arrays (K,).

    time : end of the step; iterations : most that one group took, 0 where nothing met; residual : over the tolerance;
    failed : groups that did not converge; links : new links; place : (K, 2) where most iterations were taken.
    """

    time: NDArray[np.float64]
    iterations: NDArray[np.int64]
    residual: NDArray[np.float64]
    failed: NDArray[np.int64]
    links: NDArray[np.int64]
    place: NDArray[np.float64]

    @staticmethod
    def of(convergence: Any, tolerance: float) -> Steps | None:
        """From the engine's Convergence; None where no step has been made."""
        if convergence is None or len(convergence.time) == 0:
            return None
        return Steps(
            np.asarray(convergence.time, np.float64),
            np.asarray(convergence.iterations, np.int64),
            np.asarray(convergence.residual, np.float64) / tolerance,
            np.asarray(convergence.not_converged, np.int64),
            np.asarray(convergence.links, np.int64),
            np.asarray(convergence.place, np.float64),
        )

    @property
    def ago(self) -> NDArray[np.float64]:
        """Number of each step, 0 for the last one, negative before."""
        return np.arange(1 - len(self.time), 1, dtype=np.float64)

    @property
    def struggling(self) -> bool:
        """Whether the last steps do not converge."""
        return bool(np.count_nonzero(self.failed[-_LAST:]) >= _STRUGGLES)

    def worst(self) -> int | None:
        """The step among the last ones that was hardest: one that failed before one that took many iterations; None
        where nothing met."""
        first = max(0, len(self.time) - _LAST)
        order = np.lexsort((self.iterations[first:], self.failed[first:] > 0))
        worst = first + int(order[-1])
        return worst if self.iterations[worst] > 0 or self.failed[worst] > 0 else None

    def summary(self) -> str:
        """A sentence on how it goes."""
        if self.struggling:
            bad = np.count_nonzero(self.failed[-_LAST:])
            return (
                f"Not converging: {bad} of the last {min(_LAST, len(self.time))} steps. "
                "Smaller α, β, γ or a smaller step help."
            )
        met = np.flatnonzero(self.iterations)
        last = int(self.iterations[met[-1]]) if len(met) else 0
        bad = np.count_nonzero(self.failed)
        return f"{last} iteration{'' if last == 1 else 's'}, {bad} of last {len(self.time)} steps not converged"

    def describe(self, index: int) -> str:
        """One step in words."""
        iterations = self.iterations[index]
        text = (
            f"t = {self.time[index]:.4g}: {iterations} iteration{'' if iterations == 1 else 's'}, "
            f"residual {self.residual[index]:.2g} of the tolerance"
        )
        if self.failed[index]:
            count = self.failed[index]
            text += f"<br>{count} group{'' if count == 1 else 's'} not converged: click to see where"
        return text
