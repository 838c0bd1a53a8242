"""The runner: advances the simulations of the present run, at a pace or step by step. Its methods are called on the
simulation's thread, unless they say otherwise."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from math import inf

import numpy as np
from numpy.typing import NDArray

from aggviewer.latest_job import CancelledError
from aggviewer.session.data import Preparation, RunState, SessionSignals, Status, Timeline
from aggviewer.session.notices import ENDED, Notice, Notices, emit
from aggviewer.session.run.lanes import Lane, leader_of, nearer
from aggviewer.session.run.observers import Due, Occasion, RunObserver
from aggviewer.session.run.pacing import Tempo
from aggviewer.session.run.run import Run, SessionRuns
from aggviewer.session.run.worker import ClosingError
from engine.errors import InputError
from engine.simulation import Progress, Stride

SLICE = 0.008
"""Seconds of work between checks for commands."""

LONGEST_WAIT = 0.1
"""Seconds that a run whose every frame is to be seen waits for the window to take one: a window may be hidden."""

_STEP_PATIENCE = 0.5  # seconds of a step after which an urgent command ends it, where the next event is far off
_POLL = 0.002  # seconds between two checks whether the window has taken the frame
_MARKS_EVERY = 0.5  # seconds between two searches for large merges, which the timeline marks


class Runner:
    """Advances the present run and publishes its frames; nothing else advances the simulations of a session.

    The simulation's thread asks `wait` when the next slice is due, and then calls `slice`; commands come between
    slices. In a slice the run advances for about `SLICE` seconds. Its target is the simulation time that belongs to now
    at the chosen speed (`Tempo`); without a set pace it is infinite, or the end of the next frame if every frame is to
    be seen. A slice ends earlier where an observer is due (`_limit`). After each slice the observers are called, and a
    frame is published if its time has come and the window has taken the last one.

    `Loader` builds other runs, between `begin_loading` and one of the methods ``show_…``, which make the new run the
    present one. The past of a run and recordings are played by `Playback`, which leaves `run`, `pause` and steps to the
    runner while the present of a simulation is shown (`at_present`).

    Parameters
    ----------
    runs : the present run, and those that wait.
    notices : receives messages for the user.
    speed : see `set_speed`.
    observers : are called with the present run after each slice.
    closing : whether long work should end early, because the session closes.
    hurried : whether an urgent command is waiting that ends the present work.
    superseded : whether the run being built is obsolete because a waiting command will replace it.
    signals : announce changes of the state.
    clock : seconds of wall time.

    Attributes
    ----------
    runs, clock : see the parameters.
    preparation : the progress while kernels are compiled, else None. May be read on any thread.
    tempo : the requested and the reached pace.
    """

    def __init__(
        self,
        runs: SessionRuns,
        notices: Notices,
        *,
        speed: float,
        observers: Sequence[RunObserver],
        closing: Callable[[], bool],
        hurried: Callable[[], bool],
        superseded: Callable[[], bool],
        signals: SessionSignals,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.runs = runs
        self._notices = notices
        self._observers = tuple(observers)
        self._is_closing = closing
        self._is_hurried = hurried
        self._is_superseded = superseded
        self._signals = signals
        self.clock = clock
        self._is_loading = False  # another run is being built
        self.preparation: Preparation | None = None
        self._announced_state: RunState = self.state
        self.tempo = Tempo(speed, clock)
        self._published_at = -inf  # clock time of the last frame
        self._published_progress: list[tuple[float, int]] = []  # `_progress` in that frame
        self._frame_began = 0.0  # clock time at which work for the next frame began; 0 for not yet
        self._frame_is_ready = False  # the next frame is reached, but the window has not yet taken the last one
        self._shows_one_event = False  # the frame shows the event of a step that a person has asked for
        self._marks: NDArray[np.float64] = np.empty(0)  # times of large merges
        self._marked_at = -inf  # clock time at which these were found
        self.update_status()

    @property
    def present(self) -> Run:
        """The run that is shown; one without lanes before the first."""
        return self.runs.now.present

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes of the present run."""
        return self.present.lanes

    @property
    def state(self) -> RunState:
        """What the present run does; while another run is built, how far that is."""
        if self.present.stand_in:
            return self.present.state
        if self.preparation is not None:
            return "compiling"
        return "loading" if self._is_loading else self.present.state

    @property
    def status(self) -> Status:
        """What was last published about the present run. Any thread may read it."""
        return self.runs.now.status

    @property
    def closing(self) -> bool:
        """Whether long work should end early, because the session closes."""
        return self._is_closing()

    @property
    def at_present(self) -> bool:
        """Whether the present of a simulation is shown, or nothing yet. False for a recording or the past of a run."""
        return self.present.past_time is None and self.present.replay is None

    # the work of the thread

    def seconds_to_wait(self) -> float | None:
        """Seconds until `slice` is due: 0 for now, None to wait for a command."""
        if self.state == "running":
            return self.tempo.seconds_to_wait
        dues = [due for due in self._observers_due() if isinstance(due, float)]
        return min(dues, default=None)

    def slice(self) -> None:
        """Advance a running run by one slice; while nothing runs, let the observers do what is due."""
        if self.state == "running":
            self._run_slice()
        else:
            self._call_observers("idle")

    def guard(self, command: Callable[[], None]) -> None:
        """Call `command`, and report its exceptions to the user."""
        try:
            command()
        except ClosingError:
            pass
        except InputError as error:
            self._notices.send(Notice("error", str(error), "Nothing was changed.", key=error.key))
        except Exception as error:
            self._notices.unexpected("The command failed", error)

    # a slice of a run that goes on

    def _run_slice(self) -> None:
        """Advance the present run by one slice, and publish a frame, pause or finish if it is time."""
        self._shows_one_event = False
        run, every_frame = self.present, self.tempo.every_frame
        started = self.clock()
        reached, self._frame_is_ready = every_frame and self._frame_is_ready, False
        if not reached:
            began = self._frame_began = self._frame_began or started  # a frame may take many slices
            try:
                reached = self._advance_frame() if every_frame else self._advance(self.tempo.target(run.time))
            except Exception as error:
                self._fail(error)
                return
            events = sum(lane.progress.happened for lane in self.lanes)
            self.tempo.add_slice(began if every_frame else started, run.time, events, reached)
            if reached or not every_frame:
                self._frame_began = 0.0
        if every_frame and reached and self.rest_until_drawn():
            self._frame_is_ready = True  # the frame is made on demand, because the colours may change until then
            return
        if run.finished:
            self._finish()
        elif run.pause_due:
            self.pause()
        elif run.lockstep.together:
            due = self.clock() - self._published_at >= 0.9 * self.tempo.interval
            if (every_frame and reached) or (due and self.frames_taken and self._progress != self._published_progress):
                self.publish()
        self.update_status()

    def _advance(self, until: float) -> bool:
        """A slice of work towards `until`; True when there."""
        return self._work_and_observe(lambda: self.present.lockstep.advance(until, SLICE, self._limit()))

    def _advance_frame(self) -> bool:
        """A slice of work towards the end of a frame of a run that shows every frame; True when there."""
        return self._work_and_observe(lambda: self.present.lockstep.advance_frame(SLICE, self._limit()))

    def _work_and_observe(self, work: Callable[[], bool]) -> bool:
        """Do a slice of work, then call the observers. Returns what `work` returns."""
        there = work()
        self._call_observers("slice")
        return there

    def _limit(self) -> Stride | None:
        """How far a slice may go: to where an observer is due."""
        return reduce(nearer, (due for due in self._observers_due() if isinstance(due, Stride)), None)

    def _observers_due(self) -> list[Due]:
        """When each observer is to be called at the latest."""
        return [observer.due(self.present) for observer in self._observers]

    def _call_observers(self, occasion: Occasion) -> None:
        """Tell all observers what has happened."""
        for observer in self._observers:
            observer.handle(self.present, occasion)

    def rest_until_drawn(self) -> bool:
        """Rest briefly if the window has not yet taken the last frame. Returns whether it has rested; from
        `LONGEST_WAIT` seconds after that frame on it does not."""
        waits = self.clock() - self._published_at < LONGEST_WAIT and not self.frames_taken
        if waits:
            self.tempo.rest(_POLL)
        return waits

    @property
    def frames_taken(self) -> bool:
        """Whether the window has taken the last frame of each lane; only then is it worth making a new one."""
        return all(lane.publisher.mailbox.frame_taken for lane in self.lanes)

    @property
    def _progress(self) -> list[tuple[float, int]]:
        """Simulation time and number of events of each lane. A frame is only published when these have changed: before
        its first event, or while it rebuilds its event queue, a simulation works for many slices in which nothing
        moves."""
        return [(lane.time, lane.progress.happened) for lane in self.lanes]

    # run, pause and step

    def run(self) -> None:
        """Let the run go on."""
        self.present.should_run = True
        if self.state == "paused":
            self.set_state("running")
            self.start_pace()

    def pause(self) -> None:
        """Pause at the next common time of the lanes, and show the state reached."""
        run = self.present
        run.should_run = run.pause_due = False
        if self.state == "running":
            self._work_until(lambda: run.lockstep.work_to_common_time(SLICE))
            if self.state == "running":
                self._call_observers("stop")
                self.publish()
                self.set_state("paused")
                self.start_pace()

    def run_or_pause(self) -> None:
        """Run or pause according to the user's last request, unless it has ended."""
        run = self.present
        ended = run.finished and run.simulated
        self.set_state("finished" if ended else "running" if run.should_run else "paused")
        self.start_pace()

    def continue_from_present(self) -> None:
        """The past has been played up to the present: continue the run."""
        self.publish()
        if self.present.finished:
            self.present.should_run = False
            self.set_state("finished")
        self.start_pace()

    def check_ended(self) -> None:
        """After a change, check whether ended simulations have work to do; they then wait to be run."""
        for lane in self.lanes:
            lane.check_ended()
        if self.state == "finished" and not self.present.finished:
            self.present.should_run = False
            self.set_state("paused")
            self.start_pace()

    def set_speed(self, speed: float, every_frame: bool = False) -> None:
        """Set the simulation time per second of wall time; inf for no set pace, showing every frame
        (`every_frame`) or as fast as possible."""
        self.tempo.set(speed, every_frame)
        self.start_pace()

    def step_event(self) -> None:
        """Pause, then advance to the next physical event."""
        if self.state == "running":
            self.pause()  # at the common time of the lanes, after which an event is looked for
        if self.lanes:
            leader = leader_of(self.lanes)
            self._step(partial(self._advance_event, leader, leader.progress), one_event=True)

    def step_frame(self) -> None:
        """Pause, then advance one frame of simulation time at the present speed."""
        if self._whole_steps:
            self.step_event()
        elif self.lanes:
            until = self.present.time + self.tempo.frame_step
            self._step(lambda: self._advance(until))

    @property
    def _whole_steps(self) -> bool:
        """Whether the run has nothing to show between its own steps."""
        return bool(self.lanes) and self.lanes[0].has_whole_time

    def _step(self, advance: Callable[[], bool], *, one_event: bool = False) -> None:
        """Pause, make one step, possibly in several slices, and show the state it leads to. Closing does not wait for
        it.

        one_event : the step is one event, which is shown while paused.
        """
        if self.state not in ("running", "paused"):
            return
        self.pause()
        run = self.present
        run.past_time = None
        began = self.clock()

        def ends() -> bool:
            gives_way = self._is_hurried() and self.clock() - began > _STEP_PATIENCE
            return advance() or run.pause_due or gives_way

        self._work_until(ends)
        if not (self._whole_steps or run.lockstep.together):  # the step ended early
            self._work_until(lambda: run.lockstep.work_to_common_time(SLICE))
        run.pause_due = False
        if self.state == "paused":
            self._shows_one_event = one_event
            if run.finished:
                self._finish()
            else:
                self._call_observers("stop")
                self.publish()

    def _advance_event(self, leader: Lane, begun: Progress) -> bool:
        """A slice of work towards the next event of a lane, whose progress was `begun` before the step. True when the
        event has happened."""
        limit = self._limit()
        there = self._work_and_observe(lambda: self.present.lockstep.step_event(SLICE, limit))
        cut = limit is not None and limit.met(leader_of(self.lanes).progress)
        return there and (not cut or leader.progress.happened != begun.happened)

    def _work_until(self, advance: Callable[[], bool]) -> None:
        """Do slices of work until `advance` returns True, the run has ended, or the session closes."""
        try:
            while not (advance() or self.present.finished or self._is_closing()):
                if self._whole_steps and self._is_hurried():
                    break
        except Exception as error:
            self._fail(error)

    def interrupt(self) -> None:
        """Interrupt a long step of the simulation. From any thread, unlike everything else here."""
        self.present.lockstep.interrupt()

    # another run is built

    def begin_loading(self) -> None:
        """Announce that another run is being built. It ends with `set_state`, or with `end_loading`."""
        self._is_loading = True
        self._announce()

    def end_loading(self) -> None:
        """No other run was built: the present one continues unchanged."""
        self._is_loading, self.preparation = False, None
        if self.present.stand_in:
            self.runs.now.show(Run(should_run=self.present.should_run))
        self._announce()
        self.start_pace()

    @contextmanager
    def preparing(self) -> Iterator[None]:
        """A context in which simulations are built that continue the present run: at its end their preparation is
        over."""
        try:
            yield
        finally:
            self.preparation = None
            self._announce()

    def report_preparation(self, done: int, total: int, what: str) -> None:
        """Take note of the progress of compiling. From any thread while a recorded run is shown.

        Raises ClosingError if the session closes, and CancelledError if another run is to be built instead.
        """
        if self._is_closing():
            raise ClosingError
        if (self.present.stand_in or not self.lanes) and self._is_superseded():
            raise CancelledError
        self.preparation = Preparation(done, total, what)
        if not self.present.stand_in:
            self._announce()
            self.update_status()

    # and shown

    def leave(self) -> None:
        """Let the present run make room for another one: its recording ends, and its goal is forgotten."""
        self.preparation = None
        self._call_observers("leave")

    def show_new(self, catch_up_to: float | None = None) -> None:
        """Show the present run, which was another one before, from its start, and let it run if it should.

        catch_up_to : simulation time of what is on the screen already, to which it is advanced first.
        """
        run = self.present
        run.state = "running" if run.should_run else "paused"
        run.past_time, self._shows_one_event = None, False
        run.pause_due = False
        if not run.lockstep.together:
            self._work_until(lambda: run.lockstep.work_to_common_time(SLICE))
        self._marked_at = -inf
        self._call_observers("begin")
        if catch_up_to is not None:
            self._work_until(lambda: self._advance(catch_up_to))
            self._call_observers("stop")
        self.publish()
        if run.lanes:  # if it has not failed meanwhile
            self.run_or_pause()

    def show_stand_in(self, run: Run) -> None:
        """Show and play a recorded run, because the simulation is not ready."""
        run.should_run = self.present.should_run
        self.runs.now.show(run)
        self.publish()
        self.run_or_pause()

    def show_changed(self) -> None:
        """Show the present run, in which other simulations continue the discs of the last one, from a common time that
        may be slightly earlier than the time shown; later stored frames are dropped."""
        lockstep, self._marked_at = self.present.lockstep, -inf
        if not lockstep.together:
            self._work_until(lambda: lockstep.work_to_common_time(SLICE))
        self._call_observers("stop")
        self.publish()
        self.start_pace()

    def set_aside(self) -> None:
        """Let the user's own runs wait, between two slices. The last picture stays until another run starts."""
        self.runs.set_aside()
        self._shows_one_event = False
        self._announce()

    def show_waiting(self, show: Callable[[], None]) -> None:
        """Continue the present run unchanged, which has waited. show : shows it, or its past."""
        self._shows_one_event, self._marked_at = False, -inf
        show()
        self._announce()
        self.start_pace()

    # a run ends

    def _finish(self) -> None:
        """Publish the last frame of the run, and announce that it has ended."""
        self._call_observers("end")
        for lane in self.lanes:
            if lane.progress.stop_reason:
                self._notices.send(Notice("info", lane.progress.stop_reason, about=ENDED, expert=True))
        self.publish()  # publish the frame before announcing the end, so that the last frame is there
        self.set_state("finished")

    def _fail(self, error: Exception) -> None:
        """Drop the simulations of the run, and announce that it has failed. The last picture stays."""
        for lane in self.lanes:
            lane.publisher.drop()
        self._call_observers("leave")
        self.present.drop()
        # announce first: a reader of the state may look for the reason
        words = "The last picture stays on the screen. Restart the run, or open another scenario."
        if isinstance(error, InputError):  # it says in a sentence what is wrong
            self._notices.send(
                Notice("error", str(error), f"The simulation stopped. {words}", key=error.key, about=ENDED)
            )
        else:
            self._notices.unexpected("The simulation stopped", error, words)
        self.set_state("failed")

    # frames, state and status

    def publish(self, *, analyse: bool = True) -> None:
        """Publish the present state, and measure it."""
        self.present.past_time, self._frame_is_ready = None, False
        for lane in self.lanes:
            lane.publish(analyse=analyse, one_event=self._shows_one_event)
        self._published_progress = self._progress
        self.note_publication()

    def note_publication(self) -> None:
        """Remember that frames were published now, and update the status."""
        self._published_at = self.clock()
        self.update_status()

    def start_pace(self) -> None:
        """Measure the reached speed and rates afresh from now on, as after a pause or a change of speed."""
        self.tempo.start(self.present.time)
        self.present.player.start(self.clock())
        self.update_status()

    def set_state(self, state: RunState) -> None:
        """Set the state of the present run, which is ready now, and announce it."""
        self._is_loading, self.preparation, self.present.state = False, None, state
        self._announce()

    def _announce(self) -> None:
        """Emit `state_changed` if the state is another one than was announced last."""
        if self.state != self._announced_state:
            self._announced_state = self.state
            self.update_status()
            emit(self._signals.state_changed, self._announced_state)

    def update_status(self) -> None:
        """Update `status`. A failed run leaves its time, lanes and number of discs in it."""
        run, before = self.present, self.status
        lanes = tuple(lane.status() for lane in run.lanes) or before.lanes
        events_per_second, speed, slow = self.tempo.rates if self.state == "running" else (0.0, 0.0, False)
        self.runs.now.status = Status(
            state=self.state,
            system=lanes[0].system if lanes else "",
            time=run.time if run.lanes else before.time,
            clusters=lanes[0].clusters if lanes else 0,
            count=run.lanes[0].disc_set.count if run.lanes else before.count,
            events=lanes[0].events if lanes else {},
            events_per_second=events_per_second,
            speed=self.tempo.speed,
            every_frame=self.tempo.every_frame,
            speed_reached=speed,
            slow=slow,
            stand_in=run.stand_in,
            lanes=() if run.stand_in else lanes,
            past=run.past_time,
            timeline=self._timeline() if run.lanes and not run.stand_in else None,
        )

    def _timeline(self) -> Timeline:
        run = self.present
        if self.clock() - self._marked_at > _MARKS_EVERY:
            self._marked_at = self.clock()
            self._marks = run.stored_frames.marks
        shown = run.time if run.past_time is None else run.past_time
        begin, last = run.stored_frames.span or (run.time, run.time)
        player, end = run.player, max(last, run.time)
        return Timeline(begin, end, shown, self._marks, not run.simulated, player.backwards, player.loop)
