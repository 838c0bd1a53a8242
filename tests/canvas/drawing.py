"""Few discs and many, on both surfaces."""

from __future__ import annotations

import numpy as np
import pytest

from aggviewer.canvas import DiscCanvas

from .conftest import PLAIN

BOTH = pytest.mark.parametrize("kind", ["opengl", "painter"])


def show(canvas: DiscCanvas, positions: list[list[float]], radius: float = 1.0, *, periodic: bool = False) -> None:
    """Discs of the top colour in a box of 12 x 9: with a 400 x 300 canvas some 30 pixels a unit."""
    canvas.set_system(np.full(len(positions), radius), np.array([12.0, 9.0]), periodic)
    canvas.show_frame(np.array(positions), np.ones(len(positions), np.float32), PLAIN, 1.5)


def crowd(canvas: DiscCanvas, count: int, seed: int = 0, *, unequal: bool = False, periodic: bool = False) -> None:
    """Discs on a jittered lattice that do not overlap, of all colours."""
    rng = np.random.default_rng(seed)
    side = int(np.ceil(np.sqrt(count)))
    cell = np.arange(count)
    positions = np.c_[cell % side + 0.5, cell // side + 0.5] + rng.uniform(-0.15, 0.15, (count, 2))
    positions[0] = 0.02, 0.5 * side  # across an edge
    radii = rng.uniform(0.1, 0.33, count) if unequal else np.full(count, 0.3)
    canvas.set_system(radii, np.array([side, side], float), periodic)
    canvas.show_frame(positions, rng.random(count, np.float32), PLAIN, 0.0)
