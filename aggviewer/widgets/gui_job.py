"""Work on a thread of its own whose results come to the GUI thread."""

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
        self._wanted = 0  # grows with each cancel; what was ordered before is not delivered any more
        self._ended.connect(self._deliver)  # emitted on the other thread: by the event loop

    def submit(
        self,
        work: Callable[[], T],
        done: Callable[[T], object],
        failed: Callable[[Exception], object] | None = None,
        *,
        key: Hashable = None,
    ) -> None:
        """Have `work` called on the thread, and `done` with its result on the GUI thread. What it raises is given to
        `failed`, or raised by the event loop. See `LatestJob.submit` for the key."""
        wanted = self._wanted

        def ended(result: T) -> None:
            self._ended.emit(wanted, partial(done, result))

        def ended_badly(error: Exception) -> None:
            self._ended.emit(wanted, partial(failed or _throw, error))

        self._job.submit(work, ended, ended_badly, key=key)

    @property
    def busy(self) -> bool:
        """Whether a call is being made or waits; its result may come later than that."""
        return self._job.busy

    @property
    def cancelled(self) -> bool:
        """Whether the result of the call that is being made is not wanted any more. Any thread."""
        return self._job.cancelled

    def cancel(self) -> None:
        """Deliver nothing of what was asked for until now."""
        self._wanted += 1
        self._job.cancel()

    def wait(self, patience: float | None = None) -> bool:
        """Wait until all calls are made, see `LatestJob.wait`. Their results come with the event loop."""
        return self._job.wait(patience)

    def close(self, patience: float | None = None) -> bool:
        """Deliver nothing any more, and end the thread, see `LatestJob.close`."""
        self._wanted += 1
        return self._job.close(patience)

    def _deliver(self, wanted: int, call: Callable[[], object]) -> None:
        if wanted == self._wanted:
            call()


def _throw(error: Exception) -> None:
    raise error
