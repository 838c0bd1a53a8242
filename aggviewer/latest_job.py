"""Worker threads: their low priority, and one that runs only the newest request: older requests are dropped, or
cancelled while they run."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Hashable
from contextlib import suppress
from types import TracebackType
from typing import NamedTuple, Self, TypeVar

MOVES_THE_PICTURE = 3
"""Of threads that the picture waits for: the simulation's, and the painter's."""
BESIDE = 8
"""Of threads that measure, save and prepare: nobody notices a second more or less."""


def give_way(niceness: int) -> None:
    """Lower the priority of this thread and of those that it starts. The window's thread has niceness 0 and responds at
    once. Only Linux has a niceness for each thread; elsewhere nothing changes.

    niceness : 0 … 19, or the thread's own where that is greater.
    """
    if sys.platform != "linux":
        return
    thread = threading.get_native_id()
    with suppress(OSError):  # a container may forbid it
        os.setpriority(os.PRIO_PROCESS, thread, max(niceness, os.getpriority(os.PRIO_PROCESS, thread)))


T = TypeVar("T")


class CancelledError(Exception):
    """Raised within cancelled work, whose result is no longer wanted."""


class _Order(NamedTuple):
    work: Callable[[], object]
    done: Callable[[object], object]
    failed: Callable[[Exception], object] | None


class LatestJob:
    """Makes calls on one thread, one at a time, in the order of the requests. A newer call replaces a waiting one with
    the same key and takes its place in the queue.

    The thread exists only while there is work. Every method may be called from any thread.

    Parameters
    ----------
    name : of the thread.
    niceness : how low the priority of the thread is, see `give_way`.
    """

    def __init__(self, name: str, niceness: int = BESIDE) -> None:
        self._name = name
        self._niceness = niceness
        self._changed = threading.Condition()
        self._waiting: dict[Hashable, _Order] = {}
        self._running = self._cancelled = self._closed = False
        self._thread: threading.Thread | None = None

    def submit(
        self,
        work: Callable[[], T],
        done: Callable[[T], object] | None = None,
        failed: Callable[[Exception], object] | None = None,
        *,
        key: Hashable = None,
    ) -> None:
        """Request a call of `work` on the thread; not after `close`.

        Parameters
        ----------
        work : the call. A long one checks `cancelled` regularly and may raise to end early.
        done : called with its result, on the same thread; not after `cancel`.
        failed : called with what it raises before `cancel`; without it the exception goes to ``threading.excepthook``,
            and the thread continues.
        key : a newer call replaces a waiting one with an equal key.
        """

        def deliver(result: object) -> None:
            if done is not None:
                done(result)  # type: ignore[arg-type]

        with self._changed:
            if self._closed:
                return
            self._waiting[key] = _Order(work, deliver, failed)
            if not self._running:
                self._running = True
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether a call is running or waiting, or a result is being delivered."""
        with self._changed:
            return self._running

    @property
    def cancelled(self) -> bool:
        """Whether the running call has been cancelled."""
        return self._cancelled

    def cancel(self) -> None:
        """Drop the waiting calls and the result of the running one, whose `cancelled` becomes true."""
        with self._changed:
            self._waiting.clear()
            self._cancelled = self._running

    def wait(self, patience: float | None = None) -> bool:
        """Wait until all work is done, for at most `patience` seconds (None: forever). Returns whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._running, patience)

    def close(self, patience: float | None = None) -> bool:
        """Cancel everything, and join the thread; False if that takes longer than `patience` seconds."""
        with self._changed:
            self._closed = True
        self.cancel()
        if self._thread is not None:
            self._thread.join(patience)
            return not self._thread.is_alive()
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self) -> None:
        give_way(self._niceness)
        while True:
            with self._changed:
                self._cancelled = False
                if not self._waiting:
                    self._running = False
                    self._changed.notify_all()
                    return
                order = self._waiting.pop(next(iter(self._waiting)))
            try:
                self._make(order)
            except Exception as error:
                threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, self._thread)))
            finally:
                del order  # what it holds may be large

    def _make(self, order: _Order) -> None:
        try:
            result = order.work()
        except Exception as error:
            if self._cancelled:
                return
            if order.failed is None:
                raise
            order.failed(error)
        else:
            if not self._cancelled:
                order.done(result)
