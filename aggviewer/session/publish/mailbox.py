"""The latest frame, handed from the thread that simulates to the one that draws. No queue, nothing piles up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class FrameMailbox(Generic[T]):
    """Three reused buffers: one being written, one waiting, one being read. The latest wins.

    The writer fills `back` and calls `publish`; the reader calls `take` and owns what it gets until it calls `take`
    again. Neither ever waits for the other. One writer, one reader.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._back: T | None = None
        self._waiting: T | None = None
        self._front: T | None = None
        self._fresh = False

    def refill(self, make: Callable[[], T]) -> None:
        """Replace the buffers, for frames of another size. What waits is dropped; the reader keeps what it has."""
        back, waiting, front = make(), make(), make()
        with self._lock:
            self._back, self._waiting, self._front = back, waiting, front
            self._fresh = False

    @property
    def back(self) -> T:
        """The buffer to write into; the writer's alone until `publish`."""
        if self._back is None:
            raise RuntimeError("the mailbox has no buffers yet")
        return self._back

    @property
    def wanted(self) -> bool:
        """True when the reader has taken the last frame: only then is a new one worth its making."""
        return not self._fresh

    def publish(self) -> None:
        """Make `back` the latest frame; an older one that nobody took is lost."""
        with self._lock:
            self._back, self._waiting = self._waiting, self._back
            self._fresh = True

    def take(self) -> T | None:
        """The latest frame, None when there is nothing new."""
        if not self._fresh:
            return None
        with self._lock:
            if not self._fresh:
                return None
            self._front, self._waiting = self._waiting, self._front
            self._fresh = False
            return self._front
