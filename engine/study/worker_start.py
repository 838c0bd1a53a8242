"""What a worker of a local cluster does first; dask imports this module when the process begins (a "preload").

It stays out of the way of whoever sits at the machine, leaves Ctrl-C to the command, and ends when the command has
gone: a command that was killed can tell nobody.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

_NICE = 10
_LOOK = 1.0  # seconds between two looks at the parent


def dask_setup(worker: Any) -> None:
    """Called by dask in the worker's process. worker : the worker, which is not needed."""
    command = os.getppid()
    threading.Thread(target=_end_with, args=(command,), name="end with the command", daemon=True).start()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICE)


def _end_with(command: int) -> None:
    while os.getppid() == command:
        time.sleep(_LOOK)
    os._exit(1)
