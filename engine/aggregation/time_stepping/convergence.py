"""How the minimisations went, read off the arrays of the time-stepping method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping.arrays import Stepping


@dataclass(frozen=True)
class Convergence:
    """How the minimisations of the last steps went, oldest first; arrays (K,), K <= 256.

    time : end of the step; iterations : most that one group took; residual : largest max |φ| / s at the end of a group;
    not_converged : groups whose contacts had to be projected, or whose flight was undone; links : new links;
    rounds : how often the motion made new contacts, plus one; place : (K, 2) a disc of the group that took most
    iterations.
    """

    time: NDArray[np.float64]
    iterations: NDArray[np.int64]
    residual: NDArray[np.float64]
    not_converged: NDArray[np.int64]
    links: NDArray[np.int64]
    rounds: NDArray[np.int64]
    place: NDArray[np.float64]


def convergence(st: Stepping) -> Convergence:
    """The last steps, as far as they are kept."""
    steps = int(st.si[ts.STEPS])
    rows = np.arange(max(0, steps - ts.CONVERGENCE_KEPT), steps) % ts.CONVERGENCE_KEPT
    kept = st.conv[rows]
    whole = kept[:, [1, 3, 4, 5]].astype(np.int64)
    return Convergence(kept[:, 0], whole[:, 0], kept[:, 2], whole[:, 1], whole[:, 2], whole[:, 3], kept[:, 6:8])
