"""Priorities of threads, for when there are more of them than processors."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

MOVES_THE_PICTURE = 3
"""Of threads that the picture waits for: the simulation's, and the painter's."""
BESIDE = 8
"""Of threads that measure, save and prepare: nobody notices a second more or less."""


def give_way(niceness: int) -> None:
    """Lower the priority of this thread and of those that it starts. The window's thread has niceness 0 and responds at
    once. Only Linux has a niceness for each thread; elsewhere nothing changes.

    niceness : 0 … 19, or the thread's own where that is greater.
    """
    if sys.platform != "linux":
        return
    thread = threading.get_native_id()
    with suppress(OSError):  # a container may forbid it
        os.setpriority(os.PRIO_PROCESS, thread, max(niceness, os.getpriority(os.PRIO_PROCESS, thread)))
