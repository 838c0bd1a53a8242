"""A trajectory file: opened once and shared by playback, measurements and films; or written on a thread while a run
goes on."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aggviewer.latest_job import BESIDE, give_way
from aggviewer.session.data import DiscSet, RecordingStatus
from aggviewer.session.past.memory import large_merges, largest_cluster
from engine.errors import InputError
from engine.files import FileFrame, Trajectory, TrajectoryWriter, open_trajectory
from engine.frame import Frame, FrameDiscs
from engine.scenario import Scenario
from engine.simulation import History
from engine.state import masses_of
from engine.state_file import box_of_all, frame_of, scenario_from

_POLL = 0.02  # seconds


class Recording:
    """A source (`aggviewer.session.past.memory.Source`) of the frames of a file, for any number of threads. The file is
    closed when its last user has called `close`.

    Parameters
    ----------
    trajectory : the open file, closed by the recording.
    scenario : the scenario of a new start from the last frame, if already known.

    Attributes
    ----------
    path, notice : the file, and a sentence if part of it is missing, else "".
    count : N, the number of discs.
    times : (K,), ascending: the times of the frames, or 0, 1, 2, … if the file has no times or repeats one.
    timed : whether the file gives frame times in ascending order.
    first : the discs of the first frame, the default for later frames.
    still : whether the file has no velocities.

    Raises
    ------
    InputError
        The file has no radii, or cannot be read.
    """

    def __init__(self, trajectory: Trajectory, scenario: Scenario | None = None) -> None:
        self._trajectory = trajectory
        self._scenario = scenario
        self.path, self.notice, self.count = trajectory.path, trajectory.notice, trajectory.count
        first = trajectory[0]
        if first.radii is None:
            words = "which are needed to draw the discs: add a column or property named radius"
            raise InputError(f"{self.path} has no radii, {words}", str(self.path))
        masses = masses_of(first.radii, first.dimensions) if first.masses is None else first.masses
        box = box_of_all(trajectory)
        self.first = FrameDiscs(first.radii, masses, box, first.around, scenario or _scenario_told(first.scenario))
        self.still = first.velocities is None
        self.recorded_times: NDArray[np.float64] = trajectory.times
        steps = np.diff(self.recorded_times)
        self.timed = bool(np.isfinite(self.recorded_times).all() and (steps >= 0.0).all())
        rising = self.timed and bool((steps > 0.0).all())
        self.times = self.recorded_times if rising else np.arange(len(trajectory), dtype=np.float64)
        self._reading, self._turn = threading.Lock(), threading.Lock()
        self._users = 1
        self._summary = _Summary(len(trajectory))
        self._pass: threading.Thread | None = None

    def at(self, index: int) -> Frame:
        """Frame `index` with its own discs; a negative index counts from the end. InputError if it does not exist or is
        damaged."""
        with self._turn:  # released between frames, so that other threads can read, too
            self._reading.acquire()
        try:
            if not self._users:
                raise InputError(f"{self.path} has been closed: open it again", str(self.path))
            read = frame_of(self._trajectory, index)
        finally:
            self._reading.release()
        return as_frame(read, float(index % len(self.times) if read.time is None else read.time), self.first)

    @property
    def scenario(self) -> Scenario:
        """The scenario of a new start from the last frame. InputError if the file contains an invalid one."""
        if self._scenario is None:
            with self._reading:
                self._scenario = scenario_from(self._trajectory)
        return self._scenario

    # its users

    def share(self) -> Recording:
        """Register another user, who must also call `close`. InputError if it has been closed."""
        with self._reading:
            if not self._users:
                raise InputError(f"{self.path} has been closed: open it again", str(self.path))
            self._users += 1
        return self

    def close(self) -> None:
        """Unregister a user; the last one closes the file."""
        with self._reading:
            self._users -= 1
            if not self._users:
                self._trajectory.close()

    def wait_closed(self, patience: float | None = None) -> bool:
        """Whether all background work has ended after closing; waits up to `patience` seconds."""
        if self._users or self._pass is None:
            return True
        self._pass.join(patience)
        return not self._pass.is_alive()

    # what is known of all frames

    def history(self, index: int) -> History | None:
        """Clusters and energy up to frame `index`, None until all these frames have been read."""
        self._read_all()
        if index >= self._summary.known:
            return None
        end = index + 1
        return History(self.times[:end], self._summary.clusters[:end], self._summary.energy[:end])

    def wait_for(self, index: int) -> None:
        """Wait until frame `index` has been read for `history`, or has failed."""
        self._read_all()
        while index >= self._summary.known and self._pass is not None and self._pass.is_alive():
            self._pass.join(_POLL)

    @property
    def marks(self) -> NDArray[np.float64]:
        """Times of large merges, as far as known: (k,), ascending."""
        self._read_all()
        known = self._summary.known
        return large_merges(self.times[:known], self._summary.largest[:known], self.count)

    def _read_all(self) -> None:
        """Start reading the whole file in the background, once."""
        with self._reading:
            if self._pass is None and self._users:
                self._pass = threading.Thread(target=self._pass_over, name="aggviewer-recording", daemon=True)
                self._pass.start()

    def _pass_over(self) -> None:
        # a damaged frame ends the pass; the error is reported when that frame is shown, and earlier results are kept
        with suppress(Exception):
            for index in range(len(self.times)):
                frame = self.at(index)
                self._summary.add(index, frame)


class _Summary:
    """Clusters, largest cluster and energy of the first `known` frames."""

    def __init__(self, frames: int) -> None:
        self.clusters = np.zeros(frames, np.int64)
        self.largest = np.zeros(frames, np.int64)
        self.energy = np.zeros(frames)
        self.known = 0

    def add(self, index: int, frame: Frame) -> None:
        """Add the numbers of the next frame."""
        self.clusters[index] = frame.clusters
        self.largest[index] = largest_cluster(frame.cluster)
        self.energy[index] = frame.kinetic_energy
        self.known = index + 1


def _scenario_told(text: str) -> Scenario:
    """The scenario of what was recorded, from its text; the default one if there is none that can be read."""
    with suppress(InputError, ValueError, RecursionError):
        return Scenario.from_toml(text)
    return Scenario()


def open_recording(path: Path, dimensions: int = 0) -> Recording:
    """Open a trajectory file. InputError if it cannot be used.

    dimensions : as of `engine.files.open_trajectory`.
    """
    trajectory = open_trajectory(path, dimensions)
    try:
        return Recording(trajectory)
    except BaseException:
        trajectory.close()
        raise


@contextmanager
def shared(recording: Recording) -> Iterator[Recording]:
    """Context in which the recording has another user."""
    used = recording.share()
    try:
        yield used
    finally:
        used.close()


def as_frame(read: FileFrame, time: float, first: FrameDiscs | None = None) -> Frame:
    """A frame of a file in the form of a simulation's frame, with its own discs.

    Parameters
    ----------
    read : the frame. Without velocities its discs are at rest; without clusters each disc is alone.
    time : of the frame.
    first : the discs of the first frame, for missing data; None omits discs and energy.
    """
    return read.as_frame(time, None if first is None else discs_in(read, first))


def discs_in(read: FileFrame, first: FrameDiscs) -> FrameDiscs:
    """The discs of a frame: its own radii, masses, box and boundary, else those of the first frame. If it has radii but
    no masses, masses are proportional to areas."""
    radii = first.radii if read.radii is None else read.radii
    masses = read.masses
    if masses is None:
        masses = first.masses if read.radii is None else masses_of(read.radii, read.dimensions)
    box = first.box if read.box is None else read.box
    periodic = first.periodic if read.periodic is None else read.periodic
    return FrameDiscs(radii, masses, box, periodic, first.scenario)


_BUFFERS = 4  # frames buffered for the disk; more would only use memory
_WRITER_POLL = 0.1  # seconds between two looks at whether the session closes


class RecordingThread:
    """Frames at start, start + every, start + 2 every, … of one simulation, written by a separate thread. No frame is
    skipped: the simulation waits for a slow disk.

    Parameters
    ----------
    path : ends in .gsd.
    disc_set, scenario : the discs, and their scenario as TOML.
    every, start : simulation times.
    contacts : whether frames include contacts, which the first one may lack.
    on_failure : called on that thread when writing fails; the file keeps what it has.
    """

    def __init__(
        self,
        path: Path,
        disc_set: DiscSet,
        scenario: str,
        every: float,
        start: float,
        contacts: bool,
        on_failure: Callable[[Exception], None],
    ) -> None:
        self.path = path
        self.every = every
        self.disc_set = disc_set
        self.failed = False
        self._start = start
        self._taken = 0
        self._last = start
        self._on_failure = on_failure
        self._writer = TrajectoryWriter(path, scenario, contacts=contacts)
        self._frames: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        self._free: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        for _ in range(_BUFFERS):  # reused: fresh memory for every frame costs more than the numbers
            self._free.put(Frame.empty(disc_set.count, len(disc_set.box)))
        self._thread = threading.Thread(target=self._write, name="aggviewer-recorder", daemon=True)
        self._thread.start()

    @property
    def next_time(self) -> float:
        """Simulation time of the next frame."""
        return self._start + self._taken * self.every

    @property
    def status(self) -> RecordingStatus:
        """How much has been written to the file so far."""
        return RecordingStatus(self.path, self._writer.frames, self._writer.bytes, self.every, self._last)

    def write_due(self, fill: Callable[[Frame], Frame], closing: Callable[[], bool]) -> None:
        """Write the frame that is due: `fill` copies it into a buffer. Waits until a buffer is free or `closing()` is
        true."""
        while not self.failed:
            try:
                buffer = self._free.get(timeout=_WRITER_POLL)
            except queue.Empty:
                if closing():
                    return
                continue
            fill(buffer)
            self._last = buffer.time
            self._frames.put(buffer)
            break
        self._taken += 1

    def close(self, patience: float | None = None) -> bool:
        """Write waiting frames and close the file; False if that takes longer than `patience` seconds."""
        if self._thread.is_alive() and not self.failed:
            self._frames.put(None)
        self._thread.join(patience)
        return not self._thread.is_alive()

    def _write(self) -> None:
        give_way(BESIDE)
        try:
            with self._writer as writer:
                frame = self._frames.get()
                while frame is not None:
                    writer.append(FileFrame.of(frame, self.disc_set))
                    self._free.put(frame)
                    frame = self._frames.get()
        except Exception as error:
            self.failed = True
            self._on_failure(error)
