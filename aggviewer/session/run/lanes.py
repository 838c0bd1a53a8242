"""Running simulations with their publishers: one lane, or two that are synchronised to common simulation times for
comparison."""

from __future__ import annotations

import gc
import threading
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from aggviewer.session.data import DiscSet, LaneStatus
from aggviewer.session.publisher import Publisher
from engine.capabilities import interruptible, merging
from engine.simulation import Checkpoint, Progress, Simulation, Stride

if TYPE_CHECKING:
    from engine.scenario import Scenario


class Lane:
    """A running simulation with its publisher. Belongs to the simulation's thread.

    Parameters
    ----------
    scenario, simulation, publisher : the simulation, its scenario, and its publisher.
    disc_set : of discs that started with another scenario; None if they start with this one.
    kernels : False for what is shown until kernels are loaded (`Publisher.adopt`).

    Attributes
    ----------
    stored : an exact copy in place of the simulation, which needs less memory; None while it has its simulation.
    progress : after the last slice of work.
    computing_time : computing time up to the present state, in seconds.
    """

    def __init__(
        self,
        scenario: Scenario,
        simulation: Simulation,
        publisher: Publisher,
        disc_set: DiscSet | None = None,
        *,
        kernels: bool = True,
    ) -> None:
        self.scenario = scenario
        self._simulation: Simulation | None = simulation
        self.stored: Checkpoint | None = None
        self.publisher = publisher
        self.disc_set = disc_set or DiscSet.of(scenario, simulation)
        self.progress = Progress(simulation.time, simulation.frame().clusters, {}, {}, False, True)
        self.computing_time = 0.0
        self._has_merges = merging(simulation) is not None
        publisher.adopt(simulation, self.disc_set, kernels=kernels)

    @property
    def simulation(self) -> Simulation:
        """The simulation. RuntimeError while only a copy of it is stored."""
        if self._simulation is None:
            raise RuntimeError("this simulation is stored and has to be loaded first")
        return self._simulation

    @property
    def time(self) -> float:
        """The simulation time that the lane has reached."""
        return self.progress.time if self._simulation is None else self._simulation.time

    @property
    def nbytes(self) -> int:
        """Bytes of its simulation, or of the copy in place of it."""
        return bytes_of(self._simulation or self.stored)

    def store(self) -> None:
        """Replace the simulation by an exact copy of its state, which takes about a fifth of the memory: predictions
        are left out, and made again by `load`."""
        self.progress = replace(self.progress, time=self.time)
        self.stored, self._simulation = self.simulation.checkpoint(), None

    def load(self, restore: Callable[[Checkpoint], Simulation]) -> None:
        """Make the simulation again, if only a copy is stored. Both go on with the same bits."""
        if self.stored is not None:
            self._simulation, self.stored = restore(self.stored), None

    @property
    def has_whole_time(self) -> bool:
        """Whether its time is an integer count, such as iterations."""
        return self.disc_set.system is not None and self.disc_set.system.clock.counts

    def advance(self, until: float, budget: float, max_events: int | None = None, stride: Stride | None = None) -> None:
        """One slice of work towards `until`, `max_events` or the end of `stride`, whichever comes first."""
        clusters = 1
        if stride is not None:
            until, clusters = min(until, stride.time), max(1, stride.clusters)
            if stride.events is not None:
                left = max(0, stride.events - self.progress.happened)
                max_events = left if max_events is None else min(left, max_events)
        began = perf_counter()
        self.progress = self.simulation.advance(until, budget, until_clusters=clusters, max_events=max_events)
        self.computing_time += perf_counter() - began

    def continue_counts(self, *, ended: bool) -> None:
        """Take over the counts of a simulation that does not begin.

        ended : whether the run had ended, according to a session file; not every simulation can find out by itself.
        """
        progress = self.simulation.advance(self.time, max_events=0)
        self.progress = replace(progress, finished=progress.finished or ended)

    def check_ended(self) -> None:
        """Check again whether an ended simulation has work to do, as when the limits of its iterations have changed."""
        if self.progress.finished and self.has_whole_time:
            self.progress = self.simulation.advance(self.time, 0.0, max_events=0)

    def with_simulation(self, scenario: Scenario, simulation: Simulation, disc_set: DiscSet | None = None) -> Lane:
        """Another lane with the same discs, continued with `scenario` by `simulation`. This lane is unchanged.

        disc_set : an equal object, if the copy has its own selection, marks and colours; None for that of this lane.
        """
        lane = Lane(scenario, simulation, self.publisher, disc_set or self.disc_set)
        lane.computing_time = self.computing_time
        lane.continue_counts(ended=False)
        return lane

    def copied(self, simulation: Simulation, disc_set: DiscSet | None = None) -> Lane:
        """Another lane with an exact copy of the simulation. disc_set : see `with_simulation`."""
        lane = self.with_simulation(self.scenario, simulation, disc_set)
        lane.progress = self.progress
        return lane

    def show_again(self) -> None:
        """Show this lane again, after another one was shown instead."""
        self.publisher.adopt(self.simulation, self.disc_set)

    def publish(self, *, analyse: bool = True, one_event: bool = False) -> None:
        """Publish the present state, and measure it. one_event : see `Shown`."""
        events, ended = self.progress.events, self.progress.finished
        self.publisher.publish(events, ended=ended, analyse=analyse, one_event=one_event)

    def status(self) -> LaneStatus:
        """The progress of the lane, for the status of the session."""
        p = self.progress
        made, merges = self.simulation, self._has_merges
        return LaneStatus(made.system, made.method, self.time, p.clusters, p.events, p.steps, p.finished, merges)


