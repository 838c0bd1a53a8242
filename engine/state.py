"""The discs that a simulation starts from."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Discs(Protocol):
    """What stays the same from frame to frame."""

    @property
    def radii(self) -> NDArray[np.float64]:
        """(N,), above 0."""
        ...

    @property
    def masses(self) -> NDArray[np.float64]:
        """(N,), above 0."""
        ...

    @property
    def box(self) -> NDArray[np.float64]:
        """(2,), the sides of the box."""
        ...

    @property
    def periodic(self) -> bool:
        """Whether the box is periodic; else it has walls."""
        ...


@dataclass
class InitialState:
    """The discs before the first event.

    Parameters
    ----------
    positions : (N, 2) float64, inside the box.
    velocities : (N, 2) float64.
    radii, masses : (N,) float64, above 0.
    cluster : (N,) int32; discs with the same number are joined already (``arange(N)`` for single discs).
    box : (2,) float64, the sides L_x, L_y.
    periodic : whether the box is periodic; else it has walls.
    notice : a message about how the state was made, "" for none.
    """

    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    radii: NDArray[np.float64]
    masses: NDArray[np.float64]
    cluster: NDArray[np.int32]
    box: NDArray[np.float64]
    periodic: bool
    notice: str = ""


def volume_fraction(radii: NDArray[np.float64], box: NDArray[np.float64]) -> float:
    """V_f = Σ π R_i² / (L_x L_y) of discs of radii (N,) in a box (2,)."""
    return pi * float(np.square(radii).sum()) / float(box.prod())


def masses_of(radii: NDArray[np.float64]) -> NDArray[np.float64]:
    """Masses m_i ∝ R_i² with mean 1, (N,)."""
    squares = radii * radii
    return np.asarray(squares / squares.mean())


def representatives(cluster: NDArray[np.int32]) -> NDArray[np.intp]:
    """For each disc the representative of its cluster, a disc whose index names the cluster, (N,).

    That is the disc whose index is the cluster's number where it belongs to the cluster, so that labels stay what they
    were, and else the first disc of the cluster.
    """
    count = len(cluster)
    numbers, first, inverse = np.unique(cluster, return_index=True, return_inverse=True)
    known = (numbers >= 0) & (numbers < count)
    known[known] &= cluster[numbers[known]] == numbers[known]
    return np.where(known, numbers, first)[inverse]
