"""Work in steps, which can be given up between two of them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias, TypeVar

from aggviewer.latest_job import CancelledError

_T = TypeVar("_T")

Steps: TypeAlias = Generator[None, None, _T]
"""Work that has its result when all steps are taken, by one thread."""


def finished(steps: Steps[_T], cancelled: Callable[[], bool] = lambda: False) -> _T:
    """The result of steps that are all taken now. cancelled : asked before each step; CancelledError where it is so,
    after `steps` have cleared away what they began."""
    while not cancelled():
        try:
            next(steps)
        except StopIteration as end:
            found: _T = end.value
            return found
    steps.close()
    raise CancelledError
