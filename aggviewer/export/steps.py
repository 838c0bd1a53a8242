"""Work in steps, which a window takes one at a time and a program all at once."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

_T = TypeVar("_T")


def finished(steps: Generator[None, None, _T]) -> _T:
    """The result of steps that are all taken now."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: _T = end.value
            return found
