"""Plays a bundled run while the simulation's thread is compiling or loading kernels."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Literal

from aggviewer.session.past.player import Player
from aggviewer.session.past.recorded_run import RecordedRun
from aggviewer.session.publish.publisher import Publisher

_LONGEST_STEP = 0.1  # seconds of wall time that a frame counts at most
_INTERVAL = 0.04
"""Seconds between frames. With software rendering, drawing takes processor time from compiling, so the rate is only
that of a film."""

_MOVING = 4  # number of frames: each is made after the last was taken, so that three have been shown
_AHEAD = 0.3  # seconds of wall time for the simulation to catch up with the recording


Move = Literal["run", "pause", "toggle", "step_event", "step_frame"]
"""What a person does with whatever is shown."""


class FirstMinute:
    """Plays a recorded run from its start on its own thread, the only user of the publisher meanwhile, and ends at a
    frame whose time is known in advance.

    Parameters
    ----------
    run : the run, played from its first frame.
    publisher : shows the frames.
    speed : returns the present simulation time per second of wall time.
    clock : seconds of wall time.

    Attributes
    ----------
    run : the run.
    index : of the current frame.
    held : whether it is paused. When paused or at the end, nothing moves.
    """

    def __init__(
        self, run: RecordedRun, publisher: Publisher, speed: Callable[[], float], clock: Callable[[], float]
    ) -> None:
        self.run = run
        self._publisher = publisher
        self._speed = speed
        self._clock = clock
        self._player = Player(run.times, longest=_LONGEST_STEP)
        self._player.start(clock())
        self._last: int | None = None  # the last frame, None until it is set
        self._leaving, self._moving = threading.Event(), threading.Event()
        self._asked = threading.Lock()
        self._made = 1
        self.index = 0
        self.held = False
        publisher.begin_recorded(run.system)
        publisher.show_recorded(run.at(0))
        self._thread = threading.Thread(target=self._play, name="aggviewer-first-minute", daemon=True)
        self._thread.start()

    @property
    def time(self) -> float:
        """Simulation time of the current frame."""
        return float(self.run.times[self.index])

    @property
    def clusters(self) -> int:
        """Number of clusters in the current frame."""
        return int(self.run.clusters[self.index])

    def wait_until_moving(self, patience: float) -> None:
        """Wait until the picture moves, for at most a few seconds, since a window may be hidden. Loading kernels runs
        Python code that would delay each of the window's first pictures."""
        self._moving.wait(patience)

    def make(self, move: Move) -> bool:
        """Run, pause, or pause one frame later, or at the next change of the number of clusters. False if it is
        ending; the move then applies to the live run. From any thread."""
        with self._asked:
            if self._last is not None:
                return False
            self._hold(not (move == "run" or (move == "toggle" and self.held)))
            if move == "step_frame":
                self._player.step(1)
            elif move == "step_event":
                self._player.step(self.run.next_event(self._player.index) - self._player.index)
        return True

    def _hold(self, on: bool) -> None:
        self.held = on
        if on:
            self._player.hold()
        else:
            self._player.start(self._clock())

    def end_soon(self) -> float:
        """End shortly after the current frame, or at it if paused; returns the time of the last frame."""
        with self._asked:
            times, player = self.run.times, self._player
            later = player.position if self.held else player.position + _AHEAD * self._speed()
            self._last = max(int(times.searchsorted(later, side="right")) - 1, self.index)
        return float(times[self._last])

    def finish(self) -> int:
        """Wait until the last frame of `end_soon` is shown and the publisher is free; returns its number."""
        self._thread.join()
        return self.index

    def stop(self) -> None:
        """End at once."""
        self._leaving.set()
        self._thread.join()

    def _play(self) -> None:
        while self._last is None or self.index < self._last:
            if self._leaving.wait(_INTERVAL):
                break
            if self._last is None and not self._publisher.mailbox.wanted:  # it waits for the picture
                continue
            with self._asked:  # after a pause, the current frame is on the screen
                self._player.pace = self._speed()
                self._player.tick(self._clock())
                self._show(self._player.index if self._last is None else min(self._player.index, self._last))
        self._moving.set()

    def _show(self, index: int) -> None:
        if index > self.index:
            self._publisher.show_recorded(self.run.at(index))
            self.index = index
            self._made += 1
            if self._made == _MOVING:
                self._moving.set()
