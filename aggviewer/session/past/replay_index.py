"""A pass over a recording in the background: clusters, energy and the largest cluster of every frame."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.past.recorded import as_frame, cluster_sizes
from engine.files import open_trajectory
from engine.simulation import History

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


class ReplayIndex:
    """Reads the file with a handle of its own. What is known grows from the first frame on."""

    def __init__(self, path: str, times: NDArray[np.float64], masses: NDArray[np.float64]) -> None:
        self._path = path
        self._times = times
        self._masses = masses
        frames = len(times)
        self.clusters = np.zeros(frames, np.int64)
        self.largest = np.zeros(frames, np.int64)
        self.energy = np.zeros(frames)
        self.known = 0
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="aggviewer-replay-index", daemon=True)
        self._thread.start()

    def history(self, index: int) -> History | None:
        """From the first frame to frame `index`, None while that is not known yet."""
        if index >= self.known:
            return None
        end = index + 1
        return History(self._times[:end], self.clusters[:end], self.energy[:end])

    @property
    def marks(self) -> NDArray[np.float64]:
        """Times of large merges, as far as they are known."""
        known = self.known
        return large_merges(self._times[:known], self.largest[:known], len(self._masses))

    def close(self, patience: float | None = None) -> bool:
        """Stop and join the thread; False where that takes longer than `patience` seconds."""
        self._closing.set()
        self._thread.join(patience)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._read(self._closing.is_set)
        except Exception:  # a damaged frame: it is told when it is shown, and what is known stays
            return

    def _read(self, closing: Callable[[], bool]) -> None:
        with open_trajectory(self._path) as trajectory:
            for index in range(len(self._times)):
                if closing():
                    return
                frame = as_frame(trajectory[index], float(self._times[index]), self._masses)
                self.clusters[index] = frame.clusters
                self.largest[index] = cluster_sizes(frame.cluster).max()
                self.energy[index] = frame.kinetic_energy
                self.known = index + 1
