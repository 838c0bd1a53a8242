"""Recorded frames used in place of a simulation: of a recording, or of a precomputed run, exact to the bit, in a small
file that comes with the program.

Clusters of the event-driven method are rigid and only translate, so a few numbers give the position of every disc at
any time: origin, velocity and time of each cluster, and the place of each disc in its cluster. The file of a
precomputed run contains these at the start, and then only the changes from frame to frame. Frames are computed with the
same operations in the same order as in the engine, without compiled kernels. `benchmarks/first_minute.py` makes the
files.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from importlib.resources.abc import Traversable
from math import inf
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.log import CANNOT_CHANGE_RECORDING
from aggviewer.session.past.recording import Recording
from engine.boundary import Periodic
from engine.errors import InputError
from engine.frame import Frame, FrameDiscs
from engine.scenario import Scenario
from engine.simulation import Checkpoint, History, Progress, Simulation, Stride
from engine.slices import Steered
from engine.state import InitialState
from engine.words import count


class Replay(Steered):
    """A recording in the form of a simulation (`engine.simulation.Simulation`) at one of its frames. Radii, masses, box
    and boundary are those of the current frame, and also in its `Frame.discs`.

    Parameters
    ----------
    source : a file, which `close` closes, or the run that comes with the program.
    scenario : of a simulation started from it.
    on_cut : called with how many frames of a shortened file are left, and the reason.

    Attributes
    ----------
    source, scenario : as above.
    times : of the frames; fewer if a file was shortened.
    index : of the current frame.
    """

    method = "recording"
    tunable: frozenset[str] = frozenset()

    def __init__(
        self,
        source: Recording | RecordedRun,
        scenario: Scenario,
        on_cut: Callable[[str, str], None] = lambda left, why: None,
    ) -> None:
        self.scenario = scenario
        self.system: str = scenario.system
        self.source = source
        self.count = source.count
        first = source.first
        self.radii, self.masses, self.box = first.radii, first.masses, first.box
        self.times: NDArray[np.float64] = source.times
        self._on_cut = on_cut
        self._closed = False
        self._show(0)

    def close(self, patience: float | None = None) -> bool:
        """Release the file; False if background reading takes longer than `patience` seconds to stop."""
        if not self._closed:
            self._closed = True
            self.source.close()
        return self.source.wait_closed(patience)

    def shared(self) -> Replay:
        """Another `Replay` of the same recording, at the same frame."""
        other = Replay(self.source.share(), self.scenario, self._on_cut)
        other.go_to(self.index)
        return other

    @property
    def span(self) -> tuple[float, float]:
        """The first and last time."""
        return float(self.times[0]), float(self.times[-1])

    @property
    def marks(self) -> NDArray[np.float64]:
        """Times of large merges, as far as known: (k,), ascending."""
        return self.source.marks

    @property
    def time(self) -> float:
        """Time of the current frame."""
        return float(self.times[self.index])

    def go_to(self, index: int) -> None:
        """Go to the nearest existing frame."""
        index = min(max(index, 0), len(self.times) - 1)
        if index != self.index:
            try:
                self._show(index)
            except InputError as error:
                self._cut_before(index, error)

    def frame_at(self, index: int) -> Frame:
        """A frame, which need not be the current one. InputError if it cannot be read."""
        frame = self.source.at(index)
        frame.time = float(self.times[index])
        return frame

    def _show(self, index: int) -> None:
        self._keep(self.frame_at(index))
        self.index = index

    def _keep(self, frame: Frame) -> None:
        """Make this the current frame, with its discs. Arrays with unchanged values stay the same objects."""
        now = frame.discs
        assert now is not None  # set by the recording
        for name in ("radii", "masses", "box"):
            if np.array_equal(getattr(self, name), getattr(now, name)):
                now = replace(now, **{name: getattr(self, name)})
        frame.discs = now
        self.radii, self.masses, self.box, self.periodic = now.radii, now.masses, now.box, now.periodic
        self._frame = frame

    def _cut_before(self, unreadable: int, error: InputError) -> None:
        """The file was shortened after it was opened: report it, and continue with the remaining frames."""
        left, before = 0, len(self.times)
        while left < unreadable:  # frames below `left` can be read, `unreadable` and those after it cannot
            middle = (left + unreadable) // 2
            try:
                self.source.at(middle)
                left = middle + 1
            except InputError:
                unreadable = middle
        if left > 0:
            self.times = self.times[:left]
            self._show(left - 1)
        else:  # no frame can be read any more: only the one on the screen is left
            self.times, self.index = self.times[self.index : self.index + 1], 0
        self._on_cut(f"{count(left) if left else 'none'} of its {count(before)} frames can still be read", str(error))

    def index_at(self, time: float) -> int:
        """The frame at `time`, or the last one before it."""
        return max(0, int(np.searchsorted(self.times, time, side="right")) - 1)

    def progress(self) -> Progress:
        """The position in the recording, in the form of a simulation's progress."""
        finished = self.index == len(self.times) - 1
        return Progress(self.time, self._frame.clusters, {}, {"frame": self.index}, finished, True)

    def advance(
        self,
        until_time: float = inf,
        budget: float = inf,
        *,
        until_clusters: int = 1,
        max_events: int | None = None,
    ) -> Progress:
        """Advance to the frame at `until_time`."""
        self.go_to(max(self.index, self.index_at(until_time)))
        return self.progress()

    def stride(self, frames: float = 1.0) -> Stride:
        """The distance to the next frame of the file."""
        return Stride(float(self.times[min(self.index + 1, len(self.times) - 1)]))

    def frame(self, out: Frame | None = None) -> Frame:
        """The current frame."""
        out = Frame.empty(self.count) if out is None else out
        out.take(self._frame)
        return out

    def settled(self) -> Frame:
        """The current frame."""
        return self.frame()

    def history(self) -> History:
        """The history up to the current frame; only that frame until all earlier ones have been read."""
        known = self.source.history(self.index)
        if known is not None:
            return known
        kept = self._frame
        return History(np.array([kept.time]), np.array([kept.clusters]), np.array([kept.kinetic_energy]))

    def state(self) -> InitialState:
        """The state from which a simulation can start at the current frame."""
        kept = self.frame()
        return InitialState(
            kept.positions, kept.velocities, self.radii, self.masses, kept.cluster, self.box, self.periodic
        )

    def invariants(self) -> dict[str, float]:
        """Nothing: a recording has no numerical errors."""
        return {}

    def set(self, key: str, value: Any) -> None:
        """InputError: a recording cannot be changed."""
        raise InputError(CANNOT_CHANGE_RECORDING, key)

    def checkpoint(self) -> Checkpoint:
        """InputError: a recording has no checkpoint."""
        raise InputError(CANNOT_CHANGE_RECORDING)


CLUSTER_COLUMNS = ("x", "y", "vx", "vy", "time")
"""The motion of a cluster: the origin of its frame at a time, and its velocity."""


class RecordedRun:
    """A source (`aggviewer.session.past.memory.Source`) of the frames of a precomputed run. Moving forward costs only
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
        periodic = Periodic.of_code(int(arrays["periodic"]), len(box))
        self.first, self.count = FrameDiscs(radii, masses, box, periodic, scenario), len(radii)
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
        """Compute the states of clusters and discs in frame `index`."""
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
            if self.first.periodic[axis]:
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
        """Return this object, which all users may share."""
        return self

    def close(self) -> None:
        """Nothing: all of it is in memory."""

    def wait_closed(self, patience: float | None = None) -> bool:
        """True: it has no thread."""
        return True

    def _rows(self, frames: str, index: int) -> range:
        """The numbers of the changes between the frame reached and frame `index`.

        frames : the name of the array with their frames.
        """
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
