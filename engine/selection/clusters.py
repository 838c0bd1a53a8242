"""What clusters have: their discs, mass, place, velocity and shape, for all clusters of a frame at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Longs
from engine.boundary import Periodic
from engine.frame import discs_of
from engine.state import cluster_means, moments_of_inertia

if TYPE_CHECKING:
    from engine.frame import Frame
    from engine.state import Discs


_FLAT = 1e-12  # ratio of the eigenvalues below which centres lie on a line


class FrameClusters:
    """The clusters of a frame, in the order of their labels. What several quantities need is computed once.

    Parameters
    ----------
    frame : the state.
    discs : the simulation, for radii, masses, box and boundary; not used if the frame has its own.
    """

    def __init__(self, frame: Frame, discs: Discs) -> None:
        self.frame = frame
        self.discs = discs_of(frame, discs)
        self.periodic = Periodic.of(self.discs.periodic, len(self.discs.box))

    @cached_property
    def _sorted(self) -> tuple[NDArray[Any], Longs]:
        labels, inverse = np.unique(self.frame.cluster, return_inverse=True)
        return labels, inverse.astype(np.int64, copy=False)

    @property
    def labels(self) -> NDArray[Any]:
        """(M,), the label of each cluster, ascending."""
        return self._sorted[0]

    @property
    def rows(self) -> Longs:
        """(N,), which row each disc's cluster is in."""
        return self._sorted[1]

    def __len__(self) -> int:
        return len(self.labels)

    def total(self, of_discs: NDArray[Any] | None = None) -> Floats:
        """The sum of a quantity of discs, (N,), over the discs of each cluster, (M,); None to count the discs."""
        return np.bincount(self.rows, of_discs, minlength=len(self)).astype(np.float64, copy=False)

    @cached_property
    def sizes(self) -> Longs:
        """(M,), the number of discs."""
        return self.total().astype(np.int64)

    @cached_property
    def masses(self) -> Floats:
        """(M,)."""
        return self.total(self.discs.masses)

    @cached_property
    def velocities(self) -> Floats:
        """(M, d), momentum over mass."""
        return cluster_means(self.rows, self.discs.masses, self.frame.velocities)

    @cached_property
    def ages(self) -> Floats | None:
        """(M,), the time since the last merge, since the start for single discs; None if the frame does not say it."""
        last = self.frame.fields.get("last_merge")
        if last is None:
            return None
        ages = np.full(len(self), -np.inf)
        np.maximum.at(ages, self.rows, last)
        return np.maximum(self.frame.time - ages, 0.0)

    @cached_property
    def spins(self) -> Floats | None:
        """(M,), the angular velocity ω of clusters, in space |ω|; None if the frame does not say it."""
        spin = self.frame.fields.get("spin")
        if spin is None:
            return None
        found = np.empty(len(self))
        found[self.rows] = spin if spin.ndim == 1 else np.linalg.norm(spin, axis=1)
        return found

    @cached_property
    def angular_momenta(self) -> Floats | None:
        """(M,), I ω about the centre of mass, in space its magnitude; None if the frame does not say how clusters
        turn."""
        from engine.analysis import spins

        spin = self.frame.fields.get("spin")
        if spin is None:
            return None
        radii = self.discs.radii * self.frame.radius_factor
        places = None if spin.ndim == 1 else self.laid_out
        found = spins(self.rows, self.discs.masses, radii, self.frame.velocities, spin, places).momentum
        return found if found.ndim == 1 else np.asarray(np.linalg.norm(found, axis=1))

    @cached_property
    def moments_of_inertia(self) -> Floats | None:
        """(M,), I of solid discs about the centre of mass, of spheres about the axis of ω, NaN for clusters that cannot
        be unwrapped, or have no such axis; None if the frame does not say how clusters turn."""
        if self.spins is None:
            return None
        masses, points, spin = self.discs.masses, self.laid_out, self.frame.fields["spin"]
        own = moments_of_inertia(masses, self.discs.radii * self.frame.radius_factor, points.shape[1])
        arms = points - cluster_means(self.rows, masses, points)[self.rows]
        apart = np.square(arms).sum(axis=1)
        if spin.ndim > 1:
            with np.errstate(invalid="ignore"):
                apart = apart - np.square((arms * spin).sum(axis=1)) / np.square(spin).sum(axis=1)
        return self.total(own + masses * apart)

    @cached_property
    def contacts(self) -> Longs:
        """(M,), the number of contacts within each cluster."""
        from engine.analysis import contact_pairs

        radii = self.discs.radii * self.frame.radius_factor
        pairs = contact_pairs(self.frame.positions, radii, self.discs.box, periodic=self.periodic)
        first, second = self.rows[pairs].T
        return np.bincount(first[first == second], minlength=len(self)).astype(np.int64)

    @cached_property
    def laid_out(self) -> Floats:
        """(N, d), unwrapped positions, so that clusters across a periodic edge are in one piece.

        NaN for the discs of a cluster that is joined to its own image or that contacts do not hold together.
        """
        positions = self.frame.positions
        if not self.periodic.any or len(self) == len(positions):
            return positions
        radii = self.discs.radii * self.frame.radius_factor
        return laid_out(positions, radii, self.discs.box, self.periodic, self.rows, self.sizes)

    @cached_property
    def middles(self) -> Floats:
        """(M, d), centres of mass, in the box; NaN for clusters that cannot be unwrapped."""
        middles = cluster_means(self.rows, self.discs.masses, self.laid_out)
        return middles - np.where(self.periodic, self.discs.box * np.floor(middles / self.discs.box), 0.0)

    @cached_property
    def gyration(self) -> Floats:
        """The gyration tensors, (M, d, d); each disc counts alike."""
        points = self.laid_out
        means = np.column_stack([self.total(axis) for axis in points.T]) / self.sizes[:, None]
        apart = (points - means[self.rows]).T
        tensors = np.empty((len(self), len(apart), len(apart)))
        for i, j in combinations_with_replacement(range(len(apart)), 2):
            tensors[:, i, j] = tensors[:, j, i] = self.total(apart[i] * apart[j]) / self.sizes
        return tensors

    @cached_property
    def radii_of_gyration(self) -> Floats:
        """(M,), R_g of the centres of the discs; 0 for one disc."""
        squared: Floats = np.trace(self.gyration, axis1=1, axis2=2)
        return np.sqrt(squared)

    @cached_property
    def aspect_ratios(self) -> Floats:
        """(M,), the largest eigenvalue of the gyration tensor over the smallest, at least 1; NaN for discs on a
        line and for spheres on a plane."""
        tensor = self.gyration
        if tensor.shape[1] == 2:  # in closed form, eight times faster
            (xx, xy), (_, yy) = tensor.transpose(1, 2, 0)
            mean, spread = (xx + yy) / 2.0, np.hypot((xx - yy) / 2.0, xy)
            small, large = mean - spread, mean + spread
        else:
            known = np.isfinite(tensor).all(axis=(1, 2))
            values = np.full(tensor.shape[:2], np.nan)
            values[known] = np.linalg.eigvalsh(tensor[known])
            small, large = values[:, 0], values[:, -1]
        ratio = np.full(len(self), np.nan)
        np.divide(large, small, out=ratio, where=small > _FLAT * large)
        return ratio


