"""Signals that wait until the state is good: Ctrl-C in the middle of an update must not leave half of it.

Python runs the handler of a signal between any two of its instructions, and that of Ctrl-C raises KeyboardInterrupt
there: between the new positions of a state and its new time, for instance. While signals are held, the handler only
takes a note; the work goes on to the next moment at which everything agrees, and then the handler that was there
before is called.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

_HELD = (signal.SIGINT, signal.SIGTERM)


class HeldSignals:
    """A ``with`` block in which Ctrl-C and SIGTERM wait for `deliver`, or for the end of the block.

    Only the main thread gets signals: on others it does nothing. What the system or a library deals with by itself
    stays as it is; handlers written in Python wait.

    cut : set when a signal comes, so that work which looks at it ends soon; taken down when the signal is delivered.
    """

    def __init__(self, cut: threading.Event | None = None) -> None:
        self._cut = cut
        self._before: dict[int, Callable[[int, FrameType | None], Any]] = {}
        self._noted: list[tuple[int, FrameType | None]] = []

    @property
    def waiting(self) -> bool:
        """Whether a signal has come and is not delivered yet."""
        return bool(self._noted)

    def deliver(self) -> None:
        """Hand on the signals that have come; the handler of Ctrl-C raises KeyboardInterrupt. The state is good."""
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
            except BaseException:  # the other signal came in between
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
