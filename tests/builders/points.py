"""Points for tests of measures that look only at places."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def nested(numbers: list[int], dimensions: int, side: float) -> Array:
    """Points of which boxes of side L/2, L/4, … hold so many, spread as evenly as possible."""
    cells = np.zeros((1, dimensions), np.int64)
    for number in numbers:
        parts = np.stack(np.meshgrid(*[[0, 1]] * dimensions, indexing="ij"), axis=-1).reshape(-1, dimensions)
        each = np.diff(np.linspace(0, number, len(cells) + 1).round().astype(int))
        cells = np.concatenate([2 * cell + parts[:n] for cell, n in zip(cells, each, strict=True)])
    return (cells + 0.5) * side / 2 ** len(numbers)
