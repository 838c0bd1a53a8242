"""Sizes of clusters, and the largest one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError


def cluster_sizes(cluster: NDArray[np.int32]) -> dict[int, int]:
    """Number of clusters of each size (in discs), sizes ascending.

    cluster : (N,) integers, discs with the same number belong together. Raises InputError for anything else.
    """
    sizes, number = np.unique(counts_by_name(check_labels(cluster))[1], return_counts=True)
    return {int(size): int(n) for size, n in zip(sizes, number, strict=True)}


def largest_cluster(cluster: NDArray[np.int32]) -> NDArray[np.int64]:
    """Discs of the cluster with the most discs, ascending; of equal ones the one with the lowest name."""
    names, sizes = counts_by_name(cluster)
    return np.flatnonzero(cluster == names[sizes.argmax()])


def counts_by_name(cluster: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Names in use, ascending, and the number of discs of each."""
    names, sizes = np.unique(cluster, return_counts=True)
    return names, sizes


def check_labels(cluster: object, count: int | None = None) -> NDArray[np.int32]:
    """`cluster` as an array of integers, one for each of `count` discs; InputError where it is not."""
    labels = np.asarray(cluster)
    if labels.ndim != 1 or (count is not None and len(labels) != count):
        wanted = "one number for each disc" if count is None else f"{count} numbers, one for each disc"
        raise InputError(f"cluster must be {wanted}, not {' by '.join(map(str, labels.shape))}", "cluster")
    if labels.dtype.kind not in "iu" and labels.size:
        raise InputError("cluster must be whole numbers", "cluster")
    return labels
