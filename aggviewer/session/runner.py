"""How the simulation's thread runs what there is: at a pace, step by step. Every method runs on it."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf

from aggviewer.session.builder import ClosingError
from aggviewer.session.data import Preparation, State
from aggviewer.session.keeper import Keeper
from aggviewer.session.lane import Lane
from aggviewer.session.lockstep import Lockstep
from aggviewer.session.memory import Memory
from aggviewer.session.notices import Notice, Notices
from aggviewer.session.pacing import FRAME_INTERVAL, Tempo
from aggviewer.session.replay import Player
from aggviewer.session.reporter import Drive, Reporter
from aggviewer.session.told import Told
from engine.errors import InputError

SLICE = 0.008
"""Seconds of work between two looks at the commands."""

_RETRY_ANALYSIS = 0.05  # seconds between two offers of the last state of a pause to a busy analyst


class Runner:
    """One simulation, two side by side, or a recording, and how they run. `status` may be read on any thread, all else
    belongs to one. What there is to run comes from `aggviewer.session.director`; how the past is shown stands in
    `aggviewer.session.playback`.

    closing() : True when long work should end early; told : is told of changes.
    """

    def __init__(
        self,
        notices: Notices,
        *,
        speed: float,
        closing: Callable[[], bool],
        told: Told,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._notices = notices
        self._closing = closing
        self._told = told
        self._clock = clock
        self.drive: Drive = Lockstep(())
        self.keeper = Keeper(notices, closing, clock)
        self.state: State = "empty"
        self.preparation: Preparation | None = None
        self.after_slice: Callable[[], None] = lambda: None
        self.hurried: Callable[[], bool] = lambda: False  # a command waits that ends what is going on
        self.past: float | None = None  # the time that is shown while it is not the present
        self.worked = 0.0  # seconds of computing in all runs together
        self._wants_to_run = False  # what the person asked for last; a finished run that is restarted runs again
        self._tempo = Tempo(speed, clock)
        self._published_at = -inf
        self._reporter = Reporter(self._tempo, self.keeper, clock)
        self.status = self._reporter.status

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """What runs: nothing, one simulation or recording, or two simulations side by side."""
        return self.drive.lanes

    # the thread's side

    def wait(self) -> float | None:
        """See `aggviewer.session.worker.Work`."""
        if self.state == "running":
            return self._tempo.wait
        due = [lane.publisher for lane in self.lanes if lane.publisher.analysis_due]
        if due:
            return 0.0 if any(publisher.analyst_ready for publisher in due) else _RETRY_ANALYSIS
        return None

    def slice(self) -> None:
        """Run up to where the simulation should be by now, or for some milliseconds; else feed the analyst."""
        if self.state == "running":
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

    def replace(self, drive: Drive, run: bool | None, past: Memory | None = None) -> None:
        """Run this from now on: let it run, hold it, or do as before (None). past : of a run that comes back."""
        self.keeper.begin(past)
        self.drive = drive
        self.past = None
        if not drive.together:
            self._until(lambda: drive.settle(SLICE))
        self._reporter.begin()
        self._remember()
        self.publish()
        if run is not None:
            self._wants_to_run = run
        if drive.finished and isinstance(drive, Lockstep):
            self.set_state("finished")
        self.resume()

    @property
    def wants_to_run(self) -> bool:
        """What the person asked for last."""
        return self._wants_to_run

    def resume(self) -> None:
        """Run or hold, as the person asked for last."""
        ended = self.drive.finished and isinstance(self.drive, Lockstep) and self.state == "finished"
        self.set_state("finished" if ended else "running" if self._wants_to_run else "paused")
        self.start_pace()

    def look_again(self) -> None:
        """After a change: what had ended may have something left to do, and waits to be run."""
        for lane in self.lanes:
            lane.look_again()
        if self.state == "finished" and not self.drive.finished:
            self._wants_to_run = False
            self.set_state("paused")
            self.start_pace()

    def run(self) -> None:
        """Let it run; a recording that has come to its end begins again."""
        self._wants_to_run = True
        if isinstance(self.drive, Player) and self.state == "finished":
            self.drive.rewind()
            self.set_state("paused")
        if self.state == "paused":
            self.past = None
            self.set_state("running")
            self.start_pace()

    def pause(self) -> None:
        """Hold it, and show where it is."""
        self._wants_to_run = False
        if self.state == "running":
            self._until(lambda: self.drive.settle(SLICE))
            if self.state == "running":
                self._remember()
                self.publish()
                self.set_state("paused")
                self.start_pace()

    def toggle(self) -> None:
        """Run or pause."""
        if self.state == "running":
            self.pause()
        else:
            self.run()

    def step_event(self) -> None:
        """Pause, and go on to the next physical event, or frame of a recording."""
        self._step(self._advance_event)

    def step_frame(self) -> None:
        """Pause, and go on by one frame of simulation time at the present speed, or by one frame of a recording."""
        if isinstance(self.drive, Player) or self._whole_steps:
            self.step_event()
        elif self.lanes:
            until = self.drive.time + self._tempo.frame_step
            self._step(lambda: self._advance(until))

    @property
    def _whole_steps(self) -> bool:
        """Whether what runs has nothing to show between two steps of its own."""
        return bool(self.lanes) and self.lanes[0].simulation.system == "jamming"

    def interrupt(self) -> None:
        """Cut off a step of the simulation that takes long. From any thread, unlike all else here."""
        if isinstance(self.drive, Lockstep):
            self.drive.interrupt()

    def set_speed(self, speed: float) -> None:
        """Simulation time per second of wall time, inf for as fast as it can."""
        self._tempo.speed = speed
        self.start_pace()

    # running

    def _run_slice(self) -> None:
        drive = self.drive
        started = self._clock()
        try:
            reached = self._advance(self._tempo.target(drive.time))
        except Exception as error:
            self._fail(error)
            return
        events = sum(lane.progress.happened for lane in self.lanes)
        self._tempo.ran(started, drive.time, events, reached)
        self.after_slice()
        wanted = drive.together and all(lane.publisher.wanted for lane in self.lanes)
        if drive.finished:
            self._end()
        elif wanted and self._clock() - self._published_at >= 0.9 * FRAME_INTERVAL:
            self.publish()
            self._remember(now_or_never=False)
        self.update_status()

    def _advance(self, until: float) -> bool:
        """A slice of work towards `until`; True when there. Frames of a recording on the way are taken."""
        limit = self.keeper.limit(until)
        began = self._clock()
        there = self.drive.advance(limit, SLICE)
        self.worked += self._clock() - began
        self.keeper.record_due(self.lanes[0])
        return there and limit >= until

    def _advance_event(self) -> bool:
        """A slice of work towards the next event; True when there."""
        limit = self.keeper.limit(inf)
        began = self._clock()
        there = self.drive.step_event(SLICE, limit)
        self.worked += self._clock() - began
        self.keeper.record_due(self.lanes[0])
        return there and self.drive.time < limit

    def _step(self, advance: Callable[[], bool]) -> None:
        """One step, which may take several slices; a window that closes does not wait for it."""
        if self.state not in ("running", "paused"):
            return
        self.pause()
        self.past = None
        self._until(advance)
        if self.state == "paused":
            self._remember()
            if self.drive.finished:
                self._end()
            else:
                self.publish()

    def _until(self, advance: Callable[[], bool]) -> None:
        """Slices of work until `advance` says that they are enough."""
        try:
            while not (advance() or self.drive.finished or self._closing()):
                if self._whole_steps and self.hurried():
                    break
        except Exception as error:
            self._fail(error)

    def _end(self) -> None:
        """Nothing will happen any more."""
        self._remember()
        self.keeper.record_due(self.lanes[0], last=True)
        self.keeper.stop_recording()
        for lane in self.lanes:
            if lane.progress.stop_reason:
                self._notices.send(Notice("info", lane.progress.stop_reason))
        self.publish()  # first the frame, then the word: who hears of the end finds the last frame
        self.set_state("finished")

    def _remember(self, *, now_or_never: bool = True) -> None:
        """Keep the present in memory; the past of a recording is in its file."""
        if isinstance(self.drive, Lockstep):
            self.keeper.remember(self.lanes, now_or_never=now_or_never)

    def _fail(self, error: Exception) -> None:
        self.keeper.stop_recording()
        for lane in self.lanes:
            lane.publisher.drop()
        self.drive = Lockstep(())
        # told first: who sees the state may look for the reason
        self._notices.unexpected(
            "The simulation stopped", error, "The last picture is kept. Restart it, or open another scenario."
        )
        self.set_state("failed")

    def publish(self, *, analyse: bool = True) -> None:
        """Show the present state, and have it measured."""
        for lane in self.lanes:
            lane.publish(analyse=analyse)
        self._published_at = self._clock()
        self.update_status()

    def close(self, patience: float | None = None) -> bool:
        """End what has a thread or a file of its own, after the simulation's thread has ended."""
        recorded = self.keeper.close(patience)
        return (not isinstance(self.drive, Player) or self.drive.replay.close(patience)) and recorded

    # what is told

    def start_pace(self) -> None:
        """Count speed and rates from now on."""
        self._tempo.start(self.drive.time)
        self.update_status()

    def set_state(self, state: State) -> None:
        """Another state, which is told."""
        if state != self.state:
            self.state = state
            self.update_status()
            self._told.state(state)

    def prepared(self, done: int, total: int, what: str) -> None:
        """How far the compiling is. Raises ClosingError to end it."""
        if self._closing():
            raise ClosingError
        self.preparation = Preparation(done, total, what)
        self.set_state("compiling")
        self.update_status()

    def update_status(self) -> None:
        """Bring `status` up to date."""
        self.status = self._reporter.report(self.state, self.drive, self.past, self.preparation)
