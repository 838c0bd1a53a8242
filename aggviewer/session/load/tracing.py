"""One time step looked into: which one, and what happens in it. Belongs to the simulation's thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from aggviewer.session.data import SystemInfo
from aggviewer.session.engine_face import EngineFace
from aggviewer.session.load.builder import ClosingError
from aggviewer.session.run.lane import Lane
from aggviewer.session.step.story import StepStory
from engine.aggregation.section import Aggregation
from engine.errors import InputError
from engine.simulation import Simulation

if TYPE_CHECKING:
    from engine.aggregation.time_stepping.trace import StepTrace

NO_STEPS = "The event-driven method has no steps: switch to time stepping."
NOTHING_LEFT = "Nothing meets any more: one cluster is left, or nothing moves."

_SLICE = 0.05  # seconds of work between two looks at whether the session closes


@runtime_checkable
class Stepping(Protocol):
    """A simulation that goes by time steps."""

    def trace_step(self) -> StepTrace:
        """What happens inside the next step."""
        ...


@dataclass(frozen=True)
class TracedStep:
    """A step of the simulation in `lane`, ready to be played, and the discs that it is about."""

    lane: int
    system: SystemInfo
    story: StepStory

    @property
    def end(self) -> float:
        """Simulation time after the step."""
        return self.story.trace.time + self.story.trace.dt


class Tracer:
    """Looks into the steps of a simulation that holds."""

    def __init__(self, engine: EngineFace, closing: Callable[[], bool]) -> None:
        self._engine = engine
        self._closing = closing
        self._last: TracedStep | None = None

    def trace(self, lanes: Sequence[Lane], *, collision: bool, onward: bool) -> TracedStep:
        """The next step of the first lane that has steps.

        collision : go on to the next step in which clusters meet; onward : the last traced step is seen, the next one
        is wanted. InputError where there are no steps, or nothing is left to happen.
        """
        found = next(((k, lane) for k, lane in enumerate(lanes) if isinstance(lane.simulation, Stepping)), None)
        if found is None:
            raise InputError(NO_STEPS, "aggregation.method")
        k, lane = found
        self._run(lane, lane.time)  # a step that has begun is ended first
        if onward and self._last is not None and self._last.system is lane.system:
            self._run(lane, self._last.end)
        if collision:
            self._run(lane, self._before_collision(lane.simulation))
        assert isinstance(lane.simulation, Stepping)
        trace = lane.simulation.trace_step()
        if trace.dt == 0.0:
            raise InputError(NOTHING_LEFT)
        system, tolerance = lane.system, lane.scenario.section(Aggregation).damping.tolerance
        self._last = TracedStep(k, system, StepStory(trace, system.radii, system.box, system.periodic, tolerance))
        return self._last

    def _before_collision(self, simulation: Simulation) -> float:
        """When the next step begins in which clusters meet, found with a copy that goes ahead."""
        probe = self._engine.restore(simulation.checkpoint())
        clusters = int(probe.history().clusters[-1])
        while True:
            progress = probe.advance(inf, _SLICE, max_events=1)
            if progress.clusters < clusters:
                return float(probe.history().time[-2])
            if progress.finished:
                raise InputError(NOTHING_LEFT)
            self._check()

    def _run(self, lane: Lane, until: float) -> None:
        while True:
            lane.advance(until, _SLICE)
            if lane.progress.reached or lane.progress.finished:
                return
            self._check()

    def _check(self) -> None:
        if self._closing():
            raise ClosingError
