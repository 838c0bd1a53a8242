"""The playback: decides whether the simulation's thread advances the present of a run or shows what has already
happened. Every method runs on that thread, unless it says otherwise."""

from __future__ import annotations

from math import isinf

import numpy as np

from aggviewer.session.past.memory import Player, time_of
from aggviewer.session.run.runner import Runner


class Playback:
    """Decides whether the present goes on or something is played that has already happened: the past of a run, a
    recording, or the recorded run that is shown before the simulation is ready. All run, pause and step alike.

    The past of a run is played up to the present, from which the simulation continues; backwards, to the start of
    memory. It is the work of the simulation's thread (`aggviewer.session.run.worker.Work`).

    runner : runs the present.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    # the work of the thread

    def seconds_to_wait(self) -> float | None:
        """Seconds until `slice` is due: 0 for now, None to wait for a command."""
        return self._runner.seconds_to_wait()

    def slice(self) -> None:
        """Advance the run, or show the frames of the past or recording that are due."""
        runner = self._runner
        if runner.at_present or runner.state != "running":
            runner.slice()
        else:
            self._play_on()
            runner.update_status()

    # commands

    def toggle(self) -> None:
        """Run or pause."""
        if self._runner.state == "running":
            self.pause()
        else:
            self.run()

    def step_event(self) -> None:
        """Pause, and advance to the next event; in the past or a recording, go to the next frame."""
        if self._runner.at_present:
            self._runner.step_event()
        else:
            self._step(1)

    def step_frame(self) -> None:
        """Pause, and advance by one frame."""
        if self._runner.at_present:
            self._runner.step_frame()
        else:
            self._step(1)

    def run(self) -> None:
        """Run; if the past or a recording is shown, play it. A recording at its end starts again."""
        runner = self._runner
        if runner.at_present:
            runner.run()
            return
        runner.present.should_run = True
        if runner.state == "finished" and runner.present.past_time is None:
            runner.present.rewind()
        if runner.state in ("paused", "finished"):
            runner.set_state("running")
        runner.start_pace()

    def pause(self) -> None:
        """Pause."""
        runner = self._runner
        if runner.at_present or runner.state != "running":
            runner.pause()
            return
        runner.present.should_run = False
        if runner.present.past_time is None:
            runner.publish()
        else:
            runner.present.player.backwards = False
        runner.set_state("finished" if runner.present.finished else "paused")
        runner.start_pace()

    def restart(self) -> None:
        """Show the first frame of a recording, and play on if it was playing."""
        runner = self._runner
        runner.present.rewind()
        runner.set_state("paused")
        runner.publish()
        runner.run_or_pause()

    def _player(self) -> Player:
        """The player of the run; its stops are the times of all frames, and the present."""
        runner, run = self._runner, self._runner.present
        player, times = run.player, run.stored_frames.times
        player.set_stops(times if len(times) and times[-1] >= run.time else np.append(times, run.time))
        if runner.at_present:
            player.seek(run.time)
        return player

    def look_at(self, time: float) -> None:
        """Pause, and show a frame of a recording, or a past frame still in memory; for the present or a later time, the
        present."""
        self.pause()
        player = self._player()
        player.seek(time)
        self._show(player)

    def step_back(self) -> None:
        """Pause, and go back one frame of a recording or of the past."""
        self._step(-1)

    def _step(self, frames: int) -> None:
        """Pause, and show another frame of a recording or of the past; after its last one, the present."""
        self.pause()
        player = self._player()
        player.step(frames)
        self._show(player)

    def play(self, *, backwards: bool | None = None, loop: bool | None = None) -> None:
        """Play a recording or the past of a run from the current frame, backwards or forwards; None keeps the
        direction. loop : whether a recording starts again at its end; on its own it does not start playback."""
        runner, run = self._runner, self._runner.present
        if runner.at_present and backwards:
            self.step_back()
        if runner.at_present:  # at the present there is nothing to play
            return
        player = run.player
        player.backwards = player.backwards if backwards is None else backwards
        if not run.simulated:
            player.loop = player.loop if loop is None else loop
            self._tell_whether_it_can_play()
        if backwards is not None:
            self.run()
        runner.start_pace()

    def _play_on(self) -> None:
        """Show the frames that are due. Playback stops at the end of a recording or the start of memory; at the
        present, the run continues."""
        runner, tempo = self._runner, self._runner.tempo
        if self._frame_by_frame and runner.rest_until_drawn():
            return
        began, player = runner.clock(), self._player()
        shown = player.index
        player.pace = tempo.speed
        player.tick(began)
        if player.index != shown or player.at_end:
            self._show(player, passing=not player.at_end)
        tempo.add_slice(began, player.distance_played, 0, reached=not isinf(tempo.speed))
        if not player.at_end:
            return
        if not runner.present.simulated:
            runner.set_state("finished")
        elif player.backwards:
            self.pause()
        else:
            runner.continue_from_present()

    @property
    def _frame_by_frame(self) -> bool:
        """Without a set pace, whether each frame waits until the last one was drawn. The past of a run always does, or
        it would be over at once. A recording may play as fast as possible."""
        tempo = self._runner.tempo
        return tempo.every_frame or (isinf(tempo.speed) and self._runner.present.simulated)

    def _show(self, player: Player, *, passing: bool = False) -> None:
        """Show the player's frame. passing : the next frame follows at once, so a frame of a recording that would not
        be seen may be skipped."""
        runner, run = self._runner, self._runner.present
        unseen = passing and isinf(player.pace) and not (self._frame_by_frame or runner.frames_taken)
        if run.replay is not None:
            run.follow_player()
            if not run.finished:  # when the frame becomes visible, it can already be played
                self._tell_whether_it_can_play()
            if not unseen:
                runner.publish()
            self._tell_whether_it_can_play()  # when the end is announced, the last frame is already there
        elif player.position < run.time:
            self._show_kept(player.position)
        else:
            runner.publish()

    def _show_kept(self, time: float) -> None:
        """Show the frames in memory at an earlier time."""
        runner = self._runner
        frames = runner.present.past.at_time(time)
        if frames is None or len(frames) != len(runner.lanes):
            return
        runner.present.past_time = time_of(frames)
        for lane, frame in zip(runner.lanes, frames, strict=True):
            lane.publisher.show_past(frame)
        runner.note_publication()

    def refresh(self, *, analyse: bool = True) -> None:
        """Publish the current frame again after a change of the view."""
        if self._runner.present.past_time is not None:
            self._show_kept(self._runner.present.past_time)
        else:
            self._runner.publish(analyse=analyse)

    def _tell_whether_it_can_play(self) -> None:
        """Announce whether a paused recording can be played: from every frame except the last."""
        runner = self._runner
        if runner.state in ("paused", "finished"):
            runner.set_state("finished" if runner.present.finished else "paused")
