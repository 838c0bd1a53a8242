"""Several simulations brought to the same simulation times, so that they can be looked at side by side."""

from __future__ import annotations

import time as wall
from collections.abc import Callable, Sequence
from math import inf

from aggviewer.session.lane import Lane

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
        return self._goal is None

    @property
    def finished(self) -> bool:
        """Nothing will happen any more in any lane."""
        return all(lane.progress.finished for lane in self.lanes)

    def with_lanes(self, lanes: Sequence[Lane]) -> Lockstep:
        """The same way on with other lanes in the places of these; those that are behind catch up first."""
        other = Lockstep(lanes, self._clock)
        other._goal, other._stride, other._spent = self._goal, self._stride, self._spent
        return other

    def gather(self) -> None:
        """Lanes that have begun at different times are to meet at the latest of them."""
        times = [lane.time for lane in self.lanes]
        if min(times) < max(times):
            self._goal = max(times)

    def advance(self, until: float, budget: float) -> bool:
        """About `budget` seconds of work towards `until`; True when what was asked for is reached."""
        if len(self.lanes) == 1:
            self.lanes[0].advance(until, budget)
            return self.lanes[0].progress.reached
        if self._goal is None:
            self._goal, self._spent = min(until, self.time + self._stride) if until == inf else until, 0.0
        there = self._follow(budget)
        if there and until == inf:
            self._stride *= min(2.0, max(0.5, _STRIDE_TAKES / max(self._spent, 1e-6)))
        return there and until < inf

    def step_event(self, budget: float, until: float = inf) -> bool:
        """About `budget` seconds of work towards the next physical event of the first lane that still goes on, but
        not beyond `until`; the others follow. True when there."""
        leader = next((lane for lane in self.lanes if not lane.progress.finished), self.lanes[0])
        if self._goal is None:
            leader.advance(until, budget, max_events=1)
            if not (leader.progress.reached or leader.progress.finished):
                return False
            self._goal, self._spent = leader.time, 0.0
        return self._follow(budget)

    def settle(self, budget: float) -> bool:
        """About `budget` seconds of work towards the next common time; True when there. Where a step can take long, and
        is interrupted for that, the lanes stay where they are: whole steps are comparable without a common time."""
        if any(hasattr(lane.simulation, "interrupt") for lane in self.lanes):
            self._goal = None
        return self._goal is None or self._follow(budget)

    def interrupt(self) -> None:
        """Cut off the work that an `advance` is at, where it can be; what it had begun will be done anew. From any
        thread."""
        for lane in self.lanes:
            getattr(lane.simulation, "interrupt", lambda: None)()

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
