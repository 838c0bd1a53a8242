"""What listens to a run: the interface, and the observers of its past, its goal and its measurements.

Observers never change a run: it has the same bits with any of them, or with none. The runner asks each how far the next
slice of work may go, and calls each after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from aggviewer.session.past.memory import USUAL_BUDGET
from aggviewer.session.run.lanes import Lockstep, leader_of
from engine.simulation import Stride

Moment = Literal["begin", "slice", "stop", "end", "idle"]
"""When observers are called: another run has replaced the last one, or none has after a failure; a slice of
work is done; the run stops where it is shown, after a pause, a step or a change of its method; it has ended; nothing
runs, and a number of seconds is over."""

Due = Stride | float | None
"""When an observer is to be called at the latest. A stride ends the next slice. A number is in seconds of wall time,
for a run that rests: while one is running, observers are called every few milliseconds anyway."""

_RETRY = 0.05  # seconds between two offers of the last state of a pause to a busy analyst


class RunObserver:
    """Listens to one run after another, on the simulation's thread."""

    def due(self, run: Lockstep) -> Due:
        """When it is to be called at the latest. None for no limit."""
        return None

    def handle(self, run: Lockstep, moment: Moment) -> None:
        """Do what is due."""

    def set_aside(self, run: Lockstep) -> Callable[[], None]:
        """Forget the present run, which waits unchanged; returns a function that takes it up again."""
        return lambda: None

    def close(self, patience: float | None = None) -> bool:
        """Close files and threads; False if that takes longer than `patience` seconds. After the simulation's thread
        has ended."""
        return True


class PastMemory(RunObserver):
    """Keeps frames of the run in memory (`Lockstep.past`), so that its past has no gaps at any speed.

    Parameters
    ----------
    clock : seconds of wall time.

    Attributes
    ----------
    budget : most bytes for the frames of a run.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.budget = USUAL_BUDGET

    def set_budget(self, run: Lockstep, budget: int) -> None:
        """Set the most bytes for frames."""
        self.budget = budget
        run.past.set_budget(budget)

    def due(self, run: Lockstep) -> Due:
        """Where the past needs its next frame."""
        return run.past.next_due

    def handle(self, run: Lockstep, moment: Moment) -> None:
        """Keep the present frames: if they are due or enough has happened since the last, or where the run stops."""
        if moment == "idle" or not run.live:
            return
        past, discs = run.past, sum(lane.system.count for lane in run.lanes)
        leader = leader_of(run.lanes)
        if moment == "slice":
            enough = past.next_due is not None and past.next_due.met(leader.progress)
            if not run.together or not (enough or past.due(self._clock(), discs)):
                return
        if past.budget != self.budget:
            past.set_budget(self.budget)
        began = self._clock()
        frames = [lane.simulation.frame() for lane in run.lanes]
        apart = past.frames_apart(discs, began, self._clock() - began)
        past.keep(began, frames, leader.simulation.stride(apart))

    def set_aside(self, run: Lockstep) -> Callable[[], None]:
        """Leave the past to the run that waits; the budget may change meanwhile."""
        left = run.past
        return lambda: left.set_budget(self.budget)


class Goal(RunObserver):
    """Pauses the run where it was asked to.

    Attributes
    ----------
    stride : the limits of which the run is to reach one; None for no goal.
    """

    def __init__(self) -> None:
        self.stride: Stride | None = None

    def set(self, run: Lockstep, stride: Stride | None) -> None:
        """Pause this run once it reaches one of these limits; None cancels that. Limits already passed are ignored, and
        the next run starts without any."""
        passed = stride is None or not run.live or stride.met(leader_of(run.lanes).progress)
        self.stride = None if passed else stride

    def due(self, run: Lockstep) -> Due:
        """The goal."""
        return self.stride

    def handle(self, run: Lockstep, moment: Moment) -> None:
        """Pause if the goal is reached or passed, and forget it."""
        if moment == "begin":
            self.stride = None
        elif self.stride is not None and run.together and self.stride.met(leader_of(run.lanes).progress):
            self.stride = None
            run.held = moment == "slice"

    def set_aside(self, run: Lockstep) -> Callable[[], None]:
        """Leave the goal to the run that waits."""
        left, self.stride = self.stride, None

        def take_up() -> None:
            self.stride = left

        return take_up


class AnalystFeed(RunObserver):
    """Offers the last state of a pause again to analysts that were busy when it was published."""

    def due(self, run: Lockstep) -> Due:
        """At once if an analyst is ready for a state that waits, else a moment later."""
        waiting = [lane.publisher for lane in run.lanes if lane.publisher.analysis_due]
        if not waiting:
            return None
        return 0.0 if any(publisher.analyst.ready for publisher in waiting) else _RETRY

    def handle(self, run: Lockstep, moment: Moment) -> None:
        """Offer states that wait."""
        if moment == "idle":
            for lane in run.lanes:
                if lane.publisher.analysis_due:
                    lane.publisher.offer()
