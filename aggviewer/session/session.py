"""The session: what runs and what is shown, controlled only through its methods. No Qt."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent import futures
from concurrent.futures import Future
from dataclasses import replace
from math import inf, isnan
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from aggviewer.document.document import Document
from aggviewer.document.model import field_events
from aggviewer.document.window import DEFAULT_SPEED
from aggviewer.session.analyst import MeasuringViewOf
from aggviewer.session.builder import Builder, Engine
from aggviewer.session.commands.beginning import Open, Restart, Resume, StartRun
from aggviewer.session.commands.changes import Compare, EndComparison, SetValue
from aggviewer.session.commands.moments import Moment, ReturnTo
from aggviewer.session.data import MergesFound, SessionSignals, Status
from aggviewer.session.loader import Loader, bring_back, copy_own_run
from aggviewer.session.log import Log, RunCommand
from aggviewer.session.marking import Announcer, Marking
from aggviewer.session.notices import Notices, attempt, emit
from aggviewer.session.past.recording import Recording
from aggviewer.session.publisher import Publishers
from aggviewer.session.run.observers import AnalystFeed, AverageFeed, Goal, PastMemory, Recorder
from aggviewer.session.run.playback import Playback
from aggviewer.session.run.run import MeasuredLanes, Run, SessionRuns, measured
from aggviewer.session.run.runner import Runner
from aggviewer.session.run.worker import SimulationWorker
from aggviewer.session.saved.autosave import Autosave, KeptWork
from aggviewer.session.saving import Autosaving, Recover, Saving
from aggviewer.session.undoing import Post, Undoing
from engine.capabilities import merging
from engine.errors import InputError
from engine.files.writing import cannot_write

if TYPE_CHECKING:
    from aggviewer.session.saved.state import SessionState
    from engine.scenario import Scenario
    from engine.simulation import Checkpoint, Stride

T = TypeVar("T")

Wait = Callable[[Callable[[float], bool], float], bool]
"""How to wait: `wait(there, patience)` calls `there` repeatedly with a short time to wait, until it returns True or
`patience` seconds are over; returns whether it became true."""

TO_BEGIN = 3.0
"""Seconds to wait for a busy engine when a window is closed."""


class Session(SessionSignals):
    """Owns the threads of simulation and analysts, the latest frames, and the document.

    Commands return at once and are carried out in order between two slices of work. The signals may be emitted on any
    thread; frames and indicators are polled (`publishers`), never sent. Methods that change the document or its undo
    history, such as all that give a command, are called on the thread that owns them.

    One simulation runs, or two side by side (`compare`), called lanes 0 and 1; both show the same simulation time.

    Signals: see `SessionSignals`. Messages: ``notices.sent``.

    Parameters
    ----------
    engine, notices : replacements for the default ones.
    speed : see `set_speed`.
    autosave, kept : keep unsaved work safe, if given.
    measuring_view_of : returns the view of a system, which measures it, by name; None to measure nothing.
    clock : wall time in seconds, for the pace of runs and recordings.
    post_to_owner : leaves a call for the thread that owns the document and its undo history, which makes such calls in
        order. It never waits for that thread. By default, for a session without a window, the call is made at once.

    Attributes
    ----------
    document : everything the user can change about the presentation; view : its part about drawing the discs.
    marking : selected and hidden discs, measurements and notes.
    history : the undo history; undoing : adds commands to it as steps.
    publishers : the latest frames and indicators.
    saving : writes files.
    """

    def __init__(
        self,
        engine: Engine | None = None,
        notices: Notices | None = None,
        speed: float = DEFAULT_SPEED,
        autosave: Autosave | None = None,
        kept: KeptWork | None = None,
        measuring_view_of: MeasuringViewOf | None = None,
        clock: Callable[[], float] = perf_counter,
        post_to_owner: Post = lambda call: call(),
    ) -> None:
        self.notices = notices or Notices()
        self.document = Document()
        self.view = self.document.view
        self.history = self.document.history
        with self.document.unrecorded():
            self._set_pace(speed, False)
        self.marking = Marking(self.document)
        self._announcer = Announcer(self.document, post_to_owner)
        self.discs_changed.connect(self._announcer.announce)
        self.opens.connect(self._announcer.expect_new_start)
        self.resumed.connect(self._announcer.expect_session)
        self.publishers = Publishers(
            measuring_view_of,
            self.view,
            self.notices,
            self._on_measured,
            lambda lane: emit(self.frame_arrived, lane),
            lambda: self.after_commands(lambda: None),
        )
        self._recorder = Recorder(
            self.notices, lambda: self._worker.closing, lambda path: emit(self.file_written, path)
        )
        self._memory, self._goal = PastMemory(clock), Goal()
        self._runs = SessionRuns()
        self.saving = Saving(self._runs, self.document, self.notices, autosave, kept)
        self._runner = Runner(
            self._runs,
            self.notices,
            speed=speed,
            observers=(
                self._recorder,
                self._memory,
                self._goal,
                AnalystFeed(),
                AverageFeed(),
                Autosaving(self.saving),
            ),
            closing=lambda: self._worker.closing,
            hurried=lambda: self._worker.hurried,
            superseded=lambda: self._replacing > 0 and self._leaving == 0,
            signals=self,
            clock=clock,
        )
        self._playback = Playback(self._runner)
        builder = Builder(engine or Engine(), self.notices)
        self._loader = Loader(
            self._runner,
            self._playback,
            builder,
            self.publishers,
            self,
            lambda: self._replacing > 0,
            lambda work: self._worker.beside(work),
        )
        self.undoing = Undoing(
            self._loader, self.history, lambda work: self._worker.post(work), self._at_once, post_to_owner
        )
        self._replacing = 0  # commands that wait and put another run in the place of what is being built
        self._leaving = 0  # waiting commands that will set aside what is being built
        self._counting = threading.Lock()
        self._worker = SimulationWorker(self._playback, self._runner.guard)
        self._worker.start()
        events = self.view.events
        self._shown_anew = (events.color_by, events.layers, events.flash_contacts)  # their effect needs a new frame
        for event in self._shown_anew:
            event.connect(self.refresh)
        for event in field_events(self.document.pace).values():
            event.connect(self._keep_pace)
        self._requested_time: float | None = None
        self._closed = False

    # commands

    def give(self, *commands: RunCommand, words: str = "") -> None:
        """Have commands carried out, in order, as one step of *Undo*. If one is refused, a notice is sent.

        words : the name of the step; "" for that of the first command.
        """
        replaces = any(command.replaces for command in commands)
        before = self._counted_as_replacing(lambda: None) if replaces else lambda: None
        self.undoing.queue(*commands, words=words, before=before)

    def load(self, scenario: Scenario, *, run: bool | None = None, alone: bool = False, title: str = "") -> None:
        """See `StartRun`."""
        self.give(StartRun(scenario, run, alone, title))

    def open(self, source: str | Path, *, run: bool | None = None, otherwise: str | None = None) -> None:
        """See `Open`."""
        self.give(Open(source, run, otherwise))

    def resume(self, state: SessionState) -> None:
        """See `Resume`."""
        self.give(Resume(state))

    def run(self) -> None:
        """Run, or play what is shown."""
        self._worker.post(self._playback.run, plays=True)

    def pause(self) -> None:
        """Pause."""
        self._at_once(self._playback.pause, plays=True)

    def hold_at(self, goal: Stride | None) -> None:
        """Pause once when the run reaches a time, a number of clusters, or a number of events. Applies to the run at
        the time the command is carried out. None, or another run, cancels it."""
        self._worker.post(lambda: self._goal.set(self._runner.present, goal))

    def toggle(self) -> None:
        """Run or pause."""
        self._at_once(self._playback.toggle, plays=True)

    def step_event(self) -> None:
        """Pause and go to the next physical event."""
        self._worker.post(self._playback.step_event, plays=True)

    def step_frame(self) -> None:
        """Pause and go forward one frame of simulation time."""
        self._worker.post(self._playback.step_frame, plays=True)

    def restart(self, seed: int | None = None) -> None:
        """See `Restart`."""
        self.give(Restart(seed))

    def set_speed(self, value: float, *, every_frame: bool = False) -> None:
        """Set the simulation time per second of wall time, above 0. inf means as fast as possible, or
        with `every_frame`, showing every frame. Not undoable, unlike a change of `Document.pace`."""
        if isnan(value) or value <= 0.0:
            raise InputError(f"the playback speed must be above 0, not {value:g}")
        with self.document.unrecorded():
            self._set_pace(value, every_frame)

    def _set_pace(self, value: float, every_frame: bool) -> None:
        pace = self.document.pace
        pace.limit = "speed" if value < inf else "frames" if every_frame else "none"
        if value < inf:
            pace.speed = value

    def _keep_pace(self) -> None:
        asked, every_frame = self.document.pace.requested_speed, self.document.pace.every_frame
        self._worker.post(lambda: self._runner.set_speed(asked, every_frame), plays=True)

    def set_parameter(self, key: str, value: Any, lane: int = 0) -> None:
        """See `SetValue`."""
        self.give(SetValue(key, value, lane))

    def compare(self, variant: Mapping[str, Any] | None, *, from_start: bool = False) -> None:
        """See `Compare`; None ends the comparison."""
        self.give(EndComparison() if variant is None else Compare(dict(variant), from_start))

    def step_back(self) -> None:
        """Pause, and go back one frame of a recording or of the past of a run."""
        self._at_once(self._playback.step_back, plays=True)

    def look_at(self, time: float) -> None:
        """Pause, and show an earlier time of a recording or run. `run` then replays up to the present, from which the
        run continues."""
        self._requested_time = time
        self._at_once(self._show_last_requested, plays=True)

    def play(self, *, backwards: bool | None = None, loop: bool | None = None) -> None:
        """Play a recording, or the past of a run, backwards or forwards from the current frame; at the present, a run
        continues as usual. loop : whether a recording starts again at its end; on its own it does not start
        playback."""
        self._worker.post(lambda: self._playback.play(backwards=backwards, loop=loop), plays=True)

    def record(self, path: Path, every: float) -> None:
        """Record the run to a .gsd file, one frame per `every` of simulation time; on bad input a notice is sent."""

        def start() -> None:
            self._recorder.start(self._runner.present, path, every)
            self._runner.publish()  # the present, which is recorded

        self._trying("record", start)

    def stop_recording(self) -> None:
        """Stop the recording; a notice gives its path."""

        def stop() -> None:
            self._recorder.stop(self._runner.present)
            self._runner.publish()

        self._worker.post(stop)

    def save_shown(self, path: Path, *, only_selected: bool = False) -> None:
        """Write the state shown, or only the selected discs, in the format of the file's ending. A notice reports the
        result."""
        self._trying("state", lambda: self.saving.save_shown(path, only_selected=only_selected))

    def save_session(self, path: Path) -> None:
        """Write everything needed to continue later, bit for bit. A notice reports the result."""
        self._trying("session", lambda: self._save_session(path))

    def recover(self, path: Path) -> None:
        """Open kept work, or the autosave of a crashed program, paused. An autosave is removed once opened."""
        self.give(Recover(path, self.saving))

    def keep_work(self, patience: float = 60.0, to_begin: float | None = None) -> None:
        """Before `close`: keep unsaved work that took more than a minute of computing, without asking.

        patience : seconds for writing, extended for large runs on a slow disk; to_begin : seconds to wait for
        uninterruptible work of the engine, `TO_BEGIN` for None. If either is too short, the last autosave is kept.
        """
        if not self.saving.may_have_work:
            return
        begun, ended, through = threading.Event(), threading.Event(), threading.Event()
        longer = 0.0

        def keep() -> None:
            nonlocal longer
            begun.set()
            try:
                longer = self.saving.seconds_to_keep() - patience
                self.saving.keep_work()
                through.set()
            finally:
                ended.set()

        self._at_once(keep)
        written = begun.wait(TO_BEGIN if to_begin is None else to_begin) and (
            ended.wait(patience) or ended.wait(max(0.0, longer))
        )
        if not (written and through.is_set()):
            self.saving.keep_autosave()

    def set_memory(self, budget: int) -> None:
        """Set the most bytes for the past of a run."""
        self._worker.post(lambda: self._memory.set_budget(self._runner.present, budget))

    def measure(self, answer: Callable[[MeasuredLanes | InputError], None]) -> None:
        """Measure the present state: `answer` is called on the simulation's thread, with the values of each lane or the
        reason why there are none."""
        self._worker.post(lambda: answer(measured(self._runner.present)))

    def request_merges(self, lane: int = 0) -> None:
        """Copy the record of merges of a lane: `merges_found` follows, if the lane exists."""
        self._worker.post(lambda: self._tell_merges(lane))

    def after_commands(self, call: Callable[[], None]) -> None:
        """Make a call on the simulation's thread, after all earlier commands."""
        self._worker.post(call)

    def set_aside(self) -> None:
        """Set the user's own run aside for a lesson, with all that belongs to it: the undo steps, the runs that *Undo*
        brings back, its past, a recording, the view and the speed. Nothing changes any of these until
        `bring_back`. Does nothing if it is aside already."""
        if not self.document.is_own:
            return
        self.document.set_aside()
        with self._counting:
            self._leaving += 1

        def set_runs_aside() -> None:
            with self._counting:
                self._leaving -= 1
            self._runner.set_aside()

        self._worker.post(set_runs_aside)

    def copy_own_run(self) -> None:
        """If no run was started since `set_aside`, continue with a copy of the own run, which commands may change."""
        self._worker.post(lambda: copy_own_run(self._loader))

    def bring_back(self) -> None:
        """Continue the run that was set aside, unchanged, and discard all that happened since. If there was no run, the
        present one stays."""
        if self.document.is_own:
            return
        self.document.bring_back()
        asked, every_frame = self.document.pace.requested_speed, self.document.pace.every_frame

        def bring_runs_back() -> None:
            self._runner.set_speed(asked, every_frame)  # a session that the lesson has opened may have set another one
            bring_back(self._loader)

        self._at_once(self._counted_as_replacing(bring_runs_back))

    def keep_moment(self, moment: Moment) -> None:
        """Keep what is shown now, so that `return_to` can show it again."""
        self._worker.post(lambda: moment.keep(self._runner.present, self.document))

    def return_to(self, moment: Moment) -> None:
        """See `ReturnTo`."""
        self.give(ReturnTo(moment, self.document))

    def refresh(self) -> None:
        """Publish the present state again, after a change of the view."""
        self._worker.post(self._playback.refresh, plays=True)

    def save_scenario(self, path: Path) -> None:
        """Write the running scenario including all defaults. InputError on failure."""
        if self.scenario is None:
            raise InputError("there is no scenario to save yet")
        try:
            path.write_text(self.scenario.to_toml(), encoding="utf-8")
        except OSError as error:
            raise cannot_write(path, error) from None

    # what the session shows

    def status(self) -> Status:
        """The status of the simulation."""
        runner, recording = self._runner, self._runner.present.writer
        recorded = None if recording is None else recording.status
        return replace(runner.status, preparation=runner.preparation, recording=recorded)

    @property
    def played_file(self) -> Recording | None:
        """The file being played, None for a simulation."""
        replay = self._runner.present.replay
        return replay.source if replay is not None and isinstance(replay.source, Recording) else None

    @property
    def log(self) -> Log:
        """How the present run came about; empty if there is none."""
        return self._runner.present.log

    def checkpoint(self, patience: float = inf) -> Checkpoint:
        """An exact copy of the simulation in lane 0. Waits for the simulation's thread for at most `patience` seconds,
        since a window cannot wait while kernels are compiled. InputError if there is no simulation, or on a timeout."""
        return self.ask(lambda run: run.lanes[0].simulation.checkpoint(), patience)

    def ask(self, question: Callable[[Run], T], patience: float = inf, wait: Wait | None = None) -> T:
        """What a function finds out about the present run, called on the simulation's thread between two slices; it
        must not change the run. Waits for that thread; InputError if it is busy for longer than `patience` seconds, if
        there is no run, or from the function.

        wait : the function to wait with; None to block.
        """
        answer: Future[T] = Future()

        def find_out() -> None:
            try:
                if self._runner.present.lost:
                    raise InputError("there is no simulation to copy")
                answer.set_result(question(self._runner.present))
            except Exception as error:  # raised below, on the thread that asked
                answer.set_exception(error)

        def there(seconds: float) -> bool:
            return bool(futures.wait([answer], seconds).done) or self._worker.closing

        self._worker.post(find_out)
        if not (wait or _wait_idly)(there, patience) or not answer.done():
            raise InputError("the simulation is busy: try again in a moment")
        return answer.result()

    def stop(self) -> None:
        """Tell all threads to end as soon as possible; `close` waits for them."""
        self._worker.stop()  # first, so that no further linear program starts
        self._runner.interrupt()
        self.publishers.stop()

    def close(self, patience: float | None = None) -> bool:
        """Stop and join every thread; True when all have ended.

        Most calls of the engine cannot be interrupted, and building 10^6 discs takes seconds. patience : seconds to
        wait for each thread, None for no limit; a later call waits again.
        """
        if not self._closed:
            self._closed = True
            for event in self._shown_anew:
                event.disconnect(self.refresh)
            for event in field_events(self.document.pace).values():
                event.disconnect(self._keep_pace)
        self.stop()
        worker = self._worker.close(patience) and self._runs.close(patience)
        if worker:
            self.saving.close()
        return self.publishers.close(patience) and worker

    def _at_once(self, command: Callable[[], None], *, plays: bool = False) -> None:
        """Queue a command that interrupts the present work, such as solving a linear program. plays : see
        `SimulationWorker.post`."""
        self._worker.post_urgent(command, plays=plays)
        self._runner.interrupt()

    def _trying(self, about: str, command: Callable[[], None]) -> None:
        """Queue a command that may be refused. about : see `Notice`."""

        def try_command() -> None:
            attempt(command, self.notices.send, about, "Nothing was changed.")

        self._worker.post(try_command)

    def _counted_as_replacing(self, command: Callable[[], object]) -> Callable[[], None]:
        """Count a command that will replace the run being built. Until what is returned is called, which calls the
        command, that run need not be finished."""
        with self._counting:
            self._replacing += 1

        def run_command() -> None:
            with self._counting:
                self._replacing -= 1
            command()

        return run_command

    # on the simulation's thread

    def _tell_merges(self, lane: int) -> None:
        lanes = self._runner.lanes
        if lane < len(lanes):
            able = merging(lanes[lane].simulation)
            log = None if able is None else able.merge_log()
            emit(self.merges_found, MergesFound(lane, len(lanes), lanes[lane].disc_set, log))

    def _save_session(self, path: Path) -> None:
        self.saving.save_session(path)
        emit(self.file_written, path)

    def _show_last_requested(self) -> None:
        """During a drag, only the last requested time matters."""
        time, self._requested_time = self._requested_time, None
        if time is not None:
            self._playback.look_at(time)

    def _on_measured(self) -> None:
        self._worker.post(self._recolor)

    def _recolor(self) -> None:
        """A slow field for the colours has been measured: publish a new frame if nothing else does."""
        if self._runner.state != "running":
            self._playback.refresh(analyse=False)


def _wait_idly(there: Callable[[float], bool], patience: float) -> bool:
    end = monotonic() + patience
    while not there(min(0.1, patience)):
        if monotonic() >= end:
            return False
    return True
