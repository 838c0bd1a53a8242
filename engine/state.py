"""The state that a simulation starts from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass
class InitialState:
    """Discs before the first event.

    positions : (N, 2) float64, inside the box; velocities : (N, 2) float64; radii, masses : (N,) float64, > 0;
    cluster : (N,) int32, discs with the same number are already joined (``arange(N)`` for loose discs);
    box : (2,) float64, side lengths L_x, L_y; periodic : wrap around instead of walls.
    """

    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    radii: NDArray[np.float64]
    masses: NDArray[np.float64]
    cluster: NDArray[np.int32]
    box: NDArray[np.float64]
    periodic: bool
