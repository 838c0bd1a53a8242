"""The thread that owns the simulation. Between slices of work it makes the calls that others leave for it, in order."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol

from aggviewer.latest_job import MOVES_THE_PICTURE, give_way

QueuedCall = Callable[[], None]


class ClosingError(Exception):
    """Raised to end long work early, because the session closes."""


class Work(Protocol):
    """The work of the thread between calls."""

    def seconds_to_wait(self) -> float | None:
        """The seconds until `slice` is due: 0 for now, None to wait for a call."""
        ...

    def slice(self) -> None:
        """Do some milliseconds of work."""
        ...


class SimulationWorker:
    """Runs `work` on a thread of its own. `post` leaves a call for it and returns at once.

    guard : makes a call or does a slice. It reports exceptions and does not raise them again, so that the thread
        continues.
    """

    def __init__(self, work: Work, guard: Callable[[QueuedCall], None]) -> None:
        self._work = work
        self._guard = guard
        self._calls: queue.SimpleQueue[tuple[QueuedCall, bool] | None] = queue.SimpleQueue()
        self._waiting: deque[QueuedCall] = deque()  # calls that wait until work `beside` this thread is done
        self._closing = threading.Event()
        self._urgent = 0  # urgent calls that wait
        self._counting = threading.Lock()
        self._thread = threading.Thread(target=self._loop, name="aggviewer-simulation", daemon=True)

    @property
    def closing(self) -> bool:
        """Whether long work should end early, because the thread is to stop."""
        return self._closing.is_set()

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def post(self, call: QueuedCall, *, plays: bool = False) -> None:
        """Leave a call, which the thread makes after those left before. From any thread.

        plays : whether it only plays or stops what is shown, and so need not wait for work `beside`.
        """
        self._calls.put((call, plays))

    def post_urgent(self, call: QueuedCall, *, plays: bool = False) -> None:
        """Leave a call for which long work should end early: `hurried` is true until it is made. From any thread.

        plays : see `post`.
        """

        def make_call() -> None:
            with self._counting:
                self._urgent -= 1
            call()

        with self._counting:
            self._urgent += 1
        self.post(make_call, plays=plays)

    def beside(self, work: QueuedCall) -> None:
        """Do long work on another thread, and return when it is done. Meanwhile slices and calls that play go on;
        all other calls wait. On this thread; raises what the work raises."""
        done: Future[None] = Future()

        def do_work() -> None:
            try:
                work()
                done.set_result(None)
            except BaseException as error:  # raised below, on the thread that asked
                done.set_exception(error)
            self._calls.put(None)  # wakes this thread

        threading.Thread(target=do_work, name="aggviewer-beside", daemon=True).start()
        while not (done.done() or self.closing):
            self._make_calls_or_slice(only_plays=True)
        done.result()

    @property
    def hurried(self) -> bool:
        """Whether long work should end early, because an urgent call waits."""
        return self._urgent > 0

    def stop(self) -> None:
        """Begin no further slice or call. May be called from any thread."""
        self._closing.set()
        self._calls.put(None)  # wakes a thread that waits

    def close(self, patience: float | None = None) -> bool:
        """Stop, and wait until the thread has finished its present call or slice.

        Parameters
        ----------
        patience : how many seconds to wait at most, None for no limit.

        Returns
        -------
        bool
            Whether the thread has ended.
        """
        self.stop()
        if self._thread.ident is not None:
            self._thread.join(patience)
        return not self._thread.is_alive()

    def _loop(self) -> None:
        give_way(MOVES_THE_PICTURE)
        while not self.closing:
            while self._waiting and not self.closing:
                self._guard(self._waiting.popleft())
            self._make_calls_or_slice()

    def _make_calls_or_slice(self, *, only_plays: bool = False) -> None:
        """Make the calls that there are, or wait for one until a slice is due, which is then done.

        only_plays : whether other calls than those that play must wait.
        """
        try:
            given = self._calls.get(timeout=self._work.seconds_to_wait())
            while given is not None and not self.closing:
                call, plays = given
                if plays or not only_plays:
                    self._guard(call)
                else:
                    self._waiting.append(call)
                given = None if self._waiting and not only_plays else self._calls.get_nowait()
        except queue.Empty:
            pass
        if not self.closing and self._work.seconds_to_wait() == 0.0:
            self._guard(self._work.slice)
