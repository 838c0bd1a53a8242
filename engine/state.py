"""The discs that a simulation starts from."""

from __future__ import annotations

from dataclasses import dataclass
from math import cbrt, inf, pi, sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.boundary import Periodic


class Discs(Protocol):
    """Discs and their box, which stay the same from frame to frame."""

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
        """(d,), the sides of the box, d = 2 or 3."""
        ...

    @property
    def periodic(self) -> Periodic:
        """Along which axes the box is periodic; along the others it has walls."""
        ...


@dataclass
class InitialState:
    """The discs before the first event.

    Parameters
    ----------
    positions : (N, d) float64, inside the box, d = 2 for discs and 3 for spheres.
    velocities : (N, d) float64.
    radii, masses : (N,) float64, above 0.
    cluster : (N,) int32; discs with the same number are joined already (``arange(N)`` for single discs).
    box : (d,) float64, the sides of the box.
    periodic : along which axes the box is periodic, with walls along the others; or one truth value for all.
    strain : how far the images above the box are ahead of it along x, over its height, in a shear flow.
    shear_rate : of the flow that the velocities include, 1/time.
    notice : a message about how the state was made, "" for none.
    spin, angle, orientation : float64, ω of each disc, or of its cluster, and how far each is turned, for pictures, as
        in frames (`engine.files.quantities`); None where nothing turns, or is turned.
    """

    positions: NDArray[np.float64]
    velocities: NDArray[np.float64]
    radii: NDArray[np.float64]
    masses: NDArray[np.float64]
    cluster: NDArray[np.int32]
    box: NDArray[np.float64]
    periodic: Periodic
    notice: str = ""
    spin: NDArray[np.float64] | None = None
    angle: NDArray[np.float64] | None = None
    orientation: NDArray[np.float64] | None = None
    strain: float = 0.0
    shear_rate: float = 0.0

    def __post_init__(self) -> None:
        self.periodic = Periodic.of(self.periodic, len(self.box))

    @property
    def around(self) -> Periodic:
        """`periodic`, with how far the images above are ahead."""
        return self.periodic.strained(self.strain, self.box)


TURNING = ("spin", "angle", "orientation")
"""The parts of a state in which discs turn."""


def volume_fraction(radii: NDArray[np.float64], box: NDArray[np.float64]) -> float:
    """V_f = Σ π R_i² / (L_x L_y) of discs of radii (N,) in a box (2,), Σ 4 π R_i³ / (3 V) of spheres in a box (3,)."""
    if len(box) > 2:
        return 4.0 / 3.0 * pi * float((radii * radii * radii).sum()) / float(box.prod())
    return pi * float(np.square(radii).sum()) / float(box.prod())


def sizes_of(radii: NDArray[np.float64], dimensions: int = 2) -> NDArray[np.float64]:
    """π R² of discs, 4/3 π R³ of spheres, (N,)."""
    return np.asarray(4.0 / 3.0 * pi * radii**3 if dimensions > 2 else pi * np.square(radii))


def nth_root(value: float, dimensions: int) -> float:
    """The factor of lengths by which areas (2 dimensions) or volumes (3) become `value` times as large."""
    return sqrt(value) if dimensions == 2 else cbrt(value)


def without_flow(
    velocities: NDArray[np.float64], positions: NDArray[np.float64], rate: float, box: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Velocities (N, d) of discs at positions (N, d) in a box (d,) relative to the flow of a shear rate, which has the
    velocity rate (y - L_y / 2) along x; the same array where that is 0."""
    if rate == 0.0:
        return velocities
    thermal = velocities.copy()
    thermal[:, 0] -= rate * (positions[:, 1] - 0.5 * box[1])
    return thermal


def flight_time(velocities: NDArray[np.float64], radii: NDArray[np.float64]) -> float:
    """The time in which the fastest disc flies a mean diameter, of velocities (N, d) and radii (N,); inf if nothing
    moves."""
    fastest = float(np.hypot.reduce(velocities, axis=1).max(initial=0.0))
    return 2.0 * float(np.mean(radii)) / fastest if fastest > 0.0 else inf


def masses_of(radii: NDArray[np.float64], dimensions: int = 2) -> NDArray[np.float64]:
    """Masses m_i ∝ R_i² of discs, or R_i³ of spheres, with mean 1, (N,)."""
    sizes = radii * radii
    if dimensions > 2:
        sizes = sizes * radii
    return np.asarray(sizes / sizes.mean())


def moments_of_inertia(
    masses: NDArray[np.float64], radii: NDArray[np.float64], dimensions: int = 2
) -> NDArray[np.float64]:
    """½ m R² of solid discs, ⅖ m R² of solid spheres about their centres, (N,), from masses and radii (N,)."""
    return np.asarray((0.4 if dimensions > 2 else 0.5) * masses * radii * radii)


def spin_energy(masses: NDArray[np.float64], radii: NDArray[np.float64], spin: NDArray[np.float64] | None) -> float:
    """½ Σ I ω² of discs that turn with ω, (N,) or (N, 3), which comes to ½ Σ m v² of their velocities; 0 for None."""
    if spin is None:
        return 0.0
    return 0.5 * float(np.sum(moments_of_inertia(masses, radii, 1 + spin.ndim) * spin_squares(spin)))


def spin_squares(spin: NDArray[np.float64]) -> NDArray[np.float64]:
    """ω², (N,), of ω, (N,) or (N, 3)."""
    return np.asarray(np.square(spin) if spin.ndim == 1 else np.square(spin).sum(axis=1))


def cluster_sizes(cluster: NDArray[np.int32]) -> NDArray[np.int64]:
    """The number of discs of each cluster, (M,). Labels (N,) of a simulation are counted, not sorted."""
    if int(cluster.min(initial=0)) >= 0 and int(cluster.max(initial=0)) < 8 * len(cluster):
        counts: NDArray[np.int64] = np.bincount(cluster)
        return counts[counts > 0]
    sizes: NDArray[np.int64] = np.unique(cluster, return_counts=True)[1]
    return sizes


def sums_of_rows(
    rows: NDArray[np.integer[Any]], values: NDArray[np.float64], count: int | None = None
) -> NDArray[np.float64]:
    """The sums of values (N, k) with the same row, (M, k). rows : (N,), 0 … M - 1; count : M, if it may be more than
    the largest row needs."""
    return np.column_stack([np.bincount(rows, along, count or 0) for along in values.T])


def cluster_means(
    rows: NDArray[np.integer[Any]], masses: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The means of values (N, k) over the discs of each cluster, weighted by their masses (N,): (M, k), 0 where there
    is no disc. rows : (N,), the number of each disc's cluster, 0 … M - 1."""
    total = np.bincount(rows, masses)
    total[total == 0.0] = 1.0
    return sums_of_rows(rows, masses[:, None] * values) / total[:, None]


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
