"""The arrays of a group of bodies under minimisation, what their columns mean, and the coefficients in them.

`body` (K, 12) float64, `lf` (L, 6) float64, `li` (L, 3) int32, `wake` (K,) int32: frozen bodies to wake, `gi` int64 and
`gf` float64: control.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined

# body: displacement now and one iteration ago, force, mobility (0: frozen), least and greatest displacement, and
# the most it may move in one iteration
DX, DY, OX, OY, GX, GY, MOBILITY, X_LOW, X_HIGH, Y_LOW, Y_HIGH, STRIDE = range(12)
BODY_COLUMNS = 12

# lf: vector between the discs at zero displacement, multiplier, σ², 1 / s, φ / s
BASE_X, BASE_Y, LAMBDA, SIGMA2, PER_S, PHI = range(6)
LINK_COLUMNS = 6
# li: bodies, and a number that the caller is free to use
BODY_A, BODY_B, TAG = range(3)

# gi
BODIES, LINKS, MODE, ITERATIONS, RESTARTS, SINCE_BEST, WAKES, MAX_ITERATIONS, DAMPED, ADAPTIVE, SWEEPS = range(11)
GI_LENGTH = 16
# gf
ALPHA, BETA, GAMMA, FRICTION, TOLERANCE, SCALE, BEST, RESIDUAL, START, BEST_MERIT, SPEED = range(11)
GF_LENGTH = 12

# MODE, and what `iterate` returns
FLOW, PROJECT = 0, 1
GOES_ON, CONVERGED, NOT_CONVERGED = 0, 1, 2

STRIDE_RADII = 0.2


@dataclass(frozen=True)
class Coefficients:
    """α, β, γ, c of the scheme, all in units of the radius, and when it ends; see `[aggregation.damping]`."""

    alpha: float = 0.1
    beta: float = 0.05
    gamma: float = 0.1
    c: float = 0.6
    damped: bool = True
    adaptive: bool = True
    tolerance: float = 1e-3
    max_iterations: int = 5000

    def write(self, gi: NDArray[np.int64], gf: NDArray[np.float64]) -> None:
        """Put them into the control arrays of a group."""
        gi[MAX_ITERATIONS], gi[DAMPED], gi[ADAPTIVE] = self.max_iterations, self.damped, self.adaptive
        gf[ALPHA], gf[BETA], gf[GAMMA], gf[FRICTION] = self.alpha, self.beta, self.gamma, self.c
        gf[TOLERANCE] = self.tolerance


@inlined
def gap(
    body: NDArray[np.float64], lf: NDArray[np.float64], li: NDArray[np.int32], k: int
) -> tuple[int, int, float, float, float]:
    """Bodies of link k, the vector between its discs and φ / s, which is noted in `lf`."""
    a = li[k, BODY_A]
    b = li[k, BODY_B]
    dx = lf[k, BASE_X] + body[a, DX] - body[b, DX]
    dy = lf[k, BASE_Y] + body[a, DY] - body[b, DY]
    phi = (lf[k, SIGMA2] - dx * dx - dy * dy) * lf[k, PER_S]
    lf[k, PHI] = phi
    return a, b, dx, dy, phi
