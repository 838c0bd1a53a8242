"""Work on the GUI thread in steps, between which the event loop has its turn: the window goes on meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from time import monotonic, perf_counter

from PyQt6.QtCore import QCoreApplication, QEventLoop, QObject, QTimer

_END = object()
_STEP = 0.01  # seconds after which a step of short calls ends
_REST = 0.005  # seconds between two turns while something is waited for


class Steps:
    """The steps of a generator, of one at a time. It may be given up while it makes a step, too."""

    def __init__(self) -> None:
        self._work: Generator[object, None, None] | None = None
        self.stepping = False

    @property
    def left(self) -> bool:
        """Whether there are steps left."""
        return self._work is not None

    def begin(self, work: Generator[object, None, None]) -> None:
        """Have the steps of `work`; what is under way is given up."""
        self.give_up()
        self._work = work

    def give_up(self) -> None:
        """Have no steps; what is under way is closed, after its step where it is in one."""
        work, self._work = self._work, None
        if work is not None and not self.stepping:
            work.close()

    def take(self) -> None:
        """Take one step. What it raises ends the work."""
        work = self._work
        assert work is not None
        self.stepping, left = True, False
        try:
            left = next(work, _END) is not _END
        finally:
            self.stepping = False
            if self._work is not work:  # it was given up inside the step
                work.close()
            elif not left:
                self._work = None


class Turns(QObject):
    """Takes one step of a generator in each turn of the event loop, until there is none left or other work is begun.

    The generator has to catch its own errors, and is closed where it is given up.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps = Steps()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._step)

    @property
    def busy(self) -> bool:
        """Whether there are steps left."""
        return self._steps.left

    def start(self, work: Generator[None, None, None]) -> None:
        """Begin, in the next turn; what is under way is given up."""
        self._steps.begin(work)
        self._timer.start(0)

    def stop(self) -> None:
        """Give up what is under way."""
        self._timer.stop()
        self._steps.give_up()

    def finish(self) -> None:
        """Take all steps that are left now; none inside a step."""
        self._timer.stop()
        while self._steps.left and not self._steps.stepping:
            self._steps.take()

    def _step(self) -> None:
        self._steps.take()
        if self._steps.left:
            self._timer.start(0)


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
