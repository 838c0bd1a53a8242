"""The growth of clusters: their mean masses, their size distribution, and the exponent of M(t)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.simulation import History

FIRST_SHARE = 0.25
"""The power law of M(t) begins when M is this share of N: then lattice and initial speeds no longer matter."""

LAST_CLUSTERS = 20
"""It ends when this many clusters are left: with fewer, fluctuations dominate."""

_LEVELS = 20  # values of M, at equal ratios, between both ends


def coarsening_exponent(history: History) -> float | None:
    """ξ of M ~ t^-ξ, from a line fit of ln t against ln M; None if M has not fallen by a factor of two in the range.

    Values of M at equal ratios are used, each with the first time at which it is reached, so that the many early merges
    do not dominate.
    """
    first = FIRST_SHARE * float(history.clusters[0])
    last = max(float(LAST_CLUSTERS), float(history.clusters[-1]))
    if last > 0.5 * first:
        return None
    levels = np.geomspace(first, last, _LEVELS)
    rows = np.searchsorted(-history.clusters, -levels, side="left")
    rows = np.unique(np.minimum(rows, len(history.clusters) - 1))
    time, clusters = history.time[rows], history.clusters[rows]
    moved = time > 0.0
    if np.count_nonzero(moved) < 3:
        return None
    x, y = np.log(clusters[moved]), np.log(time[moved])
    slope = float(np.polyfit(x, y, 1)[0])
    return -1.0 / slope if slope < 0.0 else None


def growth(cluster: NDArray[np.int32], masses: NDArray[np.float64]) -> dict[str, Any]:
    """Mean masses and size distribution of clusters, ready for JSON.

    Parameters
    ----------
    cluster : (N,), discs with the same number belong together; masses : (N,).

    Returns
    -------
    ``mean_cluster_mass``, and ``weighted_cluster_mass`` (weighted by mass), both over the mean mass of a disc;
    ``size_distribution``: ``edges`` of bins at powers of two up to N, and ``density``, the share of the clusters for
    each size s in discs.
    """
    of_disc = np.unique(cluster, return_inverse=True)[1]
    size = np.bincount(of_disc)
    mass = np.bincount(of_disc, weights=masses) / float(masses.mean())
    edges = 2 ** np.arange(len(cluster).bit_length() + 1)
    counts = np.histogram(size, edges)[0]
    return {
        "mean_cluster_mass": float(mass.mean()),
        "weighted_cluster_mass": float(np.square(mass).sum() / mass.sum()),
        "size_distribution": {"edges": edges.tolist(), "density": (counts / (len(size) * np.diff(edges))).tolist()},
    }
