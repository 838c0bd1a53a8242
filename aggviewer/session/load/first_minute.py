"""Plays a recorded run in the picture while the simulation's thread is busy with compiling or loading kernels."""

from __future__ import annotations

import threading
from collections.abc import Callable

from aggviewer.session.past.recorded_run import RecordedRun
from aggviewer.session.publish.publisher import Publisher

_LONGEST_STEP = 0.1  # seconds of wall time between two frames; the rest of a stall is dropped: no picture jumps
_INTERVAL = 0.04
"""Seconds between two frames. Where the processor draws the picture, the drawing takes the time away from the compiling
that everybody waits for; a film has no more."""

_MOVING = 4  # frames made: each is made when the one before has been taken, so that three are in the picture
_AHEAD = 0.3  # seconds of wall time in which the simulation gets to where the recording will be


class FirstMinute:
    """Plays a recorded run from its start, on a thread of its own, which alone uses the publisher meanwhile.

    Parameters
    ----------
    run : what is played; it holds its last frame.
    publisher : where it is shown.
    speed : gives the simulation time per second of wall time, which may change.
    clock : seconds of wall time.

    Attributes
    ----------
    held : it stays at a frame.
    """

    def __init__(
        self, run: RecordedRun, publisher: Publisher, speed: Callable[[], float], clock: Callable[[], float]
    ) -> None:
        self._run = run
        self._publisher = publisher
        self._speed = speed
        self._clock = clock
        self._last: int | None = None  # the frame to end with, None for as long as nobody has said so
        self._leaving = threading.Event()
        self._asked = threading.Lock()
        self._to: int | None = None  # a frame that was asked for while it is held
        self.held = False
        self._made = 1
        self._moving = threading.Event()
        publisher.begin_recorded(run.system)
        publisher.show_recorded(run.frame())
        self._thread = threading.Thread(target=self._play, name="aggviewer-first-minute", daemon=True)
        self._thread.start()

    @property
    def time(self) -> float:
        """Simulation time of the frame that is shown."""
        return float(self._run.times[self._run.index])

    @property
    def clusters(self) -> int:
        """The number of clusters in the frame that is shown."""
        return self._run.clusters

    def wait_until_moving(self, patience: float) -> None:
        """Wait until the picture is seen to move, for some seconds at most: a window may be hidden. Kernels are loaded
        by Python code, for which each of the first pictures of a window would have to wait."""
        self._moving.wait(patience)

    def hold(self, on: bool) -> bool:
        """Stay at the frame that is shown, or go on. False where it is ending: then the command is for the run. From
        any thread, like `step`."""
        with self._asked:
            if self._last is not None:
                return False
            self.held = on
        return True

    def step(self, *, event: bool = False) -> bool:
        """Hold, one frame later; at an `event` where the number of clusters is another one. See `hold`."""
        with self._asked:
            if self._last is not None:
                return False
            self.held = True
            at = self._run.index if self._to is None else self._to
            self._to = self._run.next_event(at) if event else min(at + 1, len(self._run.times) - 1)
        return True

    def end_soon(self) -> float:
        """End at a frame a little later than the one that is shown, or at that one where it is held; returns the time
        of that frame."""
        with self._asked:
            later = self.time if self.held else self.time + _AHEAD * self._speed()
            self._last = max(self._run.index_at(later), self._to or 0)
        return float(self._run.times[self._last])

    def finish(self) -> RecordedRun:
        """Wait until the frame of `end_soon` is shown; afterwards the publisher is free. The run that was played."""
        self._thread.join()
        return self._run

    def stop(self) -> None:
        """End at once, whatever is shown."""
        self._leaving.set()
        self._thread.join()

    def _play(self) -> None:
        run, time, before = self._run, self.time, self._clock()
        mailbox = self._publisher.mailbox
        while self._last is None or run.index < self._last:
            if self._leaving.wait(_INTERVAL):
                break
            if self._last is None and not mailbox.wanted:  # the last frame has not been drawn: it waits for the picture
                continue
            now = self._clock()
            passed, before = min(now - before, _LONGEST_STEP), now
            with self._asked:
                to, self._to, last = self._to, None, self._last
                if to is not None:
                    time = float(run.times[to])
                elif not self.held or last is not None:
                    time += self._speed() * passed
                index = run.index_at(time) if last is None else min(run.index_at(time), last)
                moves = index > run.index
                run.go_to(index)
                if moves:  # whoever has it held finds the frame shown that it stays at
                    self._publisher.show_recorded(run.frame())
                    self._made += 1
                    if self._made == _MOVING:
                        self._moving.set()
        self._moving.set()
