"""Showing the past, of a recording and of a run, and playing it in both directions. Every method runs on the
simulation's thread."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isinf

from aggviewer.session.past.memory import time_of
from aggviewer.session.run.pacing import FRAME_INTERVAL
from aggviewer.session.run.player import Player
from aggviewer.session.run.runner import Runner


class Playback:
    """Pauses the runner and shows the past. Run again, what is in memory is played up to the present, from which the
    simulation goes on; backwards it is played to where memory begins."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._at = 0.0  # the time that has been played to
        runner.play_past = self._play_on

    def look_at(self, time: float) -> None:
        """Pause, and show what was at a time: a frame of a recording, or one that is still in memory."""
        runner = self._runner
        runner.pause()
        if isinstance(runner.drive, Player):
            runner.drive.seek(time)
            self._set_playable(runner.drive)
            runner.publish()
        elif time >= runner.drive.time:
            runner.publish()
        else:
            self._show(time)

    def _show(self, time: float) -> None:
        """Show the frames in memory at an earlier time."""
        runner = self._runner
        frames = runner.frames.memory.at(time)
        if frames is None or len(frames) != len(runner.lanes):
            return
        runner.past = time_of(frames)
        for lane, frame in zip(runner.lanes, frames, strict=True):
            lane.publisher.show_past(frame)
        runner.shown_now()

    def step_back(self) -> None:
        """Pause, and go back by one frame of a recording, or of those in memory."""
        runner = self._runner
        runner.pause()
        if isinstance(runner.drive, Player):
            runner.drive.step_back()
            self._set_playable(runner.drive)
            runner.publish()
        else:
            earlier = self._next(runner.drive.shown_time if runner.past is None else runner.past, -1)
            if earlier > -inf:
                self._show(earlier)

    def step(self, onward: Callable[[], None]) -> None:
        """One step: where the past is shown to its next frame, after the last one to the present; else `onward`."""
        past = self._runner.past
        if past is None:
            onward()
        else:
            self._runner.pause()
            self.look_at(self._next(past, 1))

    def _next(self, time: float, way: int) -> float:
        """The time of the frame in memory after or before `time`; inf for the present, -inf for none."""
        times = self._runner.frames.memory.times
        if way < 0:
            earlier = times[times < time]
            return float(earlier[-1]) if len(earlier) else -inf
        later = times[times > time]
        return float(later[0]) if len(later) else inf

    def play(self, *, backwards: bool | None = None, loop: bool | None = None) -> None:
        """Play a recording, or the past of a run, backwards or forwards from what is shown; None keeps the direction.
        loop : whether a recording starts again at its end; given alone it does not start playing."""
        runner = self._runner
        drive = runner.drive
        if isinstance(drive, Player):
            drive.backwards = drive.backwards if backwards is None else backwards
            drive.loop = drive.loop if loop is None else loop
            self._set_playable(drive)
            if backwards is not None:
                runner.run()
            runner.start_pace()
        elif backwards is not None and runner.lanes:
            if backwards and runner.past is None:
                runner.pause()
                if runner.state not in ("paused", "finished"):
                    return
                self._show(self._next(runner.drive.time, -1))
            if runner.past is not None:
                runner.backwards = backwards
                runner.run()

    def _play_on(self) -> None:
        """A frame of the past, where one is due; at the present the run goes on, at the start of memory it holds."""
        runner, tempo, memory = self._runner, self._runner.tempo, self._runner.frames.memory
        shown = runner.past
        if shown is None or memory.span is None:
            return
        way = -1 if runner.backwards else 1
        if isinf(tempo.speed):
            if runner.unseen():
                return
            self._at = self._next(shown, way)
        else:
            frames = memory.at(self._at)
            if frames is None or time_of(frames) != shown:  # another time was chosen
                self._at = shown
            self._at += way * tempo.passed()
        if self._at >= memory.span[1]:
            runner.continue_from_present()
            return
        frames = memory.at(self._at)
        if frames is not None and time_of(frames) != shown:
            self._show(self._at)
        if self._at <= memory.span[0]:
            self._at = memory.span[0]
            runner.pause()
        else:
            tempo.rest(FRAME_INTERVAL)

    def refresh(self, *, analyse: bool = True) -> None:
        """Show what is shown in another way."""
        if self._runner.past is not None:
            self._show(self._runner.past)
        else:
            self._runner.publish(analyse=analyse)

    def _set_playable(self, player: Player) -> None:
        """A recording can be played from every frame but the last one."""
        if self._runner.state in ("paused", "finished"):
            self._runner.set_state("finished" if player.finished else "paused")
