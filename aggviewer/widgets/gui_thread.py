"""From other threads to the GUI thread: calls, for small messages only, never frames; and work on a separate thread
whose results are delivered there."""

from __future__ import annotations

import gc
import sys
import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import partial

from psygnal import SignalInstance
from PyQt6.QtCore import QObject, Qt, pyqtSignal

from aggviewer.latest_job import BESIDE, LatestJob, T


@contextmanager
def collecting_garbage_on_this_thread() -> Iterator[None]:
    """Within this context, Python collects garbage only on the calling thread, the GUI thread, from its event loop.

    Otherwise it collects on whichever thread happens to allocate. A forgotten widget or timer would then be deleted on
    another thread than its own, which ends the process when an event for it is on its way.
    """
    from pyqtgraph.util.garbage_collector import GarbageCollector  # late: not before the first picture

    collector = GarbageCollector()  # disables the automatic collection
    try:
        yield
    finally:
        collector.timer.stop()
        gc.enable()


class GuiThread(QObject):
    """Lets parts of the window listen to the session's signals, which may be emitted on any thread.

    This is the only way from those threads into the window and its document: a `Session` leaves its calls here. Calls
    from all threads wait in one queue, in order, and the event loop makes all waiting calls together. Signals emitted
    on this object's own thread, when the window itself has changed something, are delivered at once, before waiting
    calls.

    If a call fails, the error goes to ``sys.excepthook`` and the queue continues.
    """

    _asked = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._links: list[tuple[SignalInstance, Callable[..., None]]] = []
        self._thread = threading.get_ident()
        self._calls: deque[Callable[[], object]] = deque()  # added by any thread, removed by this object's thread
        self._inside = 0  # nesting of calls in progress, which increases if one of them shows a dialog
        self._closed = False
        self._asked.connect(self._make_all, Qt.ConnectionType.QueuedConnection)  # type: ignore[call-arg]

    def connect(self, signal: SignalInstance, call: Callable[..., object]) -> None:
        """Call `call` on the GUI thread with the arguments of each emission of `signal`."""

        def queue(*values: object) -> None:
            if threading.get_ident() != self._thread:
                self.later(call, *values)
            else:
                call(*values)

        signal.connect(queue, check_nargs=False)
        self._links.append((signal, queue))

    def later(self, call: Callable[..., object], *values: object) -> None:
        """Queue a call with these arguments, after all earlier messages of the session. From any thread."""
        if not self._closed:
            self._calls.append(lambda: call(*values))
            self._asked.emit()

    @property
    def busy(self) -> bool:
        """Whether calls are still waiting."""
        return bool(self._calls)

    def finish(self) -> None:
        """Make all waiting calls now, for code that relies on them. Does nothing inside such a call, because all
        earlier ones have been made."""
        while self._calls and not self._inside:
            self._make_next()

    def close(self) -> None:
        """Stop listening, and drop waiting calls."""
        self._closed = True
        for signal, queue in self._links:
            signal.disconnect(queue)
        self._links.clear()
        self._calls.clear()

    def _make_all(self) -> None:
        """Make the waiting calls; calls queued meanwhile wait for the event loop."""
        for _ in range(len(self._calls)):
            if self._calls:  # if one of them showed a dialog, others may have been made meanwhile
                self._make_next()

    def _make_next(self) -> None:
        self._inside += 1
        try:
            self._calls.popleft()()
        except Exception:
            sys.excepthook(*sys.exc_info())
        finally:
            self._inside -= 1


class GuiJob(QObject):
    """A `LatestJob` for the GUI thread: results and errors are delivered there, by the event loop.

    Its methods are called on the GUI thread. name, niceness : of the thread.
    """

    _ended = pyqtSignal(int, object)

    def __init__(self, name: str, niceness: int = BESIDE, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._job = LatestJob(name, niceness)
        self._wanted = 0  # increases with each cancel; earlier results are then discarded
        self._ended.connect(self._deliver)  # emitted on the other thread, delivered by the event loop

    def submit(
        self,
        work: Callable[[], T],
        done: Callable[[T], object],
        failed: Callable[[Exception], object] | None = None,
        *,
        key: Hashable = None,
    ) -> None:
        """Call `work` on the thread, then `done` with its result on the GUI thread. An exception is passed to `failed`,
        or raised in the event loop. See `LatestJob.submit` for the key."""
        wanted = self._wanted

        def ended(result: T) -> None:
            self._ended.emit(wanted, partial(done, result))

        def ended_badly(error: Exception) -> None:
            self._ended.emit(wanted, partial(failed or _throw, error))

        self._job.submit(work, ended, ended_badly, key=key)

    @property
    def busy(self) -> bool:
        """Whether a call is running or waiting; its result may be delivered later."""
        return self._job.busy

    @property
    def cancelled(self) -> bool:
        """Whether the result of the running call is no longer wanted. Any thread."""
        return self._job.cancelled

    def cancel(self) -> None:
        """Discard the results of all calls so far."""
        self._wanted += 1
        self._job.cancel()

    def wait(self, patience: float | None = None) -> bool:
        """Wait until all calls have finished, see `LatestJob.wait`. The event loop delivers their results."""
        return self._job.wait(patience)

    def close(self, patience: float | None = None) -> bool:
        """Discard all results and end the thread, see `LatestJob.close`."""
        self._wanted += 1
        return self._job.close(patience)

    def _deliver(self, wanted: int, call: Callable[[], object]) -> None:
        if wanted == self._wanted:
            call()


def _throw(error: Exception) -> None:
    raise error
