"""What a worker of a local cluster does first; dask imports this module when the process begins (a "preload").

It lowers the priority of the worker, keeps it from repeating warnings of the command, and ends it when the command has
ended, even if the command was killed.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from typing import Any

from engine import kernel_cache

_NICE = 10
_LOOK = 1.0  # seconds between two looks at the parent


def dask_setup(worker: Any) -> None:
    """Called by dask in the worker's process. worker : the worker, which is not needed."""
    kernel_cache.be_silent()
    command = multiprocessing.parent_process()
    # the parent that has started this process, and not the one of this moment: it may be gone already
    parent = os.getppid() if command is None or command.pid is None else command.pid
    threading.Thread(target=_end_with, args=(parent,), name="end with the command", daemon=True).start()
    os.nice(_NICE)


def _end_with(command: int) -> None:
    while os.getppid() == command:
        time.sleep(_LOOK)
    os._exit(1)
