"""Work on the GUI thread in steps, between which the event loop has its turn: the window goes on meanwhile."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from functools import cache
from time import monotonic, perf_counter

from PyQt6 import sip
from PyQt6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, QTimer
from PyQt6.QtWidgets import QWidget

_END = object()
_PAINTED = QEvent.Type(QEvent.registerEventType())  # all that was to be painted has been
_PAINTING = -1  # the priority with which Qt paints: after all that has changed
_AFTER_PAINTING = _PAINTING - 1
_STEP = 0.01  # seconds after which a step of small pieces ends
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


class OwnTurn(QObject):
    """Makes a call that takes long, once for each time it is asked to, in a turn of the event loop of its own: what has
    changed so far is painted before it, and other calls of this kind come in turns of theirs.

    Timers of no time all come in one turn, and the window would answer after all of them together. GUI thread only.
    """

    def __init__(self, call: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._call = call
        self.asked = False

    def ask(self) -> None:
        """Make the call soon; once, however often it is asked for until then."""
        if not self.asked:
            self.asked = True
            _line().join(self)

    def stop(self) -> None:
        """Do not make it."""
        self.asked = False

    def come(self) -> None:
        """It is the turn of this call."""
        self.asked = False
        self._call()


class _Line(QObject):
    """All that wait for a turn, in the order in which they have asked."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: deque[OwnTurn] = deque()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._next)
        self._called = False  # the event or the timer is on its way

    def join(self, turn: OwnTurn) -> None:
        """Wait behind those who are there."""
        self._waiting.append(turn)
        self._call_next()

    def event(self, event: QEvent | None) -> bool:
        """What has changed is painted: the next turn of the loop is somebody's own."""
        if event is not None and event.type() == _PAINTED:
            self._timer.start(0)
            return True
        return super().event(event)

    def _call_next(self) -> None:
        if self._waiting and not self._called:
            self._called = True
            QCoreApplication.postEvent(self, QEvent(_PAINTED), _AFTER_PAINTING)

    def _next(self) -> None:
        self._called = False
        while self._waiting:
            turn = self._waiting.popleft()
            if not sip.isdeleted(turn) and turn.asked:
                self._call_next()  # also inside the call, where that shows a dialog
                turn.come()
                return


@cache
def _line() -> _Line:
    """The only one; it is made on the GUI thread."""
    return _Line()


def ask_to_paint(window: QWidget) -> None:
    """Have what has changed in a window painted soon, also where Qt believes that somebody has asked for it already."""
    QCoreApplication.postEvent(window, QEvent(QEvent.Type.UpdateRequest), _PAINTING)


class Turns(QObject):
    """Takes one step of a generator in each turn of the event loop, until there is none left or other work is begun.

    The generator has to catch its own errors, and is closed where it is given up.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps = Steps()
        self._turn = OwnTurn(self._step, self)

    @property
    def busy(self) -> bool:
        """Whether there are steps left."""
        return self._steps.left

    def start(self, work: Generator[None, None, None]) -> None:
        """Begin, in the next turn; what is under way is given up."""
        self._steps.begin(work)
        self._turn.ask()

    def stop(self) -> None:
        """Give up what is under way."""
        self._turn.stop()
        self._steps.give_up()

    def finish(self) -> None:
        """Take all steps that are left now; none inside a step."""
        self._turn.stop()
        while self._steps.left and not self._steps.stepping:
            self._steps.take()

    def _step(self) -> None:
        self._steps.take()
        if self._steps.left:
            self._turn.ask()


def rested(work: Iterable[object]) -> Generator[None, None, None]:
    """Do work that comes in small pieces, as many in each step as there is time for in a hundredth of a second."""
    began = perf_counter()
    for _ in work:
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
