"""Simulation time against wall time: the time to run up to, and the speed reached. No threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import inf, isinf

FRAME_INTERVAL = 1.0 / 60.0
"""Wall time between frames of a run at a finite speed, in seconds."""

UNPACED_INTERVAL = 1.0 / 30.0
"""Wall time between frames of a run that is to be as fast as possible: drawing them takes time from it."""

CATCH_UP = 3.0 * FRAME_INTERVAL
"""Wall time in seconds that a run catches up after a stall; the rest is dropped, so that the picture never jumps."""

_WINDOW = 0.5  # seconds over which rates are measured
_KEEPS_UP = 0.9  # share of the speed asked for below which the engine counts as slow


class RateMeter:
    """Simulation time and physical events per second of wall time, over the last half second of running."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float, int]] = deque()

    def reset(self) -> None:
        """Reset, after a pause or a change of speed."""
        self._samples.clear()

    def add(self, now: float, time: float, events: int) -> None:
        """Note that at wall time `now` the simulation is at `time` after `events` physical events."""
        samples = self._samples
        samples.append((now, time, events))
        while len(samples) > 2 and now - samples[1][0] >= _WINDOW:
            samples.popleft()

    @property
    def span(self) -> float:
        """Wall time covered by the rates, in seconds."""
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
        """Whether the requested speed is not reached, once there is enough data."""
        return not isinf(asked) and self.span >= 0.8 * _WINDOW and self.speed < _KEEPS_UP * asked


class Tempo:
    """The pace of a run: the requested and the reached speed, and when the next slice is due.

    At speed v the target time grows by v times the elapsed wall time, and is never more than v · `CATCH_UP` ahead of
    the time reached.

    Parameters
    ----------
    speed : see `set`.
    clock : seconds of wall time.

    Attributes
    ----------
    speed, every_frame : see `set`.
    """

    def __init__(self, speed: float, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._meter = RateMeter()
        self._last = 0.0  # wall time to which the target belongs
        self._target = 0.0  # simulation time to run up to
        self._idle_until = 0.0
        self._finite = 1.0  # speed of single frames while there is no pace
        self.set(speed)

    def set(self, speed: float, every_frame: bool = False) -> None:
        """Set the speed.

        speed : simulation time per second of wall time, inf for no set pace.
        every_frame : without a set pace, whether to show every frame (`engine.simulation.Simulation.stride`), or to
            run as fast as possible.
        """
        self.speed = speed
        self.every_frame = every_frame and isinf(speed)
        if not isinf(speed):
            self._finite = speed

    @property
    def interval(self) -> float:
        """Least wall time between two frames, in seconds."""
        return UNPACED_INTERVAL if isinf(self.speed) and not self.every_frame else FRAME_INTERVAL

    @property
    def frame_step(self) -> float:
        """Simulation time of one frame."""
        return self._finite * FRAME_INTERVAL

    def start(self, time: float) -> None:
        """Measure pace and rates from now and from simulation time `time`."""
        self._meter.reset()
        self._last, self._target = self._clock(), time
        self._idle_until = 0.0

    def target(self, time: float) -> float:
        """The simulation time to run up to, given the time reached."""
        now = self._clock()
        if isinf(self.speed):
            self._last, self._target = now, time
            return inf
        ahead = self._target + self.speed * max(0.0, now - self._last)
        self._last, self._target = now, max(time, min(ahead, time + self.speed * CATCH_UP))
        return self._target

    def add_slice(self, began: float, time: float, events: int, reached: bool) -> None:
        """Note that a slice started at wall time `began` reached simulation time `time` after this many physical
        events.

        reached : the target was reached, so the next slice is due one frame later.
        """
        now = self._clock()
        self._meter.add(now, time, events)
        self._idle_until = began + FRAME_INTERVAL if reached else now

    def rest(self, seconds: float) -> None:
        """Rest for this long, or until the next slice is due if that is later."""
        self._idle_until = max(self._idle_until, self._clock() + seconds)

    @property
    def seconds_to_wait(self) -> float:
        """Wall time until the next slice is due, in seconds."""
        return max(0.0, self._idle_until - self._clock())

    @property
    def rates(self) -> tuple[float, float, bool]:
        """Physical events and simulation time per second of wall time, and whether that is less than requested."""
        return self._meter.events_per_second, self._meter.speed, self._meter.slow(self.speed)
