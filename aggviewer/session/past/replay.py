"""A recording in the place of a simulation."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.past.memory import cluster_sizes, large_merges
from engine.errors import InputError
from engine.files import FileFrame, Trajectory, open_trajectory
from engine.frame import Frame, FrameDiscs
from engine.simulation import Checkpoint, History, Progress, Stride
from engine.slices import Steered
from engine.state import InitialState, masses_of

if TYPE_CHECKING:
    from engine.scenario import Scenario

_POLL = 0.02  # seconds

NOT_MEASURED = "a recording has no numbers of its own; start a new simulation from one of its frames"
NOT_TUNED = "a recording cannot be changed; start a new simulation from one of its frames"
NOT_COMPARED = "A recording cannot be compared; start a new simulation from one of its frames"


class Replay(Steered):
    """A file with several frames in the form of a simulation (`engine.simulation.Simulation`) that has reached one of
    them. Where the file does not say the times, they are 0, 1, 2, …; where it says no clusters, every disc is alone.
    Radii, masses, box and boundary are those of the frame that is shown; its `Frame.discs` holds them too.

    Parameters
    ----------
    trajectory : the file.
    box : (2,), for frames without one.
    scenario : of a simulation that starts from the file.

    Raises
    ------
    InputError
        Where the file does not say the radii.
    """

    method = "recording"
    tunable: frozenset[str] = frozenset()

    def __init__(self, trajectory: Trajectory, box: NDArray[np.float64], scenario: Scenario) -> None:
        self.scenario = scenario
        self.system: str = scenario.system
        first = trajectory[0]
        if first.radii is None:
            raise InputError(
                f"{trajectory.path} does not say the radii of its discs; add a column or property named radius",
                str(trajectory.path),
            )
        self.trajectory = trajectory
        self.count = trajectory.count
        masses = masses_of(first.radii) if first.masses is None else first.masses
        sides = box if first.box is None else first.box
        self._first = FrameDiscs(first.radii, masses, sides, bool(first.periodic), scenario)
        self.radii, self.masses, self.box = self._first.radii, self._first.masses, self._first.box
        times = trajectory.times
        known = len(times) > 0 and bool(np.isfinite(times).all()) and bool((np.diff(times) > 0.0).all())
        self.times: NDArray[np.float64] = times if known else np.arange(len(trajectory), dtype=np.float64)
        self.on_cut: Callable[[str, str], None] = lambda what, why: None
        """Told in a sentence what is left of a file that has become shorter, and why."""
        self.index = 0
        self._keep(as_frame(first, self.time, self._first))
        self.past = ReplayIndex(str(trajectory.path), self.times, self._first)

    def close(self, patience: float | None = None) -> bool:
        """Close the file; False where the pass over it takes longer than `patience` seconds to stop."""
        self.trajectory.close()
        return self.past.close(patience)

    @property
    def time(self) -> float:
        """Time of the frame that is shown."""
        return float(self.times[self.index])

    def go_to(self, index: int) -> None:
        """Another frame, the nearest one that there is."""
        index = min(max(index, 0), len(self.times) - 1)
        if index != self.index:
            try:
                self._show(index)
            except InputError as error:
                self._cut_before(index, error)

    def _show(self, index: int) -> None:
        self._keep(as_frame(self.trajectory[index], float(self.times[index]), self._first))
        self.index = index

    def _keep(self, frame: Frame) -> None:
        """Show this frame and its discs. An array with the same values as before stays the same object."""
        now = frame.discs
        assert now is not None  # set by `as_frame`
        for name in ("radii", "masses", "box"):
            if np.array_equal(getattr(self, name), getattr(now, name)):
                now = replace(now, **{name: getattr(self, name)})
        frame.discs = now
        self.radii, self.masses, self.box, self.periodic = now.radii, now.masses, now.box, now.periodic
        self._frame = frame

    def _cut_before(self, unreadable: int, error: InputError) -> None:
        """The file has become shorter since it was opened: say so, and go on with the frames that are left."""
        left, before = 0, len(self.times)
        while left < unreadable:  # frames below `left` can be read, `unreadable` and those after it cannot
            middle = (left + unreadable) // 2
            try:
                self.trajectory[middle]
                left = middle + 1
            except InputError:
                unreadable = middle
        if left > 0:
            self.times = self.times[:left]
            self._show(left - 1)
        else:  # what is shown is all that there is
            self.times, self.index = self.times[self.index : self.index + 1], 0
        name = self.trajectory.path.name
        frames = f"{left} of its {before} frames are left" if left else f"none of its {before} frames can be read"
        self.on_cut(f"the recording {name} has become shorter while it was played: {frames}", str(error))

    def index_at(self, time: float) -> int:
        """The frame at `time`, or the last one before it."""
        return max(0, int(np.searchsorted(self.times, time, side="right")) - 1)

    def progress(self) -> Progress:
        """Where it is."""
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
        """On to the frame at `until_time`."""
        self.go_to(max(self.index, self.index_at(until_time)))
        return self.progress()

    def stride(self, frames: float = 1.0) -> Stride:
        """One frame of the file."""
        return Stride(float(self.times[min(self.index + 1, len(self.times) - 1)]))

    def frame(self, out: Frame | None = None) -> Frame:
        """The frame that is shown."""
        out = Frame.empty(self.count) if out is None else out
        out.take(self._frame)
        return out

    def settled(self) -> Frame:
        """The frame that is shown."""
        return self.frame()

    def history(self) -> History:
        """Up to the frame that is shown; that frame alone until all before it have been read."""
        known = self.past.history(self.index)
        if known is not None:
            return known
        kept = self._frame
        return History(np.array([kept.time]), np.array([kept.clusters]), np.array([kept.kinetic_energy]))

    def state(self) -> InitialState:
        """What a simulation needs to start from the frame that is shown."""
        kept = self.frame()
        return InitialState(
            kept.positions, kept.velocities, self.radii, self.masses, kept.cluster, self.box, self.periodic
        )

    def invariants(self) -> dict[str, float]:
        """Nothing is computed, so nothing drifts."""
        return {}

    def set(self, key: str, value: Any) -> None:
        """InputError: a recording is what it is."""
        raise InputError(NOT_TUNED, key)

    def checkpoint(self) -> Checkpoint:
        """InputError: the file is there already."""
        raise InputError(NOT_TUNED)


class ReplayIndex:
    """A pass over a recording in the background, with a handle of its own: clusters, energy and the largest cluster of
    every frame. What is known grows from the first frame on."""

    def __init__(self, path: str, times: NDArray[np.float64], first: FrameDiscs) -> None:
        self._path = path
        self._times = times
        self._first = first
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

    def wait_for(self, index: int) -> None:
        """Wait until frame `index` has been read, or cannot be."""
        while index >= self.known and self._thread.is_alive():
            self._thread.join(_POLL)

    @property
    def marks(self) -> NDArray[np.float64]:
        """Times of large merges, as far as they are known."""
        known = self.known
        return large_merges(self._times[:known], self.largest[:known], len(self._first.radii))

    def close(self, patience: float | None = None) -> bool:
        """Stop and join the thread; False where that takes longer than `patience` seconds."""
        self._closing.set()
        self._thread.join(patience)
        return not self._thread.is_alive()

    def _run(self) -> None:
        # a damaged frame ends it: that is told when the frame is shown, and what is known stays
        with suppress(Exception), open_trajectory(self._path) as trajectory:
            for index in range(len(self._times)):
                if self._closing.is_set():
                    return
                frame = as_frame(trajectory[index], float(self._times[index]), self._first)
                self.clusters[index] = frame.clusters
                self.largest[index] = cluster_sizes(frame.cluster).max()
                self.energy[index] = frame.kinetic_energy
                self.known = index + 1


def as_frame(read: FileFrame, time: float, first: FrameDiscs | None = None) -> Frame:
    """A frame of a file in the form in which simulations give theirs, with its own discs.

    Parameters
    ----------
    read : the frame. Without velocities its discs are at rest; where it does not say which are joined, each is alone.
    time : of the frame.
    first : the discs of the first frame, for what is missing in this one; None leaves out the discs and the energy.
    """
    count = len(read.positions)
    discs = None if first is None else discs_in(read, first)
    velocities = np.zeros((count, 2)) if read.velocities is None else read.velocities
    cluster = np.arange(count, dtype=np.int32) if read.cluster is None else read.cluster
    energy = 0.0 if discs is None else 0.5 * float(np.sum(discs.masses * np.square(velocities).sum(axis=1)))
    clusters = len(cluster_sizes(cluster))
    fields = {"cluster": cluster, **read.fields}
    return Frame(time, read.positions, velocities, fields, clusters, energy, network=read.network, discs=discs)


def discs_in(read: FileFrame, first: FrameDiscs) -> FrameDiscs:
    """The discs of a frame of a file: its own radii, masses, box and boundary, else those of the first frame. If it
    has radii but no masses, the masses are proportional to the areas."""
    radii = first.radii if read.radii is None else read.radii
    masses = read.masses
    if masses is None:
        masses = first.masses if read.radii is None else masses_of(read.radii)
    box = first.box if read.box is None else read.box
    periodic = first.periodic if read.periodic is None else bool(read.periodic)
    return FrameDiscs(radii, masses, box, periodic, first.scenario)
