"""The contacts of a packing as a table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aggviewer.canvas.forces import forces_of
from aggviewer.export.plots import write_table
from engine.simulation import Network

Floats = NDArray[np.float64]


def write_contacts(path: Path, network: Network, positions: Floats, radii: Floats, box: Floats, periodic: bool) -> None:
    """CSV with a line per contact: ``i, j``, the discs (j = -1 for a wall); ``force`` over the mean force; ``nx, ny``,
    unit vector from the first to the second; ``gap`` between them, in the scenario's unit.

    positions (N, 2), radii (N,): now; box (2,). InputError where it cannot be written.
    """
    drawn = forces_of(network, positions, radii, box, periodic)
    between = drawn.segments[:, 1] - drawn.segments[:, 0]
    first, second = network.pairs[:, 0], network.pairs[:, 1]
    wall = second < 0
    gap = np.hypot(between[:, 0], between[:, 1]) - radii[first] - np.where(wall, 0.0, radii[second])
    towards = network.vectors[wall]
    room = np.where(towards > 0.0, box - positions[first[wall]], positions[first[wall]])
    gap[wall] = (room * np.abs(towards)).sum(axis=1) - radii[first[wall]]
    write_table(
        path,
        {
            "i": first,
            "j": second,
            "force": drawn.strength,
            "nx": network.vectors[:, 0],
            "ny": network.vectors[:, 1],
            "gap": gap,
        },
    )
