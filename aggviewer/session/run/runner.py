"""Runs simulations on the simulation's thread, at a pace or step by step. Every method runs on it."""

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
from aggviewer.session.run.observers import Due, RunMoment, RunObserver
from aggviewer.session.run.pacing import Tempo
from aggviewer.session.run.run import Run, SessionRuns
from aggviewer.session.run.worker import ClosingError
from engine.errors import InputError
from engine.simulation import Progress, Stride

SLICE = 0.008
"""Seconds of work between checks for commands."""

LONGEST_UNSEEN = 0.1  # seconds for which a fast run waits for its last frame to be taken: a window may be hidden
_LOOK_AGAIN = 0.002  # seconds between two looks whether it has been

_MARKS_EVERY = 0.5  # seconds between two looks for large merges


class Runner:
    """Runs the present run. `status` may be read on any thread; everything else belongs to one. Runs come from
    `aggviewer.session.loader`. What has already happened, the past of a run or a recording, is played by
    `aggviewer.session.run.playback`, which gives `run`, `pause` and steps to the runner if it is `live`.

    Parameters
    ----------
    runs : the present run, and those that wait.
    notices : receives messages for the user.
    speed : see `set_speed`.
    observers : listen to the runs.
    closing : whether long work should end early, because the session closes.
    hurried : whether an urgent command is waiting that ends the present work.
    superseded : whether the run being built is obsolete because a waiting command will replace it.
    signals : say what changes.
    clock : seconds of wall time.

    Attributes
    ----------
    runs, clock : see the parameters.
    preparation : while kernels are compiled. May be read on any thread.
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
        self._closing = closing
        self._hurried = hurried
        self._superseded = superseded
        self._signals = signals
        self.clock = clock
        self._loading = False  # another run is being built
        self.preparation: Preparation | None = None
        self._told: RunState = self.state
        self.tempo = Tempo(speed, clock)
        self._published_at = -inf
        self._published_moment: list[tuple[float, int]] = []
        self._frame_began = 0.0
        self._ahead = False  # the next frame of a fast run is ready, but the last one was not yet taken
        self._single = False  # what is shown is one event that was asked for
        self._marks: NDArray[np.float64] = np.empty(0)
        self._marked_at = -inf
        self.update_status()

    @property
    def present(self) -> Run:
        """The run that is shown."""
        return self.runs.now.present

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes of the present run."""
        return self.present.lanes

    @property
    def state(self) -> RunState:
        """What the present run does, or what is done for the next one."""
        if self.present.recorded:
            return self.present.state
        if self.preparation is not None:
            return "compiling"
        return "loading" if self._loading else self.present.state

    @property
    def status(self) -> Status:
        """The published status. From any thread."""
        return self.runs.now.status

    @property
    def closing(self) -> bool:
        """Whether long work should end early, because the session closes."""
        return self._closing()

    @property
    def live(self) -> bool:
        """Whether the present of a simulation is shown, or nothing yet. False for a recording or the past of a run."""
        return self.present.looked_at is None and self.present.replay is None

    # the thread's side

    def wait(self) -> float | None:
        """Seconds until `slice` is due: 0 for now, None to wait for a command."""
        if self.state == "running":
            return self.tempo.wait
        dues = [due for due in self._dues() if isinstance(due, float)]
        return min(dues, default=None)

    def slice(self) -> None:
        """Run up to the present target time, or for some milliseconds; at rest, call the observers."""
        if self.state == "running":
            self._run_slice()
        else:
            self._tell("idle")

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

    # commands

    def show_recorded(self, run: Run) -> None:
        """Show and play a recorded run, because the simulation is not ready."""
        run.wanted = self.present.wanted
        self.runs.now.show(run)
        self.publish()
        self.resume()

    def leave(self) -> None:
        """Let the present run make room for another one: its recording ends, and its goal is forgotten."""
        self.preparation = None
        self._tell("leave")

    def begin(self, shown: float | None = None) -> None:
        """Show the present run, which was another one before, and run it if it is wanted. shown : the time already on
        the screen, up to which it is run first."""
        run = self.present
        run.state = "running" if run.wanted else "paused"
        run.looked_at, self._single = None, False
        run.held = False
        if not run.lockstep.together:
            self._until(lambda: run.lockstep.settle(SLICE))
        self._marked_at = -inf
        self._tell("begin")
        if shown is not None:
            self._until(lambda: self._advance(shown))
            self._tell("stop")
        self.publish()
        if run.lanes:  # else it has failed
            self.resume()

    def show_changed(self) -> None:
        """Show the present run, in which other simulations continue the discs of the last one, from a common time that
        may be slightly earlier than the time shown; later stored frames are dropped."""
        lockstep, self._marked_at = self.present.lockstep, -inf
        if not lockstep.together:
            self._until(lambda: lockstep.settle(SLICE))
        self._tell("stop")
        self.publish()
        self.start_pace()

    def set_aside(self) -> None:
        """Let the user's own runs wait, between two slices. The last picture stays until another run starts."""
        self.runs.set_aside()
        self._single = False
        self._announce()

    def show_again(self, show: Callable[[], None]) -> None:
        """Continue the present run unchanged, which has waited. show : shows it, or its past."""
        self._single, self._marked_at = False, -inf
        show()
        self._announce()
        self.start_pace()

    def resume(self) -> None:
        """Run or pause according to the user's last request, unless it has ended."""
        run = self.present
        ended = run.finished and run.live
        self.set_state("finished" if ended else "running" if run.wanted else "paused")
        self.start_pace()

    def look_again(self) -> None:
        """After a change, check whether ended simulations have work to do; they then wait to be run."""
        for lane in self.lanes:
            lane.look_again()
        if self.state == "finished" and not self.present.finished:
            self.present.wanted = False
            self.set_state("paused")
            self.start_pace()

    def run(self) -> None:
        """Run."""
        self.present.wanted = True
        if self.state == "paused":
            self.set_state("running")
            self.start_pace()

    def pause(self) -> None:
        """Pause, and show the present state."""
        run = self.present
        run.wanted = run.held = False
        if self.state == "running":
            self._until(lambda: run.lockstep.settle(SLICE))
            if self.state == "running":
                self._tell("stop")
                self.publish()
                self.set_state("paused")
                self.start_pace()

    def step_event(self) -> None:
        """Pause, then advance to the next physical event."""
        if self.state == "running":
            self.pause()  # at the common time of the lanes, after which an event is looked for
        if self.lanes:
            leader = leader_of(self.lanes)
            self._step(partial(self._advance_event, leader, leader.progress), single=True)

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
        return bool(self.lanes) and self.lanes[0].counts

    def interrupt(self) -> None:
        """Interrupt a long step of the simulation. From any thread, unlike everything else here."""
        self.present.lockstep.interrupt()

    def set_speed(self, speed: float, fast: bool = False) -> None:
        """Set the simulation time per second of wall time; inf for no set pace, showing every frame (`fast`) or as fast
        as possible."""
        self.tempo.set(speed, fast)
        self.start_pace()

    # running

    def continue_from_present(self) -> None:
        """The past has been played up to the present: continue the run."""
        self.publish()
        if self.present.finished:
            self.present.wanted = False
            self.set_state("finished")
        self.start_pace()

    def unseen(self) -> bool:
        """Whether the last frame is still waiting to be drawn, for at most 0.1 s; the run then rests briefly."""
        waits = self.clock() - self._published_at < LONGEST_UNSEEN and not self.wanted
        if waits:
            self.tempo.rest(_LOOK_AGAIN)
        return waits

    def _run_slice(self) -> None:
        self._single = False
        run, fast = self.present, self.tempo.fast
        started = self.clock()
        reached, self._ahead = fast and self._ahead, False
        if not reached:
            began = self._frame_began = self._frame_began or started  # a frame may take many slices
            try:
                reached = self._advance_frame() if fast else self._advance(self.tempo.target(run.time))
            except Exception as error:
                self._fail(error)
                return
            events = sum(lane.progress.happened for lane in self.lanes)
            self.tempo.ran(began if fast else started, run.time, events, reached)
            if reached or not fast:
                self._frame_began = 0.0
        if fast and reached and self.unseen():
            self._ahead = True  # the frame is made on demand, because the colours may change until then
            return
        if run.finished:
            self._end()
        elif run.held:
            self.pause()
        elif run.lockstep.together:
            due = self.clock() - self._published_at >= 0.9 * self.tempo.interval
            if (fast and reached) or (due and self.wanted and self._moment != self._published_moment):
                self.publish()
        self.update_status()

    @property
    def _moment(self) -> list[tuple[float, int]]:
        """Time and number of events of each lane. Before its first event, or while rebuilding its event queue, a
        simulation may work for many slices in which nothing moves; publishing a frame takes longer than a slice."""
        return [(lane.time, lane.progress.happened) for lane in self.lanes]

    @property
    def wanted(self) -> bool:
        """Note that the last frame was taken."""
        return all(lane.publisher.mailbox.wanted for lane in self.lanes)

    def _work(self, work: Callable[[], bool]) -> bool:
        """Do a slice of work, and call the observers."""
        there = work()
        self._tell("slice")
        return there

    def _advance(self, until: float) -> bool:
        """A slice of work towards `until`; True when there."""
        return self._work(lambda: self.present.lockstep.advance(until, SLICE, self._limit()))

    def _advance_frame(self) -> bool:
        """A slice of work towards the end of a frame of a fast run; True when there."""
        return self._work(lambda: self.present.lockstep.advance_frame(SLICE, self._limit()))

    def _advance_event(self, leader: Lane, begun: Progress) -> bool:
        """A slice of work towards the next event of a lane, whose progress was `begun`; True when there."""
        limit = self._limit()
        there = self._work(lambda: self.present.lockstep.step_event(SLICE, limit))
        cut = limit is not None and limit.met(leader_of(self.lanes).progress)
        return there and (not cut or leader.progress.happened != begun.happened)

    def _dues(self) -> list[Due]:
        return [observer.due(self.present) for observer in self._observers]

    def _limit(self) -> Stride | None:
        """How far a slice may go: to where an observer is due."""
        return reduce(nearer, (due for due in self._dues() if isinstance(due, Stride)), None)

    def _tell(self, moment: RunMoment) -> None:
        """Call the observers."""
        for observer in self._observers:
            observer.handle(self.present, moment)

    def _step(self, advance: Callable[[], bool], *, single: bool = False) -> None:
        """One step, possibly in several slices; closing does not wait for it. single : it is one event, shown while
        paused."""
        if self.state not in ("running", "paused"):
            return
        self.pause()
        run = self.present
        run.looked_at = None
        self._until(lambda: advance() or run.held)
        run.held = False
        if self.state == "paused":
            self._single = single
            if run.finished:
                self._end()
            else:
                self._tell("stop")
                self.publish()

    def _until(self, advance: Callable[[], bool]) -> None:
        """Do slices of work until `advance` is satisfied."""
        try:
            while not (advance() or self.present.finished or self._closing()):
                if self._whole_steps and self._hurried():
                    break
        except Exception as error:
            self._fail(error)

    def _end(self) -> None:
        """Mark the run as finished."""
        self._tell("end")
        for lane in self.lanes:
            if lane.progress.stop_reason:
                self._notices.send(Notice("info", lane.progress.stop_reason, about=ENDED))
        self.publish()  # publish the frame before announcing the end, so that the last frame is there
        self.set_state("finished")

    def _fail(self, error: Exception) -> None:
        for lane in self.lanes:
            lane.publisher.drop()
        self._tell("leave")
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

    def publish(self, *, analyse: bool = True) -> None:
        """Publish the present state, and measure it."""
        self.present.looked_at, self._ahead = None, False
        for lane in self.lanes:
            lane.publish(analyse=analyse, single=self._single)
        self._published_moment = self._moment
        self.shown_now()

    def shown_now(self) -> None:
        """Note that frames were published now."""
        self._published_at = self.clock()
        self.update_status()

    # what is told

    def start_pace(self) -> None:
        """Measure speed and rates from now on."""
        self.tempo.start(self.present.time)
        self.present.player.start(self.clock())
        self.update_status()

    def set_state(self, state: RunState) -> None:
        """Set the state of the present run, which is ready now, and announce it."""
        self._loading, self.preparation, self.present.state = False, None, state
        self._announce()

    def _announce(self) -> None:
        """Announce the state, if it is another one."""
        if self.state != self._told:
            self._told = self.state
            self.update_status()
            emit(self._signals.state_changed, self._told)

    def begin_loading(self) -> None:
        """Announce that another run is being built. It ends with `set_state`, or with `end_loading`."""
        self._loading = True
        self._announce()

    def end_loading(self) -> None:
        """The present run continues unchanged."""
        self._loading, self.preparation = False, None
        if self.present.recorded:
            self.runs.now.show(Run(wanted=self.present.wanted))
        self._announce()
        self.start_pace()

    def prepared(self, done: int, total: int, what: str) -> None:
        """Report the progress of compiling. Raises ClosingError to end it, or CancelledError if another run is
        wanted. From any thread while a recorded run is shown."""
        if self._closing():
            raise ClosingError
        if (self.present.recorded or not self.lanes) and self._superseded():
            raise CancelledError
        self.preparation = Preparation(done, total, what)
        if not self.present.recorded:
            self._announce()
            self.update_status()

    @contextmanager
    def preparing(self) -> Iterator[None]:
        """Context in which a simulation is built that continues the present run."""
        try:
            yield
        finally:
            self.preparation = None
            self._announce()

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
            count=run.lanes[0].system.count if run.lanes else before.count,
            events=lanes[0].events if lanes else {},
            events_per_second=events_per_second,
            speed=self.tempo.speed,
            fast=self.tempo.fast,
            speed_reached=speed,
            slow=slow,
            recorded=run.recorded,
            lanes=() if run.recorded else lanes,
            past=run.looked_at,
            timeline=self._timeline() if run.lanes and not run.recorded else None,
        )

    def _timeline(self) -> Timeline:
        run = self.present
        if self.clock() - self._marked_at > _MARKS_EVERY:
            self._marked_at = self.clock()
            self._marks = run.happened.marks
        shown = run.time if run.looked_at is None else run.looked_at
        begin, last = run.happened.span or (run.time, run.time)
        player, end = run.player, max(last, run.time)
        return Timeline(begin, end, shown, self._marks, not run.live, player.backwards, player.loop)
