"""The velocity arrows of a traced step, and who joined whom. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.step.motion import Floats

if TYPE_CHECKING:  # the engine's kernels are imported by the worker, after the window is up
    from engine.aggregation.time_stepping.trace import StepTrace

ARROW_RADII = 3.0
"""Length of the arrow of the fastest disc."""


class Velocities:
    """Where velocities are shown, and how long.

    scale : length of an arrow per speed; flying (M,): a disc of every cluster, near its middle; changed (K,): the discs
    at the new links, and one of every cluster that a wall has turned round; joined : clusters that have become part of
    another one; after_joining : clusters that came out of it; reflected : clusters that were only turned round.
    """

    def __init__(self, trace: StepTrace, radius: float, box: Floats, periodic: bool) -> None:
        fastest = max(float(np.hypot(*v.T).max(initial=0.0)) for v in (trace.velocities_before, trace.velocities_after))
        self.scale = ARROW_RADII * radius / fastest if fastest > 0.0 else 0.0
        self.flying = representatives(trace.clusters_before, trace.before, box, periodic)
        at_links = np.unique(trace.new_links)
        pairs = np.unique(np.stack([trace.clusters_before, trace.clusters_after], axis=1), axis=0)
        came_from = np.bincount(pairs[:, 1])
        self.after_joining = int(np.count_nonzero(came_from > 1))
        self.joined = int(came_from[came_from > 1].sum())
        mixed = came_from[trace.clusters_after[self.flying]] > 1
        turned = np.any(trace.velocities_before[self.flying] != trace.velocities_after[self.flying], axis=1)
        alone = self.flying[turned & ~mixed]
        self.reflected = len(alone)
        self.changed = np.union1d(at_links, alone)


def representatives(cluster: NDArray[np.int32], positions: Floats, box: Floats, periodic: bool) -> NDArray[np.int64]:
    """(M,) of each cluster the disc that is nearest to its middle, in the order of their labels."""
    _, label, sizes = np.unique(cluster, return_inverse=True, return_counts=True)
    if periodic:  # the middle on a circle for each axis: no disc is an edge
        angle = positions * (2.0 * np.pi / box)
        mean = np.stack(
            [
                np.arctan2(np.bincount(label, np.sin(angle[:, k])), np.bincount(label, np.cos(angle[:, k])))
                for k in range(2)
            ],
            axis=1,
        )
        off = angle - mean[label]
        off = (off - 2.0 * np.pi * np.rint(off / (2.0 * np.pi))) * box
    else:
        mean = np.stack([np.bincount(label, positions[:, k]) / sizes for k in range(2)], axis=1)
        off = positions - mean[label]
    order = np.lexsort((np.hypot(off[:, 0], off[:, 1]), label))
    return order[np.concatenate([[0], np.cumsum(sizes)[:-1]])] if len(order) else order
