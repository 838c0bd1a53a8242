"""What listens to a run: the interface, and the observers of its past, its goal, its recording and its measurements.

Observers never change a run: it has the same bits with any of them, or with none. The runner asks each how far the next
slice of work may go, and calls each after it. What an observer has to remember of a run stands in the `Run`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Literal

from aggviewer.session.notices import Notice, Notices
from aggviewer.session.past.memory import USUAL_BUDGET
from aggviewer.session.past.recording import RecordingThread
from aggviewer.session.run.lanes import leader_of
from aggviewer.session.run.run import Run
from engine.capabilities import packed
from engine.errors import InputError
from engine.files import RecordingError, formats
from engine.simulation import Stride
from engine.words import count, typeset

Occasion = Literal["begin", "slice", "stop", "end", "idle", "leave"]
"""When observers are called: a run is shown, in place of another one; a slice of work is done; the run stops where it
is shown, after a pause, a step or a change of its method; it has ended; nothing runs, and a number of seconds is over;
the run makes room for another one, or has failed."""

Due = Stride | float | None
"""When an observer is to be called at the latest. A stride ends the next slice. A number is in seconds of wall time,
for a run that rests: while one is running, observers are called every few milliseconds anyway."""

_RETRY = 0.05  # seconds between two offers of the last state of a pause to a busy analyst


class RunObserver:
    """Listens to one run after another, on the simulation's thread: they pause, end, and make room for others. A run
    without a session, which only goes on, has simpler ones (`engine.runs.loop.Observer`)."""

    def due(self, run: Run) -> Due:
        """When it is to be called at the latest. None for no limit."""
        return None

    def handle(self, run: Run, occasion: Occasion) -> None:
        """Do what is due on this occasion."""


class PastMemory(RunObserver):
    """Keeps frames of the run in memory (`Run.past`), so that its past has no gaps at any speed.

    Parameters
    ----------
    clock : seconds of wall time.

    Attributes
    ----------
    budget : most bytes for the frames of a run.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.budget = USUAL_BUDGET

    def set_budget(self, run: Run, budget: int) -> None:
        """Set the most bytes for frames."""
        self.budget = budget
        run.past.set_budget(budget)

    def due(self, run: Run) -> Due:
        """The end of the stride after which the past needs its next frame."""
        return run.past.next_due

    def handle(self, run: Run, occasion: Occasion) -> None:
        """Keep the present frames: if they are due or enough has happened since the last, or where the run stops."""
        if occasion == "idle" or not run.simulated:
            return
        past, discs = run.past, sum(lane.disc_set.count for lane in run.lanes)
        leader = leader_of(run.lanes)
        if occasion == "slice":
            enough = past.next_due is not None and past.next_due.met(leader.progress)
            if not run.lockstep.together or not (enough or past.due(self._clock(), discs)):
                return
        if past.budget != self.budget:
            past.set_budget(self.budget)
        began = self._clock()
        frames = [lane.simulation.frame() for lane in run.lanes]
        apart = past.frames_apart(discs, began, self._clock() - began)
        past.keep(began, frames, leader.simulation.stride(apart))


class Goal(RunObserver):
    """Pauses the run where it was asked to (`Run.goal`)."""

    def set(self, run: Run, stride: Stride | None) -> None:
        """Pause this run once it reaches one of these limits; None cancels that. Limits already passed are ignored, and
        the next run starts without any."""
        passed = stride is None or not run.simulated or stride.met(leader_of(run.lanes).progress)
        run.goal = None if passed else stride

    def due(self, run: Run) -> Due:
        """The goal, beyond which no slice goes."""
        return run.goal

    def handle(self, run: Run, occasion: Occasion) -> None:
        """Pause if the goal is reached or passed, and forget it."""
        if occasion == "leave":
            run.goal = None
        elif run.goal is not None and run.lockstep.together and run.goal.met(leader_of(run.lanes).progress):
            run.goal = None
            run.pause_due = occasion == "slice"


