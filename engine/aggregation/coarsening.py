"""How clusters grow: their mean masses, how many there are of each size, and the power of time by which M falls."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.simulation import History

FIRST_SHARE = 0.25
"""The power law of M(t) begins where this share of the discs are left as clusters: lattice and speeds are forgotten."""

LAST_CLUSTERS = 20
"""It ends where so many clusters are left: of fewer, each merge is a matter of chance."""

_LEVELS = 20  # of M, at equal ratios, between both ends


def coarsening_exponent(history: History) -> float | None:
    """ξ of M ~ t^-ξ, from the line through ln t over ln M; None where M has not fallen by a factor of two in the range.

    M counts at equal ratios, each with the first time at which there are that few clusters, so that the early merges,
    which are most of all, do not decide.
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
    """Mean masses and sizes of clusters, ready for JSON.

    Parameters
    ----------
    cluster : (N,), discs with the same number belong together; masses : (N,).

    Returns
    -------
    ``mean_cluster_mass`` of a cluster, ``weighted_cluster_mass`` of the cluster that a bit of mass is in, both over the
    mean mass of a disc; ``size_distribution``: ``edges`` of bins at powers of two up to N, and ``density``, the share
    of the clusters for each size s in discs.
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
