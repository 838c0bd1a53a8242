"""Records frames of a run to a file. Belongs to the simulation's thread."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from math import inf
from pathlib import Path

from aggviewer.priority import BESIDE, give_way
from aggviewer.session.data import RecordingStatus, SystemInfo
from aggviewer.session.notices import Notice, Notices
from aggviewer.session.run.lanes import Lane, Lockstep
from aggviewer.session.run.observers import Due, Moment, RunObserver
from engine.capabilities import packed
from engine.errors import InputError
from engine.files import FileFrame, RecordingError, TrajectoryWriter, formats
from engine.frame import Frame
from engine.simulation import Stride

_BUFFERS = 4  # frames buffered for the disk; more would only use memory
_POLL = 0.1  # seconds between two looks at whether the session closes


class RecordingThread:
    """Frames at start, start + every, start + 2 every, … of one simulation, written by a separate thread. No frame is
    skipped: the simulation waits for a slow disk.

    Parameters
    ----------
    path : ends in .gsd.
    system, scenario : the discs, and their scenario as TOML.
    every, start : simulation times.
    contacts : whether frames include contacts, which the first one may lack.
    on_failure : called on that thread when writing fails; the file keeps what it has.
    """

    def __init__(
        self,
        path: Path,
        system: SystemInfo,
        scenario: str,
        every: float,
        start: float,
        contacts: bool,
        on_failure: Callable[[Exception], None],
    ) -> None:
        self.path = path
        self.every = every
        self.system = system
        self.failed = False
        self._start = start
        self._taken = 0
        self._last = start
        self._on_failure = on_failure
        self._writer = TrajectoryWriter(path, scenario, contacts=contacts)
        self._frames: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        self._free: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        for _ in range(_BUFFERS):  # reused: fresh memory for every frame costs more than the numbers
            self._free.put(Frame.empty(system.count, len(system.box)))
        self._thread = threading.Thread(target=self._write, name="aggviewer-recorder", daemon=True)
        self._thread.start()

    @property
    def next_time(self) -> float:
        """Simulation time of the next frame."""
        return self._start + self._taken * self.every

    @property
    def status(self) -> RecordingStatus:
        """The contents of the file so far."""
        return RecordingStatus(self.path, self._writer.frames, self._writer.bytes, self.every, self._last)

    def take(self, fill: Callable[[Frame], Frame], closing: Callable[[], bool]) -> None:
        """Write the frame that is due: `fill` copies it into a buffer. Waits until a buffer is free or `closing()` is
        true."""
        while not self.failed:
            try:
                buffer = self._free.get(timeout=_POLL)
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
                    writer.append(FileFrame.of(frame, self.system))
                    self._free.put(frame)
                    frame = self._frames.get()
        except Exception as error:
            self.failed = True
            self._on_failure(error)


class Recorder(RunObserver):
    """Records the run of the first lane: slices end where a frame is due, so that every frame is met exactly.

    Parameters
    ----------
    notices : receives the result.
    closing : whether the session closes, so that nothing waits for a slow disk.
    recorded(path) : called when a recording is complete.
    """

    def __init__(self, notices: Notices, closing: Callable[[], bool], recorded: Callable[[Path], None]) -> None:
        self._notices = notices
        self._closing = closing
        self._recorded = recorded
        self._writer: RecordingThread | None = None
        self._waiting: list[RecordingThread] = []  # of runs that were set aside

    @property
    def status(self) -> RecordingStatus | None:
        """The recording in progress. From any thread."""
        writer = self._writer
        return None if writer is None else writer.status

    def start(self, run: Lockstep, path: Path, every: float) -> None:
        """Record from the present state on, one frame per `every` of simulation time. InputError if impossible."""
        if not run.live:
            raise InputError("there is no simulation to record")
        if not 0.0 < every < inf:
            raise InputError(f"the time between recorded frames must be above 0, not {every:g}")
        formats.to_record(path)  # before what is recorded ends
        self.stop()
        lane = run.lanes[0]
        contacts = packed(lane.simulation) is not None
        self._writer = RecordingThread(
            path, lane.system, lane.scenario.to_toml(), every, lane.time, contacts, self._on_failure
        )
        self._take_due(lane)

    def due(self, run: Lockstep) -> Due:
        """The time of the next frame."""
        return None if self._writer is None else Stride(self._writer.next_time)

    def handle(self, run: Lockstep, moment: Moment) -> None:
        """Record a frame that is due, or the last of a run that ends."""
        if moment == "begin":
            self.stop()
        elif run.lanes:
            self._take_due(run.lanes[0], last=moment == "end")
        if moment == "end":
            self.stop()

    def _take_due(self, lane: Lane, *, last: bool = False) -> None:
        writer = self._writer
        if writer is None:
            return
        if writer.failed:
            self.stop()
        elif lane.time >= writer.next_time or (last and writer.status.last < lane.time):
            writer.take(lane.simulation.frame, self._closing)

    def stop(self) -> None:
        """Stop the recording, if any."""
        writer, self._writer = self._writer, None
        if writer is None:
            return
        writer.close()
        if not writer.failed:
            status = writer.status
            self._recorded(status.path)
            frames = "1 frame" if status.frames == 1 else f"{status.frames} frames"
            text = f"{frames}, {status.size / 1e6:.1f} MB, {status.path}"
            self._notices.send(Notice("info", "Recording saved", text, folder=str(status.path.parent), about="record"))

    def set_aside(self, run: Lockstep) -> Callable[[], None]:
        """Leave the recording to the run that waits; what is recorded meanwhile ends when it comes back."""
        left, self._writer = self._writer, None
        if left is not None:
            self._waiting.append(left)

        def take_up() -> None:
            self.stop()
            if left is not None:
                self._waiting.remove(left)
            self._writer = left

        return take_up

    def close(self, patience: float | None = None) -> bool:
        """Stop all recordings silently; False if writing takes longer than `patience` seconds."""
        writers = [*self._waiting, *filter(None, [self._writer])]
        closed = [writer.close(patience) for writer in writers]
        return all(closed)

    def _on_failure(self, error: Exception) -> None:
        if isinstance(error, RecordingError | InputError):
            self._notices.send(Notice("error", str(error), "The simulation continues.", about="record"))
        else:
            self._notices.unexpected("The recording failed", error, "The simulation continues.")
