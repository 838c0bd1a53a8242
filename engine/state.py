"""The state that a simulation starts from."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Discs(Protocol):
    """What stays the same from frame to frame: radii, masses (N,), box (2,), periodic."""

    @property
    def radii(self) -> NDArray[np.float64]: ...

    @property
    def masses(self) -> NDArray[np.float64]: ...

    @property
    def box(self) -> NDArray[np.float64]: ...

    @property
    def periodic(self) -> bool: ...


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


def volume_fraction(radii: NDArray[np.float64], box: NDArray[np.float64]) -> float:
    """V_f = Σ π R_i² / (L_x L_y) of discs of radii (N,) in a box (2,)."""
    return pi * float(np.square(radii).sum()) / float(box.prod())


def representatives(cluster: NDArray[np.int32]) -> NDArray[np.intp]:
    """For each disc the one that names its cluster, (N,): the disc with the cluster's number where it belongs to the
    cluster, so that names stay what they were, else the first of its discs."""
    count = len(cluster)
    numbers, first, inverse = np.unique(cluster, return_index=True, return_inverse=True)
    known = (numbers >= 0) & (numbers < count)
    known[known] &= cluster[numbers[known]] == numbers[known]
    return np.where(known, numbers, first)[inverse]
