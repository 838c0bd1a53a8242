"""The processors of this machine, if its operating system lists them and allows a choice."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
