"""The loader: builds the runs of scenarios, recordings and sessions, restores earlier runs, and puts each in the place
of the present one. During a lesson the user's own runs wait. Everything here runs on the simulation's thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from aggviewer.document.window import PaceModel
from aggviewer.session.builder import Builder
from aggviewer.session.data import SessionSignals
from aggviewer.session.log import Beginning, Effect, Log, LogEntry, RunCommand
from aggviewer.session.notices import emit
from aggviewer.session.past.replay import Replay
from aggviewer.session.publisher import Publishers
from aggviewer.session.run.lanes import Lane
from aggviewer.session.run.playback import Playback
from aggviewer.session.run.run import Run, Runs
from aggviewer.session.run.runner import Runner
from aggviewer.session.saved.session_file import SUFFIX
from aggviewer.session.saved.state import SessionState
from engine import __version__
from engine.errors import typed_path
from engine.scenario import scenario_keys
from engine.simulation import Simulation
from engine.system import carried, carries_on, system_of

if TYPE_CHECKING:
    from engine.scenario import Scenario

_MOST_COPIED = 100_000  # a log keeps the first state of at most this many discs, about 20 MB
_FRAMES_FIRST = 3  # frames of a recorded run that are shown before kernels are loaded, which would delay these frames
_PATIENCE = 2.0  # seconds to wait for that at most: a window may be hidden

T = TypeVar("T")


class Loader:
    """Puts runs in the place of the present one. Commands call its methods, on the simulation's thread.

    Another run comes in one of three ways.

    - It is built: `open`, `start` and `resume` build its simulations from a scenario, a file or a session. If that
      fails, a message gives the reason, and the present run continues.
    - It is restored: `restore` shows a run again that another one has replaced, as for *Undo*.
    - It continues the discs of the present run: `change_scenarios` and `replace_simulations` put other simulations into
      a copy of it, with the same past and log.

    A comparison begins and ends with copies of the present simulations in a new run, by `replace`.

    The first two end in `replace`, after which the run starts in the runner (`Runner.show_new`); the third ends in
    `Runner.show_changed`, after which it goes on. The run that was present before is kept on the shelf in each case.

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
        self._work_beside = beside

    @property
    def runs(self) -> Runs:
        """The present run, and earlier ones that can be restored."""
        return self.runner.runs.now

    @property
    def present(self) -> Run:
        """The present run; one without lanes before the first."""
        return self.runs.present

    @property
    def scenario(self) -> Scenario | None:
        """The scenario that is running or has failed; None before the first."""
        return next(iter(self.present.scenarios), None)

    def log_command(self, command: RunCommand, times: Mapping[int, float], effect: Effect) -> None:
        """Write in the log of the present run what a command has done.

        times : of each simulation that it has changed, by the number of its lane. Between slices they may differ.
        """
        words = command.words(self.scenario)
        for time in sorted(set(times.values())):
            lanes = tuple(number for number in sorted(times) if times[number] == time)
            self.present.log = self.present.log.with_entry(LogEntry(command, lanes, time, effect, words))

    # a run is built

    def open(self, source: str | Path, to_run: bool | None, by: RunCommand) -> bool:
        """Load anything that can be opened. A session continues where it was saved, paused if it was; a file with
        several frames is played. False on failure."""
        path = typed_path(source)
        if path.suffix.lower() == SUFFIX:
            return self.resume(path, to_run, by)
        try:
            replay = self.builder.replay(path)
        except Exception as error:
            self.builder.report_failure(error, kept=bool(self.scenario), opened=path.name)
            return False
        if replay is not None:
            emit(self.signals.opens, replay.scenario)
            self._show_recording(replay, path, to_run, by)
            return True
        return self.start(lambda: self.builder.read(source), self.present.variant, to_run, by, opened=path.name)

    def start(
        self,
        scenario_of: Callable[[], Scenario],
        variant: dict[str, Any] | None,
        to_run: bool | None,
        by: RunCommand,
        *,
        is_restart: bool = False,
        compared_from: Run | None = None,
        opened: str = "",
    ) -> bool:
        """Build a scenario and show it. False on failure; then the present run continues.

        Parameters
        ----------
        variant : the differences of a second simulation; ignored if another system, which lacks the keys, begins.
        to_run : run it, pause it, or keep the present mode (None).
        by : the command that asked for it, the first entry of the run's log.
        is_restart : whether the present run restarts; then the log says how that began, too.
        compared_from : see `Run`.
        opened : the name of its file, or its title; "" for a change of the present scenario.
        """
        words = by.words(self.scenario)
        earlier = self.present.log.starting_entries if is_restart else ()
        entries = (*earlier, LogEntry(by, (0, 1), 0.0, "begins", words))
        return self._build_run(scenario_of, variant, to_run, entries, compared_from=compared_from, opened=opened)

    def _build_run(
        self,
        scenario_of: Callable[[], Scenario],
        variant: dict[str, Any] | None,
        to_run: bool | None,
        entries: tuple[LogEntry, ...],
        *,
        compared_from: Run | None = None,
        lost_run: Run | None = None,
        opened: str = "",
    ) -> bool:
        """Build a scenario and show it; see `start`.

        entries : the first ones of the log; lost_run : a run that was not kept and starts again.
        """
        first = self.runner.state == "empty"

        def build() -> tuple[list[Lane], float | None]:
            scenario = scenario_of()
            if first:
                return self._build_first(scenario, variant, to_run)
            return self._lanes(self.builder.build(scenario, variant, self.runner.report_preparation)), None

        made = self.build_or_report(build, opened)
        if made is None:
            return False
        lanes, catch_up_to = made
        run = lost_run or Run(variant=variant if len(lanes) > 1 else None, compared_from=compared_from)
        run.begin(lanes)
        run.log = _log_of(lanes, entries)
        if opened:
            emit(self.signals.opens, lanes[0].scenario)
        self.replace(run, None if first else to_run, catch_up_to=catch_up_to)
        return True

    def _build_first(
        self, scenario: Scenario, variant: dict[str, Any] | None, to_run: bool | None
    ) -> tuple[list[Lane], float | None]:
        """Build the very first simulation. Also returns the time on the screen when it is ready, up to which it is then
        run.

        Until then the recording of its run is played, if there is one and it is to run; or else its start is shown, if
        that needs no kernels.
        """
        runner, builder, publisher = self.runner, self.builder, self.publishers.publisher_of(0)
        self.present.should_run = self.present.should_run if to_run is None else to_run
        run = builder.stand_in_for(scenario) if self.present.should_run else None
        if run is None:
            if builder.show_preview(scenario, publisher):
                self.announce_scenario(scenario)
            return self._lanes(builder.build(scenario, variant, runner.report_preparation)), None
        replay = Replay(run, scenario)
        built: list[tuple[Scenario, Simulation]] = []

        def build() -> None:
            publisher.mailbox.wait_taken(_FRAMES_FIRST, _PATIENCE)
            built.extend(builder.build(scenario, variant, runner.report_preparation))

        runner.show_stand_in(Run([Lane(scenario, replay, publisher, kernels=False)], stand_in=True))
        self.announce_scenario(scenario)
        self._work_beside(build)
        catch_up_to = builder.takeover_time(built[0][1], run, replay.index)
        return self._lanes(built), catch_up_to

    def _show_recording(self, replay: Replay, file: Path, to_run: bool | None, by: RunCommand) -> None:
        """Replace the present run by a recording."""
        log = Log(entries=(LogEntry(by, (0,), replay.time, "begins", by.words(self.scenario)),))
        self.replace(Run([self.recording_lane(replay)], log, file=file), to_run)

    def recording_lane(self, replay: Replay) -> Lane:
        """The lane of a run that shows a recording."""
        return Lane(replay.scenario, replay, self.publishers.publisher_of(0))

    def resume(self, saved: Path | SessionState, to_run: bool | None, by: RunCommand) -> bool:
        """Continue a session file or session state. False on failure. by : the command that asked for it."""
        words = by.words(self.scenario)

        def build() -> tuple[SessionState, list[Lane]]:
            state, simulations = self.builder.resume(saved, self.runner.report_preparation)
            return state, self._lanes(simulations)

        made = self.build_or_report(build, saved.name if isinstance(saved, Path) else "the session")
        if made is None:
            return False
        state, lanes = made
        for lane in lanes:
            lane.continue_counts(ended=state.saved_as == "finished")
        entry = LogEntry(by, tuple(range(len(lanes))), lanes[0].time, "begins", words)
        log = _resumed_log(state, lanes, entry)
        if state.saved_as in ("running", "paused"):
            to_run = state.saved_as == "running" and to_run is not False
        pace = state.document.part(PaceModel)
        self.runner.set_speed(pace.requested_speed, pace.every_frame)
        emit(self.signals.resumed, state)
        self.replace(Run(lanes, log, state.variant), to_run)
        return True

    def _lanes(self, simulations: Sequence[tuple[Scenario, Simulation]]) -> list[Lane]:
        return [Lane(of, made, self.publishers.publisher_of(k)) for k, (of, made) in enumerate(simulations)]

    def build_or_report(self, build: Callable[[], T | None], opened: str) -> T | None:
        """The result of `build`. If it raises an exception, a message gives the reason, the present run continues, and
        the result is None.

        opened : the name of the file that is opened, "" for none.
        """
        try:
            self.runner.begin_loading()
            return build()
        except Exception as error:
            self.runner.end_loading()
            self.builder.report_failure(error, kept=bool(self.scenario), opened=opened)
            return None

    # a run is restored, or continued by other simulations

    def restore(self, run: Run) -> bool:
        """Restore a run that was replaced; if it could not be kept, restart it. False on failure."""
        if run is self.present:
            return True
        if run.lost:
            if run.file is not None:
                return self._reopen_recording(run.file, run)
            return self._build_run(
                lambda: run.scenarios[0], run.variant, run.should_run, run.log.starting_entries, lost_run=run
            )
        if any(lane.stored is not None for lane in run.lanes) and not self.build_or_report(
            lambda: run.load(self.builder.restore), ""
        ):
            return False
        for lane in run.lanes:
            lane.show_again()
        self.replace(run, run.should_run)
        return True

    def _reopen_recording(self, file: Path, run: Run) -> bool:
        """Reopen a recording that was not kept, and pause it. False on failure."""
        replay = self.build_or_report(lambda: self.builder.replay(file), file.name)
        if replay is None:
            self.runner.end_loading()  # also if only one frame is left in the file
            return False
        run.begin([self.recording_lane(replay)])
        self.replace(run, False)
        return True

    def change_scenarios(self, scenarios: Mapping[int, Scenario], by: RunCommand) -> None:
        """Continue the discs of these lanes, by their numbers, with other simulations under other scenarios; the
        present run is shelved."""
        runner = self.runner
        with runner.preparing():
            made = {
                number: (
                    carried(scenario),
                    self.builder.carry_on(runner.lanes[number].simulation, scenario, runner.report_preparation),
                )
                for number, scenario in scenarios.items()
            }
        self.replace_simulations(made, by, "anew")

    def replace_simulations(
        self, made: Mapping[int, tuple[Scenario, Simulation]], by: RunCommand, effect: Effect, *, jumps: bool = False
    ) -> None:
        """Replace the simulations of these lanes, by their numbers, in a copy of the present run, which is shelved.

        by, effect : see `log_command`. jumps : whether discs are at other places afterwards, at the same time.
        """
        old = self.present
        copies = {n: self.builder.copy(lane.simulation) for n, lane in enumerate(old.lanes) if n not in made}
        run = old.with_lanes(
            [
                lane.with_simulation(*made[n]) if n in made else lane.copied(copies[n])
                for n, lane in enumerate(old.lanes)
            ]
        )
        run.compared_from = old.compared_from
        old.hand_over(run)
        self.runs.show(run)
        # the time-stepping method hands over its discs as of the last complete step
        self.log_command(by, {number: simulation.time for number, (_scenario, simulation) in made.items()}, effect)
        run.lockstep.gather()
        if jumps:  # frames before and after have the same time
            run.past.mark_moved(run.time)
        self.runner.show_changed()

    def show_beside(
        self, made: Simulation, scenario: Scenario, variant: dict[str, Any], compared_from: Run | None, entry: LogEntry
    ) -> None:
        """Show a copy of the first simulation beside another one that was made from it.

        compared_from : see `Run`; entry : of the log.
        """
        lane = self.runner.lanes[0]
        first = lane.copied(self.builder.copy(lane.simulation))
        # the same discs in a separate object: each lane has its own colour scales
        beside = Lane(scenario, made, self.publishers.publisher_of(1), replace(lane.disc_set))
        run = Run([first, beside], self.present.log.of(0).for_two().with_entry(entry), variant, compared_from)
        run.lockstep.gather()
        self.replace(run, None)

    def show_first_alone(self) -> None:
        """End a comparison: continue with a copy of its first simulation."""
        lane = self.runner.lanes[0]
        alone = lane.copied(self.builder.copy(lane.simulation))
        self.replace(Run([alone], self.present.log.of(0)), None)

    def replace(self, run: Run, to_run: bool | None, catch_up_to: float | None = None) -> None:
        """Show this run from now on, and keep the previous one.

        to_run : run it, pause it, or keep the present mode (None). catch_up_to : see `Runner.show_new`.
        """
        old = self.present
        run.should_run = old.should_run if to_run is None else to_run
        self.runner.leave()
        self.runs.show(run)
        for lane in old.lanes[len(run.lanes) :]:
            lane.publisher.drop()
        self.announce_scenarios()
        emit(self.signals.discs_changed, run.lanes[0].disc_set)
        self.runner.show_new(catch_up_to)

    # the new run is announced

    def announce_scenarios(self) -> None:
        """Announce the scenarios of the present run."""
        scenarios = self.present.scenarios
        self.announce_scenario(scenarios[0])
        emit(self.signals.lanes_changed, scenarios)

    def announce_scenario(self, scenario: Scenario) -> None:
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
    start = None if lane.disc_set.count > _MOST_COPIED else lane.simulation.checkpoint()
    now, shown = lane.simulation.scenario, lane.scenario
    waiting = {key: shown.value(key) for key in scenario_keys() if shown.value(key) != now.value(key)}
    return Beginning(lane.scenario, start, by_scenario=False, waiting=waiting)