@dataclass(frozen=True)
class ClusterField:
    """A quantity that each cluster has, a column of tables of clusters.

    Parameters
    ----------
    name : the name in expressions and files; it never changes.
    label : the name in tables, such as ``Radius of gyration``.
    values : gives one number for each cluster, (M,), from the clusters of a frame; None if the frame does not hold it.
    symbol, unit : such as ``R_g`` and ``length``; empty if there is none.
    kind : ``continuous``, or ``integer``, a count.
    slow : whether it needs the contacts of all discs; tables of very many discs compute it when they are asked for it.
    meaning : its definition, a sentence without a full stop, for tool tips; empty if the label says it all.
    part : the array in `Frame.fields` without which a frame has no such quantity, and tables no such column; "" for
        none.

    Unit and definition may have gaps for discs or spheres (`engine.words`).
    """

    name: str
    label: str
    values: Callable[[FrameClusters], NDArray[Any] | None]
    symbol: str = ""
    unit: str = ""
    kind: str = "continuous"
    slow: bool = False
    meaning: str = ""
    part: str = ""


def _along_z(vectors: Floats) -> Floats | None:
    """The third components of vectors (M, d), None in the plane."""
    return vectors[:, 2] if vectors.shape[1] > 2 else None


CLUSTER_FIELDS = (
    ClusterField("cluster", "Cluster", lambda clusters: clusters.labels, kind="integer"),
    ClusterField("size", "Size", lambda clusters: clusters.sizes, "n", "{discs}", "integer"),
    ClusterField("mass", "Mass", lambda clusters: clusters.masses, "m", "mass"),
    ClusterField(
        "gyration",
        "Radius of gyration",
        lambda clusters: clusters.radii_of_gyration,
        "R_g",
        "length",
        slow=True,
        meaning="The root-mean-square distance of its {discs}' centres from their centre",
    ),
    ClusterField(
        "aspect",
        "Aspect ratio",
        lambda clusters: clusters.aspect_ratios,
        "A_r",
        slow=True,
        meaning="The largest eigenvalue of its gyration tensor over the smallest, at least 1",
    ),
    ClusterField(
        "contacts",
        "Contacts",
        lambda clusters: clusters.contacts,
        kind="integer",
        slow=True,
        meaning="Pairs of its {discs} within 1.05 times the sum of their radii, each image counted",
    ),
    ClusterField("age", "Time since the last merge", lambda clusters: clusters.ages, "", "time"),
    ClusterField(
        "speed", "Speed", lambda clusters: np.linalg.norm(clusters.velocities, axis=1), "|V|", "length / time"
    ),
    ClusterField("vx", "Velocity along x", lambda clusters: clusters.velocities[:, 0], "V_x", "length / time"),
    ClusterField("vy", "Velocity along y", lambda clusters: clusters.velocities[:, 1], "V_y", "length / time"),
    ClusterField("vz", "Velocity along z", lambda clusters: _along_z(clusters.velocities), "V_z", "length / time"),
    ClusterField("x", "Centre of mass, x", lambda clusters: clusters.middles[:, 0], "x", "length", slow=True),
    ClusterField("y", "Centre of mass, y", lambda clusters: clusters.middles[:, 1], "y", "length", slow=True),
    ClusterField("z", "Centre of mass, z", lambda clusters: _along_z(clusters.middles), "z", "length", slow=True),
)
"""What every cluster has, in every system whose discs join clusters."""


def laid_out(positions: Floats, radii: Floats, box: Floats, periodic: Periodic, rows: Longs, sizes: Longs) -> Floats:
    """Unwrapped positions (N, d) of the discs of a box with periodic axes, each cluster in one piece.

    NaN for the discs of a cluster that is joined to its own image or that contacts do not hold together.

    rows : (N,), the number of each disc's cluster; sizes : (M,), discs in each.
    """
    from engine.analysis.clusters import layouts
    from engine.analysis.state import disc_state

    periods, together = layouts(disc_state(positions, radii, box, periodic=periodic), rows, sizes)
    points = positions + periods * box
    points[~together[rows]] = np.nan
    return points
