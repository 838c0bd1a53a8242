"""The past of a run, kept in memory to be looked at again. Belongs to the simulation's thread."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.frame import Frame

USUAL_BUDGET = 512 << 20
"""Bytes that the past may take unless the person says otherwise."""

MOST_MARKS = 200
"""Marks on a timeline, the largest ones where there are more."""

MOST_FRAMES = 4000
"""Frames that are kept at most; more would not be told apart on a line of time."""

_LARGE = 0.05  # share of all discs by which the largest cluster grows in a merge that is worth a mark
_BYTES_PER_DISC = 36  # position, velocity, cluster: what every frame has
_COVERS = 180.0  # seconds of wall time that should fit into the budget
_FINEST = 1.0 / 20.0  # least seconds of wall time between two frames that are kept only because time has passed
_THINNED = 0.125  # share of the frames that goes where there are too many
# Counts of frames as they are seen: with room for _PLENTY every one is kept, with less room at least one in _SPARSE,
# unless a run of _ENOUGH frames would then find no room
_PLENTY, _ENOUGH, _SPARSE = 8000.0, 400.0, 4.0


class KeptFrames:
    """Frames of all lanes at common times. Where they are too many they are thinned, not cut off: they stay spread over
    the logarithm of time, over the merges, and over the last moments. First and last frame always stay.

    budget : bytes that they may take.
    """

    def __init__(self, budget: int = USUAL_BUDGET) -> None:
        self.budget = budget
        self._frames: list[tuple[Frame, ...]] = []
        self._times: list[float] = []
        self._largest: list[int] = []  # cluster of the first lane
        self._stamps: list[float] = []  # times at which a person has moved a disc
        self._bytes = 0
        self._kept_at = -np.inf

    def set_budget(self, budget: int) -> None:
        """Bytes that the frames may take from now on."""
        self.budget = budget
        self.fit()

    @property
    def times(self) -> NDArray[np.float64]:
        """Simulation times of the frames, (K,), rising."""
        return np.array(self._times)

    def frames_of(self, lane: int) -> tuple[Frame, ...]:
        """The frames of one lane, which nobody changes any more."""
        return tuple(frames[lane] for frames in self._frames)

    @property
    def clusters(self) -> NDArray[np.int64]:
        """Clusters in all lanes together, (K,)."""
        return np.array([sum(frame.clusters for frame in frames) for frames in self._frames], np.int64)

    @property
    def span(self) -> tuple[float, float] | None:
        """The first and the last time, None while there is none."""
        return (self._times[0], self._times[-1]) if self._times else None

    @property
    def nbytes(self) -> int:
        """Bytes that the frames take."""
        return self._bytes

    @property
    def marks(self) -> NDArray[np.float64]:
        """Times at which the largest cluster grew by a good part of all discs, or a person has moved one."""
        count = len(self._frames[0][0].cluster) if self._frames else 0
        merges = large_merges(self.times, np.array(self._largest, np.int64), count)
        return np.union1d(merges, self._stamps) if self._stamps else merges

    def stamp(self, time: float) -> None:
        """Mark a time, that of the newest frame, at which a person has moved a disc."""
        self._stamps.append(time)

    def due(self, now: float, discs: int) -> bool:
        """Whether a frame should be kept at wall time `now`, of so many discs in all lanes, whatever has happened."""
        return now - self._kept_at >= max(_FINEST, _COVERS / self._capacity(discs))

    def frames_apart(self, discs: int) -> float:
        """How many frames of a run that is seen (`engine.simulation.Simulation.stride`) lie between two that are kept,
        with so many discs in all lanes: the smaller the frames, the fewer."""
        capacity = self._capacity(discs)
        return max(min(max(1.0, _PLENTY / capacity), _SPARSE), _ENOUGH / capacity)

    def _capacity(self, discs: int) -> float:
        return max(1.0, self.budget / (_BYTES_PER_DISC * max(discs, 1)))

    def keep(self, now: float, frames: Sequence[Frame]) -> None:
        """Take these frames, the caller's no more; a later run from an earlier time replaces what came after it."""
        time = time_of(frames)
        while self._times and self._times[-1] >= time:
            self._drop(len(self._times) - 1)
        self._stamps = [one for one in self._stamps if one <= time]
        self._frames.append(tuple(frames))
        self._times.append(time)
        self._largest.append(int(cluster_sizes(frames[0].cluster).max()))
        self._bytes += _bytes_of(frames)
        self._kept_at = now
        self.fit()

    def fit(self) -> None:
        """Drop frames that are close to others until there are not too many; the newest one always stays."""
        while len(self._times) > 1 and (self._bytes > self.budget or len(self._times) > MOST_FRAMES):
            self._drop_all(self._spare(_THINNED))

    def thin(self) -> bool:
        """Drop half of the frames, but neither the first nor the last; False where no others are left."""
        if len(self._times) <= 2:
            return False
        self._drop_all(self._spare(0.5))
        return True

    def _drop_all(self, indices: list[int]) -> None:
        for index in sorted(indices, reverse=True):
            self._drop(index)

    def _spare(self, share: float) -> list[int]:
        """About such a share of the frames, those that are missed least, no two of them neighbours; the first one only
        where nothing else is left but the last."""
        count = len(self._times)
        if count <= 2:
            return [0]
        place = _spread(self.times, self.clusters)
        gap = place[2:] - place[:-2]  # that each of them would leave
        spare: list[int] = []
        taken = np.zeros(count, bool)
        for index in (1 + np.argsort(gap, kind="stable")).tolist():
            if len(spare) >= max(1, int(share * count)):
                break
            if not (taken[index - 1] or taken[index + 1]):
                taken[index] = True
                spare.append(index)
        return spare

    def at(self, index: int) -> tuple[Frame, ...]:
        """The frames of all lanes at the common time of this number: it is a source
        (`aggviewer.session.past.source.Source`)."""
        return self._frames[index]

    def at_time(self, time: float) -> tuple[Frame, ...] | None:
        """The frames at `time`, or the last ones before it; the first ones where there are none before. None while
        there are none at all."""
        if not self._times:
            return None
        return self._frames[max(0, bisect_right(self._times, time) - 1)]

    def copy(self) -> KeptFrames:
        """A second list of these frames, which are shared, for another run that begins where this one is."""
        other = KeptFrames(self.budget)
        other._frames, other._times, other._largest = list(self._frames), list(self._times), list(self._largest)
        other._bytes, other._kept_at, other._stamps = self._bytes, self._kept_at, list(self._stamps)
        return other

    def _drop(self, index: int) -> None:
        self._bytes -= _bytes_of(self._frames.pop(index))
        self._times.pop(index)
        self._largest.pop(index)


def time_of(frames: Sequence[Frame]) -> float:
    """The simulation time of frames side by side: that of a lane which has come to its end stays behind."""
    return max(frame.time for frame in frames)


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


def _spread(times: NDArray[np.float64], clusters: NDArray[np.int64]) -> NDArray[np.float64]:
    """The coordinate of each frame, (K,), in which those that are kept should be evenly spread. It rises; the logarithm
    of time, the merges and the logarithm of how long ago it was each make up a third of it. K >= 3."""
    since = times - times[0]
    ago = times[-1] - times
    last = np.log(np.maximum(ago, ago[-2])) if ago[-2] > 0.0 else np.zeros(len(times))
    parts = (np.log(np.maximum(since, since[1])), -clusters.astype(np.float64), -last)
    total = np.zeros(len(times))
    for part in parts:
        length = part[-1] - part[0]
        if length > 0.0:
            total += (part - part[0]) / length
    return total


def _bytes_of(frames: Sequence[Frame]) -> int:
    return sum(frame.nbytes for frame in frames)
