"""Plays a recording: at a pace, both ways, frame by frame, in a loop."""

from __future__ import annotations

from math import inf

from aggviewer.session.past.replay import Replay
from aggviewer.session.run.lanes import Lane
from engine.simulation import Stride


class Player:
    """Plays a recording. Has what `aggviewer.session.run.lanes.Lockstep` has: `time` counts what was played,
    forwards or backwards, and `shown_time` is that of the frame."""

    def __init__(self, lane: Lane, replay: Replay) -> None:
        self.lanes = (lane,)
        self.replay = replay
        self.backwards = False
        self.loop = False
        self._played = 0.0
        self._at = replay.time
        self._update()

    @property
    def time(self) -> float:
        """Time played so far."""
        return self._played

    @property
    def shown_time(self) -> float:
        """Time of the frame that is shown."""
        return self.replay.time

    @property
    def together(self) -> bool:
        """Always."""
        return True

    @property
    def finished(self) -> bool:
        """At the end, in the direction of play."""
        last = 0 if self.backwards else len(self.replay.times) - 1
        return not self.loop and self.replay.index == last

    def advance_frame(self, budget: float, until: float = inf, goal: Stride | None = None) -> bool:
        """The next frame of the file, forwards or backwards."""
        self._step(-1 if self.backwards else 1)
        return True

    def advance(self, until: float, budget: float, stride: Stride | None = None) -> bool:
        """Play up to the time `until`; without a pace, one frame after the other."""
        if until == inf:
            self._step(-1 if self.backwards else 1)
            return False
        begin, end = float(self.replay.times[0]), float(self.replay.times[-1])
        self._at += (-1.0 if self.backwards else 1.0) * (until - self._played)
        self._played = until
        if self.loop and end > begin and not begin <= self._at <= end:
            self._at = begin + (self._at - begin) % (end - begin)
        self._at = min(max(self._at, begin), end)
        self.replay.go_to(self.replay.index_at(self._at))
        self._update()
        return True

    def step_event(self, budget: float, until: float = inf) -> bool:
        """One frame on."""
        self._step(1)
        return True

    def step_back(self) -> None:
        """One frame back."""
        self._step(-1)

    def settle(self, budget: float) -> bool:
        """There is nothing to wait for."""
        return True

    def seek(self, time: float) -> None:
        """Show the frame at `time`, or the last one before it."""
        self.replay.go_to(self.replay.index_at(time))
        self._at = self.replay.time
        self._update()

    def rewind(self) -> None:
        """To where play begins in its direction."""
        self.seek(float(self.replay.times[-1 if self.backwards else 0]))

    def _step(self, frames: int) -> None:
        index = self.replay.index + frames
        if self.loop:
            index %= len(self.replay.times)
        self.replay.go_to(index)
        self._at = self.replay.time
        self._update()

    def _update(self) -> None:
        self.lanes[0].progress = self.replay.progress()
