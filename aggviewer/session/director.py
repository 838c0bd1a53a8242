"""What there is to run: scenarios built, methods switched, comparisons, recordings. Every method runs on the
simulation's thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from aggviewer.session.builder import Builder
from aggviewer.session.lane import Lane
from aggviewer.session.lockstep import Lockstep
from aggviewer.session.packing_pool import PackingPool
from aggviewer.session.publisher import Publisher
from aggviewer.session.replay import NOT_COMPARED, NOT_TUNED, Player
from aggviewer.session.runner import Runner
from aggviewer.session.saved_state import SessionState, take_state
from aggviewer.session.session_file import SUFFIX
from aggviewer.session.shown_state import shown_frame
from aggviewer.session.tracing import Tracer
from aggviewer.session.tuning import METHOD, switch, tune
from aggviewer.session.view import ViewModel
from engine.errors import InputError

if TYPE_CHECKING:
    from aggviewer.session.told import Told
    from engine.scenario import Scenario


D = TypeVar("D", Lockstep, Player)


class Director:
    """Gives the runner its simulations. publisher_of(k) : where lane k is shown; view : how they are drawn; told : is
    told of changes; pool : takes the packings of a session that is opened."""

    def __init__(
        self,
        runner: Runner,
        builder: Builder,
        tracer: Tracer,
        publisher_of: Callable[[int], Publisher],
        view: ViewModel,
        told: Told,
        pool: PackingPool,
    ) -> None:
        self._view = view
        self._runner = runner
        self._builder = builder
        self._tracer = tracer
        self._publisher_of = publisher_of
        self._told = told
        self._pool = pool
        self._scenario: Scenario | None = None
        self._variant: dict[str, Any] | None = None  # what is different in the second lane

    # beginning

    def load(self, scenario_of: Callable[[], Scenario], run: bool | None = None) -> bool:
        """Build a scenario and show it; run it, hold it, or do as before (None). False where it cannot be built.

        What ran before is dropped only when the new simulation is there; if it cannot be built, the old one goes on.
        A comparison stays one.
        """
        return self._begin(scenario_of, self._variant, run)

    def open(self, source: str | Path, run: bool | None = None) -> bool:
        """The same for whatever can be opened: a session goes on where it was saved, a file with several frames is
        played. InputError for a file whose kind cannot be told."""
        path = Path(source).expanduser()
        if path.suffix.lower() == SUFFIX:
            return self._resume(path, run)
        replays = self._builder.is_recording(path)
        return self._replay(path, run) if replays else self.load(lambda: self._builder.read(source), run)

    def restart(self, seed: int | None) -> None:
        """Begin the scenario again, with `seed` where one is given; a recording from its first frame."""
        scenario = self._scenario
        if isinstance(self._runner.drive, Player):
            self._runner.drive.rewind()
            self._runner.set_state("paused")
            self._runner.publish()
            self._runner.resume()
        elif scenario is not None:
            self.load(lambda: scenario if seed is None else scenario.with_values({"seed": seed}))

    def compare(self, variant: Mapping[str, Any] | None) -> None:
        """Begin again with a second simulation beside the first, from the same initial state, in which these keys have
        other values; None: go on with the first alone."""
        scenario, runner = self._scenario, self._runner
        if scenario is None:
            return
        if isinstance(runner.drive, Player):
            raise InputError(NOT_COMPARED)
        if variant is not None:
            self._begin(lambda: scenario, dict(variant), None)
        elif len(runner.lanes) == 2:
            self._variant = None
            runner.lanes[1].publisher.drop()
            runner.drive = Lockstep(runner.lanes[:1])
            runner.keeper.memory.clear()
            self._tell_scenarios()
            runner.resume()
            runner.publish()

    def _begin(self, scenario_of: Callable[[], Scenario], variant: dict[str, Any] | None, run: bool | None) -> bool:
        def build() -> Lockstep:
            scenario = scenario_of()
            if before == "empty" and self._builder.show_preview(scenario, self._publisher_of(0)):
                self._told.scenario(scenario)
            built = self._builder.build(scenario, variant, self._runner.prepared)
            return Lockstep([Lane(of, made, self._publisher_of(k)) for k, (of, made) in enumerate(built)])

        before = self._runner.state
        drive = self._made(build)
        if drive is None:
            return False
        self._variant = variant
        self._replace(drive, run)
        return True

    def _replay(self, path: Path, run: bool | None) -> bool:
        def build() -> Player:
            replay = self._builder.replay(path)
            return Player(Lane(replay.scenario, replay, self._publisher_of(0)), replay)

        drive = self._made(build)
        if drive is None:
            return False
        self._variant = None
        self._replace(drive, run)
        return True

    def _resume(self, path: Path, run: bool | None) -> bool:
        states: list[SessionState] = []

        def build() -> Lockstep:
            state, simulations = self._builder.resume(path, self._runner.prepared)
            states.append(state)
            return Lockstep([Lane(of, made, self._publisher_of(k)) for k, (of, made) in enumerate(simulations)])

        drive = self._made(build)
        if drive is None:
            return False
        state = states[0]
        self._variant = state.variant
        self._runner.set_speed(state.speed)
        self._pool.take_in(state.packings)
        self._told.resumed(state)
        self._replace(drive, run)
        return True

    def _made(self, build: Callable[[], D]) -> D | None:
        """What `build` makes; where that fails, what was there goes on and the reason is told."""
        runner = self._runner
        before = runner.state
        try:
            runner.set_state("loading")
            return build()
        except Exception as error:
            runner.preparation = None
            runner.set_state(before)
            runner.start_pace()
            self._builder.tell_not_built(error, kept=bool(self._scenario))
            return None

    def _replace(self, drive: Lockstep | Player, run: bool | None) -> None:
        runner = self._runner
        runner.preparation = None
        old = runner.drive
        runner.drive = drive
        self._tell_scenarios()
        self._told.system(drive.lanes[0].system)
        runner.replace(drive, run)
        if isinstance(old, Player):
            old.replay.close()

    # while it runs

    def set_parameter(self, key: str, value: Any, of: int = 0) -> None:
        """Change a key that may change while it runs, in lane `of` and in those that follow it (see
        `aggviewer.session.tuning`). InputError, with nothing changed, where that cannot be."""
        if isinstance(self._runner.drive, Player):
            raise InputError(f"{key}: {NOT_TUNED}", key)
        if not self._runner.lanes:  # it has failed: the next start has the value
            if self._scenario is not None:
                self._scenario = self._scenario.with_values({key: value})
                self._told.scenario(self._scenario)
            return
        tune(self._runner.lanes, self._variant, key, value, of, self._carry_on)
        self._runner.look_again()
        self._tell_scenarios()

    def switch_method(self, method: str) -> None:
        """Carry on with this method; see `Session.switch_method`."""
        lanes = self._runner.lanes
        for of, its in switch(lanes, method) if lanes else [(0, method)]:
            self.set_parameter(METHOD, its, of)

    def _carry_on(self, lanes: list[Lane], scenarios: list[Scenario]) -> None:
        runner = self._runner
        before = runner.state
        try:
            simulations = [
                self._builder.carry_on(lane.simulation, scenario, runner.prepared)
                for lane, scenario in zip(lanes, scenarios, strict=True)
            ]
        finally:
            runner.preparation = None
            runner.set_state(before)
        for lane, scenario, simulation in zip(lanes, scenarios, simulations, strict=True):
            lane.carry_on(scenario, simulation)
        runner.start_pace()
        runner.publish()

    def trace_step(self, *, collision: bool, onward: bool) -> None:
        """Pause, and tell what happens inside the next time step; see `aggviewer.session.tracing`."""
        runner = self._runner
        if not runner.lanes:
            return
        runner.pause()
        try:
            self._told.step(self._tracer.trace(runner.lanes, collision=collision, onward=onward))
        except InputError as error:
            self._told.no_step(str(error))
        runner.publish()

    # files

    def saved_state(self) -> SessionState:
        """A copy of what runs, for a session file. InputError where there is no simulation."""
        runner = self._runner
        if not runner.lanes or isinstance(runner.drive, Player):
            raise InputError("there is no simulation to save")
        return take_state(runner.lanes, self._variant, self._view, runner.status.speed)

    def record(self, path: Path, every: float) -> None:
        """Record what runs from now on. InputError where that cannot be."""
        if not self._runner.lanes or isinstance(self._runner.drive, Player):
            raise InputError("there is no simulation to record")
        self._runner.keeper.record(self._runner.lanes[0], path, every)
        self._runner.publish()

    def stop_recording(self) -> None:
        """End the recording."""
        self._runner.keeper.stop_recording()
        self._runner.publish()

    def save_shown(self, path: Path) -> None:
        """Write what is shown. InputError where that cannot be."""
        self._builder.write(path, shown_frame(self._runner, self._scenario))

    def start_from_shown(self, path: Path) -> None:
        """Begin a new simulation from what is shown; `path` keeps the state that it begins from."""
        self.save_shown(path)
        self.load(lambda: self._builder.read(path))

    def jam_shown(self, path: Path) -> None:
        """Jam what is shown, alone; `path` keeps the state that it begins from. InputError where that cannot be."""
        scenario = self._builder.write_start(path, shown_frame(self._runner, self._scenario))
        self._begin(lambda: scenario, None, True)

    # what is told

    def _tell_scenarios(self) -> None:
        lanes = self._runner.lanes
        self._scenario = lanes[0].scenario
        self._told.scenario(self._scenario)
        self._told.lanes(tuple(lane.scenario for lane in lanes))
