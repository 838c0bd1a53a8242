"""Waiting while the window goes on."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from PyQt6.QtCore import QCoreApplication, QEventLoop

_REST = 0.005  # seconds between two turns of the event loop


def wait_in_loop(there: Callable[[float], bool], patience: float) -> bool:
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
