"""The cluster size distribution and its scaling while clusters grow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.analysis.state import Floats, Longs

_PER_DOUBLING = 2  # bins


@dataclass(frozen=True, eq=False)
class ClusterSizeDistribution:
    """n_s, the number of clusters of s discs, in bins that are about equally wide in log s.

    Attributes
    ----------
    edges : (B + 1,), whole numbers: a bin contains the sizes from its lower edge up to one less than its upper edge.
    density : (B,), n_s averaged over the whole sizes of each bin.
    number_mean : sum of s n_s over sum of n_s, the size of a cluster that is picked at random.
    weight_mean : S = sum of s^2 n_s over sum of s n_s, the size of the cluster of a disc that is picked at random.
    """

    edges: Longs
    density: Floats
    number_mean: float
    weight_mean: float

    @property
    def sizes(self) -> Floats:
        """(B,), the geometric mean of the smallest and the largest size of each bin."""
        return np.sqrt(self.edges[:-1] * (self.edges[1:] - 1.0))

    @property
    def counts(self) -> Floats:
        """(B,), clusters in each bin."""
        return self.density * np.diff(self.edges)

    def scaled(self) -> tuple[Floats, Floats]:
        """s / S and s^2 n_s / N, each (B,), with the number N of discs.

        If n_s(t) = s^-2 f(s / S(t)), the curves of all times collapse on f (Vicsek and Family 1984).
        """
        sizes, count = self.sizes, self.number_mean * float(self.counts.sum())
        return sizes / self.weight_mean, sizes**2 * self.density / count


def size_distribution(number: dict[int, int]) -> ClusterSizeDistribution:
    """The distribution of the sizes of clusters. number : of clusters by size, as of `cluster_sizes`."""
    size = np.array(list(number), np.int64)
    found = np.array(list(number.values()), np.float64)
    discs = float((size * found).sum())
    doublings = int(np.ceil(np.log2(float(size.max()) + 1.0)))
    powers = 2.0 ** (np.arange(doublings * _PER_DOUBLING + 1) / _PER_DOUBLING)
    edges = np.unique(np.ceil(powers - 1e-9).astype(np.int64))
    edges = edges[: int(np.searchsorted(edges, size.max(), side="right")) + 1]
    counts = np.bincount(np.searchsorted(edges, size, side="right") - 1, found, len(edges) - 1)
    return ClusterSizeDistribution(
        edges, counts / np.diff(edges), discs / float(found.sum()), float((size**2 * found).sum()) / discs
    )
