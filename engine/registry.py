"""Registries: the parts of one kind, such as the systems, in their order.

Any thread may read a registry at any time: its parts are a tuple, which is replaced as a whole and never changed. One
thread writes: the main thread, at the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_all: list[Registry[Any]] = []


def _fits_always(part: Any, others: Sequence[Any]) -> None:
    """Accepts every part."""


class Registry(Generic[T]):
    """Parts of one kind.

    Parameters
    ----------
    fits : called with a part that is to be added and the others that are there; raises InputError if it cannot be
        one of them, for example because its name is taken.

    Attributes
    ----------
    parts : all of them, in order.
    """

    def __init__(self, fits: Callable[[T, Sequence[T]], None] = _fits_always) -> None:
        self.parts: tuple[T, ...] = ()
        self._fits = fits
        _all.append(self)

    def add(self, part: T) -> T:
        """Add a part at the end, and return it. Raises InputError if it does not fit."""
        self._fits(part, self.parts)
        self.parts = (*self.parts, part)
        return part

    def remove(self, part: T) -> None:
        """Remove a part, if it is still there."""
        self.parts = tuple(one for one in self.parts if one is not part)


@contextmanager
def all_or_nothing() -> Iterator[None]:
    """If the block raises an exception, its changes to registries are undone."""
    before = [(registry, registry.parts) for registry in _all]
    try:
        yield
    except BaseException:
        for registry, parts in before:
            registry.parts = parts
        raise
