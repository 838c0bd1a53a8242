"""What a simulation is given and keeps as it is: its discs and its box."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Given:
    """count : N; radii, masses : (N,), in the caller's order; box : (2,), sides; periodic : else with walls."""

    count: int
    radii: NDArray[np.float64]
    masses: NDArray[np.float64]
    box: NDArray[np.float64]
    periodic: bool

    def _adopt(
        self, radii: NDArray[np.float64], masses: NDArray[np.float64], box: NDArray[np.float64], periodic: bool
    ) -> None:
        self.count = len(radii)
        self.radii = radii
        self.masses = masses
        self.box = box
        self.periodic = periodic
