"""Discs of any state as a start for jamming: what touches may overlap a little, what is jammed must not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.jamming.neighbours import widest_growth

MOST = 0.01
"""Radii give way by this much at most. The links of time stepping are short by its tolerance, 1e-3 by default."""


def loosened(
    positions: NDArray[np.float64], radii: NDArray[np.float64], box: NDArray[np.float64], periodic: bool
) -> NDArray[np.float64]:
    """The radii (N,), all smaller in the same ratio where discs overlap. InputError where that is more than 1 %."""
    factor, _ = widest_growth(np.ascontiguousarray(positions), np.ascontiguousarray(radii), box, periodic)
    if factor < 1.0 - MOST:
        raise InputError(
            f"discs overlap by {1.0 - factor:.3g} of the sum of their radii, more than {MOST:g}: this state cannot be "
            "jammed"
        )
    return radii if factor >= 1.0 else radii * factor
