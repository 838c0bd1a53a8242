"""A recording in the place of a simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.past.recording import Recording
from engine.errors import InputError
from engine.frame import Frame
from engine.simulation import Checkpoint, History, Progress, Stride
from engine.slices import Steered
from engine.state import InitialState

if TYPE_CHECKING:
    from engine.scenario import Scenario

NOT_MEASURED = "a recording cannot be restarted with a new seed; start a new simulation from one of its frames"
NOT_TUNED = "a recording cannot be changed; start a new simulation from one of its frames"
NOT_COMPARED = "A recording cannot be compared; start a new simulation from one of its frames"


class Replay(Steered):
    """A recording in the form of a simulation (`engine.simulation.Simulation`) that has reached one of its frames.
    Radii, masses, box and boundary are those of the frame that is shown; its `Frame.discs` holds them too.

    Parameters
    ----------
    recording : what is shown; `close` closes it.
    scenario : of a simulation that starts from the file.

    Attributes
    ----------
    times : see `Recording`; fewer where the file has become shorter.
    index : of the frame that is shown.
    """

    method = "recording"
    tunable: frozenset[str] = frozenset()

    def __init__(self, recording: Recording, scenario: Scenario) -> None:
        self.scenario = scenario
        self.system: str = scenario.system
        self.recording = recording
        self.count = recording.count
        first = recording.first
        self.radii, self.masses, self.box = first.radii, first.masses, first.box
        self.times: NDArray[np.float64] = recording.times
        self.on_cut: Callable[[str, str], None] = lambda what, why: None
        """Called with a sentence about how much of a shortened file is left, and the reason."""
        self._closed = False
        self._show(0)

    def close(self, patience: float | None = None) -> bool:
        """Let go of the file; False where what reads it in the background takes longer than `patience` seconds to
        stop."""
        if not self._closed:
            self._closed = True
            self.recording.close()
        return self.recording.wait_closed(patience)

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
        frame = self.recording.at(index)
        frame.time = float(self.times[index])
        self._keep(frame)
        self.index = index

    def _keep(self, frame: Frame) -> None:
        """Show this frame and its discs. An array with the same values as before stays the same object."""
        now = frame.discs
        assert now is not None  # set by the recording
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
                self.recording.at(middle)
                left = middle + 1
            except InputError:
                unreadable = middle
        if left > 0:
            self.times = self.times[:left]
            self._show(left - 1)
        else:  # what is shown is all that there is
            self.times, self.index = self.times[self.index : self.index + 1], 0
        name = self.recording.path.name
        frames = f"{left or 'none'} of its {before} frames can still be read"
        self.on_cut(f"the recording {name} was shortened while it was playing:  {frames}", str(error))

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
        known = self.recording.history(self.index)
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
