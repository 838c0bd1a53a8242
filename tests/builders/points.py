"""Points for tests of measures that look only at places."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
ROOT = float(np.sqrt(3.0))

LATTICES = {  # box in diameters, centres in shares of the box, contacts of each disc
    "face-centred cubic": ((2**0.5,) * 3, [(0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.5), (0, 0.5, 0.5)], 12),
    "hexagonal close-packed": (
        (1.0, ROOT, float(np.sqrt(8.0 / 3.0))),
        [(0, 0, 0), (0.5, 0.5, 0), (0.5, 5.0 / 6.0, 0.5), (0, 1.0 / 3.0, 0.5)],
        12,
    ),
    "body-centred cubic": ((2.0 / ROOT,) * 3, [(0, 0, 0), (0.5, 0.5, 0.5)], 8),
    "simple cubic, one sphere": ((1.0,) * 3, [(0.1, 0.7, 0.3)], 6),
    "hexagonal, two discs": ((1.0, ROOT), [(0, 0), (0.5, 0.5)], 6),
    "hexagonal, four discs": ((2.0, ROOT), [(0, 0), (0.5, 0), (0.25, 0.5), (0.75, 0.5)], 6),
    "hexagonal, six discs": (
        (3.0, ROOT),
        [(k / 3.0, 0) for k in range(3)] + [((k + 0.5) / 3.0, 0.5) for k in range(3)],
        6,
    ),
    "square, one disc": ((1.0, 1.0), [(0.3, 0.9)], 4),
}


def lattice(name: str) -> tuple[Array, Array, Array, int]:
    """Centres, radii, box, and the number of contacts of each disc, with a diameter of 1.7."""
    sides, places, contacts = LATTICES[name]
    box = 1.7 * np.array(sides)
    return (np.array(places) + 0.01) % 1.0 * box, np.full(len(places), 0.85), box, contacts


def nested(numbers: list[int], dimensions: int, side: float) -> Array:
    """Points of which boxes of side L/2, L/4, … hold so many, spread as evenly as possible."""
    cells = np.zeros((1, dimensions), np.int64)
    for number in numbers:
        parts = np.stack(np.meshgrid(*[[0, 1]] * dimensions, indexing="ij"), axis=-1).reshape(-1, dimensions)
        each = np.diff(np.linspace(0, number, len(cells) + 1).round().astype(int))
        cells = np.concatenate([2 * cell + parts[:n] for cell, n in zip(cells, each, strict=True)])
    return (cells + 0.5) * side / 2 ** len(numbers)
