"""What the simulation's thread does: build, run at a pace, step, publish. Every method runs on that thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf, isinf
from typing import TYPE_CHECKING, Any

from aggviewer.session.data import Preparation, State, Status, SystemInfo
from aggviewer.session.engine_face import EngineFace
from aggviewer.session.notices import Notice, Notices
from aggviewer.session.pacing import FRAME_INTERVAL, Pacer, RateMeter
from aggviewer.session.publisher import Publisher
from engine.errors import InputError
from engine.simulation import Frame, Progress, Simulation

if TYPE_CHECKING:
    from engine.scenario import Scenario

SLICE = 0.008
"""Seconds of work between two looks at the commands."""

_RETRY_ANALYSIS = 0.05  # seconds between two offers of the last state of a pause to a busy analyst
_PHYSICAL = ("merge", "wall")  # the kinds of events that happen to the discs, the others are bookkeeping


class _ClosingError(Exception):
    """Ends a warm-up early."""


class Runner:
    """The simulation and how it runs. `status` may be read on any thread, all else belongs to one.

    closing() : True when long work should end early; on_state, on_system, on_scenario : called when they change.
    """

    def __init__(
        self,
        engine: EngineFace,
        publisher: Publisher,
        notices: Notices,
        *,
        speed: float,
        closing: Callable[[], bool],
        on_state: Callable[[State], None],
        on_system: Callable[[SystemInfo], None],
        on_scenario: Callable[[Scenario], None],
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._engine = engine
        self._publisher = publisher
        self._notices = notices
        self._closing = closing
        self._on_state = on_state
        self._on_system = on_system
        self._on_scenario = on_scenario
        self._clock = clock

        self._simulation: Simulation | None = None
        self._system: SystemInfo | None = None
        self._scenario: Scenario | None = None
        self._progress = Progress(0.0, 0, {}, {}, False, False)
        self._state: State = "empty"
        self._wants_to_run = False  # what the person asked for last; a finished run that is restarted runs again
        self._pacer = Pacer(speed)
        self._stepping_speed = speed if not isinf(speed) else 1.0  # of single frames while the speed is inf
        self._meter = RateMeter()
        self._published_at = -inf
        self._idle_until = 0.0
        self._preparation: Preparation | None = None
        self.status = Status(speed=speed)

    # the thread's side

    def wait(self) -> float | None:
        """See `aggviewer.session.worker.Work`."""
        if self._state == "running":
            return max(0.0, self._idle_until - self._clock())
        if self._publisher.analysis_due:
            return 0.0 if self._publisher.analyst_ready else _RETRY_ANALYSIS
        return None

    def slice(self) -> None:
        """Run up to where the simulation should be by now, or for some milliseconds; else feed the analyst."""
        if self._state == "running":
            self._run_slice()
        elif self._publisher.analysis_due:
            self._publisher.offer()

    def guard(self, command: Callable[[], None]) -> None:
        """See `aggviewer.session.worker.Work`."""
        try:
            command()
        except _ClosingError:
            pass
        except InputError as error:
            self._notices.send(Notice("error", str(error), "Nothing was changed.", key=error.key))
        except Exception as error:
            self._notices.unexpected("The command failed", error)

    # commands

    def load(self, scenario_of: Callable[[], Scenario], run: bool | None = None) -> bool:
        """Build a scenario and show it; run it, hold it, or do as before (None). False where it cannot be built.

        What ran before is dropped only when the new simulation is there; if it cannot be built, the old one goes on.
        """
        before = self._state
        try:
            self._set_state("loading")
            scenario = scenario_of()
            if self._simulation is None:
                self._show_preview(scenario)
            self._engine.warm_up(self._report)
            self._preparation = None
            self._set_state("loading")
            simulation = self._engine.create(scenario)
            first = simulation.frame()
        except Exception as error:
            self._preparation = None
            self._set_state(before)
            self._start_pace()
            self._tell_not_built(error)
            return False
        self._replace(scenario, simulation, first)
        if run is not None:
            self._wants_to_run = run
        self._set_state("running" if self._wants_to_run else "paused")
        self._start_pace()
        return True

    def restart(self, seed: int | None) -> None:
        """Begin the scenario again, with `seed` where one is given."""
        scenario = self._scenario
        if scenario is not None:
            self.load(lambda: scenario if seed is None else scenario.with_values({"seed": seed}))

    def run(self) -> None:
        """Let it run."""
        self._wants_to_run = True
        if self._state == "paused":
            self._set_state("running")
            self._start_pace()

    def pause(self) -> None:
        """Hold it, and show where it is."""
        self._wants_to_run = False
        if self._state == "running":
            self.publish()
            self._set_state("paused")
            self._start_pace()

    def toggle(self) -> None:
        """Run or pause."""
        if self._state == "running":
            self.pause()
        else:
            self.run()

    def step_event(self) -> None:
        """Pause, and go on to the next physical event."""
        self._step(lambda simulation: simulation.advance(budget=SLICE, max_events=1))

    def step_frame(self) -> None:
        """Pause, and go on by the simulation time of one frame at the present speed."""
        if self._simulation is not None:
            until = self._simulation.time + self._stepping_speed * FRAME_INTERVAL
            self._step(lambda simulation: simulation.advance(until, SLICE))

    def set_speed(self, speed: float) -> None:
        """Simulation time per second of wall time, inf for as fast as it can."""
        self._pacer.speed = speed
        if not isinf(speed):
            self._stepping_speed = speed
        self._start_pace()

    def set_parameter(self, key: str, value: Any) -> None:
        """Change a key of the scenario that may change while it runs."""
        if self._simulation is None or self._scenario is None:
            return
        scenario = self._scenario.with_values({key: value})
        self._simulation.set(key, value)
        self._scenario = scenario
        self._on_scenario(scenario)

    def refresh(self) -> None:
        """Show the present state in another way."""
        self.publish()

    def recolor(self) -> None:
        """The contacts of each disc have been counted: show them where nothing else makes a new frame."""
        if self._state != "running":
            self.publish(analyse=False)

    # running

    def _run_slice(self) -> None:
        simulation = self._simulation
        assert simulation is not None
        started = self._clock()
        try:
            progress = simulation.advance(self._pacer.target(started, simulation.time), SLICE)
        except Exception as error:
            self._fail(error)
            return
        self._progress = progress
        now = self._clock()
        self._meter.add(now, progress.time, sum(progress.events.get(kind, 0) for kind in _PHYSICAL))
        # what was asked for is done: the next look is one frame later
        self._idle_until = started + FRAME_INTERVAL if progress.reached else now
        if progress.finished:
            self.publish()  # first the frame, then the word: who hears of the end finds the last frame
            self._set_state("finished")
        elif self._publisher.wanted and now - self._published_at >= 0.9 * FRAME_INTERVAL:
            self.publish()
        self._update_status()

    def _step(self, advance: Callable[[Simulation], Progress]) -> None:
        """One step, which may take several slices; a window that closes does not wait for it."""
        simulation = self._simulation
        if simulation is None or self._state not in ("running", "paused"):
            return
        self.pause()
        try:
            self._progress = advance(simulation)
            while not (self._progress.reached or self._progress.finished or self._closing()):
                self._progress = advance(simulation)
        except Exception as error:
            self._fail(error)
            return
        self.publish()
        if self._progress.finished:
            self._set_state("finished")

    def _fail(self, error: Exception) -> None:
        self._simulation = None
        self._publisher.drop()
        # told first: who sees the state may look for the reason
        self._notices.unexpected(
            "The simulation stopped", error, "The last picture is kept. Restart it, or open another scenario."
        )
        self._set_state("failed")

    def publish(self, *, analyse: bool = True) -> None:
        """Show the present state, and have it measured."""
        self._publisher.publish(self._progress.events, analyse=analyse)
        self._published_at = self._clock()
        self._update_status()

    # loading

    def _show_preview(self, scenario: Scenario) -> None:
        """The first compiling takes half a minute: meanwhile show the discs that wait for it."""
        state = self._engine.preview(scenario)
        if state is not None:
            box, count = state.box, len(state.radii)
            system = SystemInfo(scenario, state.radii, state.masses, box, state.periodic, count)
            self._publisher.show_still(state, system)
            self._on_scenario(scenario)

    def _replace(self, scenario: Scenario, simulation: Simulation, first: Frame) -> None:
        system = SystemInfo(
            scenario, simulation.radii, simulation.masses, simulation.box, simulation.periodic, simulation.count
        )
        self._scenario, self._simulation, self._system = scenario, simulation, system
        self._progress = Progress(simulation.time, first.clusters, {}, {}, False, True)
        self._publisher.adopt(simulation, system)
        self._on_scenario(scenario)
        self._on_system(system)
        self.publish()

    def _tell_not_built(self, error: Exception) -> None:
        kept = "What was there is kept." if self._system is not None else ""
        if isinstance(error, InputError):
            self._notices.send(Notice("error", str(error), kept, key=error.key))
        elif isinstance(error, MemoryError):
            text = f"{kept} Choose fewer discs.".strip()
            self._notices.send(Notice("error", "There is not enough memory for this scenario", text, key="discs.count"))
        elif not isinstance(error, _ClosingError):
            self._notices.unexpected("The scenario could not be started", error)

    def _report(self, done: int, total: int, what: str) -> None:
        if self._closing():
            raise _ClosingError
        self._preparation = Preparation(done, total, what)
        self._set_state("compiling")
        self._update_status()

    # what is told

    def _start_pace(self) -> None:
        """Count speed and rates from now on."""
        self._meter.reset()
        self._pacer.start(self._clock(), self._progress.time)
        self._idle_until = 0.0
        self._update_status()

    def _set_state(self, state: State) -> None:
        if state != self._state:
            self._state = state
            self._update_status()
            self._on_state(state)

    def _update_status(self) -> None:
        running = self._state == "running"
        self.status = Status(
            state=self._state,
            time=self._progress.time,
            clusters=self._progress.clusters,
            count=self._system.count if self._system is not None else 0,
            events=self._progress.events,
            events_per_second=self._meter.events_per_second if running else 0.0,
            speed=self._pacer.speed,
            speed_reached=self._meter.speed if running else 0.0,
            slow=running and self._meter.slow(self._pacer.speed),
            preparation=self._preparation,
        )
