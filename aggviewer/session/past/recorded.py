"""Frames as files hold them, in the form in which simulations give theirs, and what a timeline marks of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.files import FileFrame
from engine.simulation import Frame

_LARGE = 0.05  # share of all discs by which the largest cluster grows in a merge that is worth a mark
MOST_MARKS = 200
"""Marks on a timeline, the largest ones where there are more."""


def large_merges(times: NDArray[np.float64], largest: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """Times of the frames in which the largest cluster, sizes (K,), has grown by a good part of all discs."""
    grown = np.diff(largest, prepend=largest[:1])
    found = np.flatnonzero(grown >= max(2.0, _LARGE * count))
    if len(found) > MOST_MARKS:
        found = np.sort(found[np.argsort(grown[found])[-MOST_MARKS:]])
    return times[found]


def cluster_sizes(cluster: NDArray[np.int32]) -> NDArray[np.int64]:
    """Discs of each cluster that there is, (M,), for labels (N,) >= 0. Labels are usually below N: counted, not
    sorted."""
    if int(cluster.max()) < 8 * len(cluster):
        counts: NDArray[np.int64] = np.bincount(cluster)
        return counts[counts > 0]
    sizes: NDArray[np.int64] = np.unique(cluster, return_counts=True)[1]
    return sizes


def as_frame(
    read: FileFrame,
    time: float,
    masses: NDArray[np.float64] | None = None,
    radii: NDArray[np.float64] | None = None,
) -> Frame:
    """A frame of a file, at `time`. Without velocities its discs are at rest; where it does not say which of them are
    joined, each is alone. masses (N,): None leaves the kinetic energy at 0. radii (N,): those of the first frame, of
    which discs that grow have a multiple."""
    count = len(read.positions)
    velocities = np.zeros((count, 2)) if read.velocities is None else read.velocities
    cluster = np.arange(count, dtype=np.int32) if read.cluster is None else read.cluster
    energy = 0.0 if masses is None else 0.5 * float(np.sum(masses * np.square(velocities).sum(axis=1)))
    grown = 1.0 if radii is None or read.radii is None else float(read.radii.sum() / radii.sum())
    clusters = len(cluster_sizes(cluster))
    fields = {"cluster": cluster, **read.fields}
    return Frame(time, read.positions, velocities, fields, clusters, energy, grown, network=read.network)
