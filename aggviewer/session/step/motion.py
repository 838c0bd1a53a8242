"""Where the discs of a traced step are: during the flight, and after any iteration. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:  # the engine's kernels are imported by the worker, after the window is up
    from engine.aggregation.time_stepping.trace import StepTrace


Floats = NDArray[np.float64]


def nearest_image(vectors: Floats, box: Floats, periodic: bool) -> Floats:
    """Vectors (K, 2) between two places, the shortest ones where the box is periodic."""
    return vectors - box * np.rint(vectors / box) if periodic else vectors


class Flight:
    """The free flight, straight for all but the clusters that a wall turns round."""

    def __init__(self, trace: StepTrace, radii: Floats, box: ArrayLike, periodic: bool) -> None:
        self._trace = trace
        self._box = np.asarray(box, dtype=np.float64)
        self._periodic = periodic
        self._path = trace.velocities_before * trace.dt
        off = nearest_image(trace.flown - trace.before - self._path, self._box, periodic)
        bent = np.abs(off).max(axis=1, initial=0.0) > 1e-9 * float(self._box.max())
        self.bent = np.flatnonzero(np.isin(trace.clusters_before, trace.clusters_before[bent]))
        """The discs of the clusters that do not fly straight."""
        if len(self.bent):
            self._extents(radii)

    def _extents(self, radii: Floats) -> None:
        at = self._trace.before[self.bent]
        _, label = np.unique(self._trace.clusters_before[self.bent], return_inverse=True)
        low = np.full((int(label.max()) + 1, 2), np.inf)
        high = -low
        np.minimum.at(low, label, at - radii[self.bent, None])
        np.maximum.at(high, label, at + radii[self.bent, None])
        self._low = low[label]
        self._room = np.maximum(self._box - (high - low), 1e-12 * self._box)[label]
        # what the engine has decided stands: both ends are met, whatever was wedged or pushed through a wall
        self._first = at - self._folded(0.0)
        self._last = self._trace.flown[self.bent] - self._folded(1.0)

    def _folded(self, share: float) -> Floats:
        """Places of the bent discs: a cluster goes to and fro in the room that the walls leave it (2.2)."""
        place = np.mod(self._low + share * self._path[self.bent], 2.0 * self._room)
        folded = np.where(place > self._room, 2.0 * self._room - place, place)
        places: Floats = self._trace.before[self.bent] + folded - self._low
        return places

    def positions(self, share: float) -> Floats:
        """(N, 2) after this share of Δt, 0…1; ends exactly where the engine's flight ends."""
        if share <= 0.0:
            return self._trace.before
        if share >= 1.0:
            return self._trace.flown
        out = self._trace.before + share * self._path
        if self._periodic:
            out %= self._box
        elif len(self.bent):
            out[self.bent] = self._folded(share) + (1.0 - share) * self._first + share * self._last
        return out


class Iterations:
    """`StepTrace.positions` for any order of iterations, at the cost of what moves between two of them.

    Every record is kept with the place that it replaces, so that going back is as cheap as going on.
    """

    def __init__(self, trace: StepTrace) -> None:
        disc, frame = trace.record_disc.astype(np.int64), trace.record_frame
        # groups of one round may share a disc: as in `positions`, the later record counts as soon as it is there
        order = np.lexsort((np.arange(len(disc)), frame, disc))
        disc, frame = disc[order], frame[order]
        newest = np.maximum.accumulate(order + disc * (len(order) + 1)) if len(order) else order
        stays = newest == order + disc * (len(order) + 1)
        last_of_frame = np.ones(len(order), bool)
        last_of_frame[:-1] = (disc[1:] != disc[:-1]) | (frame[1:] != frame[:-1])
        keep = stays & last_of_frame
        disc, frame, place = disc[keep], frame[keep], trace.record_position[order[keep]]
        replaced = np.empty_like(place)
        replaced[1:] = place[:-1]
        first = np.ones(len(disc), bool)
        first[1:] = disc[1:] != disc[:-1]
        replaced[first] = trace.flown[disc[first]]
        by_frame = np.argsort(frame, kind="stable")
        self._disc, self._place, self._replaced = disc[by_frame], place[by_frame], replaced[by_frame]
        self.count = len(trace.residual)
        self._starts = np.searchsorted(frame[by_frame], np.arange(self.count + 1))
        self._now = 0
        self._positions = trace.flown.copy()
        self.moved = np.unique(disc)
        """The discs that any iteration moves."""

    def positions(self, iteration: int) -> Floats:
        """(N, 2) after `iteration` iterations, 0…Q; the array is changed by the next call."""
        a, b = self._starts[self._now], self._starts[iteration]
        # where a disc stands several times in a slice the last one counts
        if b > a:
            self._positions[self._disc[a:b]] = self._place[a:b]
        elif b < a:
            self._positions[self._disc[b:a][::-1]] = self._replaced[b:a][::-1]
        self._now = iteration
        return self._positions