class Recorder(RunObserver):
    """Records the run of the first lane (`Run.writer`): slices end where a frame is due, so that every frame is met
    exactly.

    Parameters
    ----------
    notices : receives the result.
    closing : whether the session closes, so that nothing waits for a slow disk.
    recorded(path) : called when a recording is complete.
    """

    def __init__(self, notices: Notices, closing: Callable[[], bool], recorded: Callable[[Path], None]) -> None:
        self._notices = notices
        self._closing = closing
        self._recorded = recorded

    def start(self, run: Run, path: Path, every: float) -> None:
        """Record from the present state on, one frame per `every` of simulation time. InputError if impossible."""
        if not run.simulated:
            raise InputError("there is no simulation to record")
        if not 0.0 < every < inf:
            raise InputError(f"the time between recorded frames must be above 0, not {every:g}")
        formats.to_record(path)  # refuses a bad ending before the present recording is stopped
        self.stop(run)
        lane = run.lanes[0]
        contacts = packed(lane.simulation) is not None
        run.writer = RecordingThread(
            path, lane.disc_set, lane.scenario.to_toml(), every, lane.time, contacts, self._on_failure
        )
        self._take_due(run)

    def due(self, run: Run) -> Due:
        """The simulation time of the next frame to be recorded."""
        return None if run.writer is None else Stride(run.writer.next_time)

    def handle(self, run: Run, occasion: Occasion) -> None:
        """Record a frame that is due, or the last of a run that ends."""
        if occasion not in ("begin", "leave"):
            self._take_due(run, last=occasion == "end")
        if occasion in ("leave", "end"):
            self.stop(run)

    def _take_due(self, run: Run, *, last: bool = False) -> None:
        writer = run.writer
        if writer is None:
            return
        lane = run.lanes[0]
        if writer.failed:
            self.stop(run)
        elif lane.time >= writer.next_time or (last and writer.status.last < lane.time):
            writer.write_due(lane.simulation.frame, self._closing)

    def stop(self, run: Run) -> None:
        """Stop the recording, if any."""
        writer, run.writer = run.writer, None
        if writer is None:
            return
        writer.close()
        if not writer.failed:
            status = writer.status
            self._recorded(status.path)
            frames = "1 frame" if status.frames == 1 else f"{count(status.frames)} frames"
            text = f"{frames}, {typeset(status.size / 1e6, '.1f')} MB, {status.path}"
            self._notices.send(Notice("info", "Recording saved", text, folder=str(status.path.parent), about="record"))

    def _on_failure(self, error: Exception) -> None:
        if isinstance(error, RecordingError | InputError):
            self._notices.send(Notice("error", str(error), "The simulation continues.", about="record"))
        else:
            self._notices.unexpected("The recording failed", error, "The simulation continues.")


class AnalystFeed(RunObserver):
    """Offers the last state of a pause again to analysts that were busy when it was published."""

    def due(self, run: Run) -> Due:
        """At once if an analyst is ready for a state that waits, else a moment later."""
        waiting = [lane.publisher for lane in run.lanes if lane.publisher.analysis_due]
        if not waiting:
            return None
        return 0.0 if any(publisher.analyst.ready for publisher in waiting) else _RETRY

    def handle(self, run: Run, occasion: Occasion) -> None:
        """Offer the states that wait to the analysts, while nothing runs."""
        if occasion == "idle":
            for lane in run.lanes:
                if lane.publisher.analysis_due:
                    lane.publisher.offer()


class AverageFeed(RunObserver):
    """Takes states for the averages over the run: slices end where one is due, so that each is met exactly. Of a
    recording it takes all frames up to the one that is shown, one at a time."""

    def due(self, run: Run) -> Due:
        """The simulation time of the next state of any lane; at once for a frame of a recording."""
        if run.replay is not None:
            return 0.0 if run.lanes[0].publisher.frame_due(run.replay.index) else None
        time = min((lane.publisher.next_average for lane in run.lanes), default=inf)
        return None if time == inf else Stride(time)

    def handle(self, run: Run, occasion: Occasion) -> None:
        """Take the states that are due."""
        if occasion == "leave":
            return
        for lane in run.lanes:
            if run.replay is None:
                lane.publisher.take_average()
            else:
                lane.publisher.take_frame(run.replay.index, run.replay.frame_at)
