"""A state of discs, checked once, with shared intermediate results of the indicators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.analysis.clusters import Gyration, LaidOut, check_labels, cluster_sizes, lay_out, layouts, shape_of
from engine.analysis.contact_network import ContactList, Contacts, counts_of_pairs, list_contacts, summary
from engine.analysis.distances import (
    ContactPressure,
    PairCorrelation,
    PairDistribution,
    contact_compressibility,
    distribution_and_correlation,
    distribution_of,
    pair_correlation,
)
from engine.analysis.fluctuations import have_gathered
from engine.analysis.fractal import BoxCounting, FractalFit, count_boxes, fit_dimension, minimum_cover
from engine.analysis.spins import Spins, spins
from engine.analysis.state import DiscState, disc_state, mean_velocity, plain_array, relative_to, without_drift
from engine.arrays import Floats, Ints
from engine.boundary import Periodic
from engine.errors import InputError
from engine.geometry.nearest import unwrapped
from engine.state import volume_fraction, without_flow

T = TypeVar("T")


@runtime_checkable
class PackedDiscs(Protocol):
    """N discs with the K forces between them: an engine Packing, or a state of a simulation that has its network."""

    @property
    def positions(self) -> Floats:
        """(N, d), centres, length."""

    @property
    def radii(self) -> Floats:
        """(N,), length."""

    @property
    def box(self) -> Floats:
        """(d,), side lengths."""

    @property
    def periodic(self) -> Periodic | bool:
        """Along which axes the box is periodic; it has walls along the others."""

    @property
    def contacts(self) -> Ints:
        """(K, 2), discs of each contact, the second below 0 for a wall."""

    @property
    def forces(self) -> Floats:
        """(K,), >= 0, their mean 1."""

    @property
    def rattlers(self) -> NDArray[np.bool_]:
        """(N,), whether a disc is a rattler."""


class Sample:
    """N discs or spheres at one time, for measuring indicators. Unknown parts are None.

    Parameters
    ----------
    positions : (N, d), centres inside the box, N >= 1, d = 2 or 3.
    radii : (N,), > 0, at this time.
    box : (d,), side lengths.
    periodic : along which axes the box is periodic; distances are to the nearest image there, with its `offset`.
    velocities : (N, d).
    masses : (N,), > 0.
    cluster : (N,) integers; discs with the same number belong together.
    spin : (N,), or (N, 3) in space, the angular velocity of each disc's cluster.
    images : (N, d) integers, how often each disc has crossed the box: its unwrapped position is X = positions +
        images * box, and displaced along x in a shear flow.
    start, start_velocities : (N, d), X and the velocities at the start, these relative to the flow then.
    packing : contacts with their forces, an engine Packing or `engine.analysis.Held`.
    joins : whether discs join clusters in this system. In a tilted box clusters are not measured.
    shear_rate, strain : of the flow that the velocities include, as in `engine.frame.Frame`.

    Attributes
    ----------
    asked : the names of the indicators that `engine.indicators.measure` measures together.

    Raises
    ------
    InputError : an array has the wrong shape, is empty, or holds values that are not finite or not positive.
    """

    def __init__(
        self,
        positions: Floats,
        radii: Floats,
        box: Floats,
        *,
        periodic: Periodic | bool,
        velocities: Floats | None = None,
        masses: Floats | None = None,
        cluster: Ints | None = None,
        spin: Floats | None = None,
        images: Ints | None = None,
        start: Floats | None = None,
        start_velocities: Floats | None = None,
        packing: PackedDiscs | None = None,
        joins: bool = True,
        shear_rate: float = 0.0,
        strain: float = 0.0,
    ) -> None:
        self.state: DiscState = disc_state(positions, radii, box, periodic=periodic)
        each = (count, dimensions) = self.state.positions.shape
        self.velocities = None if velocities is None else plain_array(velocities, "velocities", each)
        self.masses = None if masses is None else plain_array(masses, "masses", (count,))
        if self.masses is not None and not (self.masses > 0.0).all():
            raise InputError("masses must be positive", "masses")
        self.cluster = None if cluster is None else check_labels(cluster, count)
        self.spin = None if spin is None else plain_array(spin, "spin", each if dimensions > 2 else (count,))
        self.images = None if images is None else plain_array(images, "images", each)
        self.start = None if start is None else plain_array(start, "start", each)
        self.start_velocities = (
            None if start_velocities is None else plain_array(start_velocities, "start_velocities", each)
        )
        self.packing = packing
        self.joins = joins and not self.state.periodic.offset
        self.shear_rate, self.strain = shear_rate, strain
        self.asked: frozenset[str] = frozenset()
        self._once: dict[Callable[[Any], Any], Any] = {}

    def once(self, measure: Callable[[Sample], T]) -> T:
        """The result of `measure(sample)`, computed at the first call: for what several indicators share."""
        if measure not in self._once:
            self._once[measure] = measure(self)
        found: T = self._once[measure]
        return found

    @property
    def count(self) -> int:
        """N, the number of discs."""
        return len(self.state.radii)

    @property
    def dimensions(self) -> int:
        """2 for discs, 3 for spheres."""
        return self.state.dimensions

    @property
    def positions(self) -> Floats:
        """(N, d), centres inside the box."""
        return self.state.positions

    @property
    def radii(self) -> Floats:
        """(N,), > 0."""
        return self.state.radii

    @property
    def box(self) -> Floats:
        """(d,), side lengths."""
        return self.state.box

    @property
    def periodic(self) -> Periodic:
        """Along which axes the box is periodic, and distances are to the nearest image."""
        return self.state.periodic

    @cached_property
    def volume_fraction(self) -> float:
        """Area of the discs, or volume of the spheres, over that of the box."""
        return volume_fraction(self.radii, self.box)

    @property
    def flows(self) -> bool:
        """Whether there is a shear flow, or the box is tilted by one."""
        return self.shear_rate != 0.0 or self.strain != 0.0

    @cached_property
    def unwrapped(self) -> Floats:
        """(N, d), the positions along the paths of the discs, where images are known or there are none."""
        return unwrapped(self.positions, self.images, self.box, self.strain)

    @cached_property
    def _thermal(self) -> Floats:
        """(N, d), velocities relative to the flow."""
        assert self.velocities is not None
        return without_flow(self.velocities, self.positions, self.shear_rate, self.box)

    @cached_property
    def drift(self) -> Floats:
        """(d,), the velocity of the centre of mass relative to the flow, where velocities and masses are known."""
        assert self.masses is not None
        return mean_velocity(self._thermal, self.masses)

    @cached_property
    def relative_velocities(self) -> Floats:
        """(N, d), relative to the flow and along periodic axes to the centre of mass (`state.without_drift`), where
        velocities and masses are known."""
        if not self.periodic.any:
            return self._thermal
        return relative_to(self._thermal, np.where(self.periodic, self.drift, 0.0))

    @cached_property
    def spins(self) -> Spins:
        """The rotation of each cluster, where velocities, masses, clusters and ω are known."""
        assert self.velocities is not None
        assert self.masses is not None
        assert self.cluster is not None
        assert self.spin is not None
        rows, sizes = np.unique(self.cluster, return_inverse=True, return_counts=True)[1:]
        places = None
        if self.dimensions > 2:
            places = self.positions
            if self.periodic.any:
                places = places + layouts(self.state, rows, sizes)[0] * self.box
        return spins(rows, self.masses, self.radii, self.velocities, self.spin, places)

    @cached_property
    def contact_list(self) -> ContactList:
        """The contacts, by the slots of the discs in the grid."""
        return list_contacts(self.state)

    @cached_property
    def contact_counts(self) -> Ints:
        """(N,), the number of contacts of each disc."""
        return counts_of_pairs(self.contact_list.pairs, self.state)

    @cached_property
    def contacts(self) -> Contacts:
        """Relative number and histogram of contacts."""
        return summary(self.contact_counts, self.dimensions)

    @cached_property
    def cluster_sizes(self) -> dict[int, int] | None:
        """Number of clusters by size; None if clusters are not known."""
        return None if self.cluster is None else cluster_sizes(self.cluster)

    @cached_property
    def boxes(self) -> BoxCounting:
        """Box counting: occupied boxes by their side."""
        return count_boxes(self.positions, self.box, self.state.margins)

    @cached_property
    def aggregated(self) -> bool:
        """Whether there is a cluster of two discs or, where clusters are not known, a contact."""
        sizes = self.cluster_sizes
        return bool(self.contact_counts.any()) if sizes is None else max(sizes) > 1

    @cached_property
    def fractal_fit(self) -> FractalFit | None:
        """The fit to the box counting of aggregates; None if nothing has aggregated."""
        return fit_dimension(self.boxes, self.state.mean_radius) if self.aggregated else None

    @cached_property
    def minimum_cover(self) -> BoxCounting | None:
        """Box counting by minimum cover. A single cluster is unwrapped first, if possible."""
        if not self.aggregated:
            return None
        members, points = self.largest
        if points is None or len(members) < self.count:
            points = self.positions
        return minimum_cover(points, self.state.mean_radius)

    @cached_property
    def minimum_cover_fit(self) -> FractalFit | None:
        """The fit to `minimum_cover`."""
        counted = self.minimum_cover
        return None if counted is None else fit_dimension(counted, self.state.mean_radius)

    @cached_property
    def largest(self) -> LaidOut:
        """The largest cluster, unwrapped, or all discs if clusters are not known."""
        return lay_out(self.state, self.cluster, self.contact_list if self.periodic.any else None)

    @cached_property
    def shape(self) -> Gyration:
        """The shape of the largest cluster, or of all discs if clusters are not known."""
        return shape_of(self.largest.points)

    @cached_property
    def pair_distribution(self) -> PairDistribution:
        """The pair distribution P(r)."""
        return distribution_of(self.state) if self._both is None else self._both[0]

    @cached_property
    def pair_correlation(self) -> PairCorrelation | None:
        """The pair correlation g(r); None if the box is too small for it."""
        return pair_correlation(self.state) if self._both is None else self._both[1]

    @cached_property
    def _both(self) -> tuple[PairDistribution, PairCorrelation | None] | None:
        """P(r) and g(r) if both are asked for: one count of all pairs is faster than two."""
        together = {"pair_distribution", "pair_correlation"} <= self.asked
        return distribution_and_correlation(self.state) if together else None

    @cached_property
    def contact_pressure(self) -> ContactPressure | None:
        """Z of a gas, from the gaps between neighbours, extrapolated to contact; None if its formula does not hold.

        It holds in a uniform gas of the volume fraction of the box. Between walls discs lie in layers, and gravity
        gathers them on the floor; in a periodic box they may have gathered in clusters.
        """
        return contact_compressibility(self.state) if self.periodic.all and not have_gathered(self.state) else None


@dataclass(frozen=True, eq=False)
class EarlierState:
    """A state to be compared with later ones. Along periodic axes relative to the centre of mass, velocities also to
    the flow.

    Attributes
    ----------
    positions : (N, d), along the paths of the discs across the edges of a periodic box; None if these are not known.
    velocities : (N, d), None if they are not known.
    flows : see `Sample`.
    """

    positions: Floats | None
    velocities: Floats | None
    flows: bool = False

    @staticmethod
    def of(sample: Sample) -> EarlierState:
        """A copy of what is needed of a state."""
        places = velocities = None
        if sample.masses is not None and (sample.images is not None or not sample.periodic.any):
            places = without_drift(sample.unwrapped, sample.masses, periodic=sample.periodic)
        if sample.masses is not None and sample.velocities is not None:
            velocities = sample.relative_velocities.copy()
        return EarlierState(places, velocities, sample.flows)

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return sum(0 if one is None else one.nbytes for one in (self.positions, self.velocities))
