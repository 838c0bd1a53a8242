"""From the session's threads to the GUI thread: small facts only, never frames."""

from __future__ import annotations

from collections.abc import Callable

from psygnal import SignalGroup, SignalInstance
from PyQt6.QtCore import QObject, pyqtSignal


class GuiThread(QObject):
    """Lets parts of the window listen to signals of the session, which are emitted on any thread.

    It is the only way from there into the window: a call is queued to the thread of this object, or made at once where
    the signal is emitted on that thread.
    """

    _called = pyqtSignal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._links: list[tuple[SignalInstance | SignalGroup, Callable[..., None]]] = []
        self._called.connect(self._call)

    def connect(self, signal: SignalInstance | SignalGroup, call: Callable[..., object]) -> None:
        """Have `call` called with what `signal` is emitted with, on the GUI thread."""

        def queue(*values: object) -> None:
            self._called.emit(call, values)

        signal.connect(queue, check_nargs=False)
        self._links.append((signal, queue))

    def _call(self, call: Callable[..., object], values: tuple[object, ...]) -> None:
        call(*values)

    def close(self) -> None:
        """Stop listening."""
        for signal, queue in self._links:
            signal.disconnect(queue)
        self._links.clear()
