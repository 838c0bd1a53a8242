"""Plays a lesson without a window: simulations of its own, and what learners are asked to do done by itself. No Qt."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import engine
from aggviewer.document.view import ViewModel
from aggviewer.lessons.conditions import Condition
from aggviewer.lessons.ensemble import EnsembleRun
from aggviewer.lessons.model import Ensemble, Setting
from aggviewer.lessons.player import Answer
from aggviewer.lessons.source import Found
from aggviewer.session.data import LaneStatus, Status, SystemInfo
from aggviewer.session.load.builder import write_state
from aggviewer.session.load.measured import measured
from aggviewer.session.taking_out import TakenOut, without
from engine.errors import InputError
from engine.files import FileFrame
from engine.initial import initial_state
from engine.selection import Selection
from engine.simulation import Progress, Stride
from engine.system import system_of

if TYPE_CHECKING:
    from engine.scenario import Scenario
    from engine.simulation import Simulation

_SILENT = ("view.fit",)
"""Commands that lead to what a film shows anyway."""
_LATER = 4.0
"""Where frames come without a pace: how much larger the last piece of time is than the first, as a power of e."""
_SLICE, _LONGEST = 0.2, 120.0
"""Seconds of work between two looks at the clock, and those after which a run that is to end has not."""
Compiling = Callable[[int, int, str], None]


@dataclass
class FilmRun:
    """A run of the film; see `aggviewer.session.load.measured.Run`."""

    scenario: Scenario
    simulation: Simulation
    system: SystemInfo
    progress: Progress
    worked: float = 0.0

    @staticmethod
    def of(scenario: Scenario, compiling: Compiling = lambda done, total, what: None) -> FilmRun:
        """The run of a scenario, at its start."""
        state = initial_state(scenario)
        engine.warm_up(compiling, system_of(scenario).kernels(scenario))
        return FilmRun._at(scenario, engine.create(scenario, state))

    @staticmethod
    def _at(scenario: Scenario, simulation: Simulation) -> FilmRun:
        system = SystemInfo.of(scenario, simulation)
        return FilmRun(scenario, simulation, system, simulation.advance(simulation.time, 0.0, max_events=0))

    def copy(self) -> FilmRun:
        """Another one in the same state."""
        return self._at(self.scenario, engine.restore(self.simulation.checkpoint()))

    def go_to(self, limit: Stride, until: float = inf) -> None:
        """Advance to the limit, to a time, or to the end, whichever comes first."""
        began = time.monotonic()
        while time.monotonic() - began < _LONGEST:
            if self.progress.finished or limit.met(self.progress) or self.progress.time >= until:
                return
            left = None if limit.events is None else max(0, limit.events - self.progress.happened)
            self.progress = self.simulation.advance(
                min(limit.time, until), _SLICE, until_clusters=max(1, limit.clusters), max_events=left
            )
        raise InputError(f"its run does not end within {_LONGEST:g} s: hold says where it is held")


@dataclass(frozen=True)
class Seen:
    """See `aggviewer.lessons.conditions.Situation`."""

    status: Status
    scenario: Scenario | None
    events: int
    view: Mapping[str, Any]
    used: Collection[str] = frozenset()
    plots: Collection[str] = frozenset()
    views: Mapping[str, float] = field(default_factory=dict)
    taken_out: TakenOut | None = None


class Demonstration:
    """See `aggviewer.lessons.player.Classroom`, and `aggviewer.lessons.conditions.Hand`.

    Parameters
    ----------
    folder : for states that another run begins from.
    compiling(done, total, what) : told while kernels are compiled.

    Attributes
    ----------
    runs : side by side, one or two.
    view : colours, layers.
    plots : names of the plots that are shown; None for all, empty for none.
    fast : frames come without a pace.
    """

    def __init__(self, folder: Path, compiling: Compiling) -> None:
        self._folder, self._compiling = folder, compiling
        self.runs: list[FilmRun] = []
        self.view = ViewModel()
        self.plots: tuple[str, ...] | None = ()
        self.fast = False
        self._hold = Stride()
        self._limits: list[Stride] = []
        self._held = True
        self._events = 0
        self._taken_out: TakenOut | None = None

    # Classroom

    def put(self, found: Found, setting: Setting) -> None:
        """Put in place what a step needs. InputError for what only a window has."""
        for command in setting.commands:
            if command not in _SILENT:
                raise InputError(f"it needs the command {command} of the window")
        self.view.take(setting.view)
        if setting.speed is not None:
            self.fast = setting.speed == "fast"
        if setting.begins:
            self.runs = [FilmRun.of(found.scenario(setting), self._compiling)]
            self._hold, self._taken_out = Stride(), None
        elif setting.values:
            self._tune(setting.values)
        if setting.compare is not None:
            first = self.runs[0].scenario
            self.runs = [FilmRun.of(first, self._compiling)]
            if setting.compare:
                self.runs.append(FilmRun.of(first.with_values(setting.compare), self._compiling))
        if setting.plots is not None:
            self.plots = None if setting.plots == "all" else tuple(setting.plots)
        if setting.hold is not None:
            hold = setting.hold
            self._hold = Stride(inf if hold.time is None else hold.time, hold.clusters or 0, hold.events)
        if setting.run:
            for run in self.runs:
                run.go_to(self._hold)

    def begin_step(self) -> None:
        """Count events from now on."""
        self._events = self._happened()
        self._limits.clear()
        self._held = True

    def situation(self) -> Seen:
        """What is to be seen now."""
        lanes = tuple(
            LaneStatus(
                run.scenario.system,
                run.simulation.method,
                run.progress.time,
                run.progress.clusters,
                run.progress.events,
                run.progress.steps,
                run.progress.finished,
            )
            for run in self.runs
        )
        finished = all(lane.finished for lane in lanes)
        state = "finished" if finished else "paused" if self._held else "running"
        first = lanes[0]
        status = Status(
            state=state,  # type: ignore[arg-type]
            system=first.system,
            time=min(lane.time for lane in lanes),
            clusters=first.clusters,
            count=self.runs[0].simulation.count,
            events=first.events,
            lanes=lanes,
        )
        return Seen(
            status,
            self.runs[0].scenario,
            self._happened() - self._events,
            self.view.model_dump(),
            taken_out=self._taken_out,
        )

    def measure(self, answer: Answer) -> None:
        """Measure what runs."""
        numbers = measured(self.runs)
        answer(numbers[0] | ({"other": numbers[1]} if len(numbers) > 1 else {}))

    def study(self, ensemble: Ensemble, told: Callable[[float], None], answer: Answer) -> None:
        """Run a small study, and wait for it."""
        done = threading.Event()
        found: list[Mapping[str, Any] | InputError] = []

        def take(numbers: Mapping[str, Any] | InputError) -> None:
            found.append(numbers)
            done.set()

        run = EnsembleRun(self.runs[0].scenario, ensemble, lambda share: None, take)
        try:
            done.wait()
        finally:
            run.close()
        told(1.0)
        answer(found[0])

    def stop_study(self) -> None:
        """None is left running."""

    # Hand

    def run_to(self, limit: Stride) -> None:
        """Let it run to this limit at most."""
        self._limits.append(limit)

    def run_on(self, events: int) -> None:
        """Let so many more events happen at most."""
        self._limits.append(Stride(events=self._events + events))

    def set(self, key: str, value: Any) -> None:
        """Give a key a value, from the start of the run."""
        kind = type(self.runs[0].scenario.value(key))
        told = kind(value) if kind in (int, float) else value
        self.runs = [FilmRun.of(run.scenario.with_values({key: told}), self._compiling) for run in self.runs]

    def become(self, system: str) -> None:
        """Go on with these discs in another system."""
        scenario = self._jammed(self._frame())
        if scenario.system != system:
            raise InputError(f"these discs cannot go on as {system}")
        self._begin(scenario)
        self.plots = ()  # those of the other system mean nothing here

    def take_out(self, *, held: bool) -> None:
        """Begin again without the disc on which the greatest forces are, or without the first rattler."""
        frame = self._frame()
        if frame.network is None or not len(frame.network.pairs):
            raise InputError("the contacts of these discs are not known, so no disc can be taken out")
        total = np.zeros(len(frame.positions))
        for end in frame.network.pairs.T:
            np.add.at(total, end[end >= 0], frame.network.forces[end >= 0])
        rattlers = np.flatnonzero(frame.network.rattlers)
        if not held and not len(rattlers):
            raise InputError("this packing has no rattler to take out")
        disc = int(total.argmax()) if held else int(rattlers[0])
        left, taken = without(frame, Selection.discs([disc], len(frame.positions)))
        self._begin(self._jammed(left))
        self._taken_out = taken

    def _frame(self) -> FileFrame:
        run = self.runs[0]
        return FileFrame.of(run.simulation.settled(), run.system, run.scenario.to_toml())

    def _jammed(self, frame: FileFrame) -> Scenario:
        """The scenario of discs that begin to jam as they are."""
        from aggviewer.systems.jamming.commands import jam  # with its kernels

        frame, values = jam(frame)
        path = self._folder / f"start-{len(list(self._folder.iterdir()))}.gsd"
        write_state(path, frame)
        return engine.open_scenario(str(path)).with_values(values)

    def _begin(self, scenario: Scenario) -> None:
        self.runs = [FilmRun.of(scenario, self._compiling)]
        self._hold, self._taken_out = Stride(), None

    def look(self, fields: Mapping[str, Any]) -> None:
        """Change fields of the view model."""
        self.view.take(dict(fields))

    # the run

    def show(self, conditions: Sequence[Condition], frames: int) -> Iterator[None]:
        """Do what makes all conditions true: gives back at each of about so many frames of the film. InputError where
        that cannot be done by itself."""
        for one in conditions:
            one.bring_about(self)
        if self._limits:
            yield from self._running(frames)
        situation = self.situation()
        if not all(one.met(situation) for one in conditions):
            raise InputError("it is not done by letting it run")

    def _running(self, frames: int) -> Iterator[None]:
        # a learner presses a key, and the run goes on until it is held where the lesson says, or ends
        asked_for_hold = Stride() in self._limits and self._hold != Stride()
        limit = self._hold if asked_for_hold else _first(self._hold, *self._limits)
        start = min(run.progress.time for run in self.runs)
        end = max(self._end_of(run, limit) for run in self.runs)
        self._held = False
        for number in range(1, frames):
            share = number / frames
            passed = (exp(_LATER * share) - 1.0) / (exp(_LATER) - 1.0) if self.fast else share
            for run in self.runs:
                run.go_to(limit, start + passed * (end - start))
            yield
        for run in self.runs:
            run.go_to(limit)
        self._held = True
        if all(self._hold.met(run.progress) for run in self.runs):
            self._hold = Stride()  # it has held; the next time the run goes on
        yield

    def _end_of(self, run: FilmRun, limit: Stride) -> float:
        """The time at which a run will be held or has ended, found with a copy."""
        if isfinite(limit.time) and limit.events is None and not limit.clusters:
            return limit.time
        ahead = run.copy()
        ahead.go_to(limit)
        return ahead.progress.time

    def _tune(self, values: Mapping[str, Any]) -> None:
        for run in self.runs:
            for key, value in values.items():
                run.simulation.set(key, value)
            run.scenario = run.scenario.with_values(dict(values))

    def _happened(self) -> int:
        return self.runs[0].progress.happened


def _first(*limits: Stride) -> Stride:
    """What is reached first of all these."""
    events = [one.events for one in limits if one.events is not None]
    return Stride(min(one.time for one in limits), max(one.clusters for one in limits), min(events) if events else None)
