"""trajectory.gsd of a run: a frame at regular simulation times, and the last one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from aggviewer.cli.output import RECORDING
from engine.capabilities import packed
from engine.errors import InputError
from engine.files import FileFrame, RecordingError, TrajectoryWriter
from engine.frame import Frame
from engine.state import flight_time
from engine.system import system_of

if TYPE_CHECKING:
    from engine.simulation import Progress, Simulation


def usual_interval(simulation: Simulation) -> float:
    """The time in which the fastest disc flies a mean diameter; 1 if time counts iterations. InputError if nothing
    moves."""
    if system_of(simulation.scenario).clock.counts:
        return 1.0
    found = flight_time(simulation.frame().velocities, simulation.radii)
    if found == math.inf:
        raise InputError("nothing moves: set the time between recorded frames with --every")
    return found


class CliRecording:
    """Frames at the time of the start, and every, 2 every, … after it. `every` None takes `usual_interval`.

    If writing fails later, the recording stops and the run continues. InputError if the file cannot be created.

    Attributes
    ----------
    problem : why it stopped early, and how many frames are kept; "" if it did not.
    """

    def __init__(self, folder: Path, simulation: Simulation, scenario: str, every: float | None) -> None:
        self._simulation = simulation
        self._every = usual_interval(simulation) if every is None else every
        self._frame = Frame.empty(simulation.count, len(simulation.box))
        self._writer = TrajectoryWriter(folder / RECORDING, scenario, contacts=packed(simulation) is not None)
        self._start = simulation.time
        self._last = -math.inf
        self.problem = ""
        self._take_due()
        if self.problem:
            raise InputError(self.problem, str(self._writer.path))

    @property
    def next_time(self) -> float:
        """Simulation time of the next frame."""
        return math.inf if self.problem else self._start + self._writer.frames * self._every

    @property
    def next_clusters(self) -> int:
        """No frame is due at a number of clusters."""
        return 1

    def look(self, reached: Progress) -> None:
        """Record the present frame if it is due."""
        self._take_due()

    def _take_due(self) -> None:
        if self._simulation.time >= self.next_time:
            self._take()

    def close(self) -> None:
        """Write the last state and close the file."""
        if self._simulation.time > self._last and not self.problem:
            self._take()
        with self._noted():
            self._writer.close()

    def _take(self) -> None:
        frame = self._simulation.frame(self._frame)
        with self._noted():
            self._writer.append(FileFrame.of(frame, self._simulation))
        self._last = frame.time

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """End the recording, and set `problem`, if the file cannot be written."""
        try:
            yield
        except RecordingError as error:
            self.problem = str(error)


def check(record: bool, every: float | None, out: Path | None) -> None:
    """Raise InputError for options that cannot be combined."""
    if record and out is None:
        raise InputError("--record needs --out DIR, where it writes trajectory.gsd", "record")
    if every is not None and not record:
        raise InputError("--every sets the time between recorded frames and needs --record", "every")
    if every is not None and not (math.isfinite(every) and every > 0.0):
        raise InputError(f"--every must be a number above 0, not {every}", "every")
