"""Where a run is, put together for all who ask: the status, with the timeline of its past."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
from numpy.typing import NDArray

from aggviewer.session.data import Preparation, State, Status, Timeline
from aggviewer.session.run.frame_history import FrameHistory
from aggviewer.session.run.lockstep import Lockstep
from aggviewer.session.run.pacing import Tempo
from aggviewer.session.run.player import Player

Drive = Lockstep | Player

_MARKS_EVERY = 0.5  # seconds between two looks for large merges


class Reporter:
    """Makes the status of a run. What has ended leaves its time, lanes and number of discs to the next status."""

    def __init__(self, tempo: Tempo, frames: FrameHistory, clock: Callable[[], float]) -> None:
        self._tempo = tempo
        self._frames = frames
        self._clock = clock
        self._marks: NDArray[np.float64] = np.empty(0)
        self._marked_at = -inf
        self.status = Status(speed=tempo.speed)

    def begin(self) -> None:
        """Other discs: marks of before are over."""
        self._marked_at = -inf

    def report(
        self,
        state: State,
        drive: Drive,
        past: float | None,
        preparation: Preparation | None,
        *,
        backwards: bool = False,
    ) -> Status:
        """The status now. past : the time that is shown while it is not the present; backwards : how it is played."""
        before = self.status
        lanes = tuple(lane.status() for lane in drive.lanes) or before.lanes
        events_per_second, speed, slow = self._tempo.rates if state == "running" else (0.0, 0.0, False)
        self.status = Status(
            state=state,
            system=lanes[0].system if lanes else "",
            time=drive.shown_time if drive.lanes else before.time,
            clusters=lanes[0].clusters if lanes else 0,
            count=drive.lanes[0].system.count if drive.lanes else before.count,
            events=lanes[0].events if lanes else {},
            events_per_second=events_per_second,
            speed=self._tempo.speed,
            fast=self._tempo.fast,
            speed_reached=speed,
            slow=slow,
            preparation=preparation,
            lanes=lanes,
            past=past,
            recording=self._frames.recording,
            timeline=self._timeline(drive, past, backwards),
        )
        return self.status

    def _timeline(self, drive: Drive, past: float | None, backwards: bool) -> Timeline | None:
        if not drive.lanes:
            return None
        if self._clock() - self._marked_at > _MARKS_EVERY:
            self._marked_at = self._clock()
            self._marks = drive.replay.past.marks if isinstance(drive, Player) else self._frames.memory.marks
        shown = drive.shown_time if past is None else past
        if isinstance(drive, Player):
            times = drive.replay.times
            begin, end = float(times[0]), float(times[-1])
            return Timeline(begin, end, shown, self._marks, True, drive.backwards, drive.loop)
        span = self._frames.memory.span
        return Timeline(span[0] if span else drive.time, drive.time, shown, self._marks, backwards=backwards)
