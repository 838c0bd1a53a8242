"""Ctrl-C and SIGTERM while workers start and end: what is half done then would be left behind."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ENDS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def held_back() -> Iterator[None]:
    """Signals that ask for the end wait for the end of the block. On the main thread: others get no signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.signal(number, lambda number, frame: came.append(number)) for number in _ENDS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for one in came:
            signal.raise_signal(one)


@contextmanager
def without_ctrl_c() -> Iterator[None]:
    """Threads that start here, and processes that those start, leave Ctrl-C to the command."""
    if sys.platform == "win32":  # it has no masks of signals
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
