"""Work on a separate thread whose results are delivered on the GUI thread."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

from PyQt6.QtCore import QObject, pyqtSignal

from aggviewer.latest_job import LatestJob, T
from aggviewer.priority import BESIDE


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
