"""From the session's threads to the GUI thread: small facts only, never frames."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable

from psygnal import SignalGroup, SignalInstance
from PyQt6.QtCore import QObject, Qt, pyqtSignal


class GuiThread(QObject):
    """Lets parts of the window listen to signals of the session, which are emitted on any thread.

    It is the only way from there into the window. Calls wait in one queue, in the order in which they were asked for
    on whatever thread, and all that wait are made together by the event loop. What is emitted on the thread of this
    object, where the window itself has changed something, is made at once, before what waits.

    A call that fails is over; the error goes to ``sys.excepthook``, and the queue goes on.
    """

    _asked = pyqtSignal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._links: list[tuple[SignalInstance | SignalGroup, Callable[..., None]]] = []
        self._thread = threading.get_ident()
        self._calls: deque[Callable[[], object]] = deque()  # any thread adds, that of this object takes
        self._inside = 0  # calls that are being made: where one shows a dialog there is another inside it
        self._closed = False
        self._asked.connect(self._make_all, Qt.ConnectionType.QueuedConnection)  # type: ignore[call-arg]

    def connect(self, signal: SignalInstance | SignalGroup, call: Callable[..., object]) -> None:
        """Have `call` called with what `signal` is emitted with, on the GUI thread."""

        def queue(*values: object) -> None:
            if threading.get_ident() != self._thread:
                self.later(call, *values)
            else:
                call(*values)

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
        return bool(self._calls)

    def finish(self) -> None:
        """Make all calls that wait now: for whoever relies on what was said. Nothing inside such a call, which comes
        after all that was said before it."""
        while self._calls and not self._inside:
            self._make_next()

    def close(self) -> None:
        """Stop listening, and forget what waits."""
        self._closed = True
        for signal, queue in self._links:
            signal.disconnect(queue)
        self._links.clear()
        self._calls.clear()

    def _make_all(self) -> None:
        """Make the calls that wait; what is asked for meanwhile comes when the event loop does."""
        for _ in range(len(self._calls)):
            if self._calls:  # a dialog that one of them showed may have let others be made
                self._make_next()

    def _make_next(self) -> None:
        self._inside += 1
        try:
            self._calls.popleft()()
        except Exception:
            sys.excepthook(*sys.exc_info())
        finally:
            self._inside -= 1
