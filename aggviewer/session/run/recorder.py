"""Writes frames of a run to a file."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from pathlib import Path

from aggviewer.priority import BESIDE, give_way
from aggviewer.session.data import RecordingStatus, SystemInfo
from engine.files import FileFrame, TrajectoryWriter
from engine.frame import Frame

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
