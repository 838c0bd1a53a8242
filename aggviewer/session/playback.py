"""The past on the screen: of a recording, in both directions, and of the last minutes of a run. Every method runs on
the simulation's thread."""

from __future__ import annotations

from aggviewer.session.replay import Player
from aggviewer.session.runner import Runner


class Playback:
    """Has the runner hold, and shows what was. A run goes on from its present when it is run again."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def look_at(self, time: float) -> None:
        """Pause, and show what was at a time: a frame of a recording, or one that is still in memory."""
        runner = self._runner
        runner.pause()
        if isinstance(runner.drive, Player):
            runner.drive.seek(time)
            self._set_playable(runner.drive)
            runner.publish()
            return
        frames = runner.keeper.memory.at(time)
        if frames is None or len(frames) != len(runner.lanes):
            return
        present = time >= runner.drive.time
        runner.past = None if present else frames[0].time
        if present:
            runner.publish()
        else:
            for lane, frame in zip(runner.lanes, frames, strict=True):
                lane.publisher.show_past(frame)
            runner.update_status()

    def step_back(self) -> None:
        """Pause, and go back by one frame of a recording, or of those in memory."""
        runner = self._runner
        runner.pause()
        if isinstance(runner.drive, Player):
            runner.drive.step_back()
            self._set_playable(runner.drive)
            runner.publish()
        else:
            earlier = runner.keeper.memory.times
            earlier = earlier[earlier < (runner.drive.shown_time if runner.past is None else runner.past)]
            if len(earlier):
                self.look_at(float(earlier[-1]))

    def play(self, *, backwards: bool | None = None, loop: bool | None = None) -> None:
        """The direction in which a recording is played, and whether it begins again at its end."""
        drive = self._runner.drive
        if isinstance(drive, Player):
            drive.backwards = drive.backwards if backwards is None else backwards
            drive.loop = drive.loop if loop is None else loop
            self._set_playable(drive)
            self._runner.start_pace()

    def refresh(self, *, analyse: bool = True) -> None:
        """Show what is shown in another way."""
        if self._runner.past is not None:
            self.look_at(self._runner.past)
        else:
            self._runner.publish(analyse=analyse)

    def _set_playable(self, player: Player) -> None:
        """A recording can be played from every frame but the last one."""
        if self._runner.state in ("paused", "finished"):
            self._runner.set_state("finished" if player.finished else "paused")
