"""What studies ask of the machine: libraries that only they need, its processors, and a low priority for workers.

The libraries come with ``pip install aggviewer[study]``. Dask imports this module when the process of a worker of a
local cluster begins (a "preload"), and calls `dask_setup` first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from engine import kernel_cache
from engine.errors import InputError

NEEDED = ("distributed", "pandas", "pyarrow", "matplotlib", "jinja2")
"""Their names as they are imported."""


def require(*names: str) -> None:
    """Raise InputError with the command to install them if any of these (default: all that are needed) is missing."""
    missing = [name for name in names or NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(f"studies need {', '.join(missing)}: pip install 'aggviewer[study]'", "study")


# where the operating system lists processors and allows a choice
_chosen: Callable[[int], set[int]] | None = vars(os).get("sched_getaffinity")
_choose: Callable[[int, set[int]], None] | None = vars(os).get("sched_setaffinity")


def usable() -> int:
    """The number of processors that this process may use."""
    return (os.cpu_count() or 1) if _chosen is None else len(_chosen(0))


@contextmanager
def on_one() -> Iterator[None]:
    """Keep this thread on one processor during the block, so that timed code does not move between processors."""
    if _chosen is None or _choose is None:
        yield
        return
    before = _chosen(0)
    _choose(0, {max(before)})  # the first processor serves most of the interrupts
    try:
        yield
    finally:
        _choose(0, before)


_NICE = 10


def dask_setup(worker: Any) -> None:
    """Lower the priority, and repeat no warnings of the command. Called by Dask; worker : is not needed."""
    kernel_cache.be_silent()
    os.nice(_NICE)
