"""Loads runs: scenarios, recordings, sessions and earlier runs. Every method runs on the simulation's thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from aggviewer.document.pace import PaceModel
from aggviewer.session.data import SessionSignals
from aggviewer.session.load.builder import Builder
from aggviewer.session.load.runs import Run, Shelf
from aggviewer.session.load.shown_state import ChangeOfStart, shown_frame, write_state
from aggviewer.session.notices import emit
from aggviewer.session.past.memory import KeptFrames
from aggviewer.session.past.replay import Replay
from aggviewer.session.publish.publisher import Publishers
from aggviewer.session.run.first_minute import FirstMinute
from aggviewer.session.run.lanes import Lane, Lockstep
from aggviewer.session.run.pacing import FRAME_INTERVAL
from aggviewer.session.run.playback import Playback
from aggviewer.session.run.runner import Runner
from aggviewer.session.saved.session_file import SUFFIX
from aggviewer.session.saved.state import SessionState
from engine.paths import typed_path
from engine.runs.recipe import Recipe
from engine.simulation import Simulation
from engine.system import carries_on, system_of

if TYPE_CHECKING:
    from engine.scenario import Scenario


_MOST_COPIED = 100_000  # discs of a start that is kept, about 20 MB
_PATIENCE = 2.0  # seconds that the loading of kernels waits for the picture to move

T = TypeVar("T")


class Loader:
    """Provides the runner with simulations.

    Parameters
    ----------
    runner, playback : run them, and play recordings.
    builder : creates them.
    publishers : one for each lane.
    signals : announce changes.

    Attributes
    ----------
    builder : as above.
    scenario : the scenario that is running, failed or being built; None before the first.
    run : the current run, None before the first.
    shelf : replaced runs that can be restored.
    replaced(before, after) : called when a run has replaced another.
    """

    def __init__(
        self,
        runner: Runner,
        playback: Playback,
        builder: Builder,
        publishers: Publishers,
        signals: SessionSignals,
    ) -> None:
        self._runner = runner
        self._playback = playback
        self.builder = builder
        self.publishers = publishers
        self._signals = signals
        self.scenario: Scenario | None = None
        self.run: Run | None = None
        self.shelf = Shelf()
        self.replaced: Callable[[Run, Run], None] = lambda before, after: None

    @property
    def variant(self) -> dict[str, Any] | None:
        """The differences of the second lane."""
        return None if self.run is None else self.run.variant

    # beginning

    def load(self, scenario_of: Callable[[], Scenario], run: bool | None = None, *, alone: bool = False) -> bool:
        """Build a scenario and show it; run it, pause it, or keep the present mode (None). False on failure.

        The present run is replaced only when the new simulation is ready; if building fails, it continues. A comparison
        remains a comparison, unless the scenario is to run `alone` or belongs to another system, which lacks the
        compared keys.
        """
        return self.begin(scenario_of, None if alone else self.variant, run)

    def open(self, source: str | Path, run: bool | None = None) -> bool:
        """Load anything that can be opened. A session continues where it was saved, paused if it was; a file with
        several frames is played."""
        path = typed_path(source)
        if path.suffix.lower() == SUFFIX:
            return self.resume(path, run)
        try:
            replay = self.builder.replay(path)
        except Exception as error:
            self.builder.tell_not_built(error, kept=bool(self.scenario), opened=path.name)
            return False
        if replay is not None:
            emit(self._signals.opens, replay.scenario)
            self._play(replay, run)
            return True
        return self.begin(lambda: self.builder.read(source), self.variant, run, opened=path.name)

    def restart(self, seed: int | None) -> None:
        """Restart the scenario, with `seed` if given, or a recording from its first frame."""
        scenario = self.scenario
        if self._runner.drive.replay is not None:
            self._playback.restart()
        elif scenario is not None and seed is None:
            single = None if self.run is None else self.run.single
            self.begin(lambda: scenario, self.variant, None, single=single)
        elif scenario is not None:
            self.load(lambda: scenario.with_values({"seed": seed}))

    def begin(
        self,
        scenario_of: Callable[[], Scenario],
        variant: dict[str, Any] | None,
        to_run: bool | None,
        *,
        single: Run | None = None,
        run: Run | None = None,
        opened: str = "",
    ) -> bool:
        """Build a scenario and show it. single : see `Run`; run : a run that was not kept and starts again; opened :
        the name of its file."""
        first = self._runner.state == "empty"

        def build() -> tuple[Lockstep, float | None]:
            scenario = scenario_of()
            if first:
                return self._first(scenario, variant, to_run)
            return self._lockstep(self.builder.build(scenario, variant, self._runner.prepared)), None

        made = self.made(build, opened)
        if made is None:
            return False
        drive, shown = made
        for lane in drive.lanes:
            lane.recipe = _recipe_of(lane, resumed=False)
        leader, *others = drive.lanes
        for lane in others:
            if leader.recipe is not None and carries_on(system_of(lane.scenario)) is not None:  # see `Builder.build`
                lane.recipe = leader.recipe.carried(0.0, leader.scenario, lane.scenario)
        kept = variant if len(drive.lanes) > 1 else None
        run = run or Run(scenarios_of(drive), kept, single)
        if opened:
            emit(self._signals.opens, leader.scenario)
        self.replace(drive, None if first else to_run, run, shown=shown)
        return True

    def _first(
        self, scenario: Scenario, variant: dict[str, Any] | None, to_run: bool | None
    ) -> tuple[Lockstep, float | None]:
        """Build the very first simulation. Also returns the time on the screen when it is ready, up to which it is then
        run. The runner keeps the user's requests to pause or run made meanwhile."""
        runner = self._runner
        wanted = runner.wants_to_run if to_run is None else to_run
        with self._meanwhile(scenario, wanted) as meanwhile:
            try:
                built = self.builder.build(scenario, variant, runner.prepared)
                shown = self.builder.taken_over(built[0][1], meanwhile) if meanwhile is not None else None
            finally:  # also for a run that replaces it
                runner.wants_to_run = wanted and not (meanwhile is not None and meanwhile.held)
        return self._lockstep(built), shown

    @contextmanager
    def _meanwhile(self, scenario: Scenario, plays: bool) -> Iterator[FirstMinute | None]:
        """Show something before the first simulation is ready: a recording of its run if there is one and it `plays`,
        or else its start, if that needs no kernels."""
        runner, publisher = self._runner, self.publishers.publisher_of(0)
        run = self.builder.recorded(scenario) if plays else None
        if run is None:
            if self.builder.show_preview(scenario, publisher):
                self.say_scenario(scenario)
            yield None
            return
        first_minute = FirstMinute(run, publisher, lambda: runner.tempo.frame_step / FRAME_INTERVAL, runner.clock)
        with self._playback.playing(first_minute):
            self.say_scenario(scenario)
            first_minute.wait_until_moving(_PATIENCE)
            yield first_minute

    def _play(self, replay: Replay, to_run: bool | None, run: Run | None = None) -> None:
        """Show a recording. run : a run that was not kept and is reopened."""
        drive = self.played(replay)
        self.replace(drive, to_run, run or Run(scenarios_of(drive), file=replay.recording.path))

    def played(self, replay: Replay) -> Lockstep:
        """A run that shows a recording."""
        publisher = self.publishers.publisher_of(0)
        return Lockstep([Lane(replay.scenario, replay, publisher)])

    def resume(self, saved: Path | SessionState, run: bool | None = None) -> bool:
        """Continue a session file or session state. False on failure."""

        def build() -> tuple[SessionState, Lockstep]:
            state, simulations = self.builder.resume(saved, self._runner.prepared)
            return state, self._lockstep(simulations)

        made = self.made(build, saved.name if isinstance(saved, Path) else "the session")
        if made is None:
            return False
        state, drive = made
        for lane in drive.lanes:
            lane.resume(ended=state.saved_as == "finished")
            lane.recipe = _recipe_of(lane, resumed=True)
        if state.saved_as in ("running", "paused"):
            run = state.saved_as == "running" and run is not False
        pace = state.document.part(PaceModel)
        self._runner.set_speed(pace.asked, pace.fast)
        emit(self._signals.resumed, state)
        self.replace(drive, run, Run(scenarios_of(drive), state.variant))
        return True

    def _lockstep(self, simulations: Sequence[tuple[Scenario, Simulation]]) -> Lockstep:
        lanes = enumerate(simulations)
        return Lockstep([Lane(of, made, self.publishers.publisher_of(k)) for k, (of, made) in lanes])

    def made(self, build: Callable[[], T | None], opened: str) -> T | None:
        """The result of `build`, or None if it fails; then the present run continues, and a message gives the reason.
        opened : the name of its file, "" for none."""
        runner = self._runner
        before = runner.state
        try:
            runner.set_state("loading")
            return build()
        except Exception as error:
            runner.preparation = None
            runner.set_state(before)
            runner.start_pace()
            self.builder.tell_not_built(error, kept=bool(self.scenario), opened=opened)
            return None

    # runs in the place of others

    def bring(self, run: Run) -> bool:
        """Restore a run that was replaced; if it could not be kept, restart it. False on failure."""
        if run is self.run:
            return True
        kept = self.shelf.take(run)
        if kept is None:
            if run.file is not None:
                return self._play_again(run.file, run)
            return self.begin(lambda: run.scenarios[0], run.variant, run.wanted, run=run)
        drive, _past = kept
        for lane in drive.lanes:
            lane.show_again()
        self.replace(drive, run.wanted, run)
        return True

    def _play_again(self, file: Path, run: Run) -> bool:
        """Reopen a recording that was not kept, and pause it. False on failure."""
        replay = self.made(lambda: self.builder.replay(file), file.name)
        if replay is not None:
            self._play(replay, False, run)
        return replay is not None

    def replace(self, drive: Lockstep, to_run: bool | None, run: Run, shown: float | None = None) -> None:
        """Show this run from now on, and set the previous one aside. shown : see `Runner.replace`."""
        runner = self._runner
        runner.preparation = None
        old = runner.drive
        before = self.put_aside(runner.drive.past)
        for lane in old.lanes[len(drive.lanes) :]:
            lane.publisher.drop()
        self.run, run.shown = run, True
        runner.drive = drive
        self.say_scenarios()
        emit(self._signals.system_changed, drive.lanes[0].system)
        runner.replace(drive, to_run, shown)
        if before is not None:
            self.replaced(before, run)

    def put_aside(self, past: KeptFrames) -> Run | None:
        """Keep the present run so that it can be restored; None if there is none to keep."""
        runner, run = self._runner, self.run
        if run is None:
            return None
        run.shown = False
        if not runner.lanes:  # it has failed
            return None
        self.shelf.put(run, runner.drive, past, runner.wants_to_run)
        return run

    def start_from_shown(self, path: Path, change: ChangeOfStart | None = None) -> None:
        """Start a single new simulation from the state shown, or from the result of `change`; `path` stores the initial
        state. InputError if impossible."""
        frame = shown_frame(self._runner)
        if change is None:
            write_state(path, frame)
            self.load(lambda: self.builder.read(path))
        else:
            frame, values = change(frame)
            write_state(path, frame)
            scenario = self.builder.read(path).with_values(values)
            self.begin(lambda: scenario, None, True)

    # what is said

    def say_scenarios(self) -> None:
        """Announce the running scenarios."""
        lanes = self._runner.lanes
        self.scenario = lanes[0].scenario
        self.say_scenario(self.scenario)
        emit(self._signals.lanes_changed, tuple(lane.scenario for lane in lanes))

    def say_scenario(self, scenario: Scenario) -> None:
        """Announce the scenario of the first lane, or of the run being built."""
        self._signals.scenario = scenario
        emit(self._signals.scenario_changed, scenario)


def _recipe_of(lane: Lane, *, resumed: bool) -> Recipe | None:
    """The recipe of a run that begins now; None if it would need a copy of too many discs. resumed : see `Recipe`."""
    if not (resumed or lane.scenario.discs.file):
        return Recipe(lane.scenario)
    if lane.system.count > _MOST_COPIED:
        return None
    return Recipe(lane.scenario, start=lane.simulation.checkpoint(), resumed=resumed)


def scenarios_of(drive: Lockstep) -> tuple[Scenario, ...]:
    """The scenario of each lane."""
    return tuple(lane.scenario for lane in drive.lanes)
