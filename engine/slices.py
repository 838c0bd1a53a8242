"""Slices of work: kernels count units of work and are called again when they need room, people give seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import isfinite

NO_LIMIT = 1 << 60


def limited(count: int | None) -> int:
    """A count for a kernel: None is no limit, and so is more than an int64 comfortably holds."""
    return NO_LIMIT if count is None else min(count, NO_LIMIT)


class WorkRate:
    """Units of work a second, learnt as a simulation runs; `guess` is what it starts from."""

    def __init__(self, guess: float) -> None:
        self._rate = guess

    def units(self, budget: float) -> int:
        """Units that take about `budget` seconds, inf for no limit."""
        return max(200, int(self._rate * max(budget, 0.0))) if isfinite(budget) else NO_LIMIT

    def learn(self, units: int, seconds: float) -> None:
        """A mean that follows within a few slices; a first call that holds a compile is forgotten soon."""
        if units > 1000 and seconds > 0.0:
            self._rate += 0.3 * (units / seconds - self._rate)


def in_slices(
    rate: WorkRate,
    budget: float,
    max_events: int | None,
    run: Callable[[int, int], int],
    counted: Callable[[], tuple[int, int]],
    grow: Callable[[int], bool],
) -> int:
    """Run a kernel for `max_events` events or about `budget` seconds of work; returns the status it ends with.

    run : the kernel, for at most so many events and units of work; counted : units of work and events so far;
    grow : makes room where the status says that it has run out, and whether the kernel is to be called again.
    """
    left, spent = limited(max_events), 0.0
    while True:
        units = rate.units(budget - spent)
        work, events = counted()
        began = time.perf_counter()
        status = run(left, units)
        took = time.perf_counter() - began
        worked, happened = counted()
        if isfinite(budget):
            rate.learn(worked - work, took)
        spent += took
        left -= happened - events
        if not grow(status):
            return status
