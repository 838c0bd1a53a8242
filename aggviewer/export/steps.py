"""Work in steps that can be cancelled in between."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias, TypeVar

from aggviewer.latest_job import CancelledError

_T = TypeVar("_T")

Steps: TypeAlias = Generator[None, None, _T]
"""Work whose result is ready when one thread has taken all steps."""


def finished(steps: Steps[_T], cancelled: Callable[[], bool] = lambda: False) -> _T:
    """Take all steps and return the result. cancelled : checked before each step; then `steps` clean up, and
    CancelledError is raised."""
    while not cancelled():
        try:
            next(steps)
        except StopIteration as end:
            found: _T = end.value
            return found
    steps.close()
    raise CancelledError
