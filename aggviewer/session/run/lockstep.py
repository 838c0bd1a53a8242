"""Several simulations brought to the same simulation times, so that they can be looked at side by side."""

from __future__ import annotations

import time as wall
from collections.abc import Callable, Sequence
from math import inf

from aggviewer.session.run.lane import Lane, leader_of
from engine.capabilities import interruptible
from engine.simulation import Stride

_STRIDE_TAKES = 0.03  # seconds of wall time that one stride of a run without a pace should take
_FIRST_STRIDE = 1e-3  # simulation time; the next ones follow from what it took


class Lockstep:
    """Strides from one common time to the next.

    A lane that has come to its end early stays there, and the other goes on. With a single lane nothing is held up.
    """

    def __init__(self, lanes: Sequence[Lane], clock: Callable[[], float] = wall.perf_counter) -> None:
        self.lanes = tuple(lanes)
        self._clock = clock
        self._goal: float | None = None
        self._ahead: Stride | None = None  # where the frame ends that the lanes are on the way to
        self._stride = _FIRST_STRIDE
        self._spent = 0.0

    @property
    def time(self) -> float:
        """Simulation time that all lanes have reached."""
        going = [lane.time for lane in self.lanes if not lane.progress.finished]
        return min(going) if going else max((lane.time for lane in self.lanes), default=0.0)

    @property
    def shown_time(self) -> float:
        """Simulation time of what is to be shown."""
        return self.time

    @property
    def together(self) -> bool:
        """True at a common time: only then the lanes may be shown side by side."""
        return self._goal is None and (self._ahead is None or len(self.lanes) == 1)

    @property
    def finished(self) -> bool:
        """Nothing will happen any more in any lane."""
        return all(lane.progress.finished for lane in self.lanes)

    def with_lanes(self, lanes: Sequence[Lane]) -> Lockstep:
        """A `Lockstep` of other lanes that goes on to the common time which these are on the way to."""
        other = Lockstep(lanes, self._clock)
        other._goal, other._stride, other._spent = self._goal, self._stride, self._spent
        return other

    def gather(self) -> None:
        """Lanes that have begun at different times are to meet at the latest of them."""
        times = [lane.time for lane in self.lanes]
        if min(times) < max(times):
            self._goal = max(times)

    def advance(self, until: float, budget: float, stride: Stride | None = None) -> bool:
        """About `budget` seconds of work towards `until`, at most to the end of `stride`; True when `until` is
        reached."""
        self._end_frame()
        if len(self.lanes) == 1:
            lane = self.lanes[0]
            lane.advance(until, budget, stride=stride)
            cut = stride is not None and not lane.progress.finished and lane.time < until and stride.met(lane.progress)
            return lane.progress.reached and not cut
        if self._goal is None:
            far = until if stride is None else min(until, max(stride.time, self.time))
            self._goal, self._spent = min(far, self.time + self._stride) if until == inf else far, 0.0
        goal = self._goal
        there = self._follow(budget)
        if there and until == inf:
            self._stride *= min(2.0, max(0.5, _STRIDE_TAKES / max(self._spent, 1e-6)))
        return there and until <= goal

    def advance_frame(self, budget: float, until: float = inf) -> bool:
        """About `budget` seconds of work towards the next frame of a run that is to be seen, but not beyond `until`.

        The leader's `stride` says how far that is; the others follow to the same time. True when there."""
        leader = leader_of(self.lanes)
        if self._goal is None:
            if self._ahead is None or self._ahead.met(leader.progress):
                self._ahead = leader.simulation.stride()
            leader.advance(until, budget, stride=self._ahead)
            if not (leader.progress.reached or leader.progress.finished):
                return False
            self._goal, self._spent = leader.time, 0.0
        if not self._follow(budget):
            return False
        if self._ahead is None or leader.progress.finished or self._ahead.met(leader.progress):
            self._ahead = None
            return True
        return False

    def step_event(self, budget: float, until: float = inf) -> bool:
        """About `budget` seconds of work towards the next physical event of the first lane that still goes on, but
        not beyond `until`; the others follow. True when there."""
        self._end_frame()
        leader = leader_of(self.lanes)
        if self._goal is None:
            leader.advance(until, budget, max_events=1)
            if not (leader.progress.reached or leader.progress.finished):
                return False
            self._goal, self._spent = leader.time, 0.0
        return self._follow(budget)

    def settle(self, budget: float) -> bool:
        """About `budget` seconds of work towards the next common time; True when there. Where a step can take long, and
        is interrupted for that, the lanes stay where they are: whole steps are comparable without a common time."""
        self._end_frame()
        if any(interruptible(lane.simulation) is not None for lane in self.lanes):
            self._goal = None
        return self._goal is None or self._follow(budget)

    def _end_frame(self) -> None:
        """Give up the frame that the lanes are on the way to: the others follow to where the leader is now."""
        if self._ahead is not None:
            self._ahead = None
            if self._goal is None and len(self.lanes) > 1:
                self._goal, self._spent = max(lane.time for lane in self.lanes), 0.0

    def interrupt(self) -> None:
        """Cut off the work that an `advance` is at, where it can be; what it had begun will be done anew. From any
        thread."""
        for lane in self.lanes:
            simulation = interruptible(lane.simulation)
            if simulation is not None:
                simulation.interrupt()

    def _follow(self, budget: float) -> bool:
        """Work of those that are behind the goal; True when none is."""
        goal = self._goal
        assert goal is not None
        began = self._clock()
        behind = self._behind(goal)
        for lane in behind:
            lane.advance(goal, budget / len(behind))
        self._spent += self._clock() - began
        if self._behind(goal):
            return False
        self._goal = None
        return True

    def _behind(self, goal: float) -> list[Lane]:
        return [lane for lane in self.lanes if lane.time < goal and not lane.progress.finished]
