"""Calls from the session's threads to the GUI thread, for small messages only, never frames."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable

from psygnal import SignalInstance
from PyQt6.QtCore import QObject, Qt, pyqtSignal


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