def leader_of(lanes: Sequence[Lane]) -> Lane:
    """The first lane that has not ended, which the others follow; the first lane if all have ended."""
    return next((lane for lane in lanes if not lane.progress.finished), lanes[0])


def nearer(one: Stride | None, other: Stride | None) -> Stride | None:
    """The stride that ends with whichever of two comes first; None has no end."""
    if one is None or other is None:
        return one or other
    events = [stride.events for stride in (one, other) if stride.events is not None]
    return Stride(min(one.time, other.time), max(one.clusters, other.clusters), min(events, default=None))


def bytes_of(thing: object) -> int:
    """Bytes of all arrays reachable from a simulation, each counted once.

    Classes, functions and kernels are skipped, since a kernel leads to everything in the compiler."""
    seen: set[int] = set()
    waiting, total = [thing], 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or callable(one) or isinstance(one, types.ModuleType):
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            if isinstance(one.base, np.ndarray):
                waiting.append(one.base)
            else:
                total += one.nbytes
        else:
            waiting.extend(gc.get_referents(one))
    return total


_STRIDE_TAKES = 0.03  # target wall time of a stride without a set pace, in seconds
_FIRST_STRIDE = 1e-3  # simulation time; later ones are adjusted to the time taken


def in_parallel(calls: Sequence[Callable[[], None]]) -> None:
    """Make independent calls in parallel, all but the first on temporary threads. Kernels release Python's lock, so two
    take the time of one. An exception is raised after all have returned."""
    failed: list[BaseException] = []

    def guarded(call: Callable[[], None]) -> None:
        try:
            call()
        except BaseException as error:  # raised below, on the thread that asked
            failed.append(error)

    threads = [threading.Thread(target=guarded, args=(call,), name="lane") for call in calls[1:]]
    for thread in threads:
        thread.start()
    for call in calls[:1]:
        guarded(call)
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


