"""Runs simulations on the simulation's thread, at a pace or step by step. Every method runs on it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, reduce
from math import inf

import numpy as np
from numpy.typing import NDArray

from aggviewer.latest_job import CancelledError
from aggviewer.session.data import Preparation, SessionSignals, State, Status, Timeline
from aggviewer.session.notices import ENDED, Notice, Notices, emit
from aggviewer.session.run.lanes import Lane, Lockstep, leader_of, nearer
from aggviewer.session.run.observers import Due, Moment, RunObserver
from aggviewer.session.run.pacing import Tempo
from aggviewer.session.run.worker import ClosingError
from engine.errors import InputError
from engine.simulation import Progress, Stride

SLICE = 0.008
"""Seconds of work between checks for commands."""

LONGEST_UNSEEN = 0.1  # seconds for which a fast run waits for its last frame to be taken: a window may be hidden
_LOOK_AGAIN = 0.002  # seconds between two looks whether it has been

_MARKS_EVERY = 0.5  # seconds between two looks for large merges


@dataclass(frozen=True, eq=False)
class StandingRun:
    """The state of a runner when it was set aside: fields of `Runner`, the playback speed, and how observers take the
    run up again."""

    drive: Lockstep
    state: State
    past: float | None
    wants_to_run: bool
    worked: float
    speed: float
    fast: bool
    status: Status
    take_up: tuple[Callable[[], None], ...]


class Runner:
    """Runs one simulation, or two side by side. `status` may be read on any thread; everything else belongs to one.
    Runs come from `aggviewer.session.load.loader`. What has already happened, the past of a run or a recording, is
    played by `aggviewer.session.run.playback`, which gives `run`, `pause` and steps to the runner if it is `live`.

    Parameters
    ----------
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
    clock : see the parameters.
    drive : the simulations, or a recording.
    state, status : the state, and the published status.
    preparation : while kernels are compiled. May be read on any thread.
    recorded : whether a recorded run is shown until the simulation is ready.
    past : the time that is shown while it is not the present, else None.
    wants_to_run : the user's last request; a finished run that is restarted runs again.
    worked : total computing time of all runs, in seconds.
    tempo : the requested and the reached pace.
    """

    def __init__(
        self,
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
        self._notices = notices
        self._observers = tuple(observers)
        self._closing = closing
        self._hurried = hurried
        self._superseded = superseded
        self._signals = signals
        self.clock = clock
        self.drive = Lockstep(())
        self.state: State = "empty"
        self.preparation: Preparation | None = None
        self.recorded = False
        self.past: float | None = None
        self.wants_to_run = False
        self.worked = 0.0
        self.tempo = Tempo(speed, clock)
        self._published_at = -inf
        self._published_moment: list[tuple[float, int]] = []
        self._frame_began = 0.0
        self._ahead = False  # the next frame of a fast run is ready, but the last one was not yet taken
        self._single = False  # what is shown is one event that was asked for
        self._marks: NDArray[np.float64] = np.empty(0)
        self._marked_at = -inf
        self.status = Status(speed=speed)

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lanes: none, one simulation or recording, or two simulations side by side."""
        return self.drive.lanes

    @property
    def live(self) -> bool:
        """Whether the present of a simulation is shown, or nothing yet. False for a recording or the past of a run."""
        return self.past is None and self.drive.replay is None

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

    def replace(self, drive: Lockstep, run: bool | None, shown: float | None = None) -> None:
        """Switch to these simulations; run, pause, or keep the present mode (None). shown : the time already on the
        screen, up to which it is run first."""
        self.drive, self.past, self._single = drive, None, False
        drive.held = False
        if not drive.together:
            self._until(lambda: drive.settle(SLICE))
        self._marked_at = -inf
        self._tell("begin")
        if shown is not None:
            self._until(lambda: self._advance(shown))
            self._tell("stop")
        self.publish()
        if run is not None:
            self.wants_to_run = run
        if drive.finished and drive.live:
            self.set_state("finished")
        self.resume()

    @contextmanager
    def showing(self, recorded: Lockstep) -> Iterator[None]:
        """Context in which a recorded run is shown, because the simulation is not ready."""
        self.drive, self.recorded = recorded, True
        self.publish()
        self.resume()
        try:
            yield
        finally:
            self.drive, self.recorded = Lockstep(()), False
            self.update_status()

    def set_aside(self) -> StandingRun:
        """Set the present run aside between two slices; its recording waits. The last picture stays until another run
        starts."""
        left = StandingRun(
            self.drive,
            self.state,
            self.past,
            self.wants_to_run,
            self.worked,
            self.tempo.speed,
            self.tempo.fast,
            self.status,
            tuple(observer.set_aside(self.drive) for observer in self._observers),
        )
        self.drive, self.wants_to_run = Lockstep(()), False
        self.past, self._single = None, False
        if left.drive.lanes:
            self.set_state("loading")
        return left

    def take_back(self, left: StandingRun, show: Callable[[], None]) -> None:
        """Continue the run that was set aside, unchanged. show : shows it, or its past."""
        for take_up in left.take_up:
            take_up()
        self.drive, self.worked = left.drive, left.worked
        self.past, self.wants_to_run = left.past, left.wants_to_run
        self._single, self._marked_at, self.status = False, -inf, left.status
        self.tempo.set(left.speed, left.fast)
        show()
        self.set_state(left.state)
        self.start_pace()

    def carry_on(self, drive: Lockstep) -> None:
        """Continue the present discs with other simulations, from a common time that may be slightly earlier than the
        time shown; later stored frames are dropped."""
        self.drive, self._marked_at = drive, -inf
        if not drive.together:
            self._until(lambda: drive.settle(SLICE))
        self._tell("stop")
        self.publish()
        self.start_pace()

    def resume(self) -> None:
        """Run or pause according to the user's last request."""
        ended = self.drive.finished and self.drive.live and self.state == "finished"
        self.set_state("finished" if ended else "running" if self.wants_to_run else "paused")
        self.start_pace()

    def look_again(self) -> None:
        """After a change, check whether ended simulations have work to do; they then wait to be run."""
        for lane in self.lanes:
            lane.look_again()
        if self.state == "finished" and not self.drive.finished:
            self.wants_to_run = False
            self.set_state("paused")
            self.start_pace()

    def run(self) -> None:
        """Run."""
        self.wants_to_run = True
        if self.state == "paused":
            self.set_state("running")
            self.start_pace()

    def pause(self) -> None:
        """Pause, and show the present state."""
        self.wants_to_run = self.drive.held = False
        if self.state == "running":
            self._until(lambda: self.drive.settle(SLICE))
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
            until = self.drive.time + self.tempo.frame_step
            self._step(lambda: self._advance(until))

    @property
    def _whole_steps(self) -> bool:
        """Whether the run has nothing to show between its own steps."""
        return bool(self.lanes) and self.lanes[0].counts

    def interrupt(self) -> None:
        """Interrupt a long step of the simulation. From any thread, unlike everything else here."""
        self.drive.interrupt()

    def set_speed(self, speed: float, fast: bool = False) -> None:
        """Set the simulation time per second of wall time; inf for no set pace, showing every frame (`fast`) or as fast
        as possible."""
        self.tempo.set(speed, fast)
        self.start_pace()

    # running

    def continue_from_present(self) -> None:
        """The past has been played up to the present: continue the run."""
        self.publish()
        if self.drive.finished:
            self.wants_to_run = False
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
        drive, fast = self.drive, self.tempo.fast
        started = self.clock()
        reached, self._ahead = fast and self._ahead, False
        if not reached:
            began = self._frame_began = self._frame_began or started  # a frame may take many slices
            try:
                reached = self._advance_frame() if fast else self._advance(self.tempo.target(drive.time))
            except Exception as error:
                self._fail(error)
                return
            events = sum(lane.progress.happened for lane in self.lanes)
            self.tempo.ran(began if fast else started, drive.time, events, reached)
            if reached or not fast:
                self._frame_began = 0.0
        if fast and reached and self.unseen():
            self._ahead = True  # the frame is made on demand, because the colours may change until then
            return
        if drive.finished:
            self._end()
        elif self.drive.held:
            self.pause()
        elif drive.together:
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
        """Do a slice of work, count its seconds, and call the observers."""
        began = self.clock()
        there = work()
        self.worked += self.clock() - began
        self._tell("slice")
        return there

    def _advance(self, until: float) -> bool:
        """A slice of work towards `until`; True when there."""
        return self._work(lambda: self.drive.advance(until, SLICE, self._limit()))

    def _advance_frame(self) -> bool:
        """A slice of work towards the end of a frame of a fast run; True when there."""
        return self._work(lambda: self.drive.advance_frame(SLICE, self._limit()))

    def _advance_event(self, leader: Lane, begun: Progress) -> bool:
        """A slice of work towards the next event of a lane, whose progress was `begun`; True when there."""
        limit = self._limit()
        there = self._work(lambda: self.drive.step_event(SLICE, limit))
        cut = limit is not None and limit.met(leader_of(self.lanes).progress)
        return there and (not cut or leader.progress.happened != begun.happened)

    def _dues(self) -> list[Due]:
        return [observer.due(self.drive) for observer in self._observers]

    def _limit(self) -> Stride | None:
        """How far a slice may go: to where an observer is due."""
        return reduce(nearer, (due for due in self._dues() if isinstance(due, Stride)), None)

    def _tell(self, moment: Moment) -> None:
        """Call the observers."""
        for observer in self._observers:
            observer.handle(self.drive, moment)

    def _step(self, advance: Callable[[], bool], *, single: bool = False) -> None:
        """One step, possibly in several slices; closing does not wait for it. single : it is one event, shown while
        paused."""
        if self.state not in ("running", "paused"):
            return
        self.pause()
        self.past = None
        self._until(lambda: advance() or self.drive.held)
        self.drive.held = False
        if self.state == "paused":
            self._single = single
            if self.drive.finished:
                self._end()
            else:
                self._tell("stop")
                self.publish()

    def _until(self, advance: Callable[[], bool]) -> None:
        """Do slices of work until `advance` is satisfied."""
        try:
            while not (advance() or self.drive.finished or self._closing()):
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
        self.drive = Lockstep(())
        self._tell("begin")
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
        self.past, self._ahead = None, False
        for lane in self.lanes:
            lane.publish(analyse=analyse, single=self._single)
        self._published_moment = self._moment
        self.shown_now()

    def shown_now(self) -> None:
        """Note that frames were published now."""
        self._published_at = self.clock()
        self.update_status()

    def close(self, patience: float | None = None) -> bool:
        """Close everything with its own thread or file, after the simulation's thread has ended."""
        closed = [observer.close(patience) for observer in self._observers]
        return self.drive.close(patience) and all(closed)

    # what is told

    def start_pace(self) -> None:
        """Measure speed and rates from now on."""
        self.tempo.start(self.drive.time)
        self.drive.player.start(self.clock())
        self.update_status()

    def set_state(self, state: State) -> None:
        """Set the state, and announce it."""
        if state != self.state:
            self.state = state
            self.update_status()
            emit(self._signals.state_changed, state)

    def prepared(self, done: int, total: int, what: str) -> None:
        """Report the progress of compiling. Raises ClosingError to end it, or CancelledError if another run is
        wanted. From any thread while a recorded run is shown."""
        if self._closing():
            raise ClosingError
        if (self.recorded or not self.lanes) and self._superseded():
            raise CancelledError
        self.preparation = Preparation(done, total, what)
        if not self.recorded:
            self.set_state("compiling")
            self.update_status()

    @contextmanager
    def preparing(self) -> Iterator[None]:
        """Context for building another simulation; afterwards the previous state is restored."""
        before = self.state
        try:
            yield
        finally:
            self.preparation = None
            self.set_state(before)

    def update_status(self) -> None:
        """Update `status`. A failed run leaves its time, lanes and number of discs in it."""
        drive, before = self.drive, self.status
        lanes = tuple(lane.status() for lane in drive.lanes) or before.lanes
        events_per_second, speed, slow = self.tempo.rates if self.state == "running" else (0.0, 0.0, False)
        self.status = Status(
            state=self.state,
            system=lanes[0].system if lanes else "",
            time=drive.time if drive.lanes else before.time,
            clusters=lanes[0].clusters if lanes else 0,
            count=drive.lanes[0].system.count if drive.lanes else before.count,
            events=lanes[0].events if lanes else {},
            events_per_second=events_per_second,
            speed=self.tempo.speed,
            fast=self.tempo.fast,
            speed_reached=speed,
            slow=slow,
            recorded=self.recorded,
            lanes=() if self.recorded else lanes,
            past=self.past,
            timeline=self._timeline() if drive.lanes and not self.recorded else None,
        )

    def _timeline(self) -> Timeline:
        drive = self.drive
        if self.clock() - self._marked_at > _MARKS_EVERY:
            self._marked_at = self.clock()
            self._marks = drive.happened.marks
        shown = drive.time if self.past is None else self.past
        begin, last = drive.happened.span or (drive.time, drive.time)
        player, end = drive.player, max(last, drive.time)
        return Timeline(begin, end, shown, self._marks, not drive.live, player.backwards, player.loop)
