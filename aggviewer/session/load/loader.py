"""Loads runs: scenarios, recordings, sessions and earlier runs. Every method runs on the simulation's thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from aggviewer.document.pace import PaceModel
from aggviewer.session.data import SessionSignals
from aggviewer.session.load.builder import Builder
from aggviewer.session.load.runs import Run, Shelf
from aggviewer.session.log.command import RunCommand
from aggviewer.session.log.log import Beginning, Effect, Log, LogEntry
from aggviewer.session.notices import emit
from aggviewer.session.past.replay import Replay
from aggviewer.session.publish.publisher import Publishers
from aggviewer.session.run.lanes import Lane, Lockstep
from aggviewer.session.run.playback import Playback
from aggviewer.session.run.runner import Runner
from aggviewer.session.saved.session_file import SUFFIX
from aggviewer.session.saved.state import SessionState
from engine import __version__
from engine.paths import typed_path
from engine.scenario import fields
from engine.simulation import Simulation
from engine.system import carries_on, system_of

if TYPE_CHECKING:
    from engine.scenario import Scenario


_MOST_COPIED = 100_000  # discs of a start that is kept, about 20 MB
_MOVING = 3  # frames of a recorded run that are on the screen before kernels are loaded, which would delay each
_PATIENCE = 2.0  # seconds that this waits at most: a window may be hidden

T = TypeVar("T")


class Loader:
    """Provides the runner with simulations.

    Parameters
    ----------
    runner, playback : run them, and play recordings.
    builder : creates them.
    publishers : one for each lane.
    signals : announce changes.
    replaced_soon : whether a waiting command will put another run in place of the present one.
    beside : does long work on another thread, while what is shown plays on.

    Attributes
    ----------
    runner, playback, builder, publishers, signals, replaced_soon : as above.
    scenario : the scenario that is running, failed or being built; None before the first.
    run : the current run, None before the first.
    shelf : replaced runs that can be restored.
    """

    def __init__(
        self,
        runner: Runner,
        playback: Playback,
        builder: Builder,
        publishers: Publishers,
        signals: SessionSignals,
        replaced_soon: Callable[[], bool],
        beside: Callable[[Callable[[], None]], None],
    ) -> None:
        self.runner = runner
        self.playback = playback
        self.builder = builder
        self.publishers = publishers
        self.signals = signals
        self.replaced_soon = replaced_soon
        self._beside = beside
        self.scenario: Scenario | None = None
        self.run: Run | None = None
        self.shelf = Shelf()

    @property
    def variant(self) -> dict[str, Any] | None:
        """The differences of the second lane."""
        return None if self.run is None else self.run.variant

    # the log

    @property
    def log(self) -> Log:
        """The log of the present run; empty before the first."""
        return Log() if self.run is None else self.run.log

    def note(self, command: RunCommand, times: Mapping[int, float], effect: Effect) -> None:
        """Write in the log of the present run what a command has done.

        times : of each simulation that it has changed, by its number. Between slices they may differ.
        """
        words = command.words(self.scenario)
        for time in sorted(set(times.values())):
            lanes = tuple(number for number in sorted(times) if times[number] == time)
            assert self.run is not None
            self.run.log = self.run.log.having(LogEntry(command, lanes, time, effect, words))

    # beginning

    def open(self, source: str | Path, run: bool | None, by: RunCommand) -> bool:
        """Load anything that can be opened. A session continues where it was saved, paused if it was; a file with
        several frames is played. False on failure."""
        path = typed_path(source)
        if path.suffix.lower() == SUFFIX:
            return self.resume(path, run, by)
        try:
            replay = self.builder.replay(path)
        except Exception as error:
            self.builder.tell_not_built(error, kept=bool(self.scenario), opened=path.name)
            return False
        if replay is not None:
            emit(self.signals.opens, replay.scenario)
            self._play(replay, path, run, by)
            return True
        return self.begin(lambda: self.builder.read(source), self.variant, run, by, opened=path.name)

    def begin(
        self,
        scenario_of: Callable[[], Scenario],
        variant: dict[str, Any] | None,
        to_run: bool | None,
        by: RunCommand,
        *,
        again: bool = False,
        single: Run | None = None,
        opened: str = "",
    ) -> bool:
        """Build a scenario and show it. False on failure; then the present run continues.

        Parameters
        ----------
        variant : the differences of a second simulation; ignored if another system, which lacks the keys, begins.
        to_run : run it, pause it, or keep the present mode (None).
        by : the command that asked for it, the first entry of the run's log.
        again : whether the present run restarts; then the log says how that began, too.
        single : see `Run`.
        opened : the name of its file.
        """
        words = by.words(self.scenario)
        entries = (*(self.log.begun if again else ()), LogEntry(by, (0, 1), 0.0, "begins", words))
        return self._begin(scenario_of, variant, to_run, entries, single=single, opened=opened)

    def _begin(
        self,
        scenario_of: Callable[[], Scenario],
        variant: dict[str, Any] | None,
        to_run: bool | None,
        entries: tuple[LogEntry, ...],
        *,
        single: Run | None = None,
        again: Run | None = None,
        opened: str = "",
    ) -> bool:
        """See `begin`. entries : the first ones of the log; again : a run that was not kept and starts again."""
        first = self.runner.state == "empty"

        def build() -> tuple[Lockstep, float | None]:
            scenario = scenario_of()
            if first:
                return self._first(scenario, variant, to_run)
            return self._lockstep(self.builder.build(scenario, variant, self.runner.prepared)), None

        made = self.made(build, opened)
        if made is None:
            return False
        drive, shown = made
        leader = drive.lanes[0]
        kept = variant if len(drive.lanes) > 1 else None
        run = again or Run(scenarios_of(drive), Log(), kept, single)
        run.log = _log_of(drive, entries)
        if opened:
            emit(self.signals.opens, leader.scenario)
        self.replace(drive, None if first else to_run, run, shown=shown)
        return True

    def _first(
        self, scenario: Scenario, variant: dict[str, Any] | None, to_run: bool | None
    ) -> tuple[Lockstep, float | None]:
        """Build the very first simulation. Also returns the time on the screen when it is ready, up to which it is then
        run.

        Until then the recording of its run is played, if there is one and it is to run; or else its start is shown, if
        that needs no kernels.
        """
        runner, builder, publisher = self.runner, self.builder, self.publishers.publisher_of(0)
        runner.wants_to_run = runner.wants_to_run if to_run is None else to_run
        run = builder.recorded(scenario) if runner.wants_to_run else None
        if run is None:
            if builder.show_preview(scenario, publisher):
                self.say_scenario(scenario)
            return self._lockstep(builder.build(scenario, variant, runner.prepared)), None
        replay = Replay(run, scenario)
        built: list[tuple[Scenario, Simulation]] = []

        def build() -> None:
            publisher.mailbox.wait_taken(_MOVING, _PATIENCE)
            built.extend(builder.build(scenario, variant, runner.prepared))

        with runner.showing(Lockstep([Lane(scenario, replay, publisher, kernels=False)])):
            self.say_scenario(scenario)
            self._beside(build)
            shown = builder.taken_over(built[0][1], run, replay.index)
        return self._lockstep(built), shown

    def _play(self, replay: Replay, file: Path, to_run: bool | None, by: RunCommand) -> None:
        """Show a recording, opened by a command."""
        drive = self.played(replay)
        log = Log(entries=(LogEntry(by, (0,), replay.time, "begins", by.words(self.scenario)),))
        self.replace(drive, to_run, Run(scenarios_of(drive), log, file=file))

    def played(self, replay: Replay) -> Lockstep:
        """A run that shows a recording."""
        publisher = self.publishers.publisher_of(0)
        return Lockstep([Lane(replay.scenario, replay, publisher)])

    def resume(self, saved: Path | SessionState, run: bool | None, by: RunCommand) -> bool:
        """Continue a session file or session state. False on failure. by : the command that asked for it."""
        words = by.words(self.scenario)

        def build() -> tuple[SessionState, Lockstep]:
            state, simulations = self.builder.resume(saved, self.runner.prepared)
            return state, self._lockstep(simulations)

        made = self.made(build, saved.name if isinstance(saved, Path) else "the session")
        if made is None:
            return False
        state, drive = made
        for lane in drive.lanes:
            lane.resume(ended=state.saved_as == "finished")
        entry = LogEntry(by, tuple(range(len(drive.lanes))), drive.lanes[0].time, "begins", words)
        log = _resumed_log(state, drive, entry)
        if state.saved_as in ("running", "paused"):
            run = state.saved_as == "running" and run is not False
        pace = state.document.part(PaceModel)
        self.runner.set_speed(pace.asked, pace.fast)
        emit(self.signals.resumed, state)
        self.replace(drive, run, Run(scenarios_of(drive), log, state.variant))
        return True

    def _lockstep(self, simulations: Sequence[tuple[Scenario, Simulation]]) -> Lockstep:
        lanes = enumerate(simulations)
        return Lockstep([Lane(of, made, self.publishers.publisher_of(k)) for k, (of, made) in lanes])

    def made(self, build: Callable[[], T | None], opened: str) -> T | None:
        """The result of `build`, or None if it fails; then the present run continues, and a message gives the reason.
        opened : the name of its file, "" for none."""
        runner = self.runner
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

    # runs in place of others

    def bring(self, run: Run) -> bool:
        """Restore a run that was replaced; if it could not be kept, restart it. False on failure."""
        if run is self.run:
            return True
        drive = self.shelf.take(run)
        if drive is None:
            if run.file is not None:
                return self._play_again(run.file, run)
            return self._begin(lambda: run.scenarios[0], run.variant, run.wanted, run.log.begun, again=run)
        for lane in drive.lanes:
            lane.show_again()
        self.replace(drive, run.wanted, run)
        return True

    def _play_again(self, file: Path, run: Run) -> bool:
        """Reopen a recording that was not kept, and pause it. False on failure."""
        replay = self.made(lambda: self.builder.replay(file), file.name)
        if replay is not None:
            self.replace(self.played(replay), False, run)
        return replay is not None

    def continue_with(self, scenarios: Mapping[int, Scenario], by: RunCommand) -> None:
        """Continue the discs of these simulations, by their numbers, with others under other scenarios; the present run
        is set aside."""
        runner = self.runner
        with runner.preparing():
            made = {
                number: (scenario, self.builder.carry_on(runner.lanes[number].simulation, scenario, runner.prepared))
                for number, scenario in scenarios.items()
            }
        self.go_on_with(made, by, "anew")

    def go_on_with(self, made: Mapping[int, tuple[Scenario, Simulation]], by: RunCommand, effect: Effect) -> None:
        """Replace these simulations, by their numbers, in a copy of the present run, which is set aside. by, effect :
        see `note`."""
        runner, old, aside = self.runner, self.runner.drive, self.run
        assert aside is not None
        copies = {n: self.builder.copy(lane.simulation) for n, lane in enumerate(old.lanes) if n not in made}
        drive = old.with_lanes(
            [lane.carried_on(*made[n]) if n in made else lane.copied(copies[n]) for n, lane in enumerate(old.lanes)]
        )
        self.put_aside()
        self.run = Run(scenarios_of(drive), aside.log, aside.variant, aside.single)
        # the time-stepping method hands over its discs as of the last complete step
        self.note(by, {number: simulation.time for number, (_scenario, simulation) in made.items()}, effect)
        drive.gather()
        if effect == "live":  # discs jump: frames before and after have the same time
            drive.past.stamp(drive.time)
        runner.carry_on(drive)

    def show_beside(
        self, made: Simulation, scenario: Scenario, variant: dict[str, Any], single: Run | None, entry: LogEntry
    ) -> None:
        """Show a copy of the first simulation beside another one that was made from it. single : see `Run`; entry : of
        the log."""
        lane = self.runner.lanes[0]
        first = lane.copied(self.builder.copy(lane.simulation))
        # the same discs in a separate object: each lane has its own colour scales
        beside = Lane(scenario, made, self.publishers.publisher_of(1), replace(lane.system))
        drive = Lockstep([first, beside])
        drive.gather()
        log = self.log.of(0).for_two().having(entry)
        self.replace(drive, None, Run(scenarios_of(drive), log, variant, single))

    def show_first_alone(self) -> None:
        """Continue with a copy of the first simulation of a comparison."""
        lane = self.runner.lanes[0]
        alone = Lockstep([lane.copied(self.builder.copy(lane.simulation))])
        self.replace(alone, None, Run((lane.scenario,), self.log.of(0)))

    def replace(self, drive: Lockstep, to_run: bool | None, run: Run, shown: float | None = None) -> None:
        """Show this run from now on, and set the previous one aside. shown : see `Runner.replace`."""
        runner = self.runner
        runner.preparation = None
        old = runner.drive
        self.put_aside()
        for lane in old.lanes[len(drive.lanes) :]:
            lane.publisher.drop()
        self.run, run.shown = run, True
        runner.drive = drive
        self.say_scenarios()
        emit(self.signals.system_changed, drive.lanes[0].system)
        runner.replace(drive, to_run, shown)

    def put_aside(self) -> None:
        """Keep the present run, unless it has failed, so that it can be restored."""
        runner, run = self.runner, self.run
        if run is None:
            return
        run.shown = False
        if runner.lanes:
            self.shelf.put(run, runner.drive, runner.wants_to_run)

    # what is said

    def say_scenarios(self) -> None:
        """Announce the running scenarios."""
        lanes = self.runner.lanes
        self.scenario = lanes[0].scenario
        self.say_scenario(self.scenario)
        emit(self.signals.lanes_changed, tuple(lane.scenario for lane in lanes))

    def say_scenario(self, scenario: Scenario) -> None:
        """Announce the scenario of the first lane, or of the run being built."""
        self.signals.scenario = scenario
        emit(self.signals.scenario_changed, scenario)


def _beginning_of(lane: Lane) -> Beginning:
    """The first state of a simulation that begins now."""
    if not lane.scenario.discs.file:
        return Beginning(lane.scenario)
    return _from_here(lane)


def _from_here(lane: Lane) -> Beginning:
    """The present state of a simulation as the first one; not its discs, if they are too many to copy."""
    start = None if lane.system.count > _MOST_COPIED else lane.simulation.checkpoint()
    now, shown = lane.simulation.scenario, lane.scenario
    waiting = {key: shown.value(key) for key in fields() if shown.value(key) != now.value(key)}
    return Beginning(lane.scenario, start, by_scenario=False, waiting=waiting)


def _log_of(drive: Lockstep, entries: tuple[LogEntry, ...]) -> Log:
    """The log of simulations that begin now."""
    first, *others = drive.lanes
    beginning = _beginning_of(first)
    second = (
        _beginning_of(lane)
        if carries_on(system_of(lane.scenario)) is None  # see `Builder.build`
        else replace(beginning, then=lane.scenario)
        for lane in others
    )
    return Log((beginning, *second), entries)


def _resumed_log(state: SessionState, drive: Lockstep, entry: LogEntry) -> Log:
    """The log of an opened session. If this version has not written it, or it is not whole, the run is made again from
    the saved state, and the earlier entries only tell what was done. entry : that it was opened."""
    log = state.log
    if (
        log is not None
        and state.program == __version__
        and all(log.can_be_made_again(number) for number in range(len(drive.lanes)))
    ):
        return log.having(entry)
    entries = (*(() if log is None else log.entries), entry)
    return Log(tuple(map(_from_here, drive.lanes)), entries, len(entries))


def scenarios_of(drive: Lockstep) -> tuple[Scenario, ...]:
    """The scenario of each lane."""
    return tuple(lane.scenario for lane in drive.lanes)
