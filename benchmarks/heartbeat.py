"""How long a window does not answer: the times between the beats of a timer in its event loop, and what it did then."""

from __future__ import annotations

import faulthandler
import re
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QObject, Qt, QTimer

_BEAT = 0.005  # seconds between two beats of a loop that has nothing else to do
_LOOK = 0.01  # seconds between two looks at a thread that is late
_LATE = 0.04  # seconds without a beat after which it is looked at
_DEPTH = 6  # calls that are told of a stack


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
        self._timer.timeout.connect(self.beat)
        self._timer.start()

    def beat(self) -> None:
        """Once."""
        self._times.append(time.perf_counter())

    def take(self) -> Gaps:
        """What was measured since the last call."""
        times, self._times = self._times, self._times[-1:]
        return Gaps(1000.0 * np.diff(times))

    def stop(self) -> None:
        """Beat no more."""
        self._timer.stop()


@dataclass(frozen=True)
class Gap:
    """A long wait between two beats, in milliseconds.

    length : from one beat to the next.
    busy : of them, how long the thread had a processor.
    queued : how long it was ready and all processors were taken, by other threads or programs; what is left over it
        waited: for Python's lock, for another thread, for the X server.
    during : what the person did.
    calls : where the thread was most often, innermost first.
    others : what the other threads of the program did most often then.
    """

    length: float
    busy: float
    queued: float
    during: str
    calls: str
    others: str

    def __str__(self) -> str:
        return (
            f"{self.length:.0f} ms ({self.busy:.0f} busy, {self.queued:.0f} queued) during {self.during}: {self.calls}"
            + (f" | beside it: {self.others}" if self.others else "")
        )


class WatchedHeartbeat(Heartbeat):
    """A heartbeat with a thread that looks where the event loop is when a beat does not come.

    Parameters
    ----------
    limit : milliseconds; waits that are longer are told with what was found.
    """

    def __init__(self, limit: float = 100.0) -> None:
        self._limit = limit
        self.doing = ""
        self.gaps: list[Gap] = []
        self.busy: list[tuple[float, float, float]] = []  # of each beat: milliseconds, of them busy, of them queued
        self._watched = threading.get_ident()
        self._clock = Scheduled(threading.get_native_id())
        self._last = time.perf_counter()
        self._before = self._clock.read()
        self._stacks: list[tuple[str, str]] = []
        self._done = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="watch", daemon=True)
        super().__init__()
        self._watcher.start()

    def beat(self) -> None:
        """Once, and look how late it is."""
        super().beat()
        now, used = time.perf_counter(), self._clock.read()
        length = 1000.0 * (now - self._last)
        busy, queued = used[0] - self._before[0], used[1] - self._before[1]
        stacks, self._stacks = self._stacks, []
        self._last, self._before = now, used
        self.busy.append((length, busy, queued))
        if length > self._limit:
            calls, others = (_most(found) for found in zip(*stacks, strict=True)) if stacks else ("", "")
            self.gaps.append(Gap(length, busy, queued, self.doing, calls, others))

    def _watch(self) -> None:
        own = threading.get_ident()
        with tempfile.TemporaryFile("w+") as file:
            while not self._done.wait(_LOOK):
                if time.perf_counter() - self._last > _LATE:
                    stacks = _stacks(file)
                    names = {thread.ident: thread.name for thread in threading.enumerate()}
                    others = sorted(
                        f"{names.get(who, who)} in {calls[0]}"
                        for who, calls in stacks.items()
                        if who not in (own, self._watched) and calls and not calls[0].startswith(_WAITING)
                    )
                    self._stacks.append((" < ".join(stacks.get(self._watched, [])[:_DEPTH]), ", ".join(others)))

    def take_gaps(self) -> list[Gap]:
        """The long waits since the last call."""
        found, self.gaps = self.gaps, []
        return found

    def stop(self) -> None:
        """Beat and look no more."""
        super().stop()
        self._done.set()
        self._watcher.join()


class Scheduled:
    """How long a thread had a processor, and how long it was ready and had none: milliseconds, 0 where the system does
    not say."""

    def __init__(self, thread: int) -> None:
        self._path = Path(f"/proc/self/task/{thread}/schedstat")

    def read(self) -> tuple[float, float]:
        try:
            used, queued, _ = self._path.read_text().split()
        except OSError:
            return 0.0, 0.0
        return 1e-6 * float(used), 1e-6 * float(queued)


_WAITING = ("threading.py", "worker.py", "queue.py", "thread.py", "selectors.py", "connection.py")
_THREAD = re.compile(r"(?:Current thread|Thread) 0x([0-9a-f]+)")
_CALL = re.compile(r'  File "(?:.*/)?([^/"]+)", line (\d+) in (.*)')


def _stacks(file: TextIO) -> dict[int, list[str]]:
    """The calls of each thread, the innermost first. Frames are not touched: who holds one keeps its variables alive,
    such as a painter that has to end with its function."""
    file.seek(0)
    file.truncate()
    faulthandler.dump_traceback(file)
    file.seek(0)
    found: dict[int, list[str]] = {}
    calls: list[str] = []
    for line in file:
        if thread := _THREAD.match(line):
            calls = found.setdefault(int(thread[1], 16), [])
        elif call := _CALL.match(line):
            calls.append(f"{call[1]}:{call[2]} {call[3].rstrip()}")
    return found


def _most(found: tuple[str, ...]) -> str:
    word, times = Counter(found).most_common(1)[0]
    return f"{word} ({times} of {len(found)})" if word else ""
