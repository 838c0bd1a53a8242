"""A precomputed run, exact to the bit, in a small file that comes with the program.

Clusters of the event-driven method are rigid and only translate, so a few numbers give the position of every disc at
any time: origin, velocity and time of each cluster, and the place of each disc in its cluster. The file contains these
at the start, and then only the changes from frame to frame. Frames are computed with the same operations in the same
order as in the engine, without compiled kernels.
`benchmarks/first_minute.py` makes the files.
"""

from __future__ import annotations

import zlib
from importlib import resources
from importlib.resources.abc import Traversable
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from engine.frame import Frame, FrameDiscs
from engine.scenario import Scenario
from engine.simulation import History, Simulation

CLUSTER_COLUMNS = ("x", "y", "vx", "vy", "time")
"""The motion of a cluster: the origin of its frame at a time, and its velocity."""


class RecordedRun:
    """A source (`aggviewer.session.past.source.Source`) of the frames of a precomputed run. Moving forward costs only
    the changes; moving back starts again from the first frame. Like a `Recording` it can be played (`Replay`).

    Parameters
    ----------
    arrays : the arrays of the file.
    scenario : the scenario of the run.

    Attributes
    ----------
    times, clusters : (K,), simulation time and number of clusters of each frame.
    count, first : N, and the discs.
    marks : none, as the run itself soon takes over.
    """

    def __init__(self, arrays: dict[str, NDArray[np.generic]], scenario: Scenario) -> None:
        self._arrays = arrays
        self.times: NDArray[np.float64] = arrays["times"].astype(np.float64)
        self.clusters: NDArray[np.int64] = arrays["clusters"].astype(np.int64)
        self._energy: NDArray[np.float64] = arrays["energy"].astype(np.float64)
        radii, masses, box = (arrays[name].astype(np.float64) for name in ("radii", "masses", "box"))
        self.first, self.count = FrameDiscs(radii, masses, box, bool(arrays["periodic"]), scenario), len(radii)
        self.marks: NDArray[np.float64] = np.empty(0)
        self._original = arrays["original"].astype(np.int64)
        self._begin()

    def _begin(self) -> None:
        count = len(self._original)
        self._index = -1
        self._states = np.zeros((count, len(CLUSTER_COLUMNS)))
        self._places = np.zeros((count, 2))
        self._labels = np.zeros(count, np.int32)

    def _go_to(self, index: int) -> None:
        """Move clusters and discs to frame `index`."""
        if index < self._index:
            self._begin()
        of = self._arrays
        for row in self._rows("cluster_frame", index):  # in the order in which they happened: the last one counts
            self._states[of["cluster"][row]] = of["cluster_state"][row]
        for row in self._rows("disc_frame", index):
            disc = of["disc"][row]
            self._places[disc], self._labels[disc] = of["disc_place"][row], of["disc_label"][row]
        self._index = index

    def at(self, index: int) -> Frame:
        """Frame `index` with its own arrays, bit for bit as computed by the engine."""
        self._go_to(index)
        of = self._states[self._labels]
        time = float(self.times[index])
        elapsed = time - of[:, 4]
        count = len(self._original)
        positions, velocities, cluster = np.empty((count, 2)), np.empty((count, 2)), np.empty(count, np.int32)
        for axis in range(2):
            along = of[:, axis] + of[:, 2 + axis] * elapsed + self._places[:, axis]
            if self.first.periodic:
                side = self.first.box[axis]
                along -= side * np.floor(along / side)
            positions[self._original, axis] = along
            velocities[self._original, axis] = of[:, 2 + axis]
        cluster[self._original] = self._original[self._labels]
        energy = float(self._energy[index])
        clusters = int(self.clusters[index])
        return Frame(time, positions, velocities, {"cluster": cluster}, clusters, energy, discs=self.first)

    def history(self, index: int) -> History:
        """Clusters and energy up to frame `index`."""
        end = index + 1
        return History(self.times[:end], self.clusters[:end], self._energy[:end])

    def agrees(self, simulation: Simulation, index: int) -> bool:
        """Whether a simulation at the time of frame `index` has identical bits."""
        mine, other, discs = self.at(index), simulation.frame(), self.first
        pairs = (
            (mine.positions, other.positions),
            (mine.velocities, other.velocities),
            (mine.cluster, other.cluster),
            (discs.radii, simulation.radii),
            (discs.box, simulation.box),
        )
        numbers = (mine.time, mine.clusters, mine.kinetic_energy) == (other.time, other.clusters, other.kinetic_energy)
        return numbers and all(np.array_equal(one, another) for one, another in pairs)

    def share(self) -> RecordedRun:
        """This one."""
        return self

    def close(self) -> None:
        """Nothing: all of it is in memory."""

    def wait_closed(self, patience: float | None = None) -> bool:
        """True: it has no thread."""
        return True

    def _rows(self, frames: str, index: int) -> range:
        """The changes after the frame reached, up to frame `index`; `frames` names the array of their frames."""
        begin, end = np.searchsorted(self._arrays[frames], (self._index, index), side="right")
        return range(int(begin), int(end))


def recorded_run(scenario: Scenario, folder: Traversable | None = None) -> RecordedRun | None:
    """The recording of exactly this scenario, None if there is none or its file cannot be read.

    folder : of the files; None for the bundled ones.
    """
    wanted = scenario.to_toml()
    folder = resources.files("resources") / "recordings" if folder is None else folder
    try:
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
            if entry.name.endswith(".npz"):
                with entry.open("rb") as file, np.load(file, allow_pickle=False) as held:
                    # read, not compared as text: newer versions write more keys
                    if Scenario.from_toml(str(held["scenario"])).to_toml() == wanted:
                        return RecordedRun({name: held[name] for name in held.files if name != "scenario"}, scenario)
    except (OSError, ValueError, KeyError, IndexError, BadZipFile, zlib.error):
        return None  # a missing preview must not prevent the run
    return None
