"""What the simulation's thread does: run at a pace, step, tune, publish. Every method runs on that thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from math import inf
from typing import TYPE_CHECKING, Any

from aggviewer.session.builder import Builder, ClosingError
from aggviewer.session.data import Preparation, State, Status
from aggviewer.session.lane import Lane
from aggviewer.session.lockstep import Lockstep
from aggviewer.session.notices import Notice, Notices
from aggviewer.session.pacing import FRAME_INTERVAL, Tempo
from aggviewer.session.publisher import Publisher
from aggviewer.session.tracing import Tracer
from aggviewer.session.tuning import tune
from engine.errors import InputError

if TYPE_CHECKING:
    from aggviewer.session.told import Told
    from engine.scenario import Scenario

SLICE = 0.008
"""Seconds of work between two looks at the commands."""

_RETRY_ANALYSIS = 0.05  # seconds between two offers of the last state of a pause to a busy analyst
_PHYSICAL = ("merge", "wall")  # the kinds of events that happen to the discs, the others are bookkeeping


class Runner:
    """The simulation, or two side by side, and how they run. `status` may be read on any thread, all else belongs to
    one.

    publisher_of(k) : where lane k is shown; closing() : True when long work should end early; told : is told of
    changes.
    """

    def __init__(
        self,
        builder: Builder,
        tracer: Tracer,
        publisher_of: Callable[[int], Publisher],
        notices: Notices,
        *,
        speed: float,
        closing: Callable[[], bool],
        told: Told,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._builder = builder
        self._tracer = tracer
        self._publisher_of = publisher_of
        self._notices = notices
        self._closing = closing
        self._told = told
        self._clock = clock

        self._scenario: Scenario | None = None
        self._variant: dict[str, Any] | None = None  # what is different in the second lane
        self._lockstep = Lockstep(())
        self._count = 0
        self._state: State = "empty"
        self._wants_to_run = False  # what the person asked for last; a finished run that is restarted runs again
        self._tempo = Tempo(speed, clock)
        self._published_at = -inf
        self._preparation: Preparation | None = None
        self.status = Status(speed=speed)

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """What runs: nothing, one simulation, or two side by side."""
        return self._lockstep.lanes

    # the thread's side

    def wait(self) -> float | None:
        """See `aggviewer.session.worker.Work`."""
        if self._state == "running":
            return self._tempo.wait
        due = [lane.publisher for lane in self.lanes if lane.publisher.analysis_due]
        if due:
            return 0.0 if any(publisher.analyst_ready for publisher in due) else _RETRY_ANALYSIS
        return None

    def slice(self) -> None:
        """Run up to where the simulation should be by now, or for some milliseconds; else feed the analyst."""
        if self._state == "running":
            self._run_slice()
        else:
            for lane in self.lanes:
                if lane.publisher.analysis_due:
                    lane.publisher.offer()

    def guard(self, command: Callable[[], None]) -> None:
        """See `aggviewer.session.worker.Work`."""
        try:
            command()
        except ClosingError:
            pass
        except InputError as error:
            self._notices.send(Notice("error", str(error), "Nothing was changed.", key=error.key))
        except Exception as error:
            self._notices.unexpected("The command failed", error)

    # commands

    def load(self, scenario_of: Callable[[], Scenario], run: bool | None = None) -> bool:
        """Build a scenario and show it; run it, hold it, or do as before (None). False where it cannot be built.

        What ran before is dropped only when the new simulation is there; if it cannot be built, the old one goes on.
        A comparison stays one.
        """
        return self._begin(scenario_of, self._variant, run)

    def compare(self, variant: Mapping[str, Any] | None) -> None:
        """Begin again with a second simulation beside the first, from the same initial state, in which these keys have
        other values; None: go on with the first alone."""
        scenario = self._scenario
        if scenario is None:
            return
        if variant is not None:
            self._begin(lambda: scenario, dict(variant), None)
        elif len(self.lanes) == 2:
            self._variant = None
            self.lanes[1].publisher.drop()
            self._lockstep = Lockstep(self.lanes[:1])
            self._tell_scenarios()
            if self._state == "finished" and not self._lockstep.finished:
                self._set_state("running" if self._wants_to_run else "paused")
            self._start_pace()
            self.publish()

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
            self._until(lambda: self._lockstep.settle(SLICE))
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
        self._step(lambda: self._lockstep.step_event(SLICE))

    def step_frame(self) -> None:
        """Pause, and go on by the simulation time of one frame at the present speed."""
        if self.lanes:
            self.advance_to(self._lockstep.time + self._tempo.frame_step)

    def advance_to(self, until: float) -> None:
        """Pause, and go on to a simulation time."""
        self._step(lambda: self._lockstep.advance(until, SLICE))

    def set_speed(self, speed: float) -> None:
        """Simulation time per second of wall time, inf for as fast as it can."""
        self._tempo.speed = speed
        self._start_pace()

    def set_parameter(self, key: str, value: Any, of: int = 0) -> None:
        """Change a key that may change while it runs, in lane `of` and in those that follow it (see
        `aggviewer.session.tuning`). InputError, with nothing changed, where that cannot be."""
        if not self.lanes:  # it has failed: the next start has the value
            if self._scenario is not None:
                self._scenario = self._scenario.with_values({key: value})
                self._told.scenario(self._scenario)
            return
        tune(self.lanes, self._variant, key, value, of, self._carry_on)
        self._tell_scenarios()

    def trace_step(self, *, collision: bool, onward: bool) -> None:
        """Pause, and tell what happens inside the next time step; see `aggviewer.session.tracing`."""
        if not self.lanes:
            return
        self.pause()
        try:
            self._told.step(self._tracer.trace(self.lanes, collision=collision, onward=onward))
        except InputError as error:
            self._told.no_step(str(error))
        self.publish()

    def refresh(self) -> None:
        """Show the present state in another way."""
        self.publish()

    def recolor(self) -> None:
        """The contacts of each disc have been counted: show them where nothing else makes a new frame."""
        if self._state != "running":
            self.publish(analyse=False)

    # running

    def _run_slice(self) -> None:
        lockstep = self._lockstep
        started = self._clock()
        try:
            reached = lockstep.advance(self._tempo.target(lockstep.time), SLICE)
        except Exception as error:
            self._fail(error)
            return
        events = sum(lane.progress.events.get(kind, 0) for lane in self.lanes for kind in _PHYSICAL)
        self._tempo.ran(started, lockstep.time, events, reached)
        wanted = lockstep.together and all(lane.publisher.wanted for lane in self.lanes)
        if lockstep.finished:
            self.publish()  # first the frame, then the word: who hears of the end finds the last frame
            self._set_state("finished")
        elif wanted and self._clock() - self._published_at >= 0.9 * FRAME_INTERVAL:
            self.publish()
        self._update_status()

    def _step(self, advance: Callable[[], bool]) -> None:
        """One step, which may take several slices; a window that closes does not wait for it."""
        if self._state not in ("running", "paused"):
            return
        self.pause()
        self._until(advance)
        if self._state == "paused":
            self.publish()
            if self._lockstep.finished:
                self._set_state("finished")

    def _until(self, advance: Callable[[], bool]) -> None:
        """Slices of work until `advance` says that they are enough."""
        try:
            while not (advance() or self._lockstep.finished or self._closing()):
                pass
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        for lane in self.lanes:
            lane.publisher.drop()
        self._lockstep = Lockstep(())
        # told first: who sees the state may look for the reason
        self._notices.unexpected(
            "The simulation stopped", error, "The last picture is kept. Restart it, or open another scenario."
        )
        self._set_state("failed")

    def publish(self, *, analyse: bool = True) -> None:
        """Show the present state, and have it measured."""
        for lane in self.lanes:
            lane.publish(analyse=analyse)
        self._published_at = self._clock()
        self._update_status()

    # beginning and carrying on

    def _begin(self, scenario_of: Callable[[], Scenario], variant: dict[str, Any] | None, run: bool | None) -> bool:
        before = self._state
        try:
            self._set_state("loading")
            scenario = scenario_of()
            if before == "empty" and self._builder.show_preview(scenario, self._publisher_of(0)):
                self._told.scenario(scenario)
            built = self._builder.build(scenario, variant, self._report)
            lanes = [Lane(of, simulation, self._publisher_of(k)) for k, (of, simulation) in enumerate(built)]
        except Exception as error:
            self._preparation = None
            self._set_state(before)
            self._start_pace()
            self._builder.tell_not_built(error, kept=bool(self._scenario))
            return False
        self._preparation = None
        self._scenario, self._variant = scenario, variant
        self._lockstep = Lockstep(lanes)
        self._count = lanes[0].system.count
        self._tell_scenarios()
        self._told.system(lanes[0].system)
        self.publish()
        if run is not None:
            self._wants_to_run = run
        self._set_state("running" if self._wants_to_run else "paused")
        self._start_pace()
        return True

    def _carry_on(self, lanes: list[Lane], scenarios: list[Scenario]) -> None:
        before = self._state
        try:
            simulations = [
                self._builder.carry_on(lane.simulation, scenario, self._report)
                for lane, scenario in zip(lanes, scenarios, strict=True)
            ]
        finally:
            self._preparation = None
            self._set_state(before)
        for lane, scenario, simulation in zip(lanes, scenarios, simulations, strict=True):
            lane.carry_on(scenario, simulation)
        self._start_pace()
        self.publish()

    def _report(self, done: int, total: int, what: str) -> None:
        if self._closing():
            raise ClosingError
        self._preparation = Preparation(done, total, what)
        self._set_state("compiling")
        self._update_status()

    # what is told

    def _tell_scenarios(self) -> None:
        self._scenario = self.lanes[0].scenario
        self._told.scenario(self._scenario)
        self._told.lanes(tuple(lane.scenario for lane in self.lanes))

    def _start_pace(self) -> None:
        """Count speed and rates from now on."""
        self._tempo.start(self._lockstep.time if self.lanes else 0.0)
        self._update_status()

    def _set_state(self, state: State) -> None:
        if state != self._state:
            self._state = state
            self._update_status()
            self._told.state(state)

    def _update_status(self) -> None:
        running = self._state == "running"
        lanes = tuple(lane.status() for lane in self.lanes) or self.status.lanes
        events_per_second, speed, slow = self._tempo.rates if running else (0.0, 0.0, False)
        self.status = Status(
            state=self._state,
            time=self._lockstep.time if self.lanes else self.status.time,
            clusters=lanes[0].clusters if lanes else 0,
            count=self._count,
            events=lanes[0].events if lanes else {},
            events_per_second=events_per_second,
            speed=self._tempo.speed,
            speed_reached=speed,
            slow=slow,
            preparation=self._preparation,
            lanes=lanes,
        )
