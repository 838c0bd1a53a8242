"""Recorded frames used in place of a simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.log.command import NOT_TUNED
from aggviewer.session.past.recorded_run import RecordedRun
from aggviewer.session.past.recording import Recording
from engine.errors import InputError
from engine.frame import Frame
from engine.simulation import Checkpoint, History, Progress, Stride
from engine.slices import Steered
from engine.state import InitialState

if TYPE_CHECKING:
    from engine.scenario import Scenario


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
        """Another one of the same recording, at the same frame."""
        other = Replay(self.source.share(), self.scenario, self._on_cut)
        other.go_to(self.index)
        return other

    @property
    def span(self) -> tuple[float, float]:
        """The first and last time."""
        return float(self.times[0]), float(self.times[-1])

    @property
    def marks(self) -> NDArray[np.float64]:
        """Times of large merges, as far as known."""
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

    def _show(self, index: int) -> None:
        frame = self.source.at(index)
        frame.time = float(self.times[index])
        self._keep(frame)
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
        else:  # what is shown is all that there is
            self.times, self.index = self.times[self.index : self.index + 1], 0
        self._on_cut(f"{left or 'none'} of its {before} frames can still be read", str(error))

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
        """Advance to the frame at `until_time`."""
        self.go_to(max(self.index, self.index_at(until_time)))
        return self.progress()

    def stride(self, frames: float = 1.0) -> Stride:
        """One frame of the file."""
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
        raise InputError(NOT_TUNED, key)

    def checkpoint(self) -> Checkpoint:
        """InputError: a recording has no checkpoint."""
        raise InputError(NOT_TUNED)
