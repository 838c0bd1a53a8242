"""Setting links to contact one after the other: what a group gets that does not converge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.time_stepping.group_arrays import (
    DX,
    DY,
    MOBILITY,
    SIGMA2,
    X_HIGH,
    X_LOW,
    Y_HIGH,
    Y_LOW,
    gap,
)
from engine.kernels import inner

PULL, SWEEPS_PULLING, MAX_SWEEPS = 0.5, 200, 3000  # gaps are closed by a share that fades out


@inner
def project(
    body: NDArray[np.float64],
    lf: NDArray[np.float64],
    li: NDArray[np.int32],
    wake: NDArray[np.int32],
    count: int,
    tolerance: float,
    pull_share: float,
) -> tuple[float, float, int]:
    """One sweep that sets link after link to contact: overlaps at once, gaps by the share `pull_share`.

    Returns the largest overlap and the largest |φ| met, and the bodies to wake.
    """
    deepest = 0.0
    worst = 0.0
    wakes = 0
    for k in range(count):
        a, b, dx, dy, phi = gap(body, lf, li, k)
        square = dx * dx + dy * dy
        worst = max(worst, abs(phi))
        deepest = max(deepest, phi)
        share = 1.0 if phi > 0.0 else pull_share
        if share == 0.0 or abs(phi) <= 0.25 * tolerance:
            continue
        wa = body[a, MOBILITY]
        wb = body[b, MOBILITY]
        if abs(phi) > tolerance:
            if wa == 0.0:
                wake[wakes] = a
                wakes += 1
            if wb == 0.0:
                wake[wakes] = b
                wakes += 1
        if wa + wb == 0.0:
            continue
        sigma = np.sqrt(lf[k, SIGMA2])
        if square > 1e-24 * lf[k, SIGMA2]:
            share *= (sigma / np.sqrt(square) - 1.0) / (wa + wb)
            mx = dx * share
            my = dy * share
        else:  # one on the other, no direction: any will do, the same one each time
            mx = sigma / (wa + wb)
            my = 0.0
        body[a, DX] = min(max(body[a, DX] + wa * mx, body[a, X_LOW]), body[a, X_HIGH])
        body[a, DY] = min(max(body[a, DY] + wa * my, body[a, Y_LOW]), body[a, Y_HIGH])
        body[b, DX] = min(max(body[b, DX] - wb * mx, body[b, X_LOW]), body[b, X_HIGH])
        body[b, DY] = min(max(body[b, DY] - wb * my, body[b, Y_LOW]), body[b, Y_HIGH])
    return deepest, worst, wakes
