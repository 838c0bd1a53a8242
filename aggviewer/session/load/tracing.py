"""Tracing a single time step. Belongs to the simulation's thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from aggviewer.session.data import SessionSignals, SystemInfo
from aggviewer.session.load.builder import Builder
from aggviewer.session.notices import emit
from aggviewer.session.run.lanes import Lane
from aggviewer.session.run.playback import Playback
from aggviewer.session.run.runner import Runner
from aggviewer.session.run.worker import ClosingError
from aggviewer.session.step.story import StepStory
from engine.capabilities import traceable
from engine.errors import InputError
from engine.simulation import Simulation
from engine.system import system_of

NO_STEPS = "The event-driven method has no steps: switch to time stepping."
NOTHING_LEFT = "Nothing can collide: only one cluster is left, or nothing moves."

_SLICE = 0.05  # seconds of work between two looks at whether the session closes


@dataclass(frozen=True)
class TracedStep:
    """A traced step of the simulation in `lane`, ready to play, with its discs."""

    lane: int
    system: SystemInfo
    story: StepStory

    @property
    def end(self) -> float:
        """Simulation time after the step."""
        return self.story.trace.time + self.story.trace.dt


class Tracer:
    """Traces steps of a paused simulation.

    Parameters
    ----------
    runner, builder : hold and copy the simulation.
    playback : pauses.
    signals : announce the step, or why there is none.
    closing : whether long work should end early.
    """

    def __init__(
        self,
        runner: Runner,
        playback: Playback,
        builder: Builder,
        signals: SessionSignals,
        closing: Callable[[], bool],
    ) -> None:
        self._runner = runner
        self._playback = playback
        self._builder = builder
        self._signals = signals
        self._closing = closing
        self._last: TracedStep | None = None

    def trace(self, *, collision: bool, onward: bool) -> None:
        """Pause, and trace the next time step of the first lane with time stepping.

        collision : advance to the next step in which clusters collide; onward : continue after the last traced step.
        """
        runner = self._runner
        if not runner.lanes:
            return
        self._playback.pause()
        try:
            step = self._traced(runner.lanes, collision=collision, onward=onward)
        except InputError as error:
            emit(self._signals.step_refused, str(error))
        else:
            emit(self._signals.step_traced, step)
        runner.publish()

    def _traced(self, lanes: Sequence[Lane], *, collision: bool, onward: bool) -> TracedStep:
        """InputError if there are no steps, or nothing can happen any longer."""
        found = [(k, lane, steps) for k, lane in enumerate(lanes) if (steps := traceable(lane.simulation)) is not None]
        if not found:
            raise InputError(NO_STEPS, system_of(lanes[0].scenario).method_key)
        k, lane, steps = found[0]
        self._run(lane, lane.time)  # a step that has begun is ended first
        if onward and self._last is not None and self._last.system is lane.system:
            self._run(lane, self._last.end)
        if collision:
            self._run(lane, self._before_collision(lane.simulation))
        trace = steps.trace_step()
        if trace.dt == 0.0:
            raise InputError(NOTHING_LEFT)
        system, last = lane.system, self._last
        before = last.story if last is not None and last.system is system else None
        self._last = TracedStep(k, system, StepStory(trace, system.radii, system.box, system.periodic, before))
        return self._last

    def _before_collision(self, simulation: Simulation) -> float:
        """The start time of the next step in which clusters collide, found by running a copy ahead."""
        probe = self._builder.copy(simulation)
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
