"""Stores frames of a run: its past in memory, and recordings. Belongs to the simulation's thread."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path

from aggviewer.priority import BESIDE, give_way
from aggviewer.session.data import RecordingStatus, SystemInfo
from aggviewer.session.notices import Notice, Notices
from aggviewer.session.past.memory import USUAL_BUDGET, KeptFrames
from aggviewer.session.run.lanes import Lane, leader_of
from engine.capabilities import packed
from engine.errors import InputError
from engine.files import FileFrame, RecordingError, TrajectoryWriter, formats
from engine.frame import Frame
from engine.simulation import Stride

_BUFFERS = 4  # frames buffered for the disk; more would only use memory
_POLL = 0.1  # seconds between two looks at whether the session closes


class Recorder:
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


class FrameHistory:
    """Limits slices so that every frame of a recording is met exactly and the past in memory has no gaps at any speed;
    stores the frames that are due.

    recorded(path) : called when a recording is complete.
    """

    def __init__(self, notices: Notices, closing: Callable[[], bool], clock: Callable[[], float]) -> None:
        self._notices = notices
        self._closing = closing
        self._clock = clock
        self._recorder: Recorder | None = None
        self.memory = KeptFrames(USUAL_BUDGET)
        self.recorded: Callable[[Path], None] = lambda path: None
        self._stride: Stride | None = None  # where the next frame of the past is due

    # the past in memory

    def begin(self, past: KeptFrames | None = None) -> None:
        """Start with another run. past : its stored frames, empty for a new run."""
        self.stop_recording()
        self.memory = KeptFrames(self.memory.budget) if past is None else past
        self._stride = None

    def put_aside(self) -> KeptFrames:
        """Hand over the past of a run that is being replaced."""
        past, self.memory = self.memory, KeptFrames(self.memory.budget)
        return past

    @property
    def stride(self) -> Stride | None:
        """How far a slice may go until the past needs a frame, None for no limit."""
        return self._stride

    def remember(self, lanes: Sequence[Lane], *, now_or_never: bool = False) -> None:
        """Store the present frames if they are due or enough has happened since the last."""
        discs = sum(lane.system.count for lane in lanes)
        leader = leader_of(lanes)
        enough = self._stride is not None and self._stride.met(leader.progress)
        if not (now_or_never or enough or self.memory.due(self._clock(), discs)):
            return
        self.memory.keep(self._clock(), [lane.simulation.frame() for lane in lanes])
        self._stride = leader.simulation.stride(self.memory.frames_apart(discs))

    # the recording

    @property
    def recording(self) -> RecordingStatus | None:
        """The recording in progress."""
        return self._recorder.status if self._recorder is not None else None

    def record(self, lane: Lane, path: Path, every: float) -> None:
        """Record from the present state on, one frame per `every` of simulation time. InputError if invalid."""
        if not 0.0 < every < inf:
            raise InputError(f"the time between recorded frames must be above 0, not {every:g}")
        formats.to_record(path)  # before what is recorded ends
        self.stop_recording()
        scenario = lane.scenario.to_toml()
        self._recorder = Recorder(
            path, lane.system, scenario, every, lane.time, packed(lane.simulation) is not None, self._on_failure
        )
        self.record_due(lane)

    def limit(self, until: float) -> float:
        """How far a slice towards `until` may go."""
        return until if self._recorder is None else min(until, self._recorder.next_time)

    def record_due(self, lane: Lane, *, last: bool = False) -> None:
        """Record the present frame if it is due or the last."""
        recorder = self._recorder
        if recorder is None:
            return
        if recorder.failed:
            self.stop_recording()
            return
        if lane.time >= recorder.next_time or (last and recorder.status.last < lane.time):
            recorder.take(lane.simulation.frame, self._closing)

    def stop_recording(self) -> None:
        """Stop the recording, if any."""
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            return
        recorder.close()
        if not recorder.failed:
            status = recorder.status
            self.recorded(status.path)
            frames = "1 frame" if status.frames == 1 else f"{status.frames} frames"
            text = f"{frames}, {status.size / 1e6:.1f} MB, {status.path}"
            self._notices.send(Notice("info", "Recording saved", text, folder=str(status.path.parent), about="record"))

    def close(self, patience: float | None = None) -> bool:
        """Stop the recording silently; False if writing takes longer than `patience` seconds."""
        return self._recorder is None or self._recorder.close(patience)

    def _on_failure(self, error: Exception) -> None:
        if isinstance(error, RecordingError | InputError):
            self._notices.send(Notice("error", str(error), "The simulation continues.", about="record"))
        else:
            self._notices.unexpected("The recording failed", error, "The simulation continues.")
