"""The last minutes of a run, kept in memory to be looked at again. Belongs to the simulation's thread."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.recorded import cluster_sizes
from aggviewer.session.replay_index import large_merges
from engine.simulation import Frame

USUAL_BUDGET = 512 << 20
"""Bytes that the past may take unless the person says otherwise."""

_COVERS = 180.0  # seconds of wall time that should fit into the budget
_FINEST = 1.0 / 20.0  # seconds of wall time between two frames that are kept, at least


class Memory:
    """Frames of all lanes at common times, the oldest dropped first; one frame at least stays.

    budget : bytes. The interval between two frames grows with their size, so that some minutes fit in.
    """

    def __init__(self, budget: int = USUAL_BUDGET) -> None:
        self.budget = budget
        self._frames: list[tuple[Frame, ...]] = []
        self._times: list[float] = []
        self._largest: list[int] = []  # cluster of the first lane
        self._bytes = 0
        self._kept_at = -np.inf

    def clear(self) -> None:
        """Forget everything: another system."""
        self._frames.clear()
        self._times.clear()
        self._largest.clear()
        self._bytes = 0
        self._kept_at = -np.inf

    @property
    def times(self) -> NDArray[np.float64]:
        """Simulation times of the frames, (K,), rising."""
        return np.array(self._times)

    @property
    def span(self) -> tuple[float, float] | None:
        """The first and the last time, None while there is none."""
        return (self._times[0], self._times[-1]) if self._times else None

    @property
    def marks(self) -> NDArray[np.float64]:
        """Times at which the largest cluster grew by a good part of all discs."""
        count = len(self._frames[0][0].cluster) if self._frames else 0
        return large_merges(self.times, np.array(self._largest, np.int64), count)

    def due(self, now: float, discs: int) -> bool:
        """Whether a frame should be kept at wall time `now`, of so many discs in all lanes."""
        capacity = max(1.0, self.budget / (_BYTES_PER_DISC * max(discs, 1)))
        return now - self._kept_at >= max(_FINEST, _COVERS / capacity)

    def keep(self, now: float, frames: Sequence[Frame]) -> None:
        """Take these frames, the caller's no more; a later run from an earlier time replaces what came after it."""
        time = frames[0].time
        while self._times and self._times[-1] >= time:
            self._drop(len(self._times) - 1)
        self._frames.append(tuple(frames))
        self._times.append(time)
        self._largest.append(int(cluster_sizes(frames[0].cluster).max()))
        self._bytes += _bytes_of(frames)
        self._kept_at = now
        while self._bytes > self.budget and len(self._times) > 1:
            self._drop(0)

    def at(self, time: float) -> tuple[Frame, ...] | None:
        """The frames at `time`, or the last ones before it; the first ones where there are none before. None while
        there are none at all."""
        if not self._times:
            return None
        return self._frames[max(0, bisect_right(self._times, time) - 1)]

    @property
    def nbytes(self) -> int:
        """Bytes of all frames that are kept."""
        return self._bytes

    def thin(self) -> bool:
        """Let every second frame go, but keep the first and the last; False where there is none left to let go."""
        gone = range(len(self._times) - 2, 0, -2)
        for index in gone:
            self._drop(index)
        return len(gone) > 0

    def copy(self) -> Memory:
        """The same frames, which are not copied, for another run that begins where this one is."""
        other = Memory(self.budget)
        other._frames, other._times, other._largest = list(self._frames), list(self._times), list(self._largest)
        other._bytes, other._kept_at = self._bytes, self._kept_at
        return other

    def _drop(self, index: int) -> None:
        self._bytes -= _bytes_of(self._frames.pop(index))
        self._times.pop(index)
        self._largest.pop(index)


_BYTES_PER_DISC = 36  # position, velocity, cluster: what every frame has


def _bytes_of(frames: Sequence[Frame]) -> int:
    return sum(frame.nbytes for frame in frames)
