"""The session: what runs and what is shown. Its methods are the only way in; no Qt."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf, isnan
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any

from aggviewer.document.document import Document
from aggviewer.document.pace import DEFAULT_SPEED
from aggviewer.session.data import MergesFound, SessionSignals, Status, Throw
from aggviewer.session.load.builder import Builder, Engine
from aggviewer.session.load.comparing import Comparisons
from aggviewer.session.load.loader import Loader
from aggviewer.session.load.measured import Measured, measured
from aggviewer.session.load.own_run import OwnRun
from aggviewer.session.load.shown_state import ChangeOfStart
from aggviewer.session.load.tracing import Tracer
from aggviewer.session.load.tuning import RunTuning
from aggviewer.session.marking import Marking
from aggviewer.session.measuring import Views
from aggviewer.session.notices import Notices, attempt, emit
from aggviewer.session.past.replay import Replay
from aggviewer.session.publish.publisher import Publishers
from aggviewer.session.run.copies import RunCopy, copies_of
from aggviewer.session.run.playback import Playback
from aggviewer.session.run.runner import Runner
from aggviewer.session.run.worker import SimulationWorker
from aggviewer.session.run_steps import Undoing, change_of_key, change_of_scenario
from aggviewer.session.saved.autosave import Autosave, KeptWork
from aggviewer.session.saving import Saving
from aggviewer.session.taking_out import TakenOut, TakingOut
from engine.capabilities import merging
from engine.errors import InputError
from engine.system import system_of

if TYPE_CHECKING:
    from aggviewer.session.saved.state import SessionState
    from engine.runs.script import Recipe
    from engine.scenario import Scenario
    from engine.selection import Selection
    from engine.simulation import Checkpoint, Stride

Wait = Callable[[Callable[[float], bool], float], bool]
"""How to wait: `wait(there, patience)` calls `there` with some seconds to wait again and again, until it is true or the
seconds of `patience` are over; returns whether it has become true."""

_NO_SIMULATION = "there is no simulation to copy"

TO_BEGIN = 3.0
"""Seconds that somebody who closes a window waits for an engine that is at something."""


class Session(SessionSignals):
    """Owns the simulation's thread, the analysts' threads, the latest frames and the view model.

    Commands return at once and are carried out in order between two slices of work. The signals may be emitted on any
    thread; frames and indicators are polled (`publishers`), never sent.

    One simulation runs, or two side by side (`compare`), called lanes 0 and 1; both show the same simulation time.

    Signals: see `SessionSignals`. Messages: ``notices.sent``.

    Parameters
    ----------
    engine, notices : others than the usual ones.
    speed : see `set_speed`.
    autosave, kept : what keeps unsaved work safe, if anything does.
    views : gives what knows how a system is measured, by its name; None measures nothing.
    clock : seconds of wall time, by which runs and recordings keep their pace.

    Attributes
    ----------
    document : what a person can change of the presentation; view : how the discs are drawn, a part of it.
    marking : which discs are selected and which are hidden, and what is measured and noted in the picture.
    history : what can be undone; undoing : the commands as steps of it.
    publishers : the latest frames and indicators.
    saving : what is written.
    """

    def __init__(
        self,
        engine: Engine | None = None,
        notices: Notices | None = None,
        speed: float = DEFAULT_SPEED,
        autosave: Autosave | None = None,
        kept: KeptWork | None = None,
        views: Views | None = None,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self.notices = notices or Notices()
        self.document = Document()
        self.view = self.document.view
        self.history = self.document.history
        with self.document.unrecorded():
            self._set_pace(speed, False)
        self.marking = Marking(self.document)
        self.system_changed.connect(self.marking.follow)
        self.resumed.connect(self.marking.resume)
        self.publishers = Publishers(views, self.view, self.notices, self._on_measured)
        self._runner = Runner(
            self.notices, speed=speed, closing=lambda: self._worker.closing, signals=self, clock=clock
        )
        self._playback = Playback(self._runner)
        builder = Builder(engine or Engine(), self.notices)
        self._loader = Loader(self._runner, builder, self.publishers, self)
        self._comparisons = Comparisons(self._loader, self._runner)
        self._tuning = RunTuning(self._loader, self._runner)
        self._tracer = Tracer(self._runner, builder, self, lambda: self._worker.closing)
        self._own_run = OwnRun(self._loader, self._runner, self._playback, self.publishers.pool, self)
        self.undoing = Undoing(
            self._loader, self._tuning, self.history, lambda command: self._worker.post(command), self._at_once
        )
        self.saving = Saving(
            self._loader, self._runner, self._own_run, self.document, self.notices, self.publishers.pool, autosave, kept
        )
        self._runner.after_slice = self.saving.keep_safe
        self._runner.hurried = lambda: self._worker.hurried
        self._runner.superseded = lambda: self._replacing > 0 and self._leaving == 0
        self._replacing = 0  # commands that wait and put another run in the place of what is being built
        self._leaving = 0  # waiting commands that will set aside what is being built
        self._counting = threading.Lock()
        self._worker = SimulationWorker(self._runner)
        self.saving.post = self._worker.post
        self._worker.start()
        self.view.events.color_by.connect(self.refresh)
        self.view.events.layers.connect(self.refresh)  # their data come with a frame
        self.document.pace.events.connect(self._keep_pace)
        self._looked_for: float | None = None
        self._runner.frames.recorded = lambda path: emit(self.file_written, path)
        self._taking_out = TakingOut()
        self._closed = False

    # commands

    def load(self, scenario: Scenario, *, run: bool | None = None, alone: bool = False) -> None:
        """Build `scenario` and show it; on bad input what was there goes on and a notice is sent.

        run : let it run, hold it, or do as before (None). alone : end a comparison.
        """
        text = change_of_scenario(self.scenario, scenario)
        self.undoing.command(
            text, self._in_its_place(lambda: self._loader.load(lambda: scenario, run, alone=alone)), "scenario"
        )

    def open(self, source: str | Path, *, run: bool | None = None, otherwise: str | None = None) -> None:
        """Load what a file holds, or a name means: a scenario file, a state file (CSV …) or the name of a bundled
        scenario. A session file opens as it was saved: held, unless it ran and `run` allows it.

        otherwise : what to open where `source` cannot be opened and nothing is there yet.
        """
        command = self._in_its_place(lambda: self._open(source, run, otherwise))
        self.undoing.command(f"opening {Path(source).name}", command)

    def resume(self, state: SessionState) -> None:
        """Go on with what a session file would hold."""
        self.undoing.command("opening", lambda: self._loader.resume(state))

    def run(self) -> None:
        """Let it run. This and what follows hold for a recorded run too, that is shown before there is a simulation."""
        recorded = self._runner.recorded
        if recorded is None or not recorded.hold(False):
            self._worker.post(self._runner.run)

    def pause(self) -> None:
        """Hold it."""
        recorded = self._runner.recorded
        if recorded is None or not recorded.hold(True):
            self._at_once(self._runner.pause)

    def hold_at(self, goal: Stride | None) -> None:
        """Have the run held by itself, once, where it reaches a time, a number of clusters or of events; what runs is
        looked at when it comes to this command. None takes that back, as does another run."""
        self._worker.post(lambda: self._runner.hold_at(goal))

    def toggle(self) -> None:
        """Run or pause."""
        recorded = self._runner.recorded
        if recorded is not None and recorded.hold(not recorded.held):
            return
        if self.status().state == "running":
            self._at_once(self._runner.toggle)
        else:
            self._worker.post(self._runner.toggle)

    def step_event(self) -> None:
        """Pause, and go on to the next physical event."""
        recorded = self._runner.recorded
        if recorded is None or not recorded.step(event=True):
            self._worker.post(lambda: self._playback.step(self._runner.step_event))

    def step_frame(self) -> None:
        """Pause, and go on by one frame of simulation time."""
        recorded = self._runner.recorded
        if recorded is None or not recorded.step():
            self._worker.post(lambda: self._playback.step(self._runner.step_frame))

    def restart(self, seed: int | None = None) -> None:
        """Begin again with the same seed, or with the one given."""
        text = "restart" if seed is None else "new seed"
        self.undoing.command(text, lambda: self._loader.restart(seed))

    def set_speed(self, value: float, *, fast: bool = False) -> None:
        """Simulation time per second of wall time, above 0; inf is as fast as it can, or with `fast` frame by frame, so
        that a run of any size is seen. This is no step that can be undone, as a change of `Document.pace` is."""
        if isnan(value) or value <= 0.0:
            raise InputError(f"the playback speed must be above 0, not {value:g}")
        with self.document.unrecorded():
            self._set_pace(value, fast)

    def _set_pace(self, value: float, fast: bool) -> None:
        pace = self.document.pace
        pace.limit = "speed" if value < inf else "frames" if fast else "none"
        if value < inf:
            pace.speed = value

    def _keep_pace(self) -> None:
        asked, fast = self.document.pace.asked, self.document.pace.fast
        self._worker.post(lambda: self._runner.set_speed(asked, fast))

    def set_parameter(self, key: str, value: Any, lane: int = 0) -> None:
        """Change a scenario key that may change while it runs; on bad input a notice is sent.

        With ``aggregation.method`` or ``aggregation.time_stepping.clusters`` another simulation carries on from the
        present state. Lane 1 of a comparison follows lane 0 where it has no value of its own.
        """
        self.undoing.command(
            change_of_key(key, value),
            lambda: self._tuning.set_parameter(key, value, lane),
            f"{key} {lane}",
            at_once=False,
        )

    def throw(self, throw: Throw, lane: int = 0) -> None:
        """Move a disc elsewhere, with its cluster, and give it another velocity. The run goes on from there; on bad
        input a notice is sent."""
        words = "throwing a disc" if throw.position is None or throw.velocity is not None else "moving a disc"
        self.undoing.command(words, lambda: self._tuning.throw(throw, lane))

    def switch_method(self, method: str) -> None:
        """Carry on with this method; where the second of two side by side has it, they change places. What runs is
        looked at when it comes to this command, not when it was given."""
        key = "" if self.scenario is None else system_of(self.scenario).method_key
        text = change_of_key(key, method)
        self.undoing.command(text, lambda: self._tuning.switch_method(method), at_once=False)

    def compare(self, variant: Mapping[str, Any] | None, *, from_start: bool = False) -> None:
        """Begin a second simulation beside the first, in which the dotted keys of `variant` have other values: from the
        present state, or both from the start. Where the keys can only be chosen at the start it begins there. None ends
        the comparison: the run that it was begun from comes back as it was. On bad input a notice is sent."""
        kept = None if variant is None else dict(variant)
        text = "end of the comparison" if kept is None else "comparison"
        self.undoing.command(text, lambda: self._comparisons.compare(kept, from_start))

    def trace_step(self, *, collision: bool = False, onward: bool = False) -> None:
        """Pause, and look into the next time step: `step_traced` follows, or `step_refused` with the reason.

        collision : go on to the next step in which clusters meet; onward : beyond the step traced last.
        """
        self._worker.post(lambda: self._tracer.trace(collision=collision, onward=onward))

    def step_back(self) -> None:
        """Pause, and go back by one frame of a recording, or of the past of a run."""
        self._at_once(self._playback.step_back)

    def look_at(self, time: float) -> None:
        """Pause, and show what was at a time: in a recording, or in the past of a run. Run again, it is played up to
        the present, from which the run goes on."""
        self._looked_for = time
        self._at_once(self._look)

    def play(self, *, backwards: bool | None = None, loop: bool | None = None) -> None:
        """Play a recording backwards or forwards from what is shown, or the past of a run, which at the present goes on
        as usual. loop : whether a recording starts again at its end; given alone it does not start playing."""
        self._worker.post(lambda: self._playback.play(backwards=backwards, loop=loop))

    def record(self, path: Path, every: float) -> None:
        """Record what runs into a .gsd file, a frame each `every` of simulation time; on bad input a notice is sent."""
        self._trying("record", lambda: self._runner.record(path, every))

    def stop_recording(self) -> None:
        """End the recording; a notice says where it is."""
        self._worker.post(self._runner.stop_recording)

    def save_shown(self, path: Path, *, only_selected: bool = False) -> None:
        """Write the state that is shown, or of it the discs that are selected; the name's ending says how. A notice
        says what came of it."""
        self._trying("state", lambda: self.saving.save_shown(path, only_selected=only_selected))

    def save_session(self, path: Path) -> None:
        """Write all that is needed to go on tomorrow, bit for bit. A notice says what came of it."""
        self._trying("session", lambda: self._save_session(path))

    def recover(self, path: Path) -> None:
        """Open kept work, or an autosave of a program that is gone, held; an autosave is removed when it is open."""
        self.undoing.command("recovery", lambda: self.saving.recover(path))

    def keep_work(self, patience: float = 60.0, to_begin: float | None = None) -> None:
        """Before `close`: keep what took more than a minute of computing and is in no file, without a question.

        patience : seconds for writing, of large runs as many more as a slow disk needs; to_begin : seconds that the
        engine may be at something that cannot be cut off, `TO_BEGIN` for None. Where either is too short the last
        autosave is kept.
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

    def start_from_shown(
        self, path: Path, change: ChangeOfStart | None = None, text: str = "start from the state shown"
    ) -> None:
        """Begin a new simulation from the state that is shown; `path`, a .gsd file, keeps it.

        change : makes another start of the state, which then runs alone and at once; text : of the step that can be
        undone. On bad input a notice is sent.
        """
        self.undoing.command(text, lambda: self._loader.start_from_shown(path, change))

    def take_out(self, path: Path, discs: Selection, onward: ChangeOfStart) -> None:
        """Begin a new simulation from the packing that is shown, without some of its discs; `path` keeps its start.

        onward : makes the start of the discs that are left, see `start_from_shown`.
        """
        words = "taking out a disc" if len(discs) == 1 else f"taking out {len(discs)} discs"
        self.start_from_shown(path, self._taking_out.change(path, discs, onward), words)

    @property
    def taken_out(self) -> TakenOut | None:
        """What the run that is shown began without; None where nothing was taken out."""
        return None if self.scenario is None else self._taking_out.of(self.scenario.discs.file)

    def set_memory(self, budget: int) -> None:
        """Bytes that the past of a run may take."""
        self._worker.post(lambda: self._runner.frames.memory.set_budget(budget))

    def measure(self, answer: Callable[[Measured | InputError], None]) -> None:
        """Measure the present state of what runs: `answer` is called on the simulation's thread, with the numbers of
        each lane, or with the reason why there are none."""
        self._worker.post(lambda: answer(measured(self._runner.drive)))

    def ask_merges(self, lane: int = 0) -> None:
        """Copy the record of merges of what runs in a lane: `merges_found` follows, unless there is no such lane."""
        self._worker.post(lambda: self._tell_merges(lane))

    def after_commands(self, call: Callable[[], None]) -> None:
        """Call on the simulation's thread, after the commands that were given before."""
        self._worker.post(call)

    def set_aside(self) -> None:
        """Set the user's own run aside for a lesson, with all that belongs to it: the undo steps, the runs that *Undo*
        brings back, its past, a recording, the packings, the view and the speed. Nothing changes any of these until
        `bring_back`. Does nothing if it is aside already. Call it on the thread that changes the view."""
        if not self.document.is_own:
            return
        self.document.set_aside()
        with self._counting:
            self._leaving += 1

        def carry_out() -> None:
            with self._counting:
                self._leaving -= 1
            self._own_run.set_aside()

        self._worker.post(carry_out)

    def stand_in(self) -> None:
        """If no run was started since `set_aside`, continue with a copy of the own run, which commands may change."""
        self._worker.post(self._own_run.stand_in)

    def bring_back(self) -> None:
        """Continue the run that was set aside, unchanged, and discard all that happened since. If there was no run, the
        one that is shown stays. Call it on the thread that changes the view."""
        if self.document.is_own:
            return
        self.document.bring_back()
        self._at_once(self._in_its_place(self._own_run.bring_back))

    def refresh(self) -> None:
        """Make a frame of the present state, to be shown in another way."""
        self._worker.post(self._playback.refresh)

    def save_scenario(self, path: Path) -> None:
        """Write the scenario that runs, every default written out. InputError where that cannot be done."""
        if self.scenario is None:
            raise InputError("there is no scenario to save yet")
        try:
            path.write_text(self.scenario.to_toml(), encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror or error}", str(path)) from None

    # what is to be seen

    def status(self) -> Status:
        """Where the simulation is."""
        status, recorded = self._runner.status, self._runner.recorded
        if recorded is not None and status.recorded:  # nobody brings this up to date while kernels are loaded
            return replace(status, time=recorded.time, clusters=recorded.clusters, held=recorded.held)
        return status

    @property
    def replay(self) -> Replay | None:
        """The recording that is played, None for a simulation."""
        return self._runner.drive.replay

    @property
    def recipe(self) -> Recipe | None:
        """How the run in lane 0 has come to where it is; None where there is none, and where nobody knows."""
        lanes = self._runner.lanes
        return lanes[0].recipe if lanes else None

    def checkpoint(self, patience: float = inf) -> Checkpoint:
        """An exact copy of what runs in lane 0. Waits for the simulation's thread, at most `patience` seconds: a
        window has no time while kernels are compiled. InputError where there is no simulation, or no time for it."""
        checkpoint = self.copies(patience)[0].checkpoint
        if checkpoint is None:
            raise InputError(_NO_SIMULATION)
        return checkpoint

    def copies(self, patience: float = inf, wait: Wait | None = None) -> tuple[RunCopy, ...]:
        """Copies of all runs side by side, with the frames of their past that are in memory; also of a
        recording.

        wait : waits for them; idly for None.
        """
        found: list[tuple[RunCopy, ...]] = []
        done = threading.Event()

        def copy() -> None:
            try:
                found.append(copies_of(self._runner, recording=self.replay is not None))
            except InputError:
                pass
            finally:
                done.set()

        def there(seconds: float) -> bool:
            return done.wait(seconds) or self._worker.closing

        self._worker.post(copy)
        if not (wait or _wait_idly)(there, patience):
            raise InputError("the simulation is busy: try again in a moment")
        if not found or not found[0]:
            raise InputError(_NO_SIMULATION)
        return found[0]

    def stop(self) -> None:
        """Tell every thread to end as soon as it can; `close` waits for them."""
        self._worker.stop()  # first: else another program might begin
        self._runner.interrupt()
        self.publishers.stop()

    def close(self, patience: float | None = None) -> bool:
        """Stop and join every thread; True when all have ended.

        Most calls of the engine cannot be interrupted, and building 10^6 discs takes seconds. patience : seconds to
        wait for each thread, None for as long as it takes; a later call waits again.
        """
        if not self._closed:
            self._closed = True
            self.view.events.color_by.disconnect(self.refresh)
            self.document.pace.events.disconnect(self._keep_pace)
        self.stop()
        worker = self._worker.close(patience) and self._runner.close(patience) and self._loader.shelf.close(patience)
        worker = worker and self._own_run.close(patience)
        if worker:
            self.saving.close()
        return self.publishers.close(patience) and worker

    def _at_once(self, command: Callable[[], None]) -> None:
        """Leave a command that ends what is going on: a linear program that is being solved is cut off."""
        self._worker.post_urgent(command)
        self._runner.interrupt()

    def _trying(self, about: str, command: Callable[[], None]) -> None:
        """Post a command that may be refused. about : see `Notice`."""

        def carry_out() -> None:
            attempt(command, self.notices.send, about, "Nothing was changed.")

        self._worker.post(carry_out)

    def _in_its_place(self, command: Callable[[], object]) -> Callable[[], None]:
        """A command that puts another run in the place of what is being built, which need not be finished then."""
        with self._counting:
            self._replacing += 1

        def carry_out() -> None:
            with self._counting:
                self._replacing -= 1
            command()

        return carry_out

    # on the simulation's thread

    def _tell_merges(self, lane: int) -> None:
        lanes = self._runner.lanes
        if lane < len(lanes):
            able = merging(lanes[lane].simulation)
            log = None if able is None else able.merge_log()
            emit(self.merges_found, MergesFound(lane, len(lanes), lanes[lane].system, log))

    def _open(self, source: str | Path, run: bool | None, otherwise: str | None) -> None:
        path = Path(source).expanduser()
        opened = self._loader.open(source, run)
        if isinstance(source, Path) or path.is_file():  # not a bundled scenario
            emit(self.file_opened if opened else self.file_refused, path)
        if not opened and otherwise is not None and self.status().state == "empty" and not self._replacing:
            self._loader.open(otherwise, run)

    def _save_session(self, path: Path) -> None:
        self.saving.save_session(path)
        emit(self.file_written, path)

    def _look(self) -> None:
        """Of many places that a drag passes, the last one is enough."""
        time, self._looked_for = self._looked_for, None
        if time is not None:
            self._playback.look_at(time)

    def _on_measured(self) -> None:
        self._worker.post(self._recolor)

    def _recolor(self) -> None:
        """What the colours stand for has been measured: show them where nothing else makes a new frame."""
        if self._runner.state != "running":
            self._playback.refresh(analyse=False)


def _wait_idly(there: Callable[[float], bool], patience: float) -> bool:
    end = monotonic() + patience
    while not there(min(0.1, patience)):
        if monotonic() >= end:
            return False
    return True
