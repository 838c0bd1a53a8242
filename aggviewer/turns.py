"""Work on the GUI thread in steps, between which the event loop has its turn: the window goes on meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from time import monotonic, perf_counter

from PyQt6.QtCore import QCoreApplication, QEventLoop, QObject, QTimer

_END = object()
_STEP = 0.01  # seconds after which a step of short calls ends
_REST = 0.005  # seconds between two turns while something is waited for


class Turns(QObject):
    """Takes one step of a generator in each turn of the event loop, until there is none left or other work is begun.

    The generator has to catch its own errors, and is closed where it is given up.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work: Generator[None, None, None] | None = None
        self._stepping = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._step)

    @property
    def busy(self) -> bool:
        """Whether there are steps left."""
        return self._work is not None

    def start(self, work: Generator[None, None, None]) -> None:
        """Begin, in the next turn; what is under way is given up."""
        self.stop()
        self._work = work
        self._timer.start(0)

    def stop(self) -> None:
        """Give up what is under way."""
        self._timer.stop()
        work, self._work = self._work, None
        if work is not None and not self._stepping:  # else it is closed after its step
            work.close()

    def finish(self) -> None:
        """Take all steps that are left now."""
        self._timer.stop()
        work, self._work = self._work, None
        for _ in work or ():
            pass

    def _step(self) -> None:
        work = self._work
        assert work is not None  # else the timer is off
        self._stepping, left = True, False
        try:
            left = next(work, _END) is not _END
        finally:
            self._stepping = False
            if self._work is not work:  # the step itself has begun something else
                work.close()
            elif left:
                self._timer.start(0)
            else:
                self._work = None


def in_steps(calls: Iterable[Callable[[], object]]) -> Generator[None, None, None]:
    """Make short calls, as many in each step as there is time for in a hundredth of a second."""
    began = perf_counter()
    for call in calls:
        call()
        if perf_counter() - began > _STEP:
            yield
            began = perf_counter()
    yield


def in_turns(work: Iterable[object]) -> None:
    """Take all steps now. In between the window goes on, but hears nothing of mouse and keys until they are done."""
    for _ in work:
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)


def wait_in_turns(there: Callable[[float], bool], patience: float) -> bool:
    """Wait until something is there while the window goes on, which hears nothing of mouse and keys meanwhile.

    Parameters
    ----------
    there : waits for it, as many seconds as it is told, and says whether it is there.
    patience : seconds to wait at most.

    Returns
    -------
    bool
        Whether it is there.
    """
    end = monotonic() + patience
    while not there(_REST):
        if monotonic() >= end:
            return False
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    return True
