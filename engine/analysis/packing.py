"""Indicators of packings: contacts, the distributions of forces and gaps, and power laws at small values.

In jammed packings small forces and small gaps follow power laws: P(f) ~ f^θ with θ_e near 0.42 for contacts that are
part of the whole network and θ_l near 0.17 for those of bucklers, discs that d + 1 contacts hold; P(h) ~ h^-γ with
γ near 0.41 for gaps h between discs that do not touch. A fit reports its range and the number of values. One packing of
a thousand discs gives exponents to about 0.1; several can be pooled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.analysis.sample import PackedDiscs, Sample
from engine.arrays import Floats, Ints, Longs
from engine.boundary import Periodic
from engine.errors import InputError
from engine.frame import Frame, Living, Network, living
from engine.geometry.neighbours import DenseState, near_pairs
from engine.indicators import ANY, Indicator, plain
from engine.jamming.packing import CLOSED, isostatic_count
from engine.jamming.rules import volume_fraction

FEWEST = 20  # least number of values for a fit
_PER_DECADE = 5

FORCE_RANGE = 0.3  # of the mean force: upper limit of the fit of small forces
BUCKLER_RANGE = 0.1  # the same for bucklers, whose density bends beyond it
GAP_RANGE = 0.03  # of the mean diameter: upper limit of the fit of gaps
WIDEST_GAP = 0.5  # of the mean diameter: largest gaps that are searched for
NOTHING: Floats = np.zeros(0)


@dataclass(frozen=True)
class PowerLaw:
    """P(x) = amplitude · x^exponent for low <= x <= high, a maximum-likelihood fit to the `count` values up to `high`.

    `error` is the standard error of the exponent, `low` the smallest of the values.
    """

    exponent: float
    error: float
    amplitude: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, eq=False)
class Density:
    """A density on logarithmic axes.

    Attributes
    ----------
    edges : (B + 1,), of the bins, equally far apart in log x.
    density : (B,), P(x) of all values, 0 where there are none.
    count : how many values.
    fit : the power law at small x, None if there are too few values.
    """

    edges: Floats
    density: Floats
    count: int
    fit: PowerLaw | None


def power_law(values: Floats, high: float) -> PowerLaw | None:
    """The maximum-likelihood power law from 0 to `high` of values (n,), > 0; None for fewer than 20 values there.

    P(x) = (θ + 1) x^θ / high^(θ + 1) gives 1 / (θ + 1) = mean of ln(high / x), with the relative error 1 / √n. The
    amplitude is that of the density of all values.
    """
    small = values[values <= high]
    spread = float(np.log(high / small).sum()) if len(small) else 0.0
    if len(small) < FEWEST or spread <= 0.0:
        return None
    slope = len(small) / spread
    share = len(small) / len(values)
    return PowerLaw(
        exponent=slope - 1.0,
        error=slope / float(np.sqrt(len(small))),
        amplitude=share * slope / high**slope,
        low=float(small.min()),
        high=high,
        count=len(small),
    )


def density_of(values: Floats, high: float) -> Density | None:
    """The density of values (n,), > 0, in logarithmic bins, with the power law up to `high`; None without values."""
    if not len(values):
        return None
    low, top = (np.log10(float(end)) * _PER_DECADE for end in (values.min(), values.max()))
    edges = 10.0 ** (np.arange(np.floor(low), np.floor(top) + 2.0) / _PER_DECADE)
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    counts = np.bincount(place, minlength=len(edges) - 1)
    return Density(edges, counts / (len(values) * np.diff(edges)), len(values), power_law(values, high))


@dataclass(frozen=True, eq=False)
class Held:
    """Discs of a state with the network of its frame, as `PackedDiscs`."""

    positions: Floats
    radii: Floats
    box: Floats
    periodic: Periodic | bool
    network: Network

    @property
    def contacts(self) -> Ints:
        """The two discs of each contact, (K, 2), the second below 0 for a wall."""
        return self.network.pairs

    @property
    def forces(self) -> Floats:
        """The force of each contact, (K,), divided by their mean."""
        return self.network.forces

    @property
    def rattlers(self) -> NDArray[np.bool_]:
        """Which discs are rattlers, (N,)."""
        return self.network.rattlers


@dataclass(frozen=True, eq=False)
class Samples:
    """The values behind the distributions of a packing, or of several, (n,) each, all > 0.

    Attributes
    ----------
    extended, bucklers : f / ⟨f⟩ of contacts without and with a buckler, ⟨f⟩ of all contacts of the packing.
    gaps : h / ⟨σ⟩ between discs that do not touch and are not rattlers, up to half a mean diameter.
    """

    extended: Floats
    bucklers: Floats
    gaps: Floats

    def densities(self) -> tuple[Density | None, Density | None, Density | None]:
        """The densities of the three, in their order, with their power laws; None without values."""
        return (
            density_of(self.extended, FORCE_RANGE),
            density_of(self.bucklers, BUCKLER_RANGE),
            density_of(self.gaps, GAP_RANGE),
        )


@dataclass(frozen=True, eq=False)
class PackingIndicators:
    """The indicators of a packing. None: the packing has no such values.

    Attributes
    ----------
    volume_fraction : of its discs.
    contacts : number of contacts with a force.
    rattlers : number of rattlers.
    isostatic_gap : contacts minus those of an isostatic packing of the held discs.
    contacts_histogram : (k,) discs with 0, 1, … contacts.
    extended_forces, buckler_forces, gaps : the distributions of `samples`.
    samples : the values behind them.
    """

    volume_fraction: float
    contacts: int
    rattlers: int
    isostatic_gap: int | None
    contacts_histogram: Longs
    extended_forces: Density | None
    buckler_forces: Density | None
    gaps: Density | None
    samples: Samples

    def to_dict(self) -> dict[str, Any]:
        """Values by name, without the samples, with plain lists, numbers and None, ready for JSON."""
        return _without_samples(self)


@dataclass(frozen=True, eq=False)
class PooledPackings:
    """Forces and gaps of several packings; forces are divided by the mean force of their own packing, gaps by its mean
    diameter.

    Attributes
    ----------
    packings : how many.
    extended_forces, buckler_forces, gaps : the distributions of all values (see `PackingIndicators`), None if there are
        none.
    samples : the values.
    """

    packings: int
    extended_forces: Density | None
    buckler_forces: Density | None
    gaps: Density | None
    samples: Samples

    def to_dict(self) -> dict[str, Any]:
        """Values by name, without the samples, ready for JSON."""
        return _without_samples(self)


def _without_samples(found: PackingIndicators | PooledPackings) -> dict[str, Any]:
    return {name: plain(value) for name, value in vars(found).items() if name != "samples"}


def pool_packings(samples: Sequence[Samples]) -> PooledPackings:
    """The distributions of all values of these packings, which should differ only by chance. Estimator and range are
    those of one packing, so the standard errors decrease with the square root of the number of values."""
    pooled = Samples(
        np.concatenate([NOTHING, *(one.extended for one in samples)]),
        np.concatenate([NOTHING, *(one.bucklers for one in samples)]),
        np.concatenate([NOTHING, *(one.gaps for one in samples)]),
    )
    return PooledPackings(len(samples), *pooled.densities(), pooled)


def analyse_packing(packing: PackedDiscs | Living | Frame) -> PackingIndicators:
    """Measure discs or spheres with their contacts. O(N).

    Parameters
    ----------
    packing : a packing, with arrays of its own (`Held`) or of `simulation.packing()`; or a simulation that jams, or one
        of its frames.

    Raises
    ------
    InputError
        The discs of this simulation or frame have no contacts with forces.
    """
    packing = _packed_discs(packing)
    count, dimensions = packing.positions.shape
    first, second = packing.contacts[:, 0], packing.contacts[:, 1]
    inner = second >= 0
    held = np.bincount(np.concatenate((first, second[inner])), minlength=count)
    stable = ~packing.rattlers & (held > 0)
    forces = packing.forces
    extended = buckler = NOTHING
    if len(forces):
        bucklers = stable & (held == dimensions + 1)
        of_buckler = bucklers[first]
        of_buckler[inner] |= bucklers[second[inner]]
        relative = forces / forces.mean()
        extended, buckler = relative[~of_buckler], relative[of_buckler]
    standing = int(stable.sum())
    samples = Samples(extended, buckler, _gaps(packing, stable) if standing else NOTHING)
    of_extended, of_bucklers, of_gaps = samples.densities()
    return PackingIndicators(
        volume_fraction=volume_fraction(packing.radii, packing.box),
        contacts=len(forces),
        rattlers=int(packing.rattlers.sum()),
        isostatic_gap=len(forces) - isostatic_count(standing, dimensions, packing.periodic) if standing else None,
        contacts_histogram=np.bincount(held).astype(np.int64),
        extended_forces=of_extended,
        buckler_forces=of_bucklers,
        gaps=of_gaps,
        samples=samples,
    )


@runtime_checkable
class _Jamming(Protocol):
    """A simulation whose discs become a packing (`engine.capabilities.Packed`)."""

    def packing(self) -> PackedDiscs:
        """The packing now."""
        ...


def _packed_discs(given: PackedDiscs | Living | Frame) -> PackedDiscs:
    """The discs of a packing, of a simulation or of a frame, with their contacts."""
    if isinstance(given, Frame):
        if given.network is None or given.discs is None:
            raise InputError("this frame has no contacts with forces, so it is no packing")
        discs = given.discs
        return Held(given.positions, discs.radii * given.radius_factor, discs.box, discs.periodic, given.network)
    if isinstance(given, _Jamming):
        return given.packing()
    alive = living(given)
    if alive is not None:
        raise InputError(
            f"discs of the system {alive.scenario.system} have no contacts with forces, so they are no packing"
        )
    if not isinstance(given, PackedDiscs):
        raise InputError(f"a packing, a simulation or a frame can be measured, not {type(given).__name__}")
    return given


def _of_sample(sample: Sample) -> PackingIndicators:
    assert sample.packing is not None
    return analyse_packing(sample.packing)


PACKING = (
    Indicator(
        "packing",
        "forces and gaps of a packing",
        _of_sample,
        to_json=PackingIndicators.to_dict,
        needs=("packing",),
        dimensions=ANY,
        averaging=None,
    ),
)
"""Of discs whose contacts and forces are known."""


def _gaps(packing: PackedDiscs, stable: NDArray[np.bool_]) -> Floats:
    """Gaps between stable discs that do not touch, over the mean diameter, (n,), to all images within reach.

    Of a pair the images with the smallest gaps are those that touch, as many as it has contacts.
    """
    radii = packing.radii
    unit = 2.0 * float(radii.mean())
    growth = 1.0 + WIDEST_GAP * unit / (2.0 * float(radii.min()))
    state = DenseState(np.ascontiguousarray(packing.positions, np.float64), radii, packing.box, packing.periodic)
    first, second, vectors = near_pairs(state, cutoff=0.0, growth=growth, step=0.0, own=True)
    gap = (np.sqrt(np.square(vectors).sum(axis=1)) - radii[first] - radii[second]) / unit
    apart = stable[first] & stable[second] & (gap > CLOSED) & (gap <= WIDEST_GAP)
    touching = packing.contacts[packing.contacts[:, 1] >= 0].astype(np.int64)
    known, contacts = np.unique(touching.min(axis=1) * len(radii) + touching.max(axis=1), return_counts=True)
    pairs = np.minimum(first, second).astype(np.int64) * len(radii) + np.maximum(first, second)
    order = np.lexsort((gap, pairs))
    rank = np.empty(len(pairs), np.int64)  # of each gap among those of the pair
    rank[order] = np.arange(len(pairs)) - np.searchsorted(pairs[order], pairs[order])
    touches = np.append(contacts, 0)[np.searchsorted(known, pairs)] * np.isin(pairs, known)
    return np.asarray(gap[apart & (rank >= touches)])
