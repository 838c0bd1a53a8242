"""How long a window does not answer: the times between the beats of a timer in its event loop."""

from __future__ import annotations

import time
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
    """Beats in the event loop of the thread that makes it."""

    def __init__(self) -> None:
        super().__init__()
        self._times: list[float] = []
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(int(1000 * _BEAT))
        self._timer.timeout.connect(lambda: self._times.append(time.perf_counter()))
        self._timer.start()

    def take(self) -> Gaps:
        """What was measured since the last call."""
        times, self._times = self._times, self._times[-1:]
        return Gaps(1000.0 * np.diff(times))

    def stop(self) -> None:
        """Beat no more."""
        self._timer.stop()
