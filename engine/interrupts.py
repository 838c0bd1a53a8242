"""Delays signals until the state is consistent, so that Ctrl-C never leaves a half-finished update.

Python may run a signal handler between any two instructions, and the handler of Ctrl-C raises KeyboardInterrupt there:
for instance after the positions of a state are updated and before its time is. While signals are held, a handler only
notes the signal. Work continues until the state is consistent again, and then the original handler is called.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

_HELD = (signal.SIGINT, signal.SIGTERM)


class HeldSignals:
    """A context manager that holds back Ctrl-C and SIGTERM until `deliver` is called or the ``with`` block ends.

    Python runs signal handlers on the main thread only: on other threads it does nothing. Only handlers that are Python
    functions are held back.

    Parameters
    ----------
    cut : set when a signal arrives, so that long work that watches it can end early; cleared when it is delivered.
    """

    def __init__(self, cut: threading.Event | None = None) -> None:
        self._cut = cut
        self._before: dict[int, Callable[[int, FrameType | None], Any]] = {}
        self._noted: list[tuple[int, FrameType | None]] = []

    @property
    def waiting(self) -> bool:
        """Whether a signal has arrived and is not delivered yet."""
        return bool(self._noted)

    def deliver(self) -> None:
        """Call the original handlers of the signals that have arrived; that of Ctrl-C raises KeyboardInterrupt.

        To be called only where the state is consistent.
        """
        if not self._noted:
            return
        if self._cut is not None:
            self._cut.clear()
        while self._noted:
            number, frame = self._noted.pop(0)
            self._before[number](number, frame)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            try:
                for number in _HELD:
                    handler = signal.getsignal(number)
                    if callable(handler):
                        self._before[number] = handler
                        signal.signal(number, self._note)
            except BaseException:  # the other signal arrived in between
                self._let_go()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._let_go()
        self.deliver()

    def _let_go(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._noted.append((number, frame))
        if self._cut is not None:
            self._cut.set()