def _log_of(lanes: Sequence[Lane], entries: tuple[LogEntry, ...]) -> Log:
    """A log that starts with these simulations as they are now."""
    first, *others = lanes
    beginning = _beginning_of(first)
    second = (
        _beginning_of(lane)
        if carries_on(system_of(lane.scenario))
        is None  # the second simulation has its own start, as in `Builder.build`
        else replace(beginning, then=lane.scenario)
        for lane in others
    )
    return Log((beginning, *second), entries)


def _resumed_log(state: SessionState, lanes: Sequence[Lane], entry: LogEntry) -> Log:
    """The log of an opened session. If this version has not written it, or it is not whole, the run is made again from
    the saved state, and the earlier entries only tell what was done. entry : that it was opened."""
    log = state.log
    if (
        log is not None
        and state.program == __version__
        and all(log.can_be_made_again(number) for number in range(len(lanes)))
    ):
        return log.with_entry(entry)
    entries = (*(() if log is None else log.entries), entry)
    return Log(tuple(map(_from_here, lanes)), entries, len(entries))


def copy_own_run(loader: Loader) -> None:
    """In a lesson that has started no run, continue with a copy of the user's own run, so that no command changes the
    run itself."""
    runner, own = loader.runner, loader.runner.runs.own.present
    if not runner.runs.is_aside or runner.lanes or not own.lanes:
        return

    def copy() -> Run:
        if own.replay is not None:
            return Run([loader.recording_lane(own.replay.shared())], own.log, file=own.file)
        return own.with_lanes(
            [lane.copied(loader.builder.copy(lane.simulation), replace(lane.disc_set)) for lane in own.lanes]
        )

    copied = loader.build_or_report(copy, own.file.name if own.file is not None else "")
    if copied is None:
        runner.set_state("failed")
    else:
        loader.replace(copied, own.should_run)


def bring_back(loader: Loader) -> None:
    """Continue the user's own runs, unchanged, and close those of the lesson. If the user had none, the lesson's
    present run becomes the user's own."""
    runner, runs = loader.runner, loader.runner.runs
    if not runs.is_aside:
        return
    if runs.own.present.state == "empty":
        runs.now.shelf.keep_only(())
        runs.own = runs.now
        return
    runner.leave()
    left, runs.now = runs.now, runs.own
    own = loader.present
    for lane in left.present.lanes[len(own.lanes) :]:
        lane.publisher.drop()
    for lane in own.lanes:
        lane.show_again()
    loader.announce_scenarios()
    if own.lanes:
        emit(loader.signals.discs_changed, own.lanes[0].disc_set)
    runner.show_waiting(loader.playback.refresh)
    left.close()
