"""Simulation time against wall time: what to run up to now, and how fast it really goes. No threads, no clock."""

from __future__ import annotations

from collections import deque
from math import inf, isinf

FRAME_INTERVAL = 1.0 / 60.0
"""Seconds of wall time between two frames of a run at a finite speed."""

CATCH_UP = 3.0 * FRAME_INTERVAL
"""Seconds of wall time that a run makes up for after a stall; the rest is dropped, so that the picture never jumps."""

_WINDOW = 0.5  # seconds over which rates are measured
_KEEPS_UP = 0.9  # share of the speed asked for below which the engine counts as slow


class Pacer:
    """Turns wall time into the simulation time to run up to.

    With speed v (simulation time per second, inf for as fast as it can) the target grows by v times the wall time
    elapsed, and is never more than v · `CATCH_UP` ahead of the time reached.
    """

    def __init__(self, speed: float) -> None:
        self.speed = speed
        self._last = 0.0
        self._target = 0.0

    def start(self, now: float, time: float) -> None:
        """Begin (again) at wall time `now` with simulation time `time`."""
        self._last = now
        self._target = time

    def target(self, now: float, time: float) -> float:
        """Simulation time to run up to at wall time `now`, where `time` is reached."""
        if isinf(self.speed):
            self.start(now, time)
            return inf
        self._target += self.speed * max(0.0, now - self._last)
        self._target = max(time, min(self._target, time + self.speed * CATCH_UP))
        self._last = now
        return self._target


class RateMeter:
    """Simulation time and physical events per second of wall time, over the last half second of running."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float, int]] = deque()

    def reset(self) -> None:
        """Forget everything: a pause or another speed."""
        self._samples.clear()

    def add(self, now: float, time: float, events: int) -> None:
        """At wall time `now` the simulation is at `time` after `events` physical events."""
        samples = self._samples
        samples.append((now, time, events))
        while len(samples) > 2 and now - samples[1][0] >= _WINDOW:
            samples.popleft()

    @property
    def span(self) -> float:
        """Seconds of wall time that the rates stand for."""
        return self._samples[-1][0] - self._samples[0][0] if len(self._samples) > 1 else 0.0

    @property
    def speed(self) -> float:
        """Simulation time per second of wall time."""
        return (self._samples[-1][1] - self._samples[0][1]) / self.span if self.span > 0.0 else 0.0

    @property
    def events_per_second(self) -> float:
        """Physical events per second of wall time."""
        return (self._samples[-1][2] - self._samples[0][2]) / self.span if self.span > 0.0 else 0.0

    def slow(self, asked: float) -> bool:
        """True when the speed asked for is not reached, once there is enough to judge by."""
        return not isinf(asked) and self.span >= 0.8 * _WINDOW and self.speed < _KEEPS_UP * asked
