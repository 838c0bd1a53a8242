"""How long a window does not answer: the times between the beats of a timer in its event loop."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QObject, Qt, QTimer

_BEAT = 0.005  # seconds between two beats of a loop that has nothing else to do


@dataclass(frozen=True)
class Gaps:
    """Milliseconds between two beats, in the order of time; those of a loop with nothing to do are 5."""

    milliseconds: NDArray[np.float64]

    @property
    def median(self) -> float:
        """Half of the waits are shorter, weighted by their length: what somebody meets who clicks at any moment."""
        return self._weighted(0.5)

    @property
    def late(self) -> float:
        """The same for 95 of 100 moments."""
        return self._weighted(0.95)

    @property
    def greatest(self) -> float:
        """The longest wait."""
        return float(self.milliseconds.max(initial=0.0))

    def above(self, limit: float) -> int:
        """How many waits were longer than so many milliseconds."""
        return int((self.milliseconds > limit).sum())

    def _weighted(self, share: float) -> float:
        waits = np.sort(self.milliseconds)
        passed = np.cumsum(waits)
        return float(waits[np.searchsorted(passed, share * passed[-1])]) if len(waits) else 0.0


class Heartbeat(QObject):
    """Beats in the event loop of the thread that makes it. With `limit`, milliseconds, another thread writes down what
    all threads do while a beat is longer overdue than that, in `stalls`: (milliseconds since the last beat, by how much
    the other thread was late itself because it did not get the interpreter, stacks)."""

    def __init__(self, limit: float | None = None) -> None:
        super().__init__()
        self._times: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(int(1000 * _BEAT))
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        self._main = threading.get_ident()
        self._watching = limit is not None
        self.stalls: list[tuple[float, float, str]] = []
        if limit is not None:
            self._watcher = threading.Thread(target=self._watch, args=(limit / 1000.0,), daemon=True, name="watch")
            self._watcher.start()

    def take(self) -> Gaps:
        """What was measured since the last call."""
        times, self._times = self._times, self._times[-1:]
        return Gaps(1000.0 * np.diff(times))

    def stop(self) -> None:
        """Beat no more."""
        self._timer.stop()
        if self._watching:
            self._watching = False
            self._watcher.join()

    def _beat(self) -> None:
        self._last = time.perf_counter()
        self._times.append(self._last)

    def _watch(self, limit: float) -> None:
        told = 0.0
        while self._watching:
            asleep = time.perf_counter()
            time.sleep(_BEAT)
            now, last = time.perf_counter(), self._last
            if now - last > limit and last != told:
                told = last
                names = {thread.ident: thread.name for thread in threading.enumerate()}
                stacks = [
                    f"{names.get(of)}: " + "".join(traceback.format_stack(frame)[-4:])
                    for of, frame in sys._current_frames().items()
                    if of != threading.get_ident()
                ]
                self.stalls.append((1000.0 * (now - last), 1000.0 * (now - asleep - _BEAT), "\n".join(stacks)))
