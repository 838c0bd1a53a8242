"""Steps to the nearest image in a periodic box, for arrays; kernels have `engine.geometry.minimum_image`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def nearest_image(vectors: Floats, box: Floats | float, periodic: bool) -> Floats:
    """Differences of positions, (..., 2), in a periodic box to the nearest image."""
    return vectors - box * np.rint(vectors / box) if periodic else vectors
