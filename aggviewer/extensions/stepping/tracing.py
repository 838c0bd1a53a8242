"""Tracing a single time step, on the simulation's thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, ClassVar

from aggviewer.extensions.stepping.story import StepStory
from aggviewer.session import DiscSet
from aggviewer.session.log import RunCommand
from aggviewer.session.run.lanes import Lane
from aggviewer.session.run.worker import ClosingError
from engine.capabilities import traceable
from engine.errors import InputError
from engine.simulation import Simulation
from engine.system import system_of

if TYPE_CHECKING:
    from aggviewer.session.loader import Loader
    from engine.scenario import Scenario

NO_STEPS = "The event-driven method has no steps: switch to time stepping."
NOTHING_LEFT = "Nothing can collide: only one cluster is left, or nothing moves."

_SLICE = 0.05  # seconds of work between two looks at whether the session closes


@dataclass(frozen=True)
class TracedStep:
    """A traced step of the simulation in `lane`, ready to play, with its discs."""

    lane: int
    disc_set: DiscSet
    story: StepStory

    @property
    def end(self) -> float:
        """Simulation time after the step."""
        return self.story.trace.time + self.story.trace.dt


class Tracer:
    """Traces steps of a paused simulation. Belongs to the simulation's thread; `TraceStep` uses it.

    Parameters
    ----------
    traced : called with each step.
    refused : called with the reason why there is none.
    """

    def __init__(self, traced: Callable[[TracedStep], object], refused: Callable[[str], object]) -> None:
        self._tell_traced, self._tell_refused = traced, refused
        self._last: TracedStep | None = None

    def trace(self, loader: Loader, *, collision: bool, onward: bool) -> None:
        """Pause, and trace the next time step of the first lane with time stepping; see `TraceStep`."""
        runner = loader.runner
        if not runner.lanes:
            return
        loader.playback.pause()
        try:
            step = self._traced(loader, collision=collision, onward=onward)
        except InputError as error:
            self._tell_refused(str(error))
        else:
            self._tell_traced(step)
        runner.publish()

    def _traced(self, loader: Loader, *, collision: bool, onward: bool) -> TracedStep:
        """InputError if there are no steps, or nothing can happen any longer."""
        lanes = loader.runner.lanes
        found = [(k, lane, steps) for k, lane in enumerate(lanes) if (steps := traceable(lane.simulation)) is not None]
        if not found:
            raise InputError(NO_STEPS, system_of(lanes[0].scenario).method_key)
        k, lane, steps = found[0]
        _run(loader, lane, lane.time)  # a step that has begun is ended first
        if onward and self._last is not None and self._last.disc_set is lane.disc_set:
            _run(loader, lane, self._last.end)
        if collision:
            _run(loader, lane, _before_collision(loader, lane.simulation))
        trace = steps.trace_step()
        if trace.dt == 0.0:
            raise InputError(NOTHING_LEFT)
        disc_set, last = lane.disc_set, self._last
        before = last.story if last is not None and last.disc_set is disc_set else None
        self._last = TracedStep(k, disc_set, StepStory(trace, disc_set.radii, disc_set.box, disc_set.periodic, before))
        return self._last


def _before_collision(loader: Loader, simulation: Simulation) -> float:
    """The start time of the next step in which clusters collide, found by running a copy ahead."""
    probe = loader.builder.copy(simulation)
    clusters = int(probe.history().clusters[-1])
    while True:
        progress = probe.advance(inf, _SLICE, max_events=1)
        if progress.clusters < clusters:
            return float(probe.history().time[-2])
        if progress.finished:
            raise InputError(NOTHING_LEFT)
        _check(loader)


def _run(loader: Loader, lane: Lane, until: float) -> None:
    while True:
        lane.advance(until, _SLICE)
        if lane.progress.reached or lane.progress.finished:
            return
        _check(loader)


def _check(loader: Loader) -> None:
    if loader.runner.closing:
        raise ClosingError


@dataclass(frozen=True)
class TraceStep(RunCommand):
    """Pause, and trace the next time step. The run is not changed, so that there is nothing to undo.

    Parameters
    ----------
    tracer : is told the step.
    collision : advance to the next step in which clusters collide.
    onward : continue after the last traced step.
    """

    tracer: Tracer
    collision: bool = False
    onward: bool = False

    at_once: ClassVar[bool] = False

    def words(self, scenario: Scenario | None) -> str:
        """Its name in the history."""
        return "looking inside a step"

    def carry_out(self, loader: Loader) -> Sequence[RunCommand]:
        """Trace it; see `RunCommand`."""
        self.tracer.trace(loader, collision=self.collision, onward=self.onward)
        return ()
