"""The masses of clusters and their radii of gyration: M = a R_g^D gives the fractal dimension D of the clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.analysis.clusters import layouts, size_bins
from engine.analysis.sample import Sample
from engine.arrays import Floats, Longs
from engine.indicators import ANY, Indicator, unsaid
from engine.power_laws import Power, power_of_exact
from engine.state import cluster_means

FIT_FROM = 3.0
"""Least R_g of the fit, in mean radii: smaller clusters have the shapes of few discs."""

_ROUNDING = 1e-9  # relative, of masses


@dataclass(frozen=True, eq=False)
class ClusterMasses:
    """Mass and radius of gyration of each cluster of at least two discs.

    Attributes
    ----------
    mass : (C,), in mean masses of a disc, rising.
    gyration_radius : (C,), R_g, R_g² the mean of the squared distances from the centre of mass, weighted by masses.
    mean_radius : of the discs.
    without : the number of clusters without R_g: those that wrap around a periodic box, and those that contacts do not
        connect.
    edges : (B + 1,), of bins of masses, the same for each state with so many discs.
    """

    mass: Floats
    gyration_radius: Floats
    mean_radius: float
    without: int
    edges: Longs

    @property
    def fit(self) -> Power | None:
        """M = a (R_g / ⟨R⟩)^D for R_g of at least three mean radii: log R_g is fitted over log M, since only R_g
        scatters. None for fewer than three clusters."""
        r = self.gyration_radius / self.mean_radius
        found = power_of_exact(r, self.mass, (FIT_FROM, float(r.max()))) if len(r) and r.max() > FIT_FROM else None
        return found if found is not None and found.count > 2 else None

    def binned(self) -> tuple[Floats, Floats, Floats, Longs]:
        """The middle of each bin of masses, the geometric means of M and R_g there, nan without a cluster, and the
        number of clusters, (B,) each."""
        count = len(self.edges) - 1
        bins = np.clip(np.searchsorted(self.edges, self.mass * (1.0 + _ROUNDING), side="right") - 1, 0, count - 1)
        number = np.bincount(bins, minlength=count)

        def means(values: Floats) -> Floats:
            total = np.bincount(bins, np.log(values), count)
            return np.where(number > 0, np.exp(total / np.maximum(number, 1)), np.nan)

        middle = np.sqrt(self.edges[:-1] * (self.edges[1:] - 1.0))
        return middle, means(self.mass), means(self.gyration_radius), number


def cluster_masses(sample: Sample) -> ClusterMasses | None:
    """Masses and radii of all clusters of a state; None if clusters are not known."""
    if sample.cluster is None:
        return None
    rows, sizes = np.unique(sample.cluster, return_inverse=True, return_counts=True)[1:]
    points, there = sample.positions, sizes > 1
    if sample.periodic.any and there.any():
        image, together = layouts(sample.state, rows, sizes)
        points, there = points + image * sample.box, there & together
    masses = np.ones(sample.count) if sample.masses is None else sample.masses / sample.masses.mean()
    off = points - cluster_means(rows, masses, points)[rows]
    mass = np.bincount(rows, masses).astype(np.float64)
    radius = np.sqrt(np.bincount(rows, masses * np.square(off).sum(axis=1)) / mass)
    there_and_wide = there & (radius > 0.0)  # discs with the same centre have no radius
    order = np.argsort(mass[there_and_wide], kind="stable")
    return ClusterMasses(
        mass[there_and_wide][order],
        radius[there_and_wide][order],
        sample.state.mean_radius,
        int(((sizes > 1) & ~there).sum()),
        size_bins(sample.count),
    )


def _as_json(found: ClusterMasses) -> dict[str, Any]:
    mass, _, radius, number = found.binned()
    fit = found.fit
    return {
        "mass": mass.tolist(),
        "gyration_radius": [None if one != one else one for one in radius.tolist()],
        "clusters": number.tolist(),
        "without": found.without,
        "fit": fit
        and {"dimension": fit.exponent, "error": fit.error, "prefactor": fit.amplitude, "clusters": fit.count},
    }


CLUSTER_MASSES = Indicator(
    "cluster_masses",
    "radius of gyration of clusters",
    cluster_masses,
    "R_g",
    to_json=_as_json,
    in_words=unsaid,
    of_clusters=True,
    dimensions=ANY,
    averaging=None,
)