class Lockstep:
    """Advances lanes in parallel, each on its own thread, from one common simulation time to the next.

    A lane that ends early stays there while the other continues. A single lane never waits.

    lanes : zero, one or two.
    """

    def __init__(self, lanes: Sequence[Lane]) -> None:
        self.lanes = tuple(lanes)
        self._meeting_time: float | None = None
        self._ahead: Stride | None = None  # the end of the frame that the lanes are working towards
        self._leading = False  # the leader advances, and the others have not yet followed
        self._stride = _FIRST_STRIDE
        self._spent = 0.0

    @property
    def time(self) -> float:
        """Simulation time that all lanes have reached."""
        going = [lane.time for lane in self.lanes if not lane.progress.finished]
        return min(going) if going else max((lane.time for lane in self.lanes), default=0.0)

    @property
    def together(self) -> bool:
        """Whether the lanes are at a common time, as required for showing them side by side."""
        return self._meeting_time is None and (not self._leading or len(self.lanes) == 1)

    @property
    def finished(self) -> bool:
        """Whether all lanes have ended."""
        return all(lane.progress.finished for lane in self.lanes)

    def with_lanes(self, lanes: Sequence[Lane]) -> Lockstep:
        """A `Lockstep` of other lanes that goes on to the same common time."""
        other = Lockstep(lanes)
        other._meeting_time, other._stride, other._spent = self._meeting_time, self._stride, self._spent
        return other

    def gather(self) -> None:
        """Set the latest time of all lanes as the meeting time, to which the others advance next."""
        times = [lane.time for lane in self.lanes]
        if min(times) < max(times):
            self._meeting_time = max(times)

    def advance(self, until: float, budget: float, limit: Stride | None = None) -> bool:
        """Work for about `budget` seconds towards `until`, but not beyond `limit`; True when `until` is reached."""
        self._end_frame()
        if len(self.lanes) == 1:
            lane = self.lanes[0]
            lane.advance(until, budget, stride=limit)
            cut = limit is not None and not lane.progress.finished and lane.time < until and limit.met(lane.progress)
            return lane.progress.reached and not cut
        if self._meeting_time is None:
            far = until if limit is None else min(until, max(limit.time, self.time))
            self._meeting_time, self._spent = min(far, self.time + self._stride) if until == inf else far, 0.0
        meeting_time = self._meeting_time
        there = self._follow(budget)
        if there and until == inf:
            self._stride *= min(2.0, max(0.5, _STRIDE_TAKES / max(self._spent, 1e-6)))
        return there and until <= meeting_time

    def advance_frame(self, budget: float, limit: Stride | None = None) -> bool:
        """Work for about `budget` seconds towards the next frame to show, but not beyond `limit`.

        The leader's `stride` sets the distance; the others follow to the same time. True when there."""
        leader = leader_of(self.lanes)
        if self._meeting_time is None:
            if self._ahead is None or self._ahead.met(leader.progress):
                self._ahead = leader.simulation.stride()
            if not self._lead(budget, nearer(self._ahead, limit)):
                return False
        if not self._follow(budget):
            return False
        if self._ahead is None or leader.progress.finished or self._ahead.met(leader.progress):
            self._ahead = None
            return True
        return False

    def step_event(self, budget: float, limit: Stride | None = None) -> bool:
        """Work for about `budget` seconds towards the next physical event of the first active lane, but not beyond
        `limit`; the others follow. True when there."""
        self._end_frame()
        if self._meeting_time is None and not self._lead(budget, limit, max_events=1):
            return False
        return self._follow(budget)

    def _lead(self, budget: float, stride: Stride | None, max_events: int | None = None) -> bool:
        """Advance the leader; True when it is there and the others have to follow. Meanwhile they catch up to its
        previous time."""
        leader = leader_of(self.lanes)
        after = [partial(lane.advance, leader.time, budget) for lane in self._behind(leader.time)]
        in_parallel([partial(leader.advance, inf, budget, max_events, stride), *after])
        self._leading = not (leader.progress.reached or leader.progress.finished)
        if not self._leading:
            self._meeting_time, self._spent = leader.time, 0.0
        return self._meeting_time is not None

    def work_to_common_time(self, budget: float) -> bool:
        """Work for about `budget` seconds towards the next common time; True when there. If long steps are interrupted,
        the lanes stay where they are: complete steps can be compared without a common time."""
        self._end_frame()
        if any(interruptible(lane.simulation) is not None for lane in self.lanes):
            self._meeting_time, self._leading = None, False
        return self._meeting_time is None or self._follow(budget)

    def _end_frame(self) -> None:
        """Give up the frame that the lanes were working towards; the others follow to the leader's time."""
        if self._ahead is not None:
            self._ahead, self._leading = None, False
            if self._meeting_time is None and len(self.lanes) > 1:
                self._meeting_time, self._spent = max(lane.time for lane in self.lanes), 0.0

    def interrupt(self) -> None:
        """Interrupt an `advance` in progress, if possible; its work will be repeated. From any thread."""
        for lane in self.lanes:
            simulation = interruptible(lane.simulation)
            if simulation is not None:
                simulation.interrupt()

    def _follow(self, budget: float) -> bool:
        """Advance the lanes that are behind the meeting time, by a slice of work; True when all have reached it."""
        meeting_time = self._meeting_time
        assert meeting_time is not None
        began = perf_counter()
        in_parallel([partial(lane.advance, meeting_time, budget) for lane in self._behind(meeting_time)])
        self._spent += perf_counter() - began
        if self._behind(meeting_time):
            return False
        self._meeting_time, self._leading = None, False
        return True

    def _behind(self, time: float) -> list[Lane]:
        return [lane for lane in self.lanes if lane.time < time and not lane.progress.finished]
