"""From the session's threads to the GUI thread: small facts only, never frames."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Generator

from psygnal import SignalGroup, SignalInstance
from PyQt6.QtCore import QObject, pyqtSignal

from aggviewer.turns import OwnTurn, Steps


class GuiThread(QObject):
    """Lets parts of the window listen to signals of the session, which are emitted on any thread.

    It is the only way from there into the window. Calls wait in one queue, in the order in which they were asked for
    on whatever thread; all that wait are made in one turn of the event loop, so that none is told late where many are
    said. A call that takes long is a generator: a turn ends with each of its steps. What is emitted on the thread of
    this object, where the window itself has changed something, is made at once, before what waits.

    A call or a step that fails is over; the error goes to ``sys.excepthook``, and the queue goes on.
    """

    _asked = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._links: list[tuple[SignalInstance | SignalGroup, Callable[..., None]]] = []
        self._thread = threading.get_ident()
        self._calls: deque[Callable[[], object]] = deque()  # any thread adds, that of this object takes
        self._steps = Steps()  # of a call that is made step by step
        self._inside = 0  # calls that are being made: where one shows a dialog there is another inside it
        self._closed = False
        self._own_turn = OwnTurn(self._turn, self)
        self._asked.connect(self._begin)

    def connect(self, signal: SignalInstance | SignalGroup, call: Callable[..., object]) -> None:
        """Have `call` called with what `signal` is emitted with, on the GUI thread."""

        def queue(*values: object) -> None:
            if threading.get_ident() != self._thread:
                self.later(call, *values)
            else:
                made = call(*values)
                for _ in made if isinstance(made, Generator) else ():
                    pass

        signal.connect(queue, check_nargs=False)
        self._links.append((signal, queue))

    def later(self, call: Callable[..., object], *values: object) -> None:
        """Have `call` called with these values, after all that the session has said before. From any thread."""
        if not self._closed:
            self._calls.append(lambda: call(*values))
            self._asked.emit()

    @property
    def busy(self) -> bool:
        """Whether the window has not been told yet all that was said."""
        return bool(self._calls) or self.in_steps

    @property
    def in_steps(self) -> bool:
        """Whether a call is half made: there are steps of it left."""
        return self._steps.left

    def finish(self) -> None:
        """Make all calls that wait now: for whoever relies on what was said. Nothing inside such a call, which comes
        after all that was said before it."""
        while self.busy and not self._inside:
            self._step()

    def close(self) -> None:
        """Stop listening, and forget what waits."""
        self._closed = True
        for signal, queue in self._links:
            signal.disconnect(queue)
        self._links.clear()
        self._own_turn.stop()
        self._calls.clear()
        self._steps.give_up()

    # inside

    def _begin(self) -> None:
        if self.busy and not self._steps.stepping:
            self._own_turn.ask()

    def _turn(self) -> None:
        """Make the calls that wait, up to the next step of one."""
        for _ in range(max(1, len(self._calls))):
            if not self.busy or self._steps.stepping:
                break
            in_steps = self.in_steps
            self._step()
            if in_steps or self.in_steps:
                break
        self._begin()

    def _step(self) -> None:
        """Make the next call, or take the next step of one."""
        self._inside += 1
        try:
            if not self._steps.left:
                call = self._calls.popleft()
                self._begin()  # where a call shows a dialog, the others come meanwhile
                made = call()
                if not isinstance(made, Generator) or self._closed:
                    return
                self._steps.begin(made)
            self._steps.take()
        except Exception:
            sys.excepthook(*sys.exc_info())
        finally:
            self._inside -= 1
