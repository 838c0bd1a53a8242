"""One simulation on its way, with the place where its states are shown: one lane, two in a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from aggviewer.session.data import LaneStatus, SystemInfo
from aggviewer.session.publish.publisher import Publisher
from engine.simulation import Progress, Simulation, Stride
from engine.system import system

if TYPE_CHECKING:
    from engine.scenario import Scenario


class Lane:
    """Belongs to the simulation's thread."""

    def __init__(
        self, scenario: Scenario, simulation: Simulation, publisher: Publisher, system: SystemInfo | None = None
    ) -> None:
        """system : of discs that have begun under another scenario, a new one where it is None."""
        self.scenario = scenario
        self.simulation = simulation
        self.publisher = publisher
        self.system = system or SystemInfo(
            scenario, simulation.radii, simulation.masses, simulation.box, simulation.periodic, simulation.count
        )
        self.progress = Progress(self.time, simulation.frame().clusters, {}, {}, False, True)
        self.worked = 0.0
        """Seconds of computing that have led to the present state."""
        publisher.adopt(simulation, self.system)

    @property
    def time(self) -> float:
        """Simulation time reached."""
        return self.simulation.time

    @property
    def tunable(self) -> frozenset[str]:
        """Keys that may change while it runs."""
        return self.simulation.tunable

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
        self.worked += perf_counter() - began

    def resume(self, *, ended: bool) -> None:
        """Take over what its simulation, which comes from a session file, has counted so far.

        ended : the file says that the run had come to its end; not every simulation finds that out again.
        """
        progress = self.simulation.advance(self.time, max_events=0)
        self.progress = replace(progress, finished=progress.finished or ended)

    def look_again(self) -> None:
        """Whether there is something left to do: a chain of iterations that had ended goes on to other limits."""
        if self.progress.finished and system(self.simulation.system).clock.counts:
            self.progress = self.simulation.advance(self.time, 0.0, max_events=0)

    def carried_on(self, scenario: Scenario, simulation: Simulation) -> Lane:
        """The same discs in another lane, from here on under `scenario` by `simulation`. This lane stays as it is."""
        lane = Lane(scenario, simulation, self.publisher, self.system)
        lane.worked = self.worked
        return lane

    def copied(self, simulation: Simulation) -> Lane:
        """The same lane with an exact copy of its simulation."""
        lane = self.carried_on(self.scenario, simulation)
        lane.progress = self.progress
        return lane

    def show_again(self) -> None:
        """It comes back after another lane was shown in its place."""
        self.publisher.adopt(self.simulation, self.system)

    def publish(self, *, analyse: bool = True, single: bool = False) -> None:
        """Show the present state, and have it measured. single : see `Shown`."""
        self.publisher.publish(self.progress.events, ended=self.progress.finished, analyse=analyse, single=single)

    def status(self) -> LaneStatus:
        """Where it is."""
        p = self.progress
        return LaneStatus(
            self.simulation.system, self.simulation.method, self.time, p.clusters, p.events, p.steps, p.finished
        )


def leader_of(lanes: Sequence[Lane]) -> Lane:
    """Of lanes side by side the first one that goes on, by which the others go; the first one where all have ended."""
    return next((lane for lane in lanes if not lane.progress.finished), lanes[0])
