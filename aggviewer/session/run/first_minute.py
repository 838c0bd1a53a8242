"""Plays a run that comes with the program while the simulation's thread is busy with compiling or loading kernels."""

from __future__ import annotations

import threading
from collections.abc import Callable

from aggviewer.session.past.player import Player
from aggviewer.session.past.recorded_run import RecordedRun
from aggviewer.session.publish.publisher import Publisher

_LONGEST_STEP = 0.1  # seconds of wall time that a frame counts at most
_INTERVAL = 0.04
"""Seconds between two frames. Where the processor draws the picture, the drawing takes the time away from the compiling
that everybody waits for; a film has no more."""

_MOVING = 4  # frames made: each is made when the one before has been taken, so that three are in the picture
_AHEAD = 0.3  # seconds of wall time in which the simulation gets to where the recording will be


class FirstMinute:
    """Plays a recorded run from its start, on a thread of its own, which alone uses the publisher meanwhile, and ends
    at a frame whose time is known beforehand.

    Parameters
    ----------
    run : is played from its first frame.
    publisher : where it is shown.
    speed : gives the simulation time per second of wall time, which may change.
    clock : seconds of wall time.

    Attributes
    ----------
    run : what is played.
    index : of the frame that is shown.
    held : whether it stays at a frame. Then or at its end, nothing moves.
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
        self._last: int | None = None  # the frame to end with, None for as long as nobody has said so
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
        """Simulation time of the frame that is shown."""
        return float(self.run.times[self.index])

    @property
    def clusters(self) -> int:
        """The number of clusters in the frame that is shown."""
        return int(self.run.clusters[self.index])

    def wait_until_moving(self, patience: float) -> None:
        """Wait until the picture moves, for some seconds at most: a window may be hidden. Kernels are loaded by Python
        code, for which each of the first pictures of a window would have to wait."""
        self._moving.wait(patience)

    def hold(self, on: bool) -> bool:
        """Stay at the frame that is shown, or go on. False where it is ending: then the command is for the run. From
        any thread, like `step`."""
        with self._asked:
            if self._last is not None:
                return False
            self._hold(on)
        return True

    def step(self, *, event: bool = False) -> bool:
        """Hold, one frame later; at an `event` where the number of clusters is another one. See `hold`."""
        with self._asked:
            if self._last is not None:
                return False
            self._hold(True)
            self._player.step(self.run.next_event(self._player.index) - self._player.index if event else 1)
        return True

    def _hold(self, on: bool) -> None:
        self.held = on
        if on:
            self._player.hold()
        else:
            self._player.start(self._clock())

    def end_soon(self) -> float:
        """End at a frame a little later than the one that is shown, or at that one where it is held; returns the time
        of that frame."""
        with self._asked:
            times, player = self.run.times, self._player
            later = player.position if self.held else player.position + _AHEAD * self._speed()
            self._last = max(int(times.searchsorted(later, side="right")) - 1, self.index)
        return float(times[self._last])

    def finish(self) -> int:
        """Wait until the frame of `end_soon` is shown; afterwards the publisher is free. The number of that frame."""
        self._thread.join()
        return self.index

    def stop(self) -> None:
        """End at once, whatever is shown."""
        self._leaving.set()
        self._thread.join()

    def _play(self) -> None:
        while self._last is None or self.index < self._last:
            if self._leaving.wait(_INTERVAL):
                break
            if self._last is None and not self._publisher.mailbox.wanted:  # it waits for the picture
                continue
            with self._asked:  # whoever has it held finds the frame shown that it stays at
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
