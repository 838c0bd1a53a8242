"""Waiting while the window stays alive."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from PyQt6.QtCore import QCoreApplication, QEventLoop

_REST = 0.005  # seconds between two turns of the event loop


def wait_in_loop(there: Callable[[float], bool], patience: float) -> bool:
    """Wait for something while the window keeps painting; it ignores mouse and keys meanwhile.

    Parameters
    ----------
    there : waits for the given number of seconds and returns whether it is there.
    patience : most seconds to wait.

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
