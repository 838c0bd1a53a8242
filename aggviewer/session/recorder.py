"""Recording a run into a file: every frame that is due is in it, and the simulation waits where the disk is slow."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aggviewer.session.data import SystemInfo
from engine.files import FileFrame, TrajectoryWriter
from engine.simulation import Frame

_WAITING = 3  # frames between the simulation and the disk; more would only take memory
_POLL = 0.1  # seconds between two looks at whether the session closes


@dataclass(frozen=True)
class RecordingStatus:
    """path : the file; frames, size : what is in it so far, size in bytes; every : simulation time between frames;
    last : simulation time of the last frame."""

    path: Path
    frames: int
    size: int
    every: float
    last: float


class Recorder:
    """Frames at start, start + every, start + 2 every, … of one simulation, written by a thread of its own.

    path : ends in .gsd; on_failure(error) : called on that thread when the file takes no more; what is in it stays.
    """

    def __init__(
        self,
        path: Path,
        system: SystemInfo,
        scenario: str,
        every: float,
        start: float,
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
        self._writer = TrajectoryWriter(path, scenario)
        self._frames: queue.Queue[FileFrame | None] = queue.Queue(_WAITING)
        self._thread = threading.Thread(target=self._write, name="aggviewer-recorder", daemon=True)
        self._thread.start()

    @property
    def next_time(self) -> float:
        """Simulation time of the next frame."""
        return self._start + self._taken * self.every

    @property
    def status(self) -> RecordingStatus:
        """How much is in the file."""
        return RecordingStatus(self.path, self._writer.frames, self._writer.bytes, self.every, self._last)

    def take(self, frame: Frame, closing: Callable[[], bool]) -> None:
        """The frame that is due; waits until there is room for it, or until `closing()`."""
        system = self.system
        kept = FileFrame(
            frame.positions.copy(),
            frame.velocities.copy(),
            system.radii,
            system.masses,
            frame.cluster.copy(),
            np.asarray(system.box, np.float64),
            system.periodic,
            frame.time,
        )
        while not self.failed:
            try:
                self._frames.put(kept, timeout=_POLL)
                break
            except queue.Full:
                if closing():
                    return
        self._taken += 1
        self._last = frame.time

    def close(self, patience: float | None = None) -> bool:
        """Write what waits and end the file; False where that takes longer than `patience` seconds."""
        if self._thread.is_alive() and not self.failed:
            self._frames.put(None)
        self._thread.join(patience)
        return not self._thread.is_alive()

    def _write(self) -> None:
        try:
            with self._writer as writer:
                frame = self._frames.get()
                while frame is not None:
                    writer.append(frame)
                    frame = self._frames.get()
        except Exception as error:
            self.failed = True
            while not self._frames.empty():  # whoever waits for room goes on
                self._frames.get_nowait()
            self._on_failure(error)
