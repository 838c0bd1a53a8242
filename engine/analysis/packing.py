"""What a packing looks like: its contacts, the distributions of forces and gaps, and power laws at their small ends.

In jammed packings small forces and small gaps follow power laws: P(f) ~ f^θ with θ_e near 0.42 for contacts that are
part of the whole network and θ_l near 0.17 for those of bucklers, discs that d + 1 = 3 contacts hold; P(h) ~ h^-γ with
γ near 0.41 for gaps h between discs that do not touch. A fit tells its range and how many values it rests on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.jamming.neighbours import near_pairs
from engine.jamming.network import isostatic_count
from engine.simulation import Network

Floats = NDArray[np.float64]

FORCE_RANGE = 0.3  # of the mean force: below it small forces are fitted
GAP_RANGE = 0.03  # of the mean diameter: the same for gaps
WIDEST_GAP = 0.5  # of the mean diameter: no gaps beyond are looked for
CLOSED = 1e-9  # of the mean diameter: closer than this is a contact, also where it carries no force
FEWEST = 20  # values in the range that a fit takes
_PER_DECADE = 5


class Contacts(Protocol):
    """Discs with the forces between them: an engine Packing, or a state of a simulation that has its network.

    positions (N, 2); radii (N,); box (2,); periodic; contacts (K, 2), discs of each, the second below 0 for a wall;
    forces (K,); rattlers (N,) bool.
    """

    @property
    def positions(self) -> Floats: ...

    @property
    def radii(self) -> Floats: ...

    @property
    def box(self) -> Floats: ...

    @property
    def periodic(self) -> bool: ...

    @property
    def contacts(self) -> NDArray[np.int32]: ...

    @property
    def forces(self) -> Floats: ...

    @property
    def rattlers(self) -> NDArray[np.bool_]: ...


@dataclass(frozen=True, eq=False)
class Held:
    """Discs of a state with the network of its frame; has what `Contacts` has."""

    positions: Floats
    radii: Floats
    box: Floats
    periodic: bool
    network: Network

    @property
    def contacts(self) -> NDArray[np.int32]:
        return self.network.pairs

    @property
    def forces(self) -> Floats:
        return self.network.forces

    @property
    def rattlers(self) -> NDArray[np.bool_]:
        return self.network.rattlers


@dataclass(frozen=True)
class PowerLaw:
    """P(x) = amplitude · x^exponent in low <= x <= high, of maximum likelihood for the `count` values up to `high`.

    error : standard error of the exponent; low : the smallest of the values.
    """

    exponent: float
    error: float
    amplitude: float
    low: float
    high: float
    count: int

    def to_dict(self) -> dict[str, float]:
        """The same names."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class Density:
    """edges : (B + 1,), equally far apart in log x; density : (B,), P(x) of all values, 0 where there are none;
    count : how many values; fit : the power law at small x, None where there are too few."""

    edges: Floats
    density: Floats
    count: int
    fit: PowerLaw | None

    def to_dict(self) -> dict[str, Any]:
        """The same names with plain lists."""
        return {
            "edges": self.edges.tolist(),
            "density": self.density.tolist(),
            "count": self.count,
            "fit": None if self.fit is None else self.fit.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class PackingIndicators:
    """None: there is nothing of it.

    volume_fraction; contacts : that carry a force; rattlers : discs that nothing holds; isostatic_gap : contacts less
    those of an isostatic packing of the other discs; contacts_histogram : (k,) discs with 0, 1, … contacts;
    extended_forces, buckler_forces : f / ⟨f⟩ of contacts without and with a buckler, ⟨f⟩ of all; gaps : h / ⟨σ⟩
    between discs that are no rattlers and do not touch, up to half a mean diameter.
    """

    volume_fraction: float
    contacts: int
    rattlers: int
    isostatic_gap: int | None
    contacts_histogram: NDArray[np.int64]
    extended_forces: Density | None
    buckler_forces: Density | None
    gaps: Density | None

    def to_dict(self) -> dict[str, Any]:
        """The same names with plain lists, numbers and None, ready for JSON."""

        def plain(density: Density | None) -> dict[str, Any] | None:
            return None if density is None else density.to_dict()

        return {
            "volume_fraction": self.volume_fraction,
            "contacts": self.contacts,
            "rattlers": self.rattlers,
            "isostatic_gap": self.isostatic_gap,
            "contacts_histogram": self.contacts_histogram.tolist(),
            "extended_forces": plain(self.extended_forces),
            "buckler_forces": plain(self.buckler_forces),
            "gaps": plain(self.gaps),
        }


def analyse_packing(packing: Contacts) -> PackingIndicators:
    """Measure discs in two dimensions with their contacts. O(N)."""
    count = len(packing.radii)
    first, second = packing.contacts[:, 0], packing.contacts[:, 1]
    inner = second >= 0
    held = np.bincount(np.concatenate((first, second[inner])), minlength=count)
    stable = ~packing.rattlers & (held > 0)
    forces = packing.forces
    extended = buckler = None
    if len(forces):
        bucklers = stable & (held == 3)
        of_buckler = bucklers[first]
        of_buckler[inner] |= bucklers[second[inner]]
        relative = forces / forces.mean()
        extended = _density(relative[~of_buckler], FORCE_RANGE)
        buckler = _density(relative[of_buckler], FORCE_RANGE)
    standing = int(stable.sum())
    return PackingIndicators(
        volume_fraction=float(np.pi * np.square(packing.radii).sum() / packing.box.prod()),
        contacts=len(forces),
        rattlers=int(packing.rattlers.sum()),
        isostatic_gap=len(forces) - isostatic_count(standing, 2, packing.periodic) if standing else None,
        contacts_histogram=np.bincount(held).astype(np.int64),
        extended_forces=extended,
        buckler_forces=buckler,
        gaps=_density(_gaps(packing, stable), GAP_RANGE) if standing else None,
    )


def power_law(values: Floats, high: float) -> PowerLaw | None:
    """The power law from 0 to `high` that the values (n,), > 0, are most likely drawn from; None below 20 values there.

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


def _density(values: Floats, high: float) -> Density | None:
    """The density of values (n,), > 0, in logarithmic bins, with the power law up to `high`; None without values."""
    if not len(values):
        return None
    low, top = (np.log10(float(end)) * _PER_DECADE for end in (values.min(), values.max()))
    edges = 10.0 ** (np.arange(np.floor(low), np.floor(top) + 2.0) / _PER_DECADE)
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    counts = np.bincount(place, minlength=len(edges) - 1)
    return Density(edges, counts / (len(values) * np.diff(edges)), len(values), power_law(values, high))


def _gaps(packing: Contacts, stable: NDArray[np.bool_]) -> Floats:
    """Gaps between stable discs that do not touch, over the mean diameter, (n,)."""
    radii = packing.radii
    unit = 2.0 * float(radii.mean())
    growth = 1.0 + WIDEST_GAP * unit / (2.0 * float(radii.min()))
    positions = np.ascontiguousarray(packing.positions, np.float64)
    first, second, vectors = near_pairs(
        positions, radii, packing.box, packing.periodic, cutoff=0.0, growth=growth, step=0.0
    )
    gap = (np.sqrt(np.square(vectors).sum(axis=1)) - radii[first] - radii[second]) / unit
    apart = stable[first] & stable[second] & (gap > CLOSED) & (gap <= WIDEST_GAP)
    touching = packing.contacts[packing.contacts[:, 1] >= 0].astype(np.int64)
    known = touching.min(axis=1) * len(radii) + touching.max(axis=1)
    pairs = np.minimum(first, second).astype(np.int64) * len(radii) + np.maximum(first, second)
    return np.asarray(gap[apart & ~np.isin(pairs, known)])
