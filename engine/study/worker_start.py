"""What a worker of a local cluster does first; Dask imports this module when the process begins (a "preload")."""

from __future__ import annotations

import os
from typing import Any

from engine import kernel_cache

_NICE = 10


def dask_setup(worker: Any) -> None:
    """Lower the priority, and repeat no warnings of the command. Called by Dask; worker : is not needed."""
    kernel_cache.be_silent()
    os.nice(_NICE)
