"""Simulation time against wall time: what to run up to now, and how fast it really goes. No threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import inf, isinf

FRAME_INTERVAL = 1.0 / 60.0
"""Seconds of wall time between two frames of a run at a finite speed."""

CATCH_UP = 3.0 * FRAME_INTERVAL
"""Seconds of wall time that a run makes up for after a stall; the rest is dropped, so that the picture never jumps."""

_WINDOW = 0.5  # seconds over which rates are measured
_KEEPS_UP = 0.9  # share of the speed asked for below which the engine counts as slow


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


class Tempo:
    """How fast a run goes: the pace asked for, what is reached, and when there is something to do.

    With a speed v the simulation time to run up to grows by v times the wall time that has passed, and is never more
    than v · `CATCH_UP` ahead of the time reached.

    Parameters
    ----------
    speed : see `set`.
    clock : seconds of wall time.

    Attributes
    ----------
    speed, fast : see `set`.
    """

    def __init__(self, speed: float, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._meter = RateMeter()
        self._last = 0.0  # wall time that the target belongs to
        self._target = 0.0  # simulation time to run up to
        self._idle_until = 0.0
        self._finite = 1.0  # speed of single frames while there is no pace
        self.set(speed)

    def set(self, speed: float, fast: bool = False) -> None:
        """Another speed.

        speed : simulation time per second of wall time, inf for no pace.
        fast : without a pace, whether it goes frame by frame, which is seen (`engine.simulation.Simulation.stride`),
            else as fast as it can.
        """
        self.speed = speed
        self.fast = fast and isinf(speed)
        if not isinf(speed):
            self._finite = speed

    @property
    def frame_step(self) -> float:
        """Simulation time of one frame."""
        return self._finite * FRAME_INTERVAL

    def start(self, time: float) -> None:
        """Count pace and rates from now and simulation time `time` on."""
        self._meter.reset()
        self._last, self._target = self._clock(), time
        self._idle_until = 0.0

    def target(self, time: float) -> float:
        """Simulation time to run up to, where `time` is reached."""
        now = self._clock()
        if isinf(self.speed):
            self._last, self._target = now, time
            return inf
        ahead = self._target + self.speed * max(0.0, now - self._last)
        self._last, self._target = now, max(time, min(ahead, time + self.speed * CATCH_UP))
        return self._target

    def ran(self, began: float, time: float, events: int, reached: bool) -> None:
        """A slice that began at wall time `began` came to simulation time `time` after so many physical events.

        reached : what was asked for is done, the next slice is due one frame later.
        """
        now = self._clock()
        self._meter.add(now, time, events)
        self._idle_until = began + FRAME_INTERVAL if reached else now

    def rest(self, seconds: float) -> None:
        """Nothing is to be done for so long, or until the next slice is due where that is later."""
        self._idle_until = max(self._idle_until, self._clock() + seconds)

    @property
    def wait(self) -> float:
        """Seconds of wall time until there is something to do."""
        return max(0.0, self._idle_until - self._clock())

    @property
    def rates(self) -> tuple[float, float, bool]:
        """Physical events and simulation time per second of wall time; whether that is less than was asked for."""
        return self._meter.events_per_second, self._meter.speed, self._meter.slow(self.speed)
